#include "door.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sodium.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../clock.h"
#include "../memory.h"

#define MS_NS ((int64_t)1000000)

#define GUESTS    64 /* at the door at a time */
#define GUEST_NS  (2000 * MS_NS)
#define ANSWER_NS (3000 * MS_NS) /* where the door has other addresses to try */
#define PAUSE_NS  (10 * MS_NS)   /* between tries; grows to */
#define PAUSES_NS (200 * MS_NS)
#define NAMED     16             /* missing peers in a sentence */
#define SAYS_NS   (5000 * MS_NS) /* then who waits says for whom */
#define NONCE     32

/* What a peer says first, and what the door answers. */
struct hello {
	char magic[8];
	uint32_t who, size; /* little-endian */
	uint8_t nonce[NONCE];
};
struct challenge {
	char magic[8];
	uint8_t nonce[NONCE], proof[CONNECTION_KEY_BYTES];
};
/* What follows of the peer is its proof; of the door its answer, the connection's first message. */
struct answer {
	uint32_t what, size; /* little-endian */
};
_Static_assert(sizeof(struct hello) == 48 && sizeof(struct challenge) == 72, "no padding");
static const char calls[8] = "lgcall2", answers[8] = "lganswr";
enum answers { WELCOME, OTHER_SIZE, NO_SUCH_NUMBER, TAKEN };

static int check_world(const struct door_world *world, struct status *st)
{
	const char *secret = world->secret ? world->secret : "";
	const size_t digits = CONNECTION_SECRET_BYTES - 1;
	if (strlen(secret) != digits || strspn(secret, "0123456789abcdef") != digits)
		return status_set(
		    st,
		    "the secret of this world has %zu characters; wanted are %zu of 0-9 and a-f",
		    strlen(secret), digits);
	return sodium_init() < 0 ? status_set(st, "the kernel gives no random numbers") : 0;
}

/* What only who has the secret can make of a call and its answer, each for a purpose. */
enum purpose { PEER_PROVES, DOOR_PROVES, PEER_SENDS, DOOR_SENDS };
struct talk {
	struct hello hello;
	uint8_t nonce[NONCE]; /* the door's */
};

static void make_key(const struct door_world *world, const struct talk *talk, enum purpose purpose,
                     uint8_t out[CONNECTION_KEY_BYTES])
{
	uint8_t all[1 + sizeof *talk] = {(uint8_t)purpose};
	memcpy(all + 1, talk, sizeof *talk);
	connection_prove(world->secret, all, sizeof all, out, CONNECTION_KEY_BYTES);
}

static bool proves(const struct door_world *world, const struct talk *talk, enum purpose purpose,
                   const uint8_t proof[CONNECTION_KEY_BYTES])
{
	uint8_t right[CONNECTION_KEY_BYTES];
	make_key(world, talk, purpose, right);
	return !sodium_memcmp(proof, right, sizeof right);
}

static struct connection make_connection(const struct door_world *world, const struct talk *talk,
                                         int fd, bool is_door)
{
	struct connection w = {.fd = fd};
	make_key(world, talk, PEER_SENDS, is_door ? w.in.key : w.out.key);
	make_key(world, talk, DOOR_SENDS, is_door ? w.out.key : w.in.key);
	return w;
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

int door_open(const char *address, struct door_place *out, struct status *st)
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
	if (is_any)
		address_list(fd, out->address);
	else
		address_of(fd, false, out->address);
	return 0;
}

struct guest {
	int fd;
	struct talk talk;
	uint8_t proof[CONNECTION_KEY_BYTES];
	size_t got; /* of the hello and the proof */
	int64_t until_ns;
};

/* Who is at the door, and who came in. */
struct hall {
	int door;
	const struct door_world *world;
	struct connection *in;
	unsigned nin; /* of size - 1 */
	struct guest guests[GUESTS];
	unsigned nguests; /* oldest first */
	struct pollfd *polls;
	unsigned strangers, others, left; /* turned away; without a proof; came and left */
	unsigned other_size;              /* that one with this secret says; 0: none */
	struct status twice;              /* the last that came with the number of one that is in */
};

static void forget_guest(struct hall *hall, unsigned i)
{
	hall->nguests--;
	memmove(&hall->guests[i], &hall->guests[i + 1],
	        (hall->nguests - i) * sizeof hall->guests[i]);
}

static void drop_guest(struct hall *hall, unsigned i)
{
	const struct guest *g = &hall->guests[i];
	close(g->fd);
	if (g->got < sizeof g->talk.hello)
		hall->strangers++;
	else
		hall->others++;
	forget_guest(hall, i);
}

/* Who has said nothing whole goes first. */
static void make_room(struct hall *hall)
{
	unsigned i = 0;
	while (i < hall->nguests && hall->guests[i].got >= sizeof(struct hello))
		i++;
	drop_guest(hall, i < hall->nguests ? i : 0);
}

static void let_go(struct hall *hall, unsigned who)
{
	close(hall->in[who].fd);
	hall->in[who].fd = -1;
	hall->nin--;
	hall->left++;
}

/* The door proves itself first: to everybody, of a nonce that serves one guest. */
static void challenge(const struct hall *hall, struct guest *g)
{
	struct challenge c;
	memcpy(c.magic, answers, sizeof c.magic);
	randombytes_buf(g->talk.nonce, sizeof g->talk.nonce);
	memcpy(c.nonce, g->talk.nonce, sizeof c.nonce);
	make_key(hall->world, &g->talk, DOOR_PROVES, c.proof);
	send(g->fd, &c, sizeof c, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static enum answers find_place(struct hall *hall, unsigned who, unsigned size, int fd)
{
	char first[ADDRESS_BYTES], second[ADDRESS_BYTES];
	if (size != hall->world->size) {
		hall->other_size = size;
		return OTHER_SIZE;
	}
	if (!who || who >= size) {
		hall->strangers++;
		return NO_SUCH_NUMBER;
	}
	if (hall->in[who].fd < 0)
		return WELCOME;
	if (poll(&(struct pollfd){.fd = hall->in[who].fd, .events = POLLRDHUP}, 1, 0) > 0) {
		let_go(hall, who);
		return WELCOME;
	}
	address_of(hall->in[who].fd, true, first);
	address_of(fd, true, second);
	hall->twice.text[0] = '\0';
	status_set(&hall->twice, "two processes say that they are %s %u of %u: from %s and from %s",
	           hall->world->peer, who, size, first, second);
	return TAKEN;
}

static void judge(struct hall *hall, const struct guest *g)
{
	const unsigned who = le32toh(g->talk.hello.who), size = le32toh(g->talk.hello.size);
	const enum answers what = find_place(hall, who, size, g->fd);
	const struct answer answer = {htole32(what), htole32(hall->world->size)};
	struct connection w = make_connection(hall->world, &g->talk, g->fd, true);
	struct status ignored = {""};
	connection_send(&w, &answer, sizeof answer, 0, &ignored);
	if (what == WELCOME) {
		hall->in[who] = w;
		hall->nin++;
	} else {
		close(g->fd);
	}
}

static void hear_guest(struct hall *hall, unsigned i)
{
	struct guest *g = &hall->guests[i];
	struct hello *hello = &g->talk.hello;
	const bool greets = g->got < sizeof *hello;
	uint8_t *to = greets ? (uint8_t *)hello + g->got : g->proof + (g->got - sizeof *hello);
	const size_t whole_bytes = sizeof *hello + (greets ? 0 : sizeof g->proof);
	ssize_t n = recv(g->fd, to, whole_bytes - g->got, MSG_DONTWAIT);
	if (n < 0 && connection_is_later(errno))
		return;
	if (n > 0)
		g->got += (size_t)n;
	/* The first bytes say whether the rest is worth waiting for. */
	const bool calls_us =
	    !memcmp(hello->magic, calls, g->got < sizeof calls ? g->got : sizeof calls);
	if (n > 0 && calls_us && g->got < sizeof *hello + sizeof g->proof) {
		if (greets && g->got == sizeof *hello)
			challenge(hall, g);
		return;
	}
	if (n <= 0 || !calls_us || !proves(hall->world, &g->talk, PEER_PROVES, g->proof)) {
		drop_guest(hall, i);
		return;
	}
	const struct guest whole = *g;
	forget_guest(hall, i);
	judge(hall, &whole);
}

/* Those who knock: what they said already counts before the next comes. */
static int let_knock(struct hall *hall, struct status *st)
{
	const int yes = 1;
	for (unsigned n = 0; n < GUESTS; n++) {
		if (hall->nguests == GUESTS)
			make_room(hall);
		int fd = accept4(hall->door, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (fd < 0 && (errno == EMFILE || errno == ENFILE) && hall->nguests) {
			make_room(hall);
			continue;
		}
		if (fd < 0 && (errno == EMFILE || errno == ENFILE || errno == EBADF ||
		               errno == EINVAL || errno == ENOTSOCK))
			return status_set(st, "the door takes no more connections after %u: %s%s",
			                  hall->nin, strerror(errno),
			                  errno == EMFILE ? " (ulimit -n)" : "");
		if (fd < 0)
			return 0;
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
		hall->guests[hall->nguests++] =
		    (struct guest){.fd = fd, .until_ns = clock_now_ns() + GUEST_NS};
		hear_guest(hall, hall->nguests - 1);
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
		hall->polls[who] = (struct pollfd){.fd = who ? hall->in[who].fd : hall->door,
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
		if (hall->in[who].fd >= 0 && hall->polls[who].revents)
			let_go(hall, who);
	/* From the last: those that follow it keep their places. */
	for (unsigned i = n; i-- > 0;) {
		if (guests[i].revents)
			hear_guest(hall, i);
		else if (hall->guests[i].until_ns <= clock_now_ns())
			drop_guest(hall, i);
	}
	return hall->polls[0].revents ? let_knock(hall, st) : 0;
}

/* What was waited: the deadline came a moment after it was set. */
static double in_seconds(int64_t ns)
{
	return (double)(ns + MS_NS) / 1e9;
}

static void list_missing(const struct hall *hall, char *text, size_t bytes)
{
	const unsigned missing = hall->world->size - 1 - hall->nin;
	unsigned named = 0;
	snprintf(text, bytes, "%s%s ", hall->world->peer, missing > 1 ? "s" : "");
	for (unsigned who = 1; who < hall->world->size && named < NAMED; who++)
		if (hall->in[who].fd < 0)
			status_add(text, bytes, "%s%u", named++ ? ", " : "", who);
	if (missing > named)
		status_add(text, bytes, " and %u others", missing - named);
}

static int say_missing(const struct hall *hall, int64_t waited_ns, struct status *st)
{
	char text[sizeof st->text];
	list_missing(hall, text, sizeof text);
	status_add(text, sizeof text, " did not come within %.3g s", in_seconds(waited_ns));
	if (hall->left)
		status_add(text, sizeof text, "; %u came and left", hall->left);
	if (hall->others)
		status_add(text, sizeof text, "; %u turned away without a proof of the secret",
		           hall->others);
	if (hall->other_size)
		status_add(text, sizeof text, "; one came that expects a world of %u, not of %u",
		           hall->other_size, hall->world->size);
	if (hall->strangers)
		status_add(text, sizeof text, "; %u stranger%s turned away", hall->strangers,
		           hall->strangers > 1 ? "s" : "");
	if (hall->twice.text[0])
		status_add(text, sizeof text, "; %s", hall->twice.text);
	if (hall->world->why)
		status_add(text, sizeof text, "; %s", hall->world->why);
	return status_set(st, "%s", text);
}

/* Once, of a world that says why it is so large. *at_ns: when; afterwards never. */
static bool is_long(const struct door_world *world, int64_t *at_ns)
{
	if (!world->why || clock_now_ns() < *at_ns)
		return false;
	*at_ns = INT64_MAX;
	return true;
}

int door_gather(int door, const struct door_world *world, int64_t deadline_ns,
                struct connection *out, struct status *st)
{
	const int64_t begin_ns = clock_now_ns();
	int64_t say_ns = world->why ? begin_ns + SAYS_NS : INT64_MAX;
	int failed = check_world(world, st);
	for (unsigned who = 0; who < world->size; who++)
		out[who].fd = -1;
	if (failed)
		return -1;
	struct hall hall = {.door = door, .world = world, .in = out};
	hall.polls = memory_take(world->size + GUESTS, sizeof *hall.polls);
	fcntl(door, F_SETFL, fcntl(door, F_GETFL) | O_NONBLOCK);
	while (!failed && hall.nin + 1 < world->size) {
		char missing[512];
		list_missing(&hall, missing, sizeof missing);
		if (is_long(world, &say_ns))
			status_say("launchgap: still waiting for %s: %s", missing, world->why);
		if (clock_now_ns() >= deadline_ns)
			failed = say_missing(&hall, deadline_ns - begin_ns, st);
		else
			failed = attend(&hall, say_ns < deadline_ns ? say_ns : deadline_ns, st);
	}
	while (hall.nguests)
		drop_guest(&hall, 0);
	free(hall.polls);
	return failed;
}

/* --- the way to the door -------------------------------------------------------------------- */

enum outcome { IN, AGAIN, ELSEWHERE, OUT };

struct visit {
	const struct door_world *world;
	unsigned who;
	char at[ADDRESS_BYTES]; /* of the door at hand */
	struct connection *out;
	struct status again, *st; /* why it is tried again; why not */
};

static enum outcome hear_answer(const struct answer *a, const struct visit *v)
{
	const char *peer = v->world->peer;
	const unsigned size = v->world->size, what = le32toh(a->what);
	if (what == WELCOME)
		return IN;
	if (what == OTHER_SIZE)
		status_set(v->st,
		           "at %s a world of %u meets; %s %u was started in one of %u: start all "
		           "with one size",
		           v->at, le32toh(a->size), peer, v->who, size);
	else if (what == TAKEN)
		status_set(v->st, "another process came to %s as %s %u of %u already", v->at, peer,
		           v->who, size);
	else
		status_set(v->st, "at %s there is no place for %s %u in a world of %u", v->at, peer,
		           v->who, size);
	return OUT;
}

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
	else if (connection_wait(fd, POLLOUT, deadline_ns))
		error = ETIMEDOUT;
	else
		getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &bytes);
	if (!error)
		return fd;
	close(fd);
	return status_set(again, "%s", strerror(error));
}

/* All bytes as they are, of a connection without keys yet. */
static int take_raw(int fd, void *data, size_t bytes, int64_t deadline_ns, struct status *st)
{
	for (size_t got = 0; got < bytes;) {
		ssize_t n = recv(fd, (char *)data + got, bytes - got, MSG_DONTWAIT);
		if (n > 0)
			got += (size_t)n;
		else if (n == 0 || !connection_is_later(errno))
			return status_set(st, n ? "has left (%s)" : "has left", strerror(errno));
		else if (connection_wait(fd, POLLIN, deadline_ns))
			return status_set(st, "said nothing in time");
	}
	return 0;
}

/* why: of who answers; NULL: it is another program. */
static enum outcome try_again(struct visit *v, const char *why)
{
	status_set(&v->again, why ? "who answers there %s" : "what answers there is not launchgap",
	           why);
	return AGAIN;
}

/* Each proves itself to the other. Short words, which a fresh connection takes at once. */
static enum outcome introduce(int fd, struct visit *v, int64_t deadline_ns)
{
	struct talk talk = {.hello = {.who = htole32(v->who), .size = htole32(v->world->size)}};
	struct challenge c;
	struct answer answer;
	struct status why = {""};
	uint8_t proof[CONNECTION_KEY_BYTES];
	memcpy(talk.hello.magic, calls, sizeof calls);
	randombytes_buf(talk.hello.nonce, sizeof talk.hello.nonce);
	send(fd, &talk.hello, sizeof talk.hello, MSG_NOSIGNAL | MSG_DONTWAIT);
	if (take_raw(fd, &c, sizeof c.magic, deadline_ns, &why))
		return try_again(v, why.text);
	if (memcmp(c.magic, answers, sizeof c.magic))
		return try_again(v, NULL);
	if (take_raw(fd, c.nonce, sizeof c - sizeof c.magic, deadline_ns, &why))
		return try_again(v, why.text);
	memcpy(talk.nonce, c.nonce, sizeof talk.nonce);
	if (!proves(v->world, &talk, DOOR_PROVES, c.proof)) {
		v->again.text[0] = '\0'; /* says more than that another address refused */
		status_set(&v->again,
		           "at %s another world or a stranger answers: it does not prove this "
		           "world's secret",
		           v->at);
		return ELSEWHERE;
	}
	make_key(v->world, &talk, PEER_PROVES, proof);
	send(fd, proof, sizeof proof, MSG_NOSIGNAL | MSG_DONTWAIT);
	*v->out = make_connection(v->world, &talk, fd, false);
	if (connection_recv(v->out, &answer, sizeof answer, deadline_ns, &why))
		return try_again(v, why.text);
	return hear_answer(&answer, v);
}

static enum outcome knock(const struct addrinfo *a, struct visit *v, int64_t deadline_ns)
{
	int fd = reach(a, deadline_ns, &v->again);
	if (fd < 0)
		return AGAIN;
	address_of(fd, true, v->at);
	enum outcome outcome = introduce(fd, v, deadline_ns);
	if (outcome != IN) {
		close(fd);
		v->out->fd = -1;
	}
	return outcome;
}

/* All addresses of a list. Hosts may share one (a bridge): another world there is no answer. */
static enum outcome knock_all(const char *list, struct visit *v, int64_t deadline_ns)
{
	enum outcome outcome = AGAIN;
	const bool several = strchr(list, ',');
	v->again.text[0] = '\0';
	while (*list && outcome == AGAIN) {
		struct addrinfo *found;
		if (address_resolve(&list, &found, &v->again))
			continue;
		for (struct addrinfo *a = found; a && outcome == AGAIN; a = a->ai_next) {
			int64_t until = clock_now_ns() + ANSWER_NS;
			if ((!several && !found->ai_next) || until > deadline_ns)
				until = deadline_ns;
			outcome = knock(a, v, until);
			if (outcome == ELSEWHERE && several)
				outcome = AGAIN;
		}
		freeaddrinfo(found);
	}
	if (outcome == ELSEWHERE)
		status_set(v->st, "%s", v->again.text);
	return outcome;
}

int door_connect(const char *address, const struct door_world *world, unsigned who,
                 int64_t deadline_ns, struct connection *out, struct status *st)
{
	const int64_t begin_ns = clock_now_ns();
	int64_t pause = PAUSE_NS, say_ns = begin_ns + SAYS_NS;
	struct visit v = {.world = world, .who = who, .out = out, .st = st};
	out->fd = -1;
	if (check_world(world, st) || address_check(address, st))
		return -1;
	for (;;) {
		const enum outcome outcome = knock_all(address, &v, deadline_ns);
		if (outcome != AGAIN)
			return outcome == IN ? 0 : -1;
		if (is_long(world, &say_ns))
			status_say("launchgap: %s %u of %u still waits for %s 0 at %s (%s): %s",
			           world->peer, who, world->size, world->peer, address,
			           v.again.text, world->why);
		if (clock_now_ns() + pause >= deadline_ns)
			break;
		clock_sleep_until(clock_now_ns() + pause);
		pause = 2 * pause < PAUSES_NS ? 2 * pause : PAUSES_NS;
	}
	return status_set(st, "%s 0 did not answer at %s within %.3g s: %s%s%s", world->peer,
	                  address, in_seconds(deadline_ns - begin_ns), v.again.text,
	                  world->why ? "; " : "", world->why ? world->why : "");
}
