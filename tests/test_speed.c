/* How fast a worker's core is: what is measured of it, and that every cell of a record has it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../harness/clock.h"
#include "../harness/core/speed.h"
#include "../harness/record/record.h"
#include "here.h"
#include "test.h"

/* A clock that goes on by what each piece of work is to take: chain, wide, three times. */
static const int64_t planted[] = {100, 40, 9000, 30, 120, 7000};
static unsigned reads;

static int64_t planted_now_ns(void)
{
	static int64_t now;
	if (reads++ % 2)
		now += planted[reads / 2 - 1];
	return now;
}

TEST(an_interrupt_is_no_slow_core)
{
	struct speed speed;
	speed_take(planted_now_ns, &speed);
	assert_int_equal(reads, 2 * sizeof planted / sizeof *planted);
	assert_int_equal(speed.chain_ns, 120);
	assert_int_equal(speed.wide_ns, 40);
}

/* At 10 GHz, which no core has, and were an addition and a multiplication a cycle each. */
TEST(the_work_is_done)
{
	struct speed speed;
	speed_take(clock_now_ns, &speed);
	assert_true(speed.chain_ns > SPEED_CHAIN_STEPS * 2 / 10);
	assert_true(speed.wide_ns > SPEED_WIDE_STEPS / 10);
}

/* Threads: each rank's worker. Single: the one worker, at its first rank. */
TEST_WITH(every_cell_has_it, set_up, tear_down)
{
	char path[512];
	struct record_run run;
	struct status st = {""};
	unsigned seen = 0;
	cli_expect(
	    here_run("; A test.\n[experiment]\ncollective = alltoall\nbytes = 4K\nbackend = host\n"
	             "blocks = 1\nlimit = no\nranks = 2\nreference = threads\n"
	             "[variant threads]\nmode = threads\n[variant single]\nmode = single\n",
	             "--no-report", NULL),
	    0, "");
	snprintf(path, sizeof path, "%s/t/latest", results);
	assert_int_equal(record_load(path, &run, &st), 0);
	for (unsigned i = 0; i < run.ncells; i++) {
		const struct record_cell *c = &run.cells[i];
		bool one = !strcmp(c->variant, "single");
		static const char *const keys[] = {"core_chain_ns", "core_wide_ns"};
		for (unsigned k = 0; k < 2; k++) {
			const json_t *ns = json_object_get(c->json, keys[k]);
			assert_int_equal(json_array_size(ns), 2);
			assert_true(json_integer_value(json_array_get(ns, 0)) > 0);
			assert_int_equal(json_integer_value(json_array_get(ns, 1)) > 0, !one);
		}
		seen |= one ? 1 : 2;
	}
	assert_int_equal(seen, 3);
	record_free(&run);
}
