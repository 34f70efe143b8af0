/* launchgap new: every answer makes a file that a dry run accepts, and a wrong one a sentence. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../harness/config/keys.h"
#include "../harness/machine.h"
#include "../harness/verbs/draft.h"
#include "../harness/verbs/verbs.h"
#include "../modes/mode.h"
#include "here.h"
#include "test.h"

static unsigned gpus;

static unsigned capacity(const char *backend, struct status *st)
{
	if (!backend_find(backend)->is.gpus)
		return UINT_MAX;
	if (!gpus)
		status_set(st, "no GPU answers");
	return gpus;
}

static struct dry_plan dry; /* large: not for the stack */
static struct draft draft;

/* As a dry run plans it, on a machine without GPUs and with 4 cores. */
static int plans(struct status *why)
{
	const struct plan_machine here = {.cores = 4, .capacity = capacity};
	struct plan_machine machine = here;
	const struct plan_source from = {file, 0, NULL, machine_env};
	FILE *out = fopen(file, "w");
	assert_non_null(out);
	draft_write(&draft, "t", out);
	assert_int_equal(fclose(out), 0);
	if (dry_plan(&from, false, &machine, &dry, why))
		return -1;
	plan_free(&dry.plan);
	return 0;
}

static unsigned accepted, refused;

/* Every answer is taken, and their file too. The one exception: a setting that is of some collectives
 * alone, or not of this one, which says so. */
static void walk(const char *compare, const char *collective, const char *expect)
{
	struct status why = {""};
	draft = (struct draft){.nvariants = 0};
	assert_works(draft_compare(&draft, compare, "", &why), why);
	assert_works(draft_collectives(&draft, collective, &why), why);
	assert_works(draft_bytes(&draft, DRAFT_BYTES, &why), why);
	assert_works(draft_expect(&draft, expect, &why), why);
	if (!plans(&why)) {
		accepted++;
		return;
	}
	const bool of_others = strstr(why.text, "which the experiment does not measure") ||
	                       (strcmp(collective, DRAFT_COLLECTIVES) &&
	                        strstr(why.text, "cannot run here, and all is compared with it"));
	if (!strcmp(compare, "modes") || !of_others)
		fail_msg("%s, %s, '%s': %s", compare, collective, expect, why.text);
	refused++;
}

/* A few values of a setting, as its row allows them; NULL: variants cannot differ in it alone. */
static const char *values_of(const struct field *row, char *out, size_t bytes)
{
	static const char *const texts[][2] = {
	    {"mode", "default"},
	    {"layout", "2x2x1,4x1x1"},
	    {"launcher", "auto,exec"},
	    {"hosts", NULL},
	    {"cpus", "1,1/2,all"},
	    {"split", "MOD:2"},
	    {"nccl", NULL},
	    {"first_bucket", "4M"},
	    {"delay", "1us,2us"},
	    {"extra", "1us"},
	    {"flip", "0:4"},
	    {"backend", "host,null"},
	    {"offset", "0,64"},
	    {"path", "auto,fifo,shared"},
	};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		if (!strcmp(texts[i][0], row->key))
			return texts[i][1];
	if (settings_is_check(row->key) || (!row->initial && !row->otherwise))
		return NULL;
	*out = '\0';
	for (unsigned i = 0; row->words && row->words[i]; i++)
		snprintf(out + strlen(out), bytes - strlen(out), "%s%s", i ? "," : "",
		         row->words[i]);
	if (!*out && row->kind == FIELD_FLAG)
		return "no,yes";
	if (!*out)
		snprintf(out, bytes, "%llu,%llu", (unsigned long long)row->lo,
		         (unsigned long long)row->lo + 1);
	return out;
}

#define MOST 64

/* Answers to question 1: its words, and a few values of every setting. */
static unsigned all_comparisons(char out[MOST][256])
{
	size_t n;
	unsigned count = 0;
	const struct field *rows = settings_fields(&n);
	strcpy(out[count++], "modes");
	strcpy(out[count++], "versions");
	strcpy(out[count++], "env.NCCL_BUFFSIZE=default,8388608");
	for (size_t i = 0; i < n; i++) {
		char room[256];
		const char *values = values_of(&rows[i], room, sizeof room);
		assert_true(count < MOST);
		if (values && strcmp(rows[i].key, "mode"))
			snprintf(out[count++], 256, "%s=%s", rows[i].key, values);
	}
	return count;
}

#define CLAIMS 128

/* Answers to question 3 about the draft's first two variants: nothing, and each relation in each
 * metric that it can be about. */
static unsigned all_claims(char out[CLAIMS][DRAFT_ANSWER])
{
	/* A variant that becomes several is in no claim. */
	const unsigned other = strcmp(draft.key, "each") ? 1 : 2;
	unsigned count = 1;
	char words[128] = "", *rest = words, *word;
	strcpy(out[0], "");
	draft_relations(words, sizeof words);
	while ((word = strsep(&rest, ", ")))
		for (unsigned m = 0; *word && m < METRIC_KINDS; m++) {
			struct status why = {""};
			assert_true(count < CLAIMS);
			snprintf(out[count], DRAFT_ANSWER, "%s %s %s by 10%% in %s",
			         draft.variants[0].name, word, draft.variants[other].name,
			         metric_info((enum metric)m)->name);
			if (!draft_expect(&draft, out[count], &why))
				count++;
			else
				assert_says(why.text, "is no speed");
		}
	return count;
}

/* Each two answers of different questions together. */
TEST(every_answer_is_accepted)
{
	static char compare[MOST][256], claims[CLAIMS][DRAFT_ANSWER];
	const unsigned n = all_comparisons(compare);
	char path[4096];
	snprintf(path, sizeof path, "%s", machine_env("PATH"));
	setenv("PATH", "/nonexistent", 1); /* else each plan asks a child for MPI */
	for (unsigned i = 0; i < n; i++) {
		struct status why = {""};
		draft = (struct draft){.nvariants = 0};
		strcpy(draft.bytes, DRAFT_BYTES);
		assert_works(draft_compare(&draft, compare[i], "", &why), why);
		const unsigned nclaims = all_claims(claims);
		assert_true(nclaims > METRIC_KINDS);
		for (unsigned c = 0; c < COLL_KINDS; c++)
			if (!(coll_info(c)->is & COLL_TRAINS))
				walk(compare[i], coll_name(c), claims[(i + c) % nclaims]);
		for (unsigned c = 0; c < nclaims; c++)
			walk(compare[i], DRAFT_COLLECTIVES, claims[c]);
	}
	for (unsigned c = 0; c < COLL_KINDS; c++)
		for (unsigned k = 0; k < 2 && !(coll_info(c)->is & COLL_TRAINS); k++)
			walk(compare[k], coll_name(c), "");
	setenv("PATH", path, 1);
	assert_true(accepted > 10 * refused);
}

#define LONG "NCCL_OF_A_NAME_THAT_IS_LONGER_THAN_THE_NAME_OF_A_VARIANT_MAY_BE_AND_MORE"

/* Options: a file, what to type next, and the file again as it was. */
TEST(options_write_a_file_once)
{
	char mine[96], *before, *after;
	snprintf(mine, sizeof mine, "%s/mine.exp", folder);
	cli_expect(
	    here_shell("cd $HERE && $LAUNCHGAP new mine --compare modes --collective "
	               "alltoall --bytes 64K..1M --expect 'processes slower threads by 5%%'"),
	    0, "mine.exp is written: 3 variants, 1 collective, 3 sizes",
	    "/launchgap run --file mine.exp --dry-run", "--quick");
	cli_expect(here_shell("cd $HERE && $LAUNCHGAP run --file mine.exp --dry-run --no-jobs"), 0,
	           "What does the launch mode change in alltoall?", "threads-again");
	cli_expect(here_shell("cd $HERE && $LAUNCHGAP run --file mine.exp --dry-run --quick "
	                      "--no-jobs"),
	           0, "threads-again");
	before = cli_read(mine);
	assert_says(before, "is     = less by 5%");
	cli_expect(here_shell("cd $HERE && $LAUNCHGAP new mine --compare bind=core"), 1,
	           "mine.exp is there already, and stays as it is");
	after = cli_read(mine);
	assert_string_equal(before, after);
	free(before);
	free(after);
	cli_expect(
	    here_shell("cd $HERE && $LAUNCHGAP new small --compare bind=core --bytes 1K..64K "
	               "--expect 'core equal default' && cat small.exp"),
	    0, "metric = latency", "is     = within 2%", "reference      = default");
	cli_expect(here_shell("cd $HERE && $LAUNCHGAP new long --compare "
	                      "env." LONG "=1 --mode threads && cat long.exp"),
	           0, "\nenv." LONG " = 1\n");
}

/* Nothing is asked where there is no terminal, and nothing written that a dry run refuses. */
TEST(wrong_answers_get_a_suggestion)
{
	static const struct {
		const char *options, *says;
	} wrong[] = {
	    {"", "--compare says what is compared: modes, versions or KEY=VALUE,VALUE"},
	    {"--comprae modes", "did you mean '--compare'?"},
	    {"--compare", "--compare needs a value"},
	    {"--compare moeds", "did you mean 'modes'?"},
	    {"--compare registr", "did you mean 'register'?"},
	    {"--compare register", "allowed is none, local, window, recv-window"},
	    {"--compare register=lokal", "did you mean 'local'?"},
	    {"--compare bnid=core", "did you mean 'bind'?"},
	    {"--compare NCCL_ALGO=Ring", "did you mean 'env.NCCL_ALGO'?"},
	    {"--compare mode=threds,single", "did you mean 'threads'?"},
	    {"--compare mode=threads", "one value is compared with nothing"},
	    {"--compare bind=core,core", "'core' is there twice"},
	    {"--compare expect=P2P", "expect is a check"},
	    {"--compare bind=core --mode treads", "did you mean 'threads'?"},
	    {"--compare modes --mode threads", "allowed is one of them"},
	    {"--compare 'env.NCCL_NET=a ;b,c'", "begins a comment"},
	    {"--compare 'env.NCCL_NET=;a,b'", "begins a comment"},
	    {"--compare env.NCCL_NET=$(printf %0500d,%0500d,%0500d 1 2 3)", "allowed is 1 to 1023"},
	    {"--compare modes --collective altoall", "did you mean 'alltoall'?"},
	    {"--compare modes --collective ddp_step", "is of a model"},
	    {"--compare modes --bytes 64Q", "'64Q' is not a size"},
	    {"--compare stride=2", "which the experiment does not measure"},
	    {"--compare modes --expect 'thraeds slower single'", "did you mean 'threads'?"},
	    {"--compare modes --expect 'threads slwoer single'", "did you mean 'slower'?"},
	    {"--compare modes --expect 'threads slower single in latancy'",
	     "did you mean 'latency'?"},
	    {"--compare modes --expect 'threads slower'", "allowed are two variants"},
	    {"--compare modes --expect 'threads slower single by 200%'", "allowed is less by X%"},
	    {"--compare modes --expect 'threads slower single in memory'", "is no speed"},
	    {"--compare versions --expect 'threads slower threads-nccl'",
	     "becomes a variant for each library"},
	};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		cli_expect(
		    here_shell("cd $HERE && $LAUNCHGAP new mine %s </dev/null", wrong[i].options),
		    1, wrong[i].says);
	cli_expect(here_shell("cd $HERE && $LAUNCHGAP new ../mine --compare modes"), 1,
	           "is no name");
	cli_expect(here_shell("cd $HERE && $LAUNCHGAP new --compare modes"), 1, "NAME is missing");
	cli_expect(here_shell("ls $HERE/*.exp"), CLI_FAILS, "No such file");
}

/* On a terminal: a wrong answer is asked again, an empty one is the default. */
TEST(a_terminal_is_asked)
{
	struct cli cli =
	    here_shell("cd $HERE && { echo moeds; echo modes; echo 'alltoal 4K'; echo "
	               "'alltoall, sendrecv 64K..1M'; echo 'threads quicker single'; "
	               "echo 'threads faster single'; } | script -qec \"$LAUNCHGAP new "
	               "mine\" /dev/null");
	assert_says(cli.out, "1. What is to be compared?");
	assert_says(cli.out, "did you mean 'modes'?");
	assert_says(cli.out, "did you mean 'alltoall'?");
	assert_says(cli.out, "'quicker' is not understood");
	cli_expect(cli, 0, "2. Which collectives", "3. What do you expect?",
	           "mine.exp is written: 3 variants, 2 collectives, 3 sizes");
	cli_expect(here_shell("cd $HERE && $LAUNCHGAP run --file mine.exp --dry-run --no-jobs"), 0,
	           "alltoall, sendrecv; 3 sizes");
	cli_expect(here_shell("cd $HERE && echo modes | script -qec \"$LAUNCHGAP new other\" "
	                      "/dev/null; test ! -e other.exp"),
	           0, "no answer, so that nothing is written");
	struct cli there =
	    here_shell("cd $HERE && script -qec \"$LAUNCHGAP new mine\" /dev/null </dev/null");
	assert_lacks(there.out, "What is to be compared?");
	cli_expect(there, 1, "mine.exp is there already");
}

TESTS(.undrawn = true, .before = set_up, .after = tear_down);
