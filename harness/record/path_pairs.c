/* Which pairs of ranks a mixed path leads over which transport. */
#include <stdio.h>
#include <string.h>

#include "path.h"

#define NAMED 8 /* pairs of a transport that are named; the others are counted */

/* "SHM/direct" of "SHM/direct/direct": what follows is the pair's own, as a device is. */
static size_t transport_bytes(const char *via)
{
	size_t n = strcspn(via, "/");
	return via[n] ? n + 1 + strcspn(via + n + 1, "/") : n;
}

static bool is_alike(const struct path_link *a, const struct path_link *b)
{
	size_t n = transport_bytes(a->via);
	return n == transport_bytes(b->via) && !memcmp(a->via, b->via, n);
}

/* Whether one of the first n links leads that way over the transport of `like`. */
static bool leads(const struct path_evidence *e, unsigned n, unsigned from, unsigned to,
                  const struct path_link *like)
{
	for (unsigned i = 0; i < n; i++)
		if (e->links[i].from == from && e->links[i].to == to &&
		    is_alike(&e->links[i], like))
			return true;
	return false;
}

static bool is_first(const struct path_evidence *e, unsigned link)
{
	for (unsigned i = 0; i < link; i++)
		if (is_alike(&e->links[i], &e->links[link]))
			return false;
	return true;
}

struct text {
	char *at;
	size_t used, bytes;
};

static void add(struct text *t, const char *piece)
{
	if (t->used < t->bytes)
		t->used += (size_t)snprintf(t->at + t->used, t->bytes - t->used, "%s", piece);
}

static void add_pairs(const struct path_evidence *e, const struct path_link *like,
                      struct text *t)
{
	unsigned pairs = 0;
	char piece[64];
	for (unsigned i = 0; i < e->nlinks; i++) {
		const struct path_link *l = &e->links[i];
		bool back = leads(e, e->nlinks, l->to, l->from, like);
		if (!is_alike(l, like) || leads(e, i, l->from, l->to, like) ||
		    (back && l->from > l->to))
			continue;
		snprintf(piece, sizeof piece, "%s%u%s%u", pairs ? ", " : " ", l->from,
		         back ? "-" : "→", l->to);
		if (pairs++ < NAMED)
			add(t, piece);
	}
	snprintf(piece, sizeof piece, " and %u more", pairs - NAMED);
	if (pairs > NAMED)
		add(t, piece);
}

void path_pairs_text(const struct path_evidence *e, char *text, size_t bytes)
{
	struct text t = {text, 0, bytes};
	char piece[PATH_VIA_BYTES + 2];
	text[0] = '\0';
	for (unsigned i = 0; i < e->nlinks; i++) {
		const char *via = e->links[i].via;
		if (!is_first(e, i))
			continue;
		snprintf(piece, sizeof piece, "%s%.*s", t.used ? "; " : "",
		         (int)transport_bytes(via), via);
		add(&t, piece);
		add_pairs(e, &e->links[i], &t);
	}
}
