#include "run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../analysis/sessions.h"
#include "../analysis/versions.h"
#include "chapters.h"

#define FEW_GROUPS 30

struct row {
	const char *reference, *backend;
	double margin, confidence; /* shares of 1 */
	unsigned blocks, least_blocks, ranks;
};

static const struct column columns[] = {
    COLUMN(struct row, reference, "reference", "", TEXT),
    COLUMN(struct row, backend, "backend", "", TEXT),
    COLUMN(struct row, margin, "margin", "", SHARE),
    COLUMN(struct row, confidence, "confidence", "", SHARE),
    COLUMN(struct row, blocks, "blocks", "", COUNT),
    COLUMN_AS(struct row, least_blocks, "least_blocks", "blocks for an interval", "", COUNT, 0),
    COLUMN(struct row, ranks, "ranks", "", COUNT),
};

static const struct story_form form = STORY_FORM(
    struct row, columns, .name = "run", .title = "The run", .when = STORY_NO_WHEN, .hidden = true);

static void tell(const struct analysis *a, struct story *story)
{
	const struct summary *s = a->s;
	struct row *row = ARENA_NEW(story->arena, struct row);
	*row = (struct row){.reference = s->reference < 0 ? "" : s->variants[s->reference].name,
	                    .backend = run_text(s->run, "backend"),
	                    .margin = s->margin,
	                    .confidence = s->looks.confidence,
	                    .blocks = s->nblocks,
	                    .least_blocks = STATS_MIN_BLOCKS,
	                    .ranks = (unsigned)run_number(s->run, "ranks")};
	story_table(story, &form, row, 1);
}

const struct chapter chapter_run = {"run", "", CHAPTER_BODY, tell};

const char *run_text(const struct record_run *run, const char *key)
{
	const char *text = json_string_value(json_object_get(run->environment, key));
	return text ? text : "";
}

long long run_number(const struct record_run *run, const char *key)
{
	return (long long)json_integer_value(json_object_get(run->environment, key));
}

const struct story_table *run_facts(const struct story *story)
{
	return story_find_table(story, form.name);
}

const char *run_collective(struct arena *arena, const struct summary_group *g)
{
	return arena_copy(arena, coll_word(&g->cell, g->nranks).text);
}

bool run_few_groups(const struct summary *s)
{
	return s->measured && s->ngroups <= FEW_GROUPS;
}

bool run_explains_gap(const struct analysis *a)
{
	return !isnan(a->f->waterfall.explained.estimate);
}

const char *run_are(const char *name)
{
	return *name && name[strlen(name) - 1] == 's' ? "are" : "is";
}

struct plot_order run_drawn(const struct analysis *a, struct arena *arena)
{
	struct plot_order order;
	struct status st = {""};
	arena_need(arena, !plot_order_make(a->s, &order, &st));
	arena_defer(arena, free, order.variants);
	return order;
}

bool run_lacks_blocks(const struct analysis *a)
{
	const struct summary *s = a->s;
	return s->measured && s->nblocks < STATS_MIN_BLOCKS && !s->uncompared[0] &&
	       (a->regimes->n || a->f->asked.primary.n) &&
	       !json_object_get(s->run->environment, "search");
}

bool run_is_cut(const struct analysis *a)
{
	const struct record_run *run = a->s->run;
	return run_lacks_blocks(a) &&
	       (record_begun(run) || a->s->nblocks < record_blocks_asked(run));
}

bool run_by_version(const struct analysis *a, struct arena *arena)
{
	struct versions versions;
	versions_find(a->s, arena, &versions);
	return versions.n > 0;
}

const char *run_command(const struct summary *s, struct arena *arena)
{
	const struct record_run *run = s->run;
	const long long asked = record_blocks_asked(run), has = s->nblocks;
	const bool few = asked && asked < STATS_MIN_BLOCKS;
	const long long wanted = few || !asked ? STATS_MIN_BLOCKS : asked;
	const char *folder = run->folder[0] ? run->folder : "DIR",
	           *quote = strpbrk(folder, " \t'\"$\\&;()*?") ? "\"" : "", *about = "", *more = "";
	const double s_left =
	    session_block_s(run) *
	    ((double)(wanted - has) - (double)record_begun(run) / record_block_trials(run));
	if (s_left >= 120)
		about = arena_text(arena, " (about %.2g min)", s_left / 60);
	else if (s_left > 0)
		about = arena_text(arena, " (about %.0f s)", ceil(s_left));
	if (few && !json_object_get(run->environment, "search"))
		more = arena_text(arena, " blocks=%lld", wanted - has);
	return arena_text(arena, "To go on%s: launchgap resume %s%s%s%s", about, quote, folder,
	                  quote, more);
}

unsigned run_verdicts(const struct story *story)
{
	const struct story_table *t = story_find_table(story, "versions");
	unsigned n = 0;
	for (unsigned i = 0; t && i < t->nrows; i++)
		n += !isnan(column_entry(story_column(t, "ratio"), story_row(t, i)).lo);
	return n;
}
