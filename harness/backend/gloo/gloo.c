/* The gloo backend: Gloo's collectives over TCP between threads or processes, of one host on the
 * loopback interface. The code that is linked with Gloo is a separate library (gloo_calls), loaded if it
 * exists. Ranks find each other through what each publishes in the team's store:
 *
 *   a share per rank: number of items | for each item: key, length, data
 *   this host's address
 *
 * Several hosts have a store each, and share them in rounds that all ranks take part in: whoever waits
 * for an item, and whoever is connected, until all are. What a round brought is the same for all ranks,
 * and items count once all ranks of the group have as many in it: so all of a group go on from the same
 * round, and none is in a connection to one that waits in the next. */
#include "../../exchange/hosts_link.h"
#include "../../part.h"
#include "../blocking/blocking.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gloo_calls.h"

#define SAID_MOST  4 /* items of a rank: its host's name, its addresses */
#define KEY_BYTES  64
#define PEER_BYTES 256 /* an address is no longer */
#define HEAD_BYTES 1024
#define MOST_RANKS 128 /* each holds two sockets to every other one */
#define TRIES      3   /* to connect */
#define TIMEOUT_S  120 /* of one call; a cell's own timeout may be sooner */

enum { NOT_YET, CONNECTED, FAILED };

struct said {
	char key[KEY_BYTES];
	size_t bytes;
};

struct share {
	_Atomic unsigned n;             /* written by its owner alone */
	_Atomic unsigned tried, shared; /* shared: items, as of the last round */
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
	/* As of the last round: */
	unsigned counts; /* items that all ranks of the group have published */
	bool all_tried, one_failed;
};

static size_t share_bytes(unsigned nranks)
{
	return HEAD_BYTES + (size_t)nranks * PEER_BYTES;
}

static const struct gloo_part *load(void **library, struct status *st)
{
	static const struct part gloo = {
	    .what = "Gloo",
	    .file = GLOO_PART,
	    .entry = GLOO_ENTRY,
	    .remedy = "Debian: apt-get install libgloo-dev g++, then make",
	};
	return part_load(&gloo, library, st);
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

static bool has_hosts(const struct team *team)
{
	return team_here(team) < team_shape(team)->nworkers;
}

/* This host's address, after all shares. */
static char *address_at(const struct link *link)
{
	return (char *)share_of(link, team_shape(link->place.team)->nranks);
}

/* While nobody writes. */
static void look(struct link *link)
{
	const struct blocking_place *p = &link->place;
	const unsigned nranks = team_shape(p->team)->nranks;
	link->counts = SAID_MOST;
	link->all_tried = true;
	for (unsigned i = 0; i < p->n; i++) {
		const unsigned rank = split_peer(p->split, nranks, p->color, i);
		const unsigned n = atomic_load(&share_of(link, rank)->shared);
		link->counts = n < link->counts ? n : link->counts;
	}
	link->one_failed = false;
	for (unsigned rank = 0; rank < nranks; rank++) {
		const unsigned tried = atomic_load(&share_of(link, rank)->tried);
		link->all_tried &= tried != NOT_YET;
		link->one_failed |= tried == FAILED;
	}
}

static int share_round(struct link *link)
{
	struct team *team = link->place.team;
	struct share *own = share_of(link, link->place.rank);
	atomic_store(&own->shared, atomic_load(&own->n));
	if (team_share_parts(team, team_store(team), share_bytes(team_shape(team)->nranks)))
		return -1;
	look(link);
	return team_meet(team);
}

/* Groups publish the same keys: only those of the own group count. */
static int hear(void *of, const char *key, const char **data, size_t *bytes)
{
	struct link *link = of;
	const struct blocking_place *p = &link->place;
	unsigned nranks = team_shape(p->team)->nranks;
	for (;;) {
		const unsigned counts = has_hosts(p->team) ? link->counts : SAID_MOST;
		for (unsigned i = 0; i < p->n; i++) {
			unsigned rank = split_peer(p->split, nranks, p->color, i);
			struct share *share = share_of(link, rank);
			size_t at = HEAD_BYTES;
			for (unsigned k = 0; k < atomic_load(&share->n) && k < counts; k++) {
				*data = (char *)share + at;
				*bytes = share->said[k].bytes;
				if (!strcmp(share->said[k].key, key))
					return 0;
				at += *bytes;
			}
		}
		if (has_hosts(p->team) ? share_round(link) : team_pause(p->team))
			return -1;
	}
}

/* Until all ranks have tried: one that connects again clears what it published, which another may still
 * read. */
static int try_connect(struct link *link, const char *address, char why[GLOO_WHY])
{
	struct share *own = share_of(link, link->place.rank);
	const int failed = link->part->connect((int)link->place.me, (int)link->place.n, address,
	                                       &link->exchange, TIMEOUT_S, &link->of, why);
	atomic_store(&own->tried, failed ? FAILED : CONNECTED);
	do {
		if (share_round(link))
			return -1;
	} while (!link->all_tried);
	return 0;
}

/* Nobody reads what was published for the previous connection any more. */
static void begin_anew(struct link *link)
{
	struct share *own = share_of(link, link->place.rank);
	if (link->of)
		link->part->disconnect(link->of);
	link->of = NULL;
	atomic_store(&own->n, 0);
	atomic_store(&own->tried, NOT_YET);
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
	char why[GLOO_WHY] = "", address[ADDRESS_BYTES];
	unsigned left = TRIES;
	*out = NULL;
	if (!link)
		return status_set(st, "gloo: no memory");
	link->place = *place;
	link->exchange = (struct gloo_exchange){link, say, hear};
	link->part = load(&link->library, st);
	if (!link->part)
		goto fail;
	begin_anew(link);
	strcpy(address, "127.0.0.1");
	if (team_hosts_link(place->team))
		hosts_link_address(team_hosts_link(place->team), address_at(link));
	if (share_round(link)) {
		status_set(st, "gloo: the team failed before it connected");
		goto fail;
	}
	if (has_hosts(place->team))
		memcpy(address, address_at(link), sizeof address);
	/* A stranger at a rank's port has a peer's place: all connect again, at other ports. */
	do {
		if (try_connect(link, address, why)) {
			status_set(st, "gloo: the team failed while it connected");
			goto fail;
		}
		if (!link->one_failed) {
			*out = link;
			return 0;
		}
		begin_anew(link);
	} while (--left && !share_round(link));
	status_set(st, "gloo: connecting: %s", *why ? why : "another rank could not");
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
	const struct link *link = of;
	snprintf(text, bytes, "transport=TCP on %s\n",
	         has_hosts(link->place.team) ? address_at(link) : "127.0.0.1");
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
	return nranks * share_bytes(nranks) + ADDRESS_BYTES;
}

static int gloo_open(const struct backend_place *place, struct backend_ctx **out, struct status *st)
{
	return blocking_open(&library, place, out, st);
}

const struct backend backend_gloo = {
    .name = "gloo",
    .summary = "Gloo over TCP, in CPU memory or staged through it",
    .costs = "Gloo, by which PyTorch trains on CPUs",
    .mend = "apt-get install libgloo-dev g++ && make",
    .is =
        {.carries_data = true, .connects = true, .blocks = true, .helpers = true, .traffics = true},
    .capacity = gloo_capacity,
    .supports = gloo_supports,
    .store_bytes = gloo_store_bytes,
    .open = gloo_open,
    BLOCKING_ROWS,
};
