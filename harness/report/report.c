#include "report.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "../chapters/run.h"
#include "draw.h"
#include "html.h"
#include "json.h"
#include "model.h"
#include "output.h"
#include "sections.h"
#include "trace.h"

int report_option(const char *option, const char *value, struct report_options *options,
                  struct status *st)
{
	bool format = !strcmp(option, "--format");
	if (!strcmp(option, "-v") || !strcmp(option, "--verbose")) {
		options->verbose = true;
		return 1;
	}
	if (!strcmp(option, "--trace")) {
		options->trace = true;
		return 1;
	}
	if (!format && strcmp(option, "--average"))
		return 0;
	if (!value)
		return status_set(st, "%s needs a value", option);
	if (!format) {
		options->average_given = true;
		return nccl_average_find(value, &options->average, st) ? -1 : 2;
	}
	if (strcmp(value, "nccl-tests"))
		return status_set(st, "--format %s: allowed is nccl-tests", value);
	options->format = REPORT_NCCL_TESTS;
	return 2;
}

int report_options_settle(struct report_options *options, struct status *st)
{
	if (options->average_given && options->format != REPORT_NCCL_TESTS)
		return status_set(st, "--average is of --format nccl-tests; summary.csv has all "
		                      "averages side by side");
	if (!options->average_given)
		options->average = NCCL_AVERAGE_MEAN;
	return 0;
}

/* A file of the run's folder. */
static int path_of(const char *dir, const char *name, char path[PATH_MAX], struct status *st)
{
	if (snprintf(path, PATH_MAX, "%s/%s", dir, name) >= PATH_MAX)
		return status_set(st, "the path %.60s… is too long", dir);
	return 0;
}

static int write_table(const struct story_table *told, const char *dir, struct status *st)
{
	struct table table;
	char file[PATH_MAX];
	FILE *out;
	table_less(told, ONLY_PEOPLE, &table);
	if (path_of(dir, told->form->file, file, st) || !(out = output_open(file, st)))
		return -1;
	table_write_csv(&table.told, out);
	return output_close(out, file, st);
}

static int write_text(const char *text, const char *dir, const char *name, struct status *st)
{
	char file[PATH_MAX];
	if (path_of(dir, name, file, st))
		return -1;
	FILE *out = output_open(file, st);
	if (!out)
		return -1;
	fputs(text, out);
	return output_close(out, file, st);
}

/* A chapter's files, and those of its tables that are files. */
static int write_told(const struct story_chapter *c, const char *dir, struct status *st)
{
	for (unsigned i = 0; i < c->nblocks; i++) {
		const struct story_block *b = &c->blocks[i];
		const struct story_table *t = b->kind == STORY_TABLE ? b->table : NULL;
		if (t && t->form->file && write_table(t, dir, st))
			return -1;
		if (b->kind == STORY_FILE && write_text(b->text, dir, b->name, st))
			return -1;
	}
	return 0;
}

static int write_tables(const struct model *m, const char *dir, struct status *st)
{
	for (unsigned i = 0; i < m->story.nchapters; i++)
		if (write_told(&m->story.chapters[i], dir, st))
			return -1;
	return 0;
}

static int write_trace(const struct model *m, const char *dir, struct status *st)
{
	char file[PATH_MAX];
	FILE *out;
	if (path_of(dir, "trace.json", file, st) || !(out = output_open(file, st)))
		return -1;
	int rc = trace_write(&m->summary, TRACED_EVENTS, out, st);
	return output_close(out, file, st) || rc ? -1 : 0;
}

/* report.md, report.html and report.json come from one pass. */
static int write_report(const struct model *m, const char *dir, struct status *st)
{
	char *markdown = NULL, file[PATH_MAX];
	size_t bytes = 0;
	struct page page = {.kind = PAGE_MARKDOWN,
	                    .out = open_memstream(&markdown, &bytes),
	                    .whole = true,
	                    .tables = json_array(),
	                    .sections = json_array()};
	FILE *out;
	int rc = -1;
	if (!page.out)
		return status_set(st, "out of memory for the report");
	sections_write(&page, m);
	fclose(page.out);
	if (write_text(markdown, dir, "report.md", st) || path_of(dir, "report.html", file, st) ||
	    !(out = output_open(file, st)))
		goto free_markdown;
	rc = html_write(markdown, dir, run_text(&m->run, "title"), out, st);
	rc = output_close(out, file, st) ? -1 : rc;
	if (rc)
		goto free_markdown;
	rc = -1;
	if (path_of(dir, "report.json", file, st) || !(out = output_open(file, st)))
		goto free_markdown;
	rc = json_write(m, page.tables, page.sections, out, st);
	rc = output_close(out, file, st) ? -1 : rc;
free_markdown:
	free(markdown);
	return rc;
}

/* At a run's end: the first part, and where the rest is. */
static void print_tables(const struct model *m, const char *dir, bool whole)
{
	struct page page = {.kind = PAGE_TERMINAL, .out = stdout, .whole = whole};
	sections_write(&page, m);
	printf("\nreport  %s/report.html (report.md, report.json beside it)\n", dir);
	fflush(stdout);
}

/* stdout is for a parser of nccl-tests, so that everything else goes to stderr. */
static unsigned print_nccl_tests(const struct model *m, const char *dir, enum nccl_average average)
{
	unsigned tables = nccl_format_print(&m->summary, average, stdout);
	fflush(stdout);
	const struct story_sentence *one;
	for (unsigned i = 0; (one = story_said(&m->story, STORY_NOTICE, i)); i++)
		status_say("note: %s", one->text);
	const char *warning;
	for (unsigned i = 0; (warning = model_warning(m, i)); i++)
		status_say("warning: %s", warning);
	status_say("report %s/report.md", dir);
	return tables;
}

static int make(struct model *m, const char *dir, const char *plot_dir,
                const struct report_options *options, struct status *st)
{
	unsigned tables = 1;
	if (write_tables(m, dir, st) || draw_pictures(m, dir, plot_dir, st) ||
	    write_report(m, dir, st) || (options && options->trace && write_trace(m, dir, st)))
		return -1;
	if (options && options->format == REPORT_NCCL_TESTS)
		tables = print_nccl_tests(m, dir, options->average);
	else if (options)
		print_tables(m, dir, options->verbose);
	if (options && options->trace)
		status_say("trace   %s/trace.json: open it in https://ui.perfetto.dev", dir);
	if (m->summary.trouble[0])
		return status_set(st,
		                  "nothing is compared, the variants did not do the same work: %s",
		                  m->summary.trouble);
	if (!m->summary.measured)
		return status_set(st, "no cell was measured, so that there are no figures; why is "
		                      "in the warnings of the report");
	if (!tables)
		return status_set(st, "--format nccl-tests has nothing to print: it is of "
		                      "stream calls, as nccl-tests times them, and this run "
		                      "measured none (paces = isolated?); report.md has what "
		                      "it measured");
	return 0;
}

int report_make(const char *dir, const char *plot_dir, const struct report_options *options,
                struct status *st)
{
	struct model *m = model_make(dir, st);
	int rc = m ? make(m, dir, plot_dir, options, st) : -1;
	model_free(m);
	return rc;
}
