#include "containers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "words.h"

/* In front of what the job of the path said (run/evidence.c). */
#define PATH_UNTOLD "its path cannot be told: "

static const char *const owned[ISOLATE_KINDS] = {
    [ISOLATE_UTS] = "host name",           [ISOLATE_IPC] = "IPC namespace",
    [ISOLATE_SHM] = "/dev/shm",            [ISOLATE_PID] = "PID namespace",
    [ISOLATE_CGROUP] = "cgroup namespace", [ISOLATE_DEVICES] = "GPU files",
};

static void list_kinds(unsigned bits, char *text, size_t bytes)
{
	for (int kind = 0; kind < ISOLATE_KINDS; kind++)
		if (bits & ISOLATE_BIT(kind))
			status_list(text, bytes, owned[kind]);
}

void containers_own(const struct settings *set, char *text, size_t bytes)
{
	text[0] = '\0';
	if (set->visible == VISIBLE_OWN)
		status_list(text, bytes, "visible GPU");
	list_kinds(set->isolate, text, bytes);
}

/* Entries of a's environment that b does not have alike. */
static unsigned env_beyond(const struct settings *a, const struct settings *b, char *text,
                           size_t bytes)
{
	unsigned n = 0;
	for (unsigned i = 0; i < a->nenv; i++) {
		char key[TRIAL_ENV_BYTES + 4], said[TRIAL_ENV_BYTES + 8];
		size_t name = strcspn(a->env[i], "=");
		snprintf(key, sizeof key, "env.%.*s", (int)name, a->env[i]);
		if (settings_alike(key, a, b))
			continue;
		snprintf(said, sizeof said, "%.*s = %s", (int)name, a->env[i],
		         a->env[i] + name + 1);
		status_list(text, bytes, said);
		n++;
	}
	return n;
}

void containers_remedy(const struct settings *loser, const struct settings *remedy, char *text,
                       size_t bytes)
{
	char shared[160] = "", set[256] = "";
	list_kinds(loser->isolate & ~remedy->isolate, shared, sizeof shared);
	env_beyond(remedy, loser, set, sizeof set);
	snprintf(text, bytes, "%s%s%s%s", shared[0] ? "they share " : "", shared,
	         shared[0] && set[0] ? "; " : "", set);
}

/* How much a variant changes of a loser's settings; 0: it is no remedy of its kind. A variable is
 * less than what containers have to be given to share, and they hardly ever share a host name. */
static unsigned changes(const struct settings *loser, const struct settings *other)
{
	struct settings same = *other;
	char keys[512], ignored[256] = "";
	if (!settings_isolates(other) || other->isolate & ~loser->isolate ||
	    (other->visible == VISIBLE_OWN && loser->visible != VISIBLE_OWN))
		return 0;
	same.isolate = loser->isolate;
	same.nenv = loser->nenv;
	memcpy(same.env, loser->env, sizeof same.env);
	if (settings_differ(&same, loser, keys, sizeof keys))
		return 0;
	const unsigned shared = loser->isolate & ~other->isolate;
	return 2 * (unsigned)__builtin_popcount(shared) +
	       (shared & ISOLATE_BIT(ISOLATE_UTS) ? 2 : 0) + env_beyond(other, loser, ignored, sizeof ignored);
}

static bool is_own(const struct summary *s, unsigned v)
{
	return s->variants[v].measured && s->variants[v].settings &&
	       s->variants[v].role == ROLE_VARIANT &&
	       settings_isolates(s->variants[v].settings);
}

/* What the first trial said of a variant that is set apart, and whose trials all failed. */
static const char *failure_of(const struct summary *s, unsigned v)
{
	const struct summary_variant *of = &s->variants[v];
	if (of->measured || of->skip[0] || !of->settings || of->role != ROLE_VARIANT ||
	    !settings_isolates(of->settings))
		return NULL;
	for (unsigned i = 0; i < s->run->nfailures; i++) {
		const char *error = s->run->failures[i].error, *of_path;
		if (strcmp(s->run->failures[i].variant, of->name))
			continue;
		of_path = strstr(error, PATH_UNTOLD);
		return of_path ? of_path + strlen(PATH_UNTOLD) : error;
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

/* Those that are sure to lose nothing: where the run can tell, within the margin or faster. */
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
		if (!is_own(s, v) || !restores(g, v))
			continue;
		unsigned n = changes(s->variants[loser].settings, s->variants[v].settings);
		if (!n || (best >= 0 && n >= least))
			continue;
		best = (int)v;
		least = n;
	}
	return best;
}

void containers_make(const struct summary *s, const struct regimes *regimes,
                     struct containers *out)
{
	const struct regime *g = regimes_find(regimes, REGIME_LARGE);
	*out = (struct containers){.regime = NULL};
	for (unsigned v = 0; g && v < s->nvariants && out->n < CONTAINERS_MOST; v++) {
		const char *fails = failure_of(s, v);
		if (!is_own(s, v) && !fails)
			continue;
		struct containers_row *row = &out->rows[out->n++];
		*row = (struct containers_row){.variant = v,
		                               .verdict = &g->contrasts[v].verdict,
		                               .fails = fails,
		                               .loses = fails || beyond(g, v) < 0,
		                               .remedy = -1};
		if (row->loses)
			row->remedy = remedy_of(s, g, v);
		out->regime = g;
	}
}

bool containers_shares(const struct summary *s, const struct containers *c, int kind)
{
	for (unsigned i = 0; i < c->n; i++)
		if (c->rows[i].remedy >= 0 &&
		    s->variants[c->rows[i].variant].settings->isolate &
		        ~s->variants[c->rows[i].remedy].settings->isolate &
		        ISOLATE_BIT(kind))
			return true;
	return false;
}

bool containers_names_host(const struct summary *s, const struct containers *c)
{
	for (unsigned i = 0; i < c->n; i++)
		if (c->rows[i].remedy >= 0 &&
		    !settings_alike("env.NCCL_HOSTID",
		                    s->variants[c->rows[i].variant].settings,
		                    s->variants[c->rows[i].remedy].settings))
			return true;
	return false;
}
