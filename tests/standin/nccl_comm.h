/* A communicator of the stand-in for NCCL: the state that its ranks share, and the other data that
 * a call on it needs. */
#ifndef LAUNCHGAP_STANDIN_NCCL_COMM_H
#define LAUNCHGAP_STANDIN_NCCL_COMM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#ifndef VERSION
#define VERSION 22803
#endif

#define MOST       8
#define WINDOWS    64
#define FIFO_BYTES 16384

enum { OK, CUDA, SYSTEM, INTERNAL, ARGUMENT, USAGE, REMOTE };

struct fifo {
	atomic_size_t head, tail; /* bytes written, and read */
	char data[FIFO_BYTES];
};

/* What the ranks of a communicator share. */
struct shared {
	atomic_uint joined, split_asked, split_joined;
	struct {
		pid_t pid;
		int color, fd, gpu;
		char hostid[24];    /* NCCL_HOSTID */
		atomic_uint splits; /* that it has made a memory for */
		struct {
			int fd;
			size_t offset, bytes;
		} windows[WINDOWS]; /* in the order of their registration */
		atomic_uint nwindows;
	} rank[MOST];
	struct fifo fifo[MOST][MOST]; /* from, to */
};

struct region {
	const char *at;
	size_t bytes;
	bool told[MOST]; /* opened to this peer */
};

struct comm {
	struct shared *shared;
	int fd; /* of the shared memory; -1: another process's */
	unsigned n, rank, device, splits;
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
/* In the log, once: the transport to a peer; a buffer that was registered and is now opened to
 * it. */
void standin_say_link(const struct comm *c, unsigned peer, unsigned connection);
void standin_say_region(struct comm *c, const char *at, unsigned peer);
/* In the log: a call that copy engines carry out, if both its buffers are registered and the policy says so. */
void standin_say_copies(const struct comm *c, const char *function, const char *from,
                        const char *to, size_t bytes);
/* In the log: the choice for a collective, by the names that NCCL_ALGO and NCCL_PROTO allow; an
 * answer other than OK: they allow none. */
int standin_say_choice(const struct comm *c, const char *function, size_t bytes);
/* Until all have come so far; an error: the communicator has ended. */
int standin_wait(const struct comm *c, atomic_uint *what, unsigned until);
/* Keeps a buffer that is registered, in *out, and forgets it. */
int standin_region_take(const char *function, struct comm *c, void *at, size_t bytes, void **out);
int standin_region_give(const char *function, void *handle);
/* Windows that this thread has begun to register are open to all ranks; those of one that ends go. */
int standin_windows_end(int error);
void standin_windows_close(struct comm *c);
/* Those that this thread has begun to make are made, or fail with `error`. */
int standin_comms_end(int error);

/* Of the group that this thread is in (nccl.c): whether there is one; an error within it, after
 * which its end does not wait for the others. */
bool standin_group_is_open(void);
int standin_group_fail(int error);

#endif
