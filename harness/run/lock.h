/* A lock that dies with its process, in a file that says whose it is. */
#ifndef LAUNCHGAP_LOCK_H
#define LAUNCHGAP_LOCK_H

#include <limits.h>
#include <stdbool.h>

#include "../status.h"

struct lock {
	bool held;
	int fd;
	char file[PATH_MAX];
};

#define LOCK_ELSEWHERE 1 /* another process has it */

/* Takes it without waiting. LOCK_ELSEWHERE: st names the holder ("process 7 on host h since
 * …"), by what its file says. -1 with a sentence: it cannot be asked for here. Programs that
 * are started later do not inherit it. */
int lock_take(const char *file, struct lock *out, struct status *st);
/* Removes the file and lets go. A lock that is not held is allowed. */
void lock_leave(struct lock *lock);

#endif
