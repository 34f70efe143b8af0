#include "exported.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../report/html.h"
#include "../report/output.h"
#include "../report/page.h"
#include "combine.h"
#include "told.h"

/* What is written: two results, or several runs. */
struct source {
	struct arena *arena;
	const struct comparison *two;
	const struct combined *several;
	char *markdown;
	size_t bytes;
	FILE *out;
};

static const char *write_page(const struct source *s, struct page *p)
{
	struct told told;
	if (s->several) {
		combined_page(p, s->several);
		return combined_title(s->several);
	}
	told_make(s->two, &told);
	compared_page(p, &told);
	return told_title(&told);
}

static void forget(void *of)
{
	struct source *s = of;
	if (s->out)
		fclose(s->out);
	free(s->markdown);
}

static int write_html(const struct source *of, FILE *out, struct status *st)
{
	struct source *s = ARENA_NEW(of->arena, struct source);
	*s = *of;
	arena_defer(s->arena, forget, s);
	s->out = open_memstream(&s->markdown, &s->bytes);
	arena_need(s->arena, s->out);
	struct page page = {.kind = PAGE_MARKDOWN, .out = s->out, .arena = s->arena, .whole = true};
	const char *title = write_page(s, &page);
	fflush(s->out);
	const int rc = html_write(s->markdown, "", title, out, st);
	arena_undo(s->arena, s);
	return rc;
}

static int write_junit(const struct source *s, FILE *out, struct status *st)
{
	(void)st;
	junit_write(s->two, out);
	return 0;
}

#define FILE_OF(I) (I) * sizeof(const char *), .read = options_borrow, .value = "FILE"

// clang-format off
static const struct field rows[EXPORTED_FORMATS] = {
    {"--junit", FIELD_OWN, FILE_OF(0), .help = "of two: a test case for each verdict and size, as JUnit's XML; slower is a failure"},
    {"--html", FIELD_OWN, FILE_OF(1), .help = "the page, what differs first: one file, to send and print"},
};
// clang-format on

const struct options exported_options = OPTIONS(rows);

/* Of each row. */
static const struct {
	bool combines;
	int (*write)(const struct source *source, FILE *out, struct status *st);
} writers[EXPORTED_FORMATS] = {{false, write_junit}, {true, write_html}};

bool exported_combines(unsigned format)
{
	return writers[format].combines;
}

static struct source source_of(const struct comparison *two, const struct combined *several)
{
	return (struct source){
	    .arena = two ? two->arena : several->arena, .two = two, .several = several};
}

int exported_write(const struct comparison *two, const struct combined *several,
                   const char *const files[EXPORTED_FORMATS], struct status *st)
{
	const struct source source = source_of(two, several);
	for (unsigned i = 0; i < EXPORTED_FORMATS; i++) {
		if (!files[i])
			continue;
		struct output *file = output_open_named(source.arena, files[i], st);
		if (!file || output_close(file, writers[i].write(&source, file->out, st), st))
			return -1;
	}
	return 0;
}

void exported_summary(const struct comparison *two, const struct combined *several,
                      const char *file)
{
	const struct source source = source_of(two, several);
	FILE *out = fopen(file, "ae");
	struct page page = {.kind = PAGE_MARKDOWN, .out = out, .arena = source.arena};
	if (out)
		write_page(&source, &page);
	if (!out || fclose(out))
		status_say("cannot append to %s: %s", file, strerror(errno));
}
