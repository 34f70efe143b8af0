/* Bytes of strangers where processes meet. The first byte says where: at the door, in place of a peer that
 * is in, in place of a door, in place of rank 0. */
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "../../harness/clock.h"
#include "../../harness/exchange/exchange.h"
#include "../../harness/exchange/wire.h"
#include "fuzz.h"

#define S_NS ((int64_t)1000000000)

static const struct wire_world world = {"00112233445566778899aabbccddeeff", "rank", 2};

/* A door without a port, of which there are few. */
static int open_door(struct sockaddr_un *address, socklen_t *bytes)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	*address = (struct sockaddr_un){.sun_family = AF_UNIX};
	/* The kernel chooses a name. */
	fuzz_promise(!bind(fd, (struct sockaddr *)address, sizeof(sa_family_t)) && !listen(fd, 8),
	             "a socket that listens");
	*bytes = sizeof *address;
	getsockname(fd, (struct sockaddr *)address, bytes);
	return fd;
}

static int call(const struct sockaddr_un *address, socklen_t bytes)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	fuzz_promise(!connect(fd, (const struct sockaddr *)address, bytes), "a connection");
	return fd;
}

static void say(int fd, const void *data, size_t bytes)
{
	send(fd, data, bytes, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* A stranger comes before the peer, who still gets its place, unless the stranger claims it. */
static void at_the_door(const uint8_t *data, size_t bytes)
{
	struct sockaddr_un address;
	socklen_t length;
	uint8_t hello[WIRE_HELLO_BYTES];
	struct status st = {""};
	int fds[2], door = open_door(&address, &length);
	int stranger = call(&address, length), peer = call(&address, length);
	wire_hello(&world, 1, hello);
	say(stranger, data, bytes);
	say(peer, hello, sizeof hello);
	const bool is_peer = bytes >= sizeof hello && !memcmp(data, hello, sizeof hello);
	int failed = wire_gather(door, &world, clock_now_ns() + 60 * S_NS, fds, &st);
	fuzz_promise(is_peer || !failed, "wire: a stranger keeps no peer out");
	fuzz_promise(!failed || st.text[0], "wire: a refusal has a sentence");
	fuzz_promise(failed || fds[1] >= 0, "wire: who is in has a connection");
	if (fds[1] >= 0)
		close(fds[1]);
	close(stranger);
	close(peer);
	close(door);
}

struct raw {
	int fd, door;
	size_t first; /* how much is heard before anything is said */
	const uint8_t *said;
	size_t bytes;
};

static void *raw_talks(void *of)
{
	struct raw *raw = of;
	char heard[64];
	const struct linger reset = {1, 0}; /* else ports run out */
	struct status st = {""};
	if (raw->door >= 0)
		raw->fd = accept(raw->door, NULL, NULL);
	wire_recv(raw->fd, heard, raw->first, clock_now_ns() + 10 * S_NS, &st);
	say(raw->fd, raw->said, raw->bytes);
	if (raw->door >= 0)
		setsockopt(raw->fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
	close(raw->fd);
	return NULL;
}

/* A peer with the right secret gives any bytes in place of its part. */
static void of_a_peer(const uint8_t *data, size_t bytes)
{
	struct sockaddr_un address;
	socklen_t length;
	uint8_t hello[WIRE_HELLO_BYTES];
	pthread_t thread;
	struct exchange *x = NULL;
	struct status st = {""};
	uint32_t mine = 7, all[2] = {0, 0};
	int door = open_door(&address, &length);
	/* Its answer and that all are there. */
	struct raw raw = {call(&address, length), -1, WIRE_HELLO_BYTES + 12, data, bytes};
	wire_hello(&world, 1, hello);
	say(raw.fd, hello, sizeof hello);
	fuzz_promise(!pthread_create(&thread, NULL, raw_talks, &raw), "a thread");
	const struct exchange_seat seat = {0, 2, door, "", world.secret, 60};
	fuzz_promise(!exchange_open_tcp(&seat, &x, &st), "exchange: a peer comes in");
	if (exchange_all(x, &mine, all, sizeof mine, &st))
		fuzz_promise(st.text[0], "exchange: an error has a sentence");
	else
		fuzz_promise(all[0] == 7 && bytes >= 16 && !memcmp(&all[1], data + 12, 4),
		             "exchange: what is given arrives");
	exchange_close(x);
	pthread_join(thread, NULL);
}

/* What listens at an address says any bytes. */
static void of_an_answer(const struct wire_door *door, const uint8_t *data, size_t bytes)
{
	pthread_t thread;
	struct status st = {""};
	int fd = -1;
	struct raw raw = {-1, door->fd, WIRE_HELLO_BYTES, data, bytes};
	fuzz_promise(!pthread_create(&thread, NULL, raw_talks, &raw), "a thread");
	/* Less than the pause before a second try. */
	if (wire_connect(door->address, &world, 1, clock_now_ns() + S_NS / 200, &fd, &st))
		fuzz_promise(st.text[0] && fd < 0, "wire: an error has a sentence");
	else
		close(fd);
	pthread_join(thread, NULL);
}

/* It says that we are in, and then any bytes. */
static void of_rank_0(const struct wire_door *door, const uint8_t *data, size_t bytes)
{
	static const char welcome[WIRE_HELLO_BYTES + 1] = "lganswr\0"
	                                                  "8899aabbccddeeff"
	                                                  "\0\0\0\0"
	                                                  "\2\0\0\0";
	pthread_t thread;
	struct exchange *x = NULL;
	struct status st = {""};
	uint64_t got = 0;
	uint8_t *said = malloc(WIRE_HELLO_BYTES + bytes);
	fuzz_promise(said, "memory");
	memcpy(said, welcome, WIRE_HELLO_BYTES);
	memcpy(said + WIRE_HELLO_BYTES, data, bytes);
	struct raw raw = {-1, door->fd, WIRE_HELLO_BYTES, said, WIRE_HELLO_BYTES + bytes};
	fuzz_promise(!pthread_create(&thread, NULL, raw_talks, &raw), "a thread");
	const struct exchange_seat seat = {1, 2, -1, door->address, world.secret, 60};
	const bool failed =
	    exchange_open_tcp(&seat, &x, &st) || exchange_first(x, &got, sizeof got, &st);
	fuzz_promise(!failed || st.text[0], "exchange: an error has a sentence");
	fuzz_promise(failed || (bytes >= 32 && !memcmp(&got, data + 24, 8)),
	             "exchange: what is given arrives");
	exchange_close(x);
	pthread_join(thread, NULL);
	free(said);
}

static void run(const uint8_t *data, size_t bytes)
{
	static struct wire_door door = {.fd = -1};
	struct status st = {""};
	if (door.fd < 0) {
		fuzz_promise(!wire_open("127.0.0.1:0", &door, &st), "a door");
		fcntl(door.fd, F_SETFL, 0);
	}
	if (!bytes)
		return;
	const uint8_t kind = data[0] % 4;
	if (kind == 0)
		at_the_door(data + 1, bytes - 1);
	else if (kind == 1)
		of_a_peer(data + 1, bytes - 1);
	else if (kind == 2)
		of_an_answer(&door, data + 1, bytes - 1);
	else
		of_rank_0(&door, data + 1, bytes - 1);
}

const struct fuzz_target fuzz_wire = {run, NULL};
