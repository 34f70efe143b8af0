/* A door where a world of tests meets, with its secret, one for each program. */
#pragma once

#include "../harness/clock.h"
#include "../harness/exchange/door.h"
#include "test.h"

static char secret[CONNECTION_SECRET_BYTES];
static struct door_place door;

static struct door_world world_of(unsigned size)
{
	return (struct door_world){.secret = secret, .peer = "rank", .size = size};
}

FIXTURE(door_rig_open)
{
	assert_works(connection_secret(secret, WHY));
	assert_works(door_open("127.0.0.1:0", &door, WHY));
}

FIXTURE(door_rig_close)
{
	close(door.fd);
}

static inline int64_t in_ms(int64_t ms)
{
	return clock_now_ns() + ms * 1000000;
}

/* A peer in its own thread. */
struct peer {
	struct door_world world;
	const char *address;
	unsigned who;
	int64_t deadline_ns;
	pthread_t thread;
	struct connection connection;
	int failed;
	struct status st;
};

static inline void *peer_come(void *of)
{
	struct peer *p = of;
	p->failed =
	    door_connect(p->address, &p->world, p->who, p->deadline_ns, &p->connection, &p->st);
	return NULL;
}

static inline void peer_start(struct peer *p, struct door_world world, const char *address,
                              unsigned who, int64_t ms)
{
	*p =
	    (struct peer){.world = world, .address = address, .who = who, .deadline_ns = in_ms(ms)};
	assert_int_equal(pthread_create(&p->thread, NULL, peer_come, p), 0);
}

/* The door in a thread of its own, until all have come. */
struct opened {
	pthread_t thread;
	struct door_world world;
	struct connection connections[8];
	int failed;
	struct status st;
};

static inline void *opened_gathers(void *of)
{
	struct opened *o = of;
	o->failed = door_gather(door.fd, &o->world, in_ms(60000), o->connections, &o->st);
	return NULL;
}

static inline void opened_start(struct opened *o, unsigned size)
{
	*o = (struct opened){.world = world_of(size)};
	assert_int_equal(pthread_create(&o->thread, NULL, opened_gathers, o), 0);
}

static inline void opened_join(struct opened *o)
{
	pthread_join(o->thread, NULL);
	assert_worked(o->failed, o->st);
	for (unsigned i = 1; i < o->world.size; i++)
		close(o->connections[i].fd);
}

/* All that are still to come do; the door then has them all. */
static inline void opened_end(struct opened *o)
{
	struct connection come[8];
	for (unsigned i = 1; i < o->world.size; i++)
		assert_works(door_connect(door.address, &o->world, i, in_ms(60000), &come[i], WHY));
	opened_join(o);
	for (unsigned i = 1; i < o->world.size; i++)
		close(come[i].fd);
}

/* A raw connection to the door. */
static int door_rig_call(void)
{
	const char *list = door.address;
	struct addrinfo *found;
	assert_works(address_resolve(&list, &found, WHY));
	int fd = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(connect(fd, found->ai_addr, found->ai_addrlen), 0);
	freeaddrinfo(found);
	return fd;
}
