/* A quick run: that it tested the primary claim alone, and what the whole experiment has more. */
#include <string.h>

#include "../analysis/analysis.h"
#include "../analysis/spent.h"
#include "../story/format.h"
#include "chapters.h"
#include "run.h"

struct row {
	const char *claim, *more, *command, *takes;
	unsigned variants, claims, sizes;
	double seconds;
};

// clang-format off
static const struct column columns[] = {
    COLUMN(struct row, claim, "the claim", "", TEXT),
    COLUMN(struct row, variants, "more variants", "", COUNT),
    COLUMN(struct row, claims, "more claims", "", COUNT),
    COLUMN(struct row, sizes, "more sizes", "", COUNT),
    COLUMN(struct row, seconds, "time of the full run", "s", NUMBER),
    COLUMN(struct row, more, "what the full run adds", "", TEXT),
    COLUMN(struct row, command, "its command", "", TEXT),
    COLUMN(struct row, takes, "its time", "", TEXT),
};
static const struct story_form form =
    STORY_FORM(struct row, columns, .name = "quick", .title = "A quick run", .when = STORY_NO_WHEN, .hidden = true);
// clang-format on

static const struct sentence sentences[] = {
    {STORY_OPEN, 0,
     "A quick run: one claim alone. The full run[ would add {more}]: {command}, about {takes}."},
};

/* "11 variants, 8 claims, 6 sizes"; NULL: none of them. */
static const char *more_of(struct arena *arena, const struct row *row)
{
	const struct {
		unsigned n;
		const char *what;
	} parts[] = {{row->variants, "variant"}, {row->claims, "claim"}, {row->sizes, "size"}};
	const char *text = "";
	for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++)
		if (parts[i].n)
			text = arena_text(arena, "%s%s%u %s%s", text, *text ? ", " : "", parts[i].n,
			                  parts[i].what, format_plural(parts[i].n));
	return *text ? text : NULL;
}

/* The command of the run without --quick. */
static const char *command_of(const struct record_run *run, struct arena *arena)
{
	const json_t *words = json_object_get(run->environment, "command");
	const char *text = "", *name = "";
	unsigned n = 0;
	for (size_t i = 0; i < json_array_size(words); i++) {
		const char *word = json_string_value(json_array_get(words, i));
		if (!word || !strcmp(word, "--quick"))
			continue;
		text = run_word(arena, text, word);
		name = n++ == 2 ? word : name;
	}
	return n == 3 && strcmp(name, "--file") != 0
	           ? run_word(arena, "make experiment", arena_text(arena, "EXP=%s", name))
	           : text;
}

/* The whole run by typical figures, as many times as long as this run's own trials took of theirs. */
static double seconds_of(const struct record_run *run, const json_t *quick, struct arena *arena)
{
	const double whole = json_number_value(json_object_get(quick, "seconds"));
	const double typical = json_number_value(json_object_get(quick, "trial_seconds"));
	unsigned n;
	double s = 0;
	const struct spent_job *jobs = spent_jobs(run, arena, &n);
	for (unsigned i = 0; i < n; i++)
		s += 1e-9 * (double)(jobs[i].job->to_ns - jobs[i].job->from_ns);
	return n && typical > 0 ? whole * s / n / typical : whole;
}

static void tell(const struct analysis *a, struct story *story)
{
	const json_t *quick = json_object_get(a->s->run->environment, "quick");
	struct row *row = ARENA_NEW(story->arena, struct row);
	if (!quick)
		return;
	*row = (struct row){
	    .claim = json_string_value(json_object_get(quick, "claim")),
	    .variants = (unsigned)json_integer_value(json_object_get(quick, "variants")),
	    .claims = (unsigned)json_integer_value(json_object_get(quick, "claims")),
	    .sizes = (unsigned)json_integer_value(json_object_get(quick, "sizes")),
	    .seconds = seconds_of(a->s->run, quick, story->arena),
	    .command = command_of(a->s->run, story->arena),
	};
	row->more = more_of(story->arena, row);
	row->takes = arena_copy(story->arena, format_duration(row->seconds).text);
	STORY_TELL(story, story_table(story, &form, row, 1), sentences);
}

const struct chapter chapter_quick = {"quick", "", CHAPTER_FRONT, tell};
