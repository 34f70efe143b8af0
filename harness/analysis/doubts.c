#include "doubts.h"

#include <stdio.h>

#include "words.h"

/* Of the limit, which is plain copies of the same run. Collectives of the reference records
 * reach 0.96 of it; a reduction that the switch carries out may reach twice as much. */
#define FAR_BEYOND 3

static void doubt_sums(const struct summary *s, struct warnings *w)
{
	const struct record_run *run = s->run;
	char which[80] = "No line of the record has a checksum";
	if (run->unsummed < run->nlines)
		snprintf(which, sizeof which, "%u of %u lines of the record have no checksum",
		         run->unsummed, run->nlines);
	if (run->unsummed)
		warnings_add(w,
		             "%s: a changed figure would not be noticed. Older launchgaps "
		             "wrote none; otherwise compare the record with its original.",
		             which);
}

static bool has_no_length(const struct record_cell *c)
{
	for (size_t i = 0; i < (size_t)c->nranks * c->rows; i++)
		if (c->samples[i].idle_ns == c->samples[i].start_ns)
			return true;
	return false;
}

static void doubt_zeros(const struct summary *s, struct warnings *w)
{
	const struct record_cell *first = NULL;
	unsigned n = 0, of = 0;
	for (unsigned i = 0; i < s->run->ncells; i++) {
		const struct record_cell *c = &s->run->cells[i];
		if (!index_counts(c))
			continue;
		of++;
		if (!has_no_length(c))
			continue;
		first = first ? first : c;
		n++;
	}
	if (first)
		warnings_add(w,
		             "Calls of 0 ns are in %u of %u timed cells, first in %s, block %u "
		             "(line %u of the record). No call takes no time: the clock is too "
		             "coarse, or the record was changed. Do not use these figures.",
		             n, of, first->variant, first->block + 1, first->line);
}

static void doubt_limit(const struct summary *s, struct warnings *w)
{
	const struct summary_row *worst = NULL;
	double most = FAR_BEYOND;
	unsigned n = 0;
	for (unsigned i = 0; i < s->nrows; i++) {
		const struct summary_row *row = &s->rows[i];
		double of = row->busbw_gbs / summary_limit(s, row->cell.bytes);
		if (s->variants[row->variant].role == ROLE_LIMIT || !(of > FAR_BEYOND))
			continue;
		n++;
		if (of > most) {
			most = of;
			worst = row;
		}
	}
	if (worst)
		warnings_add(w,
		             "Far beyond the limit: %u row%s more than %d times the bandwidth "
		             "of plain copies in this run, most %s in %s %s, %s times. Times, "
		             "calls or limit are wrong. Do not use these figures.",
		             n, n == 1 ? " has" : "s have", FAR_BEYOND,
		             s->variants[worst->variant].name,
		             coll_word(&worst->cell, worst->nranks).text,
		             words_size(worst->cell.asked_bytes).text, words_number(most).text);
}

void doubts_collect(const struct summary *s, struct warnings *out)
{
	doubt_zeros(s, out);
	doubt_limit(s, out);
	doubt_sums(s, out);
	out->doubts = out->count;
}
