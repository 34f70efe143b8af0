/* Which variant is the fastest at which sizes, and from which size on one backend beats another.
 *
 * Each size is judged by itself. The signed-rank interval of the two variants' times over the
 * blocks has to be beyond the margin, and beyond what the reference's twin shows at that size
 * (A/A). Adjacent sizes with the same answer are one range. Below 6 blocks nothing is decided. */
#include <math.h>
#include <string.h>

#include "../analysis/analysis.h"
#include "../story/format.h"
#include "chapters.h"
#include "run.h"

#define RANGES_MOST     12 /* ranges of a pair; more of them alternate, and are no crossover */
#define UNDECIDED_NAMED 3  /* pairs; more share one sentence */
#define ANSWER_GROUPS   4  /* in the answer; the section has all */

enum { SAID = 1 };

/* Sizes as asked, both included. */
struct fastest {
	const char *collective, *pace;
	size_t from, to;
	const char *fastest, *alike; /* alike: those that it is not shown to be faster than */
	double least, most; /* how many times as fast as the next one that is slower; NaN: none */
	/* In sentences; word: fastest, or "undecided". */
	const char *word, *calls, *range, *is;
	unsigned group, when;
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
    COLUMN_AS(struct fastest, is, "is", "", "", TEXT, ONLY_FILES),
};
static const struct story_form fastest_form =
    STORY_FORM(struct fastest, fastest_columns, .name = "fastest", .title = "The fastest by size", .when = STORY_NO_WHEN);

/* The same of the first groups in short: adjacent rows with the same word are one. */
static const struct story_form said_form =
    STORY_FORM(struct fastest, fastest_columns, .name = "fastest_said", .title = "The fastest, in short", .when = offsetof(struct fastest, when), .hidden = true);
static const struct sentence said_sentences[] = {
    {STORY_ANSWER, SAID, "{collective}, {calls}: {is} [{verdict} ({sizes})]."},
};

/* A range of two variants of different backends, in one mode if they share one. */
struct range {
	const char *collective, *pace, *left, *right;
	size_t from, to;
	const char *faster; /* left, right, or "undecided" */
	double least, most; /* how many times as fast, over its sizes */
	const char *where, *speeds; /* the sizes, and these two; NULL: undecided */
	int who;                    /* 1: left is faster, -1: right, 0: not decided */
	unsigned when;
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
    COLUMN_AS(struct range, where, "where", "sizes", "", TEXT, ONLY_PEOPLE),
    COLUMN_AS(struct range, speeds, "speeds", "times as fast", "", TEXT, ONLY_PEOPLE),
};
static const struct story_form range_form =
    STORY_FORM(struct range, range_columns, .name = "crossovers", .title = "Two backends against each other", .when = offsetof(struct range, when), .file = "crossovers.csv", .hidden = true);

/* Pairs that are undecided at every size share a sentence if there are many. */
static const struct sentence range_sentences[] = {
    {STORY_ITEM, SAID, "{collective}, {pace}: {left} against {right}: [{faster} {where}[ ({speeds} times as fast)]|; {faster} {where}[ ({speeds} times as fast)]]."},
};

/* Ranges so far: those of a pair are adjacent. */
struct pair_ranges {
	struct range *list;
	unsigned n;
	unsigned undecided, pairs; /* undecided: at every size */
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

static struct contrast judge(const struct summary *s, unsigned group, unsigned size, unsigned left,
                             unsigned right)
{
	const struct summary_group *g = &s->groups[group];
	const size_t asked = g->asked_bytes[size];
	const struct contrast_select select = {
	    .bytes = {asked, asked}, .pace = g->cell.pace, .coll = CLAIM_ANY_COLL, .group = g};
	const enum metric metric = g->cell.pace == PACE_ISOLATED ? METRIC_LATENCY : METRIC_TIME;
	return contrast_make(s, left, right, metric, &select);
}

/* How far the twin's interval is from 1 at that size, as a log; 0 without one. */
static double noise(const struct summary *s, unsigned group, unsigned size)
{
	if (s->twin < 0 || s->reference < 0)
		return 0;
	const struct contrast c = judge(s, group, size, (unsigned)s->twin, (unsigned)s->reference);
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

/* The i-th of a pair's n ranges. */
static const char *where_of(struct arena *arena, const struct range *r, unsigned i, unsigned n)
{
	const struct formatted from = format_size(r->from), to = format_size(r->to);
	if (n == 1)
		return arena_text(arena, "at all sizes, %s to %s", from.text, to.text);
	if (i == 0)
		return arena_text(arena, "up to %s", to.text);
	if (i + 1 == n)
		return arena_text(arena, "from %s on", from.text);
	return r->from == r->to ? arena_text(arena, "at %s", from.text)
	                        : arena_text(arena, "from %s to %s", from.text, to.text);
}

static const char *speeds_of(struct arena *arena, const struct range *r)
{
	const struct formatted least = format_number(r->least), most = format_number(r->most);
	return strcmp(least.text, most.text) ? arena_text(arena, "%s to %s", least.text, most.text)
	                                     : arena_copy(arena, least.text);
}

/* The ranges of a pair; a size that one of them lacks is omitted. */
static void pair_make(const struct summary *s, struct arena *arena, unsigned group, unsigned left,
                      unsigned right, struct pair_ranges *out)
{
	const struct summary_group *g = &s->groups[group];
	const unsigned first = out->n;
	for (unsigned i = 0; i < g->nsizes; i++) {
		const struct contrast c = judge(s, group, i, left, right);
		if (!c.nblocks)
			continue;
		const int is = who(&c, noise(s, group, i));
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
	const bool open = out->n == first + 1 && !out->list[first].who;
	for (unsigned i = first; i < out->n; i++) {
		struct range *r = &out->list[i];
		r->faster = r->who > 0 ? r->left : r->who < 0 ? r->right : "undecided";
		r->where = where_of(arena, r, i - first, out->n - first);
		r->speeds = r->who ? speeds_of(arena, r) : NULL;
		r->when = open ? 0 : SAID;
	}
	out->undecided += open;
	out->pairs += out->n > first;
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
	const double aside = noise(s, group, size);
	for (unsigned v = 0; v < s->nvariants; v++) {
		if ((int)v == best || !counts(s, v))
			continue;
		const struct contrast c = judge(s, group, size, (unsigned)best, v);
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
	for (unsigned i = 0, end; i < nsaid; i = end, groups++) {
		bool any = false;
		for (end = i; end < nsaid && said[end].group == said[i].group; end++)
			any |= !*said[end].alike;
		for (unsigned k = i; k < end; k++) {
			const struct claim_range sizes = {said[k].from, said[k].to};
			said[k].range = arena_copy(story->arena, format_range(sizes).text);
			said[k].is = any ? "the fastest is" : "which is the fastest is";
			said[k].when = groups < ANSWER_GROUPS ? SAID : 0;
		}
	}
	STORY_TELL(story, story_table(story, &said_form, said, nsaid), said_sentences);
}

static void say_pairs(struct story *story, struct pair_ranges *all)
{
	static const struct column columns[] = {
	    COLUMN(struct pair_ranges, undecided, "undecided pairs", "", COUNT),
	    COLUMN(struct pair_ranges, pairs, "pairs", "", COUNT)};
	static const struct story_form form =
	    STORY_FORM(struct pair_ranges, columns, .name = "crossover_pairs",
	               .title = "Pairs of backends", .when = STORY_NO_WHEN, .hidden = true);
	for (unsigned i = 0; i < all->n && all->undecided <= UNDECIDED_NAMED; i++)
		all->list[i].when |= SAID;
	STORY_TELL(story, story_table(story, &range_form, all->list, all->n), range_sentences);
	if (all->undecided > UNDECIDED_NAMED)
		story_say(story, STORY_ITEM, story_table(story, &form, all, 1), NULL, 0,
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
	if (s->uncompared.kind || !several_backends(s))
		return;
	for (unsigned g = 0; g < s->ngroups; g++)
		sizes += s->groups[g].nsizes;
	struct fastest *rows = ARENA_ARRAY(arena, struct fastest, sizes + 1);
	struct pair_ranges *ranges = ARENA_NEW(arena, struct pair_ranges);
	ranges->list = ARENA_ARRAY(arena, struct range, sizes * s->nvariants * s->nvariants + 1);
	for (unsigned g = 0; g < s->ngroups; g++) {
		for (unsigned i = 0; i < s->groups[g].nsizes && group_counts(s, g); i++)
			n = fastest_add(s, arena, g, i, rows, n);
		for (unsigned x = 0; x < s->nvariants && group_counts(s, g); x++)
			for (unsigned y = x + 1; y < s->nvariants; y++)
				if (is_pair(s, x, y))
					pair_make(s, arena, g, x, y, ranges);
	}
	if (!n)
		return;
	say_fastest(story, rows, n);
	story_table(story, &fastest_form, rows, n);
	say_pairs(story, ranges);
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
