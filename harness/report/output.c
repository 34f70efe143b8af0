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

/* A file without a name, if its folder's file system has such ones: a process that is killed leaves
 * nothing. Else one of this process alone, as another may write the same file now. */
static int open_part(struct arena *arena, struct output *o)
{
	const char *slash = strrchr(o->file, '/');
	const char *folder =
	    slash ? arena_text(arena, "%.*s/", (int)(slash - o->file), o->file) : ".";
	const int flags = O_WRONLY | O_NOFOLLOW | O_CLOEXEC;
	unlink(o->part);
	const int fd = open(folder, O_TMPFILE | flags, 0666);
	o->named = fd < 0;
	return fd >= 0 ? fd : open(o->part, O_CREAT | O_EXCL | flags, 0666);
}

struct output *output_open(struct arena *arena, const char *file, struct status *st)
{
	struct output *o = ARENA_NEW(arena, struct output);
	o->file = arena_copy(arena, file);
	o->part = arena_text(arena, "%s.%ld.part", file, (long)getpid());
	int fd = open_part(arena, o);
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

/* Gives the file the name of its part; what is not yet written would show too late. */
static int name_part(const struct output *o)
{
	char own[32];
	snprintf(own, sizeof own, "/proc/self/fd/%d", fileno(o->out));
	return fflush(o->out) ||
	               (!o->named && linkat(AT_FDCWD, own, AT_FDCWD, o->part, AT_SYMLINK_FOLLOW))
	           ? -1
	           : 0;
}

int output_close(struct output *o, int rc, struct status *st)
{
	const int failed = ferror(o->out) || name_part(o), closed = fclose(o->out);
	o->out = NULL;
	if (!rc && !failed && !closed && !rename(o->part, o->file))
		return 0;
	if (!rc)
		say(o->file, st);
	unlink(o->part);
	return -1;
}

void output_append(const char *file, const char *text)
{
	/* A pipe would wait for a reader. */
	const int fd =
	    open(file, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0666);
	struct stat there;
	const bool odd = fd >= 0 && !fstat(fd, &there) && !S_ISREG(there.st_mode);
	FILE *out = fd >= 0 && !odd ? fdopen(fd, "a") : NULL;
	const bool cut = out && fputs(text, out) < 0;
	if (!out || fclose(out) || cut)
		status_say("cannot append to %s: %s", file,
		           odd ? "it is no regular file" : strerror(errno));
	if (!out && fd >= 0)
		close(fd);
}
