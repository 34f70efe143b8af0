/* Places where a fault is injected. Linked into build/faulty, which is otherwise the program; the
 * linker's --wrap redirects the calls that FAULTY names in tests/tests.mk to here.
 *
 * FAULT_AT names a place. The first process that reaches it, at or after the trial whose order is
 * FAULT_TRIAL, writes its id into FAULT_FOLDER/here and waits for FAULT_FOLDER/go: the injector
 * holds the process at that place, with no clock involved. Then FAULT_DOES says what the process
 * itself does there. Without FAULT_AT it behaves as the program. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../harness/backend/table.h"
#include "../harness/core/buffers.h"
#include "../harness/core/loop.h"
#include "../harness/record/record_file.h"
#include "../harness/report/page.h"
#include "../harness/report/gnuplot.h"
#include "../harness/run/folder.h"
#include "../harness/run/job.h"
#include "../harness/verbs/verbs.h"

/* Takes the place of a function, which is __real_NAME here. */
#define WRAP(RETURNS, NAME, ...)                                                                   \
	RETURNS __real_##NAME(__VA_ARGS__);                                                        \
	RETURNS __wrap_##NAME(__VA_ARGS__);                                                        \
	RETURNS __wrap_##NAME(__VA_ARGS__)

static unsigned trial_order = UINT_MAX; /* of this job's trial; the runner has none */
static unsigned kept;                   /* trials whose lines the runner took */
static unsigned lines;                  /* that were written for this job's trial */
static bool drawing;
static time_t step_s; /* of the wall clock */
static const struct backend *real;
static struct backend struck;
static __thread bool last; /* the last worker, at which faults strike */
static __thread enum { COLD, WARM, TIMED, PAST } stage;
static __thread unsigned polls;

static const char *said(const char *key)
{
	const char *value = getenv(key);
	return value ? value : "";
}

static bool does(const char *what)
{
	return !strcmp(said("FAULT_DOES"), what);
}

/* Announces this process and waits; a minute at most, in case the injector is gone. */
static void wait_at(const char *folder)
{
	const struct timespec tick = {0, 1000000};
	const int in = open(folder, O_DIRECTORY | O_CLOEXEC),
	          fd = openat(in, "here.part", O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	dprintf(fd, "%d", (int)getpid());
	close(fd);
	renameat(in, "here.part", in, "here");
	for (unsigned i = 0; i < 60000 && faccessat(in, "go", F_OK, 0); i++)
		nanosleep(&tick, NULL);
	close(in);
}

/* Whether the fault strikes here: once, in one process. */
static bool strikes(const char *place)
{
	char token[PATH_MAX];
	if (strcmp(said("FAULT_AT"), place) || trial_order < (unsigned)atoi(said("FAULT_TRIAL")))
		return false;
	snprintf(token, sizeof token, "%s/token", said("FAULT_FOLDER"));
	int fd = open(token, O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0)
		return false;
	close(fd);
	wait_at(said("FAULT_FOLDER"));
	step_s = does("clock back") ? -3600 : does("clock forward") ? 3600 : 0;
	if (does("hang"))
		for (;;)
			pause();
	if (does("late"))
		sleep(3);
	return true;
}

static bool fails(const char *place)
{
	return strikes(place) && does("error");
}

/* --- the worker: around its backend's calls --- */

/* Before the processes find each other: the last one that the job itself started. */
WRAP(int, verb_worker, int argc, char *argv[], const struct home *home, struct status *st)
{
	struct trial *trial = NULL;
	if (argc == 7 && atoi(argv[6]) + 1 == atoi(argv[4]) && !trial_load(argv[3], &trial, st)) {
		job_follow_parent();
		trial_order = trial->order;
		trial_free(trial);
		strikes("meet");
	}
	return __real_verb_worker(argc, argv, home, st);
}

WRAP(int, trial_take, const void *order, size_t bytes, const char *file, struct trial **out,
     struct status *st)
{
	int result = __real_trial_take(order, bytes, file, out, st);
	if (result)
		return result;
	trial_order = (*out)->order;
	strikes("start");
	return 0;
}

static int open_struck(const struct backend_place *place, struct backend_ctx **out,
                       struct status *st)
{
	last = place->worker + 1 == layout_workers(place->trial->settings.layout);
	if (last && fails("open"))
		return status_set(st, "the library says no");
	return real->open(place, out, st);
}

static int poll_struck(struct backend_ctx *ctx, unsigned i)
{
	if (last && ((stage == WARM && fails("warm-up")) ||
	             (stage == TIMED && ++polls > 2 && fails("timed loop"))))
		return -1;
	return real->poll(ctx, i);
}

static void error_struck(struct backend_ctx *ctx, struct status *st)
{
	(void)ctx;
	status_set(st, "the library says no");
}

WRAP(int, buffers_check, const struct buffers *buffers, struct backend_verdict *out,
     struct status *st)
{
	if (last && strikes("check")) {
		if (does("error"))
			return status_set(st, "the library says no");
		if (does("wrong data") && buffers_corrupt(buffers, 1, 0, st))
			return -1;
	}
	return __real_buffers_check(buffers, out, st);
}

static void close_struck(struct backend_ctx *ctx)
{
	if (last)
		strikes("close");
	real->close(ctx);
}

WRAP(const struct backend *, backend_find, const char *name)
{
	const struct backend *found = __real_backend_find(name);
	if (trial_order == UINT_MAX || !found)
		return found;
	real = found;
	struck = *found;
	struck.open = open_struck;
	struck.poll = poll_struck;
	struck.error = error_struck;
	struck.close = close_struck;
	return &struck;
}

WRAP(int, loop_first_call, struct loop *loop, int64_t *length_ns)
{
	const int result = __real_loop_first_call(loop, length_ns);
	stage = stage == COLD ? WARM : PAST;
	return result;
}

WRAP(int, loop_measure_rows, struct loop *loop, unsigned cell)
{
	stage = TIMED;
	const int result = __real_loop_measure_rows(loop, cell);
	stage = PAST;
	return result;
}

/* A host's silence is heard soon. */
WRAP(int, hosts_link_open, const struct hosts_link_place *place, struct hosts_link **out,
     struct status *st)
{
	struct hosts_link_place hasty = *place;
	if (does("soon"))
		hasty.silence_ms = 2500;
	return __real_hosts_link_open(&hasty, out, st);
}

WRAP(int, record_line_put, FILE *out, const char *object)
{
	int result = __real_record_line_put(out, object);
	if (trial_order != UINT_MAX && ++lines == 1)
		strikes("write");
	return result;
}

/* --- the runner --- */

WRAP(int, folder_append, struct folder *folder, const char *file, struct status *st)
{
	if (kept++ >= (unsigned)atoi(said("FAULT_TRIAL")))
		strikes("keep");
	return __real_folder_append(folder, file, st);
}

WRAP(int, gnuplot_write, const struct model *m, const char *plots, unsigned *variants,
     struct status *st)
{
	drawing = true;
	return __real_gnuplot_write(m, plots, variants, st);
}

/* gnuplot's second child is the first that draws. */
WRAP(pid_t, waitpid, pid_t pid, int *status, int options)
{
	static unsigned children;
	if (drawing && ++children == 2)
		strikes("pictures");
	return __real_waitpid(pid, status, options);
}

/* report.md is there by then, and report.html is open. */
WRAP(void, page_begin, struct page *page, const char *title)
{
	strikes("report");
	__real_page_begin(page, title);
}

/* --- the wall clock --- */

WRAP(int, clock_gettime, clockid_t clock, struct timespec *out)
{
	int result = __real_clock_gettime(clock, out);
	if (clock == CLOCK_REALTIME)
		out->tv_sec += step_s;
	return result;
}
