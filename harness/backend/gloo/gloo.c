/* The gloo backend: Gloo's collectives over TCP on the loopback interface, between threads or
 * processes. The code that is linked with Gloo is a separate library (gloo_calls), loaded if it
 * exists. Ranks find each other through what each publishes in the team's store:
 *
 *   a share per rank: number of items | for each item: key, length, data
 */
#include "../blocking/blocking.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gloo_calls.h"

#define SAID_MOST  4 /* items of a rank: its host's name, its addresses */
#define KEY_BYTES  64
#define PEER_BYTES 256 /* an address is no longer */
#define HEAD_BYTES 1024
#define MOST_RANKS 128 /* each holds two sockets to every other one */
#define TIMEOUT_S  120 /* of one call; a cell's own timeout may be sooner */

struct said {
	char key[KEY_BYTES];
	size_t bytes;
};

struct share {
	_Atomic unsigned n; /* written by its owner alone */
	struct said said[SAID_MOST];
	/* Data follow each other. */
};

_Static_assert(sizeof(struct share) <= HEAD_BYTES, "a share's head is too small");

struct link {
	void *library;
	const struct gloo_part *part;
	void *of;
	struct blocking_place place;
	struct gloo_exchange exchange;
};

static size_t share_bytes(unsigned nranks)
{
	return HEAD_BYTES + (size_t)nranks * PEER_BYTES;
}

/* Beside the program, beside its folder (tests), where it is installed; else where the dynamic
 * linker looks. Not by a run path: sanitizers call dlopen from their own library. */
static void *open_part(void)
{
	static const char *const places[] = {"", "/..", "/../lib"};
	char program[PATH_MAX], path[PATH_MAX + 64];
	ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
	program[n > 0 ? n : 0] = '\0';
	char *slash = strrchr(program, '/');
	for (unsigned i = 0; slash && i < sizeof places / sizeof *places; i++) {
		snprintf(path, sizeof path, "%.*s%s/%s", (int)(slash - program), program, places[i],
		         GLOO_PART);
		if (!access(path, R_OK))
			return dlopen(path, RTLD_NOW | RTLD_LOCAL);
	}
	return dlopen(GLOO_PART, RTLD_NOW | RTLD_LOCAL);
}

/* NULL, and why. The caller closes *library. */
static const struct gloo_part *load(void **library, struct status *st)
{
	const struct gloo_part *part = NULL;
	*library = open_part();
	if (*library)
		part = dlsym(*library, GLOO_ENTRY);
	if (!part)
		status_set(st,
		           "no Gloo here: %s. Debian: apt-get install libgloo-dev g++, then "
		           "make",
		           dlerror());
	if (!part && *library)
		dlclose(*library);
	return part;
}

/* --- the team's exchange --- */

static struct share *share_of(const struct link *link, unsigned rank)
{
	unsigned nranks = team_shape(link->place.team)->nranks;
	return (struct share *)((char *)team_store(link->place.team) + rank * share_bytes(nranks));
}

static int say(void *of, const char *key, const char *data, size_t bytes)
{
	const struct link *link = of;
	struct share *own = share_of(link, link->place.rank);
	unsigned nranks = team_shape(link->place.team)->nranks, n = atomic_load(&own->n);
	size_t used = HEAD_BYTES;
	for (unsigned i = 0; i < n; i++)
		used += own->said[i].bytes;
	if (n == SAID_MOST || strlen(key) >= KEY_BYTES || used + bytes > share_bytes(nranks))
		return -1;
	memcpy((char *)own + used, data, bytes);
	strcpy(own->said[n].key, key);
	own->said[n].bytes = bytes;
	atomic_store(&own->n, n + 1);
	return 0;
}

/* Groups publish the same keys: only those of the own group count. */
static int hear(void *of, const char *key, const char **data, size_t *bytes)
{
	const struct link *link = of;
	const struct blocking_place *p = &link->place;
	unsigned nranks = team_shape(p->team)->nranks;
	for (;;) {
		for (unsigned i = 0; i < p->n; i++) {
			unsigned rank = split_peer(p->split, nranks, p->color, i);
			struct share *share = share_of(link, rank);
			size_t at = HEAD_BYTES;
			for (unsigned k = 0; k < atomic_load(&share->n); k++) {
				*data = (char *)share + at;
				*bytes = share->said[k].bytes;
				if (!strcmp(share->said[k].key, key))
					return 0;
				at += *bytes;
			}
		}
		if (team_pause(p->team))
			return -1;
	}
}

/* --- struct blocking_library --- */

static void gloo_disconnect(void *of)
{
	struct link *link = of;
	if (link->of)
		link->part->disconnect(link->of);
	if (link->library)
		dlclose(link->library);
	free(link);
}

static int gloo_connect(const struct blocking_place *place, void **out, struct status *st)
{
	struct link *link = calloc(1, sizeof *link);
	char why[GLOO_WHY] = "";
	*out = NULL;
	if (!link)
		return status_set(st, "gloo: no memory");
	link->place = *place;
	link->exchange = (struct gloo_exchange){link, say, hear};
	link->part = load(&link->library, st);
	if (!link->part)
		goto fail;
	/* Nobody reads what was published for the previous connection any more. */
	atomic_store(&share_of(link, place->rank)->n, 0);
	if (team_meet(place->team)) {
		status_set(st, "gloo: the team failed before it connected");
		goto fail;
	}
	if (link->part->connect((int)place->me, (int)place->n, &link->exchange, TIMEOUT_S,
	                        &link->of, why)) {
		status_set(st, "gloo: connecting: %s", why);
		goto fail;
	}
	/* A rank that connects again clears what it published, which another may still read. */
	if (team_meet(place->team)) {
		status_set(st, "gloo: the team failed while it connected");
		goto fail;
	}
	*out = link;
	return 0;
fail:
	gloo_disconnect(link);
	return -1;
}

// clang-format off
static const struct {
	bool here;
	unsigned kind; /* of gloo_calls.h: gloo_kind, gloo_type, gloo_op */
} calls[COLL_KINDS] = {
    [COLL_ALL_REDUCE]     = {true, GLOO_ALL_REDUCE},
    [COLL_ALL_GATHER]     = {true, GLOO_ALL_GATHER},
    [COLL_REDUCE_SCATTER] = {true, GLOO_REDUCE_SCATTER},
    [COLL_BROADCAST]      = {true, GLOO_BROADCAST},
    [COLL_REDUCE]         = {true, GLOO_REDUCE},
    [COLL_ALLTOALL]       = {true, GLOO_ALLTOALL},
    [COLL_ALLTOALLV]      = {true, GLOO_ALLTOALLV},
    [COLL_GATHER]         = {true, GLOO_GATHER},
    [COLL_SCATTER]        = {true, GLOO_SCATTER},
}, types[DTYPE_KINDS] = {
    [DTYPE_INT8]    = {true, GLOO_INT8},
    [DTYPE_UINT8]   = {true, GLOO_UINT8},
    [DTYPE_INT32]   = {true, GLOO_INT32},
    [DTYPE_UINT32]  = {true, GLOO_UINT32},
    [DTYPE_INT64]   = {true, GLOO_INT64},
    [DTYPE_UINT64]  = {true, GLOO_UINT64},
    [DTYPE_FLOAT16] = {true, GLOO_FLOAT16},
    [DTYPE_FLOAT32] = {true, GLOO_FLOAT32},
    [DTYPE_FLOAT64] = {true, GLOO_FLOAT64},
}, ops[OP_KINDS] = {
    [OP_SUM]  = {true, GLOO_SUM},
    [OP_PROD] = {true, GLOO_PROD},
    [OP_MIN]  = {true, GLOO_MIN},
    [OP_MAX]  = {true, GLOO_MAX},
};
// clang-format on

static bool gloo_carries(enum coll_kind coll)
{
	return calls[coll].here;
}

static const char *gloo_refuses(const struct cell *cell)
{
	if (!(coll_info(cell->coll)->is & COLL_REDUCES))
		return NULL;
	if (!types[cell->dtype].here)
		return "Gloo reduces no bfloat16 and no 8-bit floats; allowed are integers, "
		       "float16, float32 and float64";
	if (!ops[cell->op].here)
		return "Gloo has no such operation; allowed are sum, prod, min and max";
	return NULL;
}

static const char *gloo_refuses_layout(struct layout layout)
{
	if (layout.ranks_per_thread > 1)
		return "its calls block, so one thread cannot make those of several ranks; "
		       "allowed are mode = threads and processes";
	return layout_ranks(layout) > MOST_RANKS
	           ? "every rank has sockets to every other one; allowed are 128 ranks"
	           : NULL;
}

static int gloo_call(void *of, const struct blocking_call *c, struct status *st)
{
	const struct link *link = of;
	char why[GLOO_WHY] = "";
	const struct gloo_call call = {
	    .kind = (enum gloo_kind)calls[c->coll].kind,
	    .type = (enum gloo_type)types[c->dtype].kind,
	    .op = (enum gloo_op)ops[c->op].kind,
	    .n = (int)c->n,
	    .me = (int)c->me,
	    .root = (int)c->root,
	    .in_place = c->in_place,
	    .element = c->element,
	    .elements = c->elements,
	    .part = c->part,
	    .sent = c->sent,
	    .received = c->received,
	    .from = c->from,
	    .to = c->to,
	};
	if (link->part->call(link->of, &call, why))
		return status_set(st, "gloo: %s: %s", coll_info(c->coll)->name, why);
	return 0;
}

static int gloo_exchange(void *of, const struct blocking_exchange *e, struct status *st)
{
	const struct link *link = of;
	char why[GLOO_WHY] = "";
	const struct gloo_move move = {
	    .to = e->to == UINT_MAX ? -1 : (int)e->to,
	    .from = e->from == UINT_MAX ? -1 : (int)e->from,
	    .out = e->out,
	    .in = e->in,
	    .out_bytes = e->out_elements * e->element,
	    .in_bytes = e->in_elements * e->element,
	};
	if (link->part->move(link->of, &move, why))
		return status_set(st, "gloo: send and receive: %s", why);
	return 0;
}

static void gloo_describe(void *of, char *text, size_t bytes)
{
	(void)of;
	snprintf(text, bytes, "transport=TCP on 127.0.0.1\n");
}

static const struct blocking_library library = {
    .name = "gloo",
    .carries = gloo_carries,
    .refuses = gloo_refuses,
    .refuses_layout = gloo_refuses_layout,
    .connect = gloo_connect,
    .disconnect = gloo_disconnect,
    .call = gloo_call,
    .exchange = gloo_exchange,
    .describe = gloo_describe,
};

/* --- struct backend --- */

static unsigned gloo_capacity(struct status *st)
{
	void *loaded = NULL;
	if (!load(&loaded, st))
		return 0;
	dlclose(loaded);
	return UINT_MAX;
}

static int gloo_supports(const struct trial *trial, struct status *st)
{
	return blocking_supports(&library, trial, st);
}

static size_t gloo_store_bytes(const struct trial *trial)
{
	unsigned nranks = layout_ranks(trial->settings.layout);
	return nranks * share_bytes(nranks);
}

static int gloo_open(const struct backend_place *place, struct backend_ctx **out, struct status *st)
{
	return blocking_open(&library, place, out, st);
}

const struct backend backend_gloo = {
    .name = "gloo",
    .summary = "Gloo over TCP on this host, in CPU memory or staged through it",
    .is =
        {.carries_data = true, .connects = true, .blocks = true, .helpers = true, .traffics = true},
    .capacity = gloo_capacity,
    .supports = gloo_supports,
    .store_bytes = gloo_store_bytes,
    .open = gloo_open,
    BLOCKING_ROWS,
};
