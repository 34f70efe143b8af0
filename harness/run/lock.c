#include "lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static void write_holder(int fd)
{
	char host[64] = "", since[32];
	time_t now = time(NULL);
	struct tm utc;
	gethostname(host, sizeof host - 1);
	gmtime_r(&now, &utc);
	strftime(since, sizeof since, "%Y-%m-%dT%H:%M:%SZ", &utc);
	/* A full disk may cut this text. It only informs: the kernel holds the lock. */
	if (!ftruncate(fd, 0))
		dprintf(fd, "process %d on %s since %s\n", (int)getpid(), host, since);
}

static int say_holder(int fd, struct status *st)
{
	char text[128];
	ssize_t n = pread(fd, text, sizeof text - 1, 0);
	text[n > 0 ? n : 0] = '\0';
	text[strcspn(text, "\n")] = '\0';
	status_set(st, "%s", text[0] ? text : "another process");
	return LOCK_ELSEWHERE;
}

/* Whether the name still leads to the open file: its last holder may have removed it meanwhile. */
static bool is_current(int fd, const char *file)
{
	struct stat open, named;
	return !fstat(fd, &open) && !lstat(file, &named) && open.st_ino == named.st_ino &&
	       open.st_dev == named.st_dev;
}

int lock_take(const char *file, struct lock *out, struct status *st)
{
	for (;;) {
		int fd = open(file, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
		if (fd < 0)
			return status_set(st, "cannot lock %s: %s", file, strerror(errno));
		if (flock(fd, LOCK_EX | LOCK_NB)) {
			int result = errno == EWOULDBLOCK ? say_holder(fd, st)
			                                  : status_set(st, "cannot lock %s: %s",
			                                               file, strerror(errno));
			close(fd);
			return result;
		}
		if (is_current(fd, file)) {
			write_holder(fd);
			*out = (struct lock){.held = true, .fd = fd};
			snprintf(out->file, sizeof out->file, "%s", file);
			return 0;
		}
		close(fd);
	}
}

void lock_leave(struct lock *lock)
{
	if (!lock->held)
		return;
	unlink(lock->file);
	close(lock->fd);
	lock->held = false;
}
