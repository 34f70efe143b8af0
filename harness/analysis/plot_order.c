#include "plot_order.h"

#include <math.h>
#include <string.h>

#include "../arena.h"

static bool may(const struct summary *s, unsigned v)
{
	return s->variants[v].measured && s->variants[v].role != ROLE_LIMIT &&
	       !index_other_ranks(s, v);
}

static unsigned most(const struct summary *s)
{
	unsigned n = 0;
	for (unsigned v = 0; v < s->nvariants; v++)
		n += may(s, v);
	return n;
}

static bool first_of_mode(const struct summary *s, unsigned variant)
{
	for (unsigned v = 0; v < variant; v++)
		if (may(s, v) && !strcmp(s->variants[v].mode, s->variants[variant].mode))
			return false;
	return true;
}

/* Whether the experiment asks about a gap; the gap's two ends. */
static bool gap_of(const struct summary *s, const char **from, const char **to)
{
	const json_t *gap = json_object_get(s->run->environment, "gap");
	*from = json_string_value(json_object_get(gap, "from"));
	*to = json_string_value(json_object_get(gap, "to"));
	return *from && *to;
}

static bool gap_end(const struct summary *s, unsigned v)
{
	const char *from, *to, *name = s->variants[v].name;
	return gap_of(s, &from, &to) && (!strcmp(name, from) || !strcmp(name, to));
}

bool plot_order_has(const struct summary *s, unsigned v)
{
	const char *from, *to;
	if (!may(s, v) || !gap_of(s, &from, &to) || most(s) <= PLOT_ORDER_MOST)
		return may(s, v);
	return s->variants[v].role != ROLE_VARIANT || gap_end(s, v) || first_of_mode(s, v);
}

unsigned plot_order_count(const struct summary *s)
{
	unsigned n = 0;
	for (unsigned v = 0; v < s->nvariants; v++)
		n += plot_order_has(s, v);
	return n;
}

unsigned plot_order_left_out(const struct summary *s)
{
	return most(s) - plot_order_count(s);
}

bool plot_order_has_group(const struct summary *s, unsigned g)
{
	const unsigned ranks = s->reference < 0 ? 0 : index_ranks(s, (unsigned)s->reference);
	return !s->groups[g].limit && !(coll_info(s->groups[g].cell.coll)->is & COLL_PAIRS) &&
	       (!ranks || ranks == s->groups[g].nranks);
}

/* Whether two groups differ in their pace at most. */
static bool same_word(const struct summary_group *a, const struct summary_group *b)
{
	return !strcmp(coll_word(&a->cell, a->nranks).text, coll_word(&b->cell, b->nranks).text);
}

unsigned plot_order_collectives(const struct summary *s)
{
	unsigned n = 0;
	for (unsigned g = 0; g < s->ngroups; g++) {
		bool again = !plot_order_has_group(s, g);
		for (unsigned k = 0; !again && k < g; k++)
			again =
			    plot_order_has_group(s, k) && same_word(&s->groups[k], &s->groups[g]);
		n += !again;
	}
	return n;
}

bool plot_order_is_large(const struct summary *s, size_t asked_bytes)
{
	return asked_bytes >=
	       (record_traits(s->run, NULL)->gpus ? (size_t)16 << 20 : (size_t)256 << 10);
}

/* 0 is first. */
static unsigned rank_of(const struct summary *s, unsigned v)
{
	enum summary_role role = s->variants[v].role;
	return role == ROLE_REFERENCE ? 0
	       : role == ROLE_AGAIN   ? 4
	       : first_of_mode(s, v)  ? 1
	       : gap_end(s, v)        ? 2
	                              : 3;
}

/* A variant's name without its mode: "-old" of "threads-old". */
static void family_name(const struct summary *s, unsigned v, char *text, size_t bytes)
{
	const char *name = s->variants[v].name, *mode = s->variants[v].mode;
	const char *at = *mode ? strstr(name, mode) : NULL;
	if (at)
		snprintf(text, bytes, "%.*s%s", (int)(at - name), name, at + strlen(mode));
	else
		snprintf(text, bytes, "%s", name);
}

/* A variant's family is that of the first one with the same name without its mode; the twin's is
 * the reference's. */
static void families_number(const struct summary *s, struct plot_order *order)
{
	char mine[TRIAL_NAME_BYTES], other[TRIAL_NAME_BYTES];
	unsigned families = 0;
	for (unsigned i = 0; i < order->n; i++) {
		bool found = s->variants[order->variants[i]].role == ROLE_AGAIN;
		unsigned like = 0;
		family_name(s, order->variants[i], mine, sizeof mine);
		while (!found && like < i) {
			family_name(s, order->variants[like], other, sizeof other);
			found = !strcmp(mine, other);
			like += !found;
		}
		order->families[i] = found ? order->families[like] : families++;
	}
}

struct plot_order plot_order_make(const struct summary *s, struct arena *arena)
{
	struct plot_order out = {.variants = ARENA_ARRAY(arena, unsigned, s->nvariants),
	                         .families = ARENA_ARRAY(arena, unsigned, s->nvariants)};
	for (unsigned rank = 0; rank < 5; rank++)
		for (unsigned v = 0; v < s->nvariants; v++) {
			if (!plot_order_has(s, v) || rank_of(s, v) != rank)
				continue;
			out.variants[out.n++] = v;
			out.main += rank < 4 && (rank < 3 || out.main < PLOT_ORDER_LINES);
		}
	families_number(s, &out);
	return out;
}

static bool alike(const double *a, const double *b, unsigned nsizes, double tolerance)
{
	for (unsigned k = 0; k < nsizes; k++)
		if (isnan(a[k]) != isnan(b[k]) || fmax(a[k], b[k]) > tolerance * fmin(a[k], b[k]))
			return false;
	return true;
}

unsigned plot_order_merge(const double *values, unsigned n, unsigned nsizes, double tolerance,
                          unsigned *line)
{
	unsigned lines = 0;
	for (unsigned i = 0; i < n; i++) {
		line[i] = 0;
		for (unsigned k = 0; k < i && line[i] < lines; k++)
			if (line[k] == line[i] &&
			    !alike(values + (size_t)i * nsizes, values + (size_t)k * nsizes, nsizes,
			           tolerance)) {
				line[i]++;
				k = (unsigned)-1; /* against all of the next line */
			}
		lines += line[i] == lines;
	}
	return lines;
}
