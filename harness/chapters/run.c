#include "run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../analysis/sessions.h"
#include "../analysis/versions.h"
#include "../sanitize.h"
#include "../status.h"
#include "../story/format.h"
#include "chapters.h"

#define FEW_GROUPS 30

struct row {
	const char *reference, *backend;
	const char *why_backend; /* it was chosen; "" */
	const char *machine, *libraries, *day;
	double margin, confidence; /* shares of 1 */
	unsigned blocks, least_blocks, ranks, collectives, isolated_calls, p99_calls;
};

static const struct column columns[] = {
    COLUMN(struct row, reference, "reference", "", TEXT),
    COLUMN(struct row, backend, "backend", "", TEXT),
    COLUMN(struct row, margin, "margin", "", SHARE),
    COLUMN(struct row, confidence, "confidence", "", SHARE),
    COLUMN(struct row, blocks, "blocks", "", COUNT),
    COLUMN_AS(struct row, least_blocks, "least_blocks", "blocks for an interval", "", COUNT, 0),
    COLUMN(struct row, ranks, "ranks", "", COUNT),
    COLUMN(struct row, collectives, "collectives, by datatype, operation, place and pace", "",
           COUNT),
    COLUMN(struct row, isolated_calls, "isolated calls", "", COUNT),
    COLUMN(struct row, p99_calls, "isolated calls for a p99", "", COUNT),
    COLUMN(struct row, machine, "machine", "", TEXT),
    COLUMN(struct row, libraries, "libraries", "", TEXT),
    COLUMN(struct row, day, "begun on", "", TEXT),
    COLUMN(struct row, why_backend, "why this backend", "", TEXT),
};

static const struct story_form form = STORY_FORM(
    struct row, columns, .name = "run", .title = "The run", .when = STORY_NO_WHEN, .hidden = true);

/* The versions of the library that were measured, ascending: "NCCL 2.21.5 and 2.28.3". */
static const char *libraries_of(const struct summary *s, struct arena *arena)
{
	const char **all = ARENA_ARRAY(arena, const char *, s->nvariants + 1), *text = "";
	unsigned n = 0;
	for (unsigned v = 0; v < s->nvariants; v++) {
		const char *library = s->variants[v].library;
		unsigned at = 0;
		while (at < n && strcmp(all[at], library))
			at++;
		if (!*library || !s->variants[v].measured || at < n)
			continue;
		for (at = n++; at && strverscmp(all[at - 1], library) > 0; at--)
			all[at] = all[at - 1];
		all[at] = library;
	}
	for (unsigned i = 0; i < n; i++)
		text = arena_text(arena, "%s%s%s", text,
		                  !i           ? "NCCL "
		                  : i + 1 == n ? " and "
		                               : ", ",
		                  all[i]);
	return text;
}

/* An experiment may ask for a chapter that this program does not have. */
static void say_lead(struct story *story, const char *asked)
{
	if (*asked && !chapters_find(asked))
		story_note(
		    story, STORY_MEASURED,
		    arena_text(story->arena, "leads = %s: there is no such chapter.", asked));
}

static void tell(const struct analysis *a, struct story *story)
{
	const struct summary *s = a->s;
	struct arena *arena = story->arena;
	struct row *row = ARENA_NEW(arena, struct row);
	char machine[256];
	run_machine(s, machine, sizeof machine);
	*row = (struct row){.reference = s->reference < 0 ? "" : s->variants[s->reference].name,
	                    .backend = run_text(s->run, "backend"),
	                    .why_backend = run_text(s->run, "backend_why"),
	                    .machine = arena_copy(arena, machine),
	                    .libraries = libraries_of(s, arena),
	                    .day = arena_text(arena, "%.10s", run_text(s->run, "created")),
	                    .margin = s->margin,
	                    .confidence = s->looks.confidence,
	                    .blocks = s->nblocks,
	                    .least_blocks = STATS_MIN_BLOCKS,
	                    .ranks = (unsigned)run_number(s->run, "ranks"),
	                    .collectives = s->ngroups,
	                    .isolated_calls = s->isolated_calls,
	                    .p99_calls = METRIC_P99_CALLS};
	const struct story_table *t = story_table(story, &form, row, 1);
	story_say(story, STORY_MEASURED, t, NULL, 0,
	          "Measured on {machine}; backend {backend}[, {libraries}]; {ranks} rank{ranks:s}, "
	          "{blocks} block{blocks:s}, {day}.");
	if (*row->why_backend)
		story_say(story, STORY_MEASURED, t, NULL, 0, "{why_backend}.");
	say_lead(story, run_text(s->run, "leads"));
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
	return !isnan(a->waterfall.explained.estimate);
}

const char *run_are(const char *name)
{
	const size_t n = strlen(name);
	return n > 1 && name[n - 1] == 's' && name[n - 2] != 's' ? "are" : "is";
}

void run_machine(const struct summary *s, char *text, size_t bytes)
{
	const json_t *machine = json_object_get(s->run->environment, "machine");
	const char *name, *cpu = json_string_value(json_object_get(machine, "cpu"));
	const size_t gpus = summary_gpus(s, &name);
	text[0] = '\0';
	if (gpus)
		status_add(text, bytes, "%zu × %.80s, ", gpus, name);
	status_add(text, bytes, "%.100s, %u core%s", cpu && *cpu ? cpu : "unknown processor",
	           s->ncores, format_plural(s->ncores));
}

bool run_compares(const struct summary *s)
{
	for (unsigned v = 0; v < s->nvariants; v++)
		if (summary_has_ratio(s, v))
			return true;
	return false;
}

bool run_lacks_blocks(const struct analysis *a)
{
	const struct summary *s = a->s;
	return s->measured && run_compares(s) && s->nblocks < STATS_MIN_BLOCKS &&
	       !s->uncompared.kind && (a->regimes.n || a->asked.primary[0]) &&
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
	const char *folder = run->folder[0] ? run->folder : "DIR", *about = "", *more = "";
	const double s_left =
	    session_block_s(run) *
	    ((double)(wanted - has) - (double)record_begun(run) / record_block_trials(run));
	if (s_left >= 120)
		about = arena_text(arena, " (about %.2g min)", s_left / 60);
	else if (s_left > 0)
		about = arena_text(arena, " (about %.0f s)", ceil(s_left));
	if (few && !json_object_get(run->environment, "search"))
		more = arena_text(arena, " blocks=%lld", wanted - has);
	return arena_text(arena, "To go on%s: %s%s", about,
	                  run_word(arena, "launchgap resume", folder), more);
}

const char *run_word(struct arena *arena, const char *text, const char *word)
{
	const size_t bytes = SANITIZE_WORD(strlen(word));
	char *quoted = arena_take(arena, bytes);
	sanitize_word(word, quoted, bytes);
	return arena_text(arena, "%s%s%s", text, *text ? " " : "", quoted);
}

/* "staged" or "direct"; NULL if the variant's path is not known. */
static const char *way_of(const struct analysis *a, const char *name)
{
	const int v = index_variant(a->s, name);
	const char *way = v < 0 ? "" : a->evidence.paths[v].data_path;
	return !strcmp(way, "staged") || !strcmp(way, "direct") ? way : NULL;
}

const char *run_side(struct arena *arena, const struct claim *c, bool right)
{
	const char *name = right ? c->right : c->left, *coll = right ? c->right_coll : c->left_coll;
	return *coll ? arena_text(arena, "%s %s", name, coll) : name;
}

const char *run_ways(const struct analysis *a, struct arena *arena, const struct claim *c)
{
	const char *left = way_of(a, c->left), *right = way_of(a, c->right);
	if (!metric_info(c->metric)->data_path || !left || !right)
		return NULL;
	return !strcmp(left, right)
	           ? arena_text(arena, "both %s", left)
	           : arena_text(arena, "%s %s, %s %s", c->left, left, c->right, right);
}
