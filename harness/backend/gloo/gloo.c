/* The gloo backend: Gloo's collectives over TCP, of one host on loopback. Ranks find each other
 * through the team's store: a share per rank, where it listens for each other of its group; this
 * host's address. */
#include "../../exchange/hosts_link.h"
#include "../../memory.h"
#include "../../part.h"
#include "../blocking/blocking.h"

#include <dlfcn.h>

#include "gloo_calls.h"

#define MOST_RANKS 128 /* each holds two sockets to every other one */
#define TRIES      3   /* to connect */
#define TIMEOUT_S  120 /* of one call; a cell's own timeout may be sooner */

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

/* --- the team's store --- */

static size_t share_bytes(unsigned nranks)
{
	return nranks * sizeof(struct gloo_address);
}

static struct gloo_address *share_of(struct team *team, unsigned rank)
{
	return (struct gloo_address *)team_store(team) + (size_t)rank * team_shape(team)->nranks;
}

static char *host_address(struct team *team)
{
	return (char *)share_of(team, team_shape(team)->nranks);
}

static const char *listens_at(struct team *team)
{
	return team_here(team) < team_shape(team)->nworkers ? host_address(team) : "127.0.0.1";
}

/* From where this rank listens for each to where each does for this one. All read before one
 * connects again. */
static int swap_addresses(const struct blocking_place *p, struct gloo_address *addresses)
{
	const unsigned nranks = team_shape(p->team)->nranks;
	memcpy(share_of(p->team, p->rank), addresses, p->n * sizeof *addresses);
	if (team_share_parts(p->team, team_store(p->team), share_bytes(nranks)))
		return -1;
	for (unsigned i = 0; i < p->n; i++)
		addresses[i] = share_of(p->team, split_peer(p->split, nranks, p->color, i))[p->me];
	return team_meet(p->team);
}

/* --- struct blocking_library --- */

/* A stranger at a rank's port has a peer's place: all connect again, at other ports. */
static int connect_all(const struct gloo_part *part, const struct blocking_place *p,
                       struct gloo_address *addresses, void **link, struct status *st)
{
	char why[COLL_CALL_WHY] = "another rank could not";
	if (team_hosts_link(p->team))
		hosts_link_address(team_hosts_link(p->team), host_address(p->team));
	if (team_meet(p->team))
		return status_set(st, "gloo: the team failed before it connected");
	for (unsigned left = TRIES; left; left--) {
		bool connected;
		if (part->listen((int)p->me, (int)p->n, listens_at(p->team), TIMEOUT_S, link,
		                 addresses, why))
			return status_set(st, "gloo: listening: %s", why);
		if (swap_addresses(p, addresses) ||
		    team_agree(p->team, p->rank, !part->connect(*link, addresses, why), &connected))
			return status_set(st, "gloo: the team failed while it connected");
		if (connected)
			return 0;
		part->calls.disconnect(*link);
		*link = NULL;
	}
	return status_set(st, "gloo: connecting: %s", why);
}

static int gloo_connect(const struct blocking_place *place, const struct coll_calls **calls,
                        void **link, struct status *st)
{
	void *library; /* stays: what it is linked with ends no thread where it is closed */
	const struct gloo_part *part = load(&library, st);
	struct gloo_address *addresses = memory_take(place->n, sizeof *addresses);
	int result = part ? connect_all(part, place, addresses, link, st) : -1;
	free(addresses);
	*calls = part ? &part->calls : NULL;
	return result;
}

static const char *gloo_refuses(const struct settings *set)
{
	if (set->layout.ranks_per_thread > 1)
		return "its calls block, so one thread cannot make those of several ranks; allowed "
		       "are mode = threads and processes";
	return layout_ranks(set->layout) > MOST_RANKS
	           ? "every rank has sockets to every other one; allowed are 128 ranks"
	           : NULL;
}

static void gloo_describe(struct team *team, char *text, size_t bytes)
{
	snprintf(text, bytes, "transport=TCP on %s\n", listens_at(team));
}

const struct blocking_library blocking_gloo = {
    .name = "gloo",
    .reduces = BLOCKING_REDUCES | 1u << DTYPE_FLOAT16,
    .reduces_else = "Gloo reduces no bfloat16 and no 8-bit floats; allowed are integers, float16, "
                    "float32 and float64",
    .refuses = gloo_refuses,
    .connect = gloo_connect,
    .describe = gloo_describe,
};

unsigned gloo_capacity(struct status *st)
{
	void *loaded = NULL;
	if (!load(&loaded, st))
		return 0;
	dlclose(loaded);
	return UINT_MAX;
}

size_t gloo_store_bytes(const struct trial *trial)
{
	unsigned nranks = layout_ranks(trial->settings.layout);
	return nranks * share_bytes(nranks) + ADDRESS_BYTES;
}
