#include "sections_results.h"

#include <math.h>
#include <string.h>

#include "../analysis/words.h"
#include "../chapters/run.h"
#include "tables.h"

bool sections_has_regimes(const struct model *m)
{
	return m->regimes.n > 0;
}

static bool is_any_undecided(const struct model *m)
{
	char word[VERDICT_TEXT_BYTES];
	for (unsigned i = 0; i < m->regimes.n; i++)
		for (unsigned v = 0; v < m->regimes.list[i].nvariants; v++) {
			const struct regime *g = &m->regimes.list[i];
			answer_verdict(g, v, word, sizeof word);
			if ((int)v != g->twin && !strncmp(word, "undecided", 9))
				return true;
		}
	return false;
}

void sections_write_regimes(struct page *p, const struct model *m)
{
	for (unsigned i = m->regimes.n; i-- > 0;) {
		const struct regime *g = &m->regimes.list[i];
		struct table *table = tables_regime(m, g);
		if (table_rows(table))
			page_part(p, "%s: against %s", table_title(table),
			          m->summary.variants[m->summary.reference].name);
		page_table(p, table);
	}
	if (p->kind == PAGE_MARKDOWN) {
		page_say(
		    p,
		    "Speed: how many times as fast as %s; below 1 is slower. It is a paired "
		    "estimate over the blocks, and no quotient of the values beside it. A "
		    "value is "
		    "the geometric mean over blocks, sizes and collectives; By size has "
		    "medians.",
		    m->summary.variants[m->summary.reference].name);
		if (is_any_undecided(m))
			page_say(
			    p,
			    "Of effects as large as the one that an undecided row names, a run "
			    "like this one finds four in five; of smaller ones fewer.");
	} else if (m->regimes.n) {
		page_say(p,
		         "Speed: times as fast as %s, with its %.4g %% interval; below 1 is "
		         "slower.",
		         m->summary.variants[m->summary.reference].name,
		         100 * m->summary.looks.confidence);
	}
}
