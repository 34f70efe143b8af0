/* A lock that ends with its process, in a file that names its holder. */
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

/* Takes it without waiting. LOCK_ELSEWHERE: st names the holder as the file does ("process 7 on
 * host h since …"). -1 with a sentence: this file cannot be locked. Programs that are started
 * later do not inherit it. */
int lock_take(const char *file, struct lock *out, struct status *st);
/* Removes the file and unlocks. A lock that is not held is allowed. */
void lock_leave(struct lock *lock);

#endif
