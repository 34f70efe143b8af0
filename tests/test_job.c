/* A job ends with whoever started it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../harness/run/job.h"

static int told[2], go[2];

/* In place of libc's: a job stands here before it asks to follow its parent. */
int setpgid(pid_t pid, pid_t group)
{
	pid_t self = getpid();
	char c;
	if (write(told[1], &self, sizeof self) < 0 || read(go[0], &c, 1) < 0)
		_exit(1);
	return (int)syscall(SYS_setpgid, pid, group);
}

static void run_job(void)
{
	char *const argv[] = {"sleep", "1000", NULL};
	struct job_result result;
	struct status st = {""};
	job_hold_signals();
	job_run(argv, NULL, 0, "/dev/null", 60, &result, &st);
	_exit(0);
}

/* It would run on, for the signal of its parent's death is only of deaths to come. */
static void a_parent_that_dies_before_the_job_follows_it_takes_it_along(void **state)
{
	const struct timespec tick = {0, 20000000};
	pid_t job;
	int status, ended = 0;
	(void)state;
	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	assert_int_equal(pipe(told), 0);
	assert_int_equal(pipe(go), 0);
	pid_t runner = fork();
	if (runner == 0)
		run_job();
	assert_int_equal(read(told[0], &job, sizeof job), sizeof job);
	kill(runner, SIGKILL);
	assert_int_equal(waitpid(runner, &status, 0), runner);
	assert_int_equal(write(go[1], "x", 1), 1);
	for (unsigned i = 0; i < 500 && !ended; i++) {
		ended = waitpid(job, &status, WNOHANG);
		nanosleep(&tick, NULL);
	}
	kill(job, SIGKILL);
	assert_int_equal(ended, job);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_parent_that_dies_before_the_job_follows_it_takes_it_along),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
