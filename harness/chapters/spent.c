/* Where the run's time went, from its set-up to its report. */
#include "../analysis/spent.h"

#include "../analysis/analysis.h"
#include "chapters.h"

struct row {
	const char *part;
	double seconds, share;
};

static const struct column columns[] = {
    COLUMN(struct row, part, "part", "", TEXT),
    COLUMN(struct row, seconds, "time", "s", NUMBER),
    COLUMN(struct row, share, "of all", "", SHARE),
};
static const struct story_form form =
    STORY_FORM(struct row, columns, .name = "spent", .title = "Where the time went",
               .when = STORY_NO_WHEN, .file = "spent.csv");

// clang-format off
static const char *const names[SPENT_PARTS] = {
    [SPENT_PART_SET_UP]                   = "setting up the run",
    [SPENT_PART_START]                    = "starting jobs",
    [SPENT_PART_PHASES + SPENT_CONNECT]   = "connecting",
    [SPENT_PART_PHASES + SPENT_PREPARE]   = "preparing inputs",
    [SPENT_PART_PHASES + SPENT_WARM_UP]   = "warming up",
    [SPENT_PART_PHASES + SPENT_CALLS]     = "timed calls",
    [SPENT_PART_PHASES + SPENT_COUNTERS]  = "counters",
    [SPENT_PART_PHASES + SPENT_TIMELINE]  = "timelines",
    [SPENT_PART_PHASES + SPENT_CHECK]     = "checking results",
    [SPENT_PART_CLOSE]                    = "closing jobs",
    [SPENT_PART_PATH]                     = "jobs that log the data path",
    [SPENT_PART_FAILED]                   = "jobs that failed",
    [SPENT_PART_REPORT]                   = "the report",
    [SPENT_PART_REST]                     = "the rest",
};
// clang-format on

/* "Of 102 s, 11 % were timed calls; most went to starting jobs (40 %)." */
static void say(struct story *story, const struct story_table *t, const struct row *all,
                const struct row *calls, const struct row *most)
{
	struct phrase p = phrase_begin(story);
	phrase_add_row(&p, t, all, "Of {seconds} s, ");
	phrase_add_row(&p, t, calls, "{share} were timed calls");
	if (most != calls)
		phrase_add_row(&p, t, most,
		               most->share > 0.5 ? "; most went to {part} ({share})"
		                                 : "; the largest part went to {part} ({share})");
	phrase_words(&p, ".");
	phrase_end(&p, STORY_BODY | STORY_MEASURED);
}

static void tell(const struct analysis *a, struct story *story)
{
	const struct spent_sum sum = spent_sum(a->s->run, story->arena);
	struct row *rows = ARENA_ARRAY(story->arena, struct row, SPENT_PARTS + 1);
	const struct row *calls = rows, *most = rows;
	unsigned n = 0;
	if (!(sum.wall_s > 0))
		return;
	for (unsigned p = 0; p < SPENT_PARTS; p++) {
		if (sum.s[p] == 0 && p != SPENT_PART_PHASES + SPENT_CALLS)
			continue;
		rows[n] = (struct row){names[p], sum.s[p], sum.s[p] / sum.wall_s};
		if (p == SPENT_PART_PHASES + SPENT_CALLS)
			calls = &rows[n];
		if (rows[n].seconds > most->seconds)
			most = &rows[n];
		n++;
	}
	rows[n] = (struct row){"all", sum.wall_s, 1};
	const struct story_table *t = story_rows(story, &form, rows, n + 1);
	say(story, t, &rows[n], calls, most);
	story_show(story, t);
	story_note(story, STORY_BODY,
	           "Phases of a job are those of its first rank's worker, one after the other. "
	           "Connecting includes the first call of each cell, at which NCCL connects. "
	           "Starting a job is what comes before them, closing it what comes after them and "
	           "keeps the next job waiting: the library's end, writing the stamps, the "
	           "launcher's end. While the next one starts, time is that one's. The rest is the "
	           "runner between jobs. The report's time is up to its last picture; writing it "
	           "comes after.");
}

const struct chapter chapter_spent = {"spent", "Where the time went", CHAPTER_APPENDIX, tell};
