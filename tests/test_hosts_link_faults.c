/* The link between hosts where something goes wrong: a sentence that names the host, and no hang. */
#include <assert.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "linked.h"
#include "test.h"

static struct linked *all;

static void *open_job(void *of)
{
	struct host *h = of;
	linked_open_and_watch(h);
	return NULL;
}

static void *stay_away(void *of)
{
	(void)of;
	return NULL;
}

TEST(one_that_never_comes_is_named_to_those_that_came)
{
	void *(*const jobs[])(void *) = {open_job, open_job, stay_away};
	linked_set(all, 3);
	all->hosts[0].limit_s = 3;
	linked_run(all, jobs, 3);
	assert_begins(all->hosts[0].status.text, "host 2 did not come within ");
	assert_begins(all->hosts[1].status.text, "host 2 did not come within ");
}

TEST(another_secret_opens_no_door)
{
	linked_set(all, 2);
	all->hosts[0].limit_s = 3;
	all->hosts[1].secret = "fedcba9876543210fedcba9876543210";
	linked_run_all(all, open_job, 2);
	assert_says(all->hosts[0].status.text, "host 1 did not come");
	assert_says(all->hosts[0].status.text, "without a proof of the secret");
	assert_says(all->hosts[1].status.text, "another world or a stranger answers");
}

/* Host b fails; the others are in a meeting, and then would share. */
static void *fail_job(void *of)
{
	struct host *h = of;
	size_t none[4] = {0};
	if (linked_open_and_watch(h) || linked_meet(h))
		return NULL;
	atomic_store(&h->has_failed, h->number == 1);
	while (!linked_meet(h))
		continue;
	hosts_link_share(h->link, NULL, none, &h->status);
	return NULL;
}

TEST(a_failure_is_told_to_all)
{
	linked_set(all, 3);
	linked_run_all(all, fail_job, 3);
	assert_string_equal(all->hosts[0].told, "host b: rank 5: its buffer is lost");
	assert_string_equal(all->hosts[2].told, "host b: rank 5: its buffer is lost");
	assert_string_equal(all->hosts[1].told, "");
	assert_string_equal(all->hosts[0].status.text, all->hosts[0].told);
	assert_string_equal(all->hosts[2].status.text, all->hosts[0].told);
	assert_string_equal(all->hosts[1].status.text, "rank 5: its buffer is lost");
}

/* It closes the link at once: others hear why first. */
static void *fail_and_go(void *of)
{
	struct host *h = of;
	if (linked_open_and_watch(h) || linked_meet(h))
		return NULL;
	if (h->number == 2) {
		atomic_store(&h->has_failed, true);
		hosts_link_close(h->link);
		h->link = NULL;
	} else {
		assert(linked_meet(h));
	}
	return NULL;
}

TEST(a_failure_is_told_before_the_host_goes)
{
	linked_set(all, 3);
	linked_run_all(all, fail_and_go, 3);
	assert_string_equal(all->hosts[0].told, "host c: rank 5: its buffer is lost");
	assert_string_equal(all->hosts[1].told, "host c: rank 5: its buffer is lost");
}

/* b goes when it is done; c fails later. What a hears first is c's. */
static void *leave_job(void *of)
{
	struct host *h = of;
	if (linked_open_and_watch(h) || linked_meet(h))
		return NULL;
	if (h->number == 1) {
		hosts_link_close(h->link);
		h->link = NULL;
		atomic_store(&all->stage, 1);
	} else if (h->number == 2) {
		linked_reach(all, 1);
		atomic_store(&h->has_failed, true);
	} else {
		while (!atomic_load(&h->is_told))
			usleep(1000);
	}
	return NULL;
}

TEST(a_goodbye_is_no_failure)
{
	linked_set(all, 3);
	linked_run_all(all, leave_job, 3);
	assert_string_equal(all->hosts[0].told, "host c: rank 5: its buffer is lost");
}

/* The connection stays, and nothing comes: it does not watch. */
static void *silent_job(void *of)
{
	struct host *h = of;
	if (linked_open(h))
		return NULL;
	if (!h->number) {
		if (!linked_watch(h))
			assert(linked_meet(h));
		atomic_store(&all->stage, 1);
	}
	linked_reach(all, 1);
	return NULL;
}

TEST(silence_is_a_loss)
{
	linked_set(all, 2);
	all->hosts[0].silence_ms = 700;
	linked_run_all(all, silent_job, 2);
	assert_string_equal(all->hosts[0].told, "host b: connection lost: nothing heard for 0.7 s");
}

/* Before anybody watches, a wait has an end too; here nobody comes to share. */
static void *unwatched_job(void *of)
{
	struct host *h = of;
	size_t none[3] = {0};
	if (linked_open(h))
		return NULL;
	if (!h->number)
		hosts_link_share(h->link, NULL, none, &h->status);
	else
		linked_reach(all, 1);
	atomic_store(&all->stage, 1);
	return NULL;
}

TEST(a_wait_that_nobody_watches_ends)
{
	linked_set(all, 2);
	all->hosts[0].silence_ms = 300;
	linked_run_all(all, unwatched_job, 2);
	assert_string_equal(all->hosts[0].status.text, "host b did not answer within 0.3 s");
}

/* Host c has nothing to say at that time. */
static void *silent_align(void *of)
{
	struct host *h = of;
	if (linked_open(h))
		return NULL;
	if (h->number == 1)
		linked_reach(all, 1);
	else
		hosts_link_align(h->link, &h->status);
	atomic_store(&all->stage, 1);
	return NULL;
}

TEST(who_is_not_waited_for_is_not_late)
{
	linked_set(all, 3);
	all->hosts[0].silence_ms = all->hosts[2].silence_ms = 1000;
	linked_run_all(all, silent_align, 3);
	assert_string_equal(all->hosts[0].status.text, "host b did not answer within 1 s");
}

static void *other_step(void *of)
{
	struct host *h = of;
	size_t none[3] = {0};
	if (linked_open(h))
		return NULL;
	if (h->number)
		hosts_link_share(h->link, NULL, none, &h->status);
	else if (linked_meet(h))
		hosts_link_share(h->link, NULL, none, &h->status);
	hosts_link_close(h->link);
	h->link = NULL;
	return NULL;
}

TEST(hosts_at_other_steps_are_an_error)
{
	linked_set(all, 2);
	linked_run_all(all, other_step, 2);
	assert_string_equal(all->hosts[0].status.text,
	                    "host b: it is at step 4 (sharing), and host a at step 4 (meeting): do "
	                    "all run the same launchgap?");
	assert_string_equal(all->hosts[1].status.text, all->hosts[0].status.text);
}

static void *other_size(void *of)
{
	struct host *h = of;
	const size_t at[] = {0, 100, h->number ? 300 : 200};
	if (!linked_open(h))
		hosts_link_collect(h->link, h->bytes, at, &h->status);
	return NULL;
}

TEST(other_ranges_are_an_error)
{
	linked_set(all, 2);
	linked_run_all(all, other_size, 2);
	assert_string_equal(all->hosts[0].status.text,
	                    "host b: it shares 200 of 300 bytes, where 100 of 200 are expected: do "
	                    "all run the same launchgap?");
}

/* --- processes that die ---------------------------------------------------------------------- */

/* As host `number`, forked before any thread of this test is there. */
static pid_t fork_host(unsigned number, void (*job)(struct host *h))
{
	pid_t child = fork();
	if (child)
		return child;
	job(&all->hosts[number]);
	hosts_link_close(all->hosts[number].link);
	_exit(0);
}

static void die_in_meeting(struct host *h)
{
	if (linked_open_and_watch(h) || linked_meet(h))
		return;
	if (h->number == 2)
		raise(SIGKILL);
	linked_meet(h);
}

TEST(a_host_that_dies_is_named_to_all)
{
	int status;
	linked_set(all, 3);
	pid_t b = fork_host(1, die_in_meeting), c = fork_host(2, die_in_meeting);
	die_in_meeting(&all->hosts[0]);
	assert_int_equal(waitpid(b, &status, 0), b);
	all->hosts[1].link = all->hosts[2].link = NULL; /* theirs */
	assert_int_equal(waitpid(c, &status, 0), c);
	assert_true(WIFSIGNALED(status));
	assert_string_equal(all->hosts[0].told, "host c: connection lost");
	assert_string_equal(all->hosts[1].told, "host c: connection lost");
	assert_string_equal(all->hosts[0].status.text, "");
}

/* Nobody watches yet. */
static void die_in_share(struct host *h)
{
	size_t none[3] = {0};
	if (linked_open(h))
		return;
	if (h->number)
		raise(SIGKILL);
	hosts_link_share(h->link, NULL, none, &h->status);
}

TEST(a_host_that_dies_early_is_named)
{
	int status;
	linked_set(all, 2);
	pid_t b = fork_host(1, die_in_share);
	die_in_share(&all->hosts[0]);
	assert_int_equal(waitpid(b, &status, 0), b);
	all->hosts[1].link = all->hosts[2].link = NULL; /* theirs */
	assert_string_equal(all->hosts[0].status.text, "host b: connection lost");
}

/* --- a network that goes away ----------------------------------------------------------------- */

static int set_loopback(bool up)
{
	struct ifreq lo = {.ifr_name = "lo", .ifr_flags = up ? IFF_UP : 0};
	int fd = socket(AF_INET, SOCK_DGRAM, 0), failed = ioctl(fd, SIOCSIFFLAGS, &lo);
	close(fd);
	return failed;
}

/* Host b waits in a meeting as its only network goes down: no end of a connection comes. */
static void *cut_job(void *of)
{
	struct host *h = of;
	if (linked_open_and_watch(h) || linked_meet(h))
		return NULL;
	if (!h->number && set_loopback(false))
		return NULL;
	while (!atomic_load(&h->is_told))
		if (h->number)
			linked_meet(h);
		else
			usleep(1000);
	return NULL;
}

#define NO_NETWORK 77

TEST(a_network_that_goes_away_is_a_loss)
{
	int status;
	pid_t child = fork();
	if (!child) {
		if (unshare(CLONE_NEWUSER | CLONE_NEWNET) || set_loopback(true))
			_exit(NO_NETWORK);
		linked_set(all, 2);
		all->hosts[0].silence_ms = all->hosts[1].silence_ms = 800;
		linked_run_all(all, cut_job, 2);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	memset(&all->hosts[0].door, 0, sizeof all->hosts[0].door); /* its own */
	all->hosts[0].link = all->hosts[1].link = NULL;
	if (status == NO_NETWORK << 8)
		skip(); /* no namespaces for users here */
	assert_int_equal(status, 0);
	assert_string_equal(all->hosts[0].told, "host b: connection lost: nothing heard for 0.8 s");
	assert_string_equal(all->hosts[1].told, "host a: connection lost: nothing heard for 0.8 s");
}

static int fresh(void **state)
{
	(void)state;
	return linked_begin(&all);
}

static int done(void **state)
{
	(void)state;
	return linked_end(all);
}

TESTS(.before = fresh, .after = done);
