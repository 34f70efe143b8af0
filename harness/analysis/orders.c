#include "orders.h"

#include <math.h>
#include <string.h>

#include "summary.h"

#define CORNERS (1u << ORDERS_STEPS)
#define NOWHERE UINT_MAX

/* The settings of the steps, and a variant for each set of them that is switched. */
struct cube {
	const struct summary *s;
	unsigned nsteps, from, to;
	char keys[ORDERS_STEPS][128];
	unsigned corners[CORNERS];        /* NOWHERE: not measured */
	double in[CORNERS], out[CORNERS]; /* orders from the near end, to the far one */
	unsigned places[CORNERS];         /* in the list of variants */
};

void orders_along(const unsigned *way, unsigned n, struct orders *out)
{
	*out = (struct orders){.nvariants = n, .nsides = n - 1, .measured = 1, .possible = 1};
	memcpy(out->variants, way, n * sizeof *way);
	for (unsigned i = 0; i + 1 < n; i++)
		out->sides[i] = (struct orders_side){i, i, i + 1, 1};
}

static unsigned differ(const struct cube *c, unsigned a, unsigned b, char *keys, size_t bytes)
{
	return settings_differ(c->s->variants[a].settings, c->s->variants[b].settings, keys,
	                       bytes);
}

static bool alike(const struct cube *c, const char *key, unsigned a, unsigned b)
{
	return settings_alike(key, c->s->variants[a].settings, c->s->variants[b].settings);
}

/* Whether each step switches one setting, from the near end's value to the far end's, and all
 * of them are all that the ends differ in. */
static bool cube_begin(struct cube *c, const unsigned *way)
{
	char keys[1024];
	for (unsigned i = 0; i <= c->nsteps; i++)
		if (!c->s->variants[way[i]].settings)
			return false;
	for (unsigned i = 0; i < c->nsteps; i++) {
		if (differ(c, way[i], way[i + 1], keys, sizeof keys) != 1 ||
		    strlen(keys) >= sizeof c->keys[i])
			return false;
		strcpy(c->keys[i], keys);
		if (alike(c, keys, c->from, c->to) || !alike(c, keys, way[i], c->from))
			return false;
	}
	return differ(c, c->from, c->to, keys, sizeof keys) == c->nsteps;
}

/* The set of steps whose settings a variant has from the far end; NOWHERE: it is none of them.
 */
static unsigned set_of(const struct cube *c, unsigned variant)
{
	const struct summary_variant *v = &c->s->variants[variant];
	char keys[1024];
	unsigned set = 0, n = 0;
	if (!v->measured || !v->settings || !summary_is_asked(c->s, variant))
		return NOWHERE;
	for (unsigned i = 0; i < c->nsteps; i++) {
		if (alike(c, c->keys[i], variant, c->from))
			continue;
		if (!alike(c, c->keys[i], variant, c->to))
			return NOWHERE;
		set |= 1u << i;
		n++;
	}
	return differ(c, variant, c->from, keys, sizeof keys) == n ? set : NOWHERE;
}

/* How many orders lead to each corner, and on from it. */
static void count_orders(struct cube *c)
{
	const unsigned full = (1u << c->nsteps) - 1;
	for (unsigned set = 0; set <= full; set++) {
		c->in[set] = set == 0;
		for (unsigned i = 0; i < c->nsteps; i++)
			if (set >> i & 1)
				c->in[set] += c->in[set & ~(1u << i)];
		if (c->corners[set] == NOWHERE)
			c->in[set] = 0;
	}
	for (unsigned set = full + 1; set-- > 0;) {
		c->out[set] = set == full;
		for (unsigned i = 0; i < c->nsteps; i++)
			if (!(set >> i & 1))
				c->out[set] += c->out[set | 1u << i];
		if (c->corners[set] == NOWHERE)
			c->out[set] = 0;
	}
}

/* The way's variants are in the list already. */
static void list_variants(struct cube *c, struct orders *out)
{
	for (unsigned set = 0; set < 1u << c->nsteps; set++) {
		unsigned at = 0;
		if (!(c->in[set] * c->out[set] > 0))
			continue;
		while (at < out->nvariants && out->variants[at] != c->corners[set])
			at++;
		c->places[set] = at;
		if (at == out->nvariants)
			out->variants[out->nvariants++] = c->corners[set];
	}
}

void orders_find(const struct summary *s, const unsigned *way, unsigned n, struct orders *out)
{
	struct cube c = {.s = s, .nsteps = n - 1, .from = way[0], .to = way[n - 1]};
	orders_along(way, n, out);
	if (n < 3 || c.nsteps > ORDERS_STEPS || !cube_begin(&c, way))
		return;
	for (unsigned set = 0; set < CORNERS; set++)
		c.corners[set] = NOWHERE;
	for (unsigned v = s->nvariants; v-- > 0;) {
		unsigned set = set_of(&c, v);
		if (set != NOWHERE)
			c.corners[set] = v;
	}
	/* Of two variants alike, the one of the way. */
	for (unsigned i = 0; i < n; i++)
		c.corners[(1u << i) - 1] = way[i];
	count_orders(&c);
	out->measured = c.in[(1u << c.nsteps) - 1];
	out->possible = tgamma(n);
	out->nsides = 0;
	list_variants(&c, out);
	for (unsigned set = 0; set < 1u << c.nsteps; set++)
		for (unsigned i = 0; i < c.nsteps; i++) {
			unsigned next = set | 1u << i;
			double orders = next == set ? 0 : c.in[set] * c.out[next];
			if (orders > 0)
				out->sides[out->nsides++] = (struct orders_side){
				    i, c.places[set], c.places[next], orders / out->measured};
		}
}
