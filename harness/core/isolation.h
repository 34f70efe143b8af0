/* What a process of a job has of its own, as in a container: namespaces (unshare(2)), a /dev/shm,
 * the device files of its GPUs, the list of GPUs that CUDA shows. All before CUDA or a library
 * is touched. The team's block is mapped before and stays shared, and so does the clock. */
#ifndef LAUNCHGAP_ISOLATION_H
#define LAUNCHGAP_ISOLATION_H

#include "../trial/settings.h"

struct isolation {
	unsigned what;      /* bits of enum isolate */
	bool own_gpus;      /* CUDA_VISIBLE_DEVICES has those of this process's ranks alone */
	unsigned process;   /* which one this is; its host name ends in it */
	unsigned ranks_per_gpu;
	unsigned gpu, gpus; /* of this process: the first, and how many */
	const char *keep;   /* a folder that stays to be seen in a /dev/shm of its own, or NULL */
};

/* Runs body in a child that has all this, and waits for it; the child dies with its parent, and
 * ends when body returns. What body writes into shared memory is all that stays, with its
 * sentence in st. -1: not possible here, or body failed. */
int isolation_run(const struct isolation *isolation, int (*body)(void *arg, struct status *st),
                  void *arg, struct status *st);

/* 0, or -1 with the sentence why this user on this kernel cannot have them; tried in a child.
 */
int isolation_possible(unsigned what, struct status *st);

/* Whose namespaces the calling process is in, for the record: "host=gpu-0 uts=4026531838 …",
 * and the device of /dev/shm. */
void isolation_describe(char *text, size_t bytes);

#endif
