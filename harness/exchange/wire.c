#include "wire.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../clock.h"

#define MS_NS ((int64_t)1000000)

#define GUESTS    64 /* at the door at a time */
#define GUEST_NS  (2000 * MS_NS)
#define ANSWER_NS (3000 * MS_NS) /* where the door has other addresses to try */
#define PAUSE_NS  (10 * MS_NS)   /* between tries; grows to */
#define PAUSES_NS (200 * MS_NS)
#define NAMED     16 /* missing peers in a sentence */
#define HALF      16 /* hex digits */

/* What both sides show: the first half of the secret at the door, the second as its answer. */
struct hello {
	char magic[8], half[HALF];
	uint32_t who, size; /* little-endian */
};
_Static_assert(sizeof(struct hello) == WIRE_HELLO_BYTES, "no padding");
static const char calls[8] = "lgcall1", answers[8] = "lganswr";

/* The answer's `who`. */
enum answer { WELCOME, OTHER_WORLD, OTHER_SIZE, NO_SUCH_NUMBER, TAKEN };

/* --- bytes in time ------------------------------------------------------------------------- */

/* Waits for one of `events` on fd; 0, or -1 when it is too late. What is there already is never late. */
static int wait_for(int fd, short events, int64_t deadline_ns)
{
	struct pollfd one = {.fd = fd, .events = events};
	for (;;) {
		const int64_t left = deadline_ns - clock_now_ns();
		const int64_t ms = left > 0 ? left / MS_NS + 1 : 0;
		int n = poll(&one, 1, ms > INT_MAX ? INT_MAX : (int)ms);
		if (n > 0 || (n < 0 && errno != EINTR))
			return 0; /* the call itself says what is wrong */
		if (left <= 0)
			return -1;
	}
}

static bool is_later(int error)
{
	return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
}

int wire_send(int fd, const void *data, size_t bytes, int64_t deadline_ns, struct status *st)
{
	const char *from = data;
	while (bytes) {
		ssize_t n = send(fd, from, bytes, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (n > 0) {
			from += n;
			bytes -= (size_t)n;
		} else if (n < 0 && !is_later(errno)) {
			return status_set(st, "has left (%s)", strerror(errno));
		} else if (wait_for(fd, POLLOUT, deadline_ns)) {
			return status_set(st, "took nothing in time");
		}
	}
	return 0;
}

int wire_recv(int fd, void *data, size_t bytes, int64_t deadline_ns, struct status *st)
{
	char *to = data;
	while (bytes) {
		ssize_t n = recv(fd, to, bytes, MSG_DONTWAIT);
		if (n > 0) {
			to += n;
			bytes -= (size_t)n;
		} else if (n == 0) {
			return status_set(st, "has left");
		} else if (!is_later(errno)) {
			return status_set(st, "has left (%s)", strerror(errno));
		} else if (wait_for(fd, POLLIN, deadline_ns)) {
			return status_set(st, "said nothing in time");
		}
	}
	return 0;
}

/* --- secrets -------------------------------------------------------------------------------- */

int wire_secret(char out[WIRE_SECRET_BYTES], struct status *st)
{
	uint8_t random[(WIRE_SECRET_BYTES - 1) / 2];
	if (getrandom(random, sizeof random, 0) != sizeof random)
		return status_set(st, "the kernel gives no random numbers: %s", strerror(errno));
	for (size_t i = 0; i < sizeof random; i++)
		snprintf(out + 2 * i, 3, "%02x", random[i]);
	return 0;
}

static int check_world(const struct wire_world *world, struct status *st)
{
	const char *secret = world->secret ? world->secret : "";
	if (strlen(secret) != 2 * HALF || strspn(secret, "0123456789abcdef") != 2 * HALF)
		return status_set(st,
		                  "the secret of this world has %zu characters; wanted are %d "
		                  "of 0-9 and a-f",
		                  strlen(secret), 2 * HALF);
	return 0;
}

/* Takes as long for a half that is nearly right as for any other. */
static bool is_half(const char *shown, const char *secret)
{
	unsigned other = 0;
	for (int i = 0; i < HALF; i++)
		other |= (unsigned)(shown[i] ^ secret[i]);
	return !other;
}

void wire_hello(const struct wire_world *world, unsigned who, uint8_t hello[WIRE_HELLO_BYTES])
{
	struct hello h = {.who = htole32(who), .size = htole32(world->size)};
	memcpy(h.magic, calls, sizeof h.magic);
	memcpy(h.half, world->secret, HALF);
	memcpy(hello, &h, sizeof h);
}

/* --- the door ------------------------------------------------------------------------------- */

/* A descriptor, or -errno. */
static int listen_at(const struct addrinfo *a)
{
	const int yes = 1, no = 0;
	int fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
	if (a->ai_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no);
	if (!bind(fd, a->ai_addr, a->ai_addrlen) && !listen(fd, SOMAXCONN))
		return fd;
	const int error = errno;
	close(fd);
	return -error;
}

int wire_open(const char *address, struct wire_door *out, struct status *st)
{
	char any[ADDRESS_BYTES], port[8];
	const bool is_any = address_is_any(address, port);
	const char *at = address;
	struct addrinfo *found;
	int fd = -EADDRNOTAVAIL;
	/* IPv6 and IPv4 together; IPv4 where the kernel has no IPv6. */
	snprintf(any, sizeof any, "[::]:%s,0.0.0.0:%s", port, port);
	if (is_any)
		at = any;
	do {
		if (address_resolve(&at, &found, st))
			return -1;
		for (struct addrinfo *a = found; a && fd < 0; a = a->ai_next)
			fd = listen_at(a);
		freeaddrinfo(found);
	} while (*at && fd < 0 && fd != -EADDRINUSE);
	if (fd == -EADDRINUSE)
		return status_set(st,
		                  "%s%s is taken by another process, which may be of another "
		                  "world; give this one another port",
		                  is_any ? "port " : "", is_any ? port : address);
	if (fd < 0)
		return status_set(st, "%s cannot be listened at: %s", address, strerror(-fd));
	out->fd = fd;
	(is_any ? address_list : address_of)(fd, out->address);
	return 0;
}

struct guest {
	int fd;
	size_t got;
	uint8_t said[WIRE_HELLO_BYTES];
	int64_t until_ns;
};

/* Who is at the door, and who came in. */
struct hall {
	int door;
	const struct wire_world *world;
	int *fds;
	unsigned in; /* of size - 1 */
	struct guest guests[GUESTS];
	unsigned nguests; /* oldest first */
	struct pollfd *polls;
	unsigned strangers, others, left; /* turned away; of other worlds; came and left */
	unsigned other_size;              /* that one with this secret says; 0: none */
};

static void answer(struct hall *hall, int fd, enum answer what)
{
	struct hello h = {.who = htole32(what), .size = htole32(hall->world->size)};
	memcpy(h.magic, answers, sizeof h.magic);
	/* Who does not know the first half does not get the second. */
	if (what != OTHER_WORLD)
		memcpy(h.half, hall->world->secret + HALF, HALF);
	send(fd, &h, sizeof h, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void forget_guest(struct hall *hall, unsigned i)
{
	hall->nguests--;
	memmove(&hall->guests[i], &hall->guests[i + 1],
	        (hall->nguests - i) * sizeof hall->guests[i]);
}

static void drop_guest(struct hall *hall, unsigned i)
{
	close(hall->guests[i].fd);
	forget_guest(hall, i);
	hall->strangers++;
}

static bool has_left(int fd)
{
	struct pollfd one = {.fd = fd, .events = POLLRDHUP};
	return poll(&one, 1, 0) > 0;
}

static void let_go(struct hall *hall, unsigned who)
{
	close(hall->fds[who]);
	hall->fds[who] = -1;
	hall->in--;
	hall->left++;
}

static int say_taken(struct hall *hall, unsigned who, int fd, struct status *st)
{
	char first[ADDRESS_BYTES], second[ADDRESS_BYTES];
	address_of_peer(hall->fds[who], first);
	address_of_peer(fd, second);
	return status_set(st, "two processes say that they are %s %u of %u: from %s and from %s",
	                  hall->world->peer, who, hall->world->size, first, second);
}

/* Who said all takes a place or goes. Closes fd or keeps it. */
static int judge(struct hall *hall, int fd, const uint8_t said[WIRE_HELLO_BYTES], struct status *st)
{
	struct hello h;
	int failed = 0;
	memcpy(&h, said, sizeof h);
	const unsigned who = le32toh(h.who), size = le32toh(h.size);
	enum answer what = WELCOME;
	if (!is_half(h.half, hall->world->secret)) {
		what = OTHER_WORLD;
		hall->others++;
	} else if (size != hall->world->size) {
		what = OTHER_SIZE;
		hall->other_size = size;
	} else if (!who || who >= size) {
		what = NO_SUCH_NUMBER;
		hall->strangers++;
	} else if (hall->fds[who] >= 0 && !has_left(hall->fds[who])) {
		what = TAKEN;
		failed = say_taken(hall, who, fd, st);
	} else if (hall->fds[who] >= 0) {
		let_go(hall, who);
	}
	answer(hall, fd, what);
	if (what != WELCOME) {
		close(fd);
		return failed;
	}
	hall->fds[who] = fd;
	hall->in++;
	return 0;
}

/* What a guest has said so far. 0, also if it is gone; -1: the world fails. */
static int hear_guest(struct hall *hall, unsigned i, struct status *st)
{
	struct guest *g = &hall->guests[i];
	ssize_t n = recv(g->fd, g->said + g->got, sizeof g->said - g->got, MSG_DONTWAIT);
	if (n < 0 && is_later(errno))
		return 0;
	if (n <= 0) {
		drop_guest(hall, i);
		return 0;
	}
	g->got += (size_t)n;
	/* No secret of ours is worth waiting for where the first bytes are others'. */
	if (memcmp(g->said, calls, g->got < sizeof calls ? g->got : sizeof calls)) {
		drop_guest(hall, i);
		return 0;
	}
	if (g->got < sizeof g->said)
		return 0;
	const struct guest whole = *g;
	forget_guest(hall, i);
	return judge(hall, whole.fd, whole.said, st);
}

/* Those who knock: what they said already counts before the next comes. */
static int let_knock(struct hall *hall, struct status *st)
{
	const int yes = 1;
	for (unsigned n = 0; n < GUESTS; n++) {
		if (hall->nguests == GUESTS)
			drop_guest(hall, 0);
		int fd = accept4(hall->door, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (fd < 0 && (errno == EMFILE || errno == ENFILE) && hall->nguests) {
			drop_guest(hall, 0);
			continue;
		}
		if (fd < 0 && (errno == EMFILE || errno == ENFILE || errno == EBADF ||
		               errno == EINVAL || errno == ENOTSOCK))
			return status_set(st, "the door takes no more connections after %u: %s%s",
			                  hall->in, strerror(errno),
			                  errno == EMFILE ? " (ulimit -n)" : "");
		if (fd < 0)
			return 0;
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
		hall->guests[hall->nguests++] =
		    (struct guest){.fd = fd, .until_ns = clock_now_ns() + GUEST_NS};
		if (hear_guest(hall, hall->nguests - 1, st))
			return -1;
	}
	return 0;
}

/* One look at all sockets, asleep until something happens or the time is over. */
static int attend(struct hall *hall, int64_t deadline_ns, struct status *st)
{
	const unsigned size = hall->world->size, n = hall->nguests;
	struct pollfd *guests = hall->polls + size;
	int64_t until = deadline_ns;
	/* The place of 0 is that of the door. */
	for (unsigned who = 0; who < size; who++)
		hall->polls[who] = (struct pollfd){.fd = who ? hall->fds[who] : hall->door,
		                                   .events = who ? POLLRDHUP : POLLIN};
	for (unsigned i = 0; i < n; i++) {
		guests[i] = (struct pollfd){.fd = hall->guests[i].fd, .events = POLLIN};
		if (hall->guests[i].until_ns < until)
			until = hall->guests[i].until_ns;
	}
	const int64_t left = until - clock_now_ns();
	const int64_t ms = left > 0 ? left / MS_NS + 1 : 0;
	if (poll(hall->polls, size + n, ms > INT_MAX ? INT_MAX : (int)ms) < 0)
		return errno == EINTR ? 0 : status_set(st, "poll: %s", strerror(errno));
	for (unsigned who = 1; who < size; who++)
		if (hall->fds[who] >= 0 && hall->polls[who].revents)
			let_go(hall, who);
	/* From the last: those behind it keep their places. */
	for (unsigned i = n; i-- > 0;) {
		if (guests[i].revents) {
			if (hear_guest(hall, i, st))
				return -1;
		} else if (hall->guests[i].until_ns <= clock_now_ns()) {
			drop_guest(hall, i);
		}
	}
	return hall->polls[0].revents ? let_knock(hall, st) : 0;
}

/* What was waited, in the unit that follows: the deadline came a moment after it was set. */
static const char *unit_of(int64_t ns)
{
	return ns < 950 * MS_NS ? "ms" : "s";
}

static double in_unit(int64_t ns)
{
	return (double)ns / (ns < 950 * MS_NS ? 1e6 : 1e9);
}

static int say_missing(const struct hall *hall, int64_t waited_ns, struct status *st)
{
	const unsigned missing = hall->world->size - 1 - hall->in;
	unsigned named = 0;
	char text[sizeof st->text];
	snprintf(text, sizeof text, "%s%s ", hall->world->peer, missing > 1 ? "s" : "");
	for (unsigned who = 1; who < hall->world->size && named < NAMED; who++)
		if (hall->fds[who] < 0)
			status_add(text, sizeof text, "%s%u", named++ ? ", " : "", who);
	if (missing > named)
		status_add(text, sizeof text, " and %u others", missing - named);
	status_add(text, sizeof text, " did not come within %.0f %s", in_unit(waited_ns),
	           unit_of(waited_ns));
	if (hall->left)
		status_add(text, sizeof text, "; %u came and left", hall->left);
	if (hall->others)
		status_add(text, sizeof text, "; %u with another secret turned away", hall->others);
	if (hall->other_size)
		status_add(text, sizeof text, "; one came that expects a world of %u, not of %u",
		           hall->other_size, hall->world->size);
	if (hall->strangers)
		status_add(text, sizeof text, "; %u stranger%s turned away", hall->strangers,
		           hall->strangers > 1 ? "s" : "");
	return status_set(st, "%s", text);
}

int wire_gather(int door, const struct wire_world *world, int64_t deadline_ns, int *fds,
                struct status *st)
{
	const int64_t begin_ns = clock_now_ns();
	int failed = check_world(world, st);
	for (unsigned who = 0; who < world->size; who++)
		fds[who] = -1;
	if (failed)
		return -1;
	struct hall hall = {.door = door, .world = world, .fds = fds};
	hall.polls = calloc(world->size + GUESTS, sizeof *hall.polls);
	if (!hall.polls)
		return status_set(st, "out of memory");
	fcntl(door, F_SETFL, fcntl(door, F_GETFL) | O_NONBLOCK);
	while (!failed && hall.in + 1 < world->size) {
		if (clock_now_ns() >= deadline_ns)
			failed = say_missing(&hall, deadline_ns - begin_ns, st);
		else
			failed = attend(&hall, deadline_ns, st);
	}
	while (hall.nguests)
		drop_guest(&hall, 0);
	free(hall.polls);
	return failed;
}

/* --- the way to the door -------------------------------------------------------------------- */

enum outcome { IN, AGAIN, ELSEWHERE, OUT };

/* What the door says to us. */
static enum outcome hear_answer(const struct hello *h, const char *at,
                                const struct wire_world *world, unsigned who, struct status *again,
                                struct status *st)
{
	if (memcmp(h->magic, answers, sizeof h->magic)) {
		status_set(again, "what answers there is not launchgap");
		return AGAIN;
	}
	if (le32toh(h->who) == OTHER_WORLD) {
		again->text[0] = '\0'; /* says more than that another address refused */
		status_set(again, "at %s another world answers: its secret is another", at);
		return ELSEWHERE;
	}
	if (!is_half(h->half, world->secret + HALF)) {
		status_set(again, "what answers there does not know the secret");
		return AGAIN;
	}
	switch (le32toh(h->who)) {
	case WELCOME:
		return IN;
	case OTHER_SIZE:
		status_set(st,
		           "at %s a world of %u meets; %s %u was started in one of %u: start all "
		           "with one size",
		           at, le32toh(h->size), world->peer, who, world->size);
		return OUT;
	case TAKEN:
		status_set(st, "another process came to %s as %s %u of %u already", at, world->peer,
		           who, world->size);
		return OUT;
	default:
		status_set(st, "at %s there is no place for %s %u in a world of %u", at,
		           world->peer, who, world->size);
		return OUT;
	}
}

/* A connection, or -1 and why not. */
static int reach(const struct addrinfo *a, int64_t deadline_ns, struct status *again)
{
	const int yes = 1;
	int error = 0;
	socklen_t bytes = sizeof error;
	int fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return status_set(again, "%s", strerror(errno));
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
	if (connect(fd, a->ai_addr, a->ai_addrlen) && errno != EINPROGRESS)
		error = errno;
	else if (wait_for(fd, POLLOUT, deadline_ns))
		error = ETIMEDOUT;
	else
		getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &bytes);
	if (!error)
		return fd;
	close(fd);
	return status_set(again, "%s", strerror(error));
}

/* One try at one address. */
static enum outcome knock(const struct addrinfo *a, const struct wire_world *world, unsigned who,
                          int64_t deadline_ns, int *out, struct status *again, struct status *st)
{
	struct hello h;
	char at[ADDRESS_BYTES];
	uint8_t hello[WIRE_HELLO_BYTES];
	int fd = reach(a, deadline_ns, again);
	if (fd < 0)
		return AGAIN;
	address_of_peer(fd, at);
	wire_hello(world, who, hello);
	enum outcome outcome = AGAIN;
	struct status why = {""};
	if (wire_send(fd, hello, sizeof hello, deadline_ns, &why) ||
	    wire_recv(fd, &h, sizeof h, deadline_ns, &why))
		status_set(again, "who answers there %s", why.text);
	else
		outcome = hear_answer(&h, at, world, who, again, st);
	if (outcome == IN)
		*out = fd;
	else
		close(fd);
	return outcome;
}

/* One try at all addresses of a list. Hosts may have an address in common (a bridge of containers),
 * so that another world at one of several is no answer yet. */
static enum outcome knock_all(const char *list, const struct wire_world *world, unsigned who,
                              int64_t deadline_ns, int *out, struct status *again,
                              struct status *st)
{
	enum outcome outcome = AGAIN;
	const bool several = strchr(list, ',');
	while (*list && outcome == AGAIN) {
		struct addrinfo *found;
		if (address_resolve(&list, &found, again))
			continue;
		for (struct addrinfo *a = found; a && outcome == AGAIN; a = a->ai_next) {
			int64_t until = clock_now_ns() + ANSWER_NS;
			if ((!several && !found->ai_next) || until > deadline_ns)
				until = deadline_ns;
			outcome = knock(a, world, who, until, out, again, st);
			if (outcome == ELSEWHERE && several)
				outcome = AGAIN;
		}
		freeaddrinfo(found);
	}
	if (outcome == ELSEWHERE)
		status_set(st, "%s", again->text);
	return outcome;
}

int wire_connect(const char *address, const struct wire_world *world, unsigned who,
                 int64_t deadline_ns, int *fd, struct status *st)
{
	const int64_t begin_ns = clock_now_ns();
	int64_t pause = PAUSE_NS;
	struct status again;
	if (check_world(world, st))
		return -1;
	for (;;) {
		again.text[0] = '\0';
		enum outcome outcome = knock_all(address, world, who, deadline_ns, fd, &again, st);
		if (outcome != AGAIN)
			return outcome == IN ? 0 : -1;
		if (clock_now_ns() + pause >= deadline_ns)
			break;
		clock_sleep_until(clock_now_ns() + pause);
		pause = 2 * pause < PAUSES_NS ? 2 * pause : PAUSES_NS;
	}
	return status_set(st, "%s 0 did not answer at %s within %.0f %s: %s", world->peer, address,
	                  in_unit(deadline_ns - begin_ns), unit_of(deadline_ns - begin_ns),
	                  again.text[0] ? again.text : "the address is empty");
}
