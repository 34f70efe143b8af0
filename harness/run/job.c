#include "job.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../clock.h"
#include "../config/plan.h"

#define GRACE_NS 5000000000 /* mpirun needs a moment to end its processes */

/* Those that stop us; and the end of a child. */
static sigset_t signals(bool child)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGQUIT);
	if (child)
		sigaddset(&set, SIGCHLD);
	return set;
}

void job_hold_signals(void)
{
	const sigset_t set = signals(true);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

void job_release_signals(void)
{
	const sigset_t set = signals(true);
	/* A second Ctrl-C while the jobs were being stopped meant them, not what follows. */
	while (job_interrupted())
		continue;
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

bool job_interrupted(void)
{
	const sigset_t set = signals(false);
	const struct timespec now = {0};
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

static void become(char *const argv[], const struct settings *set, const char *log_file, int tell,
                   pid_t parent)
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
			for (unsigned i = 0; i < set->nenv; i++)
				putenv((char *)(uintptr_t)set->env[i]);
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
	const sigset_t set = signals(true);
	int64_t left = deadline_ns - clock_now_ns();
	struct timespec t = {left / 1000000000, left % 1000000000};
	*signal = 0;
	if (left <= 0)
		return false;
	*signal = sigtimedwait(&set, NULL, &t);
	return *signal > 0 || errno != EAGAIN;
}

static unsigned hear(struct job *job)
{
	unsigned char word;
	while (job->pipe >= 0 && read(job->pipe, &word, 1) == 1)
		job->said |= word;
	return job->said;
}

static void watch(struct job *job, unsigned until)
{
	bool stopping = false, gives_up = false;
	int status = 0, signal;
	pid_t ended = 0;
	while ((stopping || !(hear(job) & until)) &&
	       !(ended = waitpid(job->pid, &status, WNOHANG))) {
		const int64_t grace_ns = clock_now_ns() + GRACE_NS;
		if (!stopping && !gives_up && job->said & LAUNCHER_FAILED) {
			gives_up = true;
			job->deadline_ns =
			    grace_ns < job->deadline_ns ? grace_ns : job->deadline_ns;
		}
		const bool late = !wait_event(job->deadline_ns, &signal);
		if (!late && (signal == SIGCHLD || signal <= 0))
			continue;
		if (stopping && !late)
			continue; /* already sent; a second Ctrl-C must not leave orphans */
		kill(-job->pid, stopping ? SIGKILL : SIGTERM);
		if (!stopping)
			job->result = (struct job_result){!late      ? JOB_INTERRUPTED
			                                  : gives_up ? JOB_EXITED
			                                             : JOB_TIMED_OUT,
			                                  gives_up};
		stopping = true;
		job->deadline_ns = clock_now_ns() + GRACE_NS;
	}
	if (!ended)
		return;
	kill(-job->pid, SIGKILL); /* what the leader left running */
	job->pid = 0;
	if (!stopping)
		job->result = WIFSIGNALED(status)
		                  ? (struct job_result){JOB_KILLED, WTERMSIG(status)}
		                  : (struct job_result){JOB_EXITED, WEXITSTATUS(status)};
}

static void shut(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* What it says is made known like a child's end. The pipe is open for reading alone: Linux signals
 * each read to those who write, too. The gate is open for both, so that it is a pipe without a
 * reader too. */
static int open_files(const char *scratch, unsigned slot, struct job *job, struct status *st)
{
	char pipe[112], gate[112];
	*job = (struct job){.pipe = -1, .gate = -1};
	snprintf(job->order, sizeof job->order, "%s/order.%u", scratch, slot);
	snprintf(job->lines, sizeof job->lines, "%s.lines", job->order);
	snprintf(job->log, sizeof job->log, "%s.log", job->order);
	snprintf(gate, sizeof gate, "%s" LAUNCHER_GATE, job->order);
	snprintf(pipe, sizeof pipe, "%s" LAUNCHER_PIPE, job->order);
	remove(job->lines);
	remove(gate);
	remove(pipe);
	if (mkfifo(pipe, 0600) || (job->pipe = open(pipe, O_RDONLY | O_NONBLOCK | O_CLOEXEC)) < 0 ||
	    fcntl(job->pipe, F_SETOWN, getpid()) || fcntl(job->pipe, F_SETSIG, SIGCHLD) ||
	    fcntl(job->pipe, F_SETFL, O_NONBLOCK | O_ASYNC))
		return status_set(st, "cannot make the pipe %s: %s", pipe, strerror(errno));
	if (mkfifo(gate, 0600) || (job->gate = open(gate, O_RDWR | O_CLOEXEC)) < 0)
		return status_set(st, "cannot make the pipe %s: %s", gate, strerror(errno));
	return 0;
}

static int start(char *const argv[], const struct settings *set, struct job *job, struct status *st)
{
	int tell[2], error = 0;
	if (pipe2(tell, O_CLOEXEC))
		return status_set(st, "cannot start %s: %s", argv[0], strerror(errno));
	pid_t self = getpid(), pid = fork();
	if (pid == 0)
		become(argv, set, job->log, tell[1], self);
	close(tell[1]);
	const bool failed = pid < 0 || read(tell[0], &error, sizeof error) == sizeof error;
	if (failed)
		status_set(st, "cannot start %s: %s", argv[0],
		           status_unstarted(pid < 0 ? errno : error));
	if (failed && pid > 0)
		waitpid(pid, NULL, 0);
	close(tell[0]);
	job->pid = failed ? 0 : pid;
	return failed ? -1 : 0;
}

int job_begin(const struct trial *trial, const char *self, const char *scratch, unsigned slot,
              struct job *out, struct status *st)
{
	struct launcher_argv argv = {0};
	int result = -1;
	if (!open_files(scratch, slot, out, st) && !trial_save(trial, out->order, st) &&
	    !plan_command(trial, self, out->order, scratch, &argv, st)) {
		out->from_ns = clock_now_ns();
		result = start(argv.args, &trial->settings, out, st);
	}
	launcher_argv_free(&argv);
	if (result)
		job_end(out);
	return result;
}

/* What passed since it gave the others their turn is not of its time. */
static void come_back(struct job *job)
{
	const int64_t away = job->gave_ns ? clock_now_ns() - job->gave_ns : 0;
	job->gave_ns = 0;
	job->deadline_ns += away;
	job->away_ns += away;
}

void job_release(struct job *job)
{
	job->said &= ~(unsigned)LAUNCHER_GIVES;
	if (write(job->gate, "", 1) != 1)
		status_say("cannot let a job go on: %s", strerror(errno));
}

/* Its time begins, if it has not. */
static void allow(struct job *job, unsigned timeout_s)
{
	if (!job->deadline_ns)
		job->deadline_ns = clock_now_ns() + (int64_t)timeout_s * 1000000000;
}

static void go_on(struct job *job, unsigned timeout_s, unsigned until)
{
	come_back(job);
	allow(job, timeout_s);
	job_release(job);
	watch(job, until);
}

bool job_measure(struct job *job, unsigned timeout_s)
{
	go_on(job, timeout_s, LAUNCHER_MEASURED);
	return job->pid;
}

bool job_ready(struct job *job, unsigned timeout_s)
{
	allow(job, timeout_s);
	watch(job, LAUNCHER_GIVES);
	return job->pid;
}

bool job_turn(struct job *job, unsigned timeout_s)
{
	go_on(job, timeout_s, LAUNCHER_GIVES | LAUNCHER_MEASURED);
	job->gave_ns = clock_now_ns();
	return job->pid && !(job->said & LAUNCHER_MEASURED);
}

void job_end(struct job *job)
{
	come_back(job);
	if (job->pid)
		watch(job, 0);
	job->to_ns = clock_now_ns() - job->away_ns;
	job->ended = hear(job) & LAUNCHER_ENDED;
	shut(&job->pipe);
	shut(&job->gate);
}

void job_drop(struct job *job)
{
	job->deadline_ns = 0;
	job_end(job);
}

int job_run(const struct trial *trial, const char *self, const char *scratch, unsigned timeout_s,
            struct job *out, struct status *st)
{
	if (job_begin(trial, self, scratch, 0, out, st))
		return -1;
	job_measure(out, timeout_s);
	job_end(out);
	return 0;
}

/* Errors of MPI and its launcher: Open MPI's are "[host:pid] PMIX ERROR: …", MPICH's
 * "[mpiexec@host] …", "Abort(…) on node …". The first is the cause. */
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
