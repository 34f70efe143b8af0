/* The times of a side, by variant and cell. Pure. */
#include <stdlib.h>
#include <string.h>

#include "compare_parts.h"

bool compare_same_kind(const struct cell *a, const struct cell *b)
{
	return a->coll == b->coll && a->pace == b->pace && a->dtype == b->dtype &&
	       a->op == b->op && a->in_place == b->in_place && a->root == b->root;
}

void compare_kind_text(const struct cell *cell, char *out, size_t bytes)
{
	snprintf(out, bytes, "%s%s, %s", coll_info(cell->coll)->name,
	         cell->in_place ? " in place" : "", coll_pace_name(cell->pace));
}

/* Whether a side has the variant with any size of the kind. */
static bool has_kind(const struct compare_side *side, const struct compare_series *s)
{
	for (unsigned i = 0; side && i < side->nseries; i++)
		if (compare_same_kind(&side->series[i].cell, &s->cell) &&
		    !strcmp(side->series[i].variant, s->variant))
			return true;
	return false;
}

/* Whether series i is the first of its kind, or of its kind and variant, that `other` lacks. */
static bool is_first(const struct compare_side *side, const struct compare_side *other,
                     unsigned i, bool of_variant)
{
	const struct compare_series *s = &side->series[i];
	if (has_kind(other, s))
		return false;
	for (unsigned k = 0; k < i; k++) {
		const struct compare_series *before = &side->series[k];
		if (compare_same_kind(&before->cell, &s->cell) &&
		    (!of_variant || !strcmp(before->variant, s->variant)) &&
		    !has_kind(other, before))
			return false;
	}
	return true;
}

void compare_kinds_text(const struct compare_side *side, const struct compare_side *other,
                        char *out, size_t bytes)
{
	size_t used = 0;
	out[0] = '\0';
	for (unsigned i = 0; i < side->nseries; i++) {
		char kind[64];
		if (!is_first(side, other, i, false))
			continue;
		compare_kind_text(&side->series[i].cell, kind, sizeof kind);
		const char *join = used ? "; " : "";
		for (unsigned k = i; k < side->nseries && used < bytes; k++) {
			const struct compare_series *s = &side->series[k];
			if (!compare_same_kind(&s->cell, &side->series[i].cell) ||
			    !is_first(side, other, k, true))
				continue;
			used += (size_t)snprintf(out + used, bytes - used, "%s%s%s%s", join,
			                         k == i ? kind : "", k == i ? " of " : "",
			                         s->variant);
			join = ", ";
		}
	}
}

void compare_clean(const char *text, char *out, size_t bytes)
{
	size_t n = 0;
	for (; text[n] && n + 1 < bytes; n++)
		out[n] = (unsigned char)text[n] < ' ' || text[n] == 0x7F ? '?' : text[n];
	/* Cut between characters, not within one. */
	while (text[n] && n > 0 && ((unsigned char)text[n] & 0xC0) == 0x80)
		n--;
	out[n] = '\0';
}

/* Whether a list with ", " between its items holds the item. */
static bool has_item(const char *list, const char *item)
{
	size_t n = strlen(item);
	for (const char *at = strstr(list, item); at && n; at = strstr(at + 1, item))
		if ((at == list || at[-1] == ' ') && (!at[n] || at[n] == ','))
			return true;
	return false;
}

void compare_fact_add(struct compare_side *side, enum compare_fact fact, const char *text)
{
	char clean[COMPARE_FACT_BYTES], *all = side->facts[fact];
	compare_clean(text, clean, sizeof clean);
	if (!has_item(all, clean))
		status_list(all, COMPARE_FACT_BYTES, clean);
}

const struct compare_series *compare_series_find(const struct compare_side *side,
                                                 const char *variant, const struct cell *cell)
{
	for (unsigned i = side->nseries; i-- > 0;) {
		const struct compare_series *s = &side->series[i];
		if (s->cell.bytes == cell->bytes && compare_same_kind(&s->cell, cell) &&
		    !strcmp(s->variant, variant))
			return s;
	}
	return NULL;
}

static struct compare_series *series_of(struct compare_side *side, const char *variant,
                                        const struct cell *cell, unsigned nranks)
{
	const struct compare_series *found = compare_series_find(side, variant, cell);
	if (found)
		return &side->series[found - side->series];
	struct compare_series *more =
	    realloc(side->series, (side->nseries + 1) * sizeof *side->series);
	if (!more)
		return NULL;
	side->series = more;
	more += side->nseries++;
	*more = (struct compare_series){.cell = *cell, .nranks = nranks};
	snprintf(more->variant, sizeof more->variant, "%s", variant);
	return more;
}

struct compare_series *compare_side_add(struct compare_side *side, const char *variant,
                                        const struct cell *cell, unsigned nranks,
                                        unsigned block, double time_us, struct status *st)
{
	struct compare_series *s = series_of(side, variant, cell, nranks);
	struct compare_trial *more =
	    s ? realloc(s->trials, (s->ntrials + 1) * sizeof *s->trials) : NULL;
	if (!more) {
		status_set(st, "out of memory for the comparison");
		return NULL;
	}
	s->trials = more;
	s->trials[s->ntrials++] = (struct compare_trial){block, time_us};
	return s;
}

/* A block's times, taken out of the series into `times`; the others close up. */
static unsigned take_block(struct compare_series *s, unsigned block, double *times)
{
	unsigned kept = 0, n = 0;
	for (unsigned i = 0; i < s->ntrials; i++)
		if (s->trials[i].block == block)
			times[n++] = s->trials[i].time_us;
		else
			s->trials[kept++] = s->trials[i];
	s->ntrials = kept;
	return n;
}

int compare_side_settle(struct compare_side *side, struct status *st)
{
	for (unsigned i = 0; i < side->nseries; i++) {
		struct compare_series *s = &side->series[i];
		struct compare_trial *one = malloc(s->ntrials * sizeof *one);
		double *times = malloc(s->ntrials * sizeof *times);
		unsigned n = 0;
		while (one && times && s->ntrials) {
			unsigned block = s->trials[0].block;
			unsigned same = take_block(s, block, times);
			one[n++] = (struct compare_trial){block, stats_median(times, same)};
		}
		free(times);
		if (!n) {
			free(one);
			return status_set(st, "out of memory for the comparison");
		}
		free(s->trials);
		s->trials = one;
		s->ntrials = n;
	}
	return 0;
}

void compare_side_free(struct compare_side *side)
{
	for (unsigned i = 0; i < side->nseries; i++)
		free(side->series[i].trials);
	free(side->series);
	free(side->absent);
	json_decref(side->variants);
	*side = (struct compare_side){0};
}
