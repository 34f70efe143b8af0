/* What is said when memory ends. Arenas grow by calloc alone, by one piece of 64 KiB or more; such
 * steps of a piece of work are refused in turn, each of the first ones and every few of many. A
 * record's lists end the program (memory.h). */

#include "../harness/run/tuned.h"
#include "../harness/arena.h"
#include "../harness/compare/compare.h"
#include "../harness/run/tune.h"
#include "made.h"

static unsigned left = UINT_MAX; /* steps that are not refused */
static bool refused;

void *__real_calloc(size_t n, size_t bytes);
void *__wrap_calloc(size_t n, size_t bytes);
void *__wrap_calloc(size_t n, size_t bytes)
{
	if (n > 1 || bytes < (size_t)64 << 10)
		return __real_calloc(n, bytes);
	refused = refused || !left;
	if (!left)
		return NULL;
	left -= left != UINT_MAX;
	return __real_calloc(n, bytes);
}

#define SEARCHED "results/reference/2x-h200/tuning_processes"

static void choose(struct arena *arena, void *of)
{
	const struct record_run *run = of;
	static struct tune_next next;
	const struct candidates_seen seen = tuned_seen(run, arena);
	tune_next(run, &seen, 1, 1, false, arena, &next);
}

static int tune(struct status *st)
{
	struct record_run run;
	const unsigned steps = left;
	left = UINT_MAX; /* so does a search */
	assert_worked(record_load(SEARCHED, &run, st), *st);
	left = steps;
	run.search->confirmed = NULL; /* finalists are to be chosen */
	const int rc = arena_run(choose, &run, NULL) ? status_set(st, "out of memory") : 0;
	record_free(&run);
	return rc;
}

/* What is there of it is whole, also if memory ends after it. */
static int report(struct status *st)
{
	unlink(made_path("report.json"));
	const int rc = report_make(made_folder, "no pictures", NULL, st);
	assert_false(made_has("report.json.part"));
	if (made_has("report.json"))
		json_decref(json_report(made_path("report.json")));
	else
		assert_int_equal(rc, -1);
	return rc;
}

static int compare(struct status *st)
{
	FILE *out = tmpfile();
	const struct compare_request request = {.paths = {made_folder, made_folder},
	                                        .npaths = 2,
	                                        .margin = 0.02,
	                                        .form = COMPARE_JSON,
	                                        .out = out};
	const int code = compare_run(&request, st);
	fclose(out);
	return code == COMPARE_NOT_DONE ? -1 : 0;
}

/* -1 with a sentence, no leak (the address sanitizer's), and the
 * record stays as it is. */
TEST(without_memory_there_is_a_sentence)
{
	static int (*const works[])(struct status *) = {tune, report, compare};
	static struct made made = {.blocks = 10, .sizes = 1};
	made_write(&made);
	char *record = strdup(made_read("trials.jsonl"));
	for (unsigned w = 0; w < LENGTH(works); w++)
		for (unsigned n = 0;; n += 1 + n / 8) {
			refused = false;
			left = n;
			const int rc = works[w](WHY);
			left = UINT_MAX;
			if (!refused) {
				if (rc || n < 3)
					fail_msg("%u: %s", n, because());
				break;
			}
			assert_refused(rc, "out of memory");
		}
	assert_string_equal(made_read("trials.jsonl"), record);
	free(record);
}

TESTS(.begin = made_begin, .end = made_end);
