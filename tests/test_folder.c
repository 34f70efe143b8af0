/* A run's folder: only one run writes into it at a time, and no measurement is lost. */
#include <sched.h>
#include <sys/file.h>
#include <sys/mount.h>

#include "../harness/run/folder.h"
#include "here.h"

#define QUIET                                                                                      \
	"; A test.\n[experiment]\ncollective = alltoall\nbytes = 4K\nbackend = null\n"             \
	"limit = no\nranks = 2\npace = isolated\nisolated_calls = 5\n"
#define ALONE "[variant s]\nmode = single\n"

static char run[PATH_MAX], record[PATH_MAX + 16];

/* A run of one block, from here on at `run`, its record at `record`. */
static void measure(void)
{
	cli_expect(here_run(QUIET "blocks = 1\n" ALONE, "--no-report", NULL), 0, "block 1");
	cli_result(folder, "t", "", run, sizeof run);
	snprintf(record, sizeof record, "%s/trials.jsonl", run);
}

static struct cli resume(void)
{
	return cli_call(folder, "resume", run, "blocks=1", "--no-report", NULL);
}

/* Blocks of the record, which has to be whole, and each of them there once. */
static unsigned blocks(void)
{
	struct record_run r = cli_record(run);
	unsigned n = record_next_block(&r), timed = 0;
	for (unsigned i = 0; i < r.ncells; i++)
		timed += r.cells[i].cell.pass == PASS_TIMED;
	assert_int_equal(timed, 2 * n); /* s, and s again */
	return n;
}

TEST(one_writes_at_a_time)
{
	struct folder mine = {0};
	measure();
	assert_int_equal(folder_hold(run, &mine, WHY), 0);
	cli_expect(resume(), 1,
	           test_text("%s is being written by process %d on ", run, (int)getpid()));
	assert_int_equal(blocks(), 1);
	folder_close(&mine);
	cli_expect(resume(), 0, "block 2 of 2");
	assert_int_equal(blocks(), 2);
	assert_int_equal(access(test_text("%s/lock", run), F_OK), -1);
}

TEST(a_lock_dies_with_its_process)
{
	int ready[2], status;
	char c;
	measure();
	assert_int_equal(pipe(ready), 0);
	pid_t pid = fork();
	if (pid == 0) {
		struct folder theirs = {0};
		if (folder_hold(run, &theirs, WHY) || write(ready[1], "x", 1) != 1)
			_exit(1);
		pause();
	}
	assert_int_equal(read(ready[0], &c, 1), 1);
	cli_expect(resume(), 1, "is being written");
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	assert_int_equal(access(test_text("%s/lock", run), F_OK), 0);
	cli_expect(resume(), 0, "block 2 of 2");
	close(ready[0]);
	close(ready[1]);
}

/* --- what others do to the record while it is written --- */

static void cut(const char *name)
{
	assert_int_equal(truncate(name, 10), 0);
}

static void lengthen(const char *name)
{
	FILE *out = fopen(name, "a");
	assert_true(fputs("{}\n", out) >= 0);
	fclose(out);
}

static void remove_it(const char *name)
{
	assert_int_equal(unlink(name), 0);
}

static void replace(const char *name)
{
	char *text = cli_read(name);
	remove_it(name);
	cli_write(run, "trials.jsonl", text);
}

TEST(a_record_that_others_touch_ends_the_run)
{
	static const struct {
		void (*touch)(const char *);
		const char *words;
	} cases[] = {{cut, "program has cut"},
	             {lengthen, "program has written to"},
	             {remove_it, "program has removed"},
	             {replace, "program has removed"}};
	const struct trial trial = {.experiment = "x", .variant = "v"};
	for (unsigned i = 0; i < LENGTH(cases); i++) {
		struct folder f = {0};
		struct stat about;
		assert_int_equal(folder_open(results, "x", 0, &f, WHY), 0);
		assert_true(fcntl(f.record, F_GETFL) & O_APPEND);
		for (unsigned n = 0; n < 2; n++)
			if (record_write_failure(f.trials, &trial, "why", WHY) ||
			    folder_commit(&f, WHY))
				fail_msg("%s", because());
		snprintf(run, sizeof run, "%s", f.path);
		snprintf(record, sizeof record, "%s/trials.jsonl", f.path);
		assert_int_equal(cli_lines(record), 2);
		assert_int_equal(stat(record, &about), 0);
		assert_int_equal(about.st_size, f.kept);
		cases[i].touch(record);
		assert_int_equal(record_write_failure(f.trials, &trial, "why", WHY), 0);
		assert_refused(folder_commit(&f, WHY), cases[i].words);
		folder_close(&f);
	}
}

TEST(such_a_run_fails_and_is_not_the_latest)
{
	const struct timespec tick = {0, 20000000};
	record[0] = '\0';
	char *latest = test_text("%s/u/latest", results);
	cli_write(folder, "u.exp", QUIET "delay = 4ms\nblocks = 50\n" ALONE);
	snprintf(file, sizeof file, "%s/u.exp", folder);
	pid_t pid = cli_start(folder, (const char *[]){"run", "--file", file, "--no-report",
	                                               "--results", results, NULL});
	for (unsigned i = 0; i < 3000 && cli_lines(record) < 3; i++) {
		nanosleep(&tick, NULL);
		cli_result(folder, "u", "trials.jsonl", record, sizeof record);
	}
	remove_it(record);
	cli_expect(cli_wait(pid, folder, 60), 1, "another program has removed");
	assert_int_equal(access(latest, F_OK), -1);
}

/* --- files that a stopped run leaves --- */

/* A line of the session, its set-up, two trials with their times, an end follow. */
TEST(a_torn_line_is_cut_off_and_one_without_its_newline_is_kept)
{
	for (unsigned torn = 0; torn < 2; torn++) {
		struct stat about;
		measure();
		unsigned lines = cli_lines(record);
		assert_int_equal(stat(record, &about), 0);
		assert_int_equal(truncate(record, about.st_size - (torn ? 5 : 1)), 0);
		cli_expect(resume(), 0, "block 2 of 2");
		assert_int_equal(cli_lines(record), lines - torn + 7);
		assert_int_equal(blocks(), 2);
		cli_clean(results);
	}
}

/* Whole, and cut off within its packed data: then the readable part is kept. */
TEST(a_packed_record_is_gone_on_with)
{
	static const char *const suffixes[] = {".gz", ".xz"};
	for (unsigned i = 0; i < 4; i++) {
		struct stat about;
		measure();
		const char *packed = cli_pack(record, suffixes[i / 2]);
		assert_int_equal(stat(packed, &about), 0);
		if (i % 2)
			assert_int_equal(truncate(packed, about.st_size - 9), 0);
		cli_expect(resume(), 0, "block 2 of 2");
		assert_int_equal(blocks(), 2);
		assert_int_equal(access(packed, F_OK), -1);
		cli_clean(results);
	}
}

/* --- the scratch folder --- */

static void open_and_die(int to)
{
	struct folder theirs = {0};
	if (folder_open_scratch(&theirs, 0, WHY) ||
	    write(to, theirs.scratch, sizeof theirs.scratch) < 0)
		_exit(1);
	pause();
}

/* A folder without an owner, and one of a living process, stay. */
TEST_WITH(the_next_start_sweeps_what_a_killed_one_left, NULL, NULL)
{
	struct folder mine = {0};
	char other[] = "/tmp/launchgap-XXXXXX", left[64], within[80];
	int to[2], status;
	assert_non_null(mkdtemp(other));
	assert_int_equal(pipe(to), 0);
	pid_t pid = fork();
	if (pid == 0)
		open_and_die(to[1]);
	assert_int_equal(read(to[0], left, sizeof left), sizeof left);
	snprintf(within, sizeof within, "%s/deep", left);
	assert_int_equal(mkdir(within, 0777), 0);
	assert_int_equal(folder_open_scratch(&mine, 0, WHY), 0);
	assert_int_equal(access(within, F_OK), 0);
	folder_close(&mine);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	assert_int_equal(access(within, F_OK), 0);
	assert_int_equal(folder_open_scratch(&mine, 0, WHY), 0);
	assert_int_equal(access(left, F_OK), -1);
	assert_int_equal(access(mine.scratch, F_OK), 0);
	folder_close(&mine);
	assert_int_equal(access(mine.scratch, F_OK), -1);
	assert_int_equal(rmdir(other), 0);
	close(to[0]);
	close(to[1]);
}

/* What a sweeper holds of the next new folder, which has no lock yet; -1: nothing. */
static int held = -1;
static bool is_swept;
static char swept[PATH_MAX];

char *mkdtemp(char *path)
{
	static unsigned n;
	snprintf(strstr(path, "XXXXXX"), 7, "%06u", (unsigned)getpid() % 10000 * 100 + n++ % 100);
	if (mkdir(path, 0700))
		return NULL;
	if (is_swept) {
		is_swept = false;
		snprintf(swept, sizeof swept, "%s", path);
		held = open(test_text("%s/owner", path), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
		assert_int_equal(flock(held, LOCK_EX), 0);
	}
	return path;
}

TEST_WITH(a_new_folder_that_a_sweeper_takes_is_not_used, NULL, NULL)
{
	struct folder mine = {.path = ""};
	is_swept = true;
	assert_works(folder_open_scratch(&mine, 0, WHY));
	assert_string_not_equal(mine.scratch, swept);
	assert_int_equal(access(mine.scratch, W_OK), 0);
	folder_close(&mine);
	close(held);
	assert_int_equal(unlink(test_text("%s/owner", swept)), 0);
	assert_int_equal(rmdir(swept), 0);
}

TEST_WITH(without_room_there_is_none, NULL, NULL)
{
	struct folder f = {0};
	assert_int_equal(folder_open_scratch(&f, SIZE_MAX / 2, WHY), -1);
	assert_says(because(), "/dev/shm has ");
	assert_says(because(), "/tmp has ");
	assert_string_equal(f.scratch, "");
}

/* In a small /dev/shm of the test. 77: this machine allows none. */
static void run_in_small_shm(const char *out, const char *const args[])
{
	char *argv[8] = {getenv("LAUNCHGAP")};
	for (unsigned i = 0; args[i]; i++)
		argv[i + 1] = (char *)(size_t)args[i];
	int fd = open(out, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	if (fd < 0 || dup2(fd, 1) < 0 || dup2(fd, 2) < 0 || unshare(CLONE_NEWNS) ||
	    mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", "/dev/shm", "tmpfs", 0, "size=4m"))
		_exit(77);
	setenv("ASAN_OPTIONS", "detect_leaks=0", 1); /* Open MPI's */
	execv(argv[0] ? argv[0] : "build/launchgap", argv);
	_exit(127);
}

/* Processes would wait in MPI_Init until their timeout. */
TEST(a_full_shm_is_left_alone)
{
	cli_write(folder, "t.exp",
	          QUIET "blocks = 1\ntimeout = 20\n[variant p]\nmode = processes\n");
	char *out = test_text("%s/out", folder);
	pid_t pid = fork();
	if (pid == 0)
		run_in_small_shm(out, (const char *[]){"run", "--file", file, "--no-report",
		                                       "--results", results, NULL});
	struct cli cli = cli_wait(pid, folder, 100);
	if (cli.code == 77) {
		skip();
	}
	cli_expect(cli, 0,
	           "the jobs' files go to /tmp: they take up to 28.5 MiB, and /dev/shm has ");
}

TESTS(.undrawn = true, .before = set_up, .after = tear_down);
