/* Memory of the stand-in for CUDA's runtime. A GPU's has a file each, for other processes. */
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "cudart.h"
#include "standin.h"

#define MEMORY_MIB (64ul << 10) /* of a GPU */

struct block {
	struct block *next;
	void *at;
	size_t bytes;
	int device; /* -1: of the host */
	int fd;     /* of a GPU's memory, which other processes may map */
	bool own;   /* copied only while its GPU is the current one */
};

static struct {
	pthread_mutex_t lock;
	struct block *blocks;
	size_t used[MOST_GPUS];
} here = {.lock = PTHREAD_MUTEX_INITIALIZER};

int memory_blocks(void)
{
	int blocks = 0;
	for (struct block *b = here.blocks; b; b = b->next)
		blocks++;
	return blocks;
}

size_t standin_gpu_bytes(void)
{
	const char *mib = getenv("STANDIN_MIB");
	return (mib ? strtoul(mib, NULL, 10) : MEMORY_MIB) << 20;
}

static void block_free(struct block *b)
{
	munmap(b->at, b->bytes);
	if (b->fd >= 0)
		close(b->fd);
	free(b);
}

static struct block *block_make(size_t bytes, int device, bool own)
{
	struct block *b = malloc(sizeof *b);
	*b = (struct block){.bytes = bytes ? bytes : 1, .device = device, .own = own, .fd = -1};
	if (device >= 0)
		b->fd = memfd_create("standin-gpu", MFD_CLOEXEC);
	if (b->fd >= 0 && ftruncate(b->fd, (off_t)b->bytes))
		abort();
	b->at =
	    mmap(NULL, b->bytes, PROT_READ | PROT_WRITE,
	         b->fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE : MAP_SHARED, b->fd, 0);
	if (b->at == MAP_FAILED)
		abort();
	return b;
}

static cudaError_t take_memory(void **out, size_t bytes, int device, bool own)
{
	struct block *b = NULL;
	pthread_mutex_lock(&here.lock);
	if (device < 0 || here.used[device] + bytes <= standin_gpu_bytes())
		b = block_make(bytes, device, own);
	if (b) {
		b->next = here.blocks;
		here.blocks = b;
		*out = b->at;
	}
	if (b && device >= 0)
		here.used[device] += b->bytes;
	pthread_mutex_unlock(&here.lock);
	return b ? cudaSuccess : cudaErrorMemoryAllocation;
}

static cudaError_t give_memory(void *at, bool host)
{
	struct block **link = &here.blocks, *found;
	if (!at)
		return cudaSuccess;
	pthread_mutex_lock(&here.lock);
	while (*link && ((*link)->at != at || ((*link)->device < 0) != host))
		link = &(*link)->next;
	found = *link;
	if (found)
		*link = found->next;
	if (found && !host)
		here.used[found->device] -= found->bytes;
	pthread_mutex_unlock(&here.lock);
	if (!found)
		return cudaErrorInvalidValue;
	block_free(found);
	return cudaSuccess;
}

static struct block *block_of(const void *at)
{
	struct block *b = here.blocks;
	while (b &&
	       ((const char *)at < (char *)b->at || (const char *)at >= (char *)b->at + b->bytes))
		b = b->next;
	return b;
}

cudaError_t standin_take(void **out, size_t bytes, int device)
{
	return take_memory(out, bytes, device, true);
}

bool memory_is_foreign(const void *at)
{
	pthread_mutex_lock(&here.lock);
	const struct block *b = block_of(at);
	const bool foreign = b && b->own && b->device != (int)standin_current();
	pthread_mutex_unlock(&here.lock);
	return foreign;
}

void standin_release(void *at)
{
	give_memory(at, false);
}

int standin_memory(const void *at, size_t *offset)
{
	pthread_mutex_lock(&here.lock);
	const struct block *b = block_of(at);
	const int fd = b ? b->fd : -1;
	if (b)
		*offset = (size_t)((const char *)at - (char *)b->at);
	pthread_mutex_unlock(&here.lock);
	return fd;
}

/* A file's new pages are zero, and take no time. */
bool memory_clear(const void *at, size_t bytes)
{
	size_t offset;
	const int fd = standin_memory(at, &offset);
	return fd >= 0 && !fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)offset,
	                             (off_t)bytes);
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *out, const void *at)
{
	cudaError_t error = standin_enter_cuda(__func__);
	size_t offset;
	out->type =
	    standin_memory(at, &offset) < 0 ? cudaMemoryTypeUnregistered : cudaMemoryTypeDevice;
	return error;
}

cudaError_t cudaMalloc(void **out, size_t bytes)
{
	cudaError_t error = standin_enter_unsafe(__func__);
	return error ? error : take_memory(out, bytes, (int)standin_current(), false);
}

/* Waits for everything that may still use it: copies from other GPUs too. */
cudaError_t cudaFree(void *at)
{
	cudaError_t error = standin_enter_cuda(__func__), own;
	while (at && standin_is_busy())
		nanosleep(&(struct timespec){0, 20000}, NULL);
	own = give_memory(at, false);
	return error ? error : own;
}

cudaError_t cudaHostAlloc(void **out, size_t bytes, unsigned flags)
{
	cudaError_t error = standin_enter_unsafe(__func__);
	return error ? error : take_memory(out, bytes, -1, false);
}

cudaError_t cudaFreeHost(void *at)
{
	cudaError_t error = standin_enter_cuda(__func__), own = give_memory(at, true);
	return error ? error : own;
}

cudaError_t cudaMemGetInfo(size_t *left, size_t *all)
{
	cudaError_t error = standin_enter_cuda(__func__);
	pthread_mutex_lock(&here.lock);
	*left = standin_gpu_bytes() - here.used[standin_current()];
	pthread_mutex_unlock(&here.lock);
	*all = standin_gpu_bytes();
	return error;
}
