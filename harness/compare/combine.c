#include "combine.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "../analysis/analysis.h"
#include "../analysis/pooled.h"
#include "../arena.h"
#include "../record/member.h"
#include "../record/record_file.h"
#include "../story/story.h"
#include "../story/verdict_text.h"
#include "../texts.h"
#include "side.h"

#define CHAPTER "harness/compare/combine.chapter"

struct combining {
	struct arena *arena;
	struct db *db;
	double margin;
	const struct analysis *runs[POOLED_MOST];
	unsigned n;
};

/* --- the runs ---------------------------------------------------------------------------- */

/* What tells one set of GPUs from another. */
static const char *gpus_of(struct arena *arena, const json_t *machine)
{
	const json_t *list = json_object_get(machine, "gpus");
	const char *all = "";
	for (size_t i = 0; i < json_array_size(list); i++) {
		const char *id = member_or_empty(json_array_get(list, i), "uuid");
		/* "GPU-164679bb-…": as much as tells them apart. */
		if (*id)
			all = arena_text(arena, "%s%s%.12s", all, *all ? ", " : "", id);
	}
	return all;
}

static const char *doubt_of(struct arena *arena, const struct regimes *r)
{
	const char *all = NULL;
	for (unsigned i = 0; i < r->n; i++)
		if (!r->list[i].tells)
			all = arena_text(arena, "%s%s%s", all ? all : "", all ? ", " : "",
			                 r->list[i].label);
	return all;
}

static void say(const struct combining *c, const char *kind, unsigned nth, bool twin,
                const char *regime, const char *variant, const char *what, const struct cell *cell,
                const struct stats_ratio *ratio, const char *question)
{
	if (!isnan(ratio->lo))
		db_add(c->db, "said", "ttiiittttlrd", question, kind, c->n, nth, twin, regime,
		       variant, what, cell ? coll_pace_name(cell->pace) : NULL,
		       cell ? (int64_t)cell->asked_bytes : 0, *ratio, ratio->confidence);
}

static void say_claims(const struct combining *c, const struct analysis *a)
{
	for (unsigned i = 0; i < a->asked.nclaims; i++) {
		const struct claims_result *r = &a->claims[i];
		const struct claim *x = r->claim;
		const struct claim_range *sizes = &r->contrast.sizes;
		if (r->outcome != CLAIMS_UNTESTED)
			say(c, "claim", i, false, NULL, NULL, NULL, NULL, &r->contrast.ratio,
			    arena_text(c->arena, "%s %s %s %d %d %.9f %.9f %zu %zu %u", x->name,
			               x->left, x->right, x->metric, x->test, x->by, x->of,
			               sizes->lo, sizes->hi, r->contrast.ncells));
	}
}

static void say_speeds(const struct combining *c, const struct analysis *a)
{
	const struct summary *s = a->s;
	for (unsigned i = 0; i < a->regimes.n; i++) {
		const struct regime *g = &a->regimes.list[i];
		for (unsigned v = 0; v < g->nvariants; v++)
			say(c, "regime", i, (int)v == g->twin, g->name, s->variants[v].name,
			    g->label, NULL, &g->contrasts[v].verdict.ratio,
			    arena_text(c->arena, "%s %s %zu %zu", s->variants[v].name, g->name,
			               g->sizes.lo, g->sizes.hi));
	}
	for (unsigned i = 0; i < s->nrows; i++) {
		const struct summary_row *row = &s->rows[i];
		const struct cell *x = &row->cell;
		const char *variant = s->variants[row->variant].name;
		say(c, "cell", i, (int)row->variant == s->twin, NULL, variant,
		    coll_word(x, row->nranks).text, x, &row->ratio,
		    arena_text(c->arena, "%s %s %u %zu", variant, side_kind(c->arena, x),
		               row->nranks, x->bytes));
	}
}

static int add_run(struct combining *c, const struct told *t, const char *path, struct status *st)
{
	struct side side = {
	    .arena = c->arena, .db = c->db, .letter = arena_text(c->arena, "%c", 'A' + c->n)};
	if (!access(path, F_OK) && !source_is_record(path))
		return status_set(
		    st,
		    "%s is no record, and to combine takes records; nccl-tests' files "
		    "are one side together, in a folder or with commas between%s",
		    path, record_file_latest(path).text);
	struct source_record *record = ARENA_NEW(c->arena, struct source_record);
	if (source_open(path, c->arena, record, st))
		return -1;
	source_facts(&side, &record->s);
	const struct analysis *a = c->runs[c->n] = analysis_make(&record->s, st);
	if (!a)
		return -1;
	const json_t *env = record->run.environment, *machine = json_object_get(env, "machine");
	db_add(c->db, "repetition", "ttitttt", side.letter, side_plain(c->arena, path),
	       record->s.nblocks, gpus_of(c->arena, machine), member_or_empty(machine, "boot"),
	       doubt_of(c->arena, &a->regimes), member_or_empty(env, "seed"));
	say_claims(c, a);
	say_speeds(c, a);
	c->n++;
	const char *why = told_text(t, "SELECT why FROM refused");
	return why ? status_set(st, "%s", why) : 0;
}

/* --- what they say together -------------------------------------------------------------- */

/* What the runs say of a question. */
struct question {
	const char *question, *kind, *regime;
	bool twin;
	struct stats_ratio runs[POOLED_MOST];
	unsigned n;
	struct claims_result claim; /* of the first run that tested it, then of all */
	struct pooled pooled;
};

static struct question question_of(const struct combining *c, const struct db_rows *row)
{
	const char *regime = db_text(row, 2), *kind = db_text(row, 1);
	struct question q = {.question = arena_copy(c->arena, db_text(row, 0)),
	                     .kind = arena_copy(c->arena, kind),
	                     .regime = arena_copy(c->arena, regime ? regime : ""),
	                     .twin = db_real(row, 3) > 0};
	if (!strcmp(kind, "claim"))
		q.claim = c->runs[(unsigned)db_real(row, 4)]->claims[(unsigned)db_real(row, 5)];
	return q;
}

/* Those that several runs answer; the A/A lines first. */
static struct question *read_questions(const struct combining *c, unsigned *n, struct status *st)
{
	static const struct db_source query = {
	    .file = "combine.c",
	    .sql = "SELECT question, kind, regime, twin, run, nth, ratio, ratio_lo, ratio_hi, "
	           "ratio_blocks, confidence FROM said JOIN (SELECT question, min(rowid) first "
	           "FROM said GROUP BY question HAVING count(*) > 1) USING (question) "
	           "ORDER BY twin DESC, first, run"};
	struct question *all = NULL, *now = NULL;
	struct db_rows *rows = db_ask(c->db, &query, st);
	for (*n = 0; rows && db_next(rows);) {
		if (!now || strcmp(now->question, db_text(rows, 0))) {
			all = arena_more(c->arena, all, *n, sizeof *all);
			now = &all[(*n)++];
			*now = question_of(c, rows);
		}
		now->runs[now->n++] =
		    (struct stats_ratio){db_real(rows, 6), db_real(rows, 7), db_real(rows, 8),
		                         (unsigned)db_real(rows, 9), db_real(rows, 10)};
	}
	arena_need(c->arena, rows && !db_end(rows, st));
	for (unsigned i = 0; i < *n; i++)
		all[i].pooled = pooled_of(all[i].runs, all[i].n, VERDICT_CONFIDENCE);
	return all;
}

static struct stats_ratio divided(struct stats_ratio r, double by)
{
	r.estimate /= by;
	r.lo /= by;
	r.hi /= by;
	return r;
}

/* Blocks that more of would decide are of runs, and more runs decide: neither is said, here and below. */
static void judge_claim(const struct pooled *p, struct claims_result *r)
{
	const struct claim *claim = r->claim;
	const double of = claim->of > 0 ? claim->of : 1, edge = log1p(claim->by);
	r->contrast.ratio = p->ratio;
	r->contrast.bounds = p->bounds;
	r->contrast.odd = (struct verdict_odd){.block = 0};
	r->contrast.p = (struct contrast_p){.less = pooled_tails(p, log(of) - edge),
	                                    .one = pooled_tails(p, log(of)),
	                                    .more = pooled_tails(p, log(of) + edge)};
	r->tested = (struct claims_ratio){divided(p->bounds, of), divided(p->ratio, of)};
	r->outcome = claims_decide(&r->tested, claim->test, claim->by, &r->more_blocks);
	r->more_blocks = 0;
	r->detectable = claims_detectable(&r->tested, claim->test, claim->by);
	r->p = claims_p(&r->contrast.p, claim->test, r->outcome);
}

static void put(const struct combining *c, const struct question *q, const char *verdict,
                const char *part, const struct stats_ratio *ratio)
{
	const struct claims_result *r = q->claim.claim ? &q->claim : NULL;
	const struct pooled *p = &q->pooled;
	/* Without an interval it would repeat the ratio. */
	const struct stats_ratio next = isnan(p->next.lo) ? STATS_NO_RATIO : p->next;
	db_add(c->db, "pooled", "ttttttidddiirdr", q->question, q->kind, verdict, part,
	       r ? r->claim->name : NULL, r ? r->claim->text : NULL, r && r->primary,
	       r ? r->p : NAN, r ? r->p_adjusted : NAN, p->scatter, p->runs, ratio->blocks, *ratio,
	       ratio->confidence, next);
}

static void put_claims(const struct combining *c, struct question *all, unsigned n)
{
	struct claims_result results[CLAIM_MAX];
	unsigned k = 0;
	for (unsigned i = 0; i < n; i++)
		if (all[i].claim.claim && k < CLAIM_MAX) {
			judge_claim(&all[i].pooled, &all[i].claim);
			results[k++] = all[i].claim;
		}
	claims_family(results, k, c->runs[0]->asked.primary);
	k = 0;
	for (unsigned i = 0; i < n; i++)
		if (all[i].claim.claim && k < CLAIM_MAX) {
			all[i].claim = results[k++];
			put(c, &all[i], verdict_claim_text(c->arena, &all[i].claim, true), NULL,
			    claims_interval(&all[i].claim));
		}
}

/* As in a run: where the A/A line differs from 1, only what is beyond it is called. */
static void put_speed(const struct combining *c, const struct question *all,
                      const struct question *q)
{
	struct verdict v = verdict_of(q->pooled.ratio, c->margin);
	char said[VERDICT_TEXT_BYTES];
	v.more_blocks = 0;
	for (; all->twin && !q->twin; all++) {
		const struct regime seen = regime_of_line(&all->pooled.ratio, c->margin);
		if (*q->regime && !strcmp(all->regime, q->regime))
			regime_withhold(&seen, seen.least_effect, &v);
	}
	verdict_text(&v, said, sizeof said);
	put(c, q, said,
	    q->twin                           ? "limit"
	    : v.kind == VERDICT_UNDECIDED     ? "undecided"
	    : v.kind == VERDICT_NO_DIFFERENCE ? "no difference"
	                                      : "different",
	    &q->pooled.ratio);
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
static const struct told_section sections[] = {
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

int combine_runs(struct told *t, double margin, struct status *st)
{
	struct combining c = {.arena = t->arena, .db = db_open(t->arena), .margin = margin};
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
	struct question *all = read_questions(&c, &n, st);
	if (!n)
		return status_set(st, "the runs have no claim and no cell in common with an "
		                      "interval; below 6 blocks a run has none");
	put_claims(&c, all, n);
	for (unsigned i = 0; i < n; i++)
		if (!all[i].claim.claim)
			put_speed(&c, all, &all[i]);
	t->title = told_text(t, "SELECT experiment || ': ' || (SELECT count(*) FROM run) || "
	                        "' runs as one' FROM run ORDER BY run");
	return told_tell(t, CHAPTER, chapter_of(&c), st);
}
