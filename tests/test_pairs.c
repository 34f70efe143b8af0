/* Pairs of ranks, from a record on recorded topologies to the report: classes, slow pairs,
 * short links, hot spots. */
#include "made.h"

#define BLOCKS 6
#define BYTES  67108864
#define CALLS  (8 * 7 + 1)

/* How long a call takes, and one of all at once until a rank's end. */
static struct world {
	const char *topology;
	unsigned ranks;
	double (*alone_gbs)(unsigned from, unsigned to);
	double (*all_gbs)(unsigned to); /* received of all others */
	double us;
} world;

static struct made_call calls[CALLS];

/* When the rank ends a call between two alone: the second of a pair when it has all, both of a
 * ping-pong when their part of the way is done. */
static double end_of_pair_ns(const struct made_place *p)
{
	const unsigned from = value_pair_from(calls[p->size].root),
	               to = value_pair_to(calls[p->size].root, world.ranks);
	double one_way = p->isolated ? 1e3 * world.us : BYTES / world.alone_gbs(from, to);
	if (p->rank == to)
		return one_way;
	bool back = !strcmp(calls[p->size].collective, "pingpong");
	return back && p->rank == from ? 2 * one_way : 20;
}

static void stamps(const struct made_place *p, int64_t out[6])
{
	double ns = !strcmp(calls[p->size].collective, "alltoall")
	                ? (double)BYTES / world.ranks * (world.ranks - 1) / world.all_gbs(p->rank)
	                : end_of_pair_ns(p);
	out[1] = 10;
	out[2] = (int64_t)(ns * (1 + 0.002 * p->block));
	out[3] = 20;
}

/* All at once is a stream alone. */
static bool has(const struct made_place *p)
{
	return !p->isolated || strcmp(calls[p->size].collective, "alltoall") != 0;
}

static void environment(json_t *env)
{
	json_object_set_new(env, "topology", made_topology(world.topology));
	made_set(env, "{'blocks':%u,'calls':1}", BLOCKS);
}

static void line(json_t *cell, const struct made_place *p)
{
	made_set(cell, p->isolated ? "{'calls':1,'bytes':1024,'asked_bytes':1024}" : "{'calls':1}");
	made_gpus(cell, world.topology, world.ranks);
}

static const struct made_variant threads[] = {{.name = "threads", .role = "reference"}};
static struct made made = {.cores = 64,
                           .blocks = BLOCKS,
                           .variants = threads,
                           .nvariants = 1,
                           .calls = calls,
                           .has = has,
                           .environment = environment,
                           .line = line,
                           .logs = "{'threads':{'links':[{'from':0,'to':1,'via':'P2P/CUMEM',"
                                   "'channels':16}]}}",
                           .stamps = stamps};

static void add_call(const char *collective, unsigned root)
{
	calls[made.sizes++] = (struct made_call){
	    .collective = collective, .op = "none", .bytes = BYTES, .root = root};
}

static void set_world(const struct world *w)
{
	world = *w;
	made.ranks = w->ranks;
	made.sizes = 0;
}

/* All pairs one by one; of PAIR also all at once. */
static const json_t *report_of(const struct world *w, enum coll_kind coll)
{
	set_world(w);
	for (unsigned i = 0; i < coll_pairs(coll, w->ranks); i++)
		add_call(coll_info(coll)->name, coll_pair(coll, i, w->ranks));
	if (coll == COLL_PAIR)
		add_call("alltoall", 0);
	return made_report_with(&made, "plot", 0);
}

static double even(unsigned from, unsigned to)
{
	(void)from, (void)to;
	return 360;
}

static double one_is_slow(unsigned from, unsigned to)
{
	return from == 2 && to == 6 ? 200 : 360;
}

static double all_of_it(unsigned to)
{
	(void)to;
	return 355;
}

static double half_at_three(unsigned to)
{
	return to == 3 ? 150 : 355;
}

TEST(a_slow_pair_and_short_links_are_named)
{
	const struct world w = {"hgx8", 8, one_is_slow, all_of_it, 9};
	const json_t *report = report_of(&w, COLL_PAIR);
	const json_t *pairs = json_table(report, "pairs");
	json_keys slow = {"from", "2", "to", "6", NULL}, fast = {"from", "6", "to", "2", NULL},
	          first = {"from", "0", "to", "1", NULL};
	assert_int_equal(json_rows(pairs, JSON_ALL), 56);
	json_assert_number(json_cell(pairs, fast, "gbs"), "value", 360 / 1.005, 0.5);
	json_assert_number(json_cell(pairs, fast, "share"), "", 0.8 / 1.005, 0.002);
	json_assert_number(json_cell(pairs, fast, "p50_us"), "", 9 * 1.005, 0.01);
	json_assert_number(json_cell(pairs, fast, "all_gbs"), "", 355 / 7.0 / 1.005, 0.2);
	json_assert_null(json_cell(pairs, fast, "remark"), "");
	json_assert_says(json_cell(pairs, slow, "remark"), "", "where its class reaches 358");
	json_assert_says(json_cell(pairs, slow, "remark"), "", "on the way back");
	json_assert_says(json_cell(pairs, slow, "remark"), "", "below its class's range");
	json_assert_says(json_cell(pairs, first, "via"), "", "P2P/CUMEM, 16 channels");
	json_assert_one_says(json_section(report, "pairs"),
	                     "No p99 of 1 KiB: it needs 500 isolated");
	assert_int_equal(json_rows(pairs, JSON_IS("remark", "")), 55);
	const json_t *said = json_section(report, "pairs");
	json_assert_one_says(said, "Pair 2 to 6 (NVSwitch) is slow: 199 GB/s, where");
	json_assert_one_says(said, "2 of 18 NVLinks are down");
	assert_false(json_one_says(said, "all send to all"));
	assert_false(json_one_says(said, "share one link"));
	json_assert_text(
	    json_cell(json_table(report, "link_matrix"), JSON_IS("rank", "5", "to", "0"), "brief"),
	    "", "NVS ×16");
	json_assert_number(
	    json_cell(json_table(report, "balance"), JSON_IS("rank", "5"), "sent_per_link"), "",
	    BYTES / 8.0 * 7 / 16, 1);
	json_says(report, "answer", "NVSwitch, 56 pairs");
	json_says(report, "answer", "Pair 2 to 6 (NVSwitch) is slow");
	assert_true(made_has("pairs.csv"));
}

/* Of the first, and a picture without figures one over the other. */
TEST(a_pair_in_several_datatypes_is_one_row)
{
	const struct world w = {"two_sockets", 4, even, all_of_it, 20};
	static const enum coll_kind colls[] = {COLL_PAIR, COLL_PINGPONG};
	set_world(&w);
	for (unsigned c = 0; c < 2; c++)
		for (unsigned i = 0; i < 2 * coll_pairs(colls[c], w.ranks); i++) {
			add_call(coll_info(colls[c])->name, coll_pair(colls[c], i / 2, w.ranks));
			calls[made.sizes - 1].dtype = i % 2 ? "float64" : "float32";
		}
	const json_t *report = made_report_with(&made, "plot", 0);
	assert_int_equal(json_rows(json_table(report, "pairs"), JSON_ALL), 12);
	assert_int_equal(json_rows(json_table(report, "pingpong"), JSON_ALL), 6);
	json_assert_one_says(json_section(report, "pingpong"),
	                     "No p99 of 1 KiB: it needs 500 isolated");
}

TEST(who_shares_is_a_hot_spot)
{
	const struct world switched = {"hgx8", 8, even, half_at_three, 9},
	                   pcie = {"two_sockets", 4, even, all_of_it, 20};
	const json_t *report = report_of(&switched, COLL_PAIR);
	json_lacks(report, "pairs", "is slow:");
	json_says(report, "pairs",
	          "rank 3 receives 149 GB/s (8 MiB from each). One way alone, its "
	          "fastest pair brings 358 GB/s (64 MiB)");
	assert_lacks(made_read("report.md"), "share a link");
	report = report_of(&pcie, COLL_PAIR);
	json_says(report, "pairs", "4 of 12 pairs share one link: bridge 0000:3a:00.0 upwards");
	json_says(report, "pairs", "PCIe ×8 of ×16");
	assert_int_equal(json_count(report, "link_classes"), 4);
	/* Both are drawn at the switch of the first of them, which gnuplot counts as 1. */
	const char *script = made_read("plots/run.gp");
	assert_says(script, "\nlink_ranks_bridge[1] = 1\n");
	assert_says(script, "\nlink_ranks_bridge[2] = 1\n");
}

/* Ranks that are not there would be looked up all the same. */
TEST(a_pair_of_other_ranks_is_no_record)
{
	static const unsigned roots[] = {8, 7 * VALUE_PAIR, 1023};
	const struct world w = {"hgx8", 8, even, all_of_it, 9};
	set_world(&w);
	for (unsigned i = 0; i < 6; i++) {
		made.sizes = 0;
		add_call(i % 2 ? "pair" : "pingpong", roots[i / 2]);
		made_write(&made);
		assert_refused(report_make(made_folder, "plot", NULL, WHY),
		               "which is no pair of 8 ranks");
	}
}

TESTS(.undrawn = true, .begin = made_begin, .end = made_end);
