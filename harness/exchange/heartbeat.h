/* Who is alive, and who failed: one thread, asleep in poll(), beside connections that carry nothing
 * else. It says a word to every peer each tenth of the silence that is allowed. It hears what peers
 * say, asks every 100 ms whether there is a failure here, and passes on the first failure of all.
 *
 * A peer is lost if its connection ends without a goodbye, or if nothing comes for silence_ms: a
 * machine that vanished, or a cut cable, ends no connection. */
#ifndef LAUNCHGAP_HEARTBEAT_H
#define LAUNCHGAP_HEARTBEAT_H

#include "peers.h"

/* beats: connections for this alone. link: hears of a failure of others, or of a connection: "host b: rank 5: …",
 * "host b: connection lost". failure: one here, or NULL; asked from the thread. The caller ends it with
 * heartbeat_stop, and closes both afterwards. */
struct heartbeat;
int heartbeat_start(struct peers *beats, struct peers *link, unsigned silence_ms,
                    const char *(*failure)(void *of), struct heartbeat **out, struct status *st);
/* Tells a failure that was not told yet, says goodbye and joins the thread. NULL is allowed. */
void heartbeat_stop(struct heartbeat *h);

#endif
