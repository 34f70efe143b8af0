/* The report's section about memory, on records that are made up. */
#include "made.h"

#include "../harness/analysis/contrast.h"

#define MIB (1 << 20)

static const struct made plain = {.blocks = 3, .sizes = 2, .rows = 2, .cores = 8};

static json_t *worker(long long buffers, long long comm, long long calls, long long process)
{
	const long long bytes[] = {buffers, comm, calls, process};
	static const char *const keys[] = {"memory_buffers_bytes", "memory_comm_bytes",
	                                   "memory_calls_bytes", "process_peak_bytes"};
	json_t *facts = json_object();
	for (unsigned i = 0; i < 4; i++)
		json_object_set_new(facts, keys[i], json_sprintf("%lld", bytes[i]));
	return facts;
}

/* Two workers; the second one's calls took what differs by block and variant. The trial's
 * second size says something else, which must not count. */
static void two_workers(json_t *line, const struct made_place *place)
{
	if (place->variant == MADE_LIMIT)
		return;
	if (place->size) {
		json_object_set_new(line, "facts", json_pack("[o]", worker(1, 1, 1, 1)));
		return;
	}
	long long calls = (place->variant == MADE_PROCESSES ? 300ll : 200ll) + place->block;
	json_object_set_new(line, "facts",
	                    json_pack("[o, o]", worker(64 * MIB, 10 * MIB, 0, 500ll * MIB),
	                              worker(64 * MIB, 30 * MIB, calls * MIB, 700ll * MIB)));
}

static bool each_worker_says;

/* As its mode has workers and processes; the first worker of a process says what all of it
 * holds, in older records each. */
static void whole_trials(json_t *line, const struct made_place *place)
{
	bool processes = place->variant == MADE_PROCESSES;
	long long held = (processes ? 150ll : 200ll) + 10ll * place->block;
	json_t *list = json_array();
	for (unsigned w = 0; w < 2; w++) {
		json_t *facts = worker(64 * MIB, (10ll + 2 * w) * MIB, 0, 1);
		if (!w || processes || each_worker_says)
			json_object_set_new(facts, "process_share_bytes",
			                    json_sprintf("%lld", held * MIB));
		json_object_set_new(
		    facts, "init_ns",
		    json_sprintf("%d", (processes ? 50 : 40) * 1000000 * (w ? 1 : 2)));
		json_array_append_new(list, facts);
	}
	json_object_set_new(line, "facts", list);
	json_object_set_new(line, "layout", json_string(processes ? "2x1x1" : "1x2x1"));
}

static void two_processes(json_t *env)
{
	json_t *variant;
	size_t v;
	json_array_foreach(json_object_get(env, "variants"), v, variant) json_object_set_new(
	    variant, "layout", json_string(v == MADE_PROCESSES ? "2x1x1" : "1x2x1"));
}

static struct contrast whole(const struct made_loaded *l, enum metric metric)
{
	const struct contrast_select select = {
	    .bytes = {0, SIZE_MAX}, .pace = CLAIM_ANY_PACE, .coll = CLAIM_ANY_COLL};
	return contrast_make(&l->summary, MADE_PROCESSES, MADE_THREADS, metric, &select);
}

/* One number a trial, however many sizes it has: the sum over processes, the longest, the mean
 * over workers. */
TEST(claims_may_be_about_whole_trials)
{
	static struct made_loaded l;
	struct made m = plain;
	struct contrast memory, init, rank;
	m.line = whole_trials;
	m.environment = two_processes;
	for (unsigned older = 0; older < 2; older++) {
		each_worker_says = older;
		made_load(&m, &l);
		memory = whole(&l, METRIC_MEMORY);
		assert_int_equal(memory.ncells, 1);
		assert_int_equal(memory.nblocks, 3);
		assert_true(fabs(memory.left_side.value - 2 * cbrt(150. * 160 * 170)) < 1e-6);
		assert_true(fabs(memory.right_side.value - cbrt(200. * 210 * 220)) < 1e-6);
		if (!older)
			made_unload(&l);
	}
	init = whole(&l, METRIC_INIT);
	rank = whole(&l, METRIC_RANK_MEMORY);
	assert_true(fabs(init.left_side.value - 100) < 1e-9);
	assert_true(fabs(init.ratio.estimate - 1.25) < 1e-9);
	assert_true(fabs(rank.left_side.value - 75) < 1e-9);
	made_unload(&l);
	m.line = two_workers; /* of a record that does not say it */
	made_load(&m, &l);
	init = whole(&l, METRIC_INIT);
	assert_true(isnan(init.ratio.estimate));
	assert_string_equal(made_reason(&init.why),
	                    "the record does not have it of each of the variants: making "
	                    "the communicators of a fresh job");
	made_unload(&l);
}

/* A variant's row has these figures; NAN: none. */
static void memory_is(const json_t *report, const char *variant, const double mib[6])
{
	static const char *const columns[] = {"buffers_mib", "communicator_mib", "registration_mib",
	                                      "calls_mib",   "rank_mib",         "process_mib"};
	const json_t *table = json_table(report, "memory");
	for (unsigned i = 0; i < 6; i++)
		if (!isnan(mib[i]))
			json_assert_number(
			    json_cell(table, JSON_IS("variant", variant), columns[i]), "", mib[i],
			    1e-9);
		else if (json_has_column(table, columns[i]))
			json_assert_null(json_cell(table, JSON_IS("variant", variant), columns[i]),
			                 "");
}

/* Not a number, or a part of one, is no figure; what else is said still counts. */
static void half_said(json_t *line, const struct made_place *place)
{
	(void)place;
	json_object_set_new(line, "facts",
	                    json_pack("[{s:s, s:s, s:s}]", "memory_buffers_bytes", "4194304",
	                              "memory_comm_bytes", "12 apples", "memory_calls_bytes", ""));
}

TEST(a_fact_that_is_no_number_is_left_out)
{
	struct made m = plain;
	m.line = half_said;
	m.backend = "host";
	const json_t *report = made_report(&m);
	memory_is(report, "single", (double[]){4, NAN, NAN, NAN, NAN, NAN});
	/* No GPU's memory on host. */
	assert_false(json_one_says(json_section(report, "memory"), "A GPU's free memory"));
}

TESTS(.begin = made_begin, .end = made_end);
