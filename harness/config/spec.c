#include "spec.h"

#include "../suggest.h"

unsigned spec_times(const struct spec *spec)
{
	return spec->cycles * spec->connections * spec->allocations;
}

unsigned spec_sizes_again(const struct spec *spec)
{
	const struct claim_range sizes = spec->connection_bytes;
	unsigned n = 0;
	for (unsigned i = 0; i < spec->nsizes; i++)
		n += !sizes.hi || (spec->sizes[i] >= sizes.lo && spec->sizes[i] <= sizes.hi);
	return n;
}

void spec_connections_settle(struct spec *spec)
{
	if (spec->nsizes && !spec_sizes_again(spec))
		spec->connections = 1;
}

struct spec_variant *spec_find(struct spec *spec, const char *name)
{
	for (unsigned i = 0; i < spec->nvariants; i++)
		if (!strcmp(spec->variants[i].name, name))
			return &spec->variants[i];
	return NULL;
}

int spec_no_variant(const struct spec *spec, unsigned at, const char *key, const char *name,
                    const char *where, struct status *st)
{
	struct suggestion guess = suggest_for(name);
	for (unsigned i = 0; i < spec->nvariants; i++)
		suggest_offer(&guess, spec->variants[i].name);
	return spec_error(spec, at, st, "%s = '%.100s' names no variant%s%s; allowed is %s", key,
	                  name, where, suggestion_text(&guess).text,
	                  spec->nvariants ? guess.allowed : "none");
}
