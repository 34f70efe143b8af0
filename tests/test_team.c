/* The team's block: meeting, failing, joining from another process, leaving nothing over. */
#include <dirent.h>
#include <stdatomic.h>
#include <sys/mman.h>

#include "../harness/core/team.h"
#include "test.h"

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

static void *wait_for_the_dead(void *arg)
{
	return (void *)(intptr_t)team_meet(arg);
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

TEST(what_is_no_block_is_not_joined)
{
	struct team *team = NULL;
	struct status st = {0};
	assert_int_equal(team_join("/proc/self/fd/999", &team, &st), -1);
	assert_says(st.text, "/proc/self/fd/999");
	st = (struct status){0};
	int fd = memfd_create("short", 0);
	char *path = test_text("/proc/%d/fd/%d", (int)getpid(), fd);
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
