/* The tables of what was decided: claims, regimes, all sizes at once. */
#include "tables.h"

#include <math.h>
#include <string.h>

#include "../coll/coll.h"

static void put_verdict(struct table *t, const struct verdict *verdict)
{
	char text[VERDICT_TEXT_BYTES];
	verdict_text(verdict, text, sizeof text);
	TABLE_PUT(t, CELL(text));
}

/* The two versions that claims are asked of side by side, the older first. Whether there are, and
 * no claim is of a third. */
static bool libraries_of(const struct model *m, const char *out[2])
{
	const struct findings *f = &m->findings;
	unsigned n = 0;
	bool paired = false;
	for (unsigned i = 0; i < f->asked.nclaims; i++) {
		const char *library = claims_library(&m->summary, f->claims[i].claim);
		paired |= claims_counterpart(&m->summary, f->claims, f->asked.nclaims, i) >= 0;
		if (!*library || (n && !strcmp(library, out[0])) ||
		    (n == 2 && !strcmp(library, out[1])))
			continue;
		if (n == 2)
			return false;
		out[n++] = library;
	}
	if (n == 2 && strverscmp(out[0], out[1]) > 0) {
		const char *newer = out[0];
		out[0] = out[1];
		out[1] = newer;
	}
	return paired;
}

/* marked: whether the table tells verdicts that are taken alone from others. */
static void put_claim_short(struct table *t, const struct claims_result *r, bool marked)
{
	struct claims_result shown;
	char verdict[VERDICT_TEXT_BYTES], unseen[128] = "";
	if (!r || r->outcome == CLAIMS_UNTESTED) {
		TABLE_PUT(t, table_of_none());
		return;
	}
	shown = *r;
	shown.alone = r->alone && marked;
	claims_verdict(&shown, verdict, sizeof verdict);
	/* How many blocks it would take stands in the full table. */
	if (r->outcome == CLAIMS_UNDECIDED && r->contrast.odd.block)
		verdict_odd_text(&r->contrast.odd, unseen, sizeof unseen);
	else if (r->outcome == CLAIMS_UNDECIDED)
		verdict_unseen_text(r->detectable, unseen, sizeof unseen);
	table_text(t, "%.*s, %s%s%s", (int)strcspn(verdict, ":"), verdict,
	           words_estimate(r->contrast.ratio.estimate).text, *unseen ? "; " : "",
	           unseen);
}

/* A claim's cells, one of each version where there is a newer one; of a pair with its words. */
static void put_claim_row(struct table *t, const struct model *m, unsigned which, int other,
                          const char *newer, bool marked)
{
	const struct claims_result *all = m->findings.claims, *of[2] = {NULL, NULL};
	const unsigned side =
	    newer && !strcmp(claims_library(&m->summary, all[which].claim), newer);
	of[side] = &all[which];
	if (other >= 0)
		of[!side] = &all[other];
	TABLE_ROW(t, CELL((of[1] ? of[1] : of[0])->claim->text));
	for (unsigned k = 0; k < (newer ? 2 : 1); k++)
		put_claim_short(t, of[k], marked);
}

struct table *tables_claims_short(const struct model *m)
{
	const struct findings *f = &m->findings;
	const unsigned n = f->asked.nclaims;
	const char *libraries[2] = {"", ""};
	const bool two = libraries_of(m, libraries);
	/* Where none is confirmed, the sentence below says so of all. */
	const bool marked = claims_family_confirms(f->claims, n);
	struct table *t = table_new("claims_short", "Claims");
	table_column(t, "claim", "the claim", "", TABLE_TEXT);
	for (unsigned k = 0; k < (two ? 2 : 1); k++) {
		char head[64] = "verdict";
		if (two)
			snprintf(head, sizeof head, "NCCL %.32s", libraries[k]);
		table_column(t, k ? "verdict_new" : "verdict", head, "", TABLE_VERDICT);
	}
	for (unsigned i = 0; i < n; i++) {
		const int other = two ? claims_counterpart(&m->summary, f->claims, n, i) : -1;
		const bool tested = f->claims[i].outcome != CLAIMS_UNTESTED ||
		                    (other >= 0 && f->claims[other].outcome != CLAIMS_UNTESTED);
		if (tested && (other < 0 || (unsigned)other > i))
			put_claim_row(t, m, i, other, two ? libraries[1] : NULL, marked);
	}
	return t;
}

struct table *tables_claims(const struct model *m)
{
	const struct findings *f = &m->findings;
	struct table *t =
	    TABLE_NEW("claims", "Claims", {"claim", "claim", "", TABLE_TEXT},
	              {"text", "text", "", TABLE_TEXT}, {"test", "test", "", TABLE_TEXT},
	              {"left", "left", "", TABLE_TEXT}, {"right", "right", "", TABLE_TEXT},
	              {"metric", "metric", "", TABLE_TEXT}, {"unit", "unit", "", TABLE_TEXT},
	              {"left_value", "left", "", TABLE_NUMBER},
	              {"right_value", "right", "", TABLE_NUMBER},
	              {"ratio", "left ÷ right", "", TABLE_RATIO},
	              {"verdict", "verdict", "", TABLE_VERDICT}, {"p", "p", "", TABLE_NUMBER},
	              {"p_adjusted", "p, Holm", "", TABLE_NUMBER},
	              {"rests_on", "on what, or why", "", TABLE_TEXT});
	for (unsigned i = 0; i < f->asked.nclaims; i++) {
		const struct claims_result *r = &f->claims[i];
		const struct claim *c = r->claim;
		const struct metric_info *metric = metric_info(c->metric);
		bool tested = r->outcome != CLAIMS_UNTESTED, needs = c->test == CLAIM_NEEDS;
		double scale = !strcmp(metric->unit, "µs") ? 1e-3 : 1; /* times are in ns */
		char text[CONTRAST_WHY_BYTES];
		TABLE_ROW(t, CELL(c->name), CELL(c->text));
		if (needs)
			TABLE_PUT(t, table_of_none());
		else
			table_text(t, "%s%s %.3g %%", claim_test_name(c->test),
			           c->test == CLAIM_WITHIN ? "" : " by", 100 * c->by);
		TABLE_PUT(t, CELL(needs ? "" : c->left), CELL(needs ? "" : c->right),
		          CELL(needs ? "" : metric->summary), CELL(needs ? "" : metric->unit),
		          CELL(tested ? r->contrast.left_side.value * scale : NAN),
		          CELL(tested ? r->contrast.right_side.value * scale : NAN),
		          CELL(&r->contrast.ratio));
		claims_verdict(r, text, sizeof text);
		TABLE_PUT(t, CELL(text), CELL(r->p), CELL(r->p_adjusted));
		claims_hint(&m->summary, &f->evidence, r, text, sizeof text);
		TABLE_PUT(t, CELL(text));
	}
	return t;
}

/* --- verdicts --- */

/* The reference itself: its side of the A/A line where there is one, else of any other. */
static void put_reference(struct table *t, const struct summary *s, const struct regime *g,
                          double scale)
{
	double value = NAN;
	for (unsigned v = 0; v < g->nvariants; v++) {
		const struct contrast *c = &g->contrasts[v];
		if (!c->why[0] && !isnan(c->ratio.estimate) &&
		    (isnan(value) || (int)v == g->twin))
			value = c->right_side.value;
	}
	if (!isnan(value))
		TABLE_ROW(t, CELL(s->variants[s->reference].name), CELL(value * scale),
		          table_of_none(), table_of_none());
}

struct table *tables_regime(const struct model *m, const struct regime *g)
{
	const struct summary *s = &m->summary;
	char name[64], title[160], word[VERDICT_TEXT_BYTES + 384];
	snprintf(name, sizeof name, "verdicts_%s", g->name);
	snprintf(title, sizeof title, "%s: %s", g->label, regime_about(g).text);
	struct table *t = TABLE_NEW(name, title, {"variant", "variant", "", TABLE_TEXT},
	                            {"value", metric_info(g->metric)->unit, "", TABLE_NUMBER},
	                            {"speed", "speed", "", TABLE_RATIO},
	                            {"verdict", "verdict", "", TABLE_VERDICT});
	const double scale = contrast_is_time(g->metric) ? 1e-3 : 1;
	put_reference(t, s, g, scale);
	for (unsigned v = 0; v < g->nvariants; v++) {
		const struct contrast *c = &g->contrasts[v];
		if (c->why[0] || isnan(c->ratio.estimate))
			continue;
		table_row(t);
		if ((int)v == g->twin)
			table_text(t, "A/A: %s again", s->variants[c->right].name);
		else
			TABLE_PUT(t, CELL(s->variants[v].name));
		TABLE_PUT(t, CELL(c->left_side.value * scale), CELL(&c->verdict.ratio));
		answer_verdict(g, v, word, sizeof word);
		if (*word && m->findings.evidence.paths[v].idle[0])
			words_add(word, sizeof word, "; the same as %s: %s",
			          s->variants[m->findings.evidence.paths[v].idle_as].name,
			          m->findings.evidence.paths[v].idle);
		TABLE_PUT(t, CELL((int)v == g->twin ? "" : word));
	}
	table_drop_empty(t);
	return t;
}

static bool has_gap(const struct summary *s, unsigned group, unsigned v)
{
	return summary_has_ratio(s, v) && !isnan(s->groups[group].gaps[v].estimate);
}

struct table *tables_gaps(const struct model *m)
{
	const struct summary *s = &m->summary;
	struct table *t = TABLE_NEW(
	    "gaps", "Speed against the reference over all sizes",
	    {"collective", "collective", "", TABLE_TEXT}, {"pace", "pace", "", TABLE_TEXT},
	    {"variant", "variant", "", TABLE_TEXT}, {"speed", "speed", "", TABLE_RATIO},
	    {"blocks", "blocks", "", TABLE_COUNT}, {"verdict", "verdict", "", TABLE_VERDICT});
	for (unsigned g = 0; g < s->ngroups; g++)
		for (unsigned v = 0; v < s->nvariants; v++) {
			if (!has_gap(s, g, v))
				continue;
			struct verdict verdict = verdict_of(s->groups[g].gaps[v], s->margin);
			TABLE_ROW(t,
			          CELL(coll_word(&s->groups[g].cell, s->groups[g].nranks).text),
			          CELL(coll_pace_name(s->groups[g].cell.pace)));
			table_text(t, "%s%s", s->variants[v].name,
			           s->variants[v].role == ROLE_AGAIN ? " (A/A)" : "");
			TABLE_PUT(t, CELL(&s->groups[g].gaps[v]),
			          CELL(s->groups[g].gaps[v].blocks));
			put_verdict(t, &verdict);
		}
	return t;
}
