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
