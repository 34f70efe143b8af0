/* The watchdog, in its own jobs: it ends a stuck job, and nothing else, whatever happens to the
 * wall clock. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../harness/clock.h"
#include "../harness/core/watchdog.h"
#include "test.h"

/* Replaces libc's: the wall clock is set back by an hour as soon as it has been read. */
int clock_gettime(clockid_t clock, struct timespec *out)
{
	int result = (int)syscall(SYS_clock_gettime, clock, out);
	if (clock == CLOCK_REALTIME)
		out->tv_sec += 3600;
	return result;
}

#define STUCK 77 /* the exit status of a job that was not ended */

static void keep(void *arg)
{
	if (write(*(int *)arg, "kept", 4) != 4)
		_exit(STUCK);
}

/* Never comes back, as a library's call; the alarm is for a watchdog that sleeps. */
static void be_stuck(struct team *team)
{
	(void)team;
	alarm(30);
	pause();
}

static void be_late(struct team *team)
{
	team_set_deadline(team, 1, clock_now_ns());
	be_stuck(team);
}

/* The first worker waits for the second, which is in the call. */
static void be_late_for_who_waits(struct team *team)
{
	struct team *member = team_member(team, 0);
	team_set_deadline(team, 1, clock_now_ns());
	team_meet(member);
	free(member);
	be_stuck(team);
}

static void be_stuck_beside_a_failure(struct team *team)
{
	team_fail(team, 1, "no memory");
	be_stuck(team);
}

/* Runs `job` under a watchdog in a separate process and returns its exit status. Output and kept
 * text come back in text. */
static int run(void (*job)(struct team *team), char text[512])
{
	int pipes[2], status;
	size_t used = 0;
	assert_int_equal(pipe(pipes), 0);
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		const struct team_shape shape = {.nranks = 2, .nworkers = 2};
		struct status st = {""};
		struct team *team;
		char path[64];
		dup2(pipes[1], STDERR_FILENO);
		if (team_create(&shape, path, sizeof path, &team, &st))
			_exit(STUCK);
		struct cell cells[] = {
		    {.coll = COLL_ALLTOALL},
		    {.coll = COLL_SENDRECV, .pace = PACE_ISOLATED, .asked_bytes = 4096}};
		const struct trial trial = {.cell_timeout_s = 3, .ncells = 2, .cells = cells};
		struct watchdog *dog = watchdog_start(&trial, team, 0, keep, &pipes[1]);
		job(team);
		watchdog_over(dog);
		if (dog && team_failure(team)) { /* as in MPI_Finalize */
			keep(&pipes[1]);
			watchdog_leave(dog);
			be_stuck(team);
		}
		watchdog_leave(dog);
		team_leave(team);
		_exit(dog ? 5 : STUCK);
	}
	close(pipes[1]);
	for (ssize_t n; (n = read(pipes[0], text + used, 511 - used)) > 0;)
		used += (size_t)n;
	text[used] = '\0';
	close(pipes[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(what_is_stuck_is_ended_and_kept)
{
	char text[512];
	assert_int_equal(run(be_late, text), 1);
	assert_string_equal(text,
	                    "keptlaunchgap: all ranks: a cell took longer than cell_timeout = "
	                    "3s: sendrecv, 4096 bytes, isolated, in a call that does not "
	                    "return\n");
	assert_int_equal(run(be_late_for_who_waits, text), 1);
	assert_string_equal(text,
	                    "keptlaunchgap: rank 1: a cell took longer than cell_timeout = 3s: "
	                    "sendrecv, 4096 bytes, isolated, in a call that does not return (1 "
	                    "of 2 workers)\n");
	assert_int_equal(run(be_stuck_beside_a_failure, text), 1);
	assert_string_equal(text, "keptlaunchgap: rank 1: no memory\n");
}

static void go_on(struct team *team)
{
	team_set_deadline(team, 0, clock_now_ns() + (int64_t)3600 * 1000000000);
}

static void fail_for_all(struct team *team)
{
	team_fail(team, 0, "seen by all");
}

TEST(what_ends_by_itself_is_left_alone)
{
	char text[512];
	assert_int_equal(run(go_on, text), 5);
	assert_string_equal(text, "");
}

/* Kept by the first process, and ended by the watchdog as other processes do not end. */
TEST(a_failure_that_all_see_is_kept_once_and_ends)
{
	char text[512];
	assert_int_equal(run(fail_for_all, text), 1);
	assert_string_equal(text, "keptlaunchgap: rank 0: seen by all\n");
}

TESTS(.slow = true);
