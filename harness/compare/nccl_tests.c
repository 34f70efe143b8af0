#include "side.h"

#include <math.h>

#include "../arena.h"
#include "../coll/counts.h"
#include "../perf_options.h"
#include "../sanitize.h"
#include "../record/member.h"
#include "../record/record.h"
#include "../report/json.h"

#define MOST_BYTES (DB_VALUE_BYTES / 2) /* of a file */
#define GIVE       "give what nccl-tests' option -J FILE (since 2.17.5) writes, or its text"
#define HEAD_BYTES 4096 /* that say whose a file is */

/* A file, while it is read. */
struct reading {
	struct member_place at;
	const json_t *root;
	struct side *side;
	const char *variant;
	char head[HEAD_BYTES];
	unsigned trial, nranks;
	enum coll_kind coll;
	bool cut; /* alltoallv's parts are cut from a size, and a row's is their sum */
};

/* Writes what NCCL_TESTS_ALLTOALLV_* ask alltoallv for, in the words of counts if it has them.
 * Returns whether parts are cut from a size, so that a row's size is their sum. */
static bool read_counts(bool said, const char *matrix, const char *spread, unsigned nranks,
                        char out[COUNTS_TEXT_BYTES])
{
	struct value_weights weights = {.n = nranks, .rows = 1};
	char *end;
	double x = spread ? strtod(spread, &end) : 1;
	if (spread && (end == spread || *end))
		x = 1; /* as nccl-tests does */
	x = x < 0 ? 0 : x > 1 ? 1 : x;
	if (!said)
		snprintf(out, COUNTS_TEXT_BYTES, "not said");
	else if (matrix)
		snprintf(out, COUNTS_TEXT_BYTES, "its own matrix");
	else if (nranks > VALUE_MAX_WEIGHTS)
		snprintf(out, COUNTS_TEXT_BYTES, "by distance, spread %.3g", x);
	if (!said || matrix || nranks > VALUE_MAX_WEIGHTS)
		return !matrix;
	/* (1 - spread) / n + spread × 2 distance / n (n - 1), in thousandths of n (n - 1) */
	for (unsigned d = 0; d < nranks; d++)
		weights.of[d] = (uint16_t)lround(1000 * (1 - x) * (nranks - 1) + 2000 * x * d);
	counts_text(&weights, nranks, out);
	return true;
}

/* Whether the file is believed: then its facts are kept. */
static int read_head(struct reading *r, const struct db_rows *of)
{
	static const struct member layout[] = {
	    {"nthreads", JSON_INTEGER, 1, INT_MAX, .null = true}, /* not every text says it */
	    MEMBER_COUNT("ngpus", 1),
	    MEMBER_END};
	const bool knows = db_real(of, 3) > 0;
	char counts[COUNTS_TEXT_BYTES];
	if (db_text(of, 0))
		return member_bad(&r->at, "%s", db_text(of, 0));
	if (member_check(&r->at, json_object_get(r->root, "config"), layout))
		return -1;
	r->coll = (enum coll_kind)db_real(of, 1);
	r->nranks = (unsigned)db_real(of, 2);
	r->cut = read_counts(knows, db_text(of, 4), db_text(of, 5), r->nranks, counts);
	if (r->coll == COLL_ALLTOALLV)
		side_says(r->side, "counts", counts);
	r->side->knows |= knows;
	return 0;
}

static int add_row(struct reading *r, const struct db_rows *row, unsigned *added)
{
	const int dtype = coll_find_dtype(perf_word_ours(db_text(row, 2)));
	const int op = coll_find_op(perf_word_ours(db_text(row, 3)));
	const bool reduces = coll_info(r->coll)->is & COLL_REDUCES;
	const double root = db_real(row, 4);
	/* Types and operations that only nccl-tests has match nothing here. */
	if (dtype < 0 || (reduces && op < 0))
		return 0;
	if (db_text(row, 7))
		return member_bad(&r->at, "%s", db_text(row, 7));
	struct cell cell = {.coll = r->coll,
	                    .pace = PACE_STREAM,
	                    .dtype = (enum dtype)dtype,
	                    .op = reduces ? (enum op)op : OP_NONE,
	                    .root = root > 0 && root < INT_MAX ? (unsigned)root : 0,
	                    .bytes = strtoull(db_text(row, 1), NULL, 10),
	                    .in_place = db_real(row, 5) > 0};
	if (r->coll == COLL_ALLTOALLV && r->cut) /* each was rounded down */
		cell.bytes += coll_least(r->coll, cell.dtype, r->nranks) - 1;
	if (r->coll == COLL_ALLTOALLV)
		cell.bytes = coll_round(r->coll, cell.dtype, cell.bytes, r->nranks);
	cell.asked_bytes = cell.bytes;
	side_add(r->side, db_text(row, 0), &cell, r->nranks, false, r->trial, db_real(row, 6));
	++*added;
	return 0;
}

/* Names the program of a file by words at its head, and what to give in its place. */
static int refuse_kind(const struct member_place *at, const char *head)
{
	// clang-format off
	static const struct {
		const char *words, *whose, *give;
	} kinds[] = {
	    {"\"launchgap\"", "launchgap's report.json", "give the folder of its run, which has trials.jsonl"},
	    {"\"results\"", "JSON like that of nccl-tests, without its \"config\"", GIVE},
	    {"{", "JSON of another program", GIVE},
	    {"", "neither JSON nor text of nccl-tests", GIVE},
	};
	// clang-format on
	size_t i = 0;
	while (!strstr(head, kinds[i].words))
		i++;
	return member_bad(at, "is %s; %s", kinds[i].whose, kinds[i].give);
}

static int check_rows(const struct reading *r, const json_t *results)
{
	static const struct member rows[] = {{"size", JSON_INTEGER, 0, .hi = LLONG_MAX},
	                                     MEMBER("type", JSON_STRING),
	                                     MEMBER("redop", JSON_STRING),
	                                     MEMBER_END};
	const json_t *row;
	size_t i;
	json_array_foreach(results, i, row)
	{
		if (!json_is_object(row))
			return member_bad(&r->at, "\"results\" holds something else than objects");
		if (member_check(&r->at, row, rows))
			return -1;
	}
	return 0;
}

static int read_root(struct reading *r)
{
	struct side *side = r->side;
	const json_t *results = json_object_get(r->root, "results");
	struct status ignored = {""};
	const char *name, *value;
	unsigned added = 0;
	if (!json_is_array(results) || !json_is_object(json_object_get(r->root, "config")))
		return refuse_kind(&r->at, r->head);
	for (unsigned k = 0; k < COLL_KINDS; k++)
		db_add(side->db, "nccl_collective", "it", k, coll_info((enum coll_kind)k)->name);
	db_add(side->db, "nccl_file", "ttij", side->letter, r->variant, RECORD_MAX_RANKS, r->root);
	if (db_run_text(side->db, "harness/compare/nccl_tests.sql", &ignored))
		return refuse_kind(&r->at, r->head); /* nested beyond what SQLite reads */
	struct db_rows *of = side_ask(
	    side->arena, side->db,
	    "SELECT wrong, collective, ranks, knows, matrix, spread FROM nccl_head, nccl_wrong");
	int rc = db_next(of) ? read_head(r, of) : -1;
	db_end(of, &ignored);
	if (rc)
		return -1;
	of = side_ask(side->arena, side->db, "SELECT fact, value FROM nccl_says");
	while (db_next(of))
		if ((value = db_text(of, 1)))
			side_says(side, db_text(of, 0), value);
	db_end(of, &ignored);
	of = side_ask(side->arena, side->db, "SELECT * FROM nccl_variable");
	while (db_next(of) && (name = arena_copy(side->arena, db_text(of, 0))))
		side_variable(side, name, db_text(of, 1));
	db_end(of, &ignored);
	of = side_ask(side->arena, side->db, "SELECT * FROM nccl_row");
	rc = check_rows(r, results);
	while (!rc && db_next(of))
		rc = add_row(r, of, &added);
	db_end(of, &ignored);
	if (rc)
		return -1;
	if (!json_array_size(results))
		return member_bad(&r->at, "holds no whole row of times: was it cut off?");
	if (!added)
		return member_bad(&r->at, "holds no row of a datatype and operation that are known "
		                          "here (`launchgap list` names them)");
	side->torn |= !json_object_get(r->root, "end_time");
	side->nfiles++;
	return 0;
}

int nccl_tests_read(const char *file, const char *variant, unsigned trial, struct side *side,
                    struct status *st)
{
	struct reading r = {
	    .at = {.file = file, .st = st}, .side = side, .variant = variant, .trial = trial};
	json_error_t why;
	const char *cause;
	FILE *in = sanitize_stream(file, MOST_BYTES, &cause);
	if (!in)
		return status_set(st, "cannot read %s: %s", file, cause);
	r.head[fread(r.head, 1, sizeof r.head - 1, in)] = '\0';
	rewind(in);
	const bool json = *r.head == '{';
	json_t *root = json ? json_loadf(in, 0, &why) : nccl_text_read(in, file);
	fclose(in);
	if (!root && !json)
		return refuse_kind(&r.at, r.head);
	/* Without why.text, which quotes the file: the quoted part may be the environment. */
	if (!root)
		return member_bad(&r.at,
		                  "not JSON from line %d, column %d, on; a run of nccl-tests that "
		                  "was stopped leaves such a file",
		                  why.line, why.column);
	r.root = json_keep(side->arena, root);
	int result = read_root(&r);
	arena_undo(side->arena, root);
	return result;
}
