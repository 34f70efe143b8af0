/* Ranks that share a model on the host backend: their sums are right in every datatype, come from
 * the right ranks, and the work after a sum waits for it. */
#include "../harness/backend/tensor.h"
#include "here.h"
#include "host_rig.h"

/* Sums of different lengths: one of fewer elements than ranks, one of more than a piece. */
static const struct network small = {"small",
                                     6,
                                     {{100, 200000, 50},
                                      {3, 0, 0},
                                      {700, 400000, 20000},
                                      {0, 70000, 1},
                                      {1000, 0, 0},
                                      {90, 100000, 300}}};
#define SUMMED 20351 /* elements in a pass of one sample */

static struct rig rig;

static void init(struct layout layout, const char *path, struct split split)
{
	rig_init(&rig, layout, path);
	rig.trial.network = small;
	rig.trial.settings.split = split;
	rig.trial.settings.tensor = true;
	rig.trial.settings.first_bucket = 64;
}

static void add(enum coll_kind coll, enum dtype dtype)
{
	rig_add_cell(&rig, (struct cell){.coll = coll,
	                                 .dtype = dtype,
	                                 .op = coll == COLL_DDP_COMPUTE ? OP_NONE : OP_AVG,
	                                 .in_place = true,
	                                 .bytes = 512});
}

static const struct {
	struct layout layout;
	const char *path;
	struct split split;
} rows[] = {
    {{1, 1, 4}, "direct", {SPLIT_MOD, 2}}, {{1, 4, 1}, "direct", {SPLIT_DIV, 2}},
    {{4, 1, 1}, "fifo", {SPLIT_MOD, 2}},   {{1, 2, 2}, "fifo", {SPLIT_DIV, 2}},
    {{4, 1, 1}, "shared", {SPLIT_MOD, 2}}, {{2, 3, 1}, "shared", {SPLIT_MOD, 2}},
    {{1, 2, 1}, "direct", {SPLIT_MOD, 2}}, {{2, 1, 1}, "fifo", {SPLIT_DIV, 2}},
};

#define ROWS LENGTH(rows)

/* With slots in use at once, views and copies, and passes before the last one; in one process and
 * in several; with one model for all ranks, and with one for each. */
TEST(sums_and_gradients_are_exact_in_every_datatype)
{
	for (unsigned i = 0; i < ROWS; i++) {
		init(rows[i].layout, rows[i].path, rows[i].split);
		rig.trial.settings.accumulation = 1 + i % 2;
		rig.trial.settings.bucket_view = i % 3;
		rig.trial.settings.batch = 1 + i % 2;
		rig.slots = rig.calls = 2;
		for (unsigned d = 0; d < DTYPE_KINDS; d++) {
			add(COLL_DDP_STEP, (enum dtype)d);
			add(COLL_DDP_COMPUTE, (enum dtype)d);
			add(COLL_DDP_COMMUNICATION, (enum dtype)d);
		}
		rig_add(&rig, COLL_ALL_REDUCE, 4096);
		rig_raise(&rig);
		rig_run(&rig);
		rig_assert_right(&rig);
		rig_lower(&rig);
	}
}

/* Flips a bit of the first of rank 2's activations, before their sum or after it. */
static void spoil(struct backend_ctx *ctx, bool sum)
{
	for (unsigned i = 0; i < ctx->place.count; i++)
		if (ctx->ranks[i].rank == 2)
			*(sum ? ctx->ranks[i].parts[HOST_TENSOR].own.recv
			      : ctx->ranks[i].parts[HOST_TENSOR].own.send) ^= 1;
}

static void spoil_input(struct backend_ctx *ctx)
{
	spoil(ctx, false);
}

static void spoil_sum(struct backend_ctx *ctx)
{
	spoil(ctx, true);
}

/* A wrong sum is found at its place, a wrong input by both ranks of its model and by no other. */
TEST(wrong_activations_are_found)
{
	static const struct layout modes[] = {{1, 1, 4}, {1, 4, 1}, {4, 1, 1}};
	static const char *const paths[] = {"direct", "shared", "fifo"};
	for (unsigned m = 0; m < 3; m++)
		for (unsigned sum = 0; sum < 2; sum++) {
			init(modes[m], paths[m], (struct split){SPLIT_MOD, 2});
			add(COLL_DDP_STEP, DTYPE_INT32);
			add(COLL_DDP_COMMUNICATION, DTYPE_UINT8);
			*(sum ? &rig.behind : &rig.before) = sum ? spoil_sum : spoil_input;
			rig_raise(&rig);
			rig_run(&rig);
			for (unsigned r = 0; r < 4; r++) {
				assert_string_equal(rig.results[r].error.text, "");
				assert_int_equal(rig.results[r].wrong,
				                 r == 2 || (r == 3 && !sum) ? 2 : 0);
			}
			rig_lower(&rig);
		}
}

/* Those of another model, or of gradients, would be wrong: no two inputs are equal. */
TEST(inputs_tell_models_and_gradients_apart)
{
	static const struct split splits[] = {
	    {SPLIT_MOD, 2}, {SPLIT_DIV, 2}, {SPLIT_OR, 8}, {SPLIT_AND, 4}};
	const struct cell cell = {.coll = COLL_ALL_REDUCE, .bytes = 64};
	const struct value_parts parts = {0};
	for (unsigned i = 0; i < LENGTH(splits); i++) {
		init((struct layout){1, 1, 8}, "direct", splits[i]);
		add(COLL_DDP_STEP, DTYPE_FLOAT32);
		for (unsigned k = 0; k < 8 * 8; k++) {
			const unsigned a = k / 8, b = k % 8;
			const struct split_place of = split_place(splits[i], 8, b);
			const struct buffers sums =
			    tensor_buffers(&rig.trial, DTYPE_FLOAT32, a, RIG_SEED, NULL, NULL);
			const struct buffers others =
			    tensor_buffers(&rig.trial, DTYPE_FLOAT32, b, RIG_SEED, NULL, NULL);
			const struct value_question gradients = buffers_question(
			    &rig.trial, &cell, &parts, of.size, of.index, of.color, RIG_SEED);
			assert_int_equal(sums.question.seed == others.question.seed,
			                 tensor_place(&rig.trial, a).color ==
			                     tensor_place(&rig.trial, b).color);
			assert_true(sums.question.seed != gradients.seed);
		}
	}
}

/* --- the program --- */

static struct cli run(const char *model, const char *split)
{
	char here[256];
	assert_non_null(getcwd(here, sizeof here));
	char *text = test_text(
	    "[experiment]\nbackend = host\nranks = 4\nblocks = 1\nwarmup = 0\nlimit = no\n"
	    "isolated_calls = 2\npace = isolated\nop = avg\ndtype = bfloat16\nbytes = 16K\n"
	    "collective = ddp_step, ddp_communication\nmodel = %s/experiments/models/%s.csv\n"
	    "tensor = yes\n%s[variant single]\nmode = single\n[variant threads]\n"
	    "mode = threads\n[variant processes]\nmode = processes\nbucket_view = no\n",
	    here, model, split);
	return here_run(text, "--no-report", NULL);
}

TEST_WITH(the_program_runs_it_in_all_modes, set_up, tear_down)
{
	cli_expect(run("lenet5", "split = MOD:2\n"), 0, "");
	struct record_run record = cli_record(here_path(""));
	assert_int_equal(record.nfailures, 0);
	/* Two, each timed and as a timeline, of three modes and the reference's twin. */
	assert_int_equal(record.ncells, 4 * (2 + 2));
	for (unsigned c = 0; c < record.ncells; c++) {
		assert_int_equal(record.cells[c].wrong, 0);
		assert_int_equal(record.cells[c].cell.comm_ranks, 2);
		const json_t *sums = json_object_get(record.cells[c].json, "activations_ns");
		bool has = record.cells[c].cell.pass == PASS_TIMELINE &&
		           record.cells[c].cell.coll == COLL_DDP_STEP;
		assert_int_equal(json_array_size(sums), has ? 4 : 0);
		for (unsigned r = 0; r < json_array_size(sums); r++)
			assert_true(json_array_size(json_array_get(sums, r)) > 0);
	}
	cli_expect(run("resnet50", "split = MOD:2\n"), 1,
	           "tensor = yes reduces activations, and model = resnet50 has none");
	cli_expect(run("lenet5", ""), 1, "tensor = yes needs groups that reduce gradients");
}
