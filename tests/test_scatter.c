/* Where scatter comes from: planted components are found again at their level. */
#include "made.h"

#include "../harness/analysis/anova.h"

/* Searle, Casella and McCulloch's expectations by hand: jobs of 2 and of 1 value. Within: 2 on
 * 1 degree. Between: 6, of which the within part is 1 × 2, on (3 − 5/3). */
TEST(unequal_counts_have_their_coefficients)
{
	const double y[] = {1, 3, 5};
	const unsigned keys[] = {0, 0, 0, 1, 1, 0}, single[] = {0, 0, 0, 1, 0, 0, 2, 0, 0};
	double v[3];
	anova_nested(y, keys, 3, 2, v);
	assert_true(fabs(v[0] - 3) < 1e-12 && fabs(v[1] - 2) < 1e-12);
	/* Each level below has one value: all scatter is the outermost level's. */
	anova_nested(y, single, 3, 3, v);
	assert_true(fabs(v[0] - 4) < 1e-12 && isnan(v[1]) && isnan(v[2]));
}

/* --- records --- */

enum level { JOBS, CONNECTIONS, ALLOCATIONS };
static enum level level;

/* The same for all of a level. Workers have their own states. */
static double drawn(const struct made_place *p, unsigned rank)
{
	unsigned at = p->block + 64 * p->variant;
	at = at * 64 + (level >= CONNECTIONS ? 1 + p->connection : 0);
	at = at * 64 + (level >= ALLOCATIONS ? 1 + p->allocation : 0);
	return made_noise(at, rank, 7);
}

static double factor(const struct made_place *p, unsigned rank)
{
	return exp(0.1 * drawn(p, rank));
}

static void stamps(const struct made_place *p, int64_t out[6])
{
	double calls = p->isolated ? 1 : 10;
	double noise = 1 + 0.01 * made_noise(p->block * 8 + p->size, p->row * 8 + p->rank,
	                                     p->connection * 8 + p->allocation);
	out[0] = p->rank;
	out[1] = (int64_t)(10000 * factor(p, p->rank) * noise * calls);
	out[2] = out[1] + 500;
	out[3] = 10;
}

static struct made made = {
    .blocks = 12, .sizes = 2, .rows = 5, .connections = 4, .allocations = 3, .stamps = stamps};

/* A cell of processes at small sizes, of a report. */
static const json_t *cell(const json_t *report, const char *key)
{
	return json_cell(json_table(report, "scatter_small"), JSON_IS("variant", "processes"), key);
}

static double number(const json_t *report, const char *key)
{
	return json_number_value(cell(report, key));
}

TEST(a_component_is_found_at_its_level)
{
	static const char *const keys[] = {"jobs", "connections", "allocations"};
	for (level = JOBS; level <= ALLOCATIONS; level++) {
		const json_t *report = made_report(&made);
		assert_int_equal(number(report, "njobs"), 12);
		assert_int_equal(number(report, "leaves"), 12 * 4 * 3);
		for (enum level k = JOBS; k <= ALLOCATIONS; k++) {
			double sd = number(report, keys[k]);
			/* ±10 % evenly, of two workers the slower */
			if (k == level)
				assert_true(sd > 3 && sd < 6);
			else
				assert_true(sd < 2.5);
		}
		double half = number(report, "half_width");
		assert_true(fabs(number(report, "half_width_blocks") - half / sqrt(2)) < 1e-2);
		/* More connections help against what is drawn below the job alone, calls
		 * against neither. */
		double connections = number(report, "half_width_connections") / half;
		assert_true(level == JOBS ? connections > 0.9 : connections < 0.9);
		assert_true(number(report, "half_width_calls") / half > 0.98);
	}
}

TEST(without_levels_there_are_jobs_and_calls)
{
	level = JOBS;
	made.connections = made.allocations = 0;
	const json_t *report = made_report(&made);
	made.connections = 4;
	made.allocations = 3;
	assert_true(number(report, "jobs") > 3);
	assert_true(number(report, "calls") > 0.2 && number(report, "calls") < 2);
	json_assert_null(cell(report, "connections"), "");
	json_assert_null(cell(report, "half_width_connections"), "");
}

TESTS(.begin = made_begin, .end = made_end);
