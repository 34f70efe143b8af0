/* Where scatter comes from: planted components are found again at their level, planted states
 * are named with their speeds and with what they go with, and one cluster is not called two. */
#include "made.h"

#include "../harness/analysis/anova.h"
#include "../harness/analysis/components.h"

/* Searle, Casella and McCulloch's expectations by hand: jobs of 2 and of 1 value. Within: 2 on
 * 1 degree. Between: 6, of which the within part is 1 × 2, on (3 − 5/3). */
static void unequal_counts_have_their_coefficients(void **state)
{
	const double y[] = {1, 3, 5};
	const unsigned keys[] = {0, 0, 0, 1, 1, 0}, single[] = {0, 0, 0, 1, 0, 0, 2, 0, 0};
	double v[3];
	(void)state;
	anova_nested(y, keys, 3, 2, v);
	assert_true(fabs(v[0] - 3) < 1e-12 && fabs(v[1] - 2) < 1e-12);
	/* Nothing below is there twice: all of it is the outermost level's. */
	anova_nested(y, single, 3, 3, v);
	assert_true(fabs(v[0] - 4) < 1e-12 && isnan(v[1]) && isnan(v[2]));
}

static void the_dip_knows_its_bounds(void **state)
{
	double x[100];
	(void)state;
	for (unsigned i = 0; i < 100; i++)
		x[i] = i;
	assert_true(fabs(states_dip(x, 100) - 0.005) < 1e-12); /* even: as unimodal as can be */
	for (unsigned i = 0; i < 100; i++)
		x[i] = i < 50 ? 1 + 1e-9 * i : 2 + 1e-9 * i;
	assert_true(fabs(states_dip(x, 100) - 0.25) < 0.01); /* two points */
}

/* --- records --- */

enum level { JOBS, CONNECTIONS, ALLOCATIONS };
enum probe { NO_PROBE, PROBE_SHARED, PROBE_CLOCK };

static enum level level;
static enum probe probe;
static bool two;

/* The same for all of a level. Workers have states of their own. */
static double drawn(const struct made_place *p, unsigned rank)
{
	unsigned at = p->block + 64 * p->variant;
	at = at * 64 + (level >= CONNECTIONS ? 1 + p->connection : 0);
	at = at * 64 + (level >= ALLOCATIONS ? 1 + p->allocation : 0);
	return made_noise(at, rank, 7);
}

static double factor(const struct made_place *p, unsigned rank)
{
	double x = drawn(p, rank);
	return two ? (x > 0 ? 1.4 : 1) : exp(0.1 * x);
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

static void line(json_t *cell, const struct made_place *p)
{
	double a = factor(p, 0), b = factor(p, 1);
	if (probe == NO_PROBE)
		return;
	bool clock = probe == PROBE_CLOCK;
	json_object_set_new(cell, "core_chain_ns",
	                    json_pack("[i, i]", (int)(clock ? 2700 * a : 2700 + p->block % 3),
	                              (int)(clock ? 2700 * b : 2700 + p->size)));
	json_object_set_new(cell, "core_wide_ns",
	                    json_pack("[i, i]", (int)(2700 * a), (int)(2700 * b)));
}

static struct made made = {.backend = "nccl",
                           .ranks = 2,
                           .blocks = 12,
                           .sizes = 2,
                           .rows = 5,
                           .cores = 16,
                           .connections = 4,
                           .allocations = 3,
                           .line = line,
                           .stamps = stamps};

static const json_t *report;

/* Of a new report. */
static const json_t *scatter(const char *variant)
{
	report = made_report(&made);
	const json_t *findings = json_object_get(report, "findings"), *item;
	size_t i;
	json_array_foreach(findings, i, item)
	{
		if (!strcmp(json_string_value(json_object_get(item, "type")), "scatter") &&
		    !strcmp(json_string_value(json_object_get(item, "variant")), variant) &&
		    !strcmp(json_string_value(json_object_get(item, "regime")), "small"))
			return item;
	}
	fail_msg("no scatter of %s", variant);
	return NULL;
}

static double number(const json_t *item, const char *path)
{
	return json_number_value(json_at(item, path));
}

static void a_component_is_found_at_its_level(void **state)
{
	static const char *const paths[] = {"sd.jobs", "sd.connections", "sd.allocations"};
	(void)state;
	probe = NO_PROBE;
	two = false;
	for (level = JOBS; level <= ALLOCATIONS; level++) {
		const json_t *item = scatter("processes");
		assert_int_equal(number(item, "jobs"), 12);
		assert_int_equal(number(item, "leaves"), 12 * 4 * 3);
		for (enum level k = JOBS; k <= ALLOCATIONS; k++) {
			double sd = number(item, paths[k]);
			/* ±10 % evenly, of two workers the slower */
			if (k == level)
				assert_true(sd > 0.03 && sd < 0.06);
			else
				assert_true(sd < 0.025);
		}
		double half = number(item, "half_width");
		assert_true(fabs(number(item, "half_width_blocks") - half / sqrt(2)) < 1e-4);
		/* More connections help against what is drawn below the job alone, calls
		 * against neither. */
		double connections = number(item, "half_width_connections") / half;
		assert_true(level == JOBS ? connections > 0.9 : connections < 0.9);
		assert_true(number(item, "half_width_calls") / half > 0.98);
	}
}

static void without_levels_there_are_jobs_and_calls(void **state)
{
	(void)state;
	level = JOBS;
	two = false;
	made.connections = made.allocations = 0;
	const json_t *item = scatter("processes");
	made.connections = 4;
	made.allocations = 3;
	assert_true(number(item, "sd.jobs") > 0.03);
	assert_true(number(item, "sd.calls") > 0.002 && number(item, "sd.calls") < 0.02);
	json_assert_null(item, "sd.connections");
	json_assert_null(item, "half_width_connections");
}

static void two_speeds_are_named_with_what_they_go_with(void **state)
{
	static const char *const goes_with[][3] = {
	    [NO_PROBE] = {"job", "connection", "allocation"},
	    [PROBE_SHARED] = {"shared", "shared", "shared"},
	    [PROBE_CLOCK] = {"clock", "clock", "clock"}};
	(void)state;
	two = true;
	for (probe = NO_PROBE; probe <= PROBE_CLOCK; probe++)
		for (level = CONNECTIONS; level <= ALLOCATIONS; level++) {
			const json_t *item = scatter("processes");
			assert_true(json_is_true(json_at(item, "states.two")));
			json_assert_text(item, "states.of", "launch");
			json_assert_text(item, "states.goes_with", goes_with[probe][level]);
			double fast = number(item, "states.fast_us");
			/* Each worker's speeds lie around the mean of its own. */
			assert_true(fabs(number(item, "states.slow_us") / fast - 1.4) < 0.05);
			assert_true(fast > 9 && fast < 11);
			json_assert_one_says(json_section(report, "scatter"), "has two speeds");
		}
}

static void one_cluster_is_one(void **state)
{
	(void)state;
	two = false;
	probe = NO_PROBE;
	for (level = JOBS; level <= ALLOCATIONS; level++) {
		const json_t *item = scatter("processes");
		assert_true(json_is_false(json_at(item, "states.two")));
		json_assert_null(item, "states.goes_with");
		assert_false(json_one_says(json_section(report, "scatter"), "has two speeds"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(unequal_counts_have_their_coefficients),
	    cmocka_unit_test(the_dip_knows_its_bounds),
	    cmocka_unit_test(a_component_is_found_at_its_level),
	    cmocka_unit_test(without_levels_there_are_jobs_and_calls),
	    cmocka_unit_test(two_speeds_are_named_with_what_they_go_with),
	    cmocka_unit_test(one_cluster_is_one),
	};
	return cmocka_run_group_tests(tests, made_begin, made_end);
}
