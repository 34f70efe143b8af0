#include "drawn.h"

#include <string.h>

static bool may(const struct summary *s, unsigned v)
{
	return s->variants[v].measured && s->variants[v].role != ROLE_LIMIT;
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

bool drawn_is(const struct summary *s, unsigned v)
{
	const json_t *gap = json_object_get(s->run->environment, "gap");
	const char *from = json_string_value(json_object_get(gap, "from"));
	const char *to = json_string_value(json_object_get(gap, "to"));
	const struct summary_variant *x = &s->variants[v];
	if (!may(s, v) || !from || !to || most(s) <= DRAWN_MOST)
		return may(s, v);
	return x->role != ROLE_VARIANT || !strcmp(x->name, from) || !strcmp(x->name, to) ||
	       first_of_mode(s, v);
}

unsigned drawn_count(const struct summary *s)
{
	unsigned n = 0;
	for (unsigned v = 0; v < s->nvariants; v++)
		n += drawn_is(s, v);
	return n;
}

unsigned drawn_left_out(const struct summary *s)
{
	return most(s) - drawn_count(s);
}
