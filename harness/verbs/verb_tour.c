/* tour: each collective once, on a few numbers, and where the source does it. */

#include "../data/format.h"
#include "../core/buffers.h"
#include "../report/page.h"
#include "../config/plan.h"
#include "../machine.h"
#include "../memory.h"
#include "../terminal.h"
#include "../run/folder.h"
#include "../run/job.h"
#include "verbs.h"

#define MOST_KEYS 62

struct tour {
	const struct home *home;
	char file[PATH_MAX + 48];
	const char *mode;
	struct spec spec;
	struct plan plan;
	struct plan_machine machine;
	unsigned variant;
};

/* --- what is sent and received --- */

/* "[10 11 | 12 13]": a bar where a rank's part ends, where the buffer is cut into parts. The job
 * has checked every byte that was received, so the numbers are those of the one right answer. */
static void numbers_text(const struct trial *trial, const struct cell *cell, unsigned rank,
                         bool received, char *text, size_t bytes)
{
	const struct settings *set = &trial->settings;
	const struct split_place place = split_place(set->split, layout_ranks(set->layout), rank);
	const struct value_parts parts = coll_parts(cell, &trial->weights, place.size);
	const struct coll_span span = coll_span(cell, &parts, place.size, place.index);
	const struct value_question q = buffers_question(trial, cell, &parts, place.size,
	                                                 place.index, place.color, trial->seed);
	size_t part = coll_info(cell->coll)->is & COLL_PARTED ? q.count / q.nranks : 0;
	size_t at = 0, n = (received ? span.recv_bytes : span.send_bytes) / sizeof(double);
	snprintf(text, bytes, n ? "" : "-");
	for (size_t i = 0; i < n && at < bytes; i++) {
		const uint64_t bits =
		    received ? value_expected(&q, 0, i) : value_input(&q, q.rank, i);
		double value;
		memcpy(&value, &bits, sizeof value);
		at += (size_t)snprintf(text + at, bytes - at, "%s%g%s",
		                       !i                      ? "["
		                       : part && i % part == 0 ? " | "
		                                               : " ",
		                       value, i + 1 == n ? "]" : "");
	}
}

static void say_ranks(const struct trial *trial, const struct cell *cell)
{
	const struct coll_info *info = coll_info(cell->coll);
	const unsigned n = layout_ranks(trial->settings.layout);
	const char *word = info->is & COLL_REDUCES ? coll_op_name(cell->op) : info->name;
	char from[256], to[256];
	size_t wide = 0, widest = 0;
	for (unsigned r = 0; r < n; r++) {
		numbers_text(trial, cell, r, false, from, sizeof from);
		numbers_text(trial, cell, r, true, to, sizeof to);
		wide = strlen(from) > wide ? strlen(from) : wide;
		widest = strlen(to) > widest ? strlen(to) : widest;
	}
	const bool beside = (n > 10 ? 29 : 27) + strlen(word) + wide + widest <= terminal_columns();
	for (unsigned r = 0; r < n; r++) {
		char lead[32];
		numbers_text(trial, cell, r, false, from, sizeof from);
		numbers_text(trial, cell, r, true, to, sizeof to);
		bool middle = r == (n - 1) / 2;
		snprintf(lead, sizeof lead, "  rank %u sends    ", r);
		if (beside)
			printf("  rank %u: %-*s %s %*s %s rank %u: %s\n", r, (int)wide, from,
			       !r           ? "─┐"
			       : r + 1 == n ? "─┘"
			                    : "─┤",
			       (int)strlen(word), middle ? word : "", middle ? "──>" : "   ", r,
			       to);
		if (beside)
			continue;
		page_wrap(stdout, lead, 18, from);
		page_wrap(stdout, "         receives ", 18, to);
	}
}

static int say_step(const struct trial *trial, unsigned c, const json_t *line, struct status *st)
{
	const struct cell *cell = &trial->cells[c];
	const struct coll_info *info = coll_info(cell->coll);
	const char *error = json_string_value(json_object_get(line, "error"));
	if (error)
		return status_set(st, "%s: %s", info->name, error);
	if (json_integer_value(json_object_get(line, "wrong")))
		return status_set(st, "%s: what was received is wrong", info->name);
	printf("\n");
	page_line(0, "%u. %s: %s", c + 2, info->name, info->summary);
	printf("\n");
	say_ranks(trial, cell);
	return 0;
}

static int say_all(const struct trial *trial, const char *file, struct status *st)
{
	FILE *f = fopen(file, "re");
	char *text = NULL;
	size_t room = 0;
	unsigned c = 0;
	int result = 0;
	if (!f)
		return status_set(st, "the tour's job left nothing to show");
	for (; !result && c < trial->ncells && getline(&text, &room, f) > 0; c++) {
		json_t *line = json_loads(text, 0, NULL);
		result = say_step(trial, c, line, st);
		json_decref(line);
	}
	free(text);
	fclose(f);
	if (!result && c < trial->ncells)
		result =
		    status_set(st, "the tour's job left %u of %u collectives", c, trial->ncells);
	return result;
}

static void say_start(const struct tour *t)
{
	const struct settings *set = &t->plan.variants[t->variant].settings;
	const struct backend *backend = backend_find(set->backend);
	const struct layout l = set->layout;
	printf("1. Who takes part\n\n");
	page_line(2, "%u rank%s on %s: %s", t->plan.nranks, format_plural(t->plan.nranks),
	          set->backend, backend->summary);
	page_line(2, "mode %s: %s", set->mode, mode_find(set->mode)->summary);
	page_line(2, "%u process%s with %u thread%s%s, %u rank%s a thread", l.processes,
	          l.processes == 1 ? "" : "es", l.threads, format_plural(l.threads),
	          l.processes == 1 ? "" : " each", l.ranks_per_thread,
	          format_plural(l.ranks_per_thread));
	printf("\n");
	page_line(2, "modes/mode.c: %s_spread, which worker drives which ranks", set->mode);
	page_line(2, "harness/core/loop.c: loop_issue, their calls in the timed loop");
	page_line(2,
	          "harness/coll/value.h: value_input, value_expected, what is sent, what is right");
}

/* --- the job --- */

#define SHOWN_ELEMENTS 4 /* of a buffer that is not cut into parts */

/* One call of each collective on a few readable numbers, in place of its largest size. */
static struct trial *trial_make(const struct tour *t)
{
	struct trial *trial = plan_path_trial(&t->plan, t->variant, 0);
	unsigned n = 0;
	for (unsigned i = 0; i < trial->ncells; i++) {
		struct cell *c = &trial->cells[n];
		*c = trial->cells[i];
		/* The job has some at several sizes, one after the other. */
		if (n && c[-1].coll == c->coll)
			continue;
		n++;
		size_t least = coll_least(c->coll, c->dtype, trial_comm_ranks(trial));
		size_t few = SHOWN_ELEMENTS * coll_dtype_bytes(c->dtype);
		c->bytes = c->asked_bytes = least > few ? least : few;
	}
	trial->ncells = n;
	trial->seed = VALUE_READABLE;
	trial->warmup = 0;
	return trial;
}

static int run_job(const struct tour *t, struct status *st)
{
	struct folder folder = {.record = -1};
	struct job job = {0};
	struct trial *trial = trial_make(t);
	char why[512];
	int result = -1;
	job_hold_signals();
	if (folder_open_scratch(&folder, plan_scratch_bytes(&t->plan), st) ||
	    job_run(trial, t->home->self, folder.scratch, t->spec.timeout_s, &job, st))
		goto out;
	if (job.result.end != JOB_EXITED || job.result.code) {
		job_error(&job.result, t->spec.timeout_s, job.log, why, sizeof why);
		status_set(st, "%s", why);
		goto out;
	}
	say_start(t);
	result = say_all(trial, job.lines, st);
out:
	folder_close(&folder);
	job_release_signals();
	trial_free(trial);
	return result;
}

static int pick(struct tour *t, struct status *st)
{
	for (unsigned v = 0; v < t->plan.nvariants; v++) {
		const struct plan_variant *variant = &t->plan.variants[v];
		if (strcmp(variant->settings.mode, t->mode) != 0 ||
		    !strcmp(variant->role, "again") || !strcmp(variant->role, "limit"))
			continue;
		t->variant = v;
		if (variant->skip[0])
			return status_set(st, "mode %s: %s", t->mode, variant->skip);
		if (!traits_find(variant->settings.backend)->carries_data)
			return status_set(st,
			                  "backend %s carries no data: there is nothing to show",
			                  variant->settings.backend);
		return 0;
	}
	return status_set(st, "tour.exp has no variant of mode %s", t->mode);
}

static int plan_tour(struct tour *t, unsigned n, char *const overrides[], struct status *st)
{
	const struct spec_source from = {t->file, n, overrides, machine_env, NULL, false};
	if (plan_load(&from, &t->machine, &t->spec, st))
		return -1;
	if (t->spec.ndtypes != 1 || t->spec.dtypes[0] != DTYPE_FLOAT64)
		return status_set(st, "a tour shows float64 alone");
	if (t->spec.backend_why[0])
		page_line(0, "%s\n", t->spec.backend_why);
	return plan_make(&t->spec, &t->machine, 1, &t->plan, st);
}

static const struct field rows[] = {
    {"mode", FIELD_OWN, offsetof(struct tour, mode), .read = options_borrow, .value = "NAME",
     .otherwise = "threads", .help = "how workers are placed"},
};

const struct fields tour_options = FIELDS_OF(rows, struct tour);

int verb_tour(int argc, char *argv[], const struct home *home, struct status *st)
{
	struct tour *t = memory_take(1, sizeof *t);
	char *overrides[MOST_KEYS + 1], reference[80];
	int result = -1;
	*t = (struct tour){.home = home,
	                   .mode = "threads",
	                   .machine = {.cores = machine_cores(), .capacity = backend_capacity}};
	snprintf(t->file, sizeof t->file, "%s/tour.exp", home->experiments);
	int n = verb_take(argc, argv, t, overrides, MOST_KEYS, st);
	/* Some backends have no other mode, and a reference has to run. */
	snprintf(reference, sizeof reference, "reference=%.60s", t->mode);
	if (n >= 0)
		overrides[n++] = reference;
	if (n >= 0 && !plan_tour(t, (unsigned)n, overrides, st)) {
		result = pick(t, st) || run_job(t, st) ? -1 : 0;
		plan_free(&t->plan);
	}
	free(t);
	return result;
}
