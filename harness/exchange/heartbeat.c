#include "heartbeat.h"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "../clock.h"
#include "../memory.h"

#define ASK_MS 100

enum word { WORD_BEAT = 1, WORD_FAIL, WORD_BYE };

struct message {
	uint32_t word;
	char text[sizeof(struct status)];
};

struct peer {
	struct connection *connection;
	const char *name;
	bool gone; /* it said goodbye, or is lost */
	int64_t heard_ns;
	struct message in;
};

struct heartbeat {
	struct peers *link;
	unsigned silence_ms;
	const char *(*failure)(void *of);
	pthread_t thread;
	int wake;  /* an eventfd: stop */
	bool told; /* the first failure */
	unsigned npeers;
	struct peer *peers;
	struct pollfd *polled; /* the peers', and `wake` */
};

static void say(struct heartbeat *h, struct peer *to, enum word word, const char *text);

/* The first failure goes on to all but the peer that it came from. */
static void fail(struct heartbeat *h, const struct peer *from, const char *text)
{
	if (h->told)
		return;
	h->told = true;
	for (unsigned i = 0; i < h->npeers; i++)
		if (&h->peers[i] != from)
			say(h, &h->peers[i], WORD_FAIL, text);
	peers_break(h->link, text, true);
}

static void lose(struct heartbeat *h, struct peer *peer, const char *how)
{
	char text[sizeof(struct status)];
	peer->gone = true;
	snprintf(text, sizeof text, "%s: connection lost%s", peer->name, how);
	fail(h, peer, text);
}

/* The socket's buffer holds minutes of words. An ended connection is seen where it is read. */
static void say(struct heartbeat *h, struct peer *to, enum word word, const char *text)
{
	struct message out = {word, ""};
	struct status ignored = {""};
	if (to->gone)
		return;
	snprintf(out.text, sizeof out.text, "%s", text);
	if (!connection_move(to->connection, POLLOUT, &out, sizeof out, &ignored))
		lose(h, to, ": it takes no more messages");
}

static void hear(struct heartbeat *h, struct peer *peer)
{
	struct message *in = &peer->in;
	struct status ignored = {""};
	int moved = 0;
	while (!peer->gone &&
	       (moved = connection_move(peer->connection, POLLIN, in, sizeof *in, &ignored)) > 0) {
		peer->heard_ns = clock_now_ns();
		if (!in->word || in->word > WORD_BYE) {
			lose(h, peer, ": it sends what is no message");
			return;
		}
		in->text[sizeof in->text - 1] = '\0';
		if (in->word == WORD_FAIL)
			fail(h, peer, in->text);
		peer->gone |= in->word == WORD_BYE;
	}
	if (moved < 0 && !peer->gone)
		lose(h, peer, "");
}

static void ask(struct heartbeat *h)
{
	char text[sizeof(struct status)];
	const char *why = h->told ? NULL : h->failure(h->link->of);
	if (!why)
		return;
	peers_break(h->link, why, false); /* the first cause stays */
	snprintf(text, sizeof text, "%s: %s", h->link->names[h->link->me], why);
	fail(h, NULL, text);
}

/* Who was stopped himself, as by a debugger, blames nobody: he hears first what came meanwhile. */
static void check_silence(struct heartbeat *h, int64_t slept_ns)
{
	int64_t most = h->silence_ms * (int64_t)1000000, now = clock_now_ns();
	for (unsigned i = 0; i < h->npeers && slept_ns < most / 2; i++) {
		char how[64];
		snprintf(how, sizeof how, ": nothing heard for %g s", h->silence_ms / 1e3);
		if (!h->peers[i].gone && now - h->peers[i].heard_ns > most)
			lose(h, &h->peers[i], how);
	}
}

/* true: to stop. */
static bool sleep_and_hear(struct heartbeat *h, int timeout_ms)
{
	unsigned n = h->npeers;
	for (unsigned i = 0; i < n; i++)
		h->polled[i] =
		    (struct pollfd){h->peers[i].gone ? -1 : h->peers[i].connection->fd, POLLIN, 0};
	h->polled[n] = (struct pollfd){h->wake, POLLIN, 0};
	if (poll(h->polled, n + 1, timeout_ms) <= 0)
		return false;
	for (unsigned i = 0; i < n; i++)
		if (h->polled[i].revents)
			hear(h, &h->peers[i]);
	return h->polled[n].revents;
}

static void *watch(void *arg)
{
	struct heartbeat *h = arg;
	int64_t beat_ns = h->silence_ms * (int64_t)100000, woke = clock_now_ns(), next = woke;
	int ask_ms = beat_ns < ASK_MS * 1000000 ? (int)(beat_ns / 1000000) + 1 : ASK_MS;
	while (!sleep_and_hear(h, ask_ms)) {
		int64_t now = clock_now_ns();
		check_silence(h, now - woke);
		woke = now;
		ask(h);
		for (unsigned i = 0; now >= next && i < h->npeers; i++)
			say(h, &h->peers[i], WORD_BEAT, "");
		next = now >= next ? now + beat_ns : next;
	}
	ask(h);
	for (unsigned i = 0; i < h->npeers; i++)
		say(h, &h->peers[i], WORD_BYE, "");
	return NULL;
}

static void release(struct heartbeat *h)
{
	close(h->wake);
	free(h->peers);
	free(h->polled);
	free(h);
}

int heartbeat_start(struct peers *beats, struct peers *link, unsigned silence_ms,
                    const char *(*failure)(void *of), struct heartbeat **out, struct status *st)
{
	const int wake = eventfd(0, EFD_CLOEXEC);
	if (wake < 0)
		return status_set(st, "no descriptor for the heartbeat");
	struct heartbeat *h = memory_take(1, sizeof *h);
	*h = (struct heartbeat){.link = link,
	                        .silence_ms = silence_ms,
	                        .failure = failure,
	                        .wake = wake,
	                        .peers = memory_take(beats->size, sizeof *h->peers),
	                        .polled = memory_take(beats->size + 1, sizeof *h->polled)};
	for (unsigned i = 0; i < beats->size; i++)
		if (beats->connections[i].fd >= 0)
			h->peers[h->npeers++] = (struct peer){.connection = &beats->connections[i],
			                                      .name = link->names[i],
			                                      .heard_ns = clock_now_ns()};
	if (pthread_create(&h->thread, NULL, watch, h)) {
		release(h);
		return status_set(st, "no thread for the heartbeat can be started");
	}
	*out = h;
	return 0;
}

void heartbeat_stop(struct heartbeat *h)
{
	if (!h)
		return;
	eventfd_write(h->wake, 1);
	pthread_join(h->thread, NULL);
	release(h);
}
