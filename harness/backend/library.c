/* Whether the file that is named as a library is one, and which file it is; once, before the first
 * trial. */
#include "table.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "../sanitize.h"

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
