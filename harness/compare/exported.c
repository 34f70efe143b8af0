#include "exported.h"

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
};

/* The page in Markdown, and its title. */
static const char *page_of(const struct source *s, bool whole, const char **title)
{
	const struct arena_stream *text = arena_stream(s->arena);
	struct page page = {
	    .kind = PAGE_MARKDOWN, .out = text->out, .arena = s->arena, .whole = whole};
	struct told told;
	if (s->several) {
		combined_page(&page, s->several);
		*title = combined_title(s->several);
	} else {
		told_make(s->two, &told);
		compared_page(&page, &told);
		*title = told_title(&told);
	}
	return arena_written(s->arena, text);
}

static int write_html(const struct source *s, FILE *out, struct status *st)
{
	const char *title, *markdown = page_of(s, true, &title);
	return html_write(markdown, "", title, out, st);
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
	const char *title;
	output_append(file, page_of(&source, false, &title));
}
