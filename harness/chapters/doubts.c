/* What in a record cannot be true, or cannot be checked. No verdict is withheld for it, but page 1
 * reports it. */
#include "../story/format.h"
#include "warnings.h"

/* Of the limit, which is plain copies of the same run. Collectives of the reference records reach
 * 0.96 of it; a reduction in the switch may reach twice as much. */
#define FAR_BEYOND 3

static bool has_no_length(const struct record_cell *c)
{
	for (size_t i = 0; i < (size_t)c->nranks * c->rows; i++)
		if (c->samples[i].idle_ns == c->samples[i].start_ns)
			return true;
	return false;
}

static void doubt_zeros(struct warnings *w)
{
	const struct record_run *run = w->s->run;
	const struct record_cell *first = NULL;
	unsigned n = 0, of = 0;
	for (unsigned i = 0; i < run->ncells; i++) {
		const struct record_cell *c = &run->cells[i];
		const bool zero = index_counts(c) && has_no_length(c);
		of += index_counts(c);
		n += zero;
		first = zero && !first ? c : first;
	}
	if (!first)
		return;
	struct warning *row = warnings_add(w, WARN_ZEROS);
	row->n = n;
	row->of = of;
	row->variant = first->variant;
	row->block = first->block + 1;
	row->line = first->line;
}

static void doubt_limit(struct warnings *w)
{
	const struct summary *s = w->s;
	const struct summary_row *worst = NULL;
	double most = FAR_BEYOND;
	unsigned n = 0;
	for (unsigned i = 0; i < s->nrows; i++) {
		const struct summary_row *row = &s->rows[i];
		const double of = row->busbw_gbs / summary_copies(s, row->cell.bytes);
		if (s->variants[row->variant].role == ROLE_LIMIT || !(of > FAR_BEYOND))
			continue;
		n++;
		if (of > most) {
			most = of;
			worst = row;
		}
	}
	if (!worst)
		return;
	struct warning *row = warnings_add(w, WARN_BEYOND);
	row->n = n;
	row->of = FAR_BEYOND;
	row->value = most;
	row->variant = s->variants[worst->variant].name;
	row->where = arena_text(w->arena, "%s %s", coll_word(&worst->cell, worst->nranks).text,
	                        format_size(worst->cell.asked_bytes).text);
}

static void doubt_sums(struct warnings *w)
{
	const struct record_run *run = w->s->run;
	if (!run->unsummed)
		return;
	const bool some = run->unsummed < run->nlines;
	struct warning *row = warnings_add(w, some ? WARN_FEW_SUMS : WARN_NO_SUM);
	row->n = run->unsummed;
	row->of = run->nlines;
}

void doubts_find(struct warnings *w)
{
	doubt_zeros(w);
	doubt_limit(w);
	doubt_sums(w);
}
