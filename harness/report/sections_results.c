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

bool sections_has_versions(const struct model *m)
{
	return m->findings.versions.ncolls || m->findings.versions.missing[0];
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

void sections_write_versions(struct page *p, const struct model *m)
{
	const struct versions *v = &m->findings.versions;
	char text[VERSIONS_TEXT_BYTES], sentences[VERSIONS_SENTENCES][VERSIONS_SAY_BYTES];
	page_say(p, "%s%s",
	         v->ncolls ? "" : "Threads and processes are not compared by version. ",
	         v->missing);
	for (unsigned i = 0; i < v->ncolls; i++) {
		const struct versions_coll *c = &v->colls[i];
		unsigned n = versions_say(v, i, sentences);
		text[0] = '\0';
		for (unsigned k = 0; k < n; k++)
			words_add(text, sizeof text, "%s%s", k ? " " : "", sentences[k]);
		page_say(p, "%s", text);
		if (!c->nblocks)
			continue;
		page_table(p, tables_version(m, i));
		const struct words sizes = words_range(c->sizes);
		page_say(p,
		         "%s of %s, %s: geometric mean over %u cell%s and %u trial%s of each.",
		         c->regime == REGIME_SMALL ? "Latency (p50 of isolated calls)"
		                                   : "Stream bandwidth",
		         coll_info(c->coll)->name, sizes.text, c->ncells,
		         words_plural(c->ncells), c->nblocks, words_plural(c->nblocks));
	}
	if (v->ncolls)
		page_say(p,
		         "On each version the variants that are the reference but for mode and "
		         "library. Data path: direct is straight into the peer's buffer, "
		         "staged by way of a buffer of NCCL's own.");
}
