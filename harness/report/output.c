#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int say(const char *file, struct status *st)
{
	return status_set(st, "cannot write %s: %s", file, strerror(errno));
}

static void forget(void *of)
{
	struct output *o = of;
	if (!o->out)
		return;
	fclose(o->out);
	unlink(o->part);
}

struct output *output_open(struct arena *arena, const char *file, struct status *st)
{
	struct output *o = ARENA_NEW(arena, struct output);
	o->file = arena_copy(arena, file);
	o->part = arena_text(arena, "%s.part", file);
	unlink(o->part);
	int fd = open(o->part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
	o->out = fd >= 0 ? fdopen(fd, "w") : NULL;
	if (!o->out) {
		say(file, st);
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	arena_defer(arena, forget, o);
	return o;
}

struct output *output_open_named(struct arena *arena, const char *file, struct status *st)
{
	struct stat there;
	if (!stat(file, &there) && !S_ISREG(there.st_mode)) {
		status_set(st, "cannot write %s: it is no regular file", file);
		return NULL;
	}
	char *real = realpath(file, NULL);
	struct output *o = output_open(arena, real ? real : file, st);
	free(real);
	return o;
}

int output_close(struct output *o, int rc, struct status *st)
{
	const int failed = ferror(o->out), closed = fclose(o->out);
	o->out = NULL;
	if (!rc && !failed && !closed && !rename(o->part, o->file))
		return 0;
	if (!rc)
		say(o->file, st);
	unlink(o->part);
	return -1;
}
