/* Windows of the stand-in for NCCL: memory of all ranks, one after the other at a fixed distance, as each
 * rank sees it. In 2.28 the handle is memory of the GPU that says where; later a function does. */
#include <cuda_runtime_api.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "nccl_comm.h"
#include "standin.h"

#define FAR ((size_t)4 << 30) /* from one rank to the next */

/* The first five as ncclWindow_vidmem. */
struct window {
	void *host;
	char *base;
	int lsa_rank, world_rank;
	uint32_t stride;
	unsigned index;
	struct comm *comm;
	void *region;
	struct window *next;
};

static _Thread_local struct {
	unsigned n;
	struct window *list[64];
} begun;

#if VERSION >= 22803
struct team {
	int nranks, rank, stride;
};
#endif

static int map_one(const struct window *w, unsigned rank)
{
	const struct comm *c = w->comm;
	const size_t offset = c->shared->rank[rank].windows[w->index].offset;
	char name[64];
	snprintf(name, sizeof name, "/proc/%d/fd/%d", (int)c->shared->rank[rank].pid,
	         c->shared->rank[rank].windows[w->index].fd);
	int fd = open(name, O_RDWR | O_CLOEXEC);
	void *at = fd < 0
	               ? MAP_FAILED
	               : mmap(w->base + rank * FAR, c->shared->rank[rank].windows[w->index].bytes,
	                      PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, (off_t)offset);
	if (fd >= 0)
		close(fd);
	return at == MAP_FAILED ? SYSTEM : OK;
}

/* Once all ranks have told where theirs is. */
static int window_open(struct window *w)
{
	struct comm *c = w->comm;
	int error = OK;
	for (unsigned r = 0; r < c->n && !error; r++)
		error = standin_wait(c, &c->shared->rank[r].nwindows, w->index + 1);
	for (unsigned r = 0; r < c->n && !error; r++)
		error = map_one(w, r);
	return error;
}

int standin_windows_end(int error)
{
	unsigned n = begun.n;
	begun.n = 0;
	for (unsigned i = 0; i < n && !error; i++)
		error = window_open(begun.list[i]);
	return error;
}

static void window_free(struct window *w)
{
	munmap(w->base, w->comm->n * FAR);
	standin_release(w);
}

void standin_windows_close(struct comm *c)
{
	while (c->windows) {
		struct window *w = c->windows;
		c->windows = w->next;
		window_free(w);
	}
}

#if VERSION >= 22703
/* Memory that is no GPU's has no file: then there is a region, and no window. */
int ncclCommWindowRegister(struct comm *c, void *at, size_t bytes, void **out, int flags)
{
	void *region = NULL, *memory = NULL;
	size_t offset = 0;
	int error = standin_region_take(__func__, c, at, bytes, &region);
	int fd = standin_memory(at, &offset);
	if (!error && (c->nwindows == WINDOWS || fd < 0))
		error = INTERNAL;
	if (!error && standin_take(&memory, sizeof(struct window), (int)c->device))
		error = CUDA;
	if (error)
		return standin_group_fail(error);
	struct window *w = memory;
	*w = (struct window){.base = mmap(NULL, c->n * FAR, PROT_NONE,
	                                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0),
	                     .lsa_rank = (int)c->rank,
	                     .world_rank = (int)c->rank,
	                     .stride = FAR >> 32,
	                     .index = c->nwindows++,
	                     .comm = c,
	                     .region = region,
	                     .next = c->windows};
	c->windows = w;
	c->shared->rank[c->rank].windows[w->index].fd = fd;
	c->shared->rank[c->rank].windows[w->index].offset = offset;
	c->shared->rank[c->rank].windows[w->index].bytes = bytes;
	atomic_fetch_add(&c->shared->rank[c->rank].nwindows, 1);
	begun.list[begun.n++] = w;
	*out = w;
	return standin_group_is_open() ? OK : standin_windows_end(OK);
}

int ncclCommWindowDeregister(struct comm *c, void *handle)
{
	struct window *w = handle, **link = &c->windows;
	int error = standin_region_give(__func__, w->region);
	while (*link != w)
		link = &(*link)->next;
	*link = w->next;
	window_free(w);
	return error;
}
#endif

#if VERSION >= 22803
struct team ncclTeamLsa(struct comm *c)
{
	return (struct team){(int)c->n, (int)c->rank, 1};
}
#endif

#if VERSION >= 22902
int ncclGetPeerDevicePointer(struct window *w, size_t offset, int peer, void **out)
{
	int error = standin_enter(__func__);
	*out = w->base + (size_t)peer * FAR + offset;
	return error;
}
#endif
