/* Writing the record: a line of each kind. */
#include "record.h"

#include <errno.h>
#include <inttypes.h>
#include <time.h>

#include "member.h"
#include "record_file.h"

const char *const record_spent_words[SPENT_ON] = {
    [SPENT_ON_SET_UP] = "set-up",
    [SPENT_ON_TRIAL] = "trial",
    [SPENT_ON_PATH] = "path",
    [SPENT_ON_REPORT] = "report",
};

/* Writes one line and flushes it: measurements must survive whatever comes next. Takes the
 * reference, NULL (out of memory) included. */
static int write_line(FILE *out, json_t *line, struct status *st)
{
	if (!line)
		return status_set(st, "out of memory for the record");
	errno = 0;
	char *text = json_dumps(line, JSON_COMPACT);
	int failed = !text || record_line_put(out, text) || fflush(out);
	free(text);
	json_decref(line);
	if (failed)
		return status_set(st, "cannot write the record: %s",
		                  errno ? strerror(errno) : "out of memory");
	return 0;
}

/* A line of a kind, with what more it has. Takes the reference. */
static int write_kind(FILE *out, const char *kind, json_t *more, struct status *st)
{
	/* The two that identify the line come first. */
	json_t *line = json_pack("{s:i, s:s}", "schema", RECORD_SCHEMA, "kind", kind);
	if (!more || json_object_update_missing(line, more))
		line = (json_decref(line), NULL);
	json_decref(more);
	return write_line(out, line, st);
}

/* A worker's facts, "key=value" a line, as an object. */
static json_t *worker_json(const char *text)
{
	json_t *facts = json_object();
	char *copy = strndup(text, TEAM_FACTS_BYTES), *rest = copy;
	for (char *line; facts && (line = strsep(&rest, "\n"));) {
		const char *key = strsep(&line, "=");
		/* A key that is not UTF-8 is omitted. */
		if (line && *key && strlen(key) < TRIAL_NAME_BYTES)
			json_object_set_new(facts, key, record_text(line, strlen(line)));
	}
	free(copy);
	return facts;
}

static json_t *facts_json(struct team *team)
{
	json_t *list = json_array();
	for (unsigned w = 0; list && w < team_shape(team)->nworkers; w++)
		json_array_append_new(list, worker_json(team_facts(team, w)));
	return list;
}

/* What every line of a trial begins with. */
static json_t *line_json(const char *kind, const struct trial *trial)
{
	return json_pack("{s:i, s:s, s:s, s:s, s:i, s:i, s:I}", "schema", RECORD_SCHEMA, "kind",
	                 kind, "experiment", trial->experiment, "variant", trial->variant, "block",
	                 (int)trial->block, "order", (int)trial->order, "written_s",
	                 (json_int_t)time(NULL));
}

int record_write_trial(FILE *out, const struct trial *trial, struct team *team, void *area,
                       struct status *st)
{
	for (unsigned c = 0; c < trial->ncells; c++) {
		json_t *line = line_json("cell", trial);
		/* The workers' facts are in the first cell, and apply to all of them. */
		if (line && (!record_cell_put(line, trial, team_failure(team), area,
		                              team_hosts_link(team), c) ||
		             (!c && json_object_set_new(line, "facts", facts_json(team))) ||
		             (!c && team_hosts_link(team) &&
		              json_object_set_new(line, "hosts", record_hosts_json(team)))))
			line = (json_decref(line), NULL);
		if (write_line(out, line, st))
			return -1;
	}
	return 0;
}

/* Only written if nothing was wrong. The path's pass makes too few calls to be asked. */
static int check_flip(const struct trial *trial, struct status *st)
{
	const struct settings *set = &trial->settings;
	bool timed = false;
	for (unsigned c = 0; c < trial->ncells; c++)
		timed |= trial->cells[c].pass == PASS_TIMED;
	if (set->flip_rank < 0 || !timed)
		return 0;
	return status_set(st,
	                  "flip = %d:%lld hit nothing that is checked: no rank %d receives a byte "
	                  "%lld in any cell's calls",
	                  set->flip_rank, (long long)set->flip_byte, set->flip_rank,
	                  (long long)set->flip_byte);
}

int record_check_data(const struct trial *trial, void *area, struct status *st)
{
	for (unsigned c = 0; c < trial->ncells; c++) {
		const struct cell *cell = &trial->cells[c];
		unsigned nranks = layout_ranks(trial->settings.layout);
		const size_t size = coll_dtype_bytes(cell->dtype);
		for (unsigned r = 0; r < nranks; r++) {
			const struct tally *t = sample_tally(trial, area, c, r);
			if (!t->wrong)
				continue;
			return status_set(
			    st,
			    "wrong data in %s of %zu bytes, %s: rank %u, byte %" PRIu64
			    ": 0x%0*" PRIx64 " in place of 0x%0*" PRIx64,
			    coll_word(cell, nranks).text, cell->bytes, coll_pace_name(cell->pace),
			    r, t->wrong_at * size, 2 * (int)size, t->got, 2 * (int)size,
			    t->expected);
		}
	}
	return check_flip(trial, st);
}

int record_write_path(FILE *out, const struct trial *trial, json_t *path, struct status *st)
{
	json_t *line = path ? line_json("path", trial) : NULL;
	if (line)
		json_object_set(line, "path", path);
	json_decref(path);
	return write_line(out, line, st);
}

int record_write_failure(FILE *out, const struct trial *trial, const char *error, struct status *st)
{
	json_t *line = line_json("failure", trial);
	if (line)
		json_object_set_new(line, "error", record_text(error, strlen(error)));
	return write_line(out, line, st);
}

int record_write_spent(FILE *out, const struct record_spent *s, struct status *st)
{
	json_t *more = json_pack("{s:s, s:I, s:I}", "on", record_spent_words[s->on], "from_ns",
	                         (json_int_t)s->from_ns, "to_ns", (json_int_t)s->to_ns);
	if (s->variant[0])
		json_object_set_new(more, "variant", json_string(s->variant));
	if (s->on == SPENT_ON_TRIAL)
		json_object_update_new(
		    more, json_pack("{s:i, s:i}", "block", (int)s->block, "order", (int)s->order));
	return write_kind(out, "spent", more, st);
}

int record_write_resume(FILE *out, const json_t *environment, unsigned first_block, unsigned begun,
                        struct status *st)
{
	static const char *const keys[] = {"command", "created", "launchgap", "counters",
	                                   "machine"};
	/* The environment's count is the run's, including blocks measured before. */
	const json_int_t blocks = member_number(environment, "blocks");
	json_t *more =
	    json_pack("{s:i, s:i, s:I}", "first_block", (int)first_block, "begun", (int)begun,
	              "blocks", blocks > first_block ? blocks - first_block : (json_int_t)0);
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		json_object_set(more, keys[i], json_object_get(environment, keys[i]));
	return write_kind(out, "resume", more, st);
}

int record_write_search(FILE *out, const struct record_search_block *b, json_t *sets,
                        json_t *measures, struct status *st)
{
	return write_kind(out, "search",
	                  json_pack("{s:i, s:i, s:b, s:o, s:o}", "block", (int)b->block, "round",
	                            (int)b->round, "confirms", (int)b->confirms, "sets", sets,
	                            "measures", measures),
	                  st);
}

int record_write_asked(FILE *out, const json_t *asked, struct status *st)
{
	return write_kind(out, "asked", json_incref((json_t *)(size_t)asked), st);
}

int record_write_end(FILE *out, const char *reason, const char *text, struct status *st)
{
	return write_kind(out, "end", json_pack("{s:s, s:s}", "reason", reason, "text", text), st);
}

int record_write_environment(FILE *out, const json_t *environment, struct status *st)
{
	const struct member_place at = {.file = "the environment", .st = st};
	return record_check_environment(&at, environment)
	           ? -1
	           : write_kind(out, "environment", json_incref((json_t *)(size_t)environment), st);
}
