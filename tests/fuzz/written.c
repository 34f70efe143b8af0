/* The files that reports and comparisons write (report/output.c): checked, not written. */
#include <stdlib.h>
#include <string.h>

#include "../../harness/report/output.h"
#include "../../harness/sanitize.h"
#include "fuzz.h"

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
	fuzz_promise(text, "every file is plain text");
	fuzz_promise(!end || strcmp(end, ".json") || fuzz_is_json(text), "what is called JSON is");
	fuzz_promise(!end || strcmp(end, ".html") || !strstr(text, "<script"),
	             "no script in a page");
	fuzz_promise(!end || strcmp(end, ".prom") ||
	                 (!strstr(text, "} nan") && !strstr(text, "inf\n")),
	             "no number of Prometheus' is none");
	free(text);
	return 0;
}

void output_append(const char *file, const char *text)
{
	(void)file;
	fuzz_promise(sanitize_is_clean(text), "what is added to a page is plain text");
}
