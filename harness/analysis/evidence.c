#include "evidence.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../arena.h"
#include "../trial/path.h"

static void put_path(struct arena *arena, const struct record_path *from, struct evidence_path *out)
{
	struct path path;
	struct status why = {""};
	snprintf(out->unexpected, sizeof out->unexpected, "%s",
	         from->as_expected ? "" : from->expect);
	if (path_from_json(from->path, &path, &why)) {
		snprintf(out->data_path, sizeof out->data_path, "unknown");
		snprintf(out->why, sizeof out->why, "the record's path is damaged: %.200s",
		         why.text);
		return;
	}
	snprintf(out->transport, sizeof out->transport, "%s",
	         path.transport[0] ? path.transport : "none");
	snprintf(out->links, sizeof out->links, "%u", path.nlinks);
	snprintf(out->registered, sizeof out->registered, "%s%s%s", path.registered ? "yes" : "no",
	         path.registered_why[0] ? ": " : "", path.registered_why);
	snprintf(out->copy_engine, sizeof out->copy_engine, "%s", path.copy_engine ? "yes" : "no");
	snprintf(out->data_path, sizeof out->data_path, "%s", path_data_name(path.data));
	snprintf(out->why, sizeof out->why, "%s", path.why);
	if (!strcmp(path.transport, "mixed"))
		path_pairs_text(&path, out->pairs, sizeof out->pairs);
	if (path.p2p_channels)
		snprintf(out->channels, sizeof out->channels, "%u p2p, %u a peer; %u coll",
		         path.p2p_channels, path.p2p_channels_per_peer, path.coll_channels);
	path_fact(&path, "p2p_chunk_bytes", out->chunk, sizeof out->chunk);
	memcpy(out->algorithms, path.algorithms, sizeof out->algorithms);
	out->choices = path.choices;
	out->nchoices = path.nchoices;
	out->settings = path.settings;
	out->nsettings = path.nsettings;
	path.choices = NULL; /* the evidence's */
	path.settings = NULL;
	path_free(&path);
	arena_defer(arena, free, out->choices);
	arena_defer(arena, free, out->settings);
}

/* The twin is the reference with another name, and has no separate job for the path. */
static void put_twins(const struct summary *s, struct evidence_path *paths)
{
	for (unsigned v = 0; v < s->nvariants && s->reference >= 0; v++) {
		const struct evidence_path *of = &paths[s->reference];
		if (s->variants[v].role != ROLE_AGAIN || paths[v].data_path[0] || !of->data_path[0])
			continue;
		paths[v] = *of;
		snprintf(paths[v].why, sizeof paths[v].why, "as %s, whose twin it is",
		         s->variants[s->reference].name);
		paths[v].pairs[0] = '\0';
		paths[v].choices = NULL;
		paths[v].nchoices = 0;
		paths[v].settings = NULL;
		paths[v].nsettings = 0;
	}
}

static void put_launched(const struct summary *s, struct evidence_path *paths)
{
	for (unsigned v = 0; v < s->nvariants; v++) {
		const char *text = summary_fact(s, v, 0, "launched_ctas");
		if (text && !paths[v].launched[0])
			snprintf(paths[v].launched, sizeof paths[v].launched, "%s", text);
	}
}

/* The paths from the record's lines of that kind, the twin's from its reference. */
static void put_paths(const struct summary *s, struct evidence_path *paths)
{
	for (unsigned i = 0; i < s->run->npaths; i++) {
		int v = index_variant(s, s->run->paths[i].variant);
		if (v >= 0)
			put_path(s->arena, &s->run->paths[i], &paths[v]);
	}
	put_twins(s, paths);
	put_launched(s, paths);
}

static bool path_of(const struct summary *s, const char *variant, struct path *out)
{
	struct status ignored = {""};
	for (unsigned i = 0; i < s->run->npaths; i++)
		if (!strcmp(s->run->paths[i].variant, variant))
			return !path_from_json(s->run->paths[i].path, out, &ignored);
	return false;
}

static const struct path_setting *setting_of(const struct path *path, const char *key)
{
	for (unsigned i = 0; i < path->nsettings; i++)
		if (!strcmp(path->settings[i].key, key))
			return &path->settings[i];
	return NULL;
}

/* The fact has the last choice alone. */
static bool has_same_choices(const struct path *with, const struct path *without)
{
	bool same = with->nchoices == without->nchoices;
	for (unsigned i = 0; same && i < with->nchoices; i++)
		same = !memcmp(&with->choices[i], &without->choices[i], sizeof *with->choices);
	return same;
}

/* Whether the figure that a setting changes is the same on both sides; false if no log has it. */
static bool is_same(const struct path_setting *set, const struct path *with,
                    const struct path *without)
{
	char here[PATH_WHY_BYTES] = "", there[PATH_WHY_BYTES] = "";
	if (set->fact[0]) {
		path_fact(with, set->fact, here, sizeof here);
		path_fact(without, set->fact, there, sizeof there);
	}
	return here[0] && !strcmp(here, there) &&
	       (strcmp(set->fact, "algorithms") || has_same_choices(with, without));
}

/* Why a setting did nothing compared with the other variant; ACT_AS_ASKED: it may have acted. */
static struct evidence_setting idle_of(const struct path *with, const struct path *without,
                                       const char *key)
{
	const struct path_setting *set = setting_of(with, key);
	struct evidence_setting idle = {.act = ACT_AS_ASKED};
	if (!set || (set->act != PATH_IGNORED && !is_same(set, with, without)))
		return idle;
	idle.set = *set;
	idle.act = set->act == PATH_IGNORED   ? strncmp(key, "env.", 4) ? ACT_UNREAD : ACT_IGNORED
	           : set->act != PATH_CAPPED  ? ACT_ANYHOW
	           : setting_of(without, key) ? ACT_CAPPED
	                                      : ACT_CAPPED_AS_DEFAULT;
	return idle;
}

/* Why none of the settings acted that one variant has and another lacks; `nidle` is 0 if one may
 * have. */
static bool is_idle(const struct summary *s, unsigned variant, unsigned other,
                    struct evidence_path *out)
{
	struct path with = {0}, without = {0};
	char keys[512], *rest = keys, *key;
	out->nidle = 0;
	bool all = settings_differ(&s->run->variants[other].settings,
	                           &s->run->variants[variant].settings, keys, sizeof keys) &&
	           path_of(s, s->variants[variant].name, &with) &&
	           path_of(s, s->variants[other].name, &without);
	while (all && (key = strsep(&rest, ","))) {
		struct evidence_setting idle = idle_of(&with, &without, key + strspn(key, " "));
		idle.library = s->variants[variant].library;
		all = idle.act != ACT_AS_ASKED && out->nidle < EVIDENCE_IDLE;
		if (all)
			out->idle[out->nidle++] = idle;
	}
	out->nidle = all ? out->nidle : 0;
	path_free(&with);
	path_free(&without);
	return all;
}

/* Compared with the reference, else with the first variant that it is the same as. */
static void put_idle(const struct summary *s, struct evidence_path *paths)
{
	for (unsigned v = 0; v < s->nvariants; v++) {
		if (!paths[v].nsettings || (int)v == s->reference || !summary_is_asked(s, v))
			continue;
		if (s->reference >= 0 && is_idle(s, v, (unsigned)s->reference, &paths[v])) {
			paths[v].idle_as = (unsigned)s->reference;
			continue;
		}
		unsigned u = 0;
		while (u < s->nvariants &&
		       (u == v || !s->variants[u].measured || !summary_is_asked(s, u) ||
		        !is_idle(s, v, u, &paths[v])))
			u++;
		paths[v].idle_as = u;
	}
}

struct evidence evidence_make(const struct summary *s)
{
	struct evidence e = {.nvariants = s->nvariants};
	e.paths = ARENA_ARRAY(s->arena, struct evidence_path, s->nvariants);
	put_paths(s, e.paths);
	put_idle(s, e.paths);
	return e;
}

/* The side that has the setting says what it did; the other side has the same figure, or another
 * one. */
static struct evidence_setting acted_of(const struct path *with, const struct path *without,
                                        const char *key)
{
	const struct path_setting *set = setting_of(with, key);
	if (!set)
		return (struct evidence_setting){.act = ACT_AS_ASKED};
	const bool same = is_same(set, with, without);
	return (struct evidence_setting){.act = same                       ? ACT_NOTHING_SAME
	                                        : set->act == PATH_CAPPED  ? ACT_NOT_AS_ASKED
	                                        : set->act == PATH_IGNORED ? ACT_NOTHING
	                                                                   : ACT_AS_ASKED,
	                                 .set = *set};
}

/* Settings that NCCL's log does not mention, and that bound what is launched. */
static bool bounds_launched(const char *key)
{
	static const char *const keys[] = {"call_ctas", "min_ctas", "max_ctas", "cta_policy"};
	for (unsigned i = 0; i < sizeof keys / sizeof *keys; i++)
		if (!strcmp(key, keys[i]))
			return true;
	return false;
}

/* Whether a collective's kernels were examined, and at one size only. */
static bool is_single_size(const struct summary *s, const char *variant, enum coll_kind coll)
{
	size_t least = SIZE_MAX, most = 0;
	for (unsigned i = 0; i < s->run->ncells; i++) {
		const struct record_cell *c = &s->run->cells[i];
		if (c->cell.pass != PASS_TIMELINE || c->error[0] || c->cell.coll != coll ||
		    strcmp(c->variant, variant))
			continue;
		least = c->cell.bytes < least ? c->cell.bytes : least;
		most = c->cell.bytes > most ? c->cell.bytes : most;
	}
	return most == least;
}

/* Whether every collective was examined in calls larger than its smallest, which launch all the
 * thread blocks that they may. */
static bool launched_large(const struct summary *s, const char *variant)
{
	for (int coll = 0; coll < COLL_KINDS; coll++)
		if (is_single_size(s, variant, (enum coll_kind)coll))
			return false;
	return true;
}

/* The thread blocks that both variants launched; NULL if they differ, or nothing says so. */
static const char *launched_by_both(const struct summary *s, const struct factor *factor)
{
	const int from = index_variant(s, factor->from), to = index_variant(s, factor->to);
	if (from < 0 || to < 0 || !launched_large(s, factor->from) ||
	    !launched_large(s, factor->to))
		return NULL;
	const char *here = summary_fact(s, (unsigned)to, 0, "launched_ctas"),
	           *there = summary_fact(s, (unsigned)from, 0, "launched_ctas");
	return here && there && !strcmp(here, there) ? here : NULL;
}

struct evidence_setting evidence_acted(const struct summary *s, const struct factor *factor)
{
	struct evidence_setting acted = {.act = ACT_AS_ASKED};
	struct path from = {0}, to = {0};
	bool known = false;
	if (path_of(s, factor->from, &from) && path_of(s, factor->to, &to)) {
		const bool after = setting_of(&to, factor->setting);
		acted = after ? acted_of(&to, &from, factor->setting)
		              : acted_of(&from, &to, factor->setting);
		known = after || setting_of(&from, factor->setting);
	}
	if (!known && bounds_launched(factor->setting)) {
		acted.launched = launched_by_both(s, factor);
		acted.act = acted.launched ? ACT_LAUNCHED : ACT_AS_ASKED;
	}
	acted.factor = factor->setting;
	path_free(&from);
	path_free(&to);
	return acted;
}

/* Another setting that acted on the same figure. */
static const struct path_setting *actor_of(const struct path *path, const struct path_setting *set)
{
	for (unsigned i = 0; i < path->nsettings && set->fact[0]; i++)
		if (path->settings[i].act == PATH_ACTED &&
		    !strcmp(path->settings[i].fact, set->fact))
			return &path->settings[i];
	return NULL;
}

/* The setting asked for more than the default has, and got less: the same cap would have applied to
 * the default. */
static bool is_capped_below(const struct path_setting *set, const struct path *without,
                            unsigned long long *usual)
{
	char there[PATH_WHY_BYTES];
	path_fact(without, set->fact, there, sizeof there);
	*usual = strtoull(there, NULL, 10);
	return set->act == PATH_CAPPED && strtoull(set->asked, NULL, 0) > *usual &&
	       strtoull(set->used, NULL, 10) < *usual;
}

struct evidence_setting evidence_idle(const struct summary *s, const char *variant, const char *key)
{
	struct evidence_setting idle = {.act = ACT_AS_ASKED};
	struct path with = {0}, without = {0};
	const struct path_setting *set = NULL, *actor;
	if (s->reference >= 0 && path_of(s, variant, &with) &&
	    path_of(s, s->variants[s->reference].name, &without))
		set = setting_of(&with, key);
	if (set)
		idle.set = *set;
	if (set && set->act == PATH_IGNORED) {
		idle.act = ACT_UNREAD;
	} else if (set && is_same(set, &with, &without)) {
		idle.act = ACT_AS_DEFAULT;
	} else if (set && set->act == PATH_CAPPED && (actor = actor_of(&with, set))) {
		idle.act = ACT_BY_ANOTHER;
		strcpy(idle.another, actor->key);
	} else if (set && is_capped_below(set, &without, &idle.usual)) {
		idle.act = ACT_CAPPED_BELOW;
	}
	path_free(&with);
	path_free(&without);
	return idle;
}

/* --- what the library chose --- */

/* "AllReduce" is all_reduce. */
static bool is_named(const char *library, const char *own)
{
	for (; *own; own++) {
		if (*own == '_')
			continue;
		if (tolower((unsigned char)*library++) != *own)
			return false;
	}
	return !*library;
}

/* The library counts bytes by the call's count: of a collective of parts that is one rank's. */
const struct path_choice *evidence_choice(const struct summary *s, const struct evidence *e,
                                          unsigned variant, unsigned group, unsigned size)
{
	const struct evidence_path *path = &e->paths[variant];
	const struct summary_group *g = &s->groups[group];
	const struct coll_info *info = coll_info(g->cell.coll);
	const unsigned parts = info->is & COLL_PARTED ? g->cell.comm_ranks : 1;
	if (!(info->is & COLL_CHOSEN) || !index_at(s, variant, group, size))
		return NULL;
	for (unsigned i = 0; i < path->nchoices; i++)
		if (is_named(path->choices[i].collective, info->name) &&
		    path->choices[i].bytes * parts == g->bytes[size])
			return &path->choices[i];
	return NULL;
}
