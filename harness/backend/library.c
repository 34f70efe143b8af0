/* Whether what is named as a library is one, asked before the first trial. */
#include "backend.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int backend_library(const char *file, char *version, size_t bytes, struct status *st)
{
	struct stat about;
	char found[32] = "";
	if (stat(file, &about) || access(file, R_OK))
		return status_set(st, "%s cannot be read: %s", file, strerror(errno));
	if (!S_ISREG(about.st_mode))
		return status_set(st, "%s is no file", file);
	for (const struct backend *const *b = backend_table; *b && !found[0]; b++)
		if ((*b)->version && (*b)->version(file, found, sizeof found, st))
			return -1;
	snprintf(version, bytes, "%s", found);
	return 0;
}
