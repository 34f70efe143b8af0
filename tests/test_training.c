/* Data-parallel training: models' files, buckets, products, and the step of the host backend, with
 * gradients that have to be the exact average on every rank. */
#include "../harness/coll/routing.h"
#include "here.h"
#include "host_rig.h"

static void read_model(const char *name, struct network *out)
{
	char *path = test_text("experiments/models/%s.csv", name);
	assert_works(network_read(path, out, WHY));
	assert_string_equal(out->name, name);
}

/* The counts that the models' authors or libraries give. */
TEST(models_have_the_published_sizes)
{
	static const struct {
		const char *name;
		uint64_t parameters;
		unsigned tensors;
		double gflops; /* 4 × parameters of products × tokens, near enough */
	} rows[] = {
	    {"lenet5", 61706, 10, 0.0014},        {"resnet50", 25557032, 161, 16},
	    {"bert_large", 335141888, 391, 670},  {"gpt2_xl", 1557611200, 580, 7000},
	    {"llama_7b", 6738415616, 291, 58500},
	};
	static struct network network;
	for (unsigned i = 0; i < LENGTH(rows); i++) {
		unsigned tensors = 0;
		read_model(rows[i].name, &network);
		for (unsigned k = 0; k < network.n; k++)
			tensors += network.layers[k].elements > 0;
		assert_int_equal(network_sums(&network).parameters, rows[i].parameters);
		assert_int_equal(tensors, rows[i].tensors);
		assert_true(network_sums(&network).elements % NETWORK_ALIGN == 0);
		assert_in_range(network_sums(&network).elements - network_sums(&network).parameters,
		                0, (NETWORK_ALIGN - 1) * tensors);
		double off = (double)network_sums(&network).flops / (rows[i].gflops * 1e9) - 1;
		assert_true(off > -0.03 && off < 0.03);
	}
}

TEST_WITH(a_bad_file_is_named_with_its_line, set_up, tear_down)
{
	static const struct {
		const char *text, *says;
	} rows[] = {
	    {"a,1,2\nb,x,2\n", ":2: not a line of a model"},
	    {"# c\na,1\n", ":2: not a line"},
	    {"a,0,0\n", ":1: not a line"},
	    {"a,1,2,3\n", ":1: not a line"},
	    {"a,1,2 3\n", ":1: not a line"},
	    {"a,-1,2\n", ":1: not a line"},
	    {"a,99999999999999,2\n", ":1: not a line"},
	    {",1,2\n", ":1: not a line"},
	    {"a,0,7\n", ": a model without a parameter"},
	};
	static struct network network;
	char *model = test_text("%s/m.csv", folder);
	for (unsigned i = 0; i < LENGTH(rows); i++) {
		cli_write(folder, "m.csv", rows[i].text);
		assert_refused(network_read(model, &network, WHY),
		               test_text("m.csv%s", rows[i].says));
	}
}

/* The rule of PyTorch's reducer, by hand: a bucket is closed by the tensor with which it reaches
 * its cap, and the first one has its own cap. */
TEST(buckets_close_where_they_reach_their_cap)
{
	static const struct network network = {
	    "six", 7, {{64, 0}, {64, 0}, {0, 5}, {640, 0}, {64, 0}, {100, 0}, {0, 1}}};
	const uint64_t all = network_sums(&network).elements;
	/* first, cap, then the buckets' layers */
	static const struct {
		uint64_t first, cap;
		unsigned layers[8];
	} rows[] = {
	    {0, 4096, {7}},           /* never reached: all in one */
	    {256, 4096, {1, 6}},      /* the first tensor has 256 bytes: enough */
	    {257, 512, {2, 2, 2, 1}}, /* the second closes it; 640 elements are one bucket */
	    {0,
	     1,
	     {1, 1, 2, 1, 1, 1}}, /* a bucket each; work without a gradient comes with the next */
	    {3000, 256, {4, 1, 1, 1}}, /* a first one that is larger than the others */
	};
	assert_int_equal(all, 64 + 64 + 640 + 64 + 128);
	for (unsigned i = 0; i < LENGTH(rows); i++) {
		struct buckets b = buckets_of(&network, all, 4, rows[i].first, rows[i].cap);
		struct bucket bucket, *last = NULL;
		unsigned n = 0, layer = 0, with = 0;
		uint64_t at = 0;
		for (; buckets_next(&b, last, &bucket); last = &bucket, n++) {
			assert_int_equal(bucket.layer, layer);
			assert_int_equal(bucket.layers, rows[i].layers[n]);
			assert_int_equal(bucket.at, at);
			layer += bucket.layers;
			at += bucket.elements;
			with += bucket.elements > 0;
		}
		assert_int_equal(rows[i].layers[n], 0);
		assert_int_equal(layer, network.n);
		assert_int_equal(at, all);
		assert_int_equal(buckets_count(&b), with);
	}
	struct buckets other = buckets_of(&network, all + 1, 4, 0, 1);
	assert_int_equal(buckets_count(&other), 1);
	assert_int_equal(buckets_get(&other, 0).elements, all + 1);
}

/* Products have the layer's FLOPs, except for the part that cannot be cut so finely. */
TEST(products_come_to_the_work)
{
	assert_int_equal(network_product(0).times, 0);
	assert_int_equal(network_product(2).times, 2);
	for (uint64_t flops = 1; flops < (uint64_t)1 << 58; flops = flops * 3 / 2 + 1) {
		struct network_product p = network_product(flops);
		double made = 2.0 * p.side * p.side * p.depth * p.times;
		assert_true(p.side <= NETWORK_MOST_SIDE && p.depth <= NETWORK_MOST_DEPTH);
		assert_true(p.times == 0 || (p.side % 64 == 0 && p.depth % 8 == 0));
		if (flops > 100000000)
			assert_true(made / (double)flops > 0.98 && made / (double)flops < 1.02);
	}
}

/* --- the step of the host backend --- */

static struct rig rig;

static void add_steps(enum dtype dtype, enum op op, size_t cap)
{
	static const enum coll_kind kinds[] = {COLL_DDP_STEP, COLL_DDP_COMPUTE,
	                                       COLL_DDP_COMMUNICATION};
	for (unsigned i = 0; i < 3; i++) {
		struct cell cell = {.coll = kinds[i],
		                    .dtype = dtype,
		                    .op = kinds[i] == COLL_DDP_COMPUTE ? OP_NONE : op,
		                    .in_place = true,
		                    .bytes = cap};
		rig_add_cell(&rig, cell);
	}
}

/* Every rank has the exact average, or sum, in every datatype: with views and with copies, in
 * one process and in several, with slots in use at once. */
TEST(gradients_are_exact_in_every_datatype)
{
	static const struct network network = {
	    "small", 5, {{100, 200000}, {3, 0}, {700, 400000}, {0, 70000}, {1000, 0}}};
	static const struct {
		struct layout layout;
		const char *path;
		bool view;
	} rows[] = {
	    {{1, 1, 2}, "direct", true}, {{1, 2, 1}, "direct", false}, {{1, 3, 1}, "fifo", true},
	    {{2, 1, 1}, "fifo", false},  {{2, 2, 1}, "shared", true},  {{2, 1, 1}, "shared", false},
	};
	for (unsigned i = 0; i < LENGTH(rows); i++) {
		rig_init(&rig, rows[i].layout, rows[i].path);
		rig.trial.network = network;
		rig.trial.settings.first_bucket = 64;
		rig.trial.settings.accumulation = 1 + i % 2;
		rig.trial.settings.bucket_view = rows[i].view;
		for (unsigned d = 0; d < DTYPE_KINDS; d++)
			for (size_t cap = 512; cap <= 8192; cap *= 16)
				add_steps((enum dtype)d, d % 2 ? OP_SUM : OP_AVG, cap);
		rig_is_right(&rig);
	}
}

/* --- experts --- */

TEST(experts_are_wanted_as_asked)
{
	/* One on each rank, or as many on each: even. Of 3 on 2 ranks the first has two. */
	assert_true(routing_imbalance(routing_root(0, 0), 5) == 1);
	assert_true(fabs(routing_imbalance(routing_root(0, 16), 4) - 1) < 1e-3);
	assert_true(fabs(routing_imbalance(routing_root(0, 3), 2) - 4.0 / 3) < 1e-3);
	/* Zipf's law with s = 1 on 2 experts: 1 and 1/2. */
	assert_true(fabs(routing_imbalance(routing_root(10, 2), 2) - 4.0 / 3) < 1e-3);
	/* More skew is less even; a skew without end leaves one rank all. */
	for (unsigned skew = 1; skew <= ROUTING_MOST_SKEW; skew++)
		assert_true(routing_imbalance(routing_root(skew, 8), 4) >
		            routing_imbalance(routing_root(skew - 1, 8), 4));
	assert_true(routing_imbalance(routing_root(40, 8), 8) > 7);
	assert_true(routing_imbalance(UINT32_MAX, 2) >= 1);
	/* Every rank sends the same, and the amount is what the cell says, up to a unit a part. */
	for (unsigned n = 1; n <= 9; n++)
		for (unsigned skew = 0; skew <= 20; skew += 5) {
			struct cell cell = {.coll = COLL_MOE_STEP,
			                    .dtype = DTYPE_FLOAT16,
			                    .op = OP_NONE,
			                    .root = routing_root(skew, 11),
			                    .bytes = 4096 * 16};
			size_t all = coll_routed_bytes(&cell, n);
			struct cell whole = cell;
			whole.bytes = all;
			struct value_parts parts = coll_parts(&whole, NULL, n);
			for (unsigned r = 0; r < n; r++) {
				size_t sent = coll_span(&whole, &parts, n, r).send_bytes;
				assert_in_range(sent, cell.bytes - 16 * n, cell.bytes + 16 * n * n);
				assert_true(2 * value_received_before(&parts, r, n) <= all / 2);
			}
		}
}

/* The data sent comes back, and each expert gets its own data: in every datatype. */
TEST(tokens_come_and_go_as_they_are_routed)
{
	static const enum coll_kind kinds[] = {COLL_MOE_STEP, COLL_MOE_DISPATCH, COLL_MOE_COMPUTE,
	                                       COLL_MOE_COMMUNICATION};
	static const struct {
		struct layout layout;
		const char *path;
	} rows[] = {
	    {{1, 1, 3}, "direct"}, {{1, 2, 1}, "fifo"}, {{2, 2, 1}, "fifo"}, {{2, 1, 1}, "shared"}};
	for (unsigned i = 0; i < LENGTH(rows); i++) {
		rig_init(&rig, rows[i].layout, rows[i].path);
		rig.trial.settings.hidden = 8;
		for (unsigned d = 0; d < DTYPE_KINDS; d++)
			for (unsigned k = 0; k < 4; k++)
				for (unsigned skew = 0; skew <= 20; skew += 20)
					rig_add_cell(&rig,
					             (struct cell){.coll = kinds[k],
					                           .dtype = (enum dtype)d,
					                           .op = OP_NONE,
					                           .root = routing_root(skew, 5),
					                           .bytes = 6144});
		rig_is_right(&rig);
	}
}

/* --- the program --- */

static struct cli run(const char *text)
{
	static const char head[] =
	    "[experiment]\nbackend = host\nranks = 2\nblocks = 1\nwarmup = 0\nisolated_calls = "
	    "2\n"
	    "pace = isolated\nlimit = no\ncollective = ddp_step\nop = avg\n";
	return here_run(test_text("%s%s", head, text), "--no-report", NULL);
}

TEST_WITH(what_cannot_be_is_said, set_up, tear_down)
{
	static const struct {
		const char *keys, *said;
	} cases[] = {
	    {"", "model = '' is not there; a step of training wants the model"},
	    {"model = nobody", "model = 'nobody' is not there"},
	    {"model = ./none.csv", "cannot read ./none.csv"},
	    {"model = %s/large.csv", "ask for smaller sizes or fewer ranks"},
	    {"model = %s/large.csv\nfirst_bucket = 1K..4K",
	     "first_bucket = '1K..4K' is not allowed; allowed is one size"},
	    {"skew = 0, 1.25", "skew = '0, 1.25' is not allowed"},
	    {"skew = 5", "numbers from 0 to 4 with one decimal"},
	};
	cli_write(folder, "large.csv", "all,500000000000,1\n");
	for (unsigned i = 0; i < LENGTH(cases); i++) {
		const char *keys = cases[i].keys, *place = strstr(keys, "%s");
		char *text = test_text("bytes = 16K\n%.*s%s%s\n[variant v]\nmode = threads\n",
		                       place ? (int)(place - keys) : 0, keys, place ? folder : "",
		                       place ? place + 2 : keys);
		cli_expect(run(text), 1, cases[i].said);
	}
}

/* One bit of one gradient on one rank is found, in each mode. */
TEST_WITH(a_wrong_gradient_is_found, set_up, tear_down)
{
	static const char *const modes[] = {"single", "threads", "processes"};
	char text[512], here[256];
	assert_non_null(getcwd(here, sizeof here));
	for (unsigned m = 0; m < 3; m++) {
		snprintf(
		    text, sizeof text,
		    "bytes = 64K\nmodel = %s/experiments/models/lenet5.csv\nfirst_bucket = 4K\n"
		    "[variant v]\nmode = %s\nflip = 1:70001\n",
		    here, modes[m]);
		cli_expect(run(text), CLI_FAILS, "wrong data in ddp_step_avg");
	}
}

/* Each rank's work and communication are in the record, within their row. */
TEST_WITH(a_step_has_its_lanes, set_up, tear_down)
{
	static const char *const lanes[] = {"work_ns", "communication_ns"};
	char here[256], path[512];
	unsigned with = 0;
	assert_non_null(getcwd(here, sizeof here));
	char *text =
	    test_text("bytes = 64K\nmodel = %s/experiments/models/lenet5.csv\nfirst_bucket = 4K\n"
	              "[variant v]\nmode = processes\n",
	              here);
	cli_expect(run(text), 0, "");
	strcpy(path, here_path(""));
	struct record_run record = cli_record(path);
	for (unsigned c = 0; c < record.ncells; c++) {
		const struct record_cell *cell = &record.cells[c];
		assert_int_equal(!!json_object_get(cell->json, lanes[0]),
		                 cell->cell.pass == PASS_TIMELINE);
		for (unsigned k = 0; k < 2 && cell->cell.pass == PASS_TIMELINE; k++) {
			const json_t *ranks = json_object_get(cell->json, lanes[k]);
			assert_int_equal(json_array_size(ranks), 2);
			const json_t *span = json_array_get(json_array_get(ranks, 0), 0);
			json_int_t start = json_integer_value(json_array_get(span, 0)),
			           end = json_integer_value(json_array_get(span, 1));
			assert_true(start >= cell->samples[0].start_ns && end >= start);
			with++;
		}
	}
	assert_true(with >= 2);
}

/* As shipped, on CPUs: all modes, and every gradient and token right. */
TEST_WITH(the_experiments_are_right_on_host, set_up, tear_down)
{
	static const char *const names[] = {"ddp_step", "moe_step"};
	for (unsigned i = 0; i < 2; i++) {
		char path[256];
		cli_expect(cli_call(folder, "run", names[i], "--results", results, "--no-report",
		                    "backend=host", "ranks=2", "blocks=1",
		                    i ? "tokens=100" : "bytes=16K", "warmup=0", "isolated_calls=2",
		                    NULL),
		           0, "");
		cli_result(folder, names[i], "trials.jsonl", path, sizeof path);
		struct record_run record = cli_record(path);
		assert_int_equal(record.nfailures, 0);
		assert_true(record.ncells >= 4 * 3);
		for (unsigned c = 0; c < record.ncells; c++) {
			assert_int_equal(record.cells[c].wrong, 0);
			/* Of 16 numbers of 4 bytes. */
			assert_int_equal(record.cells[c].cell.asked_bytes,
			                 i ? 100 * 16 * 4 : 16 << 10);
		}
	}
}

/* Two groups reduce side by side. */
TEST(groups_reduce_their_own_gradients)
{
	for (unsigned fifo = 0; fifo < 2; fifo++) {
		rig_init(&rig, (struct layout){1, 4, 1}, fifo ? "fifo" : "direct");
		rig.trial.network = (struct network){"two", 2, {{100, 9000}, {500, 70000}}};
		rig.trial.settings.split = (struct split){SPLIT_MOD, 2};
		rig.trial.settings.bucket_view = fifo;
		add_steps(DTYPE_BFLOAT16, OP_AVG, 256);
		rig_is_right(&rig);
	}
}
