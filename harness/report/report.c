#include "report.h"

#include <stddef.h>
#include <string.h>

#include "../clock.h"
#include "../chapters/run.h"
#include "draw.h"
#include "json.h"
#include "model.h"
#include "nccl.h"
#include "output.h"
#include "section.h"
#include "sections.h"

static const char *const formats[] = {"tables", "nccl-tests", NULL};

static const char *average_word(unsigned i)
{
	return nccl_averages[i];
}

static int average_read(const struct field *f, const char *text, void *base, struct status *st)
{
	struct report_options *options = base;
	(void)f;
	for (const char *const *word = nccl_averages; *word; word++)
		if (!strcmp(text, *word)) {
			options->average = *word;
			return 0;
		}
	return status_set(st,
	                  "--average %s: allowed are 0 (rank 0), 1 (mean), 2 (min), 3 (max) of "
	                  "the workers' own times, as nccl-tests' -a, span (earliest start "
	                  "to latest end), and launch (of launching alone, as its -C 1)",
	                  text);
}

#define AT(MEMBER) offsetof(struct report_options, MEMBER)

// clang-format off
static const struct field rows[] = {
    {"-v, --verbose", FIELD_FLAG, AT(verbose), .help = "print all of the report, not only what stands first"},
    {"-q, --quiet", FIELD_FLAG, AT(quiet), .help = "print the answer alone, and where the report is; no progress"},
    {"--chapters", FIELD_OWN, AT(chapters), .read = options_borrow, .value = "DIR", .help = "tell the chapters of that folder too (NAME.chapter): questions of your own"},
    {"--sqlite", FIELD_OWN, AT(sqlite), .read = options_borrow, .value = "FILE", .help = "write the run's tables into a new SQLite file, for sqlite3, pandas, DuckDB"},
    {"--format", FIELD_WORD, AT(format), .words = formats, .otherwise = "tables", .help = "print nccl-tests' columns instead of our tables"},
    {"--average", FIELD_OWN, .read = average_read, .word = average_word, .otherwise = "1",
     .help = "with nccl-tests' columns: rank 0, mean, min or max of the workers' times as its -a, earliest start to latest end, or the time of launching as its -C 1"},
    {"--json", FIELD_OWN, AT(json), .read = options_borrow, .value = "FILE", .help = "with nccl-tests' columns: its JSON too, a file for each table"},
};
// clang-format on

const struct fields report_options = FIELDS_OF(rows, struct report_options);

int report_option(char *const argv[], int i, struct report_options *options, struct status *st)
{
	const int taken = options_take(&report_options, argv, i, options, st);
	return taken ? taken : options_take(&export_options, argv, i, options->exports, st);
}

int report_options_settle(struct report_options *options, struct status *st)
{
	if (options->quiet && options->verbose)
		return status_set(st, "--quiet prints the answer alone, -v all of the report; "
		                      "allowed is one of them");
	if (options->average && options->format != REPORT_NCCL_TESTS)
		return status_set(st, "--average is of --format nccl-tests; summary.csv has all "
		                      "averages side by side");
	if (options->json && options->format != REPORT_NCCL_TESTS)
		return status_set(st, "--json is of --format nccl-tests; report.json is always "
		                      "there");
	if (options->json && options->average && !strcmp(options->average, "span"))
		return status_set(st,
		                  "--average span is none of nccl-tests' own, as its JSON would "
		                  "say; allowed with --json are 0, 1, 2, 3 and launch");
	return 0;
}

/* A file of the run's folder, to be written. */
static struct output *begin(const struct model *m, const char *dir, const char *name,
                            struct status *st)
{
	return output_open(m->arena, arena_text(m->arena, "%s/%s", dir, name), st);
}

static int write_text(const struct model *m, const char *text, const char *dir, const char *name,
                      struct status *st)
{
	struct output *file = begin(m, dir, name, st);
	if (!file)
		return -1;
	fputs(text, file->out);
	return output_close(file, 0, st);
}

/* A chapter's files, and those of its tables that are files. */
static int write_told(const struct model *m, const struct story_chapter *c, const char *dir,
                      struct status *st)
{
	for (unsigned i = 0; i < c->nblocks; i++) {
		const struct story_block *b = &c->blocks[i];
		const char *name = section_file(b);
		struct table table;
		struct output *file = name ? begin(m, dir, name, st) : NULL;
		if (name && !file)
			return -1;
		if (file && b->kind == STORY_TABLE) {
			table_less(b->table, ONLY_PEOPLE, &table);
			table_write_csv(&table.told, file->out);
		} else if (file)
			fputs(b->text, file->out);
		if (file && output_close(file, 0, st))
			return -1;
	}
	return 0;
}

static int write_tables(const struct model *m, const char *dir, struct status *st)
{
	for (unsigned i = 0; i < m->story.nchapters; i++)
		if (write_told(m, &m->story.chapters[i], dir, st))
			return -1;
	return 0;
}

static int write_html(const struct model *m, const char *dir, struct status *st)
{
	struct output *file = begin(m, dir, "report.html", st);
	if (!file)
		return -1;
	struct page page = {
	    .kind = PAGE_HTML, .out = file->out, .arena = m->arena, .dir = dir, .whole = true};
	page_begin(&page, run_text(&m->run, "title"));
	sections_write(&page, m);
	page_end(&page);
	return output_close(file, 0, st);
}

static int write_json(const struct model *m, json_t *tables, json_t *sections, const char *dir,
                      struct status *st)
{
	struct output *file = begin(m, dir, "report.json", st);
	if (!file)
		return -1;
	return output_close(file, json_write(m, tables, sections, file->out, st), st);
}

static int write_report(const struct model *m, const char *dir, struct status *st)
{
	struct arena_stream *text = arena_stream(m->arena);
	json_t *tables = json_keep(m->arena, json_array()),
	       *sections = json_keep(m->arena, json_array());
	arena_need(m->arena, tables && sections);
	struct page page = {.kind = PAGE_MARKDOWN,
	                    .dir = dir,
	                    .out = text->out,
	                    .arena = m->arena,
	                    .whole = true,
	                    .tables = tables,
	                    .sections = sections};
	sections_write(&page, m);
	const char *markdown = arena_written(m->arena, text);
	const int rc = write_text(m, markdown, dir, "report.md", st) || write_html(m, dir, st) ||
	               write_json(m, tables, sections, dir, st);
	arena_undo(m->arena, tables);
	arena_undo(m->arena, sections);
	arena_undo(m->arena, text);
	return rc ? -1 : 0;
}

/* At a run's end: the first part, and where the rest is. */
static void print_tables(const struct model *m, const char *dir, bool whole, bool quiet)
{
	struct page page = {
	    .kind = PAGE_TERMINAL, .out = stdout, .arena = m->arena, .whole = whole};
	if (quiet)
		sections_write_answer(&page, m);
	else
		sections_write(&page, m);
	printf("\nreport  %s/report.html (report.md, report.json beside it)\n", dir);
	fflush(stdout);
}

/* stdout is for a parser of nccl-tests, so that everything else goes to stderr. */
static json_t *print_nccl_tests(const struct model *m, const char *dir,
                                const struct report_options *options, struct status *st)
{
	json_t *tables = nccl_tables(m, options->average ? options->average : "1", st);
	nccl_print(tables, stdout);
	printf("# record: %s\n", dir);
	fflush(stdout);
	const struct story_sentence *one;
	if (options->quiet)
		return tables;
	const char *warning;
	for (unsigned i = 0; (warning = model_warning(m, i)); i++)
		status_say("warning: %s", warning);
	for (unsigned i = 0; (one = story_said(&m->story, STORY_NOTICE, i)); i++)
		status_say("note: %s", one->text);
	status_say("report %s/report.md", dir);
	return tables;
}

/* The record says then how long the report took: a report that does, too. */
static struct model *keep(struct model *m, const char *dir, const struct report_options *options,
                          int64_t from_ns, struct status *st)
{
	if (!options || !options->keep)
		return m;
	arena_undo(m->arena, m->db);
	struct model *again = options->keep(dir, from_ns, st)
	                          ? NULL
	                          : model_make(m->arena, dir, options->chapters, st);
	if (again)
		again->drawn = m->drawn;
	return again && !write_tables(again, dir, st) ? again : NULL;
}

/* A job's page shows what its steps append. */
static void append_summary(const struct model *m, const char *dir, const char *file)
{
	const struct arena_stream *text = arena_stream(m->arena);
	struct page page = {.kind = PAGE_MARKDOWN, .out = text->out, .arena = m->arena};
	sections_write_summary(&page, m);
	page_say(&page, "The whole report: %s/report.html", dir);
	output_append(file, arena_written(m->arena, text));
}

static int write_all(struct model *m, const char *dir, const struct report_options *options,
                     struct status *st)
{
	json_t *tables = NULL;
	if (write_report(m, dir, st))
		return -1;
	const bool theirs = options && options->format == REPORT_NCCL_TESTS;
	if (theirs && !(tables = print_nccl_tests(m, dir, options, st)))
		return -1;
	if (options && !theirs)
		print_tables(m, dir, options->verbose, options->quiet);
	if (options && !theirs)
		model_say_defects(&m->story);
	if (theirs && options->json && nccl_write(tables, dir, options->json, stdout, st))
		return -1;
	if (options && options->sqlite && db_save(m->db, options->sqlite, st))
		return -1;
	if (options && export_write(m, options->exports, st))
		return -1;
	if (options && options->summary && *options->summary)
		append_summary(m, dir, options->summary);
	if (m->trouble)
		return status_set(st,
		                  "nothing is compared, the variants did not do the same work: %s",
		                  m->trouble);
	if (!m->measured)
		return status_set(st, "no cell was measured, so that there are no figures; why is "
		                      "in the warnings of the report");
	if (theirs && !json_array_size(tables))
		return status_set(st,
		                  "--format nccl-tests has nothing to print: no cell has a time; "
		                  "report.md has what this run measured");
	return 0;
}

struct making {
	const char *dir, *plot_dir;
	const struct report_options *options;
	struct status *st;
};

static int make(struct arena *arena, void *of)
{
	const struct making *x = of;
	const int64_t from_ns = clock_now_ns();
	struct model *m =
	    model_make(arena, x->dir, x->options ? x->options->chapters : NULL, x->st);
	if (!m || write_tables(m, x->dir, x->st) || draw_pictures(m, x->dir, x->plot_dir, x->st))
		return -1;
	m = keep(m, x->dir, x->options, from_ns, x->st);
	return m ? write_all(m, x->dir, x->options, x->st) : -1;
}

int report_make(const char *dir, const char *plot_dir, const struct report_options *options,
                struct status *st)
{
	struct making x = {dir, plot_dir, options, st};
	return arena_work(make, &x, "the report", st);
}
