#include "captions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "contrast.h"
#include "words.h"

#define NAMED 3   /* of a longer list so many stand by name */
#define MANY  256 /* variants; beyond, nothing is said of them */
#define LONG  160 /* bytes; behind so many, several variants are counted and not named */

/* "a, b and c", of more than four "a, b, c and 4 more". */
static void add_names(const struct summary *s, const unsigned *variants, unsigned n, char *text,
                      size_t bytes)
{
	unsigned named = n > NAMED + 1 ? NAMED : n;
	for (unsigned i = 0; i < named; i++)
		words_add(text, bytes, "%s%.60s",
		          !i           ? ""
		          : i + 1 == n ? " and "
		                       : ", ",
		          s->variants[variants[i]].name);
	if (named < n)
		words_add(text, bytes, " and %u more", n - named);
}

bool caption_is_large(const struct summary *s, size_t asked_bytes)
{
	return asked_bytes >=
	       (record_traits(s->run, NULL)->gpus ? (size_t)16 << 20 : (size_t)256 << 10);
}

/* ---- figures ---------------------------------------------------------------------------- */

/* "at 4 KiB <words> 9.1 µs in threads, 16 in single": what `figure` makes of each row of a
 * size. */
static void say_figures(const struct summary *s, const struct drawn_order *order,
                        unsigned group, unsigned size, const char *words, const char *unit,
                        double (*figure)(const struct summary *, const struct summary_row *),
                        char *text, size_t bytes)
{
	unsigned n = 0;
	text[0] = '\0';
	for (unsigned i = 0; i < order->main; i++) {
		const struct summary_row *row = index_at(s, order->variants[i], group, size);
		const double x = row ? figure(s, row) : NAN;
		if (!isfinite(x))
			continue;
		if (!n++) {
			words_add(text, bytes, "At ");
			words_add(text, bytes, "%s",
			          words_size(s->groups[group].asked_bytes[size]).text);
			words_add(text, bytes, " %s", words);
		}
		words_add(text, bytes, "%s %s%s in %.60s", n > 1 ? "," : "",
		          words_number(x).text, n > 1 ? "" : unit,
		          s->variants[order->variants[i]].name);
	}
}

static double time_of(const struct summary *s, const struct summary_row *row)
{
	(void)s;
	return row->time_us;
}

static double busbw_of(const struct summary *s, const struct summary_row *row)
{
	(void)s;
	return row->busbw_gbs;
}

/* ---- against the reference -------------------------------------------------------------- */

/* The sizes that a group's pace is judged by: of streams large ones, of isolated calls small
 * ones, where it has any of them; else all, and false. */
static bool range_of(const struct summary_group *g, const struct regime *regime,
                     struct claim_range *range)
{
	*range = (struct claim_range){0, SIZE_MAX};
	for (unsigned i = 0; regime && i < g->nsizes; i++)
		if (g->asked_bytes[i] >= regime->range.lo &&
		    g->asked_bytes[i] <= regime->range.hi) {
			*range = regime->range;
			return true;
		}
	return false;
}

/* A list of clauses; the first one says against what, and at which sizes. */
struct clauses {
	const struct summary *s;
	const struct drawn_order *order;
	const struct verdict *verdicts;
	const char *reference, *where; /* "threads", " from 16 MiB up" */
	unsigned n;
};

struct kind {
	unsigned at[MANY], n;  /* in the order */
	double lo, hi, unseen; /* of the ratios, and of the effects that cannot be seen */
};

#define FAR_APART 1.5

static double distance(const struct clauses *c, unsigned at)
{
	return fabs(log(c->verdicts[at].ratio.estimate));
}

/* The variants of one verdict; the farthest first where they are far apart. */
static struct kind kind_of(const struct clauses *c, enum verdict_kind kind)
{
	struct kind k = {.lo = INFINITY};
	for (unsigned i = 0; i < c->order->n && i < MANY; i++) {
		const struct verdict *v = &c->verdicts[i];
		if (isnan(v->ratio.estimate) || v->kind != kind)
			continue;
		k.at[k.n++] = i;
		k.lo = fmin(k.lo, v->ratio.estimate);
		k.hi = fmax(k.hi, v->ratio.estimate);
		k.unseen = fmax(k.unseen, v->detectable);
	}
	for (unsigned i = 1; i < k.n && k.hi > FAR_APART * k.lo; i++)
		for (unsigned j = i; j && distance(c, k.at[j]) > distance(c, k.at[j - 1]);
		     j--) {
			const unsigned nearer = k.at[j - 1];
			k.at[j - 1] = k.at[j];
			k.at[j] = nearer;
		}
	return k;
}

static struct words times(double ratio)
{
	return ratio < 0.1 ? words_estimate(ratio) : words_number(ratio);
}

/* "processes" are several too. */
static const char *verb_of(const struct summary *s, const unsigned *variants, unsigned n)
{
	const char *name = s->variants[variants[0]].name;
	return n > 1 || (*name && name[strlen(name) - 1] == 's') ? "are" : "is";
}

/* "b and c are 1.27 to 1.28 times as fast as a from 16 MiB up" */
static void add_kind(struct clauses *c, enum verdict_kind kind, char *text, size_t bytes)
{
	const struct kind k = kind_of(c, kind);
	unsigned variants[MANY];
	char as[96] = "", than[96] = "", against[160] = "", least_seen[64];
	if (!k.n)
		return;
	for (unsigned i = 0; i < k.n; i++)
		variants[i] = c->order->variants[k.at[i]];
	const char *are = verb_of(c->s, variants, k.n);
	if (!c->n++) {
		snprintf(as, sizeof as, " as %.48s%.40s", c->reference, c->where);
		snprintf(than, sizeof than, " than %.48s%.40s", c->reference, c->where);
		snprintf(against, sizeof against, " against %.48s%.40s", c->reference,
		         c->where);
	} else
		words_add(text, bytes, "; ");
	if (k.n > 1 && strlen(text) > LONG)
		words_add(text, bytes, "%u others", k.n);
	else
		add_names(c->s, variants, k.n, text, bytes);
	verdict_unseen_text(k.unseen, least_seen, sizeof least_seen);
	const struct words lo = times(k.lo), hi = times(k.hi);
	const bool one = !strcmp(lo.text, hi.text);
	if (kind == VERDICT_NO_DIFFERENCE)
		words_add(text, bytes, " %s as fast%s, within %.3g %%", are, as,
		          100 * c->s->margin);
	else if (kind == VERDICT_UNDECIDED)
		words_add(text, bytes, "%s: undecided, %s", against, least_seen);
	else if (kind == VERDICT_LITTLE_FASTER || kind == VERDICT_LITTLE_SLOWER)
		words_add(text, bytes, " %s %s%s, by under %.3g %%", are,
		          kind == VERDICT_LITTLE_FASTER ? "faster" : "slower", than,
		          100 * c->s->margin);
	else
		words_add(text, bytes, " %s %s%s%s times as fast%s", are, lo.text,
		          one ? "" : " to ", one ? "" : hi.text, as);
}

/* Of a regime that cannot tell small differences: what lies beyond its noise all the same. */
static void keep_beyond(const struct regime *regime, struct verdict *v)
{
	const int beyond = isnan(v->ratio.lo) ? 0 : regime_beyond(regime, &v->ratio);
	v->kind = beyond > 0 ? VERDICT_FASTER : VERDICT_SLOWER;
	if (!beyond)
		v->ratio.estimate = NAN;
}

int caption_group(const struct summary *s, const struct regimes *regimes,
                  const struct drawn_order *order, unsigned group, char *text, size_t bytes,
                  struct status *st)
{
	const struct summary_group *g = &s->groups[group];
	bool large = g->cell.pace == PACE_STREAM;
	const struct regime *regime =
	    regimes_find(regimes, large ? REGIME_LARGE : REGIME_SMALL);
	const bool tells = !regime || regime->tells;
	struct verdict verdicts[MANY];
	struct claim_range range;
	char where[64] = "";
	text[0] = '\0';
	if (!regimes->n || s->reference < 0 || order->n > MANY) {
		say_figures(s, order, group, g->nsizes - 1,
		            large ? "bus bandwidth is" : "a call takes",
		            large ? " GB/s" : " µs", large ? busbw_of : time_of, text, bytes);
		return 0;
	}
	bool part = range_of(g, regime, &range);
	for (unsigned i = 0; i < order->n; i++) {
		unsigned v = order->variants[i];
		verdicts[i].ratio.estimate = NAN;
		if (s->variants[v].role != ROLE_VARIANT)
			continue;
		if (contrast_against(s, v, g, range, &verdicts[i], st))
			return -1;
		if (!tells)
			keep_beyond(regime, &verdicts[i]);
	}
	if (part)
		snprintf(where, sizeof where, large ? " from %s up" : " up to %s",
		         words_size(large ? range.lo : range.hi).text);
	struct clauses clauses = {s, order, verdicts, s->variants[s->reference].name, where, 0};
	for (int kind = 0; kind < VERDICT_KINDS; kind++)
		add_kind(&clauses, (enum verdict_kind)kind, text, bytes);
	if (!clauses.n && !tells) {
		words_add(text, bytes, "%s", regime->why);
		text[strcspn(text, "\n")] = '\0';
		if (*text && text[strlen(text) - 1] == '.')
			text[strlen(text) - 1] = '\0';
	}
	if (clauses.n && !tells && !isnan(regime->least_effect))
		words_add(text, bytes, "; effects under %s cannot be seen here",
		          words_effect(regime->least_effect).text);
	return 0;
}

void caption_overview(const struct summary *s, const struct drawn_order *order, char *text,
                      size_t bytes)
{
	text[0] = '\0';
	if (s->reference < 0 || s->uncompared[0])
		return;
	for (unsigned i = 0; i < order->main; i++) {
		unsigned v = order->variants[i], all = 0, alike = 0, faster = 0, slower = 0;
		for (unsigned g = 0; g < s->ngroups; g++) {
			const struct summary_group *group = &s->groups[g];
			const struct summary_row *row = index_at(s, v, g, group->nsizes - 1);
			if (group->cell.pace != PACE_STREAM || !row ||
			    isnan(row->ratio.estimate))
				continue;
			all++;
			struct verdict verdict = verdict_of(row->ratio, s->margin);
			alike += verdict_within(&verdict);
			faster += verdict_beyond(&verdict) > 0;
			slower += verdict_beyond(&verdict) < 0;
		}
		if (!all || s->variants[v].role != ROLE_VARIANT)
			continue;
		if (!text[0])
			words_add(text, bytes, "Of %u collectives against %.60s: ", all,
			          s->variants[s->reference].name);
		else
			words_add(text, bytes, "; ");
		words_add(text, bytes, "%.60s %s", s->variants[v].name, verb_of(s, &v, 1));
		const struct {
			unsigned n;
			const char *what;
		} found[] = {{faster, "faster"},
		             {alike, "as fast"},
		             {slower, "slower"},
		             {all - faster - alike - slower, "undecided"}};
		for (unsigned k = 0, said = 0; k < 4; k++)
			if (found[k].n)
				words_add(text, bytes, "%s %s in %u", said++ ? "," : "",
				          found[k].what, found[k].n);
	}
}

static double launch_of(const struct summary *s, const struct summary_row *row)
{
	(void)s;
	return row->launch_us;
}

/* Of all calls, as the picture has them: blocks scatter, and the median of their own p95 would
 * lie off the curve. */
static double tail_of(const struct summary *s, const struct summary_row *row)
{
	size_t n;
	double *calls = calls_sorted(s, row, &n);
	const double p95 = calls && n ? stats_quantile(calls, (unsigned)n, 0.95) : NAN;
	free(calls);
	return p95;
}

void caption_launch(const struct summary *s, const struct drawn_order *order, unsigned group,
                    char *text, size_t bytes)
{
	say_figures(s, order, group, 0, "launching takes", " µs", launch_of, text, bytes);
}

void caption_tail(const struct summary *s, const struct drawn_order *order, unsigned group,
                  char *text, size_t bytes)
{
	say_figures(s, order, group, 0, "95 % of all calls take at most", " µs", tail_of, text,
	            bytes);
}

void caption_ranks(const struct summary *s, const struct drawn_order *order, unsigned group,
                   char *text, size_t bytes)
{
	double most = 0;
	text[0] = '\0';
	for (unsigned i = 0; i < order->n; i++)
		for (unsigned b = 0; b < s->groups[group].nsizes; b++) {
			const struct summary_row *row =
			    index_at(s, order->variants[i], group, b);
			if (s->variants[order->variants[i]].role == ROLE_AGAIN)
				continue;
			for (unsigned r = 0; row && row->ranks && r < row->nranks; r++) {
				double late = 100 * row->ranks[r].late_us / row->time_us;
				if (!(fabs(late) > most))
					continue;
				most = fabs(late);
				text[0] = '\0';
				words_add(
				    text, bytes,
				    "Rank %u of %.60s ends %.2g %% of the call %s the mean "
				    "of all ranks at %s",
				    r, s->variants[order->variants[i]].name, most,
				    late > 0 ? "after" : "before",
				    words_size(s->groups[group].asked_bytes[b]).text);
			}
		}
}

void caption_call(const struct summary *s, unsigned variant, const struct calls_line *line,
                  bool first, char *text, size_t bytes)
{
	words_add(text, bytes,
	          first ? "All ranks have launched after %s of %s µs in %.60s"
	                : ", %s of %s in %.60s",
	          words_number(line->launch_us).text, words_number(line->total_us).text,
	          s->variants[variant].name);
}
