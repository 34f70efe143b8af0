#include "combine.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "../analysis/claims.h"
#include "../analysis/pooled.h"
#include "../arena.h"
#include "../chapters/figures.h"
#include "../config/family.h"
#include "../record/record_file.h"
#include "../story/story.h"
#include "../data/verdict_text.h"
#include "../texts.h"
#include "side.h"

#define CHAPTER "harness/compare/combine.chapter"

struct combining {
	struct arena *arena;
	struct db *db;
	struct claim_list *runs[POOLED_MOST];
	unsigned n;
};

/* --- the runs ---------------------------------------------------------------------------- */

/* What the run says, by its own tables: intervals of claims, of regimes and of cells. */
static int say_all(const struct combining *c, struct db *run, struct status *st)
{
	static const struct db_source query = {
	    .file = "combine.c",
	    .sql =
	        "SELECT printf('%s %s %s %s %s %.9f %.9f %d %d %d', name, left_name, right_name, "
	        "a.metric, kind, a.by, a.times, f.from_bytes, f.to_bytes, f.cells), 'claim', a.id, "
	        "0, NULL, NULL, NULL, NULL, 0, c ->> 'ratio', c ->> 'lo', c ->> 'hi', c ->> "
	        "'blocks', c ->> 'confidence' "
	        "FROM contrast_found f JOIN asked_claim a ON a.id = part WHERE finding = 'claims' "
	        "UNION ALL SELECT printf('%s %s %d %d', v.name, r.name, least_bytes, most_bytes), "
	        "'regime', r.nth, role = 'again', r.name, v.name, r.label, NULL, 0, speed, "
	        "speed_lo, speed_hi, c ->> 'blocks', c ->> 'confidence' "
	        "FROM contrast_found f "
	        "JOIN regime r ON r.nth = part JOIN variant v ON v.id = f.variant "
	        "WHERE finding = 'regime' "
	        "UNION ALL SELECT printf('%s %s %s %s %s %d %d %d %d %d', v.name, coll, pace, "
	        "dtype, op, in_place, root, comm_ranks, p.ranks, bytes), 'cell', p.id, role = "
	        "'again', NULL, v.name, what, pace, asked_bytes, speed, speed_lo, speed_hi, c ->> "
	        "'blocks', c ->> 'confidence' "
	        "FROM contrast_found f JOIN place p ON p.id = part "
	        "JOIN variant v ON v.id = f.variant WHERE finding = 'place' ORDER BY 2, 3, 6"};
	struct db_rows *of = db_ask(run, &query, st);
	while (of && db_next(of))
		if (!isnan(db_real(of, 10)))
			db_add(c->db, "said", "ttiiittttldddid",
			       arena_copy(c->arena, db_text(of, 0)), db_text(of, 1), c->n,
			       (unsigned)db_real(of, 2), db_real(of, 3) > 0, db_text(of, 4),
			       db_text(of, 5), db_text(of, 6), db_text(of, 7),
			       (int64_t)db_real(of, 8), db_real(of, 9), db_real(of, 10),
			       db_real(of, 11), (unsigned)db_real(of, 12), db_real(of, 13));
	return of ? db_end(of, st) : -1;
}

static int add_run(struct combining *c, const struct compared *t, const char *path,
                   struct status *st)
{
	/* "GPU-164679bb-…": as much as tells them apart. Then the regimes in which the run cannot
	 * distinguish variants. */
	static const char about[] =
	    "SELECT blocks, ifnull((SELECT group_concat(nullif(substr(iif(g.type = 'object', "
	    "g.value ->> '$.uuid', ''), 1, 12), ''), ', ') FROM environment e, "
	    "json_each(iif(json_valid(e.value), e.value, '[]')) g WHERE e.key = 'machine.gpus'), "
	    "''), "
	    "ifnull((SELECT value FROM environment WHERE key = 'machine.boot'), ''), "
	    "(SELECT group_concat(label, ', ') FROM regime WHERE NOT tells), "
	    "ifnull((SELECT value FROM environment WHERE key = 'seed'), '') FROM given";
	struct side side = {
	    .arena = c->arena, .db = c->db, .letter = arena_text(c->arena, "%c", 'A' + c->n)};
	if (!access(path, F_OK) && !source_is_record(path))
		return status_set(
		    st,
		    "%s is no record, and to combine takes records; nccl-tests' files are one side "
		    "together, in a folder or with commas between%s",
		    path, record_file_latest(path).text);
	struct source_record *record = ARENA_NEW(c->arena, struct source_record);
	if (source_open(path, true, c->arena, record, st))
		return -1;
	struct db *run = record->db;
	source_facts(&side, record);
	c->runs[c->n] = ARENA_NEW(c->arena, struct claim_list);
	if (claim_list_take(record->run.environment, c->runs[c->n], st))
		return -1;
	struct db_rows *rows = side_ask(c->arena, run, about);
	if (!db_next(rows))
		return -1;
	db_add(c->db, "repetition", "ttitttt", side.letter, side_plain(c->arena, path),
	       (unsigned)db_real(rows, 0), db_text(rows, 1), db_text(rows, 2), db_text(rows, 3),
	       db_text(rows, 4));
	if (db_end(rows, st) || say_all(c, run, st))
		return -1;
	arena_undo(c->arena, run);
	c->n++;
	const char *why = compared_text(t, "SELECT why FROM refused");
	return why ? status_set(st, "%s", why) : 0;
}

/* --- what they say together -------------------------------------------------------------- */

/* What the runs say of a question. */
struct question {
	const char *question, *kind;
	struct stats_ratio runs[POOLED_MOST];
	unsigned n;
	const struct claim *claim; /* of the first run that tested it; NULL: it is none */
	struct claims_result result;
	bool primary;
	double p_adjusted; /* within its family; of the primary claim p itself */
	struct pooled pooled;
};

static struct question question_of(const struct combining *c, const struct db_rows *row)
{
	struct question q = {.question = arena_copy(c->arena, db_text(row, 0)),
	                     .kind = arena_copy(c->arena, db_text(row, 1))};
	if (!strcmp(q.kind, "claim")) {
		q.claim = &c->runs[(unsigned)db_real(row, 2)]->claims[(unsigned)db_real(row, 3)];
		q.primary = !strcmp(q.claim->name, c->runs[0]->primary);
	}
	return q;
}

/* Those that several runs answer. */
static struct question *read_questions(const struct combining *c, unsigned *n, struct status *st)
{
	static const char query[] =
	    "SELECT question, kind, run, nth, ratio, ratio_lo, ratio_hi, ratio_blocks, "
	    "confidence FROM said JOIN (SELECT question, min(rowid) first FROM said "
	    "GROUP BY question HAVING count(*) > 1) USING (question) ORDER BY first, run";
	struct question *all = NULL, *now = NULL;
	struct db_rows *rows = side_ask(c->arena, c->db, query);
	for (*n = 0; db_next(rows);) {
		if (!now || strcmp(now->question, db_text(rows, 0))) {
			all = arena_more(c->arena, all, *n, sizeof *all);
			now = &all[(*n)++];
			*now = question_of(c, rows);
		}
		now->runs[now->n++] =
		    (struct stats_ratio){db_real(rows, 4), db_real(rows, 5), db_real(rows, 6),
		                         (unsigned)db_real(rows, 7), db_real(rows, 8)};
	}
	arena_need(c->arena, !db_end(rows, st));
	for (unsigned i = 0; i < *n; i++)
		all[i].pooled = pooled_of(all[i].runs, all[i].n, VERDICT_CONFIDENCE);
	return all;
}

/* More runs decide, not blocks of one: more blocks are not said, here and below. */
static void judge_claim(struct question *q)
{
	const struct pooled *p = &q->pooled;
	const double from = q->claim->of > 0 ? log(q->claim->of) : 0, edge = log1p(q->claim->by);
	q->result = (struct claims_result){.claim = q->claim,
	                                   .ratio = {p->bounds, p->ratio},
	                                   .tails = {.less = pooled_tails(p, from - edge),
	                                             .one = pooled_tails(p, from),
	                                             .more = pooled_tails(p, from + edge)}};
	claims_judge(&q->result, 0);
	q->result.more_blocks = 0;
}

static void put(const struct combining *c, const struct question *q, const char *verdict,
                const struct stats_ratio *ratio)
{
	const struct claim *x = q->claim;
	const struct pooled *p = &q->pooled;
	/* Without an interval it would repeat the ratio. */
	const struct stats_ratio next = isnan(p->next.lo) ? STATS_NO_RATIO : p->next;
	db_add(c->db, "together", "tttttidddiirdr", q->question, q->kind, verdict,
	       x ? x->name : NULL, x ? x->text : NULL, q->primary, x ? q->result.p : NAN,
	       x ? q->p_adjusted : NAN, p->scatter, p->runs, ratio->blocks, *ratio,
	       ratio->confidence, next);
}

static void put_claims(const struct combining *c, struct question *all, unsigned n)
{
	unsigned family = 0;
	for (unsigned i = 0; i < n; i++)
		if (all[i].claim) {
			judge_claim(&all[i]);
			family += !all[i].primary && !isnan(all[i].result.p);
		}
	for (struct question *q = all; q < all + n; q++) {
		struct claims_result *r = &q->result;
		if (!q->claim)
			continue;
		q->p_adjusted = q->primary ? r->p : family_p(r->p, family);
		r->alone = claims_decided(r) && !(q->p_adjusted <= FAMILY_ALPHA);
		put(c, q, verdict_claim_text(c->arena, r), claims_interval(r));
	}
}

/* --- all of it --------------------------------------------------------------------------- */

/* The chapter, with each of its lines that has RUN once for each run. */
static const char *chapter_of(const struct combining *c)
{
	const struct arena_stream *to = arena_stream(c->arena);
	for (const char *text = texts_find(CHAPTER), *end; *text; text = end) {
		end = text + strcspn(text, "\n") + 1;
		const char *line = arena_text(c->arena, "%.*s", (int)(end - text), text);
		const bool comment = !strncmp(line, "--", 2);
		for (unsigned i = 0; i < (strstr(line, "RUN") && !comment ? c->n : 1); i++) {
			const char *at = line;
			for (const char *run; (run = strstr(at, "RUN")); at = run + 3)
				fprintf(to->out, "%.*s%c", (int)(run - at), at, 'A' + i);
			fputs(at, to->out);
		}
	}
	return arena_written(c->arena, to);
}

// clang-format off
static const struct compared_section sections[] = {
    {"Differences from the reference", "verdicts", "WHERE part = 'different'", "None is decided.", .in_short = true},
    {"Undecided", "verdicts", .where = "WHERE part = 'undecided'"},
    {"The same", "verdicts", .where = "WHERE part = 'no difference'"},
    {"The reference against itself", "verdicts", .where = "WHERE part = 'limit'"},
    {.says = true},
    {"Claims", "claims", .where = ""},
    {"By size", "cells", .where = ""},
    {"The runs", "runs", .where = ""},
    {.table = NULL}};
// clang-format on
static const char *const tables[] = {"claims", "verdicts", "cells", "runs", NULL};

int combine_runs(struct compared *t, double margin, struct status *st)
{
	struct combining c = {.arena = t->arena, .db = db_open(t->arena)};
	unsigned n;
	t->db = c.db;
	t->sections = sections;
	t->tables = tables;
	if (db_run_text(c.db, "harness/compare/sides.sql", st) ||
	    db_run_text(c.db, "harness/compare/combined.sql", st))
		return -1;
	for (unsigned i = 0; i < t->npaths; i++)
		if (add_run(&c, t, t->paths[i], st))
			return -1;
	db_add(c.db, "given", "d", margin);
	struct question *all = read_questions(&c, &n, st);
	if (!n)
		return status_set(st, "the runs have no claim and no cell in common with an "
		                      "interval; below 6 blocks a run has none");
	put_claims(&c, all, n);
	for (unsigned i = 0; i < n; i++)
		if (!all[i].claim)
			put(&c, &all[i], NULL, &all[i].pooled.ratio);
	t->title = compared_text(t, "SELECT experiment || ': ' || (SELECT count(*) FROM run) || "
	                            "' runs as one' FROM run ORDER BY run");
	return compared_tell(t, CHAPTER, chapter_of(&c), st);
}
