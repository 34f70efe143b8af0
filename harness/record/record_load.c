/* Reading the record again. What lies there may have been edited, cut, or made by another
 * version, so that everything is checked here once and the rest of the house relies on it. */
#include "record.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "field.h"
#include "lines.h"
#include "record_parts.h"

static bool has_variant(const json_t *environment, const char *name)
{
	const json_t *variants = json_object_get(environment, "variants");
	for (size_t i = 0; i < json_array_size(variants); i++)
		if (!strcmp(name, json_string_value(
		                      json_object_get(json_array_get(variants, i), "name"))))
			return true;
	return false;
}

static int take_origin(const struct field_place *at, const json_t *line,
                       const json_t *environment, char variant[TRIAL_NAME_BYTES],
                       unsigned *block, unsigned *order)
{
	if (field_name(at, line, "variant", variant, TRIAL_NAME_BYTES) ||
	    field_count(at, line, "block", 0, block) ||
	    field_count(at, line, "order", 0, order))
		return -1;
	if (!has_variant(environment, variant))
		return field_bad(at, "variant \"%s\" is not one of the environment's", variant);
	return 0;
}

/* Text of an error, cut to fit, "" for null. */
static int take_error(const struct field_place *at, const json_t *line, char *out, size_t bytes)
{
	const json_t *error = json_object_get(line, "error");
	if (!error || !(json_is_null(error) || json_is_string(error)))
		return field_bad(at, "\"error\" is missing; it is text or null");
	snprintf(out, bytes, "%s", json_is_string(error) ? json_string_value(error) : "");
	return 0;
}

/* Room for one more, doubling. NULL: out of memory, and the list stays as it is. */
static void *list_grow(void **list, unsigned count, size_t each)
{
	if (count == 0 || (count & (count - 1)) == 0) {
		void *more = realloc(*list, (count ? 2 * (size_t)count : 1) * each);
		if (!more)
			return NULL;
		*list = more;
	}
	return memset((char *)*list + count * each, 0, each);
}

static int add_cell(const struct field_place *at, json_t *line, struct record_run *run)
{
	void *list = run->cells;
	struct record_cell *cell = list_grow(&list, run->ncells, sizeof *cell);
	run->cells = list;
	if (!cell)
		return field_bad(at, "out of memory for the record");
	run->ncells++;
	cell->json = json_incref(line);
	if (take_origin(at, line, run->environment, cell->variant, &cell->block,
	                &cell->order) ||
	    !(cell->traits = record_traits(run, cell->variant)) ||
	    record_take_cell(at, line, cell) ||
	    take_error(at, line, cell->error, sizeof cell->error))
		return -1;
	return cell->error[0] ? 0
	       : record_take_evidence(at, line, cell) || record_take_counters(at, line, cell) ||
	               record_take_samples(at, line, cell)
	           ? -1
	           : 0;
}

static int add_failure(const struct field_place *at, const json_t *line, struct record_run *run)
{
	void *list = run->failures;
	struct record_failure *failure = list_grow(&list, run->nfailures, sizeof *failure);
	run->failures = list;
	if (!failure)
		return field_bad(at, "out of memory for the record");
	run->nfailures++;
	if (take_origin(at, line, run->environment, failure->variant, &failure->block,
	                &failure->order))
		return -1;
	return take_error(at, line, failure->error, sizeof failure->error);
}

static int add_path(const struct field_place *at, json_t *line, struct record_run *run)
{
	const json_t *as_expected = json_object_get(line, "as_expected");
	void *list = run->paths;
	struct record_path *path = list_grow(&list, run->npaths, sizeof *path);
	run->paths = list;
	if (!path)
		return field_bad(at, "out of memory for the record");
	run->npaths++;
	path->json = json_incref(line);
	path->path = json_object_get(line, "path");
	if (!json_is_object(path->path) || !json_is_boolean(as_expected))
		return field_bad(at, "\"path\" or \"as_expected\" is missing or not what it "
		                     "has to be");
	path->as_expected = json_is_true(as_expected);
	return take_origin(at, line, run->environment, path->variant, &path->block,
	                   &path->order) ||
	               field_text(at, line, "expect", &path->expect)
	           ? -1
	           : 0;
}

static int add_resume(const struct field_place *at, json_t *line, struct record_run *run)
{
	void *list = run->resumes;
	struct record_resume *resume = list_grow(&list, run->nresumes, sizeof *resume);
	run->resumes = list;
	if (!resume)
		return field_bad(at, "out of memory for the record");
	run->nresumes++;
	resume->first_block = record_next_block(run);
	return line ? record_take_resume(at, line, resume) : 0;
}

static int take_end(const struct field_place *at, const json_t *line, struct record_run *run)
{
	const char *text;
	if (field_name(at, line, "reason", run->end.reason, sizeof run->end.reason) ||
	    field_text(at, line, "text", &text))
		return -1;
	snprintf(run->end.text, sizeof run->end.text, "%s", text);
	return 0;
}

static int add_line(const struct field_place *at, json_t *line, struct record_run *run)
{
	json_int_t schema;
	const char *kind;
	if (!json_is_object(line))
		return field_bad(at, "a line has to be one JSON object");
	if (field_number(at, line, "schema", 0, INT_MAX, &schema) ||
	    field_text(at, line, "kind", &kind))
		return -1;
	if (schema != RECORD_SCHEMA)
		return field_bad(
		    at, "schema %lld is not known here, this launchgap reads schema %d",
		    (long long)schema, RECORD_SCHEMA);
	if (!strcmp(kind, "environment") != !run->environment)
		return field_bad(
		    at, "kind \"%.40s\": the first line, and no other, is the environment",
		    kind);
	if (!run->environment) {
		char where[PATH_MAX + 16];
		snprintf(where, sizeof where, "%s:%u", at->file, at->line);
		if (record_check_environment(line, where, at->st))
			return -1;
		run->environment = json_incref(line);
		return record_take_backends(at, run);
	}
	if (!strcmp(kind, "end"))
		return take_end(at, line, run);
	bool resumes = !strcmp(kind, "resume");
	/* Older launchgaps went on behind the end without a word. */
	if (run->end.reason[0] && !resumes && add_resume(at, NULL, run))
		return -1;
	run->end = (struct record_end){.reason = ""};
	if (resumes)
		return add_resume(at, line, run);
	if (!strcmp(kind, "cell"))
		return add_cell(at, line, run);
	if (!strcmp(kind, "failure"))
		return add_failure(at, line, run);
	if (!strcmp(kind, "path"))
		return add_path(at, line, run);
	return field_bad(
	    at,
	    "kind \"%.40s\" is not known; allowed are environment, cell, path, failure, "
	    "resume, end",
	    kind);
}

static int load_lines(struct lines *lines, struct field_place *at, struct record_run *run,
                      bool *torn)
{
	const char *text;
	size_t bytes;
	bool last = false, cut = false;
	while (!last && !*torn) {
		json_error_t why;
		at->line++;
		if (lines_next(lines, at, &text, &bytes, &last, &cut))
			return -1;
		if (last && bytes == 0)
			break;
		json_t *line = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, &why);
		if (!line && last) {
			*torn = true; /* cut off while it was written */
			break;
		}
		if (!line)
			return field_bad(at, "not JSON: %.200s (column %d)", why.text,
			                 why.column);
		int failed = add_line(at, line, run);
		json_decref(line);
		if (failed)
			return -1;
	}
	*torn = *torn || cut;
	if (!run->environment)
		return status_set(
		    at->st, "%s: holds no whole line, so that nothing is known of the run",
		    at->file);
	return 0;
}

static bool is_folder(const char *path)
{
	struct stat about;
	return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

static int find_file(const char *dir, char file[PATH_MAX], struct status *st)
{
	static const char *const names[] = {"/trials.jsonl", "/trials.jsonl.gz", ""};
	struct stat about;
	bool folder = is_folder(dir);
	if (strlen(dir) + sizeof "/trials.jsonl.gz" > PATH_MAX)
		return status_set(st, "the path %.60s… is too long", dir);
	for (unsigned i = folder ? 0 : 2; i < (folder ? 2 : 3); i++) {
		snprintf(file, PATH_MAX, "%s%s", dir, names[i]);
		if (stat(file, &about) == 0)
			return 0;
	}
	if (!folder)
		return status_set(st, "%s: %s", dir, strerror(errno));
	return status_set(st, "%s holds neither trials.jsonl nor trials.jsonl.gz", dir);
}

int record_load(const char *dir, struct record_run *out, bool *torn, struct status *st)
{
	struct record_run run = {0};
	struct lines *lines = NULL;
	char file[PATH_MAX];
	bool cut = false;
	if (find_file(dir, file, st))
		return -1;
	struct field_place at = {.file = file, .st = st};
	if (lines_open(&at, &lines))
		return -1;
	int rc = load_lines(lines, &at, &run, &cut);
	lines_close(lines);
	if (rc) {
		record_free(&run);
		return -1;
	}
	*out = run;
	*torn = cut;
	return 0;
}

void record_free(struct record_run *run)
{
	for (unsigned i = 0; i < run->ncells; i++) {
		free(run->cells[i].samples);
		free(run->cells[i].counters);
		free(run->cells[i].issue_cpu_ns);
		free(run->cells[i].check_ns);
		json_decref(run->cells[i].json);
	}
	free(run->cells);
	for (unsigned i = 0; i < run->npaths; i++)
		json_decref(run->paths[i].json);
	free(run->paths);
	for (unsigned i = 0; i < run->nresumes; i++)
		json_decref(run->resumes[i].json);
	free(run->resumes);
	free(run->failures);
	free(run->backends);
	json_decref(run->environment);
	*run = (struct record_run){0};
}
