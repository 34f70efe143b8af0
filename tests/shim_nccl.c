/* NCCL itself, but for ncclAllReduce, which does what SHIM_NCCL says: for runs on GPUs, by
 * hand. All other functions are the system's, whose library this one needs.
 *
 *   hang    never comes back
 *   late    comes back 3 s late
 *   error   answers ncclSystemError and calls nothing
 *   wrong   reduces half of the elements, in each call of each rank
 *   any other word: nothing
 *
 * The first three strike once: at the 60th call of the first process that makes SHIM_TOKEN. */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STRIKES_AT   60
#define SYSTEM_ERROR 2

typedef int all_reduce_fn(const void *send, void *receive, size_t count, int type, int op,
                          void *comm, void *stream);
all_reduce_fn ncclAllReduce;

static atomic_uint calls;

static int strikes(void)
{
	const char *token = getenv("SHIM_TOKEN");
	int fd = token && atomic_fetch_add(&calls, 1) + 1 == STRIKES_AT
	             ? open(token, O_CREAT | O_EXCL | O_CLOEXEC, 0666)
	             : -1;
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

int ncclAllReduce(const void *send, void *receive, size_t count, int type, int op, void *comm,
                  void *stream)
{
	const char *does = getenv("SHIM_NCCL");
	all_reduce_fn *real = (all_reduce_fn *)dlsym(RTLD_NEXT, "ncclAllReduce");
	if (does && !strcmp(does, "wrong"))
		count /= 2;
	else if (does && strikes()) {
		while (!strcmp(does, "hang"))
			pause();
		if (!strcmp(does, "error"))
			return SYSTEM_ERROR;
		if (!strcmp(does, "late"))
			sleep(3);
	}
	return real(send, receive, count, type, op, comm, stream);
}
