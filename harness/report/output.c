#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

static int say(const char *file, struct status *st)
{
	return status_set(st, "cannot write %s: %s", file, strerror(errno));
}

static void part_of(const char *file, char part[PATH_MAX + 8])
{
	snprintf(part, PATH_MAX + 8, "%s.part", file);
}

FILE *output_open(const char *file, struct status *st)
{
	char part[PATH_MAX + 8];
	part_of(file, part);
	unlink(part);
	int fd = open(part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
	FILE *out = fd >= 0 ? fdopen(fd, "w") : NULL;
	if (!out) {
		say(file, st);
		if (fd >= 0)
			close(fd);
	}
	return out;
}

int output_close(FILE *out, const char *file, struct status *st)
{
	char part[PATH_MAX + 8];
	part_of(file, part);
	int failed = ferror(out);
	if (!(fclose(out) || failed) && !rename(part, file))
		return 0;
	say(file, st);
	unlink(part);
	return -1;
}
