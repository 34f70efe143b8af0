/* A communicator of the stand-in for NCCL: the state that its ranks share, and the other data that
 * a call on it needs. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#ifndef VERSION
#define VERSION 22803
#endif

#define MOST    8
#define WINDOWS 64
#define SPLITS  32
#define POSTS   1024

enum { OK, CUDA, SYSTEM, INTERNAL, ARGUMENT, USAGE, REMOTE };

/* What a rank sends to another: where it is in a file of the sender's, which the other reads. */
struct mail {
	atomic_uint posted, taken;
	struct post {
		int fd;
		size_t offset, bytes;
	} posts[POSTS];
};

/* What the ranks of a communicator share. */
struct shared {
	atomic_uint joined;
	struct {
		pid_t pid;
		int gpu, colors[SPLITS];
		char hostid[24];              /* NCCL_HOSTID */
		atomic_uint splits;           /* colors that are told */
		struct post windows[WINDOWS]; /* in the order of their registration */
		atomic_uint nwindows;
	} rank[MOST];
	struct mail mail[MOST][MOST]; /* from, to */
};

struct region {
	const char *at;
	size_t bytes;
	bool told[MOST]; /* opened to this peer */
};

struct comm {
	struct shared *shared;
	int fd, name; /* of the shared memory; as it was made, if that was here: else -1 */
	unsigned n, rank, device;
	atomic_bool dead;
	atomic_uint active; /* batches that run */
	bool connected[MOST], ring;
	bool zero; /* its policy is to use no thread blocks */
	struct region regions[4];
	unsigned nwindows;
	struct window *windows;
	struct comm *ended; /* before this one */
};

/* A function begins: the answer that it is to give (inject.h). */
int standin_enter(const char *function);
/* Between two looks at what others are to do. */
void standin_rest(void);
/* In the log, once: the transport to a peer; a buffer registered and now opened to it. */
void standin_say_link(const struct comm *c, unsigned peer, unsigned connection);
void standin_say_region(struct comm *c, const char *at, unsigned peer);
/* In the log: a call that copy engines carry out, if both its buffers are registered and the policy
 * says so. */
void standin_say_copies(const struct comm *c, const char *function, const char *from,
                        const char *to, size_t bytes);
/* In the log: the choice for a collective, by the names that NCCL_ALGO and NCCL_PROTO allow; an
 * answer other than OK: they allow none. */
int standin_say_choice(const struct comm *c, const char *function, size_t bytes);
/* Until all have come so far; an error: the communicator has ended. */
int standin_wait(const struct comm *c, atomic_uint *what, unsigned until);
/* What is a file of a rank's process, here. -1: it is not. */
int standin_open(const struct comm *c, unsigned rank, int fd);
/* Communicators that this thread has begun to make are made, and windows that it has begun to
 * register open to all ranks; or both fail with `error`. */
int standin_begun_end(int error);

/* Of the group that this thread is in (nccl.c): whether there is one; an error within it, after
 * which its end does not wait for the others. */
bool standin_group_is_open(void);
int standin_group_fail(int error);
