#include "record_parts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* Writes one line and pushes it out: what is measured must survive whatever comes next. Takes
 * the reference, NULL (out of memory) included. */
static int write_line(FILE *out, json_t *line, struct status *st)
{
	if (!line)
		return status_set(st, "out of memory for the record");
	errno = 0;
	int failed =
	    json_dumpf(line, out, JSON_COMPACT) || fputc('\n', out) == EOF || fflush(out);
	json_decref(line);
	if (failed)
		return status_set(st, "cannot write the record: %s",
		                  errno ? strerror(errno) : "out of memory");
	return 0;
}

/* Text from elsewhere (a library's error, a driver's name) may hold any bytes; JSON only UTF-8.
 */
static json_t *text_json(const char *text, size_t bytes)
{
	json_t *string = json_stringn(text, bytes);
	if (string)
		return string;
	char *plain = malloc(bytes + 1);
	if (!plain)
		return NULL;
	for (size_t i = 0; i < bytes; i++)
		plain[i] = (unsigned char)text[i] < 0x80 ? text[i] : '?';
	string = json_stringn(plain, bytes);
	free(plain);
	return string;
}

/* A worker's sheet, "key=value" a line, as an object. */
static json_t *sheet_json(const char *sheet)
{
	json_t *facts = json_object();
	const char *end = sheet + strnlen(sheet, TEAM_SHEET_BYTES);
	while (facts && sheet < end) {
		const char *stop = memchr(sheet, '\n', (size_t)(end - sheet));
		const char *next = stop ? stop + 1 : end;
		stop = stop ? stop : end;
		const char *is = memchr(sheet, '=', (size_t)(stop - sheet));
		char key[TRIAL_NAME_BYTES];
		if (is && is > sheet && (size_t)(is - sheet) < sizeof key) {
			memcpy(key, sheet, (size_t)(is - sheet));
			key[is - sheet] = 0;
			/* A key that is not UTF-8 is left out. */
			json_object_set_new(facts, key,
			                    text_json(is + 1, (size_t)(stop - is - 1)));
		}
		sheet = next;
	}
	return facts;
}

static json_t *facts_json(struct team *team)
{
	json_t *list = json_array();
	for (unsigned w = 0; list && w < team_shape(team)->nworkers; w++)
		json_array_append_new(list, sheet_json(team_sheet(team, w)));
	return list;
}

/* What every line of a trial begins with. */
static json_t *line_json(const char *kind, const struct trial *trial)
{
	return json_pack("{s:i, s:s, s:s, s:s, s:i, s:i}", "schema", RECORD_SCHEMA, "kind",
	                 kind, "experiment", trial->experiment, "variant", trial->variant,
	                 "block", (int)trial->block, "order", (int)trial->order);
}

static json_t *cell_json(const struct trial *trial, const struct cell *cell)
{
	const struct settings *set = &trial->settings;
	char layout[48];
	snprintf(layout, sizeof layout, "%ux%ux%u", set->layout.processes, set->layout.threads,
	         set->layout.ranks_per_thread);
	json_t *line = line_json("cell", trial);
	json_t *more = json_pack(
	    "{s:s, s:s, s:s, s:i, s:i, s:s, s:I, s:I, s:s, s:s, s:i, s:b, s:i, s:s, s:s, s:i, "
	    "s:i}",
	    "mode", set->mode, "layout", layout, "backend", set->backend, "ranks",
	    (int)layout_ranks(set->layout), "comm_ranks", (int)trial_comm_ranks(trial),
	    "collective", coll_info(cell->coll)->name, "asked_bytes",
	    (json_int_t)cell->asked_bytes, "bytes", (json_int_t)cell->bytes, "dtype",
	    coll_dtype_name(cell->dtype), "op", coll_op_name(cell->op), "root", (int)cell->root,
	    "in_place", (int)cell->in_place, "cycle", (int)cell->cycle, "pace",
	    coll_pace_name(cell->pace), "pass", coll_pass_name(cell->pass), "calls",
	    (int)trial_calls(trial, cell), "warmup", (int)trial->warmup);
	if (line && json_object_update(line, more))
		line = (json_decref(line), NULL);
	json_decref(more);
	return line;
}

/* What one cell's ranks left, gathered. */
struct gathered {
	uint64_t wrong, wrong_at, expected, got, digest;
	unsigned wrong_rank, nranks;
	bool measured, carries_data;
	json_t *faults, *switches, *first_ns, *check_ns;
};

static void gather(const struct trial *trial, void *area, unsigned cell, struct gathered *g)
{
	XXH3_state_t hash;
	XXH3_64bits_reset(&hash);
	*g = (struct gathered){.measured = true,
	                       .nranks = layout_ranks(trial->settings.layout),
	                       .faults = json_array(),
	                       .switches = json_array(),
	                       .first_ns = json_array(),
	                       .check_ns = json_array()};
	for (unsigned r = 0; r < g->nranks; r++) {
		const struct tally *t = sample_tally(trial, area, cell, r);
		g->measured = g->measured && t->measured;
		g->carries_data = g->carries_data || t->digest || t->wrong;
		if (t->wrong && !g->wrong) {
			g->wrong_rank = r;
			g->wrong_at = t->wrong_at;
			g->expected = t->expected;
			g->got = t->got;
		}
		g->wrong += t->wrong;
		XXH3_64bits_update(&hash, &t->digest, sizeof t->digest);
		json_array_append_new(g->faults, json_integer((json_int_t)t->faults));
		json_array_append_new(g->switches, json_integer((json_int_t)t->switches));
		json_array_append_new(g->first_ns, json_integer((json_int_t)t->first_ns));
		json_array_append_new(g->check_ns, json_integer(t->check_ns));
	}
	g->digest = XXH3_64bits_digest(&hash);
}

/* Where the first wrong element lies, and its bits. */
static json_t *wrong_json(const struct cell *cell, const struct gathered *g)
{
	char expected[24], got[24];
	int digits = 2 * (int)coll_dtype_bytes(cell->dtype);
	snprintf(expected, sizeof expected, "0x%0*" PRIx64, digits, g->expected);
	snprintf(got, sizeof got, "0x%0*" PRIx64, digits, g->got);
	return json_pack("{s:i, s:I, s:I, s:s, s:s}", "rank", (int)g->wrong_rank, "element",
	                 (json_int_t)g->wrong_at, "byte",
	                 (json_int_t)(g->wrong_at * coll_dtype_bytes(cell->dtype)), "expected",
	                 expected, "got", got);
}

static void set_evidence(json_t *line, const struct cell *cell, struct gathered *g)
{
	bool data = g->measured && g->carries_data;
	char hex[20];
	snprintf(hex, sizeof hex, "%016" PRIx64, g->digest);
	json_object_set_new(line, "digest", data ? json_string(hex) : json_null());
	json_object_set_new(line, "wrong",
	                    data ? json_integer((json_int_t)g->wrong) : json_null());
	json_object_set_new(line, "wrong_at",
	                    data && g->wrong ? wrong_json(cell, g) : json_null());
	json_object_set_new(line, "faults", g->faults);
	json_object_set_new(line, "switches", g->switches);
	json_object_set_new(line, "first_ns", g->first_ns);
	json_object_set_new(line, "check_ns", g->check_ns);
}

static int write_cell(FILE *out, const struct trial *trial, struct team *team, void *area,
                      unsigned cell, struct status *st)
{
	struct gathered g;
	json_t *line = cell_json(trial, &trial->cells[cell]);
	const char *error = NULL;
	gather(trial, area, cell, &g);
	if (!g.measured) {
		const char *failure = team_failure(team);
		error = failure ? failure : "not measured, and no rank said why";
	} else if (!record_stamps_in_order(trial, area, cell)) {
		error = "the stamps are not in order of time: the clock went back, or a worker "
		        "stamped a cell twice";
	}
	set_evidence(line, &trial->cells[cell], &g);
	json_object_set_new(line, "facts", facts_json(team));
	json_object_set_new(line, "error",
	                    error ? text_json(error, strlen(error)) : json_null());
	if (!error)
		record_put_stamps(line, trial, area, cell);
	return write_line(out, line, st);
}

int record_write_trial(FILE *out, const struct trial *trial, struct team *team, void *area,
                       struct status *st)
{
	for (unsigned c = 0; c < trial->ncells; c++)
		if (write_cell(out, trial, team, area, c, st))
			return -1;
	return 0;
}

/* Only said where nothing was wrong. The path's pass calls too little to be asked. */
static int check_flip(const struct trial *trial, struct status *st)
{
	const struct settings *set = &trial->settings;
	bool timed = false;
	for (unsigned c = 0; c < trial->ncells; c++)
		timed |= trial->cells[c].pass == PASS_TIMED;
	if (set->flip_rank < 0 || !timed)
		return 0;
	return status_set(st,
	                  "flip = %d:%lld hit nothing that is checked: no rank %d receives a "
	                  "byte %lld in any cell's calls",
	                  set->flip_rank, (long long)set->flip_byte, set->flip_rank,
	                  (long long)set->flip_byte);
}

int record_check_data(const struct trial *trial, void *area, struct status *st)
{
	for (unsigned c = 0; c < trial->ncells; c++) {
		const struct cell *cell = &trial->cells[c];
		unsigned nranks = layout_ranks(trial->settings.layout);
		int size = (int)coll_dtype_bytes(cell->dtype);
		for (unsigned r = 0; r < nranks; r++) {
			const struct tally *t = sample_tally(trial, area, c, r);
			if (t->wrong)
				return status_set(
				    st,
				    "wrong data in %s of %zu bytes, %s: rank %u, byte %" PRIu64
				    ": 0x%0*" PRIx64 " in place of 0x%0*" PRIx64,
				    coll_word(cell, nranks).text, cell->bytes,
				    coll_pace_name(cell->pace), r, t->wrong_at * (unsigned)size,
				    2 * size, t->got, 2 * size, t->expected);
		}
	}
	return check_flip(trial, st);
}

int record_write_path(FILE *out, const struct trial *trial, json_t *path, bool as_expected,
                      struct status *st)
{
	json_t *line = path ? line_json("path", trial) : NULL;
	if (line) {
		json_object_set(line, "path", path);
		json_object_set_new(line, "expect", json_string(trial->settings.expect));
		json_object_set_new(line, "as_expected", json_boolean(as_expected));
	}
	json_decref(path);
	return write_line(out, line, st);
}

int record_write_failure(FILE *out, const struct trial *trial, const char *error,
                         struct status *st)
{
	json_t *line = line_json("failure", trial);
	if (line)
		json_object_set_new(line, "error", text_json(error, strlen(error)));
	return write_line(out, line, st);
}

int record_write_resume(FILE *out, const json_t *environment, unsigned first_block,
                        struct status *st)
{
	return write_line(out, record_resume_json(environment, first_block), st);
}

int record_write_end(FILE *out, const char *reason, const char *text, struct status *st)
{
	return write_line(out,
	                  json_pack("{s:i, s:s, s:s, s:s}", "schema", RECORD_SCHEMA, "kind",
	                            "end", "reason", reason, "text", text),
	                  st);
}

int record_write_environment(FILE *out, const json_t *environment, struct status *st)
{
	/* The two that tell a reader what the line is come first. */
	json_t *line = json_pack("{s:i, s:s}", "schema", RECORD_SCHEMA, "kind", "environment");
	if (line && json_object_update_missing(line, (json_t *)environment))
		line = (json_decref(line), NULL);
	if (line && record_check_environment(line, "the environment", st)) {
		json_decref(line);
		return -1;
	}
	return write_line(out, line, st);
}
