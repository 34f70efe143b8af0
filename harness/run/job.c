#include "job.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../clock.h"
#include "../config/plan.h"

#define GRACE_NS 5000000000 /* mpirun needs a moment to end its processes */
#define LOOK_NS  500000000  /* between looks at whether the job has failed */

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

/* The signal comes for a parent that dies from here on, not for one that is already dead. */
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

static void become(char *const argv[], const char *const env[], unsigned nenv, const char *log_file,
                   int tell, pid_t parent)
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

static void watch(pid_t pid, const char *failed, unsigned timeout_s, struct job_result *out)
{
	int64_t deadline = clock_now_ns() + (int64_t)timeout_s * 1000000000;
	bool stopping = false, gives_up = false;
	int status = 0, signal;
	out->end = JOB_EXITED;
	while (waitpid(pid, &status, WNOHANG) == 0) {
		const int64_t now = clock_now_ns(), look = now + LOOK_NS;
		bool late = !wait_event(deadline < look ? deadline : look, &signal);
		if (late && look < deadline) {
			if (!stopping && !gives_up && failed && !access(failed, F_OK)) {
				gives_up = true;
				deadline = now + GRACE_NS < deadline ? now + GRACE_NS : deadline;
			}
			continue;
		}
		if (!late && (signal == SIGCHLD || signal <= 0))
			continue;
		if (stopping && !late)
			continue; /* already sent; a second Ctrl-C must not leave orphans */
		kill(-pid, stopping ? SIGKILL : SIGTERM);
		if (!stopping)
			*out = (struct job_result){!late      ? JOB_INTERRUPTED
			                           : gives_up ? JOB_EXITED
			                                      : JOB_TIMED_OUT,
			                           gives_up};
		stopping = true;
		deadline = clock_now_ns() + GRACE_NS;
	}
	kill(-pid, SIGKILL); /* what the leader left running */
	if (stopping)
		return;
	out->end = WIFSIGNALED(status) ? JOB_KILLED : JOB_EXITED;
	out->code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

int job_run(char *const argv[], const char *const env[], unsigned nenv, const char *log_file,
            const char *failed, unsigned timeout_s, struct job_result *out, struct status *st)
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
		status_set(st, "cannot start %s: %s", argv[0], strerror(pid < 0 ? errno : error));
		if (pid > 0)
			waitpid(pid, NULL, 0);
		close(tell[0]);
		return -1;
	}
	close(tell[0]);
	watch(pid, failed, timeout_s, &result);
	*out = result;
	return 0;
}

int job_run_trial(const struct trial *trial, const char *self, const char *scratch,
                  unsigned timeout_s, struct job_trial *out, struct status *st)
{
	char order[96], ended[112], failed[112];
	const char *env[TRIAL_MAX_ENV];
	struct launcher_argv argv = {0};
	int result = -1;
	snprintf(order, sizeof order, "%s/trial.json", scratch);
	snprintf(out->lines, sizeof out->lines, "%s/trial.json.lines", scratch);
	snprintf(out->log, sizeof out->log, "%s/log", scratch);
	snprintf(ended, sizeof ended, "%s" LAUNCHER_ENDED, order);
	snprintf(failed, sizeof failed, "%s" LAUNCHER_FAILED, order);
	remove(failed);
	remove(out->lines);
	remove(ended);
	for (unsigned i = 0; i < trial->settings.nenv; i++)
		env[i] = trial->settings.env[i];
	out->from_ns = clock_now_ns();
	if (!trial_save(trial, order, st) && !plan_command(trial, self, order, scratch, &argv, st))
		result = job_run(argv.args, env, trial->settings.nenv, out->log, failed, timeout_s,
		                 &out->result, st);
	out->to_ns = clock_now_ns();
	out->ended = !remove(ended);
	launcher_argv_free(&argv);
	return result;
}

/* Errors of MPI and its launcher: Open MPI's are "[host:pid] PMIX ERROR: …", MPICH's "[mpiexec@host] …",
 * "Abort(…) on node …". The first is the cause. */
static bool is_error(const char *line)
{
	static const struct {
		const char *begins, *has;
	} errors[] = {
	    {"[", "] PMIX ERROR"},
	    {"[", "] OPAL ERROR"},
	    {"[", "] ORTE_ERROR_LOG"},
	    {"[mpiexec@", "] "},
	    {"[proxy:", "] "},
	    {"Abort(", "Fatal error in "},
	    {"YOUR APPLICATION TERMINATED WITH", ": "},
	};
	for (unsigned i = 0; i < sizeof errors / sizeof *errors; i++)
		if (!strncmp(line, errors[i].begins, strlen(errors[i].begins)) &&
		    strstr(line, errors[i].has))
			return true;
	return false;
}

/* Whether a boxed text of mpirun says why it failed. Others sum up the end, or warn. */
static bool is_complaint(const char *line)
{
	static const char *const others[] = {"Primary job", "mpirun ", "prterun ", "WARNING"};
	for (unsigned i = 0; i < sizeof others / sizeof *others; i++)
		if (!strncmp(line, others[i], strlen(others[i])))
			return false;
	return true;
}

/* The job's own sentence, or the launcher's first error, or the last line that was printed. The
 * first paragraph of a boxed error is one sentence. True: it is an error. */
static bool read_log(const char *log, char *text, size_t bytes)
{
	char line[512];
	bool error = false, inside = false, opens = false, goes_on = false;
	FILE *f = fopen(log, "re");
	text[0] = '\0';
	while (f && fgets(line, sizeof line, f)) {
		line[strcspn(line, "\n")] = '\0';
		const size_t used = strlen(text);
		const bool edge = !strncmp(line, "-----", 5), words = line[0] && line[0] != '-';
		if (!strncmp(line, "launchgap: ", 11)) {
			snprintf(text, bytes, "%s", line + 11);
			error = true; /* our own sentence beats mpirun's epilogue */
			break;
		}
		if (goes_on)
			goes_on = words && snprintf(text + used, bytes - used, " %s", line) > 0;
		else if (words && !error)
			snprintf(text, bytes, "%s", line);
		goes_on = goes_on || (opens && words && !error && is_complaint(line));
		error = error || goes_on || is_error(line);
		inside = inside != edge;
		opens = edge && inside;
	}
	if (f)
		fclose(f);
	return error;
}

void job_error(const struct job_result *job, unsigned timeout_s, const char *log, char *text,
               size_t bytes)
{
	char words[512];
	bool error = read_log(log, words, sizeof words);
	const char *said = !words[0] ? "" : error ? "; first error: " : "; last said: ";
	if (job->end == JOB_TIMED_OUT)
		snprintf(text, bytes, "timed out after %u s (timeout = …)%s%s", timeout_s, said,
		         words);
	else if (job->end == JOB_KILLED)
		snprintf(text, bytes, "killed by signal %d (%s)%s%s", job->code,
		         strsignal(job->code), said, words);
	else
		snprintf(text, bytes, "%s", words[0] ? words : "the job exited without output");
}
