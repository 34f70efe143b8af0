/* A connection of two processes, for messages whose length both know. Each carries a code of its bytes and its place,
 * by the wire's keys: who only reaches the network changes, repeats and leaves out nothing. Nothing is encrypted.
 * Deadlines are clock_now_ns(); no call raises SIGPIPE. */
#pragma once

#include "../status.h"

#define WIRE_SECRET_BYTES 33 /* 32 hex digits and a 0 */
#define WIRE_KEY_BYTES    32
#define WIRE_TAG_BYTES    16 /* that follow each message */

/* A connection. Between two ends of one user, as of a socketpair, its keys may be 0. */
struct wire {
	int fd; /* -1: none */
	struct wire_way {
		uint8_t key[WIRE_KEY_BYTES], tag[WIRE_TAG_BYTES];
		uint64_t messages; /* so far */
		size_t moved;      /* of this one and its tag */
	} in, out;
};

int wire_secret(char out[WIRE_SECRET_BYTES], struct status *st);
/* Bytes that only those can make who have the secret, which they do not betray: of what is said. */
void wire_prove(const char *secret, const void *said, size_t bytes, uint8_t *out, size_t length);
/* Another secret of those who have this one, for a purpose. */
void wire_derive(const char *secret, const char *purpose, char out[WIRE_SECRET_BYTES]);
/* Waits for one of `events`; 0, or -1 when it is too late. What is there already is never late. */
int wire_wait(int fd, short events, int64_t deadline_ns);
bool wire_is_later(int error);
/* POLLOUT or POLLIN. 1: all moved, and is authentic; 0: call again with the same; -1: "has left", to follow a name. */
int wire_move(struct wire *w, short way, void *data, size_t bytes, struct status *st);
int wire_send(struct wire *w, const void *data, size_t bytes, int64_t deadline_ns,
              struct status *st);
int wire_recv(struct wire *w, void *data, size_t bytes, int64_t deadline_ns, struct status *st);
