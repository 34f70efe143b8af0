/* Whether the run can answer at all: what ran, whether its speeds may be compared, and whether it
 * has what the question is about. It follows all chapters that compare: it reports if they do
 * not. */
#include <string.h>

#include "../analysis/analysis.h"
#include "chapters.h"
#include "reasons.h"
#include "run.h"

enum { TROUBLE = 1, UNMEASURED = 2, UNCOMPARED = 4, NO_GPUS = 8, NO_DIFFERENCE = 16 };

struct row {
	const char *trouble, *uncompared; /* what is wrong; why no speed is compared */
	const char *backend;              /* the reference's */
	unsigned when;
};

/* A variant that ran. */
struct variant {
	const char *variant;
};

// clang-format off
static const struct column columns[] = {
    COLUMN(struct row, trouble, "trouble", "", TEXT),
    COLUMN(struct row, uncompared, "why no speed is compared", "", TEXT),
    COLUMN(struct row, backend, "backend", "", TEXT),
};
static const struct story_form form =
    STORY_FORM(struct row, columns, .name = "outcome", .title = "Whether the run answers", .when = offsetof(struct row, when), .hidden = true);

static const struct column variant_columns[] = {
    COLUMN(struct variant, variant, "variant", "", TEXT),
};
static const struct story_form variant_form =
    STORY_FORM(struct variant, variant_columns, .name = "ran", .title = "Variants that ran", .when = STORY_NO_WHEN, .hidden = true);

struct count {
	unsigned ran;
};
static const struct column count_columns[] = {
    COLUMN(struct count, ran, "variants that ran", "", COUNT),
};
static const struct story_form count_form =
    STORY_FORM(struct count, count_columns, .name = "ran_count", .title = "How many ran", .when = STORY_NO_WHEN, .hidden = true);

static const struct sentence sentences[] = {
    {STORY_INSTEAD, TROUBLE, "Nothing is compared: the variants did not do the same work. {trouble}."},
    {STORY_INSTEAD, UNMEASURED, "Nothing was measured: no trial left a time."},
    {STORY_INSTEAD, UNCOMPARED, "No speed is compared: {uncompared}."},
    {STORY_CAVEAT, NO_GPUS, "The question needs GPUs, and this run has none: what follows is about backend {backend}, and does not answer it."},
    {STORY_ANSWER, NO_DIFFERENCE, "No difference was decided."},
};
// clang-format on

#define NAMED 6 /* of a longer list the number says as much, if all ran */

static void say_ran(const struct summary *s, struct story *story, enum story_role role)
{
	struct variant *rows = ARENA_ARRAY(story->arena, struct variant, s->nvariants + 1);
	struct count *count = ARENA_NEW(story->arena, struct count);
	unsigned n = 0, of = 0;
	for (unsigned v = 0; v < s->nvariants; v++) {
		of += summary_is_asked(s, v);
		if (s->variants[v].measured && summary_is_asked(s, v))
			rows[n++] = (struct variant){s->variants[v].name};
	}
	*count = (struct count){n};
	const struct story_table *t = story_table(story, &variant_form, rows, n),
	                         *counts = story_table(story, &count_form, count, 1);
	const bool one = n == 1 && !strcmp(run_are(rows[0].variant), "is");
	if (n > NAMED && n == of)
		story_say(story, role, counts, NULL, 0,
		          s->carries_data ? "All {ran} variants ran, and every element that they "
		                            "delivered was right."
		                          : "All {ran} variants ran.");
	else if (n)
		story_say(story, role, t, NULL, 0,
		          !s->carries_data ? "{variant:list} ran."
		          : one ? "{variant:list} ran, and every element that it delivered "
		                  "was right."
		                : "{variant:list} ran, and every element that they "
		                  "delivered was right.");
}

static unsigned when_of(const struct analysis *a)
{
	const struct summary *s = a->s;
	const bool needs_gpus = json_is_true(json_object_get(s->run->environment, "needs_gpus"));
	if (s->trouble.kind)
		return TROUBLE;
	if (!s->measured)
		return UNMEASURED;
	return (s->uncompared.kind ? UNCOMPARED : 0) |
	       (needs_gpus && !record_traits(s->run, NULL)->gpus ? NO_GPUS : 0);
}

static void tell(const struct analysis *a, struct story *story)
{
	const struct summary *s = a->s;
	const bool answered = story_said(story, STORY_ANSWER, 0) || run_is_cut(a);
	struct row *row = ARENA_NEW(story->arena, struct row);
	*row = (struct row){.trouble = trouble_text(story->arena, &s->trouble),
	                    .uncompared = reason_text(story->arena, &s->uncompared),
	                    .backend = s->variants[s->reference < 0 ? 0 : s->reference].backend,
	                    .when = when_of(a)};
	if (!row->when && !answered && regimes_tell(&a->regimes))
		row->when = NO_DIFFERENCE;
	if (row->when & UNCOMPARED)
		say_ran(s, story, STORY_INSTEAD);
	else if (!(row->when & ~(unsigned)NO_GPUS) && !answered)
		say_ran(s, story, STORY_ANSWER);
	STORY_TELL(story, story_table(story, &form, row, 1), sentences);
}

const struct chapter chapter_ran = {"ran", "", CHAPTER_BODY, tell};
