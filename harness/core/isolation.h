/* Isolates a process of a job, as a container does, before CUDA or a library is used: namespaces
 * (unshare(2)), /dev/shm, device files, the GPUs that CUDA shows. The team's block, mapped earlier,
 * stays shared, as does the clock. */
#pragma once

#include "../trial/settings.h"

struct isolation {
	unsigned what;    /* bits of enum isolate */
	bool own_gpus;    /* CUDA_VISIBLE_DEVICES lists only the GPUs of this process's ranks */
	unsigned process; /* which one this is; its host name ends in it */
	unsigned ranks_per_gpu;
	unsigned gpu, gpus; /* of this process: the first, and their number */
	const char *keep;   /* a folder that stays visible in the private /dev/shm, or NULL */
};

/* Runs body in an isolated child, which dies with its parent. Only what it writes into shared
 * memory stays, and its sentence in st. -1: not possible here, or body failed. */
int isolation_run(const struct isolation *isolation, int (*body)(void *arg, struct status *st),
                  void *arg, struct status *st);

/* 0, or -1 with a sentence why this user on this kernel cannot do it; tried in a child. */
int isolation_possible(unsigned what, struct status *st);

/* The calling process's, for the record: "host=gpu-0 shm=0:25 uts=4026531838 …". */
void isolation_describe(char *text, size_t bytes);
