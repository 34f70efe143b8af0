/* What launching a call costs, and which rank is the last; ranks.csv has it rank by rank. */
#include <math.h>

#include "../analysis/analysis.h"
#include "chapters.h"
#include "run.h"

/* A variant at one size of a collective. */
struct row {
	const char *collective, *pace, *variant;
	double ranks_skew_us, launch_least_us, launch_most_us; /* between ranks */
	double by_chance, last_by_share;
	struct summary_row of;
	struct summary_rank straggler; /* the rank that is last most often */
};

// clang-format off
static const struct column launch_columns[] = {
    COLUMN(struct row, collective, "collective", "", TEXT),
    COLUMN(struct row, pace, "pace", "", TEXT),
    COLUMN_AS(struct row, of.cell.asked_bytes, "asked_bytes", "size", "", BYTES, 0),
    COLUMN(struct row, variant, "variant", "", TEXT),
    COLUMN_AS(struct row, of.launch_us, "launch_us", "launch cost", "µs", NUMBER, 0),
    COLUMN_AS(struct row, of.skew_us, "skew_us", "skew at start", "µs", NUMBER, 0),
    COLUMN_AS(struct row, of.resolution_us, "resolution_us", "resolution", "µs", NUMBER, 0),
};
static const struct story_form launch_form =
    STORY_FORM(struct row, launch_columns, .name = "launch", .title = "Launch", .when = STORY_NO_WHEN);

static const struct column straggler_columns[] = {
    COLUMN(struct row, collective, "collective", "", TEXT),
    COLUMN(struct row, pace, "pace", "", TEXT),
    COLUMN_AS(struct row, of.cell.asked_bytes, "asked_bytes", "size", "", BYTES, 0),
    COLUMN(struct row, variant, "variant", "", TEXT),
    COLUMN_AS(struct row, ranks_skew_us, "skew_us", "skew between ranks", "µs", NUMBER, 0),
    COLUMN(struct row, launch_least_us, "launch, least", "µs", NUMBER),
    COLUMN(struct row, launch_most_us, "most", "µs", NUMBER),
    COLUMN_AS(struct row, of.straggler, "straggler", "straggler", "", COUNT, 0),
    COLUMN_AS(struct row, straggler.last, "last", "last in", "", SHARE, 0),
    COLUMN(struct row, by_chance, "by chance", "", SHARE),
    COLUMN_AS(struct row, straggler.last_by_us, "last_by_us", "late by", "µs", NUMBER, 0),
    COLUMN(struct row, last_by_share, "of the call", "", SHARE),
};
static const struct story_form straggler_form =
    STORY_FORM(struct row, straggler_columns, .name = "stragglers", .title = "Ranks", .when = STORY_NO_WHEN);

/* A rank of a row of the summary. */
struct rank {
	const char *variant, *mode, *what, *pace;
	unsigned ranks, nth_size, rank, blocks;
	size_t bytes;
	double late_percent;
	struct summary_rank of;
};

static const struct column rank_columns[] = {
    COLUMN(struct rank, variant, "variant", "", TEXT),
    COLUMN(struct rank, mode, "mode", "", TEXT),
    COLUMN(struct rank, ranks, "ranks", "", COUNT),
    COLUMN(struct rank, what, "what", "", TEXT),
    COLUMN(struct rank, bytes, "size", "", BYTES),
    COLUMN(struct rank, nth_size, "nth size", "", COUNT),
    COLUMN(struct rank, pace, "pace", "", TEXT),
    COLUMN(struct rank, rank, "rank", "", COUNT),
    COLUMN_AS(struct rank, of.skew_us, "skew_us", "skew at start", "µs", NUMBER, 0),
    COLUMN_AS(struct rank, of.launch_us, "launch_us", "launch", "µs", NUMBER, 0),
    COLUMN_AS(struct rank, of.finish_us, "finish_us", "finish", "µs", NUMBER, 0),
    COLUMN_AS(struct rank, of.late_us, "late_us", "late", "µs", NUMBER, 0),
    COLUMN(struct rank, late_percent, "late", "% of the call", NUMBER),
    COLUMN_AS(struct rank, of.last, "last", "last in, of the rows", "", NUMBER, 0),
    COLUMN_AS(struct rank, of.last_by_us, "last_by_us", "last by", "µs", NUMBER, 0),
    COLUMN(struct rank, blocks, "blocks", "", COUNT),
};
static const struct story_form rank_form =
    STORY_FORM(struct rank, rank_columns, .name = "ranks", .title = "What each rank had of every row of summary",
               .when = STORY_NO_WHEN, .file = "ranks.csv", .hidden = true, .drawn = STORY_BLOCK);
// clang-format on

/* The place of a row's size in its group, from 1. */
static unsigned nth_size(const struct summary *s, const struct summary_row *row)
{
	const struct summary_group *g = &s->groups[row->group];
	unsigned i = 0;
	while (i < g->nsizes && g->bytes[i] != row->cell.bytes)
		i++;
	return i + 1;
}

static void tell_ranks(const struct summary *s, struct story *story)
{
	size_t most = 0;
	unsigned n = 0;
	for (unsigned i = 0; i < s->nrows; i++)
		most += s->rows[i].ranks ? s->rows[i].nranks : 0;
	struct rank *rows = ARENA_ARRAY(story->arena, struct rank, most + 1);
	for (unsigned i = 0; i < s->nrows; i++) {
		const struct summary_row *row = &s->rows[i];
		for (unsigned k = 0; row->ranks && k < row->nranks; k++) {
			const struct summary_rank *r = &row->ranks[k];
			rows[n++] = (struct rank){
			    .variant = s->variants[row->variant].name,
			    .mode = s->variants[row->variant].mode,
			    .what = run_collective(story->arena, &s->groups[row->group]),
			    .pace = coll_pace_name(row->cell.pace),
			    .ranks = row->nranks,
			    .nth_size = nth_size(s, row),
			    .rank = k,
			    .blocks = row->ntrials,
			    .bytes = row->moved_bytes,
			    .late_percent = 100 * r->late_us / row->time_us,
			    .of = *r};
		}
	}
	story_table(story, &rank_form, rows, n);
}

static struct row row_of(const struct summary *s, struct arena *arena,
                         const struct summary_row *row)
{
	return (struct row){.collective = run_collective(arena, &s->groups[row->group]),
	                    .pace = coll_pace_name(row->cell.pace),
	                    .variant = s->variants[row->variant].name,
	                    .of = *row};
}

static void add_straggler(struct row *out)
{
	const struct summary_row *row = &out->of;
	double skew[2] = {INFINITY, 0}, launch[2] = {INFINITY, 0};
	for (unsigned r = 0; r < row->nranks; r++) {
		skew[0] = fmin(skew[0], row->ranks[r].skew_us);
		skew[1] = fmax(skew[1], row->ranks[r].skew_us);
		launch[0] = fmin(launch[0], row->ranks[r].launch_us);
		launch[1] = fmax(launch[1], row->ranks[r].launch_us);
	}
	const bool launches = !isnan(row->launch_us);
	out->straggler = row->ranks[row->straggler];
	out->ranks_skew_us = skew[1] - skew[0];
	out->launch_least_us = launches ? launch[0] : NAN;
	out->launch_most_us = launches ? launch[1] : NAN;
	out->by_chance = 1.0 / row->nranks;
	out->last_by_share = out->straggler.last_by_us / row->time_us;
}

/* For the smallest and the largest size; of the ranks, a middle one too. */
static void tell(const struct analysis *a, struct story *story)
{
	const struct summary *s = a->s;
	const unsigned most = 3 * s->ngroups * s->nvariants + 1;
	struct row *launches = ARENA_ARRAY(story->arena, struct row, most),
	           *stragglers = ARENA_ARRAY(story->arena, struct row, most);
	unsigned nlaunches = 0, nstragglers = 0;
	for (unsigned g = 0; g < s->ngroups && run_few_groups(s); g++)
		for (unsigned i = 0; i < s->groups[g].nsizes && !s->groups[g].limit; i++) {
			const unsigned last = s->groups[g].nsizes - 1;
			const bool end = i == 0 || i == last, middle = i == s->groups[g].nsizes / 2;
			for (unsigned v = 0; v < s->nvariants; v++) {
				const struct summary_row *row = index_at(s, v, g, i);
				if (end && row && row->ntrials && s->variants[v].role != ROLE_LIMIT)
					launches[nlaunches++] = row_of(s, story->arena, row);
				if (!(end || middle) || !row || !row->ranks || row->nranks < 2 ||
				    !summary_is_asked(s, v))
					continue;
				stragglers[nstragglers] = row_of(s, story->arena, row);
				add_straggler(&stragglers[nstragglers++]);
			}
		}
	if (nlaunches)
		story_note(story, STORY_BODY,
		           "Launch cost: the longest time from leaving the barrier to issue's "
		           "return on any rank, per call. Skew: how far apart the ranks left the "
		           "barrier. Resolution: the last poll round, by which an end may be seen "
		           "too late.");
	story_table(story, &launch_form, launches, nlaunches);
	if (nstragglers) {
		story_part(story, "Ranks");
		story_note(story, STORY_BODY,
		           "At the smallest, a middle and the largest size. The straggler is the "
		           "rank that is seen idle last most often: how often, and by how much "
		           "after the ranks' mean it is then. One worker that drives several ranks "
		           "launches and polls them in turn, which alone makes one of them the "
		           "last.");
	}
	story_table(story, &straggler_form, stragglers, nstragglers);
	tell_ranks(s, story);
	if (nstragglers)
		story_files(story, "All ranks");
}

const struct chapter chapter_launch = {"launch", "Launch and ranks", CHAPTER_APPENDIX, tell};
