/* The backends, one row each; `backend = auto` takes the first that fits the machine. */
#include "table.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "../sanitize.h"

extern const struct backend backend_nccl, backend_host, backend_gloo, backend_mpi, backend_null;

const struct backend *const backend_table[] = {&backend_nccl, &backend_host, &backend_gloo,
                                               &backend_mpi,  &backend_null, NULL};

const struct backend *backend_find(const char *name)
{
	for (const struct backend *const *b = backend_table; *b; b++)
		if (!strcmp((*b)->name, name))
			return *b;
	return NULL;
}

const char *backend_name(unsigned i)
{
	return backend_table[i] ? backend_table[i]->name : NULL;
}

/* What a driver's library starts takes no signal that the program waits for (Ctrl-C). */
unsigned backend_capacity(const char *name, struct status *st)
{
	const struct backend *b = backend_find(name);
	sigset_t all, before;
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	const unsigned capacity = !b ? 0 : b->capacity ? b->capacity(st) : UINT_MAX;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return capacity;
}

bool backend_uses(const struct backend *b, const char *key)
{
	for (unsigned i = 0; b->uses && b->uses[i]; i++)
		if (!strcmp(b->uses[i], key))
			return true;
	return b->is.library && !strncmp(key, "env.NCCL_", 9);
}

const char *backend_using(const char *key)
{
	for (const struct backend *const *b = backend_table; *b; b++)
		if (backend_uses(*b, key))
			return (*b)->name;
	return NULL;
}

bool backend_ignores(const struct settings *settings, char *key, size_t bytes, const char *needs[2])
{
	const struct backend *own = backend_find(settings->backend);
	bool ignored = settings_unused(settings, own ? own->uses : NULL, key, bytes);
	for (unsigned i = 0; i < settings->nenv && !ignored; i++) {
		const char *entry = settings->env[i];
		snprintf(key, bytes, "env.%.*s", (int)strcspn(entry, "="), entry);
		ignored = !strncmp(entry, "NCCL_", 5) && !(own && own->is.library);
	}
	unsigned n = 0;
	needs[0] = needs[1] = NULL;
	for (const struct backend *const *b = backend_table; ignored && *b && n < 2; b++)
		if (backend_uses(*b, key))
			needs[n++] = (*b)->name;
	return ignored;
}

const struct backend_traits *traits_find(const char *backend)
{
	static const struct backend_traits usual = {.carries_data = true, .launches = true};
	const struct backend *known = backend_find(backend);
	return known ? &known->is : &usual;
}

/* --- the file that is named as a library --- */

#define MOST_BYTES ((off_t)4 << 30) /* NCCL with the code of all GPUs has a tenth of it */

static int look_at(const char *file, char real[PATH_MAX], struct status *st)
{
	const char *why = realpath(file, real) ? "" : strerror(errno);
	const int fd = *why ? -1 : sanitize_open(real, MOST_BYTES, &why);
	if (fd < 0)
		return status_set(st, "%s cannot be read: %s", file, why);
	close(fd);
	if (strlen(real) >= LIBRARY_FILE_BYTES)
		return status_set(st, "the path %.60s… is too long", real);
	return 0;
}

int backend_library(const char *name, struct library *out, struct status *st)
{
	struct library found = {.file = ""};
	char real[PATH_MAX] = "";
	if (strchr(name, '/') && look_at(name, real, st))
		return -1;
	for (const struct backend *const *b = backend_table; *b && !found.version[0]; b++)
		if ((*b)->library &&
		    ((*b)->library(name, &found, st) || look_at(found.file, real, st)))
			return -1;
	snprintf(found.file, sizeof found.file, "%.*s", LIBRARY_FILE_BYTES - 1, real);
	*out = found;
	return 0;
}

void backend_library_sum(const char *file, char sum[17])
{
	const char *why;
	const int fd = sanitize_open(file, MOST_BYTES, &why);
	const off_t end = fd < 0 ? 0 : lseek(fd, 0, SEEK_END);
	const size_t bytes = end > 0 ? (size_t)end : 0;
	void *all = bytes ? mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
	sum[0] = '\0';
	if (all != MAP_FAILED) {
		snprintf(sum, 17, "%016" PRIx64, (uint64_t)XXH3_64bits(all, bytes));
		munmap(all, bytes);
	}
	if (fd >= 0)
		close(fd);
}
