/* Scaling: what more ranks cost or gain in each launch mode, where a run has variants of several
 * numbers of ranks.
 *
 * Variants that differ in their ranks alone are a line: `threads` of threads-2, threads-4. Each is
 * compared with one thread per rank of one process on as many ranks (the gap), and with the first
 * of its own line. Bandwidths are of the largest size, latency and launch cost of the smallest. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../analysis/analysis.h"
#include "chapters.h"
#include "run.h"

enum {
	LONGEST = 1,
	GAP_FALLS = 2,
	GAP_RISES = 4,
	GAP_STAYS = 8,
	GAP_OPEN = 16,
	LAUNCHES = 32,
	WHOLE_RANGE = 64
};

/* A variant in a collective. */
struct row {
	const char *collective, *line, *mode, *variant;
	unsigned ranks, least; /* of the line's first */
	struct stats_interval gbs;
	struct stats_ratio self;   /* compared with the line's first; of that one there is none */
	struct stats_ratio gap;    /* compared with threads on as many ranks */
	struct stats_ratio before; /* the gap of the line's first */
	struct stats_ratio growth; /* of the gap, compared with that */
	double p50_us, launch_us, launch_before_us;
	size_t bytes, small_bytes;
	double margin;
	unsigned when;
	unsigned at, first, nth_line; /* variants; nth_line: of its mode */
	int threads;                  /* the variant that the gap is against, or -1 */
	const struct summary_group *group;
};

// clang-format off
static const struct column columns[] = {
    COLUMN(struct row, collective, "collective", "", TEXT),
    COLUMN(struct row, line, "mode", "", TEXT),
    COLUMN_AS(struct row, mode, "mode", "", "", TEXT, ONLY_FILES),
    COLUMN_AS(struct row, nth_line, "nth_line", "", "", COUNT, ONLY_FILES),
    COLUMN_AS(struct row, variant, "variant", "", "", TEXT, ONLY_FILES),
    COLUMN(struct row, ranks, "ranks", "", COUNT),
    COLUMN(struct row, gbs, "bus bandwidth", "GB/s", SPREAD),
    COLUMN(struct row, self, "÷ its first", "", RATIO),
    COLUMN(struct row, gap, "÷ threads", "", RATIO),
    COLUMN_AS(struct row, growth, "growth", "", "", RATIO, ONLY_FILES),
    COLUMN(struct row, p50_us, "p50", "µs", NUMBER),
    COLUMN_AS(struct row, launch_us, "launch_us", "launch cost", "µs", NUMBER, ONLY_FILLED),
    COLUMN_AS(struct row, bytes, "bytes", "", "", BYTES, ONLY_FILES),
    COLUMN_AS(struct row, small_bytes, "small_bytes", "", "", BYTES, ONLY_FILES),
    COLUMN_AS(struct row, least, "least", "", "", COUNT, ONLY_FILES),
    COLUMN_AS(struct row, before, "before", "", "", RATIO, ONLY_FILES),
    COLUMN_AS(struct row, launch_before_us, "launch_before_us", "", "", NUMBER, ONLY_FILES),
    COLUMN_AS(struct row, margin, "margin", "", "", SHARE, ONLY_FILES),
};
static const struct story_form form =
    STORY_FORM(struct row, columns, .name = "scaling", .title = "Scaling", .when = offsetof(struct row, when),
               .file = "scaling.csv", .drawn = STORY_ARRAYS);

static const struct sentence sentences[] = {
    {STORY_CAPTION, LONGEST | WHOLE_RANGE,
     "{collective}, {bytes}: from {least} to {ranks} ranks bandwidth changes by a factor of[ {self} in {line}|, {self} in {line}]."},
    {STORY_ANSWER, LONGEST,
     "{collective}, {bytes}: from {least} to {ranks} ranks bus bandwidth changes by a factor of[ {self:full} in {line}|, {self:full} in {line}]."},
    {STORY_ANSWER, GAP_FALLS,
     "{collective}, {bytes}: against threads on as many ranks, bandwidth falls from {least} to {ranks} ranks[ in {line}, {before} to {gap}|, in {line}, {before} to {gap}]."},
    {STORY_ANSWER, GAP_RISES,
     "{collective}, {bytes}: against threads on as many ranks, bandwidth rises from {least} to {ranks} ranks[ in {line}, {before} to {gap}|, in {line}, {before} to {gap}]."},
    {STORY_ANSWER, GAP_STAYS,
     "{collective}, {bytes}: against threads on as many ranks, bandwidth stays within {margin} from {least} to {ranks} ranks[ in {line}, {before} to {gap}|, in {line}, {before} to {gap}]."},
    {STORY_BODY, GAP_OPEN,
     "{collective}, {bytes}: whether the gap to threads changes from {least} to {ranks} ranks cannot be seen here: by a factor of[ {growth:full} in {line}|, {growth:full} in {line}]."},
    {STORY_ANSWER, LAUNCHES,
     "{collective}, {small_bytes}: from {least} to {ranks} ranks a launch goes[ from {launch_before_us} to {launch_us} µs in {line}|, {launch_before_us} to {launch_us} in {line}]."},
};
// clang-format on

/* The story so far. */
struct scaling {
	const struct analysis *a;
	struct arena *arena;
	struct row *rows;
	unsigned n;
};

/* Lines are of modes with a rank for each worker, of one worker, or of layouts that grow in their
 * threads alone. */
static bool is_mixed(struct layout l)
{
	return (l.processes > 1) + (l.threads > 1) + (l.ranks_per_thread > 1) > 1;
}

static bool same_line(const struct summary *s, unsigned a, unsigned b)
{
	const struct settings *x = s->variants[a].settings, *y = s->variants[b].settings;
	char keys[512];
	if (!x || !y || strcmp(x->mode, y->mode) || is_mixed(x->layout) != is_mixed(y->layout))
		return false;
	struct settings as = *y;
	as.layout = x->layout;
	return (!is_mixed(x->layout) ||
	        (x->layout.processes == y->layout.processes &&
	         x->layout.ranks_per_thread == y->layout.ranks_per_thread)) &&
	       !settings_differ(x, &as, keys, sizeof keys);
}

static bool is_shown(const struct summary *s, unsigned variant)
{
	return s->variants[variant].measured && summary_is_asked(s, variant) &&
	       s->variants[variant].settings;
}

/* The variant of the line with the fewest ranks, the first of several. */
static unsigned first_of(const struct summary *s, unsigned variant)
{
	unsigned first = variant;
	for (unsigned v = s->nvariants; v-- > 0;)
		if (is_shown(s, v) && same_line(s, v, variant) &&
		    index_ranks(s, v) <= index_ranks(s, first))
			first = v;
	return first;
}

/* The variant that a gap is against; -1: none, or it is that one. */
static int threads_of(const struct summary *s, unsigned variant)
{
	for (unsigned v = 0; v < s->nvariants; v++) {
		const struct settings *own = s->variants[v].settings;
		if (is_shown(s, v) && own->layout.threads > 1 && !is_mixed(own->layout) &&
		    summary_like(s, v, variant) &&
		    !strcmp(own->nccl, s->variants[variant].settings->nccl))
			return v == variant ? -1 : (int)v;
	}
	return -1;
}

/* "threads" of threads-2; "mixed 2×N" of mixed-2x4. */
static const char *line_name(const struct summary *s, unsigned first, struct arena *arena)
{
	const char *name = s->variants[first].name;
	const struct layout l = s->variants[first].settings->layout;
	size_t n = strlen(name), end = n;
	while (end && strchr("0123456789x", name[end - 1]))
		end--;
	if (end > 1 && end < n && strchr("-_.", name[end - 1]))
		n = end - 1;
	if (!is_mixed(l))
		return arena_text(arena, "%.*s", (int)n, name);
	if (l.ranks_per_thread > 1)
		return arena_text(arena, "%.*s %u×N×%u", (int)n, name, l.processes,
		                  l.ranks_per_thread);
	return arena_text(arena, "%.*s %u×N", (int)n, name, l.processes);
}

/* The variant's group of a collective, as this group is, in a pace; or NULL. */
static const struct summary_group *group_of(const struct summary *s, const struct summary_group *as,
                                            enum pace pace, unsigned ranks)
{
	struct cell cell = as->cell;
	cell.pace = pace;
	cell.comm_ranks = ranks;
	for (unsigned g = 0; g < s->ngroups; g++)
		if (s->groups[g].nranks == ranks && !s->groups[g].limit &&
		    index_same_group(&cell, &s->groups[g].cell))
			return &s->groups[g];
	return NULL;
}

static const struct summary_row *row_at(const struct summary *s, unsigned variant,
                                        const struct summary_group *g, bool largest)
{
	const struct summary_row *row =
	    g ? index_at(s, variant, (unsigned)(g - s->groups), largest ? g->nsizes - 1 : 0) : NULL;
	return row && row->ntrials ? row : NULL;
}

/* Bandwidth at the largest size, above 1 is faster; without data the speed. */
static struct stats_ratio against(const struct scaling *c, const struct row *row, unsigned other)
{
	const struct summary *s = c->a->s;
	if (s->uncompared.kind || !row->group)
		return STATS_NO_RATIO;
	const size_t asked = row->group->asked_bytes[row->group->nsizes - 1];
	const struct contrast_select select = {.bytes = {asked, asked},
	                                       .pace = (int)row->group->cell.pace,
	                                       .coll = (int)row->group->cell.coll,
	                                       .group = row->group,
	                                       .across_ranks = true};
	return contrast_make(s, row->at, other, s->carries_data ? METRIC_BUSBW : METRIC_TIME,
	                     &select)
	    .verdict.ratio;
}

/* How the gap of a row compares with that of its line's first: paired by blocks. */
static struct stats_ratio growth_of(const struct scaling *c, const struct row *row,
                                    const struct row *first)
{
	const struct summary *s = c->a->s;
	if (s->uncompared.kind || !row->group || row->threads < 0 || first->threads < 0)
		return STATS_NO_RATIO;
	const size_t asked = row->group->asked_bytes[row->group->nsizes - 1];
	const unsigned with[] = {row->at, (unsigned)row->threads, first->at,
	                         (unsigned)first->threads};
	const struct contrast_select select = {.bytes = {asked, asked},
	                                       .pace = (int)row->group->cell.pace,
	                                       .coll = (int)row->group->cell.coll,
	                                       .group = row->group,
	                                       .with = with,
	                                       .nwith = 4,
	                                       .across_ranks = true};
	unsigned n;
	const double *levels = contrast_levels(s, METRIC_TIME, &select, &n);
	double *logs = ARENA_ARRAY(c->arena, double, n + 1);
	for (unsigned b = 0; b < n; b++, levels += 4)
		logs[b] = levels[1] - levels[0] - (levels[3] - levels[2]);
	return stats_ratio_of_logs(c->arena, logs, n, s->looks.confidence);
}

static void row_add(struct scaling *c, const struct summary_group *as, unsigned v)
{
	const struct summary *s = c->a->s;
	const unsigned ranks = index_ranks(s, v), first = first_of(s, v);
	const struct summary_group *stream = group_of(s, as, PACE_STREAM, ranks),
	                           *isolated = group_of(s, as, PACE_ISOLATED, ranks);
	const struct summary_row *large = row_at(s, v, stream, true),
	                         *small = row_at(s, v, isolated, false);
	struct row *row = &c->rows[c->n];
	if (!large && !small)
		return;
	c->n++;
	story_clear(&form, row);
	row->collective = run_collective(c->arena, as);
	row->line = line_name(s, first, c->arena);
	row->mode = is_mixed(s->variants[v].settings->layout) ? "mixed" : s->variants[v].mode;
	row->variant = s->variants[v].name;
	row->ranks = ranks;
	row->least = index_ranks(s, first);
	row->at = v;
	row->first = first;
	row->threads = threads_of(s, v);
	row->margin = s->margin;
	row->when = 0;
	row->nth_line = 0;
	row->group = large ? stream : NULL;
	if (large) {
		row->gbs = summary_busbw(large);
		row->bytes = large->cell.asked_bytes;
	}
	if (small) {
		row->p50_us = small->p50_us;
		row->small_bytes = small->cell.asked_bytes;
		if (s->variants[v].traits && s->variants[v].traits->launches)
			row->launch_us = small->launch_us;
	}
}

/* A collective's rows line by line, in each by ranks. */
static int by_line(const void *x, const void *y)
{
	const struct row *a = x, *b = y;
	if (a->first != b->first)
		return a->first < b->first ? -1 : 1;
	if (a->ranks != b->ranks)
		return a->ranks < b->ranks ? -1 : 1;
	return (a->at > b->at) - (a->at < b->at);
}

static unsigned gap_change(const struct stats_ratio *growth, double margin)
{
	if (isnan(growth->lo))
		return 0;
	if (growth->hi < 1 / (1 + margin))
		return GAP_FALLS;
	if (growth->lo > 1 + margin)
		return GAP_RISES;
	return growth->lo > 1 / (1 + margin) && growth->hi < 1 + margin ? GAP_STAYS : GAP_OPEN;
}

/* The ratios of a line, of n rows, and which of its last row's sentences apply. */
static void compare_line(const struct scaling *c, struct row *rows, unsigned n)
{
	const bool judged = !contrast_oversubscribed(c->a->s, METRIC_LAUNCH).kind;
	for (unsigned i = 0; i < n; i++) {
		struct row *row = &rows[i];
		if (row->threads >= 0)
			row->gap = against(c, row, (unsigned)row->threads);
		if (row->ranks == rows->ranks)
			continue;
		row->self = against(c, row, rows->at);
		row->growth = growth_of(c, row, rows);
		row->before = rows->gap;
		row->launch_before_us = rows->launch_us;
		if (i + 1 < n)
			continue;
		row->when = gap_change(&row->growth, row->margin);
		row->when |= isnan(row->self.lo) ? 0 : LONGEST;
		row->when |=
		    judged && !isnan(row->launch_us) && !isnan(rows->launch_us) ? LAUNCHES : 0;
	}
}

static void compare(struct scaling *c, unsigned from)
{
	unsigned least = UINT_MAX, most = 0;
	qsort(c->rows + from, c->n - from, sizeof *c->rows, by_line);
	for (unsigned i = from; i < c->n; i++) {
		least = c->rows[i].ranks < least ? c->rows[i].ranks : least;
		most = c->rows[i].ranks > most ? c->rows[i].ranks : most;
	}
	for (unsigned i = from, n; i < c->n; i += n) {
		unsigned nth = 0;
		n = 1;
		while (i + n < c->n && c->rows[i + n].first == c->rows[i].first)
			n++;
		for (unsigned k = from; k < i; k++)
			nth += !strcmp(c->rows[k].mode, c->rows[i].mode) &&
			       c->rows[k].ranks == c->rows[k].least;
		for (unsigned k = i; k < i + n; k++)
			c->rows[k].nth_line = nth;
		compare_line(c, c->rows + i, n);
		/* The picture's title is of the first collective: the others stand in the answer. */
		if (c->rows[i].ranks == least && c->rows[i + n - 1].ranks == most &&
		    !strcmp(c->rows[i].collective, c->rows[0].collective))
			c->rows[i + n - 1].when |= WHOLE_RANGE;
	}
}

/* Whether a group is the first of its collective: of any ranks and pace. */
static bool is_first(const struct summary *s, unsigned group)
{
	const struct summary_group *own = &s->groups[group];
	if (own->limit || (coll_info(own->cell.coll)->is & (COLL_PAIRS | COLL_PSEUDO)) ||
	    own->cell.comm_ranks != own->nranks)
		return false;
	for (unsigned g = 0; g < group; g++)
		if (group_of(s, own, s->groups[g].cell.pace, s->groups[g].nranks) == &s->groups[g])
			return false;
	return true;
}

static bool has_several(const struct summary *s)
{
	unsigned ranks = 0;
	for (unsigned v = 0; v < s->nvariants; v++) {
		if (!is_shown(s, v))
			continue;
		if (ranks && ranks != index_ranks(s, v))
			return true;
		ranks = index_ranks(s, v);
	}
	return false;
}

static void tell(const struct analysis *a, struct story *story)
{
	const struct summary *s = a->s;
	struct scaling c = {.a = a, .arena = story->arena};
	if (!has_several(s))
		return;
	c.rows = ARENA_ARRAY(story->arena, struct row, (size_t)s->ngroups * s->nvariants + 1);
	for (unsigned g = 0; g < s->ngroups; g++) {
		const unsigned from = c.n;
		for (unsigned v = 0; is_first(s, g) && v < s->nvariants; v++)
			if (is_shown(s, v))
				row_add(&c, &s->groups[g], v);
		compare(&c, from);
	}
	const struct story_table *t = story_table(story, &form, c.rows, c.n);
	STORY_TELL(story, t, sentences);
	if (!c.n)
		return;
	story_lead(story, t, "collective line ranks gbs self gap launch_us");
	story_leads_unasked(story);
	story_picture(story, "scaling", true);
	story_note(
	    story, STORY_BODY,
	    "Bandwidth is of the largest size, in stream; p50 and launch cost are of isolated "
	    "calls "
	    "of the smallest. ÷ its first: bandwidth compared with the same mode on its fewest "
	    "ranks. ÷ threads: compared with one process of a thread for each rank, on as many "
	    "ranks. Below 1 is slower; ratios are paired by blocks. P×N: P processes of N "
	    "threads.");
	story_files(story, "As a file");
}

const struct chapter chapter_scaling = {"scaling", "Scaling", CHAPTER_FRONT, tell};
