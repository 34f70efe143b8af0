#include "star.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../clock.h"

#define MS       ((int64_t)1000000)
#define SPIN_NS  MS          /* then a wait sleeps */
#define GRACE_NS (2000 * MS) /* for the heartbeat to say why a connection ended */

enum { WHOLE, BREAKING, BROKEN };

static const char lost[] = "connection lost";

/* What a host does that sends it. */
static const char *const kinds[LETTER_KINDS] = {
    [LETTER_WELCOME] = "opening", [LETTER_TURNED_AWAY] = "opening", [LETTER_PING] = "aligning",
    [LETTER_PONG] = "aligning",   [LETTER_POINT] = "aligning",      [LETTER_ARRIVED] = "meeting",
    [LETTER_GO] = "meeting",      [LETTER_PART] = "sharing",
};

/* --- failures ------------------------------------------------------------------------------ */

void star_break(struct star *s, const char *text, bool say)
{
	int whole = WHOLE;
	if (!atomic_compare_exchange_strong(&s->state, &whole, BREAKING)) {
		while (!star_is_broken(s)) /* another thread is about to have said why */
			sched_yield();
		return;
	}
	snprintf(s->broken, sizeof s->broken, "%s", text);
	/* Who sees that it is broken may rely on it that fail() heard why. */
	if (say && s->fail)
		s->fail(s->of, s->broken);
	atomic_store_explicit(&s->state, BROKEN, memory_order_release);
}

bool star_is_broken(const struct star *s)
{
	return atomic_load_explicit(&s->state, memory_order_acquire) == BROKEN;
}

int star_blame(struct star *s, unsigned host, const char *how)
{
	char text[sizeof s->broken];
	snprintf(text, sizeof text, "%s: %s", s->names[host], how);
	star_break(s, text, true);
	return -1;
}

/* A connection ended, or a host is where it should not be. The heartbeat knows why, or hears of it in a
 * moment: a host that fails says why before it goes. */
static int blame_later(struct star *s, unsigned host, const char *how)
{
	int64_t until = clock_now_ns() + GRACE_NS;
	while (s->watched && !star_is_broken(s) && clock_now_ns() < until)
		clock_sleep_until(clock_now_ns() + MS);
	return star_blame(s, host, how);
}

/* --- letters ------------------------------------------------------------------------------- */

void star_pause(const struct star *s)
{
	if (s->yield)
		sched_yield();
	else
		clock_relax();
}

/* What may move now: bytes, 0: none yet, -1: the connection ended. */
static ssize_t try_move(int fd, short way, char *at, size_t bytes)
{
	ssize_t n = way == POLLIN ? recv(fd, at, bytes, MSG_DONTWAIT)
	                          : send(fd, at, bytes, MSG_DONTWAIT | MSG_NOSIGNAL);
	if (n > 0)
		return n;
	return n < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : -1;
}

int star_move(struct star *s, unsigned host, short way, void *data, size_t bytes)
{
	struct pollfd polled = {s->fds[host], way, 0};
	char *at = data;
	int64_t since = clock_now_ns();
	while (bytes && !star_is_broken(s)) {
		ssize_t n = try_move(s->fds[host], way, at, bytes);
		if (n < 0)
			return blame_later(s, host, lost);
		if (n > 0) {
			at += n;
			bytes -= (size_t)n;
			since = clock_now_ns();
			continue;
		}
		int64_t waited = clock_now_ns() - since;
		if (!s->watched && waited > s->silence_ms * MS)
			return star_blame(s, host, "nothing came in time");
		if (waited < SPIN_NS)
			star_pause(s);
		else
			poll(&polled, 1, 100);
	}
	return bytes ? -1 : 0;
}

int star_put(struct star *s, unsigned host, const struct letter *letter, const void *data)
{
	if (star_move(s, host, POLLOUT, (void *)(uintptr_t)letter, sizeof *letter))
		return -1;
	return data ? star_move(s, host, POLLOUT, (void *)(uintptr_t)data, letter->bytes) : 0;
}

int star_check(struct star *s, unsigned host, const struct letter *letter, enum letter_kind kind)
{
	char how[200];
	uint32_t is = letter->kind < LETTER_KINDS ? letter->kind : 0;
	if (is == kind && letter->step == s->step)
		return 0;
	if (is == LETTER_TURNED_AWAY)
		return star_blame(s, host, "not all hosts came");
	snprintf(how, sizeof how, "it is at step %u (%s), and %s at step %u (%s)", letter->step,
	         is ? kinds[is] : "what is no letter", s->names[s->host], s->step, kinds[kind]);
	return blame_later(s, host, how);
}

int star_take(struct star *s, unsigned host, enum letter_kind kind, struct letter *out)
{
	if (star_move(s, host, POLLIN, out, sizeof *out))
		return -1;
	return star_check(s, host, out, kind);
}

int star_look(struct star *s, unsigned host, enum letter_kind kind)
{
	struct inbox *in = &s->inboxes[host];
	ssize_t n = try_move(s->fds[host], POLLIN, (char *)&in->letter + in->have,
	                     sizeof in->letter - in->have);
	if (n < 0)
		return blame_later(s, host, lost);
	in->have += (size_t)n;
	if (in->have < sizeof in->letter)
		return 0;
	in->have = 0;
	return star_check(s, host, &in->letter, kind) ? -1 : 1;
}

/* --- opening ------------------------------------------------------------------------------- */

static void close_all(int *fds, unsigned n)
{
	for (unsigned i = 0; fds && i < n; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	free(fds);
}

void star_close(struct star *s)
{
	close_all(s->fds, s->nhosts);
	close_all(s->beats, s->nhosts);
	free(s->names);
	free(s->inboxes);
}

static int *no_fds(unsigned n)
{
	int *fds = malloc(n * sizeof *fds);
	for (unsigned i = 0; fds && i < n; i++)
		fds[i] = -1;
	return fds;
}

static int allocate(const struct star_place *place, struct star *out, struct status *st)
{
	*out = (struct star){.host = place->host,
	                     .nhosts = place->nhosts,
	                     .yield = place->yield,
	                     .silence_ms = place->silence_ms};
	out->names = calloc(place->nhosts, sizeof *out->names);
	out->fds = no_fds(place->nhosts);
	out->beats = no_fds(place->nhosts);
	out->inboxes = calloc(place->nhosts, sizeof *out->inboxes);
	if (!out->names || !out->fds || !out->beats || !out->inboxes)
		return status_set(st, "out of memory for a link of %u hosts", place->nhosts);
	return 0;
}

static void name_host(struct star *s, unsigned host, const char *name)
{
	if (name && *name)
		snprintf(s->names[host], sizeof *s->names, "host %s", name);
	else
		snprintf(s->names[host], sizeof *s->names, "host %u", host);
}

/* The caller's error, with the name of the host that it is about. */
static int say_who(const struct star *s, unsigned host, const struct status *why, struct status *st)
{
	return status_set(st, "%s %s", s->names[host], why->text);
}

/* Those who came hear why nothing comes of it. */
static void turn_away(const struct star *s, const struct status *why)
{
	struct letter letter = {.kind = LETTER_TURNED_AWAY};
	char text[sizeof why->text];
	snprintf(text, sizeof text, "%s", why->text);
	letter.bytes = strlen(text);
	for (unsigned host = 1; host < s->nhosts; host++) {
		struct status none = {""};
		int64_t soon = clock_now_ns() + 100 * MS;
		if (s->fds[host] >= 0 &&
		    !wire_send(s->fds[host], &letter, sizeof letter, soon, &none))
			wire_send(s->fds[host], text, letter.bytes, soon, &none);
	}
}

/* Names go both ways over the first connection; the second is the heartbeat's. */
static int open_first(struct star *s, const struct star_place *place, int64_t deadline_ns,
                      struct status *st)
{
	const struct wire_world world = {place->secret, "host", s->nhosts};
	const struct letter welcome = {.kind = LETTER_WELCOME, .bytes = sizeof *s->names};
	if (wire_gather(place->door, &world, deadline_ns, s->fds, st))
		return -1;
	for (unsigned host = 1; host < s->nhosts; host++) {
		struct status why = {""};
		if (wire_recv(s->fds[host], s->names[host], sizeof *s->names, deadline_ns, &why))
			return say_who(s, host, &why, st);
		s->names[host][sizeof *s->names - 1] = '\0';
	}
	for (unsigned host = 1; host < s->nhosts; host++) {
		struct status why = {""};
		if (wire_send(s->fds[host], &welcome, sizeof welcome, deadline_ns, &why) ||
		    wire_send(s->fds[host], s->names[0], sizeof *s->names, deadline_ns, &why))
			return say_who(s, host, &why, st);
	}
	return wire_gather(place->door, &world, deadline_ns, s->beats, st);
}

static int hear_welcome(struct star *s, int64_t deadline_ns, struct status *st)
{
	struct letter letter;
	struct status why = {""};
	char text[sizeof why.text] = "";
	/* Host 0 waits until then, and says who is missing. */
	if (wire_recv(s->fds[0], &letter, sizeof letter, deadline_ns + 1000 * MS, &why))
		return say_who(s, 0, &why, st);
	bool welcome = letter.kind == LETTER_WELCOME && letter.bytes == sizeof *s->names;
	if (letter.kind != LETTER_TURNED_AWAY && !welcome)
		return status_set(st, "host 0 does not answer as this launchgap does");
	size_t bytes = letter.bytes < sizeof text ? letter.bytes : sizeof text - 1;
	if (wire_recv(s->fds[0], text, bytes, deadline_ns + 1000 * MS, &why))
		return say_who(s, 0, &why, st);
	if (!welcome)
		return status_set(st, "host 0: %s", text);
	snprintf(s->names[0], sizeof *s->names, "%s", text);
	return 0;
}

static int open_other(struct star *s, const struct star_place *place, int64_t deadline_ns,
                      struct status *st)
{
	const struct wire_world world = {place->secret, "host", s->nhosts};
	unsigned own = s->host;
	struct status why = {""};
	if (wire_connect(place->address, &world, own, deadline_ns, &s->fds[0], st))
		return -1;
	if (wire_send(s->fds[0], s->names[own], sizeof *s->names, deadline_ns, &why))
		return say_who(s, 0, &why, st);
	if (hear_welcome(s, deadline_ns, st))
		return -1;
	return wire_connect(place->address, &world, own, deadline_ns, &s->beats[0], st);
}

int star_open(const struct star_place *place, int64_t deadline_ns, struct star *out,
              struct status *st)
{
	if (allocate(place, out, st))
		return -1;
	name_host(out, 0, NULL);
	name_host(out, place->host, place->name);
	if (place->nhosts == 1)
		return 0;
	if (place->host)
		return open_other(out, place, deadline_ns, st);
	int failed = open_first(out, place, deadline_ns, st);
	if (failed)
		turn_away(out, st);
	return failed;
}
