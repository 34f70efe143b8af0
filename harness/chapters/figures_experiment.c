/* What the experiment's file asks: the tables metric, regime_range, asked_factor, asked_gap and
 * asked_claim. */

#include "../config/family.h"
#include "figures.h"

static const char *pace_name(int pace)
{
	return pace == CLAIM_ANY_PACE ? NULL : coll_pace_name((enum pace)pace);
}

static const char *regime_name(int regime)
{
	return regime == CLAIM_ANY_REGIME ? NULL : claim_regime_name((unsigned)regime);
}

/* The sizes of a pace that are judged, ascending, each once. */
static unsigned sizes_of(const struct figures *f, enum pace pace, size_t **list)
{
	const struct db_source query = {
	    .file = "harness/chapters/figures_experiment.c",
	    .sql = arena_text(f->arena,
	                      "SELECT DISTINCT asked_bytes FROM place WHERE NOT is_limit AND NOT "
	                      "of_step AND coll <> 'init' AND pace = '%s' ORDER BY 1",
	                      coll_pace_name(pace))};
	struct status ignored = {""};
	struct db_rows *rows = db_ask(f->db, &query, &ignored);
	unsigned n = 0;
	for (; rows && db_next(rows); n++) {
		*list = arena_more(f->arena, *list, n, sizeof **list);
		(*list)[n] = (size_t)db_real(rows, 0);
	}
	if (rows)
		db_end(rows, &ignored);
	return n;
}

static void put_range(const struct figures *f, enum regime_kind kind, enum pace pace)
{
	size_t *sizes = NULL, least = 0, most = 0;
	const unsigned n = sizes_of(f, pace, &sizes);
	bool third = false;
	const struct claim_range range =
	    claim_regime_range(kind, record_traits(f->run, NULL)->gpus, sizes, n, &third);
	for (unsigned i = n; i-- > 0;)
		least = sizes[i] >= range.lo && sizes[i] <= range.hi ? sizes[i] : least;
	for (unsigned i = 0; i < n; i++)
		most = sizes[i] >= range.lo && sizes[i] <= range.hi ? sizes[i] : most;
	db_add(f->db, "regime_range", "ttllidd", claim_regime_name(kind), coll_pace_name(pace),
	       range.lo, figures_end(range), third, most ? (double)least : NAN,
	       most ? (double)most : NAN);
}

static void put_metric(const struct figures *f, enum metric metric)
{
	const struct metric_info *m = metric_info(metric);
	db_add(f->db, "metric", "ttttiititii", m->name, m->summary, m->brief, m->unit, m->counters,
	       m->waits, pace_name(m->pace), m->data_path, regime_name(m->regime), m->least_calls,
	       m->whole);
}

static void put_factor(const struct figures *f, const struct factor *of, unsigned id)
{
	db_add(f->db, "asked_factor", "itttttillllt", id, of->name, of->text, of->setting, of->from,
	       of->to, of->placebo, of->bytes.lo, figures_end(of->bytes), of->latency_bytes.lo,
	       figures_end(of->latency_bytes),
	       *of->from && *of->to ? "" : "it is about another backend");
}

static unsigned coll_of(const struct claim *c, bool right)
{
	const int coll = claim_coll(c, right);
	return coll == CLAIM_ANY_COLL ? DB_NONE : (unsigned)coll;
}

static void put_claim(const struct figures *f, const struct claim *c, unsigned id, bool primary)
{
	const unsigned coll = coll_of(c, false);
	db_add(f->db, "asked_claim", "ittttttttttiitttttddlliidt", id, c->name, c->text, c->source,
	       c->says, c->original, c->needs, c->left, c->right, c->left_coll, c->right_coll, coll,
	       coll_of(c, true),
	       c->coll == CLAIM_ANY_COLL ? NULL : coll_info((enum coll_kind)c->coll)->name,
	       metric_info(c->metric)->name, regime_name(c->regime), pace_name(c->pace),
	       claim_test_name(c->test), c->by, c->of, c->bytes.lo, figures_end(c->bytes), primary,
	       record_traits(f->run, NULL)->analogue, FAMILY_ALPHA,
	       arena_text(f->arena, "%d %d %d %d %d %s %s %zu %zu", c->metric, c->test, c->regime,
	                  c->pace, c->coll, c->left_coll, c->right_coll, c->bytes.lo, c->bytes.hi));
}

int figures_of_experiment(const struct figures *f, struct status *st)
{
	struct claim_list *asked = ARENA_NEW(f->arena, struct claim_list);
	if (claim_list_take(f->run->environment, asked, st))
		return -1;
	for (unsigned m = 0; m < METRIC_KINDS; m++)
		put_metric(f, (enum metric)m);
	for (unsigned k = 0; k < REGIME_KINDS; k++) {
		put_range(f, (enum regime_kind)k, PACE_STREAM);
		put_range(f, (enum regime_kind)k, PACE_ISOLATED);
	}
	for (unsigned i = 0; i < asked->nfactors; i++)
		put_factor(f, &asked->factors[i], i);
	if (*asked->gap.from)
		db_add(f->db, "asked_gap", "ttllt", asked->gap.from, asked->gap.to,
		       asked->gap.bytes.lo, figures_end(asked->gap.bytes), "");
	for (unsigned i = 0; i < asked->nclaims; i++)
		put_claim(f, &asked->claims[i], i, !strcmp(asked->claims[i].name, asked->primary));
	return 0;
}
