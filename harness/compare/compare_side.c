/* One side of a comparison: which files it is, and what they hold. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../coll/counts.h"
#include "../analysis/summary.h"
#include "compare_parts.h"
#include "nccl_tests.h"

#define MOST_FILES 1000

/* x.json, and x.json.0, as nccl-tests calls it where x.json is there already. */
static bool is_json_name(const char *name)
{
	const char *end = NULL;
	for (const char *p = strstr(name, ".json"); p; p = strstr(p + 1, ".json"))
		end = p + strlen(".json");
	return end && (!*end || (*end == '.' && end[1] &&
	                         strspn(end + 1, "0123456789") == strlen(end + 1)));
}

static const char *text_of(const json_t *from, const char *key)
{
	const char *text = json_string_value(json_object_get(from, key));
	return text ? text : "";
}

static void add_machine(struct compare_side *side, const json_t *environment)
{
	const json_t *machine = json_object_get(environment, "machine");
	const json_t *gpus = json_object_get(machine, "gpus");
	char text[COMPARE_FACT_BYTES];
	if (!json_array_size(gpus) || strcmp(text_of(environment, "backend"), "nccl")) {
		snprintf(text, sizeof text, "%.30s: %.50s", text_of(machine, "host"),
		         text_of(machine, "cpu"));
		compare_fact_add(side, FACT_MACHINE, text);
		return;
	}
	for (size_t i = 0; i < json_array_size(gpus); i++) {
		snprintf(text, sizeof text, "%.40s: %.40s", text_of(machine, "host"),
		         text_of(json_array_get(gpus, i), "name"));
		compare_fact_add(side, FACT_MACHINE, text);
	}
}

/* Records without "parts" cut them elsewhere, so that equal counts were other work. */
static void add_counts(struct compare_side *side, const json_t *env)
{
	unsigned nranks = (unsigned)json_integer_value(json_object_get(env, "ranks"));
	struct value_weights weights;
	struct status why = {""};
	char text[COUNTS_TEXT_BYTES];
	if (counts_from_json(json_object_get(env, "counts"), &weights, &why))
		return;
	counts_text(&weights, nranks, text);
	if (!json_object_get(env, "parts"))
		snprintf(text + strlen(text), sizeof text - strlen(text), ", by distance");
	compare_fact_add(side, FACT_COUNTS, text);
}

static void add_facts(struct compare_side *side, const struct summary *s)
{
	const json_t *env = s->run->environment;
	char text[COMPARE_FACT_BYTES];
	compare_fact_add(side, FACT_EXPERIMENT, text_of(env, "experiment"));
	snprintf(text, sizeof text, "launchgap %.60s", text_of(env, "launchgap"));
	compare_fact_add(side, FACT_PROGRAM, text);
	compare_fact_add(side, FACT_MEASURED, text_of(env, "created"));
	compare_fact_add(side, FACT_BACKEND, text_of(env, "backend"));
	snprintf(text, sizeof text, "%lld",
	         (long long)json_integer_value(json_object_get(env, "ranks")));
	compare_fact_add(side, FACT_RANKS, text);
	add_counts(side, env);
	for (unsigned v = 0; v < s->nvariants; v++)
		if (s->variants[v].measured && *s->variants[v].library)
			compare_fact_add(side, FACT_LIBRARY, s->variants[v].library);
	add_machine(side, env);
	snprintf(side->seed, sizeof side->seed, "%s", text_of(env, "seed"));
	side->variants = json_incref(json_object_get(env, "variants"));
}

static const char *why_absent(const struct record_run *run, const struct summary_variant *v)
{
	if (*v->skip)
		return v->skip;
	for (unsigned i = 0; i < run->nfailures; i++)
		if (!strcmp(run->failures[i].variant, v->name))
			return run->failures[i].error;
	for (unsigned i = 0; i < run->ncells; i++)
		if (!strcmp(run->cells[i].variant, v->name) && run->cells[i].error[0])
			return run->cells[i].error;
	return "";
}

static int add_absent(struct compare_side *side, const struct summary *s, struct status *st)
{
	side->absent = calloc(s->nvariants, sizeof *side->absent);
	if (!side->absent)
		return status_set(st, "out of memory for the comparison");
	for (unsigned i = 0; i < s->nvariants; i++) {
		const struct summary_variant *v = &s->variants[i];
		if (v->measured || v->role == ROLE_LIMIT || v->role == ROLE_AGAIN)
			continue;
		struct compare_absent *a = &side->absent[side->nabsent++];
		a->failed = !*v->skip;
		compare_clean(v->name, a->variant, sizeof a->variant);
		compare_clean(why_absent(s->run, v), a->why, sizeof a->why);
	}
	return 0;
}

/* The reference's twin is left out: it would be one verdict given twice. */
static int add_rows(struct compare_side *side, const struct summary *s, struct status *st)
{
	for (unsigned i = 0; i < s->nrows; i++) {
		const struct summary_row *row = &s->rows[i];
		const struct summary_variant *v = &s->variants[row->variant];
		char name[TRIAL_NAME_BYTES];
		if (v->role == ROLE_AGAIN)
			continue;
		compare_clean(v->name, name, sizeof name);
		side->failed += row->failed;
		for (unsigned t = 0; t < row->ntrials; t++) {
			struct compare_series *series = compare_side_add(
			    side, name, &row->cell, row->nranks, row->trials[t].block,
			    row->trials[t].time_ns / 1000, st);
			if (!series)
				return -1;
			series->limit = v->role == ROLE_LIMIT;
			strcpy(series->digest, row->digest);
		}
	}
	return 0;
}

static int load_record(const char *path, struct compare_side *side, struct status *st)
{
	struct record_run run;
	struct summary s = {0};
	if (record_load(path, &run, &side->torn, st))
		return -1;
	int result = summary_make(&run, &s, st);
	if (!result && s.trouble[0])
		result = status_set(st, "%s: nothing is compared with wrong results: %s", path,
		                    s.trouble);
	else if (!result) {
		add_facts(side, &s);
		result = add_absent(side, &s, st) || add_rows(side, &s, st) ? -1 : 0;
	}
	if (s.run)
		summary_free(&s);
	record_free(&run);
	return result;
}

static int is_json_entry(const struct dirent *entry)
{
	return entry->d_name[0] != '.' && is_json_name(entry->d_name);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

/* A folder of nccl-tests' files. *found: there are any. */
static int load_folder(const char *path, const char *variant, struct compare_side *side,
                       bool *found, struct status *st)
{
	struct dirent **entries;
	int n = scandir(path, &entries, is_json_entry, by_name), result = 0;
	*found = n > 0;
	for (int i = 0; i < n; i++) {
		char file[PATH_MAX];
		int length = snprintf(file, sizeof file, "%s/%s", path, entries[i]->d_name);
		free(entries[i]);
		if (result)
			continue;
		if (n > MOST_FILES || length >= (int)sizeof file)
			result =
			    status_set(st, "%.200s: too many files, or too long a path", path);
		else
			result = nccl_tests_read(file, variant, (unsigned)i, side, st);
	}
	if (n >= 0)
		free(entries);
	return result;
}

/* Files of nccl-tests with commas between them. */
static int load_list(const char *list, const char *variant, struct compare_side *side,
                     struct status *st)
{
	unsigned n = 0;
	for (const char *at = list; *at || !n; n++) {
		char file[PATH_MAX];
		size_t length = strcspn(at, ",");
		snprintf(file, sizeof file, "%.*s", (int)length, at);
		if (!length || length >= sizeof file || n >= MOST_FILES)
			return status_set(st, "%.200s: an empty or too long name, or too many",
			                  list);
		if (!is_json_name(file))
			return status_set(st,
			                  "%s: a list with commas is of nccl-tests' JSON "
			                  "files (-J NAME.json)",
			                  file);
		if (nccl_tests_read(file, variant, n, side, st))
			return -1;
		at += length + (at[length] == ',');
	}
	return 0;
}

static bool holds_record(const char *folder)
{
	static const char *const names[] = {"trials.jsonl", "trials.jsonl.gz"};
	struct stat about;
	for (unsigned i = 0; i < 2; i++) {
		char file[PATH_MAX];
		int length = snprintf(file, sizeof file, "%s/%s", folder, names[i]);
		if (length < (int)sizeof file && !stat(file, &about))
			return true;
	}
	return false;
}

int compare_side_load(const char *path, const char *variant, struct compare_side *side,
                      struct status *st)
{
	struct stat about;
	bool found = false;
	*side = (struct compare_side){0};
	if (stat(path, &about))
		return strchr(path, ',') ? load_list(path, variant, side, st)
		                         : status_set(st, "%s: %s", path, strerror(errno));
	if (!S_ISDIR(about.st_mode))
		return is_json_name(path) ? nccl_tests_read(path, variant, 0, side, st)
		                          : load_record(path, side, st);
	if (!holds_record(path) && (load_folder(path, variant, side, &found, st) || found))
		return st->text[0] ? -1 : 0;
	if (!holds_record(path))
		return status_set(st,
		                  "%s holds neither trials.jsonl, trials.jsonl.gz, nor "
		                  "*.json of nccl-tests",
		                  path);
	return load_record(path, side, st);
}
