#include "answer.h"

#include <math.h>
#include <string.h>

#include "answer_findings.h"
#include "checks.h"
#include "words.h"

/* --- by regime --- */

void answer_verdict(const struct regime *g, unsigned variant, char *text, size_t bytes)
{
	const struct verdict *v = &g->contrasts[variant].verdict;
	text[0] = '\0';
	if (isnan(v->ratio.estimate))
		return;
	if (g->tells) {
		verdict_text(v, text, bytes);
		return;
	}
	if (isnan(g->least_effect))
		return;
	int beyond = regime_beyond(g, &v->ratio);
	if (beyond)
		snprintf(text, bytes, "%s", beyond > 0 ? "faster" : "slower");
	else
		verdict_undecided_text("", verdict_detectable(&v->ratio, g->least_effect), 0,
		                       &v->odd, text, bytes);
}

#define SMALL_DIFFERENCES "small differences"

const char *answer_hidden(const struct regime *g)
{
	for (unsigned v = 0; v < g->nvariants; v++)
		if ((int)v != g->twin && regime_beyond(g, &g->contrasts[v].verdict.ratio))
			return SMALL_DIFFERENCES;
	return "the variants apart";
}

bool answer_tells(const struct regimes *regimes)
{
	for (unsigned i = 0; i < regimes->n; i++)
		if (regimes->list[i].tells)
			return true;
	return false;
}

static void say_chapter(struct answer *a, const struct story_chapter *c)
{
	const struct story_sentence *one;
	for (unsigned i = 0; (one = story_chapter_said(c, STORY_ANSWER, i)); i++)
		answer_say(a, "%s", one->text);
}

/* Unless it leads: then it was said first. */
static void say_told(struct answer *a, const struct story *story, const char *name)
{
	const struct story_chapter *c = story_find(story, name);
	if (c != story->lead)
		say_chapter(a, c);
}

/* --- trust --- */

static void say_trust(struct answer *a, const struct summary *s, const struct regimes *regimes)
{
	char *text = a->trust, checked[256], looks[256];
	const size_t bytes = sizeof a->trust;
	const char *sep = "A/A (the reference against itself): ";
	for (unsigned i = regimes->n; i-- > 0;) {
		const struct regime *g = &regimes->list[i];
		if (g->twin < 0)
			continue;
		const struct stats_ratio *r = &g->contrasts[g->twin].verdict.ratio;
		if (isnan(r->estimate))
			continue;
		words_add(text, bytes, "%s%s%s%s%s %s", sep, g->label, g->third ? " (" : "",
		          g->third ? words_range(g->sizes).text : "", g->third ? ")" : "",
		          words_ratio(r, false).text);
		sep = ", ";
	}
	if (s->carries_data) {
		checks_say(s, checked, sizeof checked);
		words_add(text, bytes, "%s%s", text[0] ? ". " : "", checked);
	}
	words_add(text, bytes, "%s%u block%s.", text[0] ? ". " : "", s->nblocks,
	          words_plural(s->nblocks));
	looks_say(&s->looks, looks, sizeof looks);
	words_add(text, bytes, "%s%s", looks[0] ? " " : "", looks);
}

/* What a run says that can tell nothing else: who ran, and that the data was right. */
static void say_ran(struct answer *a, const struct summary *s)
{
	char names[ANSWER_TEXT_BYTES / 2] = "";
	unsigned n = 0;
	for (unsigned v = 0; v < s->nvariants; v++) {
		if (!s->variants[v].measured || !summary_is_asked(s, v))
			continue;
		status_list(names, sizeof names, s->variants[v].name);
		n++;
	}
	if (n)
		answer_say(a, "%s ran%s.", names,
		           s->carries_data ? ", and every element that they delivered was right"
		                           : "");
}

/* The same in one paragraph, as far as it has room: what adds to the answer. */
static void say_together(struct answer *a, const struct story *story, const char *name)
{
	const struct story_chapter *c = story_find(story, name);
	const struct story_sentence *one;
	char text[ANSWER_TEXT_BYTES - 8] = "";
	for (unsigned i = 0; (one = story_chapter_said(c, STORY_ANSWER, i)); i++)
		if (strlen(text) + strlen(one->text) + 2 < sizeof text)
			words_add(text, sizeof text, "%s%s", *text ? " " : "", one->text);
	if (*text)
		answer_say(a, "%s", text);
}

/* Whether the primary claim holds, or does not. */
static bool decided_primary(const struct findings *f)
{
	const struct claims_result *r = claims_primary(f->claims, f->asked.nclaims);
	return r && r->outcome != CLAIMS_UNTESTED && r->outcome != CLAIMS_UNDECIDED;
}

/* What a run cannot tell: of regimes none of which can. */
static const char *hidden(const struct regimes *regimes)
{
	const char *words = "";
	for (unsigned i = 0; i < regimes->n; i++) {
		words = answer_hidden(&regimes->list[i]);
		if (!strcmp(words, SMALL_DIFFERENCES))
			break;
	}
	return words;
}

/* Of variants against each other. What is sure beyond the noise (waterfall.h) is an answer in
 * any run, and stands before what the run cannot tell. */
static void say_compared(struct answer *a, const struct analysis *x, const struct story *story)
{
	const struct summary *s = x->s;
	const struct findings *f = x->f;
	const struct regimes *regimes = x->regimes;
	const bool tells = answer_tells(regimes), gap = !isnan(f->waterfall.explained.estimate);
	const bool by_version = story_find_table(story, "versions_of");
	const bool sure = tells || gap || decided_primary(f);
	const struct regime *last =
	    regimes->n && !tells ? &regimes->list[regimes->n - 1] : NULL;
	const unsigned before = a->n;
	say_told(a, story, "tuning");
	if (sure)
		say_told(a, story, "tests");
	say_told(a, story, "versions");
	if (tells || gap)
		say_told(a, story, "gap");
	const bool answered = story->lead && story->lead->settles;
	if (!answered && !by_version && !f->asked.gap.from[0])
		say_told(a, story, "results");
	if (!tells && !gap && !answered && a->n == before && !f->unfinished.cut)
		say_ran(a, s);
	answer_idle(a, x);
	if (!by_version && !story_find(story, "containers")) {
		answer_keys(a, x);
		say_told(a, story, "factors");
	}
	if (!by_version)
		answer_settings(a, x);
	if (last && !f->unfinished.n)
		answer_say(a, "This run cannot tell %s. %s",
		           gap ? SMALL_DIFFERENCES : hidden(regimes), last->why);
	if (!sure)
		say_told(a, story, "tests");
}

static void say_unfinished(struct answer *a, const struct unfinished *u)
{
	for (unsigned i = 0; i < u->n; i++)
		answer_say(a, "%s", u->text[i]);
}

void answer_make(const struct analysis *x, const struct story *story, struct answer *out)
{
	const struct summary *s = x->s;
	const struct findings *f = x->f;
	*out = (struct answer){.n = 0};
	say_trust(out, s, x->regimes);
	if (s->trouble[0]) {
		answer_say(
		    out, "Nothing is compared: the variants did not do the same work. %.600s.",
		    s->trouble);
		return;
	}
	if (s->measured && s->uncompared[0]) {
		say_ran(out, s);
		answer_say(out, "No speed is compared: %s.", s->uncompared);
		say_told(out, story, "paths");
		return;
	}
	if (!s->measured) {
		answer_say(out, "Nothing was measured: no trial left a time.");
		return;
	}
	if (json_is_true(json_object_get(s->run->environment, "needs_gpus")) &&
	    !record_traits(s->run, NULL)->gpus)
		answer_say(
		    out,
		    "The question needs GPUs, and this run has none: what follows is about "
		    "backend %s, and does not answer it.",
		    s->variants[s->reference < 0 ? 0 : s->reference].backend);
	if (f->unfinished.cut)
		say_unfinished(out, &f->unfinished);
	say_chapter(out, story->lead);
	say_told(out, story, "pairs");
	say_told(out, story, "pingpong");
	say_told(out, story, "training");
	say_told(out, story, "access");
	say_told(out, story, "ranges");
	say_told(out, story, "scatter");
	say_told(out, story, "cliffs");
	answer_cost(out, x);
	say_told(out, story, "crossovers");
	say_compared(out, x, story);
	say_together(out, story, "exceptions");
	if (!f->unfinished.cut)
		say_unfinished(out, &f->unfinished);
	if (!out->n)
		answer_say(out, "No difference was decided.");
}
