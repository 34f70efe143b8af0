#include "job.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../clock.h"

#define GRACE_NS 5000000000 /* mpirun needs a moment to take its processes along */

static void stop_set(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGHUP);
	sigaddset(set, SIGQUIT);
}

static void held_set(sigset_t *set)
{
	stop_set(set);
	sigaddset(set, SIGCHLD);
}

void job_hold_signals(void)
{
	sigset_t set;
	held_set(&set);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

void job_release_signals(void)
{
	sigset_t set;
	held_set(&set);
	/* A second Ctrl-C while the jobs were being stopped meant them, not what follows. */
	while (job_interrupted())
		continue;
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

bool job_interrupted(void)
{
	sigset_t set;
	const struct timespec now = {0};
	stop_set(&set);
	return sigtimedwait(&set, NULL, &now) > 0;
}

/* The signal is of a parent's death from here on: of one that has died already there is none.
 */
static void follow(int signal, pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, signal);
	if (getppid() != parent)
		_exit(126);
}

void job_follow_parent(void)
{
	follow(SIGKILL, getppid());
}

static void become(char *const argv[], const char *const env[], unsigned nenv,
                   const char *log_file, int tell, pid_t parent)
{
	int in = open("/dev/null", O_RDONLY);
	int log = in < 0 ? -1 : open(log_file, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	int error = errno;
	setpgid(0, 0);
	follow(SIGTERM, parent);
	job_release_signals();
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	if (log >= 0) {
		if (dup2(in, 0) == 0 && dup2(log, 1) == 1 && dup2(log, 2) == 2) {
			for (unsigned i = 0; i < nenv; i++)
				putenv((char *)(uintptr_t)env[i]);
			execvp(argv[0], argv);
		}
		error = errno;
	}
	if (write(tell, &error, sizeof error) < 0)
		_exit(126);
	_exit(127);
}

/* Waits for the child, a signal or the deadline; false at the deadline. */
static bool wait_event(int64_t deadline_ns, int *signal)
{
	sigset_t set;
	int64_t left = deadline_ns - clock_now_ns();
	struct timespec t = {left / 1000000000, left % 1000000000};
	held_set(&set);
	*signal = 0;
	if (left <= 0)
		return false;
	*signal = sigtimedwait(&set, NULL, &t);
	return *signal > 0 || errno != EAGAIN;
}

static void watch(pid_t pid, unsigned timeout_s, struct job_result *out)
{
	int64_t deadline = clock_now_ns() + (int64_t)timeout_s * 1000000000;
	bool stopping = false;
	int status = 0, signal;
	out->end = JOB_EXITED;
	while (waitpid(pid, &status, WNOHANG) == 0) {
		bool late = !wait_event(deadline, &signal);
		if (!late && (signal == SIGCHLD || signal <= 0))
			continue;
		if (stopping && !late)
			continue; /* told already; a second Ctrl-C does not leave orphans */
		kill(-pid, stopping ? SIGKILL : SIGTERM);
		if (!stopping)
			out->end = late ? JOB_TIMED_OUT : JOB_INTERRUPTED;
		stopping = true;
		deadline = clock_now_ns() + GRACE_NS;
	}
	kill(-pid, SIGKILL); /* whatever the group's leader left behind */
	if (stopping)
		return;
	out->end = WIFSIGNALED(status) ? JOB_KILLED : JOB_EXITED;
	out->code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

int job_run(char *const argv[], const char *const env[], unsigned nenv, const char *log_file,
            unsigned timeout_s, struct job_result *out, struct status *st)
{
	int tell[2], error = 0;
	struct job_result result = {0};
	if (pipe2(tell, O_CLOEXEC))
		return status_set(st, "cannot start %s: %s", argv[0], strerror(errno));
	pid_t self = getpid(), pid = fork();
	if (pid == 0)
		become(argv, env, nenv, log_file, tell[1], self);
	close(tell[1]);
	if (pid < 0 || read(tell[0], &error, sizeof error) == sizeof error) {
		status_set(st, "cannot start %s: %s", argv[0],
		           strerror(pid < 0 ? errno : error));
		if (pid > 0)
			waitpid(pid, NULL, 0);
		close(tell[0]);
		return -1;
	}
	close(tell[0]);
	watch(pid, timeout_s, &result);
	*out = result;
	return 0;
}
