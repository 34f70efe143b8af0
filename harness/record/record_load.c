/* Reading the record. The file may have been edited, cut, or made by another version, so that
 * everything is checked here once and all other code relies on it. */
#include "record.h"
#include "../memory.h"

#include "../backend/table.h"
#include "../sanitize.h"
#include "member.h"
#include "lines.h"
#include "record_agree.h"
#include "record_file.h"
#include "record_search.h"

/* Of a kind in a record. A session of the longest run has 33 000 trials. */
#define MOST_CELLS (1u << 22)
#define MOST_LINES (1u << 19)

/* --- what a line of each kind has --- */

#define TEXT(KEY)  MEMBER(KEY, JSON_STRING)
#define NAME(KEY)  MEMBER_NAME(KEY, TRIAL_NAME_BYTES)
#define COUNT(KEY) MEMBER_COUNT(KEY, 0)
// clang-format off
#define TIME(KEY)  {.key = KEY, .type = JSON_INTEGER, .hi = RECORD_MOST_NS}
static const struct member members[] = {COUNT("schema"), TEXT("kind"), MEMBER_END};
static const struct member of_environment[] = {
    TEXT("experiment"), TEXT("title"), TEXT("question"), TEXT("created"), TEXT("launchgap"), TEXT("seed"),
    NAME("backend"), TEXT("backend_why"), NAME("reference"),
    COUNT("blocks"), COUNT("warmup"), COUNT("stretches"), COUNT("calls"), COUNT("isolated_calls"),
    {"ranks", JSON_INTEGER, 1, .hi = RECORD_MAX_RANKS},
    {"leads", JSON_STRING, .optional = true},
    {"cycles", JSON_INTEGER, 1, INT_MAX, .optional = true},
    {"connections", JSON_INTEGER, 1, INT_MAX, .optional = true},
    {"allocations", JSON_INTEGER, 1, INT_MAX, .optional = true},
    MEMBER("command", JSON_ARRAY), MEMBER("machine", JSON_OBJECT), MEMBER("variants", JSON_ARRAY), MEMBER_END};
static const struct member of_variant[] = {
    NAME("name"), TEXT("role"), TEXT("mode"), TEXT("layout"), NAME("backend"), TEXT("nccl"), TEXT("path"),
    TEXT("bind"), TEXT("skip"), MEMBER("env", JSON_ARRAY), MEMBER_END};
static const struct member of_trial[] = {
    NAME("variant"), COUNT("block"), COUNT("order"),
    {"written_s", JSON_INTEGER, 0, INT_MAX * (json_int_t)1000, .optional = true}, MEMBER_END};
static const struct member of_failure[] = {{"error", JSON_STRING, .null = true}, MEMBER_END};
static const struct member of_path[] = {MEMBER("path", JSON_OBJECT), MEMBER_END};
static const struct member of_spent[] = {
    TEXT("on"), TIME("from_ns"), TIME("to_ns"),
    {"variant", JSON_STRING, 1, TRIAL_NAME_BYTES - 1, .optional = true}, MEMBER_END};
static const struct member of_resume[] = {
    MEMBER("command", JSON_ARRAY), MEMBER("counters", JSON_TRUE), TEXT("created"), TEXT("launchgap"),
    COUNT("blocks"), COUNT("first_block"),
    {"begun", JSON_INTEGER, 0, INT_MAX, .optional = true},
    {"machine", JSON_OBJECT, .optional = true}, MEMBER_END};
static const struct member of_end[] = {
    MEMBER_NAME("reason", sizeof((struct record_end *)0)->reason), TEXT("text"), MEMBER_END};
static const struct member of_asked[] = {TEXT("created"), TEXT("launchgap"), MEMBER_END};
// clang-format on

/* --- the environment, and the properties of its backends --- */

static int check_variant(const struct member_place *at, const json_t *variants, size_t which)
{
	const json_t *variant = json_array_get(variants, which);
	const char *name = member_or_empty(variant, "name");
	if (member_check(at, variant, of_variant))
		return -1;
	for (size_t i = 0; i < which; i++)
		if (!strcmp(name, member_or_empty(json_array_get(variants, i), "name")))
			return member_bad(at, "two variants have the name %s", name);
	return 0;
}

int record_check_environment(const struct member_place *at, const json_t *env)
{
	static const struct field sizes[] = {
	    {"connection_bytes", FIELD_RANGE, .optional = true},
	    {"turns", FIELD_RANGE, .optional = true},
	};
	const json_t *variants = json_object_get(env, "variants");
	struct claim_range range;
	struct status why = {""};
	if (member_check(at, env, of_environment))
		return -1;
	for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
		if (field_from_json(&sizes[i], json_object_get(env, sizes[i].key), &range, &why))
			return member_bad(at, "%s", why.text);
	if (!json_array_size(variants) || json_array_size(variants) > SPEC_MAX_VARIANTS + 2)
		return member_bad(at, "\"variants\" is empty, or more than %d",
		                  SPEC_MAX_VARIANTS + 2);
	for (size_t i = 0; i < json_array_size(variants); i++)
		if (check_variant(at, variants, i))
			return -1;
	return record_agree_reference(at, env);
}

static const struct record_backend *find_backend(const struct record_run *run, const char *name)
{
	for (unsigned i = 0; i < run->nbackends; i++)
		if (!strcmp(run->backends[i].name, name))
			return &run->backends[i];
	return NULL;
}

static int add_backend(const struct member_place *at, struct record_run *run, const json_t *of)
{
	struct record_backend *b = &run->backends[run->nbackends];
	struct status why = {""};
	strcpy(b->name, member_or_empty(of, "backend"));
	if (find_backend(run, b->name))
		return 0;
	const json_t *said =
	    json_object_get(json_object_get(run->environment, "backends"), b->name);
	b->traits = *traits_find(b->name);
	if (said && !json_is_object(said))
		status_set(&why, "\"backends\" has to be an object");
	if (why.text[0] || traits_from_json(said, &b->traits, &why))
		return member_bad(at, "backend %s: %s", b->name, why.text);
	run->nbackends++;
	return 0;
}

void record_variant_take(json_t *json, struct record_variant *out)
{
	struct status ignored = {""};
	*out = (struct record_variant){.name = member_or_empty(json, "name"),
	                               .role = member_or_empty(json, "role"),
	                               .mode = member_or_empty(json, "mode"),
	                               .layout = member_or_empty(json, "layout"),
	                               .backend = member_or_empty(json, "backend"),
	                               .bind = member_or_empty(json, "bind"),
	                               .skip = member_or_empty(json, "skip"),
	                               .json = json};
	settings_default(&out->settings);
	json_t *all = memory_have(settings_to_json(&out->settings));
	json_object_update_existing(all, json);
	out->known = !settings_from_json(all, &out->settings, &ignored);
	json_decref(all);
}

static int take_environment(const struct member_place *at, json_t *line, struct record_run *run)
{
	const json_t *variants = json_object_get(line, "variants");
	const size_t n = json_array_size(variants);
	if (record_check_environment(at, line))
		return -1;
	run->environment = json_incref(line);
	run->backends = memory_take(n + 1, sizeof *run->backends);
	run->variants = memory_take(n + 1, sizeof *run->variants);
	if (add_backend(at, run, line))
		return -1;
	for (size_t i = 0; i < n; i++, run->nvariants++) {
		json_t *variant = json_array_get(variants, i);
		if (add_backend(at, run, variant))
			return -1;
		record_variant_take(variant, &run->variants[i]);
	}
	return record_search_begin(at, run);
}

const struct backend_traits *record_traits(const struct record_run *run, const char *variant)
{
	const struct record_variant *own = variant ? record_agree_variant(run, variant) : NULL;
	const char *name =
	    own ? own->backend : json_string_value(json_object_get(run->environment, "backend"));
	const struct record_backend *known = name ? find_backend(run, name) : NULL;
	return known ? &known->traits : traits_find(name ? name : "");
}

/* --- the other lines --- */

static int take_origin(const struct member_place *at, const json_t *line,
                       const struct record_run *run, char variant[TRIAL_NAME_BYTES],
                       unsigned *block, unsigned *order, int64_t *written_s)
{
	json_int_t most = ((json_int_t)run->nresumes + 1) * SPEC_MAX_BLOCKS;
	most = most < RECORD_MAX_BLOCKS ? most : RECORD_MAX_BLOCKS;
	if (member_check(at, line, of_trial))
		return -1;
	strcpy(variant, member_or_empty(line, "variant"));
	*block = (unsigned)member_number(line, "block");
	*order = (unsigned)member_number(line, "order");
	*written_s = member_number(line, "written_s");
	if (*block >= most)
		return member_bad(at, "\"block\" is %u, allowed are 0 to %lld", *block,
		                  (long long)most - 1);
	return record_agree_variant(run, variant)
	           ? 0
	           : member_bad(at, "variant \"%s\" is not one of the environment's", variant);
}

/* One more of a list, all 0; it has at most `most`: a small file, packed, may hold any number of
 * lines. list: where its pointer is. NULL, with a sentence: it stays as it is. */
static void *list_add(const struct member_place *at, void *list, unsigned *count, size_t each,
                      unsigned most)
{
	char *more;
	if (*count == most) {
		member_bad(at, "a record has at most %u lines of this kind", most);
		return NULL;
	}
	memcpy(&more, list, sizeof more);
	if (!(*count & (*count - 1)))
		more = memory_more(more, *count ? 2 * (size_t)*count : 1, each);
	memcpy(list, &more, sizeof more);
	return memset(more + (*count)++ * each, 0, each);
}

static int add_cell(const struct member_place *at, json_t *line, struct record_run *run)
{
	struct record_cell *cell =
	    list_add(at, &run->cells, &run->ncells, sizeof *cell, MOST_CELLS);
	if (!cell)
		return -1;
	cell->json = json_incref(line);
	if (take_origin(at, line, run, cell->variant, &cell->block, &cell->order, &cell->written_s))
		return -1;
	cell->traits = record_traits(run, cell->variant);
	/* Facts are in a trial's first cell; in older records, in each. */
	if (run->ncells > 1 && cell[-1].block == cell->block && cell[-1].order == cell->order &&
	    !strcmp(cell[-1].variant, cell->variant) && !json_object_get(line, "facts"))
		json_object_set(line, "facts", json_object_get(cell[-1].json, "facts"));
	cell->line = at->line;
	return record_cell_take(at, line, cell) || record_agree_cell(at, run, line, cell) ? -1 : 0;
}

static int add_failure(const struct member_place *at, json_t *line, struct record_run *run)
{
	struct record_failure *failure =
	    list_add(at, &run->failures, &run->nfailures, sizeof *failure, MOST_LINES);
	if (!failure)
		return -1;
	snprintf(failure->error, sizeof failure->error, "%s", member_or_empty(line, "error"));
	return take_origin(at, line, run, failure->variant, &failure->block, &failure->order,
	                   &failure->written_s);
}

static int add_path(const struct member_place *at, json_t *line, struct record_run *run)
{
	struct record_path *path =
	    list_add(at, &run->paths, &run->npaths, sizeof *path, MOST_LINES);
	int64_t written_s;
	if (!path)
		return -1;
	path->json = json_incref(line);
	path->path = json_object_get(line, "path");
	return take_origin(at, line, run, path->variant, &path->block, &path->order, &written_s);
}

static int add_spent(const struct member_place *at, json_t *line, struct record_run *run)
{
	struct record_spent *s = list_add(at, &run->spent, &run->nspent, sizeof *s, MOST_LINES);
	const char *word = member_or_empty(line, "on");
	if (!s)
		return -1;
	while (s->on < SPENT_ON && strcmp(record_spent_words[s->on], word) != 0)
		s->on++;
	if (s->on == SPENT_ON)
		return member_bad(at, "\"on\" is \"%.60s\", which is not known here", word);
	if (s->on == SPENT_ON_TRIAL && member_check(at, line, of_trial))
		return -1;
	s->session = run->nresumes;
	strcpy(s->variant, member_or_empty(line, "variant"));
	s->block = (unsigned)member_number(line, "block");
	s->order = (unsigned)member_number(line, "order");
	s->from_ns = member_number(line, "from_ns");
	s->to_ns = member_number(line, "to_ns");
	return s->to_ns < s->from_ns ? member_bad(at, "\"to_ns\" is before \"from_ns\"") : 0;
}

/* line: NULL if none says that a session goes on. */
static int add_resume(const struct member_place *at, json_t *line, struct record_run *run)
{
	struct record_resume *resume =
	    list_add(at, &run->resumes, &run->nresumes, sizeof *resume, RECORD_MAX_RESUMES);
	if (!resume)
		return -1;
	*resume = (struct record_resume){
	    .first_block =
	        line ? (unsigned)member_number(line, "first_block") : record_next_block(run),
	    .begun = (unsigned)member_number(line, "begun"),
	    .after_end = run->end.reason[0],
	    .blocks = (unsigned)member_number(line, "blocks"),
	    .counters = json_is_true(json_object_get(line, "counters")),
	    .command = json_object_get(line, "command"),
	    .machine = json_object_get(line, "machine"),
	    .created = line ? member_or_empty(line, "created") : NULL,
	    .launchgap = line ? member_or_empty(line, "launchgap") : NULL,
	    .json = json_incref(line)};
	run->end = (struct record_end){.reason = ""};
	return 0;
}

static int take_end(const struct member_place *at, json_t *line, struct record_run *run)
{
	(void)at;
	strcpy(run->end.reason, member_or_empty(line, "reason"));
	snprintf(run->end.text, sizeof run->end.text, "%s", member_or_empty(line, "text"));
	return 0;
}

/* Claims that were asked later replace those that the run began with; the last ones count. */
static int take_asked(const struct member_place *at, json_t *line, struct record_run *run)
{
	static const char *const keys[] = {"factors", "gap", "claims", "primary", "sources"};
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		json_t *value = json_object_get(line, keys[i]);
		if (value && json_object_set(run->environment, keys[i], value))
			return member_bad(at, "out of memory for the record");
		if (!value)
			json_object_del(run->environment, keys[i]);
	}
	return json_object_set_new(run->environment, "asked_later",
	                           json_pack("{s:s, s:s}", "created",
	                                     member_or_empty(line, "created"), "launchgap",
	                                     member_or_empty(line, "launchgap")))
	           ? member_bad(at, "out of memory for the record")
	           : 0;
}

/* measures: after an end such a line is of an older launchgap's session without `resume`. */
static const struct kind {
	const char *name;
	const struct member *members;
	int (*take)(const struct member_place *at, json_t *line, struct record_run *run);
	bool measures;
} kinds[] = {{"environment", members, take_environment, false},
             {"cell", of_trial, add_cell, true},
             {"path", of_path, add_path, true},
             {"failure", of_failure, add_failure, true},
             {"spent", of_spent, add_spent, false},
             {"search", record_search_members, record_search_take, true},
             {"resume", of_resume, add_resume, false},
             {"asked", of_asked, take_asked, false},
             {"end", of_end, take_end, false}};
#define NKINDS (sizeof kinds / sizeof *kinds)

static int add_line(const struct member_place *at, json_t *line, struct record_run *run)
{
	const struct kind *kind = kinds;
	char allowed[256] = "";
	if (!json_is_object(line))
		return member_bad(at, "a line has to be one JSON object");
	if (member_check(at, line, members))
		return -1;
	const char *name = member_or_empty(line, "kind");
	if (member_number(line, "schema") != RECORD_SCHEMA)
		return member_bad(at,
		                  "schema %lld is not known here, this launchgap reads schema %d",
		                  (long long)member_number(line, "schema"), RECORD_SCHEMA);
	if (!strcmp(name, kinds->name) != !run->environment)
		return member_bad(
		    at, "kind \"%.40s\": the first line, and no other, is the environment", name);
	for (; kind < kinds + NKINDS && strcmp(kind->name, name) != 0; kind++)
		status_list(allowed, sizeof allowed, kind->name);
	if (kind == kinds + NKINDS)
		return member_bad(at, "kind \"%.40s\" is not known; allowed are %s", name, allowed);
	if (kind->measures && run->end.reason[0] && add_resume(at, NULL, run))
		return -1;
	return member_check(at, line, kind->members) ? -1 : kind->take(at, line, run);
}

/* Within a session either all lines have a checksum or none has: an older launchgap writes none.
 * Claims that are asked later have one. */
static int check_sum(const struct member_place *at, const char *text, size_t bytes,
                     const json_t *line, enum record_sum *session)
{
	const char *kind = json_string_value(json_object_get(line, "kind"));
	enum record_sum sum = record_line_sum(text, bytes);
	if (sum == RECORD_SUM_WRONG)
		return member_bad(at,
		                  "this line was changed after it was written: it is not what its "
		                  "checksum (xxh3) was made of. Take the record from a copy");
	if (kind && (!strcmp(kind, "environment") || !strcmp(kind, "resume")))
		*session = sum;
	if (sum != *session && strcmp(kind ? kind : "", "asked"))
		return member_bad(at,
		                  "this line %s a checksum (xxh3), unlike the others of its "
		                  "session: one of them was changed. Take the record from a copy",
		                  sum ? "has" : "lacks");
	return 0;
}

/* Replaces characters that no page may show with blanks, in all texts of a line. False: a key has
 * such a character, or memory ran out. */
static bool clean(json_t *value)
{
	const char *key, *text = json_string_value(value);
	json_t *child;
	size_t i;
	bool well = true;
	json_array_foreach(value, i, child) well = well && clean(child);
	json_object_foreach(value, key, child) well =
	    well && sanitize_is_clean(key) && clean(child);
	if (!text || sanitize_is_clean(text))
		return well;
	char *plain = memory_text(text);
	sanitize_text(plain);
	well = !json_string_set(value, plain);
	free(plain);
	return well;
}

static int load_lines(struct lines *lines, struct member_place *at, struct record_run *run)
{
	enum record_sum session = RECORD_SUM_NONE;
	const char *text;
	size_t bytes;
	bool last = false, cut = false;
	while (!last && !run->torn) {
		json_error_t why = {.text = ""};
		at->line++;
		if (lines_next(lines, at, &text, &bytes, &last, &cut))
			return -1;
		if (last && bytes == 0)
			break;
		json_t *line = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, &why);
		if (!line && !why.text[0]) /* no fault of the text */
			return member_bad(at, "out of memory for a line of %zu bytes", bytes);
		if (!line && last) {
			run->torn = true; /* cut off while it was written */
			break;
		}
		if (!line)
			return member_bad(at, "not JSON: %.200s (column %d)", why.text, why.column);
		int failed = check_sum(at, text, bytes, line, &session) ||
		             (!clean(line) && member_bad(at, "a key holds a control character")) ||
		             add_line(at, line, run);
		json_decref(line);
		if (failed)
			return -1;
		run->nlines++;
		run->unsummed += session == RECORD_SUM_NONE;
	}
	run->torn |= cut;
	if (!run->environment)
		return status_set(at->st,
		                  "%s: holds no whole line, so that nothing is known of the run",
		                  at->file);
	return 0;
}

static int load_file(struct member_place *at, struct record_run *run)
{
	struct lines *lines = NULL;
	if (lines_open(at, &lines))
		return -1;
	const int rc = load_lines(lines, at, run);
	lines_close(lines);
	return rc;
}

int record_load(const char *dir, struct record_run *out, struct status *st)
{
	struct record_run run = {0};
	char file[PATH_MAX];
	if (record_file_find(dir, file, st))
		return -1;
	struct member_place at = {.file = file, .st = st};
	if (load_file(&at, &run) || record_agree_places(&at, &run)) {
		record_free(&run);
		return -1;
	}
	record_search_part(&run);
	if (strlen(dir) < sizeof run.folder)
		strcpy(run.folder, dir);
	*out = run;
	return 0;
}

void record_free(struct record_run *run)
{
	for (unsigned i = 0; i < run->ncells + (run->search ? run->search->ncells : 0); i++) {
		free(run->cells[i].samples);
		free(run->cells[i].counters);
		free(run->cells[i].off_core_ns);
		free(run->cells[i].issue_cpu_ns);
		free(run->cells[i].check_ns);
		free(run->cells[i].hosts);
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
	free(run->spent);
	free(run->backends);
	free(run->variants);
	record_search_free(run->search);
	json_decref(run->environment);
	*run = (struct record_run){0};
}

/* --- how far the run has come: where `resume` goes on --- */

unsigned record_next_block(const struct record_run *run)
{
	const struct record_search *own = run->search;
	unsigned next = 0;
	for (unsigned i = 0; i < run->ncells + (own ? own->ncells : 0); i++)
		if (run->cells[i].block >= next)
			next = run->cells[i].block + 1;
	for (unsigned i = 0; i < run->nfailures + (own ? own->nfailures : 0); i++)
		if (run->failures[i].block >= next)
			next = run->failures[i].block + 1;
	return next;
}

unsigned record_block_trials(const struct record_run *run)
{
	unsigned n = 0;
	for (unsigned i = 0; i < run->nvariants; i++)
		n += !*run->variants[i].skip;
	return n;
}

/* One more than the place of a trial in the last block; 0: it has no place there, as its number is
 * not the plan's. */
static unsigned place_after(unsigned order, unsigned block, unsigned in_block)
{
	const uint64_t first = (uint64_t)block * in_block;
	return order >= first && order < first + in_block ? (unsigned)(order - first) + 1 : 0;
}

unsigned record_begun(const struct record_run *run)
{
	const unsigned next = record_next_block(run), in_block = record_block_trials(run);
	unsigned done = 0;
	if (!next || run->end.reason[0] || json_object_get(run->environment, "search"))
		return 0;
	for (unsigned i = 0; i < run->ncells + run->nfailures; i++) {
		const unsigned f = i - run->ncells;
		const bool cell = i < run->ncells;
		if ((cell ? run->cells[i].block : run->failures[f].block) + 1 != next)
			continue;
		unsigned place = place_after(cell ? run->cells[i].order : run->failures[f].order,
		                             next - 1, in_block);
		if (!place)
			return 0;
		done = place > done ? place : done;
	}
	return done < in_block ? done : 0;
}

long long record_blocks_asked(const struct record_run *run)
{
	const struct record_resume *last = run->nresumes ? &run->resumes[run->nresumes - 1] : NULL;
	if (last && last->json && !json_object_get(run->environment, "search"))
		return last->blocks ? (long long)last->first_block + last->blocks : 0;
	return json_integer_value(json_object_get(run->environment, "blocks"));
}
