#include "answer_findings.h"

#include <math.h>
#include <string.h>

#include "words.h"

#define NAMED 4 /* in one sentence */

/* --- channels --- */

static const struct channels_step *step_at(const struct channels_steps *steps,
                                           const struct cliff *c)
{
	for (unsigned i = 0; i < steps->n && c->kind == CLIFF_JUMP && c->limit != 1; i++)
		if (steps->list[i].group == c->group && steps->list[i].variant == c->variant &&
		    steps->list[i].to == c->to)
			return &steps->list[i];
	return NULL;
}

/* The setting in which the two differ, where it is one: it moves the step. */
static void say_moved(struct answer *a, const struct summary *s,
                      const struct channels_step *one, const struct channels_step *other)
{
	char keys[256];
	if (settings_differ(&s->settings[one->variant], &s->settings[other->variant], keys,
	                    sizeof keys) != 1 ||
	    one->group != other->group || one->bound_bytes == other->bound_bytes)
		return;
	answer_say(a, "%s moves the jump: beyond %s in %s, beyond %s in %s.",
	           strncmp(keys, "env.", 4) ? keys : keys + 4,
	           words_size(one->bound_bytes).text, s->variants[one->variant].name,
	           words_size(other->bound_bytes).text, s->variants[other->variant].name);
}

void answer_channels(struct answer *a, const struct analysis *x)
{
	const struct summary *s = x->s;
	const struct channels_step *said[NAMED];
	unsigned n = 0;
	for (unsigned i = 0; i < x->ncliffs && n < NAMED; i++) {
		const struct channels_step *step = step_at(x->channels, &x->cliffs[i]);
		if (!step)
			continue;
		said[n++] = step;
		answer_say(a,
		           "%s of %s jumps from %s to %s GB/s beyond %s: by the library's log "
		           "a pair of ranks has %u of %u channels up to there, and then %u.",
		           coll_info(s->groups[step->group].cell.coll)->name,
		           s->variants[step->variant].name, words_number(step->from_gbs).text,
		           words_number(step->to_gbs).text, words_size(step->bound_bytes).text,
		           step->before, step->rule.all, step->after);
	}
	for (unsigned i = 1; i < n; i++)
		say_moved(a, s, said[i], said[0]);
	for (unsigned i = 0; n && i < x->channels->n; i++) {
		const struct channels_step *step = &x->channels->list[i];
		if ((int)step->variant == s->reference && !step->to)
			answer_say(a,
			           "%s has %u channels for a pair: its next jump is beyond "
			           "%s, which was not measured.",
			           s->variants[step->variant].name, step->before,
			           words_size(step->bound_bytes).text);
	}
}

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

/* --- paths --- */

void answer_paths(struct answer *a, const struct analysis *x)
{
	const struct evidence_path *paths = x->evidence->paths;
	char text[ANSWER_TEXT_BYTES / 2] = "", names[256];
	for (unsigned v = 0; v < x->s->nvariants; v++) {
		bool first = paths[v].transport[0] && summary_is_asked(x->s, v);
		for (unsigned u = 0; u < v && first; u++)
			first = strcmp(paths[u].transport, paths[v].transport);
		if (!first)
			continue;
		names[0] = '\0';
		for (unsigned u = v; u < x->s->nvariants; u++)
			if (summary_is_asked(x->s, u) &&
			    !strcmp(paths[u].transport, paths[v].transport))
				status_list(names, sizeof names, x->s->variants[u].name);
		words_add(text, sizeof text, "%s%s in %s", text[0] ? "; " : "",
		          paths[v].transport, names);
	}
	if (text[0])
		answer_say(a, "By the library's log data goes by %s.", text);
}

/* --- settings --- */

void answer_idle(struct answer *a, const struct analysis *x)
{
	for (unsigned v = 0; v < x->s->nvariants; v++) {
		const struct evidence_path *path = &x->evidence->paths[v];
		if (path->idle[0])
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
	    f->versions.ncolls || f->unfinished.n)
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
	if (s->reference < 0 || s->run->search.nblocks || x->f->versions.ncolls)
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
