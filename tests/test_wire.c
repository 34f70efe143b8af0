/* The door of a world: who comes in, who is turned away, and what is said of those that are missing. */
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../harness/clock.h"
#include "../harness/exchange/wire.h"
#include "test.h"

#define S_NS  ((int64_t)1000000000)
#define MS_NS ((int64_t)1000000)
#define MOST  8

static char secret[WIRE_SECRET_BYTES];
static struct wire_door door;
static int fds[MOST];

static struct wire_world world_of(unsigned size)
{
	return (struct wire_world){.secret = secret, .peer = "rank", .size = size};
}

static int64_t in_ms(int64_t ms)
{
	return clock_now_ns() + ms * MS_NS;
}

/* A peer in its own thread. */
struct peer {
	struct wire_world world;
	const char *address;
	unsigned who;
	int64_t deadline_ns;
	pthread_t thread;
	int fd, failed;
	struct status st;
};

static void *go(void *of)
{
	struct peer *p = of;
	p->failed = wire_connect(p->address, &p->world, p->who, p->deadline_ns, &p->fd, &p->st);
	return NULL;
}

static void peer_start(struct peer *p, struct wire_world world, const char *address, unsigned who,
                       int64_t ms)
{
	*p = (struct peer){
	    .world = world, .address = address, .who = who, .deadline_ns = in_ms(ms), .fd = -1};
	assert_int_equal(pthread_create(&p->thread, NULL, go, p), 0);
}

static void peer_join(struct peer *p)
{
	pthread_join(p->thread, NULL);
	if (p->fd >= 0)
		close(p->fd);
}

/* A raw connection to the door. */
static int call(const char *said, size_t bytes)
{
	const char *list = door.address;
	struct addrinfo *found;
	struct status st = {""};
	assert_works(address_resolve(&list, &found, &st), st);
	int fd = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(connect(fd, found->ai_addr, found->ai_addrlen), 0);
	freeaddrinfo(found);
	if (bytes)
		assert_int_equal(send(fd, said, bytes, MSG_NOSIGNAL), bytes);
	return fd;
}

static unsigned open_fds(void)
{
	unsigned n = 0;
	for (int fd = 0; fd < 1024; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

static int fresh(void **state)
{
	struct status st = {""};
	(void)state;
	for (unsigned i = 0; i < MOST; i++)
		fds[i] = -1;
	assert_works(wire_secret(secret, &st), st);
	assert_works(wire_open("127.0.0.1:0", &door, &st), st);
	return 0;
}

static int clear(void **state)
{
	(void)state;
	close(door.fd);
	for (unsigned i = 0; i < MOST; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	return 0;
}

TEST(all_come_in_and_talk)
{
	const struct wire_world world = world_of(4);
	struct peer peers[4];
	struct status st = {""};
	for (unsigned i = 1; i < 4; i++)
		peer_start(&peers[i], world, door.address, i, 60000);
	assert_works(wire_gather(door.fd, &world, in_ms(60000), fds, &st), st);
	for (unsigned i = 1; i < 4; i++) {
		unsigned said = 40 + i, heard = 0;
		pthread_join(peers[i].thread, NULL);
		assert_works(peers[i].failed, peers[i].st);
		assert_works(wire_send(peers[i].fd, &said, sizeof said, in_ms(1000), &st), st);
		assert_works(wire_recv(fds[i], &heard, sizeof heard, in_ms(1000), &st), st);
		assert_int_equal(heard, said);
		assert_true(fcntl(peers[i].fd, F_GETFD) & FD_CLOEXEC);
		assert_true(fcntl(fds[i], F_GETFD) & FD_CLOEXEC);
		close(peers[i].fd);
	}
	assert_int_equal(fds[0], -1);
}

/* A raw caller that says whole words of a peer, which wait at the door until it is opened. */
static int call_as(const char *with, unsigned who, unsigned size)
{
	const struct wire_world said = {with, "rank", size};
	uint8_t hello[WIRE_HELLO_BYTES];
	wire_hello(&said, who, hello);
	return call((char *)hello, sizeof hello);
}

/* Who, and what else is known; for how long is a moment less than was asked for. */
static void assert_missing(const struct status *st, const char *who, const char *rest)
{
	char text[sizeof st->text];
	unsigned ms;
	const char *at = strstr(st->text, " within ");
	assert_non_null(at);
	assert_int_equal(sscanf(at, " within %u ms", &ms), 1);
	snprintf(text, sizeof text, "%s did not come within %u ms%s", who, ms, rest);
	assert_string_equal(st->text, text);
}

TEST(who_is_missing_is_named)
{
	const struct wire_world world = world_of(6);
	static const unsigned come[] = {1, 2, 4};
	int callers[3];
	struct status st = {""};
	for (unsigned i = 0; i < 3; i++)
		callers[i] = call_as(secret, come[i], 6);
	assert_int_equal(wire_gather(door.fd, &world, in_ms(100), fds, &st), -1);
	assert_missing(&st, "ranks 3, 5", "");
	for (unsigned i = 0; i < 3; i++) {
		assert_true(fds[come[i]] >= 0); /* a word to it is possible */
		close(callers[i]);
	}
	assert_int_equal(fds[3], -1);
}

TEST(many_that_are_missing_are_counted)
{
	static int many[100];
	const struct wire_world world = {secret, "host", 100};
	struct status st = {""};
	assert_int_equal(wire_gather(door.fd, &world, in_ms(10), many, &st), -1);
	assert_missing(
	    &st, "hosts 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 and 83 others", "");
}

TEST(nobody_at_the_door_is_said_in_time)
{
	const struct wire_world world = world_of(2);
	struct status st = {""};
	int fd = -1;
	close(door.fd);
	assert_int_equal(wire_connect(door.address, &world, 1, in_ms(200), &fd, &st), -1);
	assert_begins(st.text, "rank 0 did not answer at 127.0.0.1:");
	assert_says(st.text, " ms: Connection refused");
	assert_works(wire_open("127.0.0.1:0", &door, &st), st);
}

/* Strangers before, among and after the peers; the first hold their connection and are silent, and the
 * last peer comes when all have knocked. */
struct crowd {
	pthread_t thread;
	struct peer last;
	int held[100];
};

static void *crowd_knocks(void *of)
{
	static const char *const words[] = {"GET / HTTP/1.1\r\nHost: x\r\n\r\n", "", "lgcall1",
	                                    "SSH-2.0-OpenSSH_9.2p1\r\n", "\x16\x03\x01\x02"};
	struct crowd *c = of;
	for (unsigned i = 0; i < 10000; i++) {
		const char *said = i < 100 ? "" : words[i % 5];
		int fd = call(said, strlen(said));
		if (i < 100)
			c->held[i] = fd;
		else
			close(fd);
	}
	peer_start(&c->last, world_of(4), door.address, 3, 60000);
	return NULL;
}

TEST(ten_thousand_strangers_keep_nobody_out)
{
	const struct wire_world world = world_of(4);
	struct crowd crowd;
	struct peer peers[3];
	struct status st = {""};
	const unsigned were = open_fds();
	assert_int_equal(pthread_create(&crowd.thread, NULL, crowd_knocks, &crowd), 0);
	for (unsigned i = 1; i < 3; i++)
		peer_start(&peers[i], world, door.address, i, 60000);
	assert_works(wire_gather(door.fd, &world, in_ms(60000), fds, &st), st);
	pthread_join(crowd.thread, NULL);
	peer_join(&crowd.last);
	assert_works(crowd.last.failed, crowd.last.st);
	for (unsigned i = 1; i < 3; i++) {
		peer_join(&peers[i]);
		assert_works(peers[i].failed, peers[i].st);
	}
	for (unsigned i = 0; i < 100; i++)
		close(crowd.held[i]);
	for (unsigned i = 1; i < 4; i++) {
		close(fds[i]);
		fds[i] = -1;
	}
	assert_int_equal(open_fds(), were);
}

/* What is said at the door if one caller is all that comes. */
static void door_says(unsigned who, unsigned size, const char *with, struct status *st)
{
	const struct wire_world world = world_of(4);
	int fd = call_as(with, who, size);
	assert_int_equal(wire_gather(door.fd, &world, in_ms(100), fds, st), -1);
	close(fd);
}

TEST(numbers_beyond_the_world_get_no_place)
{
	static const unsigned beyond[] = {0, 4, 4000000000};
	for (unsigned i = 0; i < 3; i++) {
		struct status st = {""};
		door_says(beyond[i], 4, secret, &st);
		assert_missing(&st, "ranks 1, 2, 3", "; 1 stranger turned away");
	}
}

/* The door in a thread of its own, until all have come. */
struct opened {
	pthread_t thread;
	struct wire_world world;
	int failed;
	struct status st;
};

static void *open_the_door(void *of)
{
	struct opened *o = of;
	o->failed = wire_gather(door.fd, &o->world, in_ms(60000), fds, &o->st);
	return NULL;
}

static void opened_start(struct opened *o, unsigned size)
{
	*o = (struct opened){.world = world_of(size)};
	assert_int_equal(pthread_create(&o->thread, NULL, open_the_door, o), 0);
}

/* All that are still to come do; the door then has them all. */
static void opened_end(struct opened *o)
{
	int come[MOST];
	struct status st = {""};
	for (unsigned i = 1; i < o->world.size; i++)
		assert_works(wire_connect(door.address, &o->world, i, in_ms(60000), &come[i], &st),
		             st);
	pthread_join(o->thread, NULL);
	assert_works(o->failed, o->st);
	for (unsigned i = 1; i < o->world.size; i++)
		close(come[i]);
}

/* A peer of another world at the door of a world of 4 ends at once; those of this one still come in. */
static void try_other(struct wire_world other, const char *said)
{
	struct opened opened;
	struct status st = {""};
	int fd = -1;
	opened_start(&opened, 4);
	assert_int_equal(wire_connect(door.address, &other, 1, in_ms(600000), &fd, &st), -1);
	assert_says(st.text, said);
	opened_end(&opened);
}

TEST(another_secret_is_turned_away)
{
	char other[WIRE_SECRET_BYTES];
	struct opened opened;
	struct status st = {""};
	int fd = -1;
	struct wire_world world = {other, "rank", 4};
	/* Of the half that the peer shows, the last digit is wrong. */
	memcpy(other, secret, sizeof other);
	other[15] = other[15] == '0' ? '1' : '0';
	try_other(world, "another world answers: its secret is another");
	door_says(1, 4, other, &st);
	assert_missing(&st, "ranks 1, 2, 3", "; 1 with another secret turned away");
	/* Of the half that the door shows: it may be anybody who heard the first. */
	memcpy(other, secret, sizeof other);
	other[31] = other[31] == '0' ? '1' : '0';
	opened_start(&opened, 4);
	st.text[0] = '\0';
	assert_int_equal(wire_connect(door.address, &world, 1, in_ms(500), &fd, &st), -1);
	assert_says(st.text, "what answers there does not know the secret");
	opened_end(&opened);
}

/* Hosts may have an address in common, of a bridge, and at it each its own world. */
TEST(another_world_at_one_of_several_addresses_is_passed_by)
{
	char list[2 * ADDRESS_BYTES], other[WIRE_SECRET_BYTES];
	struct wire_door beside;
	struct wire_world world = {other, "rank", 2};
	struct opened opened;
	struct status st = {""};
	struct peer peer;
	assert_works(wire_secret(other, &st), st);
	assert_works(wire_open("127.0.0.1:0", &beside, &st), st);
	snprintf(list, sizeof list, "%s,%s", door.address, beside.address);
	opened_start(&opened, 2);
	peer_start(&peer, world, list, 1, 60000);
	int in[2];
	assert_works(wire_gather(beside.fd, &world, in_ms(60000), in, &st), st);
	close(in[1]);
	peer_join(&peer);
	assert_works(peer.failed, peer.st);
	opened_end(&opened);
	close(beside.fd);
}

TEST(another_size_is_turned_away)
{
	struct status st = {""};
	try_other(world_of(8), " a world of 4 meets; rank 1 was started in one of 8: start all "
	                       "with one size");
	door_says(1, 8, secret, &st);
	assert_says(st.text, "; one came that expects a world of 8, not of 4");
}

TEST(two_of_one_number_end_it)
{
	const struct wire_world world = world_of(3);
	struct peer peers[2];
	struct status st = {""};
	for (unsigned i = 0; i < 2; i++)
		peer_start(&peers[i], world, door.address, 2, 60000);
	assert_int_equal(wire_gather(door.fd, &world, in_ms(60000), fds, &st), -1);
	peer_join(&peers[0]);
	peer_join(&peers[1]);
	assert_begins(st.text, "two processes say that they are rank 2 of 3: from 127.0.0.1:");
	assert_says(st.text, " and from 127.0.0.1:");
	assert_int_equal(peers[0].failed + peers[1].failed, -1);
	assert_says(peers[peers[1].failed ? 1 : 0].st.text, "as rank 2 of 3 already");
}

TEST(who_leaves_may_come_again)
{
	struct opened opened;
	struct status st = {""};
	int fd = -1;
	opened_start(&opened, 3);
	for (unsigned i = 0; i < 3; i++) {
		assert_works(wire_connect(door.address, &opened.world, 2, in_ms(60000), &fd, &st),
		             st);
		close(fd);
	}
	opened_end(&opened);
}

TEST(who_leaves_for_good_is_missing)
{
	const struct wire_world world = world_of(3);
	struct status st = {""};
	close(call_as(secret, 2, 3));
	assert_int_equal(wire_gather(door.fd, &world, in_ms(100), fds, &st), -1);
	assert_missing(&st, "ranks 1, 2", "; 1 came and left");
}

TEST(a_hello_in_pieces_is_heard)
{
	const struct wire_world world = world_of(2);
	struct status st = {""};
	uint8_t hello[WIRE_HELLO_BYTES];
	wire_hello(&world, 1, hello);
	int fd = call((char *)hello, 5);
	assert_int_equal(wire_gather(door.fd, &world, in_ms(50), fds, &st), -1);
	close(fd); /* the door does not keep who has not said all */
	fd = call(NULL, 0);
	for (unsigned i = 0; i < sizeof hello; i++)
		assert_int_equal(send(fd, hello + i, 1, MSG_NOSIGNAL), 1);
	st.text[0] = '\0';
	assert_works(wire_gather(door.fd, &world, in_ms(60000), fds, &st), st);
	close(fd);
}

/* Answers as another program does: twice, after which the door opens in its place; or for ever. */
struct listener {
	pthread_t thread;
	int fd;
	unsigned n;
};

static void *listener_answers(void *of)
{
	const struct listener *l = of;
	for (unsigned i = 0; i < l->n; i++) {
		int fd = accept(l->fd, NULL, NULL);
		if (fd < 0)
			break;
		send(fd, "SSH-2.0-OpenSSH_9.2p1 Debian-2+deb12u3\r\n", 40, MSG_NOSIGNAL);
		close(fd);
	}
	return NULL;
}

static void listener_start(struct listener *l, unsigned n)
{
	*l = (struct listener){.fd = door.fd, .n = n};
	fcntl(door.fd, F_SETFL, 0);
	assert_int_equal(pthread_create(&l->thread, NULL, listener_answers, l), 0);
}

TEST(what_is_not_launchgap_is_said)
{
	const struct wire_world world = world_of(2);
	struct status st = {""};
	struct listener other;
	int fd = -1;
	listener_start(&other, UINT_MAX);
	assert_int_equal(wire_connect(door.address, &world, 1, in_ms(500), &fd, &st), -1);
	assert_says(st.text, " ms: what answers there is not launchgap");
	shutdown(door.fd, SHUT_RDWR);
	pthread_join(other.thread, NULL);
}

TEST(what_is_not_launchgap_is_tried_again)
{
	const struct wire_world world = world_of(2);
	struct status st = {""};
	struct peer peer;
	struct listener other;
	listener_start(&other, 2);
	peer_start(&peer, world, door.address, 1, 60000);
	pthread_join(other.thread, NULL);
	assert_works(wire_gather(door.fd, &world, in_ms(60000), fds, &st), st);
	peer_join(&peer);
	assert_works(peer.failed, peer.st);
}

TEST(a_door_that_opens_late_is_found)
{
	const struct wire_world world = world_of(2);
	struct wire_door late;
	struct status st = {""};
	struct peer peer;
	char address[ADDRESS_BYTES];
	snprintf(address, sizeof address, "%s", door.address);
	close(door.fd);
	peer_start(&peer, world, address, 1, 60000);
	clock_sleep_until(in_ms(50));
	assert_works(wire_open(address, &late, &st), st);
	door = late;
	assert_works(wire_gather(door.fd, &world, in_ms(60000), fds, &st), st);
	peer_join(&peer);
	assert_works(peer.failed, peer.st);
}

/* A peer comes through the address as the door says it, and as a user would. */
static void meet_at(const char *listen, const char *ask)
{
	const struct wire_world world = world_of(2);
	struct wire_door at;
	struct status st = {""};
	struct peer peer;
	char address[ADDRESS_BYTES];
	assert_works(wire_open(listen, &at, &st), st);
	snprintf(address, sizeof address, "%s%s", ask ? ask : at.address,
	         ask ? strrchr(at.address, ':') : "");
	peer_start(&peer, world, address, 1, 60000);
	int failed = wire_gather(at.fd, &world, in_ms(60000), fds, &st);
	peer_join(&peer);
	assert_works(failed, st);
	assert_works(peer.failed, peer.st);
	close(fds[1]);
	fds[1] = -1;
	close(at.fd);
}

TEST(names_and_all_addresses_lead_to_the_door)
{
	struct wire_door six;
	struct status st = {""};
	meet_at("127.0.0.1:0", NULL);
	meet_at(":0", NULL);
	meet_at("*:0", "localhost");
	meet_at("localhost:0", "localhost");
	/* The first of a list is nobody's. */
	meet_at("127.0.0.1:0", "127.0.0.1:1,127.0.0.1");
	if (wire_open("[::1]:0", &six, &st)) {
		print_message("no IPv6 here: %s\n", st.text);
		return;
	}
	close(six.fd);
	meet_at("[::1]:0", NULL);
	meet_at(":0", "[::1]");
}

TEST(an_odd_address_gets_a_sentence)
{
	static const struct {
		const char *address, *said;
	} odd[] = {
	    {"127.0.0.1:x", "127.0.0.1:x has the port x; allowed are 0 to 65535"},
	    {"127.0.0.1:65536", "has the port 65536"},
	    {"127.0.0.1:", "has the port ;"},
	    {"[::1", "[::1 is no address: [IPv6]:port or host:port"},
	    {"[::1]x", "is no address"},
	    {"no.such.host.invalid:1", "no.such.host.invalid: "},
	    {"192.0.2.1:0", "192.0.2.1:0 cannot be listened at: "},
	};
	for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
		struct wire_door at;
		struct status st = {""};
		assert_int_equal(wire_open(odd[i].address, &at, &st), -1);
		assert_says(st.text, odd[i].said);
	}
	struct wire_door twice;
	struct status st = {""};
	assert_int_equal(wire_open(door.address, &twice, &st), -1);
	assert_says(st.text, " is taken by another process, which may be of another world");
	const char *port = strrchr(door.address, ':');
	char any[16], said[32];
	snprintf(any, sizeof any, "*%.6s", port);
	snprintf(said, sizeof said, "port %.5s is taken", port + 1);
	st.text[0] = '\0';
	assert_int_equal(wire_open(any, &twice, &st), -1);
	assert_begins(st.text, said);
}

TEST(a_port_that_is_not_said_is_ours)
{
	static const char *const hosts[] = {"127.0.0.1", "[::1]", "::1"};
	for (unsigned i = 0; i < 3; i++) {
		const char *list = hosts[i];
		struct addrinfo *found;
		struct status st = {""};
		char port[8];
		assert_works(address_resolve(&list, &found, &st), st);
		getnameinfo(found->ai_addr, found->ai_addrlen, NULL, 0, port, sizeof port,
		            NI_NUMERICSERV);
		freeaddrinfo(found);
		assert_int_equal(atoi(port), ADDRESS_PORT);
	}
}

TEST(a_secret_that_is_none_is_refused)
{
	static const char *const none[] = {NULL, "", "abc", "0123456789abcdef0123456789abcdeX"};
	for (unsigned i = 0; i < 4; i++) {
		const struct wire_world world = {none[i], "rank", 2};
		struct status st = {""};
		int fd;
		assert_int_equal(wire_gather(door.fd, &world, in_ms(60000), fds, &st), -1);
		assert_begins(st.text, "the secret of this world has ");
		st.text[0] = '\0';
		assert_int_equal(wire_connect(door.address, &world, 1, in_ms(60000), &fd, &st), -1);
		assert_begins(st.text, "the secret of this world has ");
	}
}

TEST(without_descriptors_there_is_a_sentence)
{
	const struct wire_world world = world_of(2);
	struct rlimit were, few;
	struct status st = {""};
	int fd = call(NULL, 0), free_fd = dup(fd);
	close(free_fd);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &were), 0);
	few = were;
	few.rlim_cur = (rlim_t)free_fd;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	int failed = wire_gather(door.fd, &world, in_ms(60000), fds, &st);
	setrlimit(RLIMIT_NOFILE, &were);
	close(fd);
	assert_int_equal(failed, -1);
	assert_string_equal(st.text, "the door takes no more connections after 0: Too many open "
	                             "files (ulimit -n)");
}

TEST(a_message_that_does_not_end_is_late_and_one_that_breaks_is_left)
{
	int ends[2];
	char text[8];
	struct status st = {""};
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	assert_int_equal(send(ends[0], "1234", 4, 0), 4);
	assert_int_equal(wire_recv(ends[1], text, sizeof text, in_ms(30), &st), -1);
	assert_string_equal(st.text, "said nothing in time");
	/* Nobody reads. */
	static char much[4 << 20];
	st.text[0] = '\0';
	assert_int_equal(wire_send(ends[0], much, sizeof much, in_ms(30), &st), -1);
	assert_string_equal(st.text, "took nothing in time");
	close(ends[1]);
	st.text[0] = '\0';
	assert_int_equal(wire_send(ends[0], text, sizeof text, in_ms(30), &st), -1);
	assert_begins(st.text, "has left");
	st.text[0] = '\0';
	assert_int_equal(wire_recv(ends[0], text, sizeof text, in_ms(30), &st), -1);
	assert_begins(st.text, "has left");
	close(ends[0]);
}

TESTS(.before = fresh, .after = clear);
