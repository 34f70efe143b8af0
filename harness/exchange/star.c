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
#include "door.h"

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

/* What may move now of a message: 1: all; 0: not yet. -1: the connection is of no more use. */
static int try_move(struct star *s, unsigned host, short way, void *data, size_t bytes)
{
	struct status why = {""};
	const int moved = wire_move(&s->wires[host], way, data, bytes, &why);
	return moved < 0 ? blame_later(s, host, lost) : moved;
}

int star_move(struct star *s, unsigned host, short way, void *data, size_t bytes)
{
	struct pollfd polled = {s->wires[host].fd, way, 0};
	const struct wire_way *at = way == POLLIN ? &s->wires[host].in : &s->wires[host].out;
	size_t were = at->moved;
	int64_t since = clock_now_ns();
	while (!star_is_broken(s)) {
		const int moved = try_move(s, host, way, data, bytes);
		if (moved)
			return moved < 0 ? -1 : 0;
		if (at->moved != were) {
			were = at->moved;
			since = clock_now_ns();
		}
		int64_t waited = clock_now_ns() - since;
		if (!s->watched && waited > s->silence_ms * MS)
			return star_blame(s, host, "nothing came in time");
		if (waited < SPIN_NS)
			star_pause(s);
		else
			poll(&polled, 1, 100);
	}
	return -1;
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
	struct letter *in = &s->inboxes[host];
	const int moved = try_move(s, host, POLLIN, in, sizeof *in);
	return moved > 0 && star_check(s, host, in, kind) ? -1 : moved;
}

/* --- opening ------------------------------------------------------------------------------- */

void star_close(struct star *s)
{
	wire_free(s->wires, s->nhosts);
	wire_free(s->beats, s->nhosts);
	free(s->names);
	free(s->inboxes);
}

static int allocate(const struct star_place *place, struct star *out, struct status *st)
{
	*out = (struct star){.host = place->host,
	                     .nhosts = place->nhosts,
	                     .yield = place->yield,
	                     .silence_ms = place->silence_ms};
	out->names = calloc(place->nhosts, sizeof *out->names);
	out->wires = wire_none(place->nhosts);
	out->beats = wire_none(place->nhosts);
	out->inboxes = calloc(place->nhosts, sizeof *out->inboxes);
	if (!out->names || !out->wires || !out->beats || !out->inboxes)
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
		if (s->wires[host].fd >= 0 &&
		    !wire_send(&s->wires[host], &letter, sizeof letter, soon, &none))
			wire_send(&s->wires[host], text, letter.bytes, soon, &none);
	}
}

/* Names go both ways over the first connection; the second is the heartbeat's. */
static int open_first(struct star *s, const struct star_place *place, int64_t deadline_ns,
                      struct status *st)
{
	const struct door_world world = {place->secret, "host", s->nhosts, NULL};
	const struct letter welcome = {.kind = LETTER_WELCOME, .bytes = sizeof *s->names};
	if (door_gather(place->door, &world, deadline_ns, s->wires, st))
		return -1;
	for (unsigned host = 1; host < s->nhosts; host++) {
		struct status why = {""};
		if (wire_recv(&s->wires[host], s->names[host], sizeof *s->names, deadline_ns, &why))
			return say_who(s, host, &why, st);
		s->names[host][sizeof *s->names - 1] = '\0';
	}
	for (unsigned host = 1; host < s->nhosts; host++) {
		struct status why = {""};
		if (wire_send(&s->wires[host], &welcome, sizeof welcome, deadline_ns, &why) ||
		    wire_send(&s->wires[host], s->names[0], sizeof *s->names, deadline_ns, &why))
			return say_who(s, host, &why, st);
	}
	return door_gather(place->door, &world, deadline_ns, s->beats, st);
}

static int hear_welcome(struct star *s, int64_t deadline_ns, struct status *st)
{
	struct letter letter;
	struct status why = {""};
	char text[sizeof why.text] = "";
	/* Host 0 waits until then, and says who is missing. */
	if (wire_recv(&s->wires[0], &letter, sizeof letter, deadline_ns + 1000 * MS, &why))
		return say_who(s, 0, &why, st);
	bool welcome = letter.kind == LETTER_WELCOME && letter.bytes == sizeof *s->names;
	if ((letter.kind != LETTER_TURNED_AWAY && !welcome) || letter.bytes >= sizeof text)
		return status_set(st, "host 0 does not answer as this launchgap does");
	if (wire_recv(&s->wires[0], text, letter.bytes, deadline_ns + 1000 * MS, &why))
		return say_who(s, 0, &why, st);
	if (!welcome)
		return status_set(st, "host 0: %s", text);
	snprintf(s->names[0], sizeof *s->names, "%s", text);
	return 0;
}

static int open_other(struct star *s, const struct star_place *place, int64_t deadline_ns,
                      struct status *st)
{
	const struct door_world world = {place->secret, "host", s->nhosts, NULL};
	unsigned own = s->host;
	struct status why = {""};
	if (door_connect(place->address, &world, own, deadline_ns, &s->wires[0], st))
		return -1;
	if (wire_send(&s->wires[0], s->names[own], sizeof *s->names, deadline_ns, &why))
		return say_who(s, 0, &why, st);
	if (hear_welcome(s, deadline_ns, st))
		return -1;
	return door_connect(place->address, &world, own, deadline_ns, &s->beats[0], st);
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
