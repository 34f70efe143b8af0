#include "result.h"

#include <stdlib.h>
#include <string.h>

#include "../arena.h"
#include "../report/json.h"
#include "../sanitize.h"

/* --- series ------------------------------------------------------------------------------ */

bool result_same_kind(const struct cell *a, const struct cell *b)
{
	return a->coll == b->coll && a->pace == b->pace && a->dtype == b->dtype && a->op == b->op &&
	       a->in_place == b->in_place && a->root == b->root;
}

const char *result_kind(struct arena *arena, const struct cell *c)
{
	return arena_text(arena, "%d %d %d %d %d %u", c->coll, c->pace, c->dtype, c->op,
	                  c->in_place, c->root);
}

static struct result_series *series_of(struct result *side, const char *variant,
                                       const struct cell *cell, unsigned nranks)
{
	for (unsigned i = side->nseries; i-- > 0;) {
		struct result_series *s = &side->series[i];
		if (s->cell.bytes == cell->bytes && result_same_kind(&s->cell, cell) &&
		    !strcmp(s->variant, variant))
			return s;
	}
	side->series = arena_more(side->arena, side->series, side->nseries, sizeof *side->series);
	struct result_series *more = &side->series[side->nseries++];
	*more = (struct result_series){.cell = *cell, .nranks = nranks};
	snprintf(more->variant, sizeof more->variant, "%s", variant);
	return more;
}

struct result_series *result_add(struct result *side, const char *variant, const struct cell *cell,
                                 unsigned nranks, unsigned block, double time_us)
{
	struct result_series *s = series_of(side, variant, cell, nranks);
	s->trials = arena_more(side->arena, s->trials, s->ntrials, sizeof *s->trials);
	s->trials[s->ntrials++] = (struct result_trial){block, time_us};
	return s;
}

static int by_block_and_time(const void *a, const void *b)
{
	const struct result_trial *x = a, *y = b;
	return x->block != y->block ? (x->block > y->block) - (x->block < y->block)
	                            : (x->time_us > y->time_us) - (x->time_us < y->time_us);
}

static void settle(struct result_series *s)
{
	struct result_trial *t = s->trials;
	unsigned n = 0;
	qsort(t, s->ntrials, sizeof *t, by_block_and_time);
	for (unsigned i = 0, end; i < s->ntrials; i = end) {
		for (end = i; end < s->ntrials && t[end].block == t[i].block;)
			end++;
		double middle = (t[(i + end - 1) / 2].time_us + t[(i + end) / 2].time_us) / 2;
		t[n++] = (struct result_trial){t[i].block, middle};
	}
	s->ntrials = n;
}

void result_settle(struct result *side)
{
	for (unsigned i = 0; i < side->nseries; i++)
		settle(&side->series[i]);
}

/* --- facts ------------------------------------------------------------------------------- */

const char *result_plain(struct arena *arena, const char *text)
{
	const size_t bytes = strlen(text) + 1;
	char *plain = memcpy(ARENA_ARRAY(arena, char, bytes), text, bytes);
	sanitize_text(plain);
	return plain;
}

void result_clean(const char *text, char *out, size_t bytes)
{
	size_t n = 0;
	for (; text[n] && n + 1 < bytes; n++)
		out[n] = (unsigned char)text[n] < ' ' || text[n] == 0x7F ? '?' : text[n];
	out[n] = '\0';
	sanitize_end(out);
	sanitize_text(out);
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

void result_fact_add(struct result *side, enum result_fact fact, const char *text)
{
	char clean[RESULT_FACT_BYTES];
	result_clean(text, clean, sizeof clean);
	if (!has_item(side->facts[fact], clean))
		status_list(side->facts[fact], RESULT_FACT_BYTES, clean);
}

void result_variable(struct result *side, const char *name, const char *value)
{
	char clean[RESULT_FACT_BYTES], text[RESULT_FACT_BYTES];
	result_clean(name, clean, sizeof clean);
	result_clean(value, text, sizeof text);
	if (!side->variables)
		side->variables = json_keep(side->arena, json_object());
	if (!strncmp(clean, "NCCL_", 5) && strcmp(clean, "NCCL_VERSION"))
		json_object_set_new(side->variables, clean, json_string(text));
}
