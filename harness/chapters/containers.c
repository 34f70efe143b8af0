/* Processes that are isolated from each other (isolate, visible = own): what that costs compared
 * with the reference, and which other variant restores it.
 *
 * A variant loses if its bandwidth at large sizes is surely less than the reference's, or if all of
 * its trials failed. A remedy is a variant that is still isolated and does not lose. It isolates
 * nothing that the loser shares, and differs from it only in namespaces and environment. If the
 * loser isolates a single thing, the remedy may be the reference, which shares it. Of several
 * remedies the one that changes least is named, with all that it changes: no measurement shows that
 * a part is enough. */
#include <math.h>
#include <string.h>

#include "../analysis/analysis.h"
#include "../story/format.h"
#include "../story/verdict_text.h"
#include "chapters.h"

/* Precedes what the path's job reported (run/evidence.c). */
#define PATH_UNKNOWN "its path cannot be told: "

struct row {
	const char *variant, *own, *transport;
	struct stats_ratio speed;
	const char *verdict, *fails; /* fails: the first trial's error, if all failed */
	const char *gives, *remedy;  /* what restores it, in full, as in which variant */
	struct stats_ratio restored;
	const char *how;  /* gives, with the ways to do it */
	const char *gone; /* verdict, if all trials failed */
	const char *sizes, *reference;
	unsigned at; /* of the variant */
	int back;    /* the remedy's variant, or -1 */
	unsigned when;
};

/* One isolated thing that costs bandwidth; a row that represents all that its remedy restores, and
 * is not such a thing. */
enum { SINGLE = 1, SEVERAL = 2, FAILS = 4 };

// clang-format off
static const struct column columns[] = {
    COLUMN(struct row, variant, "variant", "", TEXT),
    COLUMN(struct row, own, "each process has its own", "", TEXT),
    COLUMN(struct row, transport, "transport", "", TEXT),
    COLUMN(struct row, speed, "speed", "", RATIO),
    COLUMN(struct row, verdict, "verdict", "", WORD),
    COLUMN(struct row, fails, "why", "", TEXT),
    COLUMN(struct row, gives, "what restores it, all of it", "", TEXT),
    COLUMN(struct row, remedy, "as in", "", TEXT),
    COLUMN(struct row, restored, "with it", "", RATIO),
    COLUMN_AS(struct row, how, "how", "", "", TEXT, ONLY_FILES),
    COLUMN_AS(struct row, gone, "gone", "", "", TEXT, ONLY_FILES),
    COLUMN_AS(struct row, sizes, "sizes", "", "", TEXT, ONLY_FILES),
    COLUMN_AS(struct row, reference, "reference", "", "", TEXT, ONLY_FILES),
};
static const struct story_form form =
    STORY_FORM(struct row, columns, .name = "containers", .title = "Isolated processes", .when = offsetof(struct row, when));

static const struct sentence sentences[] = {
    {STORY_ANSWER, SINGLE, "[With its own {own}| or its own {own}] a process keeps {speed:range percent} of the bandwidth of {reference}."},
    {STORY_ANSWER, FAILS, "With its own {own} NCCL does not run; {remedy} does: {gives}."},
    {STORY_ANSWER, SEVERAL,
     "With its own {own} ({variant}) a process keeps {speed:percent} of the bandwidth of {reference}. All of this together gives "
     "it back: {gives}. With it: {restored:full} times the bandwidth of {reference}."},
};

static const struct {
	const char *name, *how;
} owned[ISOLATE_KINDS] = {
    [ISOLATE_UTS]     = {"host name", ""},
    [ISOLATE_IPC]     = {"IPC namespace", ""},
    [ISOLATE_SHM]     = {"/dev/shm", " (docker run --ipc=host, in Kubernetes hostIPC: true)"},
    [ISOLATE_PID]     = {"PID namespace", ""},
    [ISOLATE_CGROUP]  = {"cgroup namespace", ""},
    [ISOLATE_DEVICES] = {"GPU files", " (NVIDIA_VISIBLE_DEVICES=all, --gpu-bind=none; CUDA_VISIBLE_DEVICES for each)"},
};
// clang-format on

/* --- what is isolated, and what another setting changes of it --- */

static const struct settings *settings_of(const struct summary *s, unsigned v)
{
	return s->variants[v].settings;
}

static void list_kinds(unsigned bits, bool how, char *text, size_t bytes)
{
	for (int kind = 0; kind < ISOLATE_KINDS; kind++) {
		char item[128];
		snprintf(item, sizeof item, "%s%s", owned[kind].name, how ? owned[kind].how : "");
		if (bits & ISOLATE_BIT(kind))
			status_list(text, bytes, item);
	}
}

/* "visible GPU, host name and /dev/shm" */
static const char *own_of(struct arena *arena, const struct settings *set)
{
	char text[160] = "", *last = NULL;
	if (set->visible == VISIBLE_OWN)
		status_list(text, sizeof text, "visible GPU");
	list_kinds(set->isolate, false, text, sizeof text);
	for (char *comma = text; (comma = strstr(comma, ", ")); comma += 2)
		last = comma;
	return last ? arena_text(arena, "%.*s and %s", (int)(last - text), text, last + 2)
	            : arena_copy(arena, text);
}

/* Entries of a's environment that b sets to something else; names alone: that b lacks. */
static unsigned env_beyond(const struct settings *a, const struct settings *b, bool names,
                           char *text, size_t bytes)
{
	unsigned n = 0;
	for (unsigned i = 0; i < a->nenv; i++) {
		char key[TRIAL_ENV_BYTES + 4], said[TRIAL_ENV_BYTES + 8];
		const size_t name = strcspn(a->env[i], "=");
		snprintf(key, sizeof key, "env.%.*s", (int)name, a->env[i]);
		if (names ? settings_env(b, a->env[i]) != NULL : settings_same(key, a, b))
			continue;
		snprintf(said, sizeof said, "%.*s%s%s", (int)name, a->env[i], names ? "" : " = ",
		         names ? "" : a->env[i] + name + 1);
		status_list(text, bytes, said);
		n++;
	}
	return n;
}

static void add_part(char *text, size_t bytes, const char *verb, const char *list)
{
	if (list[0])
		status_add(text, bytes, "%s%s %s", text[0] ? "; " : "", verb, list);
}

/* "share IPC namespace, /dev/shm; set NCCL_HOSTID = same; unset X"; how: with the ways to do
 * it. */
static const char *remedy_text(struct arena *arena, const struct settings *loser,
                               const struct settings *remedy, bool how)
{
	char shared[320] = "", set[256] = "", unset[256] = "", text[960] = "";
	const unsigned kinds = loser->isolate & ~remedy->isolate;
	list_kinds(kinds, how, shared, sizeof shared);
	env_beyond(remedy, loser, false, set, sizeof set);
	env_beyond(loser, remedy, true, unset, sizeof unset);
	add_part(text, sizeof text, "share", shared);
	add_part(text, sizeof text, "set", set);
	if (how && strstr(set, "NCCL_HOSTID"))
		status_add(text, sizeof text,
		           " (one text for all containers of a machine, such as its name)");
	add_part(text, sizeof text, "unset", unset);
	if (how && __builtin_popcount(kinds) + (loser->nenv != remedy->nenv) > 1)
		status_add(text, sizeof text, ", all of it");
	return arena_copy(arena, text);
}

/* How much a variant changes of a loser's settings; 0: it is no remedy of its kind. A variable
 * counts less than what containers have to share, and they hardly ever share a host name. */
static unsigned changes(const struct settings *loser, const struct settings *other)
{
	struct settings same = *other;
	char keys[512], ignored[256] = "";
	const bool single = !(loser->isolate & (loser->isolate - 1));
	if ((!settings_isolates(other) && !single) || other->isolate & ~loser->isolate ||
	    (other->visible == VISIBLE_OWN && loser->visible != VISIBLE_OWN))
		return 0;
	same.isolate = loser->isolate;
	same.nenv = loser->nenv;
	memcpy(same.env, loser->env, sizeof same.env);
	if (settings_differ(&same, loser, keys, sizeof keys))
		return 0;
	const unsigned shared = loser->isolate & ~other->isolate;
	return 2 * (unsigned)__builtin_popcount(shared) +
	       (shared & ISOLATE_BIT(ISOLATE_UTS) ? 2 : 0) +
	       env_beyond(other, loser, false, ignored, sizeof ignored) +
	       env_beyond(loser, other, true, ignored, sizeof ignored);
}

/* --- who loses, and what restores it --- */

static bool is_isolated(const struct summary *s, unsigned v)
{
	return s->variants[v].role == ROLE_VARIANT && settings_of(s, v) &&
	       settings_isolates(settings_of(s, v));
}

/* The first trial's error of an isolated variant if all of its trials failed. */
static const char *failure_of(const struct summary *s, unsigned v)
{
	const struct summary_variant *of = &s->variants[v];
	for (unsigned i = 0; !of->measured && !of->skip[0] && i < s->run->nfailures; i++) {
		const char *error = s->run->failures[i].error, *path = strstr(error, PATH_UNKNOWN);
		if (!strcmp(s->run->failures[i].variant, of->name))
			return path ? path + strlen(PATH_UNKNOWN) : error;
	}
	return NULL;
}

static int beyond(const struct regime *g, unsigned variant)
{
	const struct verdict *v = &g->contrasts[variant].verdict;
	if (isnan(v->ratio.estimate))
		return 0;
	return g->tells ? verdict_beyond(v) : regime_beyond(g, &v->ratio);
}

/* Those that surely lose nothing: if the run can distinguish variants, within the margin or
 * faster. */
static bool restores(const struct regime *g, unsigned variant)
{
	const struct verdict *v = &g->contrasts[variant].verdict;
	return !isnan(v->ratio.lo) && (verdict_within(v) || v->ratio.estimate >= 1) &&
	       beyond(g, variant) >= 0;
}

static int remedy_of(const struct summary *s, const struct regime *g, unsigned loser)
{
	unsigned least = 0;
	int best = -1;
	for (unsigned v = 0; v < s->nvariants; v++) {
		const bool may = (int)v == s->reference ||
		                 (s->variants[v].measured && is_isolated(s, v) && restores(g, v));
		const unsigned n = may && settings_of(s, v)
		                       ? changes(settings_of(s, loser), settings_of(s, v))
		                       : 0;
		if (!n || (best >= 0 && n >= least))
			continue;
		best = (int)v;
		least = n;
	}
	return best;
}

static struct row row_of(const struct analysis *a, const struct regime *g, struct arena *arena,
                         unsigned v, const char *fails)
{
	const struct summary *s = a->s;
	const bool loses = fails || beyond(g, v) < 0;
	char verdict[VERDICT_TEXT_BYTES];
	regime_verdict_text(g, v, verdict, sizeof verdict);
	struct row row = {.variant = s->variants[v].name,
	                  .own = own_of(arena, settings_of(s, v)),
	                  .transport = a->evidence.paths[v].transport,
	                  .speed = g->contrasts[v].verdict.ratio,
	                  .verdict = fails ? "does not run" : arena_copy(arena, verdict),
	                  .fails = fails,
	                  .gone = fails ? "does not run" : NULL,
	                  .gives = loses ? "no variant here" : NULL,
	                  .restored = {.estimate = NAN},
	                  .sizes = arena_copy(arena, format_range(g->sizes).text),
	                  .reference = s->variants[s->reference].name,
	                  .at = v,
	                  .back = loses ? remedy_of(s, g, v) : -1};
	if (row.back < 0)
		return row;
	const struct settings *from = settings_of(s, v), *to = settings_of(s, (unsigned)row.back);
	row.gives = remedy_text(arena, from, to, false);
	row.how = remedy_text(arena, from, to, true);
	row.remedy = s->variants[row.back].name;
	if (row.back != s->reference)
		row.restored = g->contrasts[row.back].verdict.ratio;
	return row;
}

/* --- in words --- */

/* Whether a row represents all that one remedy restores: the one that isolates most, then the one
 * with the fewest variables. A row that the reference restores represents only itself. */
static bool leads(const struct summary *s, const struct row *rows, unsigned n, unsigned which)
{
	const struct settings *mine = settings_of(s, rows[which].at);
	for (unsigned i = 0; i < n && rows[which].back != s->reference; i++) {
		const struct settings *other = settings_of(s, rows[i].at);
		const int more =
		    __builtin_popcount(other->isolate) - __builtin_popcount(mine->isolate);
		if (rows[i].back == rows[which].back &&
		    (more > 0 || (!more && (other->nenv < mine->nenv ||
		                            (other->nenv == mine->nenv && i < which)))))
			return false;
	}
	return rows[which].back >= 0;
}

static void choose(const struct summary *s, struct row *rows, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		struct row *row = &rows[i];
		if (!row->fails && __builtin_popcount(settings_of(s, row->at)->isolate) == 1)
			row->when = row->gives ? SINGLE : 0;
		else if (leads(s, rows, n, i))
			row->when = row->fails ? FAILS : SEVERAL;
	}
}

/* All that there is to do, and which parts of it were not enough. */
static void advise(const struct summary *s, struct story *story, const struct story_table *t,
                   unsigned which)
{
	const struct row *rows = t->rows;
	unsigned *parts = ARENA_ARRAY(story->arena, unsigned, t->nrows), n = 0;
	struct phrase p = phrase_begin(story);
	for (unsigned i = 0; i < t->nrows && rows[which].back != s->reference; i++)
		if (i != which && rows[i].back == rows[which].back)
			parts[n++] = i;
	phrase_add(&p, t, &which, 1,
	           "Where each process has its own {own} ({variant}): {how}.[ {remedy} has "
	           "{restored:percents} of the bandwidth of {reference}.] Without it: "
	           "[{speed:percent}][{gone}].");
	if (n) {
		phrase_add(&p, t, parts, n,
		           "[ Not enough: {variant} ([{speed:percent}][{gone}])|, {variant} "
		           "([{speed:percent}][{gone}])]");
		phrase_words(&p, ".");
	}
	phrase_end(&p, STORY_ADVICE);
}

/* Rows of the first page: isolation that costs nothing, and rows that represent all that a remedy
 * restores. */
static void lead(const struct summary *s, struct story *story, const struct story_table *t)
{
	const struct row *rows = t->rows;
	struct row *first = ARENA_ARRAY(story->arena, struct row, t->nrows);
	unsigned n = 0;
	for (unsigned i = 0; i < t->nrows; i++) {
		bool remedy = false;
		for (unsigned k = 0; k < t->nrows; k++)
			remedy |= rows[k].back == (int)rows[i].at;
		if (rows[i].gives ? leads(s, rows, t->nrows, i) || rows[i].back < 0 : !remedy)
			first[n++] = rows[i];
	}
	story_lead(story, story_rows(story, &form, first, n), "own transport speed gives");
	story_leads_unasked(story);
}

static void tell(const struct analysis *a, struct story *story)
{
	const struct summary *s = a->s;
	const struct regime *g = regimes_find(&a->regimes, REGIME_LARGE);
	struct row *rows = ARENA_ARRAY(story->arena, struct row, s->nvariants + 1);
	unsigned n = 0;
	for (unsigned v = 0; g && v < s->nvariants; v++) {
		const char *fails = is_isolated(s, v) ? failure_of(s, v) : NULL;
		if (fails || (is_isolated(s, v) && s->variants[v].measured))
			rows[n++] = row_of(a, g, story->arena, v, fails);
	}
	if (regimes_tell(&a->regimes))
		choose(s, rows, n);
	const struct story_table *t = story_table(story, &form, rows, n);
	STORY_TELL(story, t, sentences);
	for (unsigned i = 0; i < n && regimes_tell(&a->regimes); i++)
		if (leads(s, rows, n, i))
			advise(s, story, t, i);
	lead(s, story, t);
	if (n && regimes_tell(&a->regimes))
		story_settles(story);
	if (n)
		story_say(story, STORY_BODY, t, NULL, 0,
		          "Speed is bus bandwidth at {sizes} against {reference}. All variants "
		          "share one network namespace.");
}

const struct chapter chapter_containers = {"containers", "Why: processes in containers",
                                           CHAPTER_BODY, tell};
