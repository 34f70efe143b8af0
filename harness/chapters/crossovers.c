/* Which variant is the fastest at which sizes, and from which size on one backend beats another.
 *
 * Each size is judged by itself. The signed-rank interval of the two variants' times over the
 * blocks has to be beyond the margin, and beyond what the reference's twin shows at that size
 * (A/A). Adjacent sizes with the same answer are one range. Below 6 blocks nothing is decided. */
#include <math.h>
#include <string.h>

#include "../analysis/analysis.h"
#include "../analysis/format.h"
#include "chapters.h"
#include "run.h"

#define RANGES_MOST     12 /* ranges of a pair; more of them alternate, and are no crossover */
#define UNDECIDED_NAMED 3  /* pairs; more share one sentence */
#define ANSWER_GROUPS   4  /* in the answer; the section has all */

/* Sizes as asked, both included. */
struct fastest {
	const char *collective, *pace;
	size_t from, to;
	const char *fastest, *alike; /* alike: those that it is not shown to be faster than */
	double least, most; /* how many times as fast as the next one that is slower; NaN: none */
	const char *word, *calls, *range; /* in sentences; word: fastest, or "undecided" */
	unsigned group;
};

// clang-format off
static const struct column fastest_columns[] = {
    COLUMN(struct fastest, collective, "collective", "", TEXT),
    COLUMN(struct fastest, pace, "pace", "", TEXT),
    COLUMN_AS(struct fastest, from, "from_bytes", "from", "", BYTES, 0),
    COLUMN_AS(struct fastest, to, "to_bytes", "to", "", BYTES, 0),
    COLUMN(struct fastest, fastest, "least median", "", TEXT),
    COLUMN_AS(struct fastest, least, "least_times", "ahead of the next at least", "×", NUMBER, 0),
    COLUMN_AS(struct fastest, most, "most_times", "at most", "×", NUMBER, 0),
    COLUMN(struct fastest, alike, "not shown to be slower", "", TEXT),
    COLUMN_AS(struct fastest, word, "verdict", "", "", WORD, ONLY_FILES),
    COLUMN_AS(struct fastest, calls, "calls", "", "", TEXT, ONLY_FILES),
    COLUMN_AS(struct fastest, range, "sizes", "", "", TEXT, ONLY_FILES),
};
static const struct story_form fastest_form =
    STORY_FORM(struct fastest, fastest_columns, .name = "fastest", .title = "The fastest by size", .when = STORY_NO_WHEN);

/* A range of two variants of different backends, in one mode if they share one. */
struct range {
	const char *collective, *pace, *left, *right;
	size_t from, to;
	const char *faster; /* left, right, or "undecided" */
	double least, most; /* how many times as fast, over its sizes */
	int who;            /* 1: left is faster, -1: right, 0: not decided */
};

static const struct column range_columns[] = {
    COLUMN(struct range, collective, "collective", "", TEXT),
    COLUMN(struct range, pace, "pace", "", TEXT),
    COLUMN(struct range, left, "left", "", TEXT),
    COLUMN(struct range, right, "right", "", TEXT),
    COLUMN_AS(struct range, from, "from_bytes", "from", "", BYTES, 0),
    COLUMN_AS(struct range, to, "to_bytes", "to", "", BYTES, 0),
    COLUMN(struct range, faster, "faster", "", WORD),
    COLUMN_AS(struct range, least, "least_times", "at least", "×", NUMBER, 0),
    COLUMN_AS(struct range, most, "most_times", "at most", "×", NUMBER, 0),
};
static const struct story_form range_form =
    STORY_FORM(struct range, range_columns, .name = "crossovers", .title = "Two backends against each other", .when = STORY_NO_WHEN, .file = "crossovers.csv", .hidden = true);

/* Ranges so far: those of a pair are adjacent. */
struct pair_ranges {
	struct range *list;
	unsigned n;
};
// clang-format on

static bool counts(const struct summary *s, unsigned v)
{
	return s->variants[v].measured && summary_is_asked(s, v);
}

static bool group_counts(const struct summary *s, unsigned group)
{
	const struct summary_group *g = &s->groups[group];
	return !g->limit && !(coll_info(g->cell.coll)->is & (COLL_PSEUDO | COLL_PAIRS)) &&
	       !(s->oversubscribed && g->cell.pace == PACE_ISOLATED);
}

static bool same_backend(const struct summary *s, unsigned a, unsigned b)
{
	return !strcmp(s->variants[a].backend, s->variants[b].backend);
}

static struct contrast judge(const struct summary *s, struct arena *arena, unsigned group,
                             unsigned size, unsigned left, unsigned right)
{
	const struct summary_group *g = &s->groups[group];
	const size_t asked = g->asked_bytes[size];
	const struct contrast_select select = {
	    .bytes = {asked, asked}, .pace = g->cell.pace, .coll = CLAIM_ANY_COLL, .group = g};
	const enum metric metric = g->cell.pace == PACE_ISOLATED ? METRIC_LATENCY : METRIC_TIME;
	struct contrast out;
	struct status st = {""};
	arena_need(arena, !contrast_make(s, left, right, metric, &select, &out, &st));
	return out;
}

/* How far the twin's interval is from 1 at that size, as a log; 0 without one. */
static double noise(const struct summary *s, struct arena *arena, unsigned group, unsigned size)
{
	if (s->twin < 0 || s->reference < 0)
		return 0;
	const struct contrast c =
	    judge(s, arena, group, size, (unsigned)s->twin, (unsigned)s->reference);
	const struct stats_ratio *r = &c.verdict.ratio;
	return isnan(r->lo) ? 0 : fmax(fabs(log(r->lo)), fabs(log(r->hi)));
}

/* 1: left is faster, -1: right is; 0: neither is shown. */
static int who(const struct contrast *c, double noise)
{
	const struct stats_ratio *r = &c->verdict.ratio;
	const int beyond = verdict_beyond(&c->verdict);
	if (beyond > 0)
		return log(r->lo) > noise;
	return beyond < 0 && log(r->hi) < -noise ? -1 : 0;
}

/* --- two backends --- */

static void range_add(struct pair_ranges *out, unsigned first, struct range one)
{
	struct range *last = out->n > first ? &out->list[out->n - 1] : NULL;
	if (last && (last->who == one.who || out->n - first == RANGES_MOST)) {
		last->who = last->who == one.who ? one.who : 0;
		last->to = one.to;
		last->least = fmin(last->least, one.least);
		last->most = fmax(last->most, one.most);
		return;
	}
	out->list[out->n++] = one;
}

/* The ranges of a pair; a size that one of them lacks is omitted. */
static void pair_make(const struct summary *s, struct arena *arena, unsigned group, unsigned left,
                      unsigned right, struct pair_ranges *out)
{
	const struct summary_group *g = &s->groups[group];
	const unsigned first = out->n;
	for (unsigned i = 0; i < g->nsizes; i++) {
		const struct contrast c = judge(s, arena, group, i, left, right);
		if (!c.nblocks)
			continue;
		const int is = who(&c, noise(s, arena, group, i));
		const double times =
		    is < 0 ? 1 / c.verdict.ratio.estimate : c.verdict.ratio.estimate;
		range_add(out, first,
		          (struct range){.collective = run_collective(arena, g),
		                         .pace = coll_pace_name(g->cell.pace),
		                         .left = s->variants[left].name,
		                         .right = s->variants[right].name,
		                         .from = g->asked_bytes[i],
		                         .to = g->asked_bytes[i],
		                         .least = times,
		                         .most = times,
		                         .who = is});
	}
	for (unsigned i = first; i < out->n; i++)
		out->list[i].faster = out->list[i].who > 0   ? out->list[i].left
		                      : out->list[i].who < 0 ? out->list[i].right
		                                             : "undecided";
}

/* Those in the same mode; if two backends share none, the first of each. */
static bool is_pair(const struct summary *s, unsigned a, unsigned b)
{
	if (!counts(s, a) || !counts(s, b) || same_backend(s, a, b))
		return false;
	if (!strcmp(s->variants[a].mode, s->variants[b].mode))
		return true;
	for (unsigned x = 0; x < s->nvariants; x++)
		for (unsigned y = 0; y < s->nvariants; y++) {
			if (!counts(s, x) || !counts(s, y) || !same_backend(s, x, a) ||
			    !same_backend(s, y, b))
				continue;
			/* A pair in one mode, or an earlier pair, represents them. */
			if (!strcmp(s->variants[x].mode, s->variants[y].mode) || x < a ||
			    (x == a && y < b))
				return false;
		}
	return true;
}

/* --- the fastest --- */

static int fastest_of(const struct summary *s, unsigned group, unsigned size)
{
	int best = -1;
	double least = INFINITY;
	for (unsigned v = 0; v < s->nvariants; v++) {
		const struct summary_row *row = index_at(s, v, group, size);
		if (row && counts(s, v) && row->time_us < least) {
			least = row->time_us;
			best = (int)v;
		}
	}
	return best;
}

/* The fastest at one size, joined to the row before if that has the same one. */
static unsigned fastest_add(const struct summary *s, struct arena *arena, unsigned group,
                            unsigned size, struct fastest *rows, unsigned n)
{
	const struct summary_group *g = &s->groups[group];
	const int best = fastest_of(s, group, size);
	char alike[256] = "";
	if (best < 0)
		return n;
	struct fastest one = {.collective = run_collective(arena, g),
	                      .pace = coll_pace_name(g->cell.pace),
	                      .calls = g->cell.pace == PACE_ISOLATED ? "single calls"
	                                                             : "calls back to back",
	                      .from = g->asked_bytes[size],
	                      .to = g->asked_bytes[size],
	                      .fastest = s->variants[best].name,
	                      .least = NAN,
	                      .group = group};
	const double aside = noise(s, arena, group, size);
	for (unsigned v = 0; v < s->nvariants; v++) {
		if ((int)v == best || !counts(s, v))
			continue;
		const struct contrast c = judge(s, arena, group, size, (unsigned)best, v);
		if (c.nblocks && who(&c, aside) > 0)
			one.least = fmin(one.least, c.verdict.ratio.estimate);
		else if (c.nblocks)
			status_list(alike, sizeof alike, s->variants[v].name);
	}
	one.most = one.least;
	struct fastest *last = n ? &rows[n - 1] : NULL;
	if (last && last->group == group && !strcmp(last->fastest, one.fastest) &&
	    !strcmp(last->alike, alike)) {
		last->to = one.to;
		last->least = fmin(last->least, one.least);
		last->most = fmax(last->most, one.most);
		return n;
	}
	one.alike = arena_copy(arena, alike);
	one.word = *alike ? "undecided" : one.fastest;
	rows[n] = one;
	return n + 1;
}

/* --- in words --- */

/* "all_reduce, single calls: the fastest is gloo (4 KiB to 64 KiB), undecided (256 KiB)." For the
 * first groups; adjacent rows with the same word are one. */
static void say_fastest(struct story *story, struct fastest *rows, unsigned n)
{
	struct fastest *said = ARENA_ARRAY(story->arena, struct fastest, n + 1);
	unsigned nsaid = 0, groups = 0;
	for (unsigned i = 0; i < n; i++) {
		struct fastest *last = nsaid ? &said[nsaid - 1] : NULL;
		if (last && last->group == rows[i].group && !strcmp(last->word, rows[i].word))
			last->to = rows[i].to;
		else
			said[nsaid++] = rows[i];
	}
	for (unsigned i = 0; i < nsaid; i++)
		said[i].range =
		    arena_copy(story->arena,
		               format_range((struct claim_range){said[i].from, said[i].to}).text);
	static const struct story_form form =
	    STORY_FORM(struct fastest, fastest_columns, .name = "fastest_said",
	               .title = "The fastest, in short", .when = STORY_NO_WHEN, .hidden = true);
	const struct story_table *t = story_table(story, &form, said, nsaid);
	for (unsigned i = 0, end; i < nsaid && groups < ANSWER_GROUPS; i = end, groups++) {
		struct phrase p = phrase_begin(story);
		bool any = false;
		for (end = i; end < nsaid && said[end].group == said[i].group; end++)
			any |= !*said[end].alike;
		phrase_add_row(&p, t, &said[i],
		               any ? "{collective}, {calls}: the fastest is "
		                   : "{collective}, {calls}: which is the fastest is ");
		for (unsigned k = i; k < end; k++)
			phrase_add_row(&p, t, &said[k],
			               k > i ? ", {verdict} ({sizes})" : "{verdict} ({sizes})");
		phrase_words(&p, ".");
		phrase_end(&p, STORY_ANSWER);
	}
}

/* The i-th of a pair's n ranges, if it exists. */
static const char *sizes_of(const struct range *r, unsigned i, unsigned n)
{
	if (n == 1)
		return " at all sizes, {from_bytes} to {to_bytes}";
	if (i == 0)
		return " up to {to_bytes}";
	if (i + 1 == n)
		return " from {from_bytes} on";
	return r->from == r->to ? " at {from_bytes}" : " from {from_bytes} to {to_bytes}";
}

/* "all_reduce, isolated: gloo against nccl: gloo up to 4 KiB (1.2 to 3 times as fast); …" */
static void say_pair(struct story *story, const struct story_table *t, const struct range *first,
                     unsigned n)
{
	struct phrase p = phrase_begin(story);
	phrase_add_row(&p, t, first, "{collective}, {pace}: {left} against {right}:");
	for (unsigned i = 0; i < n; i++) {
		const struct range *r = &first[i];
		phrase_add_row(&p, t, r, i ? "; {faster}" : " {faster}");
		phrase_add_row(&p, t, r, sizes_of(r, i, n));
		if (r->who)
			phrase_add_row(
			    &p, t, r,
			    strcmp(format_number(r->least).text, format_number(r->most).text)
			        ? " ({least_times} to {most_times} times as fast)"
			        : " ({least_times} times as fast)");
	}
	phrase_words(&p, ".");
	phrase_end(&p, STORY_ITEM);
}

static unsigned end_of(const struct pair_ranges *all, unsigned i)
{
	const struct range *list = all->list;
	unsigned end = i + 1;
	while (end < all->n && !strcmp(list[end].collective, list[i].collective) &&
	       !strcmp(list[end].pace, list[i].pace) && !strcmp(list[end].left, list[i].left) &&
	       !strcmp(list[end].right, list[i].right))
		end++;
	return end;
}

/* Pairs that are undecided at every size share one sentence if there are many. */
static void say_pairs(struct story *story, const struct story_table *t,
                      const struct pair_ranges *all)
{
	struct counts {
		unsigned undecided, pairs;
	} *n = ARENA_NEW(story->arena, struct counts);
	static const struct column columns[] = {
	    COLUMN(struct counts, undecided, "undecided pairs", "", COUNT),
	    COLUMN(struct counts, pairs, "pairs", "", COUNT)};
	static const struct story_form form =
	    STORY_FORM(struct counts, columns, .name = "crossover_pairs",
	               .title = "Pairs of backends", .when = STORY_NO_WHEN, .hidden = true);
	for (unsigned i = 0; i < all->n; i = end_of(all, i), n->pairs++)
		n->undecided += end_of(all, i) == i + 1 && !all->list[i].who;
	for (unsigned i = 0; i < all->n; i = end_of(all, i)) {
		const unsigned k = end_of(all, i) - i;
		if (n->undecided <= UNDECIDED_NAMED || k > 1 || all->list[i].who)
			say_pair(story, t, &all->list[i], k);
	}
	if (n->undecided > UNDECIDED_NAMED)
		story_say(story, STORY_ITEM, story_table(story, &form, n, 1), NULL, 0,
		          "{undecided} of {pairs} pairs of backends are undecided at all sizes.");
}

static bool several_backends(const struct summary *s)
{
	for (unsigned a = 0; a < s->nvariants; a++)
		for (unsigned b = a + 1; b < s->nvariants; b++)
			if (counts(s, a) && counts(s, b) && !same_backend(s, a, b))
				return true;
	return false;
}

static void tell(const struct analysis *a, struct story *story)
{
	const struct summary *s = a->s;
	struct arena *arena = story->arena;
	size_t sizes = 0;
	unsigned n = 0;
	if (s->uncompared[0] || !several_backends(s))
		return;
	for (unsigned g = 0; g < s->ngroups; g++)
		sizes += s->groups[g].nsizes;
	struct fastest *rows = ARENA_ARRAY(arena, struct fastest, sizes + 1);
	struct pair_ranges ranges = {
	    .list = ARENA_ARRAY(arena, struct range, sizes * s->nvariants * s->nvariants + 1)};
	for (unsigned g = 0; g < s->ngroups; g++) {
		for (unsigned i = 0; i < s->groups[g].nsizes && group_counts(s, g); i++)
			n = fastest_add(s, arena, g, i, rows, n);
		for (unsigned x = 0; x < s->nvariants && group_counts(s, g); x++)
			for (unsigned y = x + 1; y < s->nvariants; y++)
				if (is_pair(s, x, y))
					pair_make(s, arena, g, x, y, &ranges);
	}
	if (!n)
		return;
	say_fastest(story, rows, n);
	story_table(story, &fastest_form, rows, n);
	say_pairs(story, story_table(story, &range_form, ranges.list, ranges.n), &ranges);
	story_say(story, STORY_BODY, run_facts(story), NULL, 0,
	          s->nblocks < STATS_MIN_BLOCKS
	              ? "Each size is judged by itself, by the interval over the blocks, beyond "
	                "{margin} and what the A/A line shows at that size. Below {least_blocks} "
	                "blocks there is no interval, and nothing is decided. Isolated: time per "
	                "call; stream: calls back to back."
	              : "Each size is judged by itself, by the interval over the blocks, beyond "
	                "{margin} and what the A/A line shows at that size. Isolated: time per "
	                "call; stream: calls back to back.");
}

const struct chapter chapter_crossovers = {"crossovers", "Which backend from which size",
                                           CHAPTER_FRONT, tell};
