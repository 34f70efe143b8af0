/* How it was measured: sessions and their commands, blocks, and what a trial does with a cell. */
#include <ctype.h>
#include <string.h>

#include "../analysis/analysis.h"
#include "../coll/counts.h"
#include "../story/format.h"
#include "chapters.h"
#include "run.h"

enum {
	RESUMED = 1,
	WHOLE = 2, /* all blocks that were asked for, or as many as the run needed */
	PART = 4,
	STREAM = 8,
	ISOLATED = 16,
	FEW_CALLS = 32, /* too few for a p99 */
	MANY_CALLS = 64,
	SOAK = 128,
	REPEATS = 256,
	COUNTS = 512,
	JUDGES = 1024,
	ENDED = 2048,
	SOME_SIZES = 4096, /* in communicators after the first */
};

struct row {
	unsigned sessions, blocks, asked;
	const char *seed;
	unsigned warmup, stretches, calls, isolated_calls, cycles, connections, allocations;
	const char *connection_bytes; /* NULL: all sizes */
	const char *counts;           /* of alltoallv */
	unsigned verdicts, intervals;
	const char *confidence, *chance; /* of each interval, in percent */
	const char *ended;
	unsigned when;
};

struct session {
	const char *blocks, *created, *launchgap;
	const char *added;    /* to the plan, or as planned; NULL for the first one */
	const char *counters; /* with or without; NULL: not recorded */
};

struct note {
	const char *note;
};

// clang-format off
static const struct column columns[] = {
    COLUMN(struct row, sessions, "sessions", "", COUNT),
    COLUMN(struct row, blocks, "blocks", "", COUNT),
    COLUMN(struct row, asked, "blocks asked for", "", COUNT),
    COLUMN(struct row, seed, "seed", "", TEXT),
    COLUMN(struct row, warmup, "calls to warm up", "", COUNT),
    COLUMN(struct row, stretches, "stretches", "", COUNT),
    COLUMN(struct row, calls, "calls of a stretch", "", COUNT),
    COLUMN(struct row, isolated_calls, "isolated calls", "", COUNT),
    COLUMN(struct row, cycles, "cycles", "", COUNT),
    COLUMN(struct row, connections, "communicators", "", COUNT),
    COLUMN(struct row, allocations, "allocations", "", COUNT),
    COLUMN(struct row, connection_bytes, "sizes of all communicators", "", TEXT),
    COLUMN(struct row, counts, "counts of alltoallv", "", TEXT),
    COLUMN(struct row, verdicts, "verdicts", "", COUNT),
    COLUMN(struct row, intervals, "intervals", "", COUNT),
    COLUMN(struct row, confidence, "confidence", "", TEXT),
    COLUMN(struct row, chance, "miss by chance", "", TEXT),
    COLUMN(struct row, ended, "why it ended", "", TEXT),
};
static const struct story_form form =
    STORY_FORM(struct row, columns, .name = "method", .title = "How it was measured", .when = offsetof(struct row, when), .hidden = true);

static const struct column session_columns[] = {
    COLUMN(struct session, blocks, "blocks", "", TEXT),
    COLUMN(struct session, created, "begun", "", TEXT),
    COLUMN(struct session, launchgap, "launchgap", "", TEXT),
    COLUMN(struct session, added, "added", "", TEXT),
    COLUMN(struct session, counters, "counters", "", TEXT),
};
static const struct story_form session_form =
    STORY_FORM(struct session, session_columns, .name = "sessions", .title = "Sessions", .when = STORY_NO_WHEN, .hidden = true);

static const struct column note_columns[] = {COLUMN(struct note, note, "note", "", TEXT)};
static const struct story_form note_form =
    STORY_FORM(struct note, note_columns, .name = "notes", .title = "Notes of the plan", .when = STORY_NO_WHEN, .hidden = true);

static const struct sentence sessions_said[] = {{STORY_BODY, RESUMED, "In {sessions} sessions."}};
static const struct sentence notes_said[] = {{STORY_ITEM, 0, "{note}"}};
#define A_BLOCK "measured, seed {seed}. A block is one fresh job of every variant, in shuffled order, all with the same shuffled order of cells. Each cell: {warmup} call{warmup:s} to warm up, then"
static const struct sentence sentences[] = {
    {STORY_BODY, WHOLE, "{blocks} block{blocks:s} {blocks:was} " A_BLOCK},
    {STORY_BODY, PART, "{blocks} of {asked} block{asked:s} were " A_BLOCK},
    {STORY_ITEM, STREAM, "stream (bandwidth): {stretches} stretch{stretches:es} of {calls} call{calls:s} back to back; time per call = (latest end − earliest start over all ranks) ÷ calls; the trial's number is the median of its stretches"},
    {STORY_ITEM, ISOLATED | FEW_CALLS, "isolated (latency): {isolated_calls} call{isolated_calls:s}, the team meeting before each; p50 and p95 over calls"},
    {STORY_ITEM, ISOLATED | MANY_CALLS, "isolated (latency): {isolated_calls} calls, the team meeting before each; p50, p95 and p99 over calls"},
    {STORY_BODY, SOAK, "A soak: every trial goes through all of its cells {cycles} times; its number of a cell is the mean over them."},
    {STORY_BODY, REPEATS, "Every job makes its communicators {connections} time{connections:s}, and allocates buffers {allocations} time{allocations:s} with each; its number of a cell is the geometric mean over them."},
    {STORY_BODY, SOME_SIZES, "Communicators after the first measure {connection_bytes} alone."},
    {STORY_BODY, COUNTS, "alltoallv sends counts = {counts}."},
    {STORY_BODY, JUDGES, "This report has {verdicts} verdict{verdicts:s} and {intervals} interval{intervals:s} in all, each at {confidence} by itself: {chance} of them miss the true value by chance. Only claims are corrected for their number."},
    {STORY_BODY, ENDED, "Why it ended: {ended}"},
};
// clang-format on

/* --- sessions --- */

static void tell_command(struct story *story, const json_t *command)
{
	const char *text = "";
	for (size_t i = 0; i < json_array_size(command); i++) {
		const char *word = json_string_value(json_array_get(command, i));
		text = run_word(story->arena, text, word ? word : "");
	}
	if (*text)
		story_code(story, text);
}

/* A position in the run: whole blocks, and trials of the next block. */
struct place {
	unsigned block, trial;
};

static struct place place_of(const struct record_run *run, unsigned session)
{
	if (session > run->nresumes)
		return (struct place){record_next_block(run), 0};
	if (!session)
		return (struct place){0, 0};
	return (struct place){run->resumes[session - 1].first_block,
	                      run->resumes[session - 1].begun};
}

/* Follows the text so far. */
static const char *trials_of(struct arena *arena, const char *before, unsigned first, unsigned last,
                             unsigned block)
{
	const char *sep = *before ? ", " : "";
	if (first == last)
		return arena_text(arena, "%s%strial %u of block %u", before, sep, last, block + 1);
	return arena_text(arena, "%s%strials %u to %u of block %u", before, sep, first, last,
	                  block + 1);
}

/* What a session measured, counted from 1: "Blocks 1 to 9, trials 1 to 5 of block 10". */
static const char *measured_in(const struct record_run *run, unsigned session, struct arena *arena)
{
	const struct place from = place_of(run, session), to = place_of(run, session + 1);
	const unsigned earlier = from.block == to.block ? from.trial : 0;
	unsigned first = from.block;
	const char *text = "";
	if (from.trial && from.block < to.block)
		text = trials_of(arena, "", from.trial + 1, record_block_trials(run), first++);
	const char *sep = *text ? ", " : "";
	if (first + 1 == to.block)
		text = arena_text(arena, "%s%sblock %u", text, sep, to.block);
	else if (first < to.block)
		text = arena_text(arena, "%s%sblocks %u to %u", text, sep, first + 1, to.block);
	if (to.trial > earlier)
		text = trials_of(arena, text, earlier + 1, to.trial, to.block);
	if (!*text)
		text = "no block";
	return arena_text(arena, "%c%s", toupper((unsigned char)text[0]), text + 1);
}

static struct session session_of(const struct record_run *run, unsigned i, struct arena *arena)
{
	const struct record_resume *r = i ? &run->resumes[i - 1] : NULL;
	const json_t *counters = json_object_get(r ? r->json : run->environment, "counters");
	return (struct session){.blocks = measured_in(run, i, arena),
	                        .created = r ? r->created : run_text(run, "created"),
	                        .launchgap = r ? r->launchgap : run_text(run, "launchgap"),
	                        .added = !i                       ? NULL
	                                 : looks_adds(run, i - 1) ? "added"
	                                                          : "as planned",
	                        .counters = json_is_true(counters)    ? "with counters"
	                                    : json_is_false(counters) ? "without counters"
	                                                              : NULL};
}

static void tell_sessions(const struct record_run *run, struct story *story)
{
	const unsigned n = run->nresumes + 1;
	struct session *rows = ARENA_ARRAY(story->arena, struct session, n);
	for (unsigned i = 0; i < n; i++)
		rows[i] = session_of(run, i, story->arena);
	const struct story_table *t = story_table(story, &session_form, rows, n);
	for (unsigned i = 0; i < n; i++) {
		const struct record_resume *r = i ? &run->resumes[i - 1] : NULL;
		const bool known = !r || r->json;
		story_say(
		    story, STORY_BODY, t, &i, 1,
		    known ? "{blocks}[, {added}], {created}, launchgap {launchgap}[, {counters}]:"
		          : "{blocks}: the record does not say by which command.");
		if (known)
			tell_command(story,
			             r ? r->command : json_object_get(run->environment, "command"));
	}
}

static void tell_notes(const struct record_run *run, struct story *story)
{
	const json_t *notes = json_object_get(run->environment, "notes");
	const size_t n = json_array_size(notes);
	struct note *rows = ARENA_ARRAY(story->arena, struct note, n);
	for (size_t i = 0; i < n; i++)
		rows[i].note = json_string_value(json_array_get(notes, i));
	STORY_TELL(story, story_table(story, &note_form, rows, (unsigned)n), notes_said);
}

/* --- cells --- */

/* The arguments of alltoallv, if it was measured; else NULL. */
static const char *counts_of(const struct summary *s, struct arena *arena)
{
	const json_t *counts = json_object_get(s->run->environment, "counts");
	struct value_weights weights;
	struct status st = {""};
	char text[COUNTS_TEXT_BYTES];
	bool measured = false;
	for (unsigned g = 0; g < s->ngroups; g++)
		measured |= s->groups[g].cell.coll == COLL_ALLTOALLV;
	if (!measured || counts_from_json(counts, &weights, &st))
		return NULL;
	counts_text(&weights, (unsigned)run_number(s->run, "ranks"), text);
	return arena_text(arena, "%s%s", text,
	                  weights.rows > 1
	                      ? ", a row for each rank that sends (all of it in the record)"
	                  : weights.rows > 0 ? ", by distance, to oneself first"
	                                     : "");
}

/* Sizes that communicators after the first measure; NULL: all. */
static const char *connection_bytes_of(const struct record_run *run, struct arena *arena)
{
	const json_t *range = json_object_get(run->environment, "connection_bytes");
	const struct claim_range sizes = {(size_t)json_integer_value(json_array_get(range, 0)),
	                                  (size_t)json_integer_value(json_array_get(range, 1))};
	return range ? arena_text(arena, "%s", format_range(sizes).text) : NULL;
}

static const char *ended_of(const struct record_run *run, struct arena *arena)
{
	const size_t n = strlen(run->end.text);
	if (!run->end.reason[0])
		return NULL;
	return arena_text(arena, "%s%s", run->end.text,
	                  n && run->end.text[n - 1] == '.' ? "" : ".");
}

static unsigned when_of(const struct summary *s, const struct row *row)
{
	const bool streams = summary_has_pace(s, PACE_STREAM),
	           isolates = summary_has_pace(s, PACE_ISOLATED), none = !streams && !isolates;
	const bool part = s->nblocks < row->asked && !row->ended;
	return (row->sessions > 1 ? RESUMED : 0) | (part ? PART : WHOLE) |
	       (none || streams ? STREAM : 0) | (none || isolates ? ISOLATED : 0) |
	       (row->isolated_calls < METRIC_P99_CALLS ? FEW_CALLS : MANY_CALLS) |
	       (row->cycles > 1 ? SOAK : 0) |
	       (row->connections * row->allocations > 1 ? REPEATS : 0) |
	       (row->connections > 1 && row->connection_bytes ? SOME_SIZES : 0) |
	       (row->counts ? COUNTS : 0) | (row->intervals ? JUDGES : 0) |
	       (row->ended ? ENDED : 0);
}

static void tell(const struct analysis *a, struct story *story)
{
	const struct summary *s = a->s;
	const struct record_run *run = s->run;
	struct arena *arena = story->arena;
	struct row *row = ARENA_NEW(arena, struct row);
	const unsigned by_version = story_verdicts(story);
	*row = (struct row){
	    .sessions = run->nresumes + 1,
	    .blocks = s->nblocks,
	    .asked = (unsigned)record_blocks_asked(run),
	    .seed = run_text(run, "seed"),
	    .warmup = (unsigned)run_number(run, "warmup"),
	    .stretches = (unsigned)run_number(run, "stretches"),
	    .calls = (unsigned)run_number(run, "calls"),
	    .isolated_calls = (unsigned)run_number(run, "isolated_calls"),
	    .cycles = (unsigned)run_number(run, "cycles"),
	    .connections = (unsigned)run_number(run, "connections"),
	    .allocations = (unsigned)run_number(run, "allocations"),
	    .connection_bytes = connection_bytes_of(run, arena),
	    .counts = counts_of(s, arena),
	    .confidence = arena_text(arena, "%.4g %%", 100 * s->looks.confidence),
	    .chance = arena_text(arena, "%.3g %%", 100 * (1 - s->looks.confidence)),
	    .ended = ended_of(run, arena),
	};
	analysis_count(a, &row->verdicts, &row->intervals);
	row->verdicts += by_version;
	row->intervals += by_version;
	row->when = when_of(s, row);
	const struct story_table *t = story_table(story, &form, row, 1);
	STORY_TELL(story, t, sessions_said);
	tell_sessions(run, story);
	tell_notes(run, story);
	STORY_TELL(story, t, sentences);
}

const struct chapter chapter_method = {"method", "How it was measured", CHAPTER_APPENDIX, tell};
