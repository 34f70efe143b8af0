#include "part.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

/* Beside the program, beside its folder (tests), where it is installed; else where the dynamic
 * linker looks. Not by a run path: sanitizers call dlopen from their own library. */
static void *open_beside(const char *file, int flags)
{
	static const char *const places[] = {"", "/..", "/../lib/launchgap"};
	char program[PATH_MAX], path[PATH_MAX + 64];
	ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
	program[n > 0 ? n : 0] = '\0';
	char *slash = strrchr(program, '/');
	for (unsigned i = 0; slash && i < sizeof places / sizeof *places; i++) {
		snprintf(path, sizeof path, "%.*s%s/%s", (int)(slash - program), program, places[i],
		         file);
		if (!access(path, R_OK))
			return dlopen(path, flags);
	}
	return dlopen(file, flags);
}

const void *part_load(const struct part *part, void **library, struct status *st)
{
	const void *entry = NULL;
	*library = open_beside(part->file, RTLD_NOW | (part->global ? RTLD_GLOBAL : RTLD_LOCAL));
	if (*library)
		entry = dlsym(*library, part->entry);
	if (!entry)
		status_set(st, "no %s here: %s. %s", part->what, dlerror(), part->remedy);
	if (!entry && *library)
		dlclose(*library);
	return entry;
}

int part_ask(void (*ask)(const char *of, void *answer), const char *of, void *answer, size_t bytes,
             struct status *st)
{
	int ends[2];
	if (pipe2(ends, O_CLOEXEC))
		return status_set(st, "cannot start a process: %s", strerror(errno));
	pid_t child = fork();
	if (child < 0)
		status_set(st, "cannot start a process: %s", status_unstarted(errno));
	if (child == 0) {
		ask(of, answer);
		_exit(write(ends[1], answer, bytes) == (ssize_t)bytes ? 0 : 1);
	}
	close(ends[1]);
	ssize_t n = child < 0 ? -1 : TEMP_FAILURE_RETRY(read(ends[0], answer, bytes));
	close(ends[0]);
	if (child > 0)
		(void)TEMP_FAILURE_RETRY(waitpid(child, NULL, 0));
	return n == (ssize_t)bytes ? 0 : -1;
}
