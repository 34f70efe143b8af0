/* Every variant at every size: summary.csv, and the same by size for people; peaks. */
#include <math.h>
#include <string.h>

#include "../analysis/analysis.h"
#include "chapters.h"
#include "run.h"

#define MOST_BESIDE 3 /* variants side by side; more are below each other */

/* A row of the summary, in words. */
struct row {
	struct summary_row of;
	const char *variant, *role, *mode, *layout, *backend, *library, *collective, *what, *dtype,
	    *op, *pace, *data_path;
	const char *line; /* the variant, or the twin's description */
	unsigned wrong, faults, switches, straggler;
	int in_place, digest_ok;
	struct stats_interval time_us, busbw;
	double straggler_share, straggler_us;
};

// clang-format off
static const struct column columns[] = {
    COLUMN(struct row, variant, "variant", "", TEXT),
    COLUMN(struct row, role, "role", "", TEXT),
    COLUMN(struct row, mode, "mode", "", TEXT),
    COLUMN(struct row, layout, "layout", "", TEXT),
    COLUMN(struct row, backend, "backend", "", TEXT),
    COLUMN(struct row, library, "library", "", TEXT),
    COLUMN_AS(struct row, of.nranks, "ranks", "ranks", "", COUNT, 0),
    COLUMN(struct row, collective, "collective", "", TEXT),
    COLUMN(struct row, what, "what", "", TEXT),
    COLUMN_AS(struct row, of.moved_bytes, "bytes", "size used", "", BYTES, 0),
    COLUMN_AS(struct row, of.cell.asked_bytes, "asked_bytes", "size", "", BYTES, 0),
    COLUMN(struct row, dtype, "dtype", "", TEXT),
    COLUMN(struct row, op, "op", "", TEXT),
    COLUMN_AS(struct row, of.cell.root, "root", "root", "", COUNT, 0),
    COLUMN(struct row, in_place, "in place", "", FLAG),
    COLUMN(struct row, pace, "pace", "", TEXT),
    COLUMN_AS(struct row, of.ntrials, "blocks", "blocks", "", COUNT, 0),
    COLUMN_AS(struct row, of.failed, "failed", "failed trials", "", COUNT, 0),
    COLUMN(struct row, time_us, "time per call", "µs", SPREAD),
    COLUMN_AS(struct row, of.time_rank0_us, "time_rank0_us", "time, rank 0's worker", "µs", NUMBER, 0),
    COLUMN_AS(struct row, of.time_mean_us, "time_mean_us", "time, mean of workers", "µs", NUMBER, 0),
    COLUMN_AS(struct row, of.time_min_us, "time_min_us", "time, shortest", "µs", NUMBER, 0),
    COLUMN_AS(struct row, of.time_max_us, "time_max_us", "time, longest", "µs", NUMBER, 0),
    COLUMN_AS(struct row, of.algbw_gbs, "algbw_gbs", "algorithm bandwidth", "GB/s", NUMBER, 0),
    COLUMN_AS(struct row, of.busbw_gbs, "busbw_gbs", "bus bandwidth", "GB/s", NUMBER, 0),
    COLUMN_AS(struct row, of.p50_us, "p50_us", "p50", "µs", NUMBER, 0),
    COLUMN_AS(struct row, of.p95_us, "p95_us", "p95", "µs", SPREAD, 0),
    COLUMN_AS(struct row, of.p99_us, "p99_us", "p99", "µs", SPREAD, 0),
    COLUMN_AS(struct row, of.launch_us, "launch_us", "launch cost", "µs", NUMBER, 0),
    COLUMN_AS(struct row, of.skew_us, "skew_us", "skew at start", "µs", NUMBER, 0),
    COLUMN_AS(struct row, of.resolution_us, "resolution_us", "resolution", "µs", NUMBER, 0),
    COLUMN_AS(struct row, of.ratio, "ratio", "speed against the reference", "", RATIO, 0),
    COLUMN(struct row, wrong, "wrong elements", "", COUNT),
    COLUMN(struct row, faults, "page faults", "", COUNT),
    COLUMN(struct row, switches, "involuntary switches", "", COUNT),
    COLUMN(struct row, digest_ok, "digest as the reference's", "", FLAG),
    COLUMN(struct row, straggler, "straggler", "", COUNT),
    COLUMN(struct row, straggler_share, "last in", "", SHARE),
    COLUMN(struct row, straggler_us, "late by", "µs", NUMBER),
    COLUMN(struct row, data_path, "data path", "", TEXT),
    COLUMN_AS(struct row, line, "line", "variant", "", TEXT, ONLY_PEOPLE),
    COLUMN_AS(struct row, busbw, "busbw", "bus bandwidth", "GB/s", SPREAD, ONLY_PEOPLE),
};
static const struct story_form form =
    STORY_FORM(struct row, columns, .name = "summary", .title = "Every variant, cell and pace",
               .when = STORY_NO_WHEN, .file = "summary.csv", .hidden = true, .drawn = STORY_BLOCK);

struct peak {
	const char *collective, *variant;
	double peak_gbs, mean_gbs, of_limit;
	size_t asked_bytes;
};

static const struct column peak_columns[] = {
    COLUMN(struct peak, collective, "collective", "", TEXT),
    COLUMN(struct peak, variant, "variant", "", TEXT),
    COLUMN(struct peak, peak_gbs, "peak", "GB/s", NUMBER),
    COLUMN(struct peak, asked_bytes, "at", "", BYTES),
    COLUMN(struct peak, mean_gbs, "mean over sizes", "GB/s", NUMBER),
    COLUMN(struct peak, of_limit, "of the limit there", "", SHARE),
};
static const struct story_form peak_form =
    STORY_FORM(struct peak, peak_columns, .name = "peaks", .title = "Peak and mean bus bandwidth", .when = STORY_NO_WHEN);

/* A size at which a variant is faster than plain copies. */
struct beyond {
	const char *variant;
	double gbs, copies_gbs;
	size_t asked_bytes;
};

static const struct column beyond_columns[] = {
    COLUMN(struct beyond, asked_bytes, "size", "", BYTES),
    COLUMN(struct beyond, variant, "variant", "", TEXT),
    COLUMN(struct beyond, gbs, "bus bandwidth", "GB/s", NUMBER),
    COLUMN(struct beyond, copies_gbs, "plain copies", "GB/s", NUMBER),
};
static const struct story_form beyond_form =
    STORY_FORM(struct beyond, beyond_columns, .name = "no_limit", .title = "Where plain copies are no limit", .when = STORY_NO_WHEN, .hidden = true);

static const struct sentence beyond_sentences[] = {
    {STORY_BODY, 0, "The limit is none at {asked_bytes:list}: plain copies are slower there than {variant:list}, and no share of them is given."},
};

// clang-format on

/* As the variant's workers reported, or the library's log; "" if neither did. */
static const char *data_path(const struct summary *s, const struct summary_variant *v)
{
	const char *word = *v->path ? v->path : NULL;
	for (unsigned i = 0; i < s->run->npaths && !word; i++)
		if (!strcmp(s->run->paths[i].variant, v->name))
			word =
			    json_string_value(json_object_get(s->run->paths[i].path, "data_path"));
	/* A word of ours; other content of a record is not one. */
	return word && !strpbrk(word, ",\"\r\n") ? word : "";
}

static const char *line_of(const struct summary *s, struct arena *arena, unsigned v)
{
	const bool twin = s->variants[v].role == ROLE_AGAIN && s->reference >= 0;
	return twin ? arena_text(arena, "A/A: %s again", s->variants[s->reference].name)
	            : s->variants[v].name;
}

static struct row row_of(const struct summary *s, struct arena *arena,
                         const struct summary_row *row)
{
	const struct summary_variant *v = &s->variants[row->variant];
	const struct cell *c = &row->cell;
	const struct summary_rank *last =
	    row->ranks && row->nranks > 1 ? &row->ranks[row->straggler] : NULL;
	return (struct row){.of = *row,
	                    .variant = v->name,
	                    .role = summary_role_name(v->role),
	                    .mode = v->mode,
	                    .layout = v->layout,
	                    .backend = v->backend,
	                    .library = v->library,
	                    .collective = coll_info(c->coll)->name,
	                    .what = arena_copy(arena, coll_word(c, row->nranks).text),
	                    .dtype = coll_dtype_name(c->dtype),
	                    .op = coll_op_name(c->op),
	                    .in_place = c->in_place,
	                    .pace = coll_pace_name(c->pace),
	                    .time_us = {row->time_us, row->time_us_lo, row->time_us_hi},
	                    .busbw = summary_busbw(row),
	                    .wrong = row->carries_data ? row->wrong : ENTRY_NO_COUNT,
	                    .faults = row->faults,
	                    .switches = row->switches,
	                    .digest_ok = row->carries_data ? row->digest_ok : ENTRY_NO_FLAG,
	                    .straggler = last ? row->straggler : ENTRY_NO_COUNT,
	                    .straggler_share = last ? last->last : NAN,
	                    .straggler_us = last ? last->last_by_us : NAN,
	                    .data_path = data_path(s, v),
	                    .line = line_of(s, arena, row->variant)};
}

/* --- by size --- */

/* Which of a group's rows are shown, and which variants have them. */
struct view {
	const char *key, *head;
};

static bool has_view(const struct summary *s, unsigned v, const struct view *view,
                     const struct row *rows, const unsigned *of, unsigned n)
{
	if (!s->variants[v].measured ||
	    (!strcmp(view->key, "ratio") && (!summary_has_ratio(s, v) || index_other_ranks(s, v))))
		return false;
	for (unsigned i = 0; i < n; i++)
		if (rows[of[i]].variant == s->variants[v].name &&
		    (strcmp(view->key, "p99_us") || isfinite(rows[of[i]].of.p99_us.estimate)))
			return true;
	return false;
}

static void tell_view(const struct summary *s, struct story *story, const struct story_table *t,
                      unsigned group, const struct view *view)
{
	const struct row *rows = t->rows;
	unsigned *of = ARENA_ARRAY(story->arena, unsigned, s->nrows + 1), n = 0, shown = 0,
	         kept = 0;
	for (unsigned i = 0; i < s->nrows; i++)
		if (s->rows[i].group == group)
			of[n++] = i;
	for (unsigned v = 0; v < s->nvariants; v++)
		shown += has_view(s, v, view, rows, of, n);
	for (unsigned i = 0; i < n; i++)
		if (has_view(s, s->rows[of[i]].variant, view, rows, of, n))
			of[kept++] = of[i];
	if (!kept) /* as for the limit, which nothing is compared with */
		return;
	const unsigned ranks = s->groups[group].nranks;
	bool vary = false;
	for (unsigned v = 0; v < s->nvariants; v++)
		vary |=
		    s->variants[v].measured && summary_is_asked(s, v) && index_other_ranks(s, v);
	story_part(story, arena_text(story->arena, "%s%s: %s",
	                             coll_title(&s->groups[group].cell, ranks).text,
	                             vary ? arena_text(story->arena, ", %u ranks", ranks) : "",
	                             view->head));
	if (shown > MOST_BESIDE)
		story_pivot(story, t, of, kept, "line", "asked_bytes", view->key);
	else
		story_pivot(story, t, of, kept, "asked_bytes", "line", view->key);
}

static void tell_groups(const struct summary *s, struct story *story, const struct story_table *t)
{
	static const struct view latencies[] = {{"p50_us", "p50 latency, µs"},
	                                        {"p95_us", "p95 latency, µs"},
	                                        {"p99_us", "p99 latency, µs"}},
	                         busbw = {"busbw", "bus bandwidth, GB/s"},
	                         time = {"time_us", "time per call, µs"},
	                         ratio = {"ratio", "speed against the reference"};
	for (unsigned g = 0; g < s->ngroups; g++) {
		const bool isolated = s->groups[g].cell.pace == PACE_ISOLATED;
		for (unsigned i = 0; i < 3 && isolated; i++)
			tell_view(s, story, t, g, &latencies[i]);
		if (!isolated)
			tell_view(s, story, t, g, s->carries_data ? &busbw : &time);
		tell_view(s, story, t, g, &ratio);
	}
}

static void say_method(const struct summary *s, struct story *story)
{
	const bool few = s->nblocks < STATS_MIN_BLOCKS;
	story_note(story, STORY_BODY,
	           s->nblocks < 2
	               ? "A value is that of the one block; a latency is its trial's quantile. Bus "
	                 "bandwidth as nccl-tests defines it; GB = 10⁹ bytes, KiB = 1024 bytes."
	           : few
	               ? "A value is the median over blocks, with the quartiles; a latency is the "
	                 "median over blocks of the trial's quantile. Bus bandwidth as nccl-tests "
	                 "defines it; GB = 10⁹ bytes, KiB = 1024 bytes."
	               : "A value is the median over blocks, with the quartiles; a latency is the "
	                 "median over blocks of the trial's quantile, with the 95 % interval of "
	                 "order statistics for p95 and p99. Bus bandwidth as nccl-tests defines "
	                 "it; GB = 10⁹ bytes, KiB = 1024 bytes.");
	if (summary_has_pace(s, PACE_ISOLATED) && s->isolated_calls < METRIC_P99_CALLS)
		story_say(story, STORY_BODY, run_facts(story), NULL, 0,
		          "Not shown: p99 needs {p99_calls} isolated calls, this run has "
		          "{isolated_calls}. The key isolated_calls sets it.");
	if (s->reference < 0 || s->uncompared.kind)
		return;
	story_say(
	    story, STORY_BODY, run_facts(story), NULL, 0,
	    few ? "Speed against {reference}: its time divided by the variant's, so that "
	          "below 1 is slower; estimate of Hodges and Lehmann over the blocks. Below "
	          "{least_blocks} blocks there is no interval."
	        : "Speed against {reference}: its time divided by the variant's, so that "
	          "below 1 is slower; estimate of Hodges and Lehmann over the blocks with the "
	          "exact {confidence} signed-rank interval. Each stands for itself "
	          "(pointwise).");
}

/* --- peaks --- */

static bool peak_of(const struct summary *s, struct arena *arena, unsigned group, unsigned v,
                    struct peak *out)
{
	const struct summary_group *g = &s->groups[group];
	double best = NAN, sum = 0;
	unsigned n = 0, at = 0;
	for (unsigned i = 0; i < g->nsizes; i++) {
		const struct summary_row *row = index_at(s, v, group, i);
		if (!row || isnan(row->busbw_gbs))
			continue;
		sum += row->busbw_gbs;
		n++;
		if (!(row->busbw_gbs <= best)) {
			best = row->busbw_gbs;
			at = i;
		}
	}
	const bool limit = s->variants[v].role == ROLE_LIMIT;
	*out = (struct peak){.collective = run_collective(arena, g),
	                     .variant = s->variants[v].name,
	                     .peak_gbs = best,
	                     .asked_bytes = g->asked_bytes[at],
	                     .mean_gbs = sum / n,
	                     .of_limit = limit ? NAN : best / summary_limit(s, g->bytes[at])};
	return n;
}

static void tell_beyond(const struct summary *s, struct story *story)
{
	struct beyond *rows = ARENA_ARRAY(story->arena, struct beyond, s->nrows + 1);
	unsigned n = 0;
	for (unsigned i = 0; i < s->nrows; i++) {
		const struct summary_row *limit = &s->rows[i],
		                         *row = summary_beyond_copies(s, limit->cell.bytes);
		if (s->variants[limit->variant].role != ROLE_LIMIT || isnan(limit->busbw_gbs) ||
		    !row)
			continue;
		rows[n++] = (struct beyond){.variant = s->variants[row->variant].name,
		                            .gbs = row->busbw_gbs,
		                            .copies_gbs = limit->busbw_gbs,
		                            .asked_bytes = row->cell.asked_bytes};
	}
	STORY_TELL(story, story_table(story, &beyond_form, rows, n), beyond_sentences);
}

static void tell_peaks(const struct summary *s, struct story *story)
{
	struct peak *peaks = ARENA_ARRAY(story->arena, struct peak, s->ngroups * s->nvariants + 1);
	unsigned n = 0;
	bool limit = false;
	for (unsigned g = 0; g < s->ngroups; g++)
		for (unsigned v = 0; v < s->nvariants; v++)
			if (s->groups[g].cell.pace == PACE_STREAM && s->variants[v].measured) {
				n += peak_of(s, story->arena, g, v, &peaks[n]);
				limit |= s->variants[v].role == ROLE_LIMIT;
			}
	if (!n)
		return;
	story_part(story, "Peaks");
	story_table(story, &peak_form, peaks, n);
	if (!limit)
		return;
	story_note(story, STORY_BODY,
	           "The limit: plain copies of every rank to its neighbour, in the same run.");
	tell_beyond(s, story);
}

static void tell(const struct analysis *a, struct story *story)
{
	const struct summary *s = a->s;
	struct row *rows = ARENA_ARRAY(story->arena, struct row, s->nrows + 1);
	for (unsigned i = 0; i < s->nrows; i++)
		rows[i] = row_of(s, story->arena, &s->rows[i]);
	const struct story_table *t = story_table(story, &form, rows, s->nrows);
	if (!s->measured)
		return;
	story_link(story);
	if (!run_few_groups(s)) {
		story_say(
		    story, STORY_BODY, run_facts(story), NULL, 0,
		    "The run has {collectives} collectives, by datatype, operation, place and "
		    "pace: their figures are in the files.");
		story_files(story, "All rows");
		return;
	}
	tell_groups(s, story, t);
	say_method(s, story);
	if (s->carries_data)
		tell_peaks(s, story);
}

const struct chapter chapter_sizes = {"sizes", "By size", CHAPTER_BODY, tell};
