#include "figures.h"

#include "../analysis/cells.h"
#include "../analysis/looks.h"
#include "../analysis/stats.h"
#include "../coll/counts.h"
#include "../data/load.h"
#include "../texts.h"
#include "chapters.h"
#include "run.h"

#define MARGIN 0.02 /* where the record names none */

double figures_number(const struct figures *f, const char *sql)
{
	const struct db_source query = {.file = "harness/chapters/figures.c", .sql = sql};
	struct status ignored = {""};
	struct db_rows *rows = db_ask(f->db, &query, &ignored);
	const double x = rows && db_next(rows) ? db_real(rows, 0) : NAN;
	if (rows)
		db_end(rows, &ignored);
	return x;
}

static void put_differs(const struct figures *f, unsigned v, unsigned other)
{
	char keys[512] = "", *rest = keys, *key;
	settings_differ(&f->run->variants[other].settings, &f->run->variants[v].settings, keys,
	                sizeof keys);
	while (*keys && (key = strsep(&rest, ",")))
		db_add(f->db, "differs", "iit", v, other, key + strspn(key, " "));
}

/* Whether two variants are the same except for who launches and for the library. */
static bool is_like(const struct record_variant *a, const struct record_variant *b)
{
	char keys[512];
	struct settings as = b->settings;
	if (!a->known || !b->known || layout_ranks(a->settings.layout) != layout_ranks(as.layout))
		return false;
	memcpy(as.mode, a->settings.mode, sizeof as.mode);
	memcpy(as.nccl, a->settings.nccl, sizeof as.nccl);
	as.layout = a->settings.layout;
	return !settings_differ(&a->settings, &as, keys, sizeof keys);
}

/* The variant of a role, or nvariants. */
static unsigned with_role(const struct record_run *run, const char *role)
{
	unsigned v = 0;
	while (v < run->nvariants && strcmp(run->variants[v].role, role))
		v++;
	return v;
}

static void put_known(const struct figures *f, unsigned reference)
{
	const struct record_variant *all = f->run->variants;
	for (unsigned v = 0; v < f->run->nvariants; v++) {
		db_add(f->db, "known", "iiiiiiiiitti", v, 0, DB_NONE, 0, 0, 0, 0, 0,
		       record_traits(f->run, all[v].name)->launches, "", "",
		       reference < f->run->nvariants && is_like(&all[v], &all[reference]));
		for (unsigned w = 0; w < f->run->nvariants; w++)
			put_differs(f, v, w);
	}
}

/* The argument of alltoallv, if it was measured; else NULL. */
static const char *counts_of(const struct figures *f)
{
	const json_t *counts = json_object_get(f->run->environment, "counts");
	struct value_weights weights;
	struct status st = {""};
	char text[COUNTS_TEXT_BYTES];
	if (isnan(figures_number(f, "SELECT 1 FROM place WHERE coll = 'alltoallv'")) ||
	    counts_from_json(counts, &weights, &st))
		return NULL;
	counts_text(&weights, (unsigned)run_number(f->run, "ranks"), text);
	return arena_copy(f->arena, text);
}

size_t figures_end(struct claim_range sizes)
{
	return sizes.hi < LLONG_MAX ? sizes.hi : (size_t)LLONG_MAX;
}

/* What results.sql does not find. */
static void put_given(const struct figures *f, const struct looks *looks)
{
	const struct record_run *run = f->run;
	const unsigned reference = with_role(run, "reference");
	const json_t *calls = json_object_get(run->environment, "isolated_calls");
	const double margin = json_number_value(json_object_get(run->environment, "margin"));
	const unsigned isolated =
	    json_integer_value(calls) > 0 ? (unsigned)json_integer_value(calls) : DB_NONE;
	db_add(f->db, "given", "ttddiiiiiiiiiiitttiiiidt",
	       reference < run->nvariants ? run->variants[reference].name : NULL,
	       run_machine(run, f->arena), margin > 0 ? margin : MARGIN, looks->confidence, 0,
	       STATS_MIN_BLOCKS,
	       (unsigned)figures_number(f, "SELECT ifnull(max(grp) + 1, 0) FROM place"), 0,
	       isolated, isolated, TRIAL_P99_CALLS, 0, 0, 0, 0, (const char *)NULL,
	       run_trouble(run, f->arena), (const char *)NULL, run->search != NULL, DB_NONE,
	       record_traits(run, NULL)->gpus, DB_NONE,
	       figures_number(
	           f, "SELECT 1e-9 * avg(to_ns - from_ns) FROM spent_job WHERE \"on\" = 'trial'"),
	       counts_of(f));
	db_add(f->db, "look", "iiiitti", 0, looks->n, looks->first, looks->added,
	       arena_text(f->arena, "%.4g %%", 100 * looks->confidence),
	       arena_text(f->arena, "%.3g %%", 100 * (1 - looks->confidence)), looks->by_width);
	put_known(f, reference);
}

/* --- places --- */

/* A row of place_found. */
struct found {
	unsigned id, group, nth, sizes;
	bool limit;
	const struct record_cell *cell;
};

/* Whether a collective is a part of a step that was measured whole: it shows what the step consists
 * of, and is not compared in addition. */
static bool is_part(const struct found *all, unsigned n, enum coll_kind coll)
{
	const unsigned kinds = COLL_TRAINS | COLL_ROUTED, is = coll_info(coll)->is;
	for (unsigned i = 0; (is & COLL_STEP_PART) && i < n; i++) {
		const unsigned other = coll_info(all[i].cell->cell.coll)->is;
		if (!(other & COLL_STEP_PART) && (other & kinds) == (is & kinds))
			return true;
	}
	return false;
}

/* Parts of a step, pairs and pseudo-collectives have no own verdict; launching has none
 * where ranks share cores. */
static void put_place(const struct figures *f, const struct found *of, bool part, bool shared)
{
	const struct cell *c = &of->cell->cell;
	const unsigned is = coll_info(c->coll)->is, nranks = of->cell->nranks,
	               among = c->comm_ranks ? c->comm_ranks : nranks;
	const bool judged = !of->limit && !part && !(is & (COLL_PSEUDO | COLL_PAIRS)) &&
	                    !(shared && c->pace == PACE_ISOLATED);
	const size_t moved = cells_moved(f->run, c, nranks);
	const double share = coll_algbw(c->coll, c->comm_ranks, 1000000000, 1);
	db_add(f->db, "place", "iiiiiiitittttiitiiiiilllliidd", of->id, of->group, of->nth,
	       of->sizes, of->limit, judged, part, coll_info(c->coll)->name, c->coll,
	       coll_word(c, nranks).text, coll_title(c, nranks).text, coll_dtype_name(c->dtype),
	       coll_op_name(c->op), c->root, c->in_place, coll_pace_name(c->pace), nranks, among,
	       among == nranks, is & COLL_PAIRS ? value_pair_from(c->root) : DB_NONE,
	       is & COLL_PAIRS ? value_pair_to(c->root, nranks) : DB_NONE, c->asked_bytes, c->bytes,
	       c->bytes / coll_dtype_bytes(c->dtype), moved, (is & COLL_ROOTED) != 0,
	       (is & COLL_IN_PLACE) != 0, (double)moved * share,
	       coll_busbw(c->coll, c->comm_ranks, 1000000000, 1) / share);
}

static int put_places(const struct figures *f, struct status *st)
{
	static const struct db_source query = {
	    .file = "harness/chapters/figures.c",
	    .sql = "SELECT id, grp, nth, sizes, is_limit, cell FROM place_found ORDER BY id"};
	struct db_rows *rows = db_ask(f->db, &query, st);
	struct found *all = NULL;
	unsigned n = 0;
	bool shared = false;
	for (; rows && db_next(rows); n++) {
		all = arena_more(f->arena, all, n, sizeof *all);
		all[n] = (struct found){
		    (unsigned)db_real(rows, 0), (unsigned)db_real(rows, 1),
		    (unsigned)db_real(rows, 2), (unsigned)db_real(rows, 3),
		    db_real(rows, 4) > 0,       &f->run->cells[(unsigned)db_real(rows, 5)]};
		shared |= run_shares_cores(f->run, all[n].cell->nranks);
	}
	for (unsigned i = 0; i < n; i++)
		put_place(f, &all[i], is_part(all, n, all[i].cell->cell.coll), shared);
	return rows ? db_end(rows, st) : -1;
}

/* --- ranks --- */

/* Of the cells of a variant at a place. */
static void put_ranks(const struct figures *f, unsigned variant, unsigned place,
                      const struct record_cell *const *cells, size_t n)
{
	const struct arena_mark mark = arena_mark(f->arena);
	const struct cells_rank *ranks = n ? cells_ranks_of(f->arena, cells, n) : NULL;
	for (unsigned r = 0; n && r < cells[0]->nranks; r++)
		db_add(f->db, "result_rank", "iiiddddddd", variant, place, r, ranks[r].skew_us,
		       ranks[r].launch_us, ranks[r].finish_us, ranks[r].late_us,
		       ranks[r].late_sure_us, ranks[r].last, ranks[r].last_by_us);
	arena_release(f->arena, mark);
}

/* Where each cell belongs, and the ranks of those that count. */
static int put_cells(const struct figures *f, struct status *st)
{
	static const struct db_source query = {
	    .file = "harness/chapters/figures.c",
	    .sql = "SELECT c.id, p.id, variant, pass = 'timed' AND error IS NULL, "
	           "max(ifnull(time_ns, 0) > 0 AND pass = 'timed' AND error IS NULL) "
	           "OVER (PARTITION BY variant, p.id) FROM place p CROSS JOIN cell c "
	           "JOIN trial t ON t.id = c.trial WHERE (c.coll_nth, c.bytes, c.pace, c.dtype, "
	           "c.op, c.in_place, c.root, c.ranks, coalesce(nullif(c.comm_ranks, 0), c.ranks)) "
	           "= (p.coll_nth, p.bytes, p.pace, p.dtype, p.op, p.in_place, p.root, p.ranks, "
	           "p.comm_ranks) ORDER BY variant, p.id, c.id"};
	const struct record_cell **cells =
	    ARENA_ARRAY(f->arena, const struct record_cell *, f->run->ncells + 1);
	struct db_rows *rows = db_ask(f->db, &query, st);
	unsigned place = UINT_MAX, variant = 0;
	size_t n = 0;
	while (rows && db_next(rows)) {
		const unsigned id = (unsigned)db_real(rows, 0), at = (unsigned)db_real(rows, 1),
		               of = (unsigned)db_real(rows, 2);
		if (at != place || of != variant) {
			put_ranks(f, variant, place, cells, n);
			n = 0;
		}
		place = at;
		variant = of;
		db_add(f->db, "cell_place", "ii", id, place);
		if (db_real(rows, 3) > 0 && db_real(rows, 4) > 0)
			cells[n++] = &f->run->cells[id];
	}
	put_ranks(f, variant, place, cells, n);
	return rows ? db_end(rows, st) : -1;
}

static void put_chapters(const struct figures *f)
{
	unsigned n;
	const char *const *all = chapters_all(&n);
	for (unsigned i = 0; i < n; i++)
		db_add(f->db, "chapter", "t", all[i]);
}

/* The tables that a comparison of runs needs too. */
static int load_results(struct figures *f, const struct looks *looks, struct status *st)
{
	f->db = load_run(f->run, f->arena, st);
	if (!f->db || db_run_text(f->db, "harness/chapters/figures.sql", st) || put_places(f, st) ||
	    put_cells(f, st))
		return -1;
	db_looks(f->db, looks);
	put_given(f, looks);
	figures_of_trust(f);
	return db_run_text(f->db, "harness/analysis/results.sql", st);
}

struct db *figures_results(const struct record_run *run, struct arena *arena, struct status *st)
{
	struct figures f = {run, arena, NULL};
	const struct looks looks = looks_count(run);
	return load_results(&f, &looks, st) ? NULL : f.db;
}

struct db *figures_load(const struct record_run *run, const struct looks *looks,
                        struct arena *arena, struct status *st)
{
	static const char *const texts[] = {
	    "analysis/drawn",    "analysis/channels",  "analysis/links",    "chapters/experiment",
	    "chapters/factors",  "chapters/gap",       "chapters/versions", "chapters/contrast",
	    "chapters/verdicts", "chapters/gap_found", "chapters/evidence"};
	struct figures f = {run, arena, NULL};
	const struct looks own = looks_count(run);
	if (load_results(&f, looks ? looks : &own, st) || figures_of_experiment(&f, st))
		return NULL;
	for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++)
		if (db_run_text(f.db, arena_text(arena, "harness/%s.sql", texts[i]), st))
			return NULL;
	db_add(f.db, "reached_file", "t", texts_find("results/reference/bandwidth.csv"));
	if (figures_of_tuning(&f, st))
		return NULL;
	put_chapters(&f);
	if (db_run_text(f.db, "harness/chapters/bandwidth.sql", st) ||
	    db_run_text(f.db, "harness/chapters/tuned.sql", st) ||
	    db_run_text(f.db, "harness/chapters/shared.sql", st))
		return NULL;
	db_seal(f.db);
	return f.db;
}
