#include "comparison.h"

#include <math.h>
#include <string.h>

#include "../arena.h"
#include "../story/verdict_text.h"
#include "../texts.h"
#include "unpaired.h"

#define CHAPTER "harness/compare/compare.chapter"

/* --- ratios and verdicts of cells -------------------------------------------------------- */

/* A pair over all of its sizes, nth 0, or at one: the logarithms of its times, one a trial. */
struct judged {
	unsigned pair, nth;
	size_t bytes;
	bool counted;
	double *logs[2]; /* of A and B */
	unsigned n[2];
};

/* Shift of log times, converted back to a ratio: time of A ÷ time of B, above 1 is faster. */
static struct stats_ratio ratio_of(struct arena *arena, const double *left, unsigned nleft,
                                   const double *right, unsigned nright)
{
	struct unpaired shift =
	    unpaired_shift(arena, left, nleft, right, nright, VERDICT_CONFIDENCE);
	/* With this many trials on each side the interval would be as wide. */
	double both = nleft + nright ? 2.0 * nleft * nright / (nleft + nright) : 0;
	return (struct stats_ratio){.estimate = exp(shift.shift),
	                            .lo = exp(shift.lo),
	                            .hi = exp(shift.hi),
	                            .blocks = both < 2 ? 2 : (unsigned)lround(both),
	                            .confidence = shift.confidence};
}

static void put_judged(struct comparison *c, const struct judged *j)
{
	const unsigned nleft = j->n[0], nright = j->n[1], nth = j->nth;
	const struct stats_ratio ratio = ratio_of(c->arena, j->logs[0], nleft, j->logs[1], nright);
	const bool open = c->moved && j->counted;
	struct verdict v = verdict_of(ratio, c->margin);
	const enum verdict_kind kind = open ? VERDICT_UNDECIDED : v.kind;
	const double wide = verdict_wide_margin(&ratio);
	char words[VERDICT_TEXT_BYTES], unseen[64];
	if (!nth) {
		v.kind = kind;
		if (isnan(ratio.lo))
			v.more_blocks = unpaired_lacks(c->arena, nleft, nright, VERDICT_CONFIDENCE);
		v.more_blocks = open ? 0 : v.more_blocks; /* none would help */
		c->moved |= !j->counted && verdict_effect(&v);
		c->worse |= j->counted && verdict_beyond(&v) < 0;
		c->counted |= j->counted;
	}
	verdict_text(&v, words, sizeof words);
	verdict_unseen_text(v.detectable, unseen, sizeof unseen);
	db_add(c->db, "judged", "iilddrttttidtdtiii", j->pair, nth, j->bytes,
	       nth ? exp(stats_median(j->logs[0], nleft)) : NAN,
	       nth ? exp(stats_median(j->logs[1], nright)) : NAN, ratio,
	       isnan(ratio.estimate) ? NULL : format_ratio(&ratio).text, verdict_word(kind),
	       verdict_word(v.kind), words, v.more_blocks, v.detectable, unseen, wide,
	       arena_text(c->arena, "%.2g%%", 100 * wide),
	       verdict_scatters(&ratio, c->margin, VERDICT_BOTH_ENDS), nleft, nright);
}

/* The limit's pairs first: if one of them differs, all others are undecided. */
int comparison_judge(struct comparison *c, struct status *st)
{
	static const struct db_source query = {
	    .file = "comparison.c",
	    .sql = "SELECT pair, nth, asked_bytes, counted, side = 'B', x FROM log "
	           "ORDER BY counted, pair, nth, side, block"};
	struct db_rows *rows = db_ask(c->db, &query, st);
	struct judged *all = NULL;
	unsigned n = 0;
	for (; rows && db_next(rows);) {
		const unsigned pair = (unsigned)db_real(rows, 0), nth = (unsigned)db_real(rows, 1),
		               side = db_real(rows, 4) > 0;
		if (!n || all[n - 1].pair != pair || all[n - 1].nth != nth) {
			all = arena_more(c->arena, all, n, sizeof *all);
			all[n++] = (struct judged){.pair = pair,
			                           .nth = nth,
			                           .bytes = (size_t)db_real(rows, 2),
			                           .counted = db_real(rows, 3) > 0};
		}
		struct judged *j = &all[n - 1];
		j->logs[side] =
		    arena_more(c->arena, j->logs[side], j->n[side], sizeof *j->logs[side]);
		j->logs[side][j->n[side]++] = db_real(rows, 5);
	}
	if (!rows || db_end(rows, st))
		return -1;
	for (unsigned i = 0; i < n; i++)
		put_judged(c, &all[i]);
	return 0;
}

/* --- what they say ----------------------------------------------------------------------- */

// clang-format off
static const struct told_section sections[] = {
    {"Differences", "verdicts", "WHERE part = 'different' ORDER BY speed, rowid", "None is decided.", 12, .in_short = true},
    {NULL, "cells", "WHERE part = 'different' ORDER BY first, rowid", .kinds = true},
    {"Undecided", "verdicts", .where = "WHERE part = 'undecided'"},
    {NULL, "cells", "WHERE part = 'undecided' ORDER BY first, rowid", .kinds = true},
    {"The same", "verdicts", .where = "WHERE part = 'no difference'"},
    {NULL, "cells", "WHERE part = 'no difference' ORDER BY first, rowid", .kinds = true},
    {"The machine's limit, not counted", "verdicts", .where = "WHERE part = 'limit'"},
    {NULL, "cells", "WHERE part = 'limit' ORDER BY first, rowid", .kinds = true},
    {"Could not be compared", "notes", "WHERE part = 'apart'", .in_short = true, .items = true},
    {"The two sides", "sides", .where = "WHERE fact <> 'result'"},
    {NULL, "notes", "WHERE part = 'known'", .items = true},
    {.says = true},
    {.table = NULL}};
// clang-format on
static const char *const tables[] = {"answer", "verdicts", "cells", "sides", "notes", NULL};

int comparison_tell(struct comparison *c, struct told *t, struct status *st)
{
	t->db = c->db;
	t->title =
	    told_text(t, "SELECT iif(a = b AND a <> '', a || ': ', '') || 'B compared with A' "
	                 "FROM fact WHERE name = 'experiment'");
	db_add(c->db, "given", "dtit", c->margin, arena_text(c->arena, "%.3g %%", c->margin * 100),
	       VERDICT_MOST_MORE, t->refused);
	t->links = true;
	t->sections = sections;
	t->tables = tables;
	return told_tell(t, CHAPTER, texts_find(CHAPTER), st);
}
