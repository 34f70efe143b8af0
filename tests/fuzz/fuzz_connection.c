/* Bytes of strangers where processes meet. The first byte says where: at the door, of a peer that
 * is in, in place of a door, of rank 0. Those that are in have the secret. */
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../../harness/clock.h"
#include "../../harness/exchange/peers.h"
#include "fuzz.h"

#define S_NS  ((int64_t)1000000000)
#define HEAD  sizeof(struct letter)
#define HELLO 48   /* of a peer */
#define MOST  2000 /* that follow a head here */

static const struct door_world world = {"00112233445566778899aabbccddeeff", "rank", 2, NULL};

/* Without waiting: else ports run out. */
static void hang_up(int fd)
{
	const struct linger reset = {1, 0};
	setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
	close(fd);
}

/* The other end, in its own thread. */
struct other {
	const struct door_place *door;
	const uint8_t *said;
	size_t bytes;
	struct connection connection;
	int failed;
};

static void *comes(void *of)
{
	struct other *o = of;
	struct status st = {""};
	o->failed = door_connect(o->door->address, &world, 1, clock_now_ns() + 60 * S_NS,
	                         &o->connection, &st);
	return NULL;
}

/* Each piece as a message: a head, and what it says follows. */
static void say_pieces(struct other *o)
{
	const int64_t soon = clock_now_ns() + 10 * S_NS;
	struct status st = {""};
	for (size_t at = 0; at < o->bytes && !st.text[0];) {
		uint8_t rest[MOST] = {0};
		const size_t left = o->bytes - at, n = left < HEAD ? left : HEAD;
		struct letter head = {0};
		memcpy(&head, o->said + at, n);
		const size_t follow = head.bytes < MOST ? head.bytes : MOST;
		at += n;
		memcpy(rest, o->said + at, o->bytes - at < follow ? o->bytes - at : follow);
		at += o->bytes - at < follow ? o->bytes - at : follow;
		if (!connection_send(&o->connection, &head, HEAD, soon, &st))
			connection_send(&o->connection, rest, follow, soon, &st);
	}
}

static void *comes_and_says(void *of)
{
	struct other *o = of;
	comes(o);
	if (o->failed)
		return NULL;
	say_pieces(o);
	hang_up(o->connection.fd);
	return NULL;
}

static void *opens_and_says(void *of)
{
	struct other *o = of;
	struct connection connections[2];
	struct status st = {""};
	if (door_gather(o->door->fd, &world, clock_now_ns() + 60 * S_NS, connections, &st))
		return NULL;
	o->connection = connections[1];
	say_pieces(o);
	hang_up(o->connection.fd);
	return NULL;
}

static void *answers(void *of)
{
	struct other *o = of;
	char heard[HELLO];
	int fd = accept(o->door->fd, NULL, NULL);
	recv(fd, heard, sizeof heard, MSG_WAITALL);
	send(fd, o->said, o->bytes, MSG_NOSIGNAL | MSG_DONTWAIT);
	hang_up(fd);
	return NULL;
}

static pthread_t start(void *(*what)(void *), struct other *other)
{
	pthread_t thread;
	fuzz_promise(!pthread_create(&thread, NULL, what, other), "a thread");
	return thread;
}

/* A stranger comes before the peer, who still gets its place. */
static void at_the_door(struct other *peer)
{
	const char *list = peer->door->address;
	struct addrinfo *found;
	struct connection connections[2];
	struct status st = {""};
	fuzz_promise(!address_resolve(&list, &found, &st), "an address");
	int stranger = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	fuzz_promise(!connect(stranger, found->ai_addr, found->ai_addrlen), "a connection");
	freeaddrinfo(found);
	send(stranger, peer->said, peer->bytes, MSG_NOSIGNAL | MSG_DONTWAIT);
	const pthread_t thread = start(comes, peer);
	fuzz_promise(
	    !door_gather(peer->door->fd, &world, clock_now_ns() + 60 * S_NS, connections, &st),
	    "connection: a stranger keeps no peer out");
	pthread_join(thread, NULL);
	fuzz_promise(!peer->failed && connections[1].fd >= 0,
	             "connection: who is in has a connection");
	hang_up(stranger);
	hang_up(peer->connection.fd);
	close(connections[1].fd);
}

/* A peer gives any bytes in place of its part. */
static void of_a_peer(struct other *peer)
{
	struct peers x;
	struct status st = {""};
	uint32_t mine = 7, all[2] = {0, 0};
	const pthread_t thread = start(comes_and_says, peer);
	const struct peers_seat seat = {
	    .size = 2, .door = dup(peer->door->fd), .secret = world.secret, .timeout_s = 60};
	if (peers_open(&seat, &x, &st) || peers_all(&x, &mine, all, sizeof mine, &st))
		fuzz_promise(st.text[0], "exchange: an error has a sentence");
	else
		fuzz_promise(all[0] == 7 && peer->bytes > HEAD &&
		                 (peer->bytes < 2 * HEAD + sizeof mine ||
		                  !memcmp(&all[1], peer->said + 2 * HEAD, sizeof mine)),
		             "exchange: what is given arrives");
	peers_close(&x);
	close(seat.door);
	pthread_join(thread, NULL);
}

/* What listens at an address says any bytes. */
static void of_an_answer(struct other *stranger)
{
	struct status st = {""};
	struct connection connection;
	fcntl(stranger->door->fd, F_SETFL, 0);
	const pthread_t thread = start(answers, stranger);
	/* Less than the pause before a second try. */
	fuzz_promise(door_connect(stranger->door->address, &world, 1, clock_now_ns() + S_NS / 200,
	                          &connection, &st) &&
	                 st.text[0] && connection.fd < 0,
	             "connection: who has no secret is no door");
	pthread_join(thread, NULL);
}

/* It begins, and says any bytes. */
static void of_rank_0(struct other *rank_0)
{
	struct peers x;
	struct status st = {""};
	uint64_t got = 0;
	const pthread_t thread = start(opens_and_says, rank_0);
	const struct peers_seat seat = {.rank = 1,
	                                .size = 2,
	                                .door = -1,
	                                .address = rank_0->door->address,
	                                .secret = world.secret,
	                                .timeout_s = 60};
	const bool failed = peers_open(&seat, &x, &st) || peers_first(&x, &got, sizeof got, &st);
	fuzz_promise(!failed || st.text[0], "exchange: an error has a sentence");
	fuzz_promise(failed || rank_0->bytes > HEAD, "exchange: what is given arrives");
	peers_close(&x);
	pthread_join(thread, NULL);
}

static void run(const uint8_t *data, size_t bytes)
{
	static void (*const places[])(struct other *) = {at_the_door, of_a_peer, of_an_answer,
	                                                 of_rank_0};
	static struct door_place door = {.fd = -1};
	struct status st = {""};
	fuzz_promise(door.fd >= 0 || !door_open("127.0.0.1:0", &door, &st), "a door");
	if (!bytes)
		return;
	struct other other = {.door = &door, .said = data + 1, .bytes = bytes - 1};
	places[data[0] % 4](&other);
}

const struct fuzz_target fuzz_connection = {run, NULL};
