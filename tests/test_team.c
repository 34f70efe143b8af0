/* The team's block: what failures say. */
#include "../harness/core/team.h"
#include "test.h"

/* On one of several hosts the sentence has the host's name. */
TEST(a_failure_names_its_host)
{
	const struct team_shape shape = {
	    .nranks = 4, .nworkers = 4, .workers_here = 2, .first_worker = 2};
	for (unsigned i = 0; i < 3; i++) {
		static const unsigned ranks[] = {3, TEAM_ALL_RANKS, TEAM_OTHERS};
		static const char *const said[] = {"host hostb: rank 3: why",
		                                   "host hostb: all ranks: why", "why"};
		struct team *team;
		char path[64];
		assert_works(team_create(&shape, path, 64, &team, WHY));
		setenv("LAUNCHGAP_HOST", "hostb", 1);
		team_fail(team, ranks[i], "why");
		unsetenv("LAUNCHGAP_HOST");
		assert_string_equal(team_failure(team), said[i]);
		team_leave(team);
	}
}

TEST(memory_that_cannot_be_had_is_a_sentence)
{
	struct team_shape shape = {.nranks = 1, .nworkers = 1, .area_bytes = (size_t)1 << 60};
	struct team *team = NULL;
	char path[64];
	assert_refused(team_create(&shape, path, sizeof path, &team, WHY), "cannot reserve");
	assert_null(team);
}
