/* How processes of one world meet, over TCP. A peer proves the world's secret to the door, and the
 * door to the peer: by BLAKE2b, keyed by it, of the role, the peer's number, the world's size and a
 * nonce of each; so are the keys of the connection made. The secret never travels, and what one
 * said proves nothing a second time. */
#pragma once

#include "address.h"
#include "connection.h"

/* Those who meet: `size` of them, with numbers from 0; 0 has the door. */
struct door_world {
	const char *secret;
	const char *peer; /* what one is called in sentences: "rank", "host" */
	unsigned size;
	const char *why; /* there are so many: who waits says it after 5 s; NULL: it says nothing */
};

struct door_place {
	int fd;
	char address[ADDRESS_BYTES];
};

/* Opens a door at an address (port 0: any). The caller closes its fd. */
int door_open(const char *address, struct door_place *out, struct status *st);
/* Waits for all others; out[1] … out[size - 1] are their connections, which the caller closes,
 * after an error too. Strangers, silence, peers of another world and a second one of a number are
 * turned away: 64 at a time, 2 s each. Who leaves may come again. */
int door_gather(int door, const struct door_world *world, int64_t deadline_ns,
                struct connection *out, struct status *st);
/* As number `who`. Tries until the deadline; ends at once at another secret or no address. */
int door_connect(const char *address, const struct door_world *world, unsigned who,
                 int64_t deadline_ns, struct connection *out, struct status *st);
