/* Who is alive, and who failed: one thread, asleep in poll(). It says a word to every peer each
 * tenth of silence_ms, hears them, asks every 100 ms whether there is a failure here, and passes on
 * the first of all. A peer is lost if its connection ends without a goodbye, or if it says
 * nothing for silence_ms: a cut cable ends no connection. */
#pragma once

#include "peers.h"

/* beats: connections for this alone. link: hears of failures of others and of lost connections.
 * failure: one here, or NULL. The caller closes both after heartbeat_stop. */
struct heartbeat;
int heartbeat_start(struct peers *beats, struct peers *link, unsigned silence_ms,
                    const char *(*failure)(void *of), struct heartbeat **out, struct status *st);
/* Tells a failure that was not told yet, says goodbye and joins the thread. NULL is allowed. */
void heartbeat_stop(struct heartbeat *h);
