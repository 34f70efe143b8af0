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

/* What is said of a variant in a regime. */
enum said { SAID_FASTER, SAID_SLOWER, SAID_ALIKE, SAID_OPEN, SAID_ODD, SAID_NOTHING };

static enum said said_of(const struct analysis *x, const struct regime *g, unsigned variant)
{
	const struct evidence_path *path = &x->evidence->paths[variant];
	const struct verdict *v = &g->contrasts[variant].verdict;
	int beyond = g->tells ? verdict_beyond(v) : regime_beyond(g, &v->ratio);
	if (beyond)
		return beyond > 0 ? SAID_FASTER : SAID_SLOWER;
	/* What did nothing is said by itself (answer_idle). */
	if (isnan(v->ratio.lo) || (path->idle[0] && (int)path->idle_as == x->s->reference))
		return SAID_NOTHING;
	if (v->odd.block)
		return SAID_ODD;
	return g->tells && verdict_within(v) ? SAID_ALIKE : SAID_OPEN;
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

#define OPEN_NAMED 4   /* undecided variants in a sentence */
#define FAR_SLOWER 0.1 /* below, a speed has leading zeros to count */

/* " (0.810 times the speed, 0.790 to 0.838)", or as a time " (393 times the time, 384 to 417)".
 */
static void add_speed(char *text, size_t bytes, const struct stats_ratio *speed, bool as_time)
{
	struct stats_ratio ratio = *speed;
	if (as_time) {
		ratio.estimate = 1 / speed->estimate;
		ratio.lo = 1 / speed->hi;
		ratio.hi = 1 / speed->lo;
	}
	words_add(text, bytes, " (%s times the %s", words_estimate(ratio.estimate).text,
	          as_time ? "time" : "speed");
	if (!isnan(ratio.lo))
		words_add(text, bytes, ", %s", words_interval(&ratio).text);
	words_add(text, bytes, ")");
}

/* Variants of one verdict in a regime: "single and processes", with their figures where they
 * differ: all as times where one is far slower, so that they can be held against each other. */
static unsigned names_of(const struct analysis *x, const struct regime *g, enum said said,
                         char *text, size_t bytes)
{
	const struct summary *s = x->s;
	unsigned n = 0, all = 0;
	bool far = false;
	text[0] = '\0';
	for (int pass = 0; pass < 2; pass++)
		for (unsigned v = 0; v < g->nvariants; v++) {
			if ((int)v == g->twin || said_of(x, g, v) != said)
				continue;
			if (!pass) {
				all++;
				far |= g->contrasts[v].verdict.ratio.estimate < FAR_SLOWER;
				continue;
			}
			if (said == SAID_OPEN && all > OPEN_NAMED && n == OPEN_NAMED - 1) {
				words_add(text, bytes, " and %u more", all - n);
				return all;
			}
			words_add(text, bytes, "%s%s",
			          !n             ? ""
			          : n + 1 == all ? " and "
			                         : ", ",
			          s->variants[v].name);
			n++;
			if (said < SAID_ALIKE)
				add_speed(text, bytes, &g->contrasts[v].verdict.ratio, far);
		}
	return n;
}

/* The smallest effect that all of the undecided ones would have shown. */
static double unseen_of(const struct analysis *x, const struct regime *g)
{
	double most = 0;
	for (unsigned v = 0; v < g->nvariants; v++)
		if ((int)v != g->twin && said_of(x, g, v) == SAID_OPEN)
			most =
			    fmax(most, verdict_detectable(&g->contrasts[v].verdict.ratio,
			                                  fmax(g->least_effect, x->s->margin)));
	return most;
}

static void say_regime(struct answer *a, const struct analysis *x, const struct regime *g)
{
	static const char *const words[] = {"faster", "slower"};
	char names[ANSWER_TEXT_BYTES / 2], text[ANSWER_TEXT_BYTES] = "", unseen[64];
	const struct summary *s = x->s;
	const char *reference = s->variants[s->reference].name;
	for (int i = 0; i < SAID_OPEN; i++) {
		unsigned n = names_of(x, g, (enum said)i, names, sizeof names);
		if (!n)
			continue;
		words_add(text, sizeof text, "%s", text[0] ? "; " : "");
		if (i != SAID_ALIKE)
			words_add(text, sizeof text, "%s than %s: %s", words[i], reference,
			          names);
		else
			words_add(text, sizeof text, "as fast as %s within %.3g %%: %s",
			          reference, 100 * s->margin, names);
	}
	for (unsigned v = 0, n = 0; v < g->nvariants; v++) {
		if ((int)v == g->twin || said_of(x, g, v) != SAID_ODD)
			continue;
		verdict_odd_text(&g->contrasts[v].verdict.odd, names, sizeof names);
		words_add(text, sizeof text, "%s%s (%s)",
		          n++       ? ", "
		          : text[0] ? "; undecided by one block: "
		                    : "undecided by one block: ",
		          s->variants[v].name, names);
	}
	if (names_of(x, g, SAID_OPEN, names, sizeof names) &&
	    (text[0] || answer_tells(x->regimes))) {
		verdict_unseen_text(unseen_of(x, g), unseen, sizeof unseen);
		words_add(text, sizeof text, "%sundecided: %s; %s", text[0] ? "; " : "", names,
		          unseen);
	}
	if (text[0])
		answer_say(a, "At %s sizes (%s) %s.", g->label, regime_about(g).text, text);
}

static void say_chapter(struct answer *a, const struct story_chapter *c)
{
	for (unsigned i = 0; c && i < c->nblocks; i++)
		if (c->blocks[i].kind == STORY_SENTENCE &&
		    c->blocks[i].sentence->roles & STORY_ANSWER)
			answer_say(a, "%s", c->blocks[i].sentence->text);
}

/* Unless it leads: then it was said first. */
static void say_told(struct answer *a, const struct story *story, const char *name)
{
	const struct story_chapter *c = story_find(story, name);
	if (c != story->lead)
		say_chapter(a, c);
}

/* The large sizes first, unless they are so by being a third of small ones alone. */
static void say_regimes(struct answer *a, const struct analysis *x)
{
	const struct regimes *r = x->regimes;
	if (x->f->asked.gap.from[0])
		return;
	for (int third = 0; third < 2; third++)
		for (unsigned i = r->n; i-- > 0;)
			if (r->list[i].third == third)
				say_regime(a, x, &r->list[i]);
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
	char text[ANSWER_TEXT_BYTES - 8] = "";
	for (unsigned i = 0; c && i < c->nblocks; i++) {
		const struct story_sentence *one = c->blocks[i].sentence;
		if (one && one->roles & STORY_ANSWER &&
		    strlen(text) + strlen(one->text) + 2 < sizeof text)
			words_add(text, sizeof text, "%s%s", *text ? " " : "", one->text);
	}
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
	if (!answered && !by_version)
		say_regimes(a, x);
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
