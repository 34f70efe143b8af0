#include "network.h"
#include "../memory.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>

#include "../sanitize.h"

#define MAX_BYTES    (1 << 20) /* of a file */
#define MAX_ELEMENTS (UINT64_C(1) << 40)
#define MAX_FLOPS    (UINT64_C(1) << 60)

uint64_t network_aligned(uint64_t elements)
{
	return (elements + NETWORK_ALIGN - 1) / NETWORK_ALIGN * NETWORK_ALIGN;
}

struct network_sums network_sums(const struct network *network)
{
	struct network_sums s = {0};
	for (unsigned i = 0; i < network->n; i++) {
		const struct network_layer *l = &network->layers[i];
		s.parameters += l->elements;
		s.elements += network_aligned(l->elements);
		s.flops += l->flops;
	}
	return s;
}

#define SIDE_STEP  64 /* tensor cores' tiles fit */
#define DEPTH_STEP 8

struct network_product network_product(uint64_t flops)
{
	struct network_product p = {0};
	uint64_t half = flops / 2, whole, each;
	if (!half)
		return p;
	unsigned side = (unsigned)cbrt((double)half / 2) / SIDE_STEP * SIDE_STEP;
	p.side = side < SIDE_STEP ? SIDE_STEP : side > NETWORK_MOST_SIDE ? NETWORK_MOST_SIDE : side;
	whole = half / (2 * (uint64_t)p.side * p.side); /* depth of one of the two */
	each = 1 + whole / (NETWORK_MOST_DEPTH + 1);
	p.times = (unsigned)(2 * each);
	p.depth = (unsigned)((whole + each * DEPTH_STEP / 2) / (each * DEPTH_STEP) * DEPTH_STEP);
	p.depth = p.depth < DEPTH_STEP           ? DEPTH_STEP
	          : p.depth > NETWORK_MOST_DEPTH ? NETWORK_MOST_DEPTH
	                                         : p.depth;
	return p;
}

/* --- a file --- */

/* "name,elements,flops" */
static bool line_parse(const char *line, struct network_layer *out)
{
	const char *comma = strchr(line, ',');
	struct network_layer own = {0};
	char end;
	if (!comma || comma == line || !isdigit((unsigned char)comma[1]) ||
	    sscanf(comma + 1, "%13" SCNu64 ",%19" SCNu64 " %c", &own.elements, &own.flops, &end) !=
	        2)
		return false;
	if (own.elements > MAX_ELEMENTS || own.flops > MAX_FLOPS || own.elements + own.flops == 0)
		return false;
	*out = own;
	return true;
}

static int lines_read(FILE *in, const char *file, struct network *network, struct status *st)
{
	char *line = NULL;
	size_t bytes = 0;
	unsigned at = 0;
	int rc = 0;
	while (!rc && getline(&line, &bytes, in) >= 0) {
		at++;
		line[strcspn(line, "\r\n")] = '\0';
		if (!line[0] || line[0] == '#' || !strcmp(line, "name,elements,flops"))
			continue;
		if (network->n == NETWORK_MAX_LAYERS)
			rc = status_set(st, "%s:%u: more than the %d tensors that are allowed",
			                file, at, NETWORK_MAX_LAYERS);
		else if (!line_parse(line, &network->layers[network->n]))
			rc = status_set(st,
			                "%s:%u: not a line of a model; allowed is "
			                "name,elements,flops, as in fc.weight,2048000,8192000",
			                file, at);
		else
			network->n++;
	}
	free(line);
	if (!rc && !network_sums(network).parameters)
		rc = status_set(st, "%s: a model without a parameter", file);
	return rc;
}

int network_read(const char *file, struct network *out, struct status *st)
{
	const char *why, *slash = strrchr(file, '/');
	const char *name = slash ? slash + 1 : file;
	FILE *in = sanitize_stream(file, MAX_BYTES, &why);
	if (!in)
		return status_set(st, "cannot read %s: %s", file, why);
	struct network *network = memory_take(1, sizeof *network);
	int rc = lines_read(in, file, network, st);
	fclose(in);
	if (!rc) {
		snprintf(network->name, sizeof network->name, "%.*s", (int)strcspn(name, "."),
		         name);
		*out = *network;
	}
	free(network);
	return rc;
}

/* --- buckets --- */

struct buckets buckets_of(const struct network *network, uint64_t elements, size_t element_bytes,
                          uint64_t first_bytes, uint64_t cap_bytes)
{
	uint64_t full = first_bytes ? first_bytes : cap_bytes;
	uint64_t first = (full + element_bytes - 1) / element_bytes;
	uint64_t cap = (cap_bytes + element_bytes - 1) / element_bytes;
	bool fits = network && network->n && network_sums(network).elements == elements;
	return (struct buckets){fits ? network : NULL, elements, first ? first : 1, cap ? cap : 1};
}

bool buckets_next(const struct buckets *b, const struct bucket *last, struct bucket *out)
{
	struct bucket next = {0};
	uint64_t full = b->first;
	if (last) {
		next.layer = last->layer + last->layers;
		next.at = last->at + last->elements;
		full = b->cap;
	}
	if (!b->network) {
		next.elements = b->elements - next.at;
	} else {
		uint64_t own = 0;
		for (unsigned i = next.layer; i < b->network->n && own < full; i++) {
			own += b->network->layers[i].elements;
			next.elements += network_aligned(b->network->layers[i].elements);
			next.layers++;
		}
	}
	*out = next;
	return next.layers || next.elements;
}

unsigned buckets_count(const struct buckets *b)
{
	struct bucket bucket, *last = NULL;
	unsigned n = 0;
	for (; buckets_next(b, last, &bucket); last = &bucket)
		n += bucket.elements > 0;
	return n;
}

struct bucket buckets_get(const struct buckets *b, unsigned i)
{
	struct bucket bucket = {0}, *last = NULL;
	for (; buckets_next(b, last, &bucket); last = &bucket)
		if (bucket.elements && i-- == 0)
			break;
	return bucket;
}
