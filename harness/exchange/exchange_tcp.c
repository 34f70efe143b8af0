/* A star: all go through rank 0. Each message begins with what it is and how long, so that two that are
 * at different calls notice; an error of rank 0 goes to all as text. */
#include <endian.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../clock.h"
#include "../sanitize.h"
#include "door.h"
#include "exchange.h"

#define S_NS    ((int64_t)1000000000)
#define WORD_NS (1 * S_NS) /* for a last word to all */
/* How much longer the others wait: rank 0 then says who is missing before they give up. */
#define GRACE_NS (2 * S_NS)

enum kind { ALL = 0x1a0, FIRST, BEGIN, FAILED };

struct head {
	uint32_t kind, call, bytes; /* little-endian */
};

struct tcp {
	unsigned rank, size;
	int64_t limit_ns;
	uint32_t calls;     /* so far */
	struct wire *wires; /* by rank; of the others only rank 0's */
};

static void tcp_close(void *of)
{
	struct tcp *t = of;
	wire_free(t->wires, t->size);
	free(t);
}

static struct head head_of(const struct tcp *t, enum kind kind, size_t bytes)
{
	return (struct head){htole32(kind), htole32(t->calls), htole32((uint32_t)bytes)};
}

/* Sends a message, and words an error. Nothing more goes to whom a part of a message went. */
static int send_to(struct tcp *t, unsigned rank, enum kind kind, const void *data, size_t bytes,
                   int64_t deadline_ns, struct status *st)
{
	const struct head head = head_of(t, kind, bytes);
	struct status why = {""};
	if (!wire_send(&t->wires[rank], &head, sizeof head, deadline_ns, &why) &&
	    !wire_send(&t->wires[rank], data, bytes, deadline_ns, &why))
		return 0;
	shutdown(t->wires[rank].fd, SHUT_WR);
	return status_set(st, "rank %u %s", rank, why.text);
}

/* Why rank 0 fails, to all that are still there; whoever does not listen hears nothing. */
static void send_failure(struct tcp *t, const struct status *why)
{
	const int64_t deadline_ns = clock_now_ns() + WORD_NS;
	for (unsigned r = 1; r < t->size; r++) {
		struct status st = {""};
		if (t->wires[r].fd >= 0)
			send_to(t, r, FAILED, why->text, strlen(why->text), deadline_ns, &st);
	}
}

/* Whether a message is what this rank waits for. */
static int check_head(const struct tcp *t, unsigned rank, const struct head *head, enum kind kind,
                      size_t bytes, struct status *st)
{
	const struct head wanted = head_of(t, kind, bytes);
	if (!memcmp(head, &wanted, sizeof wanted))
		return 0;
	return status_set(st,
	                  "rank %u is at another exchange (number %u, kind %u, %u bytes) than rank "
	                  "%u (number %u, kind %u, %zu bytes): do all run the same launchgap?",
	                  rank, le32toh(head->call), le32toh(head->kind), le32toh(head->bytes),
	                  t->rank, t->calls, kind, bytes);
}

/* --- the others -------------------------------------------------------------------------------- */

/* A message of rank 0: the data, or why it failed. */
static int hear_first(struct tcp *t, enum kind kind, void *data, size_t bytes, struct status *st)
{
	const int64_t deadline_ns = clock_now_ns() + t->limit_ns + GRACE_NS;
	struct head head;
	struct status why = {""};
	if (wire_recv(&t->wires[0], &head, sizeof head, deadline_ns, &why))
		return status_set(st, "rank 0 %s", why.text);
	if (head.kind == htole32(FAILED)) {
		char text[sizeof st->text] = "";
		size_t n = le32toh(head.bytes);
		if (n >= sizeof text)
			n = sizeof text - 1;
		const bool heard = !wire_recv(&t->wires[0], text, n, deadline_ns, &why);
		sanitize_text(text);
		if (!heard || !text[strspn(text, " \t\n")])
			return status_set(st, "rank 0 failed, and does not say why");
		return status_set(st, "%s", text);
	}
	if (check_head(t, 0, &head, kind, bytes, st))
		return -1;
	if (wire_recv(&t->wires[0], data, bytes, deadline_ns, &why))
		return status_set(st, "rank 0 %s", why.text);
	return 0;
}

/* --- rank 0 ------------------------------------------------------------------------------------- */

/* What has come so far of one rank's message. */
struct part {
	struct head head;
	unsigned have; /* 1: the head; 2: the data too */
};

/* Takes what is there. 0, or -1: that rank ends it. */
static int hear_part(const struct tcp *t, unsigned rank, struct part *part, char *data,
                     size_t bytes, struct status *st)
{
	struct status why = {""};
	int moved = 1;
	while (part->have < 2 && moved) {
		moved = wire_move(&t->wires[rank], POLLIN, part->have ? data : (char *)&part->head,
		                  part->have ? bytes : sizeof part->head, &why);
		if (moved < 0)
			return status_set(st, "rank %u %s", rank, why.text);
		part->have += (unsigned)moved;
		if (moved && part->have == 1 && check_head(t, rank, &part->head, ALL, bytes, st))
			return -1;
	}
	return 0;
}

static int say_late(const struct tcp *t, const struct part *parts, struct status *st)
{
	char list[512] = "";
	unsigned late = 0;
	for (unsigned r = 1; r < t->size; r++)
		if (parts[r].have < 2)
			status_add(list, sizeof list, "%s%u", late++ ? ", " : "", r);
	return status_set(st, "rank%s %s did not answer within %.3g s", late > 1 ? "s" : "", list,
	                  (double)t->limit_ns / 1e9);
}

/* The parts of all others, in whatever order they come. */
static int hear_all(struct tcp *t, struct part *parts, struct pollfd *polls, char *all,
                    size_t bytes, struct status *st)
{
	const int64_t deadline_ns = clock_now_ns() + t->limit_ns;
	for (;;) {
		bool waiting = false;
		for (unsigned r = 0; r < t->size; r++) {
			const bool is_late = r && parts[r].have < 2;
			polls[r] =
			    (struct pollfd){.fd = is_late ? t->wires[r].fd : -1, .events = POLLIN};
			waiting |= is_late;
		}
		if (!waiting)
			return 0;
		const int64_t ms = (deadline_ns - clock_now_ns()) / 1000000;
		if (ms < 0)
			return say_late(t, parts, st);
		if (poll(polls, t->size, ms < INT_MAX ? (int)ms + 1 : INT_MAX) < 0 &&
		    errno != EINTR)
			return status_set(st, "poll: %s", strerror(errno));
		for (unsigned r = 1; r < t->size; r++)
			if (polls[r].fd >= 0 && polls[r].revents &&
			    hear_part(t, r, &parts[r], all + r * bytes, bytes, st))
				return -1;
	}
}

static int send_all(struct tcp *t, enum kind kind, const void *data, size_t bytes,
                    struct status *st)
{
	const int64_t deadline_ns = clock_now_ns() + t->limit_ns;
	for (unsigned r = 1; r < t->size; r++)
		if (send_to(t, r, kind, data, bytes, deadline_ns, st))
			return -1;
	return 0;
}

/* --- both ---------------------------------------------------------------------------------------- */

static int tcp_all(void *of, const void *mine, void *all, size_t bytes, struct status *st)
{
	struct tcp *t = of;
	t->calls++;
	if (t->rank) {
		const int64_t deadline_ns = clock_now_ns() + t->limit_ns;
		struct status why = {""};
		/* If rank 0 has failed, its last word is still to be read. */
		if (send_to(t, 0, ALL, mine, bytes, deadline_ns, &why))
			return hear_first(t, ALL, all, t->size * bytes, st)
			           ? -1
			           : status_set(st, "%s", why.text);
		return hear_first(t, ALL, all, t->size * bytes, st);
	}
	struct part *parts = calloc(t->size, sizeof *parts);
	struct pollfd *polls = calloc(t->size, sizeof *polls);
	memmove(all, mine, bytes);
	int failed = !parts || !polls ? status_set(st, "out of memory")
	                              : hear_all(t, parts, polls, all, bytes, st);
	free(parts);
	free(polls);
	if (!failed)
		failed = send_all(t, ALL, all, t->size * bytes, st);
	if (failed)
		send_failure(t, st);
	return failed;
}

static int tcp_first(void *of, void *data, size_t bytes, struct status *st)
{
	struct tcp *t = of;
	t->calls++;
	if (t->rank)
		return hear_first(t, FIRST, data, bytes, st);
	int failed = send_all(t, FIRST, data, bytes, st);
	if (failed)
		send_failure(t, st);
	return failed;
}

static const struct exchange_way way = {tcp_all, tcp_first, tcp_close};

/* Rank 0 lets the others in, and tells them when all are there. Takes the door; -1: opens one. */
static int gather(struct tcp *t, int door, const char *address, const struct door_world *world,
                  struct status *st)
{
	struct door_place own = {.fd = door, .address = ""};
	char listen[ADDRESS_BYTES];
	if (t->size == 1)
		return 0;
	if (door < 0 && (address_to_listen(address, listen, st) || door_open(listen, &own, st)))
		return -1;
	int failed = door_gather(own.fd, world, clock_now_ns() + t->limit_ns, t->wires, st);
	if (door < 0)
		close(own.fd);
	if (!failed)
		failed = send_all(t, BEGIN, NULL, 0, st);
	if (failed)
		send_failure(t, st);
	return failed;
}

static int meet(struct tcp *t, const struct exchange_seat *seat, struct status *st)
{
	const struct door_world world = {seat->secret, "rank", seat->size, NULL};
	if (!t->rank)
		return gather(t, seat->door, seat->address, &world, st);
	if (door_connect(seat->address, &world, t->rank, clock_now_ns() + t->limit_ns, &t->wires[0],
	                 st))
		return -1;
	return hear_first(t, BEGIN, NULL, 0, st);
}

int exchange_open_tcp(const struct exchange_seat *seat, struct exchange **out, struct status *st)
{
	struct tcp *t = NULL;
	int failed = -1;
	if (seat->rank >= seat->size)
		status_set(st, "this process is rank %u of a world of %u: ranks begin with 0",
		           seat->rank, seat->size);
	else if (!(t = calloc(1, sizeof *t)) || !(t->wires = wire_none(seat->size)))
		status_set(st, "out of memory");
	else {
		t->rank = seat->rank;
		t->size = seat->size;
		t->limit_ns = seat->timeout_s * S_NS;
		failed = meet(t, seat, st);
	}
	if (!seat->rank && seat->door >= 0)
		close(seat->door);
	if (failed) {
		if (t)
			tcp_close(t);
		return -1;
	}
	return exchange_make(&way, t, t->rank, t->size, seat->secret, out, st);
}
