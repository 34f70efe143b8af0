/* A connection of two processes, for messages whose length both know. Each carries a code of its
 * bytes and its place, by the connection's keys: who only reaches the network changes, repeats and
 * leaves out nothing. Nothing is encrypted. Deadlines are clock_now_ns(); no call raises
 * SIGPIPE. */
#pragma once

#include "../status.h"

#define CONNECTION_SECRET_BYTES 33 /* 32 hex digits and a 0 */
#define CONNECTION_KEY_BYTES    32
#define CONNECTION_TAG_BYTES    16 /* that follow each message */

/* A connection. Between two ends of one user, as of a socketpair, its keys may be 0. */
struct connection {
	int fd; /* -1: none */
	struct connection_way {
		uint8_t key[CONNECTION_KEY_BYTES], tag[CONNECTION_TAG_BYTES];
		uint64_t messages; /* so far */
		size_t moved;      /* of this one and its tag */
	} in, out;
};

int connection_secret(char out[CONNECTION_SECRET_BYTES], struct status *st);
/* Bytes that only those can make who have the secret, which they do not betray: of what is said. */
void connection_prove(const char *secret, const void *said, size_t bytes, uint8_t *out,
                      size_t length);
/* Another secret of those who have this one, for a purpose. */
void connection_derive(const char *secret, const char *purpose, char out[CONNECTION_SECRET_BYTES]);
/* Waits for one of `events`; 0, or -1 when it is too late. What is there already is never late. */
int connection_wait(int fd, short events, int64_t deadline_ns);
bool connection_is_later(int error);
/* POLLOUT or POLLIN. 1: all moved, authentic; 0: call again; -1: "has left", to follow a name. */
int connection_move(struct connection *w, short way, void *data, size_t bytes, struct status *st);
int connection_send(struct connection *w, const void *data, size_t bytes, int64_t deadline_ns,
                    struct status *st);
int connection_recv(struct connection *w, void *data, size_t bytes, int64_t deadline_ns,
                    struct status *st);
