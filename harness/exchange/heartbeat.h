/* Who is alive, and who failed: one thread, asleep in poll(), beside connections that carry nothing
 * else. It says a word to every peer each tenth of the silence that is allowed. It hears what peers
 * say, asks every 100 ms whether there is a failure here, and passes on the first failure of all.
 *
 * A peer is lost if its connection ends without a goodbye, or if nothing comes for silence_ms: a
 * machine that vanished, or a cut cable, ends no connection. */
#ifndef LAUNCHGAP_HEARTBEAT_H
#define LAUNCHGAP_HEARTBEAT_H

#include "wire.h"

#define HEARTBEAT_NAME_BYTES 64

struct heartbeat_peer {
	struct wire *wire;               /* the caller's, who closes it after heartbeat_stop */
	char name[HEARTBEAT_NAME_BYTES]; /* in sentences, "host b" */
};

struct heartbeat_place {
	const char *name; /* this one's, as others' sentences have it */
	const struct heartbeat_peer *peers;
	unsigned npeers; /* what one of them says of a failure is told to the others */
	unsigned silence_ms;
	/* Both are called from the thread. A failure here, or NULL; fail: of others, or of a
	 * connection, at most once: "host b: rank 5: …", "host b: connection lost". */
	const char *(*failure)(void *of);
	void (*fail)(void *of, const char *text);
	void *of;
};

struct heartbeat;
/* Copies the place. The caller ends it with heartbeat_stop. */
int heartbeat_start(const struct heartbeat_place *place, struct heartbeat **out, struct status *st);
/* Tells a failure that was not told yet, says goodbye and joins the thread. NULL is allowed. */
void heartbeat_stop(struct heartbeat *h);

#endif
