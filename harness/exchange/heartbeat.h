/* Who is alive, and who failed: one thread, asleep in poll(), beside connections that carry nothing
 * else. It says a word to every peer each tenth of the silence that is allowed. It hears what peers
 * say, asks every 100 ms whether there is a failure here, and passes on the first failure of all.
 *
 * A peer is lost if its connection ends without a goodbye, or if nothing comes for silence_ms: a
 * machine that vanished, or a cut cable, ends no connection. */
#ifndef LAUNCHGAP_HEARTBEAT_H
#define LAUNCHGAP_HEARTBEAT_H

#include "peers.h"

struct heartbeat_place {
	struct peers *peers; /* the caller's, who closes them after heartbeat_stop */
	unsigned silence_ms;
	/* Both are called from the thread. What a peer says of a failure is told to the others. A failure here, or NULL; fail: of others, or of a
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
