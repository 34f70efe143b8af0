#include "outcome.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../analysis/stats.h"

#define ERRS   0.05 /* at most, per verdict, as the intervals promise */
#define CHANCE 0.01

#define ANY UINT_MAX

static const char *const regimes[] = {"small", "large"};
static const char *const words[WORDS] = {"faster",         "faster by less", "slower",
                                         "slower by less", "no difference",  "undecided",
                                         "cannot tell"};

int outcome_word(const char *text, bool tells, enum word *out, struct status *st)
{
	/* With a common beginning the longer comes first. */
	static const struct {
		const char *begin;
		enum word word;
	} known[] = {
	    {"faster, by", WORD_FASTER_LESS},      {"faster", WORD_FASTER},
	    {"slower, by", WORD_SLOWER_LESS},      {"slower", WORD_SLOWER},
	    {"no difference", WORD_NO_DIFFERENCE}, {"undecided", WORD_UNDECIDED},
	};
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (!strncmp(text, known[i].begin, strlen(known[i].begin))) {
			*out = known[i].word == WORD_UNDECIDED && !tells ? WORD_CANNOT_TELL
			                                                 : known[i].word;
			return 0;
		}
	if (!*text) {
		*out = WORD_CANNOT_TELL;
		return 0;
	}
	return status_set(st, "the report says '%s', which the selftest does not know", text);
}

/* Whether a verdict contradicts the injected effect. 2 % is the margin itself, where "slower" and "no
 * difference" are both true. An undecided verdict contradicts nothing. */
static bool is_wrong(unsigned effect, enum word word)
{
	double slower = injection_effects[effect], margin = 0.02;
	switch (word) {
	case WORD_FASTER:
	case WORD_FASTER_LESS:
		return true;
	case WORD_SLOWER:
		return slower < margin;
	case WORD_SLOWER_LESS:
		return slower <= 0 || slower > margin;
	case WORD_NO_DIFFERENCE:
		return slower > margin;
	default:
		return false;
	}
}

unsigned outcome_most(unsigned n)
{
	double just = pow(1 - ERRS, n), sum = just; /* exactly, up to k */
	unsigned k = 0;
	while (sum < 1 - CHANCE && k < n) {
		just *= (double)(n - k) / (k + 1) * ERRS / (1 - ERRS);
		sum += just;
		k++;
	}
	return k;
}

/* Selects outcomes; ANY or NULL: all. */
struct which {
	const char *backend, *mode;
	unsigned disturbance, regime, effect;
};

static const struct which all = {.disturbance = ANY, .regime = ANY, .effect = ANY};

struct count {
	unsigned n, wrong, of[WORDS];
	double slower; /* the median of the estimates */
};

static bool is_meant(const struct outcome *o, const struct which *w)
{
	return (!w->backend || !strcmp(w->backend, o->backend)) &&
	       (!w->mode || !strcmp(w->mode, o->mode)) &&
	       (w->disturbance == ANY || w->disturbance == o->disturbance) &&
	       (w->regime == ANY || w->regime == o->regime) &&
	       (w->effect == ANY || w->effect == o->effect);
}

static struct count count_of(const struct outcome *o, unsigned n, struct which w)
{
	struct count c = {.slower = NAN};
	double *estimates = malloc((n + 1) * sizeof *estimates);
	unsigned known = 0;
	for (unsigned i = 0; i < n; i++) {
		if (!is_meant(&o[i], &w))
			continue;
		c.n++;
		c.wrong += is_wrong(o[i].effect, o[i].word);
		c.of[o[i].word]++;
		if (estimates && isfinite(o[i].slower))
			estimates[known++] = o[i].slower;
	}
	if (known)
		c.slower = stats_median(estimates, known);
	free(estimates);
	return c;
}

static struct count count_effect(const struct outcome *o, unsigned n, struct which w,
                                 unsigned effect)
{
	w.effect = effect;
	return count_of(o, n, w);
}

/* --- the answer --- */

static void print_effect(const struct outcome *o, unsigned n, unsigned effect, FILE *out)
{
	struct count c = count_effect(o, n, all, effect);
	double percent = 100 * injection_effects[effect];
	unsigned less = c.of[WORD_NO_DIFFERENCE] + c.of[WORD_SLOWER_LESS];
	if (percent < 2)
		fprintf(out,
		        "%.0f %% slower: within the margin in %u of %u, called otherwise in %u.\n",
		        percent, less, c.n, c.wrong);
	else if (percent > 2)
		fprintf(out,
		        "%.0f %% slower: found in %u of %u, called otherwise in %u, faster in "
		        "%u.\n",
		        percent, c.of[WORD_SLOWER], c.n, c.wrong,
		        c.of[WORD_FASTER] + c.of[WORD_FASTER_LESS]);
	else
		fprintf(out,
		        "%.0f %% slower, the margin itself: called more in %u of %u, less in %u.\n",
		        percent, c.of[WORD_SLOWER], c.n, less);
}

static bool print_answer(const struct outcome *o, unsigned n, FILE *out)
{
	const unsigned last = INJECTION_EFFECTS - 1;
	struct count every = count_of(o, n, all), equal = count_effect(o, n, all, 0);
	struct count most = count_effect(o, n, all, last);
	unsigned turned = most.of[WORD_FASTER] + most.of[WORD_FASTER_LESS];
	bool good = most.of[WORD_SLOWER] && !turned;
	fprintf(out,
	        "Of %u verdicts on equal variants %u called them different: %.1f %%. Intervals of\n"
	        "95 %% allow 5 %%, and up to %u of %u come by chance.\n",
	        equal.n, equal.wrong, equal.n ? 100.0 * equal.wrong / equal.n : 0,
	        outcome_most(equal.n), equal.n);
	for (unsigned e = 1; e <= last; e++)
		print_effect(o, n, e, out);
	fprintf(out, "Of all %u verdicts %u are undecided, and in %u the run could not tell.\n",
	        every.n, every.of[WORD_UNDECIDED], every.of[WORD_CANNOT_TELL]);
	for (unsigned e = 0; e <= last; e++) {
		struct count c = count_effect(o, n, all, e);
		if (c.wrong <= outcome_most(c.n))
			continue;
		good = false;
		fprintf(out, "MISSED: %.0f %%: %u of %u words are wrong; %u come by chance.\n",
		        100 * injection_effects[e], c.wrong, c.n, outcome_most(c.n));
	}
	if (turned)
		fprintf(out, "MISSED: 10 %% slower was called faster.\n");
	if (!most.of[WORD_SLOWER])
		fprintf(out, "MISSED: 10 %% slower was never found.\n");
	return good;
}

/* --- tables --- */

static void print_effects(const struct outcome *o, unsigned n, FILE *out)
{
	fprintf(out,
	        "\n%-11s %6s %6s %8s %9s %6s %7s %6s %5s %9s\n%-11s %6s %6s %8s %9s %6s %7s "
	        "%6s %5s %9s\n",
	        "injected", "words", "slower", "slower,", "no diff-", "faster", "un-", "cannot",
	        "wrong", "estimate,", "", "", "", "by <2 %", "erence", "", "decided", "tell", "",
	        "median");
	for (unsigned r = 0; r < 2; r++)
		for (unsigned e = 0; e < INJECTION_EFFECTS; e++) {
			struct which w = all;
			char label[32];
			w.regime = r;
			struct count c = count_effect(o, n, w, e);
			snprintf(label, sizeof label, "%s %.0f %%", regimes[r],
			         100 * injection_effects[e]);
			fprintf(out, "%-11s %6u %6u %8u %9u %6u %7u %6u %5u %7.2f %%\n", label, c.n,
			        c.of[WORD_SLOWER], c.of[WORD_SLOWER_LESS], c.of[WORD_NO_DIFFERENCE],
			        c.of[WORD_FASTER] + c.of[WORD_FASTER_LESS], c.of[WORD_UNDECIDED],
			        c.of[WORD_CANNOT_TELL], c.wrong, 100 * c.slower);
		}
}

static void print_head(const char *what, FILE *out)
{
	fprintf(out,
	        "\n%-28s equal    3 %%      10 %%     all: un-  cannot\n"
	        "%-28s wrong    found    found    decided   tell     wrong\n",
	        what, "");
}

/* A row for each regime; shares as "3/12". */
static void print_rows(const char *name, const struct outcome *o, unsigned n, struct which w,
                       FILE *out)
{
	for (w.regime = 0; w.regime < 2; w.regime++) {
		const struct count c = count_of(o, n, w), equal = count_effect(o, n, w, 0),
		                   found[] = {count_effect(o, n, w, 3), count_effect(o, n, w, 4)};
		char label[64], share[3][24];
		snprintf(label, sizeof label, "%s, %s", name, regimes[w.regime]);
		snprintf(share[0], sizeof share[0], "%u/%u", equal.wrong, equal.n);
		for (unsigned i = 0; i < 2; i++)
			snprintf(share[1 + i], sizeof share[0], "%u/%u", found[i].of[WORD_SLOWER],
			         found[i].n);
		if (c.n)
			fprintf(out, "%-28s %-8s %-8s %-8s %-9u %-8u %u\n", label, share[0],
			        share[1], share[2], c.of[WORD_UNDECIDED], c.of[WORD_CANNOT_TELL],
			        c.wrong);
	}
}

/* Of each backend and mode, in the order in which they come first. */
static void print_scenes(const struct outcome *o, unsigned n, FILE *out)
{
	for (unsigned i = 0; i < n; i++) {
		struct which w = all;
		char name[48];
		bool seen = false;
		for (unsigned k = 0; k < i && !seen; k++)
			seen = !strcmp(o[k].backend, o[i].backend) && !strcmp(o[k].mode, o[i].mode);
		w.backend = o[i].backend;
		w.mode = o[i].mode;
		snprintf(name, sizeof name, "%s %s", w.backend, w.mode);
		if (!seen)
			print_rows(name, o, n, w, out);
	}
}

bool outcome_print(const struct outcome *o, unsigned n, FILE *out)
{
	bool good = print_answer(o, n, out);
	print_effects(o, n, out);
	print_head("backend, mode", out);
	print_scenes(o, n, out);
	print_head("disturbance", out);
	struct which w = all;
	for (w.disturbance = 0; w.disturbance < DISTURBANCE_KINDS; w.disturbance++)
		print_rows(disturbance_name(w.disturbance), o, n, w, out);
	return good;
}

void outcome_write(const struct outcome *o, unsigned n, FILE *out)
{
	fputs("backend,mode,disturbance,regime,slower,word,estimate,wrong\n", out);
	for (unsigned i = 0; i < n; i++)
		fprintf(out, "%s,%s,%s,%s,%.2f,%s,%.5f,%d\n", o[i].backend, o[i].mode,
		        disturbance_name(o[i].disturbance), regimes[o[i].regime],
		        injection_effects[o[i].effect], words[o[i].word], o[i].slower,
		        is_wrong(o[i].effect, o[i].word));
}
