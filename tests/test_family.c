/* How many blocks a family of claims takes, and what a plan says of it before the run. */
#include <glob.h>

#include "../harness/config/family.h"
#include "spec_file.h"

/* A plan of so many claims, the first of which is the primary one if it is said so. */
static void planned(unsigned claims, unsigned blocks, bool primary, const char *more)
{
	char text[8192];
	size_t n = (size_t)snprintf(
	    text, sizeof text,
	    "[experiment]\ncollective = alltoall\nbytes = 16M\nranks = 2\nbackend = null\n"
	    "blocks = %u\n%s[variant a]\nmode = threads\n[variant b]\nmode = single\n"
	    "[variant c]\nmode = threads\nnccl = ${NOT_SET}\nbackend = nccl\n",
	    blocks, primary ? "primary = c0\n" : "");
	for (unsigned i = 0; i < claims; i++)
		n += (size_t)snprintf(text + n, sizeof text - n,
		                      "[claim c%u]\ntext = x\nleft = a\nright = b\n"
		                      "metric = time\nis = less by 2%%\n",
		                      i);
	snprintf(text + n, sizeof text - n, "%s", more);
	assert_works(read_text(text, "null", NULL));
	assert_works(plan_it());
}

/* The plan's note on its claims, or "". */
static const char *noted(void)
{
	for (unsigned i = 0; i < plan.nnotes; i++)
		if (strstr(plan.notes[i], " for p < 0.05"))
			return plan.notes[i];
	return "";
}

/* m ÷ 2^n ≤ 5 %: by hand. */
TEST(blocks_of_a_family)
{
	static const unsigned rows[][2] = {{0, 6}, {1, 6}, {3, 6},  {4, 7},  {6, 7},
	                                   {7, 8}, {9, 8}, {12, 8}, {13, 9}, {25, 9}};
	for (size_t i = 0; i < LENGTH(rows); i++)
		assert_int_equal(family_blocks(rows[i][0], FAMILY_ALPHA), rows[i][1]);
	/* A second look leaves a quarter of α: two blocks more. */
	assert_int_equal(family_blocks(9, FAMILY_ALPHA / 4), 10);
}

TEST(a_plan_says_what_cannot_be_confirmed)
{
	unsigned blocks;
	planned(9, 6, false, "");
	assert_int_equal(plan_family(&plan, &blocks), 9);
	assert_int_equal(blocks, 8);
	assert_string_equal(noted(), "9 claims need 8 blocks for p < 0.05, and 6 are planned: "
	                             "corrected for their number none can be confirmed. Say "
	                             "blocks = 8");
	planned(9, 8, false, "");
	assert_string_equal(noted(), "");
	/* The primary claim is in no family; what nothing here can test is none. */
	planned(4, 6, true,
	        "[claim d]\ntext = x\nneeds = 2 nodes\n[claim e]\ntext = x\nleft = a\n"
	        "right = c\nmetric = time\nis = less by 2%\n[claim f]\ntext = x\nleft = a\n"
	        "right = b\nmetric = busbw\nbytes = 1G\nis = less by 2%\n");
	assert_int_equal(plan_family(&plan, &blocks), 3);
	assert_string_equal(noted(), "");
	planned(1, 5, true, "");
	assert_int_equal(plan_family(&plan, &blocks), 0);
	assert_says(noted(), "a claim needs 6 blocks for p < 0.05, and 5 are planned");
	planned(0, 1, false, "");
	assert_string_equal(noted(), "");
}

/* The shipped ones, on each backend for which they ask, as if all of their variants were there. */
TEST(own_experiments_can_confirm_their_claims)
{
	static const char *const backends[] = {"nccl", "host"};
	glob_t found;
	if (glob("experiments/*.exp", 0, NULL, &found))
		skip(); /* run from elsewhere */
	for (char **at = found.gl_pathv; *at; at++)
		for (unsigned b = 0; b < 2; b++) {
			unsigned claims = 0;
			assert_works(load_file(*at, backends[b], 0, NULL));
			for (unsigned i = 0; i < spec.asked.nclaims; i++)
				claims +=
				    spec.asked.claims[i].test != CLAIM_NEEDS &&
				    strcmp(spec.asked.claims[i].name, spec.primaries.names[0]);
			const unsigned wanted = family_blocks(claims, FAMILY_ALPHA);
			if (spec.asked.nclaims && spec.blocks < wanted)
				fail_msg("%s on %s: %u claims need %u blocks, and %u are planned",
				         *at, backends[b], claims, wanted, spec.blocks);
		}
	globfree(&found);
}

TESTS(.begin = set_up, .end = tear_down);
