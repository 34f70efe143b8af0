/* A door where a world of tests meets, with its secret: for tests of who comes in. One for each program. */
#ifndef LAUNCHGAP_TESTS_MEETING_H
#define LAUNCHGAP_TESTS_MEETING_H

#include "../harness/exchange/door.h"
#include "test.h"

#define S_NS ((int64_t)1000000000)

static char secret[WIRE_SECRET_BYTES];
static struct door_place door;

static struct door_world world_of(unsigned size)
{
	return (struct door_world){.secret = secret, .peer = "rank", .size = size};
}

FIXTURE(meeting_open)
{
	struct status st = {""};
	assert_works(wire_secret(secret, &st), st);
	assert_works(door_open("127.0.0.1:0", &door, &st), st);
	return 0;
}

FIXTURE(meeting_close)
{
	close(door.fd);
	return 0;
}

/* A raw connection to the door. */
static int meeting_call(void)
{
	const char *list = door.address;
	struct addrinfo *found;
	struct status st = {""};
	assert_works(address_resolve(&list, &found, &st), st);
	int fd = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(connect(fd, found->ai_addr, found->ai_addrlen), 0);
	freeaddrinfo(found);
	return fd;
}

#endif
