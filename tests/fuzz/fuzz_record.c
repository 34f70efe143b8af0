/* A record, read and reported on: all of the analysis and every format, with no file written
 * and no program started. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../harness/report/output.h"
#include "../../harness/report/report.h"
#include "fuzz.h"

/* Replaces the report's own files (report/output.c): their content is checked. */
struct output *output_open(struct arena *arena, const char *file, struct status *st)
{
	struct output *output = ARENA_NEW(arena, struct output);
	(void)st;
	*output = (struct output){.out = fuzz_listen(), .file = arena_copy(arena, file)};
	return output;
}

struct output *output_open_named(struct arena *arena, const char *file, struct status *st)
{
	return output_open(arena, file, st);
}

int output_close(struct output *output, int rc, struct status *st)
{
	const char *end = strrchr(output->file, '.');
	char *text = fuzz_said(output->out);
	(void)rc, (void)st;
	fuzz_promise(text, "report: every file is plain text");
	fuzz_promise(!end || strcmp(end, ".json") || fuzz_is_json(text),
	             "report: report.json is JSON");
	fuzz_promise(!end || strcmp(end, ".html") || !strstr(text, "<script"),
	             "report: no script in report.html");
	free(text);
	return 0;
}

/* Replaces libc's: gnuplot is not started. */
pid_t fork(void)
{
	return -1;
}

static void report(bool nccl_tests)
{
	struct report_options options = {.format = nccl_tests ? REPORT_NCCL_TESTS : REPORT_TABLES,
	                                 .average = NCCL_AVERAGE_MEAN,
	                                 .trace = true,
	                                 .verbose = true};
	struct status st = {""};
	int rc = report_make(fuzz_file(NULL, NULL, 0), "/nowhere", &options, &st);
	fuzz_promise(!rc || st.text[0], "report: a refusal has a sentence");
}

static void run(const uint8_t *data, size_t bytes)
{
	FILE *out = stdout, *err = stderr;
	fuzz_file("trials.jsonl", data, bytes);
	stdout = fuzz_listen();
	stderr = fuzz_listen();
	report(bytes % 4 == 3);
	char *said = fuzz_said(stdout), *told = fuzz_said(stderr);
	stdout = out;
	stderr = err;
	fuzz_promise(said && told, "report: what is printed is plain text");
	free(said);
	free(told);
}

const struct fuzz_target fuzz_record = {run, fuzz_mutate_json};
