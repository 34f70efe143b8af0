/* A record, read and reported on: all of the analysis and every format, with no file written
 * and no program started. */
#include <stdlib.h>
#include <unistd.h>

#include "../../harness/report/report.h"
#include "fuzz.h"

/* Replaces libc's: gnuplot is not started. */
pid_t fork(void)
{
	return -1;
}

static void report(bool nccl_tests)
{
	struct report_options options = {.format = nccl_tests ? REPORT_NCCL_TESTS : REPORT_TABLES,
	                                 .exports = {"a.prom", "more.json", "less.json"},
	                                 .summary = "page.md",
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
