/* Faults that are injected into runs: something is killed, stopped, full, removed, late or wrong,
 * at any place of a run. After each: the run ended, with the documented exit status; no process and
 * no file of it is left; no line that was kept is lost or torn; every verb reads the record; and a
 * resume completes it.
 *
 * The program under test is build/faulty (faulty.c): it reaches a place and waits there until the
 * fault has struck. As a test it injects one of each fault, in turn in other places, modes and
 * backends. `test_faults all` injects every one and prints the table of tests/README.md. */
#include <glob.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>

#include "cli.h"
#include "json.h"
#include "standin.h"
#include "fault_target.h"
#include "test.h"

/* Where a run is: in a job, and then in the runner. */
enum place { MEET, START, OPEN, WARM_UP, TIMED, CHECK, CLOSE, WRITE, KEEP, DRAW, REPORT, PLACES };
static const char *const places[] = {"meet",  "start", "open", "warm-up",  "timed loop", "check",
                                     "close", "write", "keep", "pictures", "report"};
#define AT(PLACE) (1u << (PLACE))
#define CALLS     (AT(OPEN) | AT(WARM_UP) | AT(TIMED) | AT(CHECK))
#define JOB       (CALLS | AT(START) | AT(CLOSE) | AT(WRITE))
#define LINKED    (CALLS | AT(CLOSE))
#define MEETING   (LINKED | AT(MEET) | AT(START))
#define DRAWING   (AT(DRAW) | AT(REPORT))
#define ALL       (JOB | AT(KEEP) | DRAWING)

/* How ranks are placed: on one host by each mode; on two simulated hosts; on two of tests/rig. */
static const struct {
	const char *name, *keys;
} modes[] = {
    {"single", "ranks = 2\n[variant v]\nmode = single\n"},
    {"threads", "ranks = 2\n[variant v]\nmode = threads\n"},
    {"processes", "ranks = 2\n[variant v]\nmode = processes\n"},
    {"hosts", "ranks = 4\n[variant v]\nmode = processes\nlauncher = exec\nhosts = 2\n"},
    {"rig", "ranks = 4\n[variant v]\nmode = processes\nlauncher = mpirun\nhosts = hosta:2,hostb:2\n"
            "wait = yield\n"},
};
#define NMODES LENGTH(modes)
enum { SINGLE = 1, THREADS = 2, PROCESSES = 4, MODES = 7, HOSTS = 8, RIG = 16 };
static const char *const backends[] = {"null", "host"};
enum { VIRTUAL = 1, HOST = 2, BACKENDS = 3 };

enum victim { NOBODY, WORKER, MPIRUN, RUNNER, FIRST_HOST, LAST_HOST };

#define PAUSE     3   /* seconds that a victim of SIGSTOP does not run */
#define MAY_FAIL  256 /* 0 or 1: depends on whether it had done its part before */
#define BOUND     90  /* seconds: a run that has not ended by then hangs */
#define STRUCK_AT 2   /* the first trial of the second block, so that there is a record */

/* A fault (the table is below): which process gets which signal; what the process that reaches the
 * place does there; or what another process does meanwhile. Then the exit status, and another one
 * for a fault after the record's end. */
struct shot;
struct fault {
	const char *name;
	enum victim victim;
	int signal;
	const char *does;
	void (*strike)(struct shot *s);
	unsigned places, modes, backends;
	int code, drawing_code;
	const char *keys;    /* of the experiment */
	bool disturbs;       /* a rank that does not run in its timed calls */
	const char *says[2]; /* the run says one of them; {NULL}: it may say anything */
};

/* What is wrong after a fault. */
#define HANGS       "hangs"
#define PROCESS     "processes left"
#define FILE_LEFT   "files left"
#define LINE        "lines lost or torn"
#define UNREADABLE  "records that a verb cannot read"
#define STATUS      "other exit statuses"
#define NOT_RESUMED "runs not completed by a resume"
#define UNFLAGGED   "disturbances not flagged"
#define UNSAID      "causes not said"

struct shot {
	const struct fault *fault;
	enum place place;
	unsigned mode, backend;
	bool own_shm; /* /dev/shm is this test's alone, and disks may be filled */
	char folder[64], results[80], run[256], scratch[64], program[PATH_MAX];
	pid_t runner, victim;
	char *record;     /* as it was when the fault struck */
	bool more_blocks; /* it says that going on takes blocks=1 */
	bool begun;       /* the last block lacks trials */
	/* What came out. */
	bool fired, skipped;
	bool leaves; /* its scratch folder, which is left if the runner is killed */
	char why[400];
};

__attribute__((format(printf, 3, 4))) static void is_ill(struct shot *s, const char *ill,
                                                         const char *format, ...)
{
	va_list args;
	if (s->why[0])
		return;
	va_start(args, format);
	const int n = snprintf(s->why, sizeof s->why, "%s: ", ill);
	vsnprintf(s->why + n, sizeof s->why - (size_t)n, format, args);
	va_end(args);
}

static void rest_ms(unsigned ms)
{
	nanosleep(&(struct timespec){ms / 1000, (long)(ms % 1000) * 1000000}, NULL);
}

/* --- processes and files of a run --- */
/* The folder that the runner owns. */
static void find_scratch(struct shot *s)
{
	const char *owner = test_text("process %d on ", (int)s->runner);
	glob_t found;
	glob("/dev/shm/launchgap-*/owner", 0, NULL, &found);
	glob("/tmp/launchgap-*/owner", GLOB_APPEND, NULL, &found);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		const char *file = found.gl_pathv[i], *text = cli_read(file);
		if (text && !strncmp(text, owner, strlen(owner)))
			snprintf(s->scratch, sizeof s->scratch, "%.*s",
			         (int)(strrchr(file, '/') - file), file);
	}
	globfree(&found);
}

static char *record_of(const struct shot *s)
{
	return cli_read(test_text("%s/trials.jsonl", s->run));
}

/* --- faults that another process causes --- */

static void remove_results(struct shot *s)
{
	cli_clean(s->results);
}

/* To its first line. */
static void cut_record(struct shot *s)
{
	if (truncate(test_text("%s/trials.jsonl", s->run), strchr(s->record, '\n') + 1 - s->record))
		is_ill(s, STATUS, "cannot cut the record");
}

/* Until there is no room for a page more. */
static void fill(const char *folder)
{
	char page[4096] = "";
	int fd = open(test_text("%s/fill", folder), O_WRONLY | O_CREAT, 0666);
	while (write(fd, page, sizeof page) > 0)
		continue;
	close(fd);
}

static void fill_results(struct shot *s)
{
	fill(s->results);
}

static void fill_scratch(struct shot *s)
{
	(void)s;
	fill("/dev/shm");
}

static void make_room(const struct shot *s)
{
	unlink(test_text("%s/fill", s->results));
	if (s->own_shm)
		unlink("/dev/shm/fill");
}

/* Limits the victim to the memory that it has now. */
static void take_memory(struct shot *s)
{
	unsigned long pages = 0;
	const char *text = cli_read(test_text("/proc/%d/statm", (int)s->victim));
	if (!text || sscanf(text, "%lu", &pages) != 1)
		is_ill(s, STATUS, "cannot read its memory");
	rlim_t bytes = pages * (rlim_t)sysconf(_SC_PAGESIZE);
	prlimit(s->victim, RLIMIT_AS, &(struct rlimit){bytes, bytes}, NULL);
}

static void throw_garbage(struct shot *s)
{
	if (target_strangers(s->victim) < TARGET_STRANGERS)
		is_ill(s, STATUS, "not all strangers came");
}

static void lose_link(struct shot *s)
{
	if (!target_link(s->folder, "hostb down"))
		is_ill(s, STATUS, "the link is not taken away");
}

static void slow_link(struct shot *s)
{
	if (!target_link(s->folder, "hostb 300kbit"))
		is_ill(s, STATUS, "the link is not made slow");
}

// clang-format off
static const struct fault faults[] = {
    {"worker killed",          WORKER, SIGKILL, "", NULL, JOB, MODES | HOSTS, BACKENDS, 1, 0, "", false, {NULL}},
    {"worker crashes",         WORKER, SIGSEGV, "", NULL, JOB, MODES, BACKENDS, 1, 0, "", false, {NULL}},
    {"worker interrupted",     WORKER, SIGINT,  "", NULL, JOB, MODES, VIRTUAL, 1, 0, "", false, {NULL}},
    {"worker stopped for 3 s", WORKER, SIGSTOP, "", NULL, JOB, MODES, HOST, 0, 0, "", true, {NULL}},
    {"mpirun killed",          MPIRUN, SIGKILL, "", NULL, JOB, PROCESSES, BACKENDS, 1, 0, "", false, {NULL}},
    {"mpirun interrupted",     MPIRUN, SIGINT,  "", NULL, JOB, PROCESSES, VIRTUAL, MAY_FAIL, 0, "", false, {NULL}},
    {"mpirun stopped for 3 s", MPIRUN, SIGSTOP, "", NULL, JOB, PROCESSES, VIRTUAL, 0, 0, "", false, {NULL}},
    {"runner killed",          RUNNER, SIGKILL, "", NULL, ALL, MODES, VIRTUAL, -SIGKILL, -SIGKILL, "", false, {NULL}},
    {"runner interrupted",     RUNNER, SIGINT,  "", NULL, ALL, MODES, VIRTUAL, 130, -SIGINT, "", false, {NULL}},
    {"runner hung up",         RUNNER, SIGHUP,  "", NULL, ALL, THREADS, VIRTUAL, 130, -SIGHUP, "", false, {NULL}},
    {"runner quit",            RUNNER, SIGQUIT, "", NULL, ALL, THREADS, VIRTUAL, 130, -SIGQUIT, "", false, {NULL}},
    {"runner stopped for 3 s", RUNNER, SIGSTOP, "", NULL, ALL, THREADS, VIRTUAL, 0, 0, "", false, {NULL}},
    {"library's error",        NOBODY, 0, "error", NULL, CALLS, MODES | HOSTS, BACKENDS, 1, 0, "", false, {NULL}},
    {"library hangs",          NOBODY, 0, "hang",  NULL, CALLS | AT(CLOSE), MODES | HOSTS, VIRTUAL, 1, 0, "timeout = 9\ncell_timeout = 1\n", false, {NULL}},
    {"library 3 s late",       NOBODY, 0, "late",  NULL, CALLS | AT(CLOSE), MODES, HOST, 0, 0, "", true, {NULL}},
    {"wrong data",             NOBODY, 0, "wrong data", NULL, AT(CHECK), MODES, HOST, 1, 0, "", false, {NULL}},
    {"out of memory",          WORKER, 0, "", take_memory, JOB, MODES, HOST, MAY_FAIL, 0, "timeout = 9\n", false, {NULL}},
    {"results folder removed", NOBODY, 0, "", remove_results, ALL, THREADS, VIRTUAL, 1, 1, "", false, {NULL}},
    {"record cut by others",   NOBODY, 0, "", cut_record, JOB | AT(KEEP), SINGLE, VIRTUAL, 1, 0, "", false, {NULL}},
    {"results' disk full",     NOBODY, 0, "", fill_results, ALL, THREADS, VIRTUAL, 1, 1, "", false, {NULL}},
    {"scratch disk full",      NOBODY, 0, "", fill_scratch, JOB, THREADS | PROCESSES, VIRTUAL, 1, 0, "timeout = 9\n", false, {NULL}},
    {"wall clock 1 h back",    NOBODY, 0, "clock back", NULL, ALL, THREADS, VIRTUAL, 0, 0, "", false, {NULL}},
    {"wall clock 1 h on",      NOBODY, 0, "clock forward", NULL, ALL, THREADS, VIRTUAL, 0, 0, "", false, {NULL}},
    {"first host killed",      FIRST_HOST, SIGKILL, "", NULL, MEETING, HOSTS, VIRTUAL, 1, 0, "", false, {"block 2: host simulated0: ", "block 2: rank 0 "}},
    {"last host killed",       LAST_HOST, SIGKILL, "", NULL, MEETING, HOSTS, VIRTUAL, 1, 0, "", false, {"block 2: host simulated1: ", "block 2: rank"}},
    {"first host silent",      FIRST_HOST, SIGSTOP, "soon", NULL, LINKED, HOSTS, VIRTUAL, 1, 0, "", false, {"block 2: host simulated0: ", NULL}},
    {"last host silent",       LAST_HOST, SIGSTOP, "soon", NULL, LINKED | AT(MEET), HOSTS, VIRTUAL, 1, 0, "", false, {"block 2: host simulated1: ", "block 2: rank"}},
    {"10 000 strangers",       NOBODY, 0, "", throw_garbage, AT(MEET), HOSTS, VIRTUAL, 0, 0, "", false, {NULL}},
    {"link lost",              NOBODY, 0, "soon", lose_link, LINKED, RIG, VIRTUAL, 1, 0, "timeout = 25\n", false, {"host hostb: ", "host hosta: "}},
    {"slow link",              NOBODY, 0, "", slow_link, LINKED, RIG, VIRTUAL, 0, 0, "", false, {NULL}},
};
// clang-format on
#define NFAULTS LENGTH(faults)

/* --- a shot --- */
/* false: nothing can be mounted here. */
static bool mount_shm(void)
{
	return !unshare(CLONE_NEWNS) && !mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) &&
	       !mount("none", "/dev/shm", "tmpfs", 0, "size=64m");
}

static bool fills(const struct fault *f)
{
	return f->strike == fill_results || f->strike == fill_scratch;
}

static void write_experiment(const struct shot *s)
{
	char *text =
	    test_text("; A test.\n[experiment]\ncollective = alltoall\nbytes = 4K\nbackend = %s\n"
	              "limit = no\nblocks = 2\nstretches = 5\n"
	              "isolated_calls = 40\n%s%s",
	              backends[s->backend], s->fault->keys, modes[s->mode].keys);
	cli_write(s->folder, "t.exp", text);
}

static void arm(const struct shot *s)
{
	setenv("FAULT_AT", places[s->place], 1);
	setenv("FAULT_FOLDER", s->folder, 1);
	setenv("FAULT_TRIAL", test_text("%d", STRUCK_AT), 1);
	setenv("FAULT_DOES", s->fault->does, 1);
}

/* The process that reached the place; false: the run ended before. */
static bool comes(struct shot *s)
{
	siginfo_t ended = {0};
	char *file = test_text("%s/here", s->folder);
	for (unsigned i = 0; i < BOUND * 200 && !ended.si_pid; i++) {
		char *text = cli_read(file);
		s->victim = text ? atoi(text) : 0;
		if (s->victim)
			return true;
		rest_ms(5);
		waitid(P_PID, (id_t)s->runner, &ended, WEXITED | WNOHANG | WNOWAIT);
	}
	return false;
}

static void strike(struct shot *s)
{
	const struct fault *f = s->fault;
	if (f->victim == RUNNER)
		s->victim = s->runner;
	if (f->victim == MPIRUN)
		s->victim = target_job(s->folder, s->runner);
	if (f->strike)
		f->strike(s);
	if (f->victim == FIRST_HOST || f->victim == LAST_HOST)
		target_signal(s->folder, f->victim == FIRST_HOST ? "simulated0" : "simulated1",
		              f->signal);
	else if (f->signal)
		kill(s->victim, f->signal);
	cli_write(s->folder, "go", "");
	if (f->signal == SIGSTOP && f->victim < FIRST_HOST) {
		rest_ms(1000 * PAUSE);
		kill(s->victim, SIGCONT);
	}
}

static struct cli launchgap(const struct shot *s, const char *const args[])
{
	return cli_wait(cli_start(s->folder, args), s->folder, BOUND);
}

static void expect_code(struct shot *s, const char *ill, const char *what, struct cli cli, int code)
{
	bool well = code == MAY_FAIL ? cli.code == 0 || cli.code == 1 : cli.code == code;
	const char *end = cli.out ? cli.out + strlen(cli.out) : "";
	if (!well)
		is_ill(s, ill, "%s: exit %d, wanted %d: …%s", what, cli.code, code,
		       end - cli.out > 250 ? end - 250 : cli.out);
}

/* From the start to its end, struck on the way. */
static void run_struck(struct shot *s)
{
	struct timespec begin, end;
	const struct fault *f = s->fault;
	bool said = false;
	const char *file = test_text("%s/t.exp", s->folder);
	write_experiment(s);
	arm(s);
	/* read_by_all has the report of what strikes a job. */
	s->runner = cli_start(
	    s->folder, (const char *[]){"run", "--file", file, "--results", s->results,
	                                AT(s->place) & DRAWING ? NULL : "--no-report", NULL});
	unsetenv("FAULT_AT");
	unsetenv("FAULT_DOES");
	s->fired = comes(s);
	find_scratch(s);
	cli_result(s->folder, "t", "", s->run, sizeof s->run);
	s->record = record_of(s);
	if (s->fired && s->record)
		strike(s);
	clock_gettime(CLOCK_MONOTONIC, &begin);
	struct cli cli = cli_wait(s->runner, s->folder, BOUND);
	clock_gettime(CLOCK_MONOTONIC, &end);
	if (!s->fired || !s->record)
		is_ill(s, STATUS, "it never came there: exit %d, %s", cli.code, cli.out);
	if (end.tv_sec - begin.tv_sec >= BOUND)
		is_ill(s, HANGS, "no end after %d s: %s", BOUND, cli.out);
	for (unsigned i = 0; i < 2 && f->says[i] && !said; i++)
		said = cli.out && strstr(cli.out, f->says[i]);
	if (f->says[0] && !said)
		is_ill(s, UNSAID, "it does not say '%s': %s", f->says[0], cli.out);
	s->more_blocks = cli.out && strstr(cli.out, " blocks=1\n");
	expect_code(s, STATUS, "run", cli, AT(s->place) & DRAWING ? f->drawing_code : f->code);
}

static void look_for_processes(struct shot *s)
{
	for (unsigned i = 0; i < 1000 && target_left(s->folder); i++)
		rest_ms(10);
	if (target_left(s->folder))
		is_ill(s, PROCESS, "%u processes are left", target_left(s->folder));
}

/* No file is there that the pattern stands for. */
static void look_for_files(struct shot *s, const char *pattern)
{
	glob_t left;
	if (!glob(pattern, GLOB_BRACE, NULL, &left))
		is_ill(s, FILE_LEFT, "%s is left", left.gl_pathv[0]);
	globfree(&left);
}

static void look_for_scratch(struct shot *s)
{
	if (s->scratch[0])
		look_for_files(s, s->scratch);
	if (s->own_shm)
		look_for_files(s, "/dev/shm/*");
}

/* Nothing but the output of a run and a report. */
static void look_into_results(struct shot *s)
{
	look_for_files(s, test_text("%s/{,plots/,../}{.[!.]*,lock,*.part,latest.*}", s->run));
}

/* What was kept is there yet, and all lines are whole. Blocks in *blocks; true where the last
 * of them has all it should. */
static bool look_at_record(struct shot *s, unsigned *blocks)
{
	struct record_run run;
	unsigned timed = 0;
	char *text = record_of(s);
	if (!text ||
	    (s->fault->strike != cut_record && strncmp(text, s->record, strlen(s->record))))
		is_ill(s, LINE, "lines are lost");
	*blocks = 0;
	if (record_load(s->run, &run, WHY)) {
		is_ill(s, LINE, "%s", because());
		return false;
	}
	if (run.torn)
		is_ill(s, LINE, "the last line is torn");
	*blocks = record_next_block(&run);
	s->begun = record_begun(&run) > 0;
	for (unsigned i = 0; i < run.ncells; i++)
		timed += run.cells[i].block + 1 == *blocks && !run.cells[i].error[0];
	record_free(&run);
	return timed == 2 * 2; /* v and v-again, stream and isolated */
}

/* After each fault; else one of them, and the report where it flags something. */
static bool every_verb;

/* Verbs that read a record, without gnuplot. Of wrong data each says so; one needs a stream row. */
static void read_by_all(struct shot *s)
{
	const struct {
		const char *args[5];
		int of_wrong_data;
	} verbs[] = {{{"report", s->run}, 1},
	             {{"report", s->run, "--format", "nccl-tests"}, 1},
	             {{"compare", s->run, s->run}, 2}};
	bool wrong = !strcmp(s->fault->does, "wrong data");
	char *path = strdup(getenv("PATH")), *there = strdup(getenv("LAUNCHGAP"));
	setenv("PATH", "/nowhere", 1);
	setenv("LAUNCHGAP", s->program, 1);
	const char *q[] = {"sql", s->run, "SELECT 1 FROM cell WHERE rows AND pace='stream'", NULL};
	const bool rows = strstr(launchgap(s, q).out, "1\n1\n");
	for (unsigned v = 0; v < 3; v++)
		if (every_verb || v == s->place % 3 || (v == 0 && s->fault->disturbs))
			expect_code(s, UNREADABLE, verbs[v].args[0], launchgap(s, verbs[v].args),
			            wrong ? verbs[v].of_wrong_data : v != 1 || rows ? 0 : MAY_FAIL);
	setenv("LAUNCHGAP", there, 1);
	setenv("PATH", path, 1);
	free(there);
	free(path);
}

/* A rank that did not run in its timed calls: the report says so, and omits those. */
static void look_for_flag(struct shot *s)
{
	if (!s->fault->disturbs || s->place != TIMED)
		return;
	json_t *report = json_load_file(test_text("%s/report.json", s->run), 0, NULL);
	if (!json_one_says(json_object_get(report, "warnings"), "Disturbed: "))
		is_ill(s, UNFLAGGED, "the report does not say that a rank did not run");
	json_decref(report);
}

/* The blocks that are missing, else one more; an interrupted run says which. Then a report with
 * pictures where such a one was struck. */
static void complete(struct shot *s, unsigned blocks)
{
	unsigned after;
	bool said = s->fault->code == 130 && !(AT(s->place) & DRAWING);
	bool more = said ? s->more_blocks : blocks >= 2 && !s->begun;
	expect_code(s, NOT_RESUMED, "resume",
	            launchgap(s, (const char *[]){"resume", s->run, "--no-report",
	                                          more ? "blocks=1" : NULL, NULL}),
	            0);
	const unsigned want = more ? blocks + 1 : 2;
	if (!look_at_record(s, &after) || s->begun || after < want)
		is_ill(s, NOT_RESUMED, "block %u is not whole", after);
	if (AT(s->place) & DRAWING)
		expect_code(s, UNREADABLE, "report",
		            launchgap(s, (const char *[]){"report", s->run, NULL}), 0);
}

static void set_up(struct shot *s)
{
	cli_folder(s->folder);
	snprintf(s->results, sizeof s->results, "%s/results", s->folder);
	if (s->fault->strike == fill_results &&
	    (mkdir(s->results, 0777) || mount("none", s->results, "tmpfs", 0, "size=4m")))
		s->skipped = true;
	snprintf(s->program, sizeof s->program, "%s", getenv("LAUNCHGAP"));
	setenv("FAULT_FOLDER", s->folder, 1);
	if (1u << s->mode == RIG && !target_on_rig(s->folder))
		s->skipped = true;
}

static void tear_down(struct shot *s)
{
	setenv("LAUNCHGAP", s->program, 1);
	if (s->fault->strike == fill_results)
		umount(s->results);
	cli_clean(s->folder);
	free(s->record);
	s->record = NULL;
}

static void shoot_at(struct shot *s)
{
	unsigned blocks;
	bool killed = s->fault->victim == RUNNER && s->fault->signal == SIGKILL;
	run_struck(s);
	make_room(s);
	look_for_processes(s);
	if (killed) /* the next start sweeps: complete() is one */
		s->leaves = s->scratch[0] && !access(s->scratch, F_OK);
	else
		look_for_scratch(s);
	if (s->fired && s->record && s->fault->strike != remove_results) {
		look_at_record(s, &blocks);
		if (s->fault->strike != cut_record)
			read_by_all(s);
		look_for_flag(s);
		complete(s, blocks);
		look_for_processes(s);
		look_for_scratch(s);
		look_into_results(s);
	}
}

static void shoot(struct shot *s)
{
	s->skipped = !s->own_shm && fills(s->fault);
	if (s->skipped)
		return;
	set_up(s);
	if (!s->skipped)
		shoot_at(s);
	tear_down(s);
}

/* --- all of them, or some --- */

#define MOST 1000

/* Every shot of the table in turn, in memory that children write too; their number. */
static struct shot *all_shots(unsigned *out)
{
	unsigned n = 0;
	struct shot *shots = mmap(NULL, MOST * sizeof *shots, PROT_READ | PROT_WRITE,
	                          MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(shots, MAP_FAILED);
	for (unsigned f = 0; f < NFAULTS; f++)
		for (unsigned p = 0; p < PLACES; p++)
			for (unsigned m = 0; m < NMODES; m++)
				for (unsigned b = 0; b < 2; b++) {
					if (!(faults[f].places & AT(p) &&
					      faults[f].modes & 1u << m &&
					      faults[f].backends & 1u << b) ||
					    (1u << m >= HOSTS && 1u << b == HOST))
						continue;
					assert_true(n < MOST);
					shots[n++] = (struct shot){.fault = &faults[f],
					                           .place = p,
					                           .mode = m,
					                           .backend = b};
				}
	*out = n;
	return shots;
}

static const char *name_of(const struct shot *s)
{
	static char text[160];
	snprintf(text, sizeof text, "%s in %s of %s on %s", s->fault->name, places[s->place],
	         modes[s->mode].name, backends[s->backend]);
	return text;
}

/* The chosen faults, in so many processes, each with its own /dev/shm. */
static void shoot_all(struct shot *shots, unsigned n, const bool *chosen, unsigned processes)
{
	for (unsigned p = 0; p < processes; p++)
		if (fork() == 0) {
			bool own_shm = mount_shm();
			for (unsigned i = 0, k = 0; i < n; i++) {
				if (!chosen[i] || k++ % processes != p)
					continue;
				shots[i].own_shm = own_shm;
				shoot(&shots[i]);
				if (shots[i].why[0])
					fprintf(stderr, "%s: %s\n", name_of(&shots[i]),
					        shots[i].why);
			}
			_exit(0);
		}
	while (wait(NULL) > 0 || errno == EINTR)
		continue;
}

/* Which once lost lines, or ended as if all were well. */
static const char *const known[] = {"worker killed in write of single on null",
                                    "results folder removed in report of threads on null"};

/* One of each fault, another place, mode and backend with each; and those that are known. */
TEST(one_of_each_leaves_nothing_and_loses_nothing)
{
	unsigned n, first = 0;
	struct shot *shots = all_shots(&n);
	bool *chosen = calloc(n, sizeof *chosen);
	for (unsigned f = 0; f < NFAULTS; f++) {
		unsigned of = 0;
		while (first + of < n && shots[first + of].fault == &faults[f])
			of++;
		/* The other host's silence takes as long, and is the same but for names. */
		chosen[first + (7 * f + 5) % of] =
		    faults[f].victim != FIRST_HOST || faults[f].signal != SIGSTOP;
		first += of;
	}
	for (unsigned i = 0; i < n; i++)
		for (unsigned k = 0; k < LENGTH(known); k++)
			chosen[i] = chosen[i] || !strcmp(name_of(&shots[i]), known[k]);
	shoot_all(shots, n, chosen, 3);
	for (unsigned i = 0; i < n; i++)
		assert_string_equal(shots[i].why, "");
	free(chosen);
	munmap(shots, MOST * sizeof *shots);
}

/* A cell of the table: how many struck there, and how many of them are not well. place PLACES:
 * whether any is to be told of, unprinted. */
static bool print_cell(const struct shot *shots, unsigned n, const struct fault *fault,
                       enum place place)
{
	unsigned fired = 0, ill = 0, skipped = 0;
	for (unsigned i = 0; i < n; i++)
		if (shots[i].fault == fault && (shots[i].place == place || place == PLACES)) {
			fired += shots[i].fired;
			ill += shots[i].why[0] != '\0';
			skipped += shots[i].skipped;
		}
	if (place == PLACES)
		return fired + ill + skipped;
	if (ill)
		printf(" %u, **%u ill** |", fired, ill);
	else if (skipped)
		printf(" skipped |");
	else if (fired)
		printf(" %u |", fired);
	else
		printf(" |");
	return true;
}

static int print_table(const struct shot *shots, unsigned n)
{
	unsigned fired = 0, bad = 0, leave = 0;
	printf("\n| fault \\ place |");
	for (unsigned p = 0; p < PLACES; p++)
		printf(" %s |", places[p]);
	printf("\n|---|");
	for (unsigned p = 0; p < PLACES; p++)
		printf("---|");
	for (unsigned f = 0; f < NFAULTS; f++) {
		if (!print_cell(shots, n, &faults[f], PLACES))
			continue;
		printf("\n| %s |", faults[f].name);
		for (unsigned p = 0; p < PLACES; p++)
			print_cell(shots, n, &faults[f], p);
	}
	for (unsigned i = 0; i < n; i++) {
		fired += shots[i].fired;
		bad += shots[i].why[0] != '\0';
		leave += shots[i].leaves;
	}
	printf("\n\n%u faults injected, %u of them ill.\n", fired, bad);
	if (leave)
		printf("%u killed runners left their scratch folder until the next start.\n",
		       leave);
	return bad > 0;
}

int main(int argc, char *argv[])
{
	/* nohup and & ignore some; one of them dumps core. */
	static char self[STANDIN_BYTES];
	static const int usual[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
	setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
	for (unsigned i = 0; i < LENGTH(usual); i++)
		signal(usual[i], SIG_DFL);
	standin_find_named("../faulty", self);
	setenv("LAUNCHGAP", self, 1);
	if (argc > 1) {
		unsigned n;
		struct shot *shots = all_shots(&n);
		every_verb = true;
		bool *chosen = calloc(n, sizeof *chosen);
		/* "all", or a part of the names of those that are wanted. */
		for (unsigned i = 0; i < n; i++)
			chosen[i] = !strcmp(argv[1], "all") || strstr(name_of(&shots[i]), argv[1]);
		shoot_all(shots, n, chosen, 3);
		return print_table(shots, n);
	}
	return test_run_all();
}

TESTS(.slow = true);
