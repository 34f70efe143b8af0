/* The version of a library's file, asked for where that leaves no trace: in a child. A library
 * that is loaded stays (it cannot be unloaded for good), and would from then on be what this
 * process gets for "libnccl.so.2", whatever the dynamic linker would find. */
#ifdef HAVE_CUDA_NCCL
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nccl.h"

/* What the child says: a version, or why there is none. */
struct answer {
	int rc;
	char version[32];
	struct status why;
};

/* Shorter than PIPE_BUF, so that it is written whole and before anybody reads. */
_Static_assert(sizeof(struct answer) < 4096, "an answer fits into a pipe");

static void answer_write(const char *library, int to)
{
	struct nccl_api api;
	struct answer answer = {0};
	answer.rc = nccl_api_load(library, &api, &answer.why);
	if (!answer.rc)
		memcpy(answer.version, api.version, sizeof answer.version);
	_exit(write(to, &answer, sizeof answer) == sizeof answer ? 0 : 1);
}

int nccl_version(const char *library, char *text, size_t bytes, struct status *st)
{
	struct answer answer;
	int ends[2], status;
	if (pipe(ends))
		return status_set(st, "cannot ask %s for its version: %s", library,
		                  strerror(errno));
	pid_t child = fork();
	if (child == 0)
		answer_write(library, ends[1]);
	close(ends[1]);
	ssize_t n = child < 0 ? -1 : read(ends[0], &answer, sizeof answer);
	close(ends[0]);
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (n != sizeof answer)
		return status_set(st, "%s ends the program that loads it", library);
	if (answer.rc)
		return status_set(st, "%s", answer.why.text);
	snprintf(text, bytes, "%s", answer.version);
	return 0;
}

#else
typedef int nccl_version_left_out; /* built without CUDA or NCCL */
#endif
