/* Sockets that carry short messages between processes of one world, each bounded in bytes and time.
 * Never in a timed call.
 *
 * Whoever reaches a door may knock. A peer is let in only if it proves the world's secret, and so does
 * the door to the peer: each shows one half of it. The secret keeps strangers and other worlds out. It
 * is no encryption: whoever reads the network reads the secret and all messages.
 *
 * Deadlines are clock_now_ns(). All descriptors are close-on-exec; no call raises SIGPIPE. */
#ifndef LAUNCHGAP_WIRE_H
#define LAUNCHGAP_WIRE_H

#include "address.h"

#define WIRE_SECRET_BYTES 33 /* 32 hex digits and a 0 */
#define WIRE_HELLO_BYTES  32

/* Those who meet: `size` of them, with numbers from 0; 0 has the door. */
struct wire_world {
	const char *secret;
	const char *peer; /* what one is called in sentences: "rank", "host" */
	unsigned size;
};

/* A listening socket and its address as others reach it. */
struct wire_door {
	int fd;
	char address[ADDRESS_BYTES];
};

/* A new secret, from the kernel's random numbers. */
int wire_secret(char out[WIRE_SECRET_BYTES], struct status *st);
/* Opens a door at an address (port 0: any). The caller closes its fd. */
int wire_open(const char *address, struct wire_door *out, struct status *st);
/* Waits at the door until all others of the world have come; fds[1] … fds[size - 1] are then their
 * connections, which the caller closes, and fds[0] is -1. Strangers, silence, and peers of another
 * world are turned away and do not end it: 64 at a time, 2 s and WIRE_HELLO_BYTES each. A peer that
 * leaves early may come again. Two that claim one number end it at once. Of those that came, an error
 * leaves fds too, for a word to them; the others are -1. The door stays open. */
int wire_gather(int door, const struct wire_world *world, int64_t deadline_ns, int *fds,
                struct status *st);
/* Goes to the door as number `who`. Tries again until the deadline, as doors and names may come late;
 * ends at once if a door of another world answers. */
int wire_connect(const char *address, const struct wire_world *world, unsigned who,
                 int64_t deadline_ns, int *fd, struct status *st);
/* All bytes or an error. The error's text follows a name: "rank 3" + " " + "has left". */
int wire_send(int fd, const void *data, size_t bytes, int64_t deadline_ns, struct status *st);
int wire_recv(int fd, void *data, size_t bytes, int64_t deadline_ns, struct status *st);

/* What wire_connect sends first. */
void wire_hello(const struct wire_world *world, unsigned who, uint8_t hello[WIRE_HELLO_BYTES]);

#endif
