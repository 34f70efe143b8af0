#include "containers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "words.h"

/* In front of what the job of the path said (run/evidence.c). */
#define PATH_UNTOLD "its path cannot be told: "

// clang-format off
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

static void list_kinds(unsigned bits, bool how, char *text, size_t bytes)
{
	for (int kind = 0; kind < ISOLATE_KINDS; kind++) {
		char item[128];
		snprintf(item, sizeof item, "%s%s", owned[kind].name,
		         how ? owned[kind].how : "");
		if (bits & ISOLATE_BIT(kind))
			status_list(text, bytes, item);
	}
}

void containers_own(const struct settings *set, char *text, size_t bytes)
{
	text[0] = '\0';
	if (set->visible == VISIBLE_OWN)
		status_list(text, bytes, "visible GPU");
	list_kinds(set->isolate, false, text, bytes);
}

/* Entries of a's environment that b does not have alike; names alone: that it does not have. */
static unsigned env_beyond(const struct settings *a, const struct settings *b, bool names,
                           char *text, size_t bytes)
{
	unsigned n = 0;
	for (unsigned i = 0; i < a->nenv; i++) {
		char key[TRIAL_ENV_BYTES + 4], said[TRIAL_ENV_BYTES + 8];
		size_t name = strcspn(a->env[i], "=");
		bool other = false;
		snprintf(key, sizeof key, "env.%.*s", (int)name, a->env[i]);
		for (unsigned k = 0; k < b->nenv; k++)
			other |= !strncmp(a->env[i], b->env[k], name + 1);
		if (names ? other : settings_alike(key, a, b))
			continue;
		snprintf(said, sizeof said, "%.*s%s%s", (int)name, a->env[i],
		         names ? "" : " = ", names ? "" : a->env[i] + name + 1);
		status_list(text, bytes, said);
		n++;
	}
	return n;
}

static void add_part(char *text, size_t bytes, const char *verb, const char *list)
{
	if (list[0])
		words_add(text, bytes, "%s%s %s", text[0] ? "; " : "", verb, list);
}

void containers_remedy(const struct settings *loser, const struct settings *remedy, bool how,
                       char *text, size_t bytes)
{
	char shared[320] = "", set[256] = "", unset[256] = "";
	list_kinds(loser->isolate & ~remedy->isolate, how, shared, sizeof shared);
	env_beyond(remedy, loser, false, set, sizeof set);
	env_beyond(loser, remedy, true, unset, sizeof unset);
	text[0] = '\0';
	add_part(text, bytes, "share", shared);
	add_part(text, bytes, "set", set);
	if (how && strstr(set, "NCCL_HOSTID"))
		words_add(text, bytes,
		          " (one text for all containers of a machine, such as its name)");
	add_part(text, bytes, "unset", unset);
}

/* How much a variant changes of a loser's settings; 0: it is no remedy of its kind. A variable
 * is less than what containers have to be given to share, and they hardly ever share a host
 * name. */
static unsigned changes(const struct settings *loser, const struct settings *other)
{
	struct settings same = *other;
	char keys[512], ignored[256] = "";
	bool single = !(loser->isolate & (loser->isolate - 1));
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
		if ((int)v != s->reference && !(is_own(s, v) && restores(g, v)))
			continue;
		unsigned n = s->variants[v].settings
		                 ? changes(s->variants[loser].settings, s->variants[v].settings)
		                 : 0;
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
		if (row->remedy >= 0 && row->remedy != s->reference)
			row->restored = &g->contrasts[row->remedy].verdict;
		out->regime = g;
	}
}

/* --- in words --- */

/* Whether a row speaks for all that one remedy restores: the one with most of its own, then
 * with the fewest variables. What the reference restores stands for itself. */
static bool leads(const struct summary *s, const struct containers *c, unsigned which)
{
	const struct containers_row *row = &c->rows[which];
	const struct settings *mine = s->variants[row->variant].settings;
	for (unsigned i = 0; i < c->n && row->remedy != s->reference; i++) {
		const struct settings *other = s->variants[c->rows[i].variant].settings;
		int more =
		    __builtin_popcount(other->isolate) - __builtin_popcount(mine->isolate);
		if (c->rows[i].remedy == row->remedy &&
		    (more > 0 || (!more && (other->nenv < mine->nenv ||
		                            (other->nenv == mine->nenv && i < which)))))
			return false;
	}
	return row->remedy >= 0;
}

/* Its share of the reference's bandwidth, or that it does not run. */
static struct words has_now(const struct containers_row *row)
{
	if (row->fails)
		return (struct words){"does not run"};
	return words_estimate(row->verdict->ratio.estimate);
}

static void say_too_little(const struct summary *s, const struct containers *c, unsigned which,
                           char *text)
{
	const char *sep = " Not enough: ";
	for (unsigned i = 0; i < c->n; i++) {
		if (i == which || c->rows[i].remedy != c->rows[which].remedy ||
		    c->rows[i].remedy == s->reference)
			continue;
		words_add(text, ADVICE_BYTES, "%s%s (%s)", sep,
		          s->variants[c->rows[i].variant].name, has_now(&c->rows[i]).text);
		sep = ", ";
	}
	words_add(text, ADVICE_BYTES, "%s", sep[0] == ',' ? "." : "");
}

void containers_advise(const struct summary *s, const struct containers *c, struct advice *out)
{
	for (unsigned i = 0; i < c->n; i++) {
		const struct containers_row *row = &c->rows[i];
		char own[160], remedy[640];
		if (!leads(s, c, i))
			continue;
		if (out->count == ADVICE_MAX) {
			out->more++;
			continue;
		}
		const struct settings *from = s->variants[row->variant].settings,
		                      *to = s->variants[row->remedy].settings;
		char *text = out->text[out->count++];
		containers_own(from, own, sizeof own);
		containers_remedy(from, to, true, remedy, sizeof remedy);
		const unsigned parts =
		    (unsigned)__builtin_popcount(from->isolate & ~to->isolate) +
		    (from->nenv != to->nenv);
		snprintf(text, ADVICE_BYTES, "Where each process has its own %s (%s): %s%s.",
		         own, s->variants[row->variant].name, remedy,
		         parts > 1 ? ", all of it" : "");
		if (row->remedy != s->reference)
			words_add(text, ADVICE_BYTES, " %s has %s of the bandwidth of %s.",
			          s->variants[row->remedy].name,
			          words_ratio(&row->restored->ratio, true).text,
			          s->variants[s->reference].name);
		words_add(text, ADVICE_BYTES, " Without: %s.", has_now(row).text);
		say_too_little(s, c, i, text);
	}
}
