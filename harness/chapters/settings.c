/* The effect of each variant's settings: which did nothing, which single key a variant differs in,
 * and which to set because they gain and lose nowhere. */
#include <math.h>
#include <string.h>

#include "../analysis/analysis.h"
#include "../story/format.h"
#include "chapters.h"
#include "reasons.h"
#include "run.h"

#define NAMED 4 /* variants that differ in one key, in a sentence */

enum { IDLE = 1, ONE_KEY = 2, GAINS = 4 };

struct row {
	const char *variant, *reference;
	const char *idle, *idle_as; /* why it did nothing, and the variant that it equals */
	const char *key;            /* of a variant that differs only in this key */
	const char *set, *gain;     /* variables of the environment that acted; by regime */
	unsigned when;
};

// clang-format off
static const struct column columns[] = {
    COLUMN(struct row, variant, "variant", "", TEXT),
    COLUMN(struct row, reference, "reference", "", TEXT),
    COLUMN(struct row, idle, "did nothing, for", "", TEXT),
    COLUMN_AS(struct row, idle_as, "same_as", "the same as", "", TEXT, 0),
    COLUMN(struct row, key, "differs in", "", TEXT),
    COLUMN(struct row, set, "to set", "", TEXT),
    COLUMN(struct row, gain, "gain", "", TEXT),
};
static const struct story_form form =
    STORY_FORM(struct row, columns, .name = "settings", .title = "What settings come to", .when = offsetof(struct row, when), .hidden = true);

static const struct sentence idle_sentences[] = {
    {STORY_ANSWER, IDLE, "{variant} is the same as {same_as}: {idle}."},
};
/* In a file without factors, each variant that differs from the reference in one key is a
 * factor. */
static const struct sentence key_sentences[] = {
    {STORY_ANSWER, ONE_KEY, "One key differs from {reference}: [{key} in {variant}]."},
};
static const struct sentence gain_sentences[] = {
    {STORY_ANSWER, GAINS, "Set {set} ({variant}): {gain}; slower in none."},
};
// clang-format on

/* A setting that should change nothing: that is its purpose. */
static bool is_placebo(const struct analysis *a, unsigned variant)
{
	const struct claim_list *asked = &a->asked;
	for (unsigned i = 0; i < asked->nfactors; i++)
		if (asked->factors[i].placebo &&
		    !strcmp(asked->factors[i].to, a->s->variants[variant].name))
			return true;
	return false;
}

/* The only key in which a variant differs from the reference, unless it is the launch mode. */
static const char *key_of(const struct summary *s, unsigned v, struct arena *arena)
{
	char keys[256];
	if (settings_differ(&s->run->variants[s->reference].settings, &s->run->variants[v].settings,
	                    keys, sizeof keys) != 1 ||
	    !strcmp(keys, "mode") || !strcmp(keys, "layout") || !strcmp(keys, "backend"))
		return NULL;
	return arena_copy(arena, keys);
}

/* Whether a variant differs from the reference only in variables of its environment. */
static bool differs_in_env(const struct summary *s, unsigned v)
{
	char keys[512], *rest = keys, *key;
	bool all = settings_differ(&s->run->variants[s->reference].settings,
	                           &s->run->variants[v].settings, keys, sizeof keys) > 0;
	while (all && (key = strsep(&rest, ",")))
		all = !strncmp(key + strspn(key, " "), "env.", 4);
	return all;
}

/* The least gain, also in words, of a variant that gains in some regime and in none is slower or
 * open; else 0. */
static double gain_of(const struct analysis *a, unsigned v, struct arena *arena, const char **gain)
{
	double least = INFINITY;
	*gain = "";
	for (unsigned i = a->regimes.n; i-- > 0;) {
		const struct regime *g = &a->regimes.list[i];
		const struct verdict *verdict = &g->contrasts[v].verdict;
		const int beyond =
		    g->tells ? verdict_beyond(verdict) : regime_beyond(g, &verdict->ratio);
		if (beyond <= 0 && !(g->tells && verdict_within(verdict)))
			return 0;
		if (beyond <= 0)
			continue;
		*gain =
		    arena_text(arena, "%s%s%s times the speed at %s sizes (%s)", *gain,
		               **gain ? ", " : "", format_estimate(verdict->ratio.estimate).text,
		               g->label, format_interval(&verdict->ratio).text);
		least = fmin(least, verdict->ratio.lo);
	}
	return **gain ? least : 0;
}

/* "NCCL_BUFFSIZE=1048576, NCCL_NTHREADS=256": those that acted. */
static const char *variables_of(const struct summary *s, unsigned v, struct arena *arena)
{
	const struct settings *own = &s->run->variants[v].settings;
	const char *text = "";
	for (unsigned i = 0; i < own->nenv; i++) {
		char key[TRIAL_ENV_BYTES];
		snprintf(key, sizeof key, "env.%.*s", (int)strcspn(own->env[i], "="), own->env[i]);
		if (!evidence_idle(s, s->variants[v].name, key).act)
			text = arena_text(arena, "%s%s%s", text, *text ? ", " : "", own->env[i]);
	}
	return text;
}

static struct row row_of(const struct analysis *a, unsigned v, struct arena *arena)
{
	const struct summary *s = a->s;
	const struct evidence_path *path = &a->evidence.paths[v];
	struct row row = {.variant = s->variants[v].name};
	if (path->nidle) {
		row.idle = idle_text(arena, path);
		row.idle_as = s->variants[path->idle_as].name;
		row.when |= is_placebo(a, v) ? 0 : IDLE;
	}
	if (s->reference < 0 || !summary_is_asked(s, v) || !s->variants[v].measured)
		return row;
	row.reference = s->variants[s->reference].name;
	row.key = key_of(s, v, arena);
	row.when |= row.key ? ONE_KEY : 0;
	return row;
}

/* The variant that gains the most by variables of its environment. */
static void mark_gain(const struct analysis *a, struct row *rows, struct arena *arena)
{
	const struct summary *s = a->s;
	const char *gain = NULL;
	double most = 0;
	int best = -1;
	for (unsigned v = 0; v < s->nvariants; v++) {
		const double gains =
		    rows[v].reference && differs_in_env(s, v) ? gain_of(a, v, arena, &gain) : 0;
		if (!(gains > most))
			continue;
		most = gains;
		best = (int)v;
		rows[v].gain = gain;
	}
	if (best < 0)
		return;
	rows[best].set = variables_of(s, (unsigned)best, arena);
	rows[best].when |= GAINS;
}

static void tell(const struct analysis *a, struct story *story)
{
	const struct summary *s = a->s;
	const bool compares =
	    !run_by_version(a, story->arena) && s->reference >= 0 && !s->run->search;
	struct row *rows = ARENA_ARRAY(story->arena, struct row, s->nvariants + 1);
	unsigned keys = 0;
	for (unsigned v = 0; v < s->nvariants; v++) {
		rows[v] = row_of(a, v, story->arena);
		keys += rows[v].key != NULL;
	}
	if (compares)
		mark_gain(a, rows, story->arena);
	const struct story_table *t = story_table(story, &form, rows, s->nvariants);
	STORY_TELL(story, t, idle_sentences);
	if (!story->settled && !a->asked.nfactors && !run_lacks_blocks(a) && keys <= NAMED)
		STORY_TELL(story, t, key_sentences);
	STORY_TELL(story, t, gain_sentences);
}

const struct chapter chapter_settings = {"settings", "", CHAPTER_BODY, tell};
