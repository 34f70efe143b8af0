/* new: an experiment file of three answers, which a dry run accepts. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../core/isolation.h"
#include "../machine.h"
#include "../report/page.h"
#include "../sanitize.h"
#include "draft.h"
#include "verbs.h"

/* What options say; NULL: nothing. */
struct said {
	const char *compare, *mode, *collective, *bytes, *expect;
};

#define SAYS(MEMBER) offsetof(struct said, MEMBER), DRAFT_ANSWER, .read = options_borrow

// clang-format off
static const struct field rows[] = {
    {"--compare", FIELD_OWN, SAYS(compare), .value = "WHAT", .help = "modes: the launch modes; versions: NCCL libraries; KEY=A,B: a setting (launchgap list keys); KEY=A: with the default"},
    {"--mode", FIELD_OWN, SAYS(mode), .value = "NAME", .help = "the mode of versions and settings"},
    {"--collective", FIELD_OWN, SAYS(collective), .value = "A,B", .help = "launchgap list collectives names them"},
    {"--bytes", FIELD_OWN, SAYS(bytes), .value = "'64K..64M x4'", .help = "sizes"},
    {"--expect", FIELD_OWN, SAYS(expect), .value = "'A slower B by 5% in latency'", .help = "the claim that is tested: two variants, slower, faster, equal, less or more; a metric"},
};
// clang-format on

const struct options new_options = OPTIONS(rows);

/* What is made: the file of a draft. */
struct making {
	const char *self; /* as the program was called */
	struct said said;
	char *name, file[TRIAL_NAME_BYTES + 8];
	struct draft draft;
	struct dry_plan dry;
};

static int check(struct making *m, struct status *st)
{
	struct plan_machine machine = {
	    .cores = machine_cores(), .isolates = isolation_possible, .capacity = backend_capacity};
	const struct plan_source from = {m->file, 0, NULL, machine_env};
	if (dry_plan(&from, false, &machine, &m->dry, st))
		return -1;
	plan_free(&m->dry.plan);
	return 0;
}

static int is_there(const struct making *m, struct status *st)
{
	return status_set(
	    st, "new: %s is there already, and stays as it is; allowed is another NAME", m->file);
}

/* Never over a file that is there. What a dry run refuses does not stay, nor what is only tried. */
static int write_file(struct making *m, bool stays, struct status *st)
{
	FILE *out = fopen(m->file, "wxe");
	if (!out && errno == EEXIST)
		return is_there(m, st);
	if (!out)
		return status_set(st, "new: %s cannot be written: %s", m->file, strerror(errno));
	draft_write(&m->draft, m->name, out);
	const bool cut = ferror(out) != 0;
	int rc = fclose(out) || cut ? status_set(st, "new: %s cannot be written", m->file)
	                            : check(m, st);
	if (rc || !stays)
		remove(m->file);
	return rc;
}

/* --- questions --- */

/* A line of the terminal, or `usual` for an empty one; -1: there is none. */
static int ask(const char *usual, char answer[DRAFT_ANSWER], struct status *st)
{
	printf("   [%s] ", *usual ? usual : "nothing");
	fflush(stdout);
	if (!fgets(answer, DRAFT_ANSWER, stdin)) {
		putchar('\n');
		return status_set(st, "new: no answer, so that nothing is written");
	}
	answer[strcspn(answer, "\n")] = '\0';
	if (!answer[strspn(answer, " \t")])
		snprintf(answer, DRAFT_ANSWER, "%s", usual);
	return 0;
}

/* Until an answer is taken; why one is not, is said. */
static int ask_until(int (*take)(struct making *m, char *answer, struct status *st),
                     const char *usual, struct making *m, struct status *st)
{
	for (;;) {
		char answer[DRAFT_ANSWER];
		struct status why = {""};
		if (ask(usual, answer, st))
			return -1;
		if (!take(m, answer, &why))
			return 0;
		page_wrap(stdout, "   ", 3, why.text);
	}
}

static void say_comparison(const char *form, const char *what)
{
	char lead[64];
	snprintf(lead, sizeof lead, "   %-17s ", form);
	page_wrap(stdout, lead, 21, what);
}

static int compare(struct making *m, char *answer, struct status *st)
{
	return draft_compare(&m->draft, answer, m->said.mode, st);
}

static int measure(struct making *m, const char *collectives, const char *bytes, struct status *st)
{
	return draft_collectives(&m->draft, collectives, st) || draft_bytes(&m->draft, bytes, st)
	           ? -1
	           : write_file(m, false, st);
}

/* "alltoall, sendrecv 64K..64M x4": sizes begin with the first word that begins with a digit. */
static int measure_both(struct making *m, char *answer, struct status *st)
{
	char *sizes = answer, first[DRAFT_ANSWER];
	while (*sizes && !(strchr("0123456789", *sizes) && (sizes == answer || sizes[-1] == ' ')))
		sizes++;
	snprintf(first, sizeof first, "%s", *sizes ? sizes : m->said.bytes);
	*sizes = '\0';
	while (sizes > answer && strchr(" \t,", sizes[-1]))
		*--sizes = '\0';
	return measure(m, *answer ? answer : DRAFT_COLLECTIVES, first, st);
}

static void say_claims(const struct draft *draft)
{
	char text[1024] = "variants: ", relations[128] = "", metrics[256] = "";
	for (unsigned i = 0; i < draft->nvariants; i++)
		status_add(text, sizeof text, "%s%s", i ? ", " : "", draft->variants[i].name);
	page_wrap(stdout, "   ", 3, text);
	draft_relations(relations, sizeof relations);
	draft_metrics(metrics, sizeof metrics);
	snprintf(text, sizeof text, "one of %s; a share; a metric: %s", relations, metrics);
	page_wrap(stdout, "   ", 3, text);
}

static int expect(struct making *m, char *answer, struct status *st)
{
	return draft_expect(&m->draft, answer, st) || write_file(m, false, st) ? -1 : 0;
}

/* What options do not say is asked on a terminal; elsewhere it is the default. */
static int answer_all(struct making *m, struct status *st)
{
	const bool asks = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
	const struct draft_variant *v = m->draft.variants;
	struct said *said = &m->said;
	char usual[64];
	if (!said->compare && !asks)
		return status_set(st, "new: --compare says what is compared: modes, versions or "
		                      "KEY=VALUE,VALUE (`launchgap new --help`); on a terminal "
		                      "it is asked");
	if (!said->collective && !asks)
		said->collective = DRAFT_COLLECTIVES;
	if (!said->expect && !asks)
		said->expect = "";
	if (!said->compare) {
		puts("1. What is to be compared?");
		draft_comparisons(say_comparison);
	}
	if (said->compare ? draft_compare(&m->draft, said->compare, said->mode, st)
	                  : ask_until(compare, "modes", m, st))
		return -1;
	if (!said->collective)
		puts("2. Which collectives, at which sizes? (`launchgap list collectives`)");
	snprintf(usual, sizeof usual, DRAFT_COLLECTIVES " %s", said->bytes);
	if (said->collective ? measure(m, said->collective, said->bytes, st)
	                     : ask_until(measure_both, usual, m, st))
		return -1;
	if (said->expect)
		return draft_expect(&m->draft, said->expect, st);
	printf("3. What do you expect? As in: %s slower %s by 5%%\n", v[0].name, v[1].name);
	say_claims(&m->draft);
	return ask_until(expect, "", m, st);
}

static void say_next(const struct making *m)
{
	const struct spec *spec = &m->dry.spec;
	char file[SANITIZE_WORD(PATH_MAX)];
	sanitize_word(m->file, file, sizeof file);
	printf("%s is written: %u variants, %u collective%s, %u size%s. Next:\n", m->file,
	       m->draft.nvariants, spec->ncolls, spec->ncolls == 1 ? "" : "s", spec->nsizes,
	       spec->nsizes == 1 ? "" : "s");
	printf("  %s run --file %s --dry-run\n    what it would measure, and its time\n", m->self,
	       file);
	if (m->draft.test != CLAIM_TESTS)
		printf("  %s run --file %s --quick\n    what you expect alone, in about a minute\n",
		       m->self, file);
	printf("  %s run --file %s\n    all of it, with a report\n", m->self, file);
	if (!strcmp(m->draft.key, "each"))
		puts("NCCL_LIBS=path:path names the libraries (`make nccl-legacy` gets them).");
}

int verb_new(int argc, char *argv[], const struct home *home, struct status *st)
{
	struct making *m = calloc(1, sizeof *m);
	int rc = -1, n;
	(void)home;
	if (!m)
		return status_set(st, "out of memory");
	m->self = argv[0];
	m->said = (struct said){.mode = "", .bytes = DRAFT_BYTES};
	n = verb_take(argc, argv, &m->said, &m->name, 1, st);
	if (!n) {
		status_set(st, "new: NAME is missing, that of the file NAME.exp (`launchgap new "
		               "--help`)");
	} else if (n > 0 && !field_is_name(m->name, TRIAL_NAME_BYTES)) {
		status_set(st,
		           "new: '%s' is no name; allowed are up to %d letters, digits, -, _ "
		           "and .",
		           m->name, TRIAL_NAME_BYTES - 1);
	} else if (n > 0) {
		snprintf(m->file, sizeof m->file, "%s.exp", m->name);
		/* Before anything is asked. */
		rc = !access(m->file, F_OK) ? is_there(m, st)
		     : answer_all(m, st)    ? -1
		                            : write_file(m, true, st);
	}
	if (!rc)
		say_next(m);
	free(m);
	return rc;
}
