#include "answer_findings.h"

#include <math.h>
#include <string.h>

#include "words.h"

#define NAMED 4 /* in one sentence */

/* --- the harness itself --- */

/* Of the first group of a pace at its smallest size, "threads 0.391, single 0.560". */
static void list_times(const struct summary *s, enum pace pace, char *text, size_t bytes)
{
	text[0] = '\0';
	for (unsigned g = 0; g < s->ngroups && !text[0]; g++)
		for (unsigned v = 0; v < s->nvariants && s->groups[g].cell.pace == pace; v++) {
			const struct summary_row *row = index_at(s, v, g, 0);
			if (!row || !row->ntrials || !summary_is_asked(s, v))
				continue;
			words_add(
			    text, bytes, "%s%s %s", text[0] ? ", " : "", s->variants[v].name,
			    words_number(pace == PACE_ISOLATED ? row->p50_us : row->time_us)
			        .text);
		}
}

void answer_cost(struct answer *a, const struct analysis *x)
{
	const struct summary *s = x->s;
	char text[ANSWER_TEXT_BYTES / 2];
	if (s->carries_data)
		return;
	for (unsigned v = 0; v < s->nvariants; v++)
		if (s->variants[v].measured &&
		    (s->settings[v].delay_ns || s->settings[v].extra_ns ||
		     !s->variants[v].traits->launches))
			return;
	list_times(s, PACE_ISOLATED, text, sizeof text);
	if (text[0])
		answer_say(a, "A single call costs the harness itself, in µs (p50): %s.", text);
	list_times(s, PACE_STREAM, text, sizeof text);
	if (text[0])
		answer_say(a, "Back to back a call costs, in µs: %s.", text);
}

/* --- settings --- */

/* A setting that should change nothing, and is there for that. */
static bool is_placebo(const struct analysis *x, unsigned variant)
{
	for (unsigned i = 0; i < x->f->asked.nfactors; i++)
		if (x->f->asked.factors[i].placebo &&
		    !strcmp(x->f->asked.factors[i].to, x->s->variants[variant].name))
			return true;
	return false;
}

void answer_idle(struct answer *a, const struct analysis *x)
{
	for (unsigned v = 0; v < x->s->nvariants; v++) {
		const struct evidence_path *path = &x->evidence->paths[v];
		if (path->idle[0] && !is_placebo(x, v))
			answer_say(a, "%s is the same as %s: %s.", x->s->variants[v].name,
			           x->s->variants[path->idle_as].name, path->idle);
	}
}

/* Of a file without factors: each variant that differs from the reference in one key is one. */
void answer_keys(struct answer *a, const struct analysis *x)
{
	const struct summary *s = x->s;
	const struct findings *f = x->f;
	char text[ANSWER_TEXT_BYTES / 2] = "", keys[256];
	unsigned n = 0;
	if (f->asked.nfactors || s->run->search.nblocks || f->asked.gap.from[0] ||
	    f->unfinished.n)
		return;
	for (unsigned v = 0; v < s->nvariants && s->reference >= 0; v++) {
		if (!summary_is_asked(s, v) || !s->variants[v].measured ||
		    settings_differ(&s->settings[s->reference], &s->settings[v], keys,
		                    sizeof keys) != 1 ||
		    !strcmp(keys, "mode") || !strcmp(keys, "layout") ||
		    !strcmp(keys, "backend"))
			continue;
		if (++n <= NAMED)
			words_add(text, sizeof text, "%s%s in %s", n > 1 ? ", " : "",
			          s->variants[v].name, keys);
	}
	if (n && n <= NAMED)
		answer_say(a, "From %s one key is different: %s.",
		           s->variants[s->reference].name, text);
}

/* Whether all in which a variant differs from the reference are variables of its environment.
 */
static bool differs_in_env(const struct summary *s, unsigned v)
{
	char keys[512], *rest = keys, *key;
	bool all =
	    settings_differ(&s->settings[s->reference], &s->settings[v], keys, sizeof keys) > 0;
	while (all && (key = strsep(&rest, ",")))
		all = !strncmp(key + strspn(key, " "), "env.", 4);
	return all;
}

/* The least gain of a variant that gains in some regime and in none is slower or open; else 0.
 */
static double gain_of(const struct analysis *x, unsigned v, char *text, size_t bytes)
{
	double least = INFINITY;
	text[0] = '\0';
	for (unsigned i = x->regimes->n; i-- > 0;) {
		const struct regime *g = &x->regimes->list[i];
		const struct verdict *verdict = &g->contrasts[v].verdict;
		const int beyond =
		    g->tells ? verdict_beyond(verdict) : regime_beyond(g, &verdict->ratio);
		if (beyond <= 0 && !(g->tells && verdict_within(verdict)))
			return 0;
		if (beyond > 0)
			words_add(text, bytes, "%s%s times the speed at %s sizes (%s)",
			          text[0] ? ", " : "",
			          words_estimate(verdict->ratio.estimate).text, g->label,
			          words_interval(&verdict->ratio).text);
		least = beyond > 0 ? fmin(least, verdict->ratio.lo) : least;
	}
	return text[0] ? least : 0;
}

void answer_settings(struct answer *a, const struct analysis *x)
{
	const struct summary *s = x->s;
	char gain[ANSWER_TEXT_BYTES / 2], text[ANSWER_TEXT_BYTES / 2] = "";
	double most = 0;
	unsigned best = 0;
	if (s->reference < 0 || s->run->search.nblocks)
		return;
	for (unsigned v = 0; v < s->nvariants; v++)
		if (summary_is_asked(s, v) && s->variants[v].measured && differs_in_env(s, v) &&
		    gain_of(x, v, gain, sizeof gain) > most) {
			most = gain_of(x, v, gain, sizeof gain);
			best = v;
		}
	if (!(most > 0))
		return;
	const struct settings *own = &s->settings[best];
	for (unsigned i = 0; i < own->nenv; i++) {
		char key[TRIAL_ENV_BYTES], idle[256];
		snprintf(key, sizeof key, "env.%.*s", (int)strcspn(own->env[i], "="),
		         own->env[i]);
		evidence_idle(s, s->variants[best].name, key, idle, sizeof idle);
		if (!idle[0])
			words_add(text, sizeof text, "%s%s", text[0] ? ", " : "", own->env[i]);
	}
	gain_of(x, best, gain, sizeof gain);
	answer_say(a, "Set %s (%s): %s; slower in none.", text, s->variants[best].name, gain);
}
