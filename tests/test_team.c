/* The team's block: meeting, failing, joining from another process, leaving nothing over. */
#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../harness/core/team.h"
#include "test.h"

#define WORKERS 4
#define ROUNDS  2000

static struct team *make(unsigned workers, char path[64])
{
	struct team_shape shape = {.nranks = workers,
	                           .nworkers = workers,
	                           .yield = true,
	                           .area_bytes = 10000,
	                           .store_bytes = 100000};
	struct team *team = NULL;
	struct status st = {0};
	assert_int_equal(team_create(&shape, path, 64, &team, &st), 0);
	return team;
}

TEST(parts_do_not_overlap_and_start_zeroed)
{
	char path[64];
	struct team *team = make(WORKERS, path);
	unsigned char *area = team_area(team), *store = team_store(team);
	for (unsigned i = 0; i < 10000; i++)
		assert_int_equal(area[i], 0);
	for (unsigned r = 0; r < WORKERS; r++)
		memset(team_mailbox(team, r), 0x10 + (int)r, TEAM_MAILBOX_BYTES);
	for (unsigned w = 0; w < WORKERS; w++)
		memset(team_facts(team, w), 0x20 + (int)w, TEAM_FACTS_BYTES);
	memset(area, 0x30, 10000);
	memset(store, 0x40, 100000);
	for (unsigned r = 0; r < WORKERS; r++) {
		assert_int_equal(*(char *)team_mailbox(team, r), 0x10 + (int)r);
		assert_int_equal(((char *)team_mailbox(team, r))[TEAM_MAILBOX_BYTES - 1],
		                 0x10 + (int)r);
		assert_int_equal(team_facts(team, r)[TEAM_FACTS_BYTES - 1], 0x20 + (int)r);
	}
	assert_int_equal(area[9999], 0x30);
	assert_int_equal((uintptr_t)store % (uintptr_t)sysconf(_SC_PAGESIZE), 0);
	assert_int_equal(team_shape(team)->nranks, WORKERS);
	assert_null(team_failure(team));
	team_leave(team);
	team_leave(NULL);
}

struct hand {
	struct team *team;
	atomic_uint *inside;
	unsigned torn;
	pthread_t thread;
};

/* Between two meetings all are in the same round, or the barrier leaks. */
static void *meet_often(void *arg)
{
	struct hand *hand = arg;
	for (unsigned round = 0; round < ROUNDS; round++) {
		atomic_fetch_add(hand->inside, 1);
		if (team_meet(hand->team))
			break;
		hand->torn += atomic_load(hand->inside) != (round + 1) * WORKERS;
		if (team_meet(hand->team))
			break;
	}
	return NULL;
}

TEST(nobody_leaves_before_all_have_come)
{
	char path[64];
	atomic_uint inside = 0;
	struct hand hands[WORKERS];
	struct team *team = make(WORKERS, path);
	for (unsigned i = 0; i < WORKERS; i++) {
		hands[i] = (struct hand){.team = team, .inside = &inside};
		assert_int_equal(pthread_create(&hands[i].thread, NULL, meet_often, &hands[i]), 0);
	}
	for (unsigned i = 0; i < WORKERS; i++) {
		pthread_join(hands[i].thread, NULL);
		assert_int_equal(hands[i].torn, 0);
	}
	assert_int_equal(inside, ROUNDS * WORKERS);
	team_leave(team);
}

static void *wait_for_the_dead(void *arg)
{
	return (void *)(intptr_t)team_meet(arg);
}

TEST(one_failure_ends_all_and_the_first_is_kept)
{
	char path[64];
	pthread_t thread;
	void *met;
	struct team *team = make(2, path);
	assert_int_equal(pthread_create(&thread, NULL, wait_for_the_dead, team), 0);
	usleep(10000);
	team_fail(team, 1, "the cable is out");
	team_fail(team, 0, "another rank failed");
	pthread_join(thread, &met);
	assert_int_equal((intptr_t)met, -1);
	assert_int_equal(team_meet(team), -1);
	assert_int_equal(team_pause(team), -1);
	assert_string_equal(team_failure(team), "rank 1: the cable is out");
	team_leave(team);
}

/* On one of several hosts the sentence has the host's name. */
TEST(a_failure_names_its_host)
{
	const struct team_shape shape = {
	    .nranks = 4, .nworkers = 4, .workers_here = 2, .first_worker = 2};
	struct status st = {""};
	for (unsigned i = 0; i < 3; i++) {
		static const unsigned ranks[] = {3, TEAM_ALL_RANKS, TEAM_OTHERS};
		static const char *const said[] = {"host hostb: rank 3: why",
		                                   "host hostb: all ranks: why", "why"};
		struct team *team;
		char path[64];
		assert_works(team_create(&shape, path, 64, &team, &st), st);
		setenv("LAUNCHGAP_HOST", "hostb", 1);
		team_fail(team, ranks[i], "why");
		unsetenv("LAUNCHGAP_HOST");
		assert_string_equal(team_failure(team), said[i]);
		team_leave(team);
	}
}

TEST(who_has_not_come_is_known)
{
	char path[64];
	pthread_t thread;
	unsigned rank = 7;
	struct team *team = make(3, path);
	struct team *members[] = {team_member(team, 0), team_member(team, 1), team_member(team, 2)};
	assert_int_equal(team_missing(team, &rank), 3);
	assert_int_equal(rank, 0);
	for (unsigned round = 0; round < 2; round++) { /* the second as the first */
		pthread_t second;
		assert_int_equal(pthread_create(&thread, NULL, wait_for_the_dead, members[0]), 0);
		while (team_missing(team, &rank) != 2)
			usleep(100);
		assert_int_equal(rank, 1);
		assert_int_equal(pthread_create(&second, NULL, wait_for_the_dead, members[2]), 0);
		while (team_missing(team, &rank) != 1)
			usleep(100);
		assert_int_equal(rank, 1);
		assert_int_equal(team_meet(members[1]), 0);
		pthread_join(thread, NULL);
		pthread_join(second, NULL);
		assert_int_equal(team_missing(team, &rank), 3);
	}
	for (unsigned w = 0; w < 3; w++)
		free(members[w]);
	team_leave(team);
}

TEST(another_process_joins_and_meets)
{
	char path[64];
	int status;
	struct team *team = make(2, path);
	pid_t pid = fork();
	if (pid == 0) {
		struct team *mine = NULL;
		struct status st = {0};
		if (team_join(path, &mine, &st) || team_shape(mine)->nworkers != 2)
			_exit(1);
		strcpy(team_mailbox(mine, 1), "hello");
		((char *)team_store(mine))[99999] = 7;
		int bad = team_meet(mine);
		team_leave(mine);
		_exit(bad ? 2 : 0);
	}
	assert_int_equal(team_meet(team), 0);
	team_seal(team);
	assert_string_equal(team_mailbox(team, 1), "hello");
	assert_int_equal(((char *)team_store(team))[99999], 7);
	waitpid(pid, &status, 0);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	team_leave(team);
}

TEST(what_is_no_block_is_not_joined)
{
	struct team *team = NULL;
	struct status st = {0};
	assert_int_equal(team_join("/proc/self/fd/999", &team, &st), -1);
	assert_says(st.text, "/proc/self/fd/999");
	st = (struct status){0};
	int fd = memfd_create("short", 0);
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)getpid(), fd);
	assert_int_equal(team_join(path, &team, &st), -1);
	assert_says(st.text, "no team's block");
	assert_int_equal(ftruncate(fd, 1 << 16), 0);
	st = (struct status){0};
	assert_int_equal(team_join(path, &team, &st), -1);
	assert_says(st.text, "no team's block");
	assert_null(team);
	close(fd);
}

TEST(memory_that_cannot_be_had_is_a_sentence)
{
	struct team_shape shape = {.nranks = 1, .nworkers = 1, .area_bytes = (size_t)1 << 60};
	struct team *team = NULL;
	struct status st = {0};
	char path[64];
	assert_int_equal(team_create(&shape, path, sizeof path, &team, &st), -1);
	assert_says(st.text, "cannot reserve");
	assert_null(team);
}
