/* "Is this bandwidth normal?": made records above, within and below what the built-in reference
 * records reached, without one, with links of all kinds and without any. */
#include "../harness/chapters/figures.h"
#include "../harness/texts.h"
#include "made.h"
#include "scratch.h"

#define BYTES (64u << 20)

/* One variant, threads, alltoall of 64 MiB; by how much it is faster than the reference records. */
static struct world {
	double speed;
	const char *gpu, *topology, *library, *throttle, *env, *transport, *bind, *created, *api,
	    *registered;
	unsigned blocks;
	bool nvlinks_down, pcie_narrow;
} world;

/* What the built-in records of that cell reached, and how many they are. */
static struct {
	double gbs, records;
} known = {.gbs = 100};

static void stamps(const struct made_place *p, int64_t out[6])
{
	const double ns = BYTES / 2.0 / (known.gbs * world.speed);
	out[1] = 10;
	out[2] = (int64_t)(ns * (1 + 0.001 * made_noise(p->variant, p->block, p->row)));
	out[3] = 20;
}

static void environment(json_t *env)
{
	json_t *machine = json_object_get(env, "machine"), *gpu;
	size_t i, k;
	json_object_update_new(env, json_pack("{s:i, s:s*}", "calls", 1, "created", world.created));
	json_object_update_new(made_variant_of(env, 0),
	                       json_pack("{s:s, s:s, s:s, s:s*, s:s*}", "bind", "near-gpu",
	                                 "allocator", "nccl", "wait", "spin", "api", world.api,
	                                 "register", world.registered));
	made_set(machine,
	         "{'gpus':[{'name':'%s','pci':'0000:18:00.0'},{'name':'%s','pci':'0000:2a:00.0'}]}",
	         world.gpu, world.gpu);
	if (world.env)
		json_object_set_new(machine, "environment", json_pack("{s:s}", world.env, "1"));
	if (!world.topology)
		return;
	json_t *topology = made_topology(world.topology), *link;
	json_array_foreach(json_object_get(topology, "gpus"), i, gpu)
	{
		if (world.pcie_narrow)
			json_object_set_new(json_object_get(gpu, "pcie"), "width", json_integer(8));
		json_array_foreach(json_object_get(gpu, "nvlinks"), k,
		                   link) if (world.nvlinks_down && k < 6)
		    json_object_set_new(link, "up", json_false());
	}
	json_object_set_new(env, "topology", topology);
}

static void line(json_t *cell, const struct made_place *p)
{
	(void)p;
	json_object_set_new(cell, "calls", json_integer(1));
	if (world.topology)
		made_gpus(cell, world.topology, 2);
	if (world.bind)
		made_fact(cell, "bind", world.bind);
	if (world.throttle)
		made_fact(cell, "throttle", world.throttle);
}

static struct made made_of(struct world w)
{
	static const struct made_call call = {.bytes = BYTES, .op = "none"};
	static struct made_variant variant = {.name = "threads", .role = "reference"};
	world = w;
	world.gpu = w.gpu ? w.gpu : "NVIDIA H200";
	variant.library = w.library ? w.library : "2.28.3";
	return (struct made){
	    .blocks = w.blocks ? w.blocks : 6,
	    .sizes = 1,
	    .cores = 64,
	    .calls = &call,
	    .variants = &variant,
	    .nvariants = 1,
	    .no_limit = true,
	    .environment = environment,
	    .line = line,
	    .logs = w.transport ? test_text("{'threads':{'transport':'%s'}}", w.transport) : NULL,
	    .stamps = stamps};
}

/* A row of the table that people see: the report's only one. */
static const json_t *report_of(struct world w)
{
	const struct made made = made_of(w);
	return made_report(&made);
}

static const json_t *cell_of(const json_t *report, const char *column)
{
	return json_cell(json_table(report, "normal"), JSON_IS("variant", "threads"), column);
}

static const char *text(const json_t *report, const char *column)
{
	const char *cell = json_string_value(cell_of(report, column));
	return cell ? cell : "";
}

static double number(const json_t *report, const char *column)
{
	const json_t *cell = cell_of(report, column);
	return json_is_number(cell) ? json_number_value(cell) : NAN;
}

FIXTURE(setup)
{
	made_begin();
	const json_t *json = report_of((struct world){.speed = 1});
	known.gbs = json_number_value(json_object_get(cell_of(json, "reference"), "value"));
	known.records = number(json, "records");
	assert_true(known.records >= 3); /* else these tests test nothing */
}
TESTS(.begin = setup, .end = made_end);

/* A check is of what the record shows, and of nothing else. */
TEST(a_verdict_comes_with_what_to_check)
{
	static const struct {
		struct world world;
		const char *verdict, *checks[3], *lacks;
		double line_gbs;
	} rows[] = {
	    {{.speed = 1, .topology = "hgx8"}, "normal", {""}, "rank", 450},
	    {{.speed = 1.5, .topology = "hgx8"}, "above the range", {""}, "rank", 450},
	    {{.speed = 0.4, .topology = "hgx8", .nvlinks_down = true, .throttle = "thermal"},
	     "below the range",
	     {"6 of 18 NVLinks are down", "thermal"},
	     "PCIe",
	     12 * 25},
	    {{.speed = 0.1,
	      .topology = "hgx8",
	      .env = "NCCL_P2P_DISABLE",
	      .transport = "SHM/direct/direct",
	      .pcie_narrow = true},
	     "below the range",
	     {"data goes by SHM", "NCCL_P2P_DISABLE = 1", "PCIe ×8 of ×16"},
	     "NVLinks",
	     NAN},
	    {{.speed = 0.5, .topology = "hgx8", .bind = "core 5"},
	     "below the range",
	     {"rank 0's GPU is on NUMA node 0, its worker on 1"},
	     "clocks",
	     450},
	    {{.speed = 0.1, .topology = "two_sockets"},
	     "below the range",
	     {"in the records 18 NVLinks"},
	     "clocks",
	     NAN},
	    {{.speed = 0.2, .library = "2.28.9"},
	     "below the range",
	     {"NCCL is 2.28.9, in the records 2.28.3"},
	     "clocks",
	     NAN},
	};
	for (size_t i = 0; i < LENGTH(rows); i++) {
		const json_t *json = report_of(rows[i].world);
		assert_string_equal(text(json, "verdict"), rows[i].verdict);
		for (unsigned k = 0; k < 3 && rows[i].checks[k]; k++)
			assert_says(text(json, "checks"), rows[i].checks[k]);
		assert_lacks(text(json, "checks"), rows[i].lacks);
		if (!isnan(rows[i].line_gbs))
			assert_near(number(json, "line_gbs"), rows[i].line_gbs, 1e-9);
		assert_int_equal(json_one_says(json_object_get(json, "answer"), "below the range"),
		                 !strcmp(rows[i].verdict, "below the range"));
	}
}

/* Whatever joins the GPUs. */
TEST(the_line_rate_is_that_of_the_way_that_data_took)
{
	static const char *const ways[] = {"SHM/direct/direct", "NET/Socket/0"};
	for (unsigned i = 0; i < 2; i++) {
		const json_t *json = report_of(
		    (struct world){.speed = 0.05, .topology = "hgx8", .transport = ways[i]});
		assert_float_equal(number(json, "line_gbs"), 32.0 * 128 / 130 * 16 / 8, 1e-4);
		assert_string_equal(text(json, "line"), "PCIe 5 ×16 to the host's memory");
	}
	const json_t *json =
	    report_of((struct world){.speed = 0.05, .topology = "hgx8", .transport = "mixed"});
	assert_true(isnan(number(json, "line_gbs")));
	assert_says(text(json, "no_line"), "different transports");
}

TEST(other_gpus_have_no_verdict)
{
	const json_t *json = report_of(
	    (struct world){.speed = 0.1, .gpu = "NVIDIA A100-SXM4-80GB", .topology = "hgx8"});
	assert_string_equal(text(json, "verdict"), "");
	assert_true(isnan(number(json, "records")));
	json_says(json, "answer", " on 2 × NVIDIA A100-SXM4-80GB. Only the line rate is known");
}

/* --- the line rate ----------------------------------------------------------------------- */

/* Bridges between two cards each: what joins the two ranks is all that they have. */
TEST(the_line_rate_of_bridges_is_that_of_the_links_between_the_ranks)
{
	const json_t *json = report_of((struct world){.speed = 0.1, .topology = "bridges4"});
	assert_float_equal(number(json, "line_gbs"), 4 * 14.0625, 1e-9);
}

/* Of four ranks on NVSwitches, where one sends less; some_by_pcie: another pair has none. */
static double rate_of(const char *coll, bool adds, bool some_by_pcie)
{
	struct db *db = db_open(scratch());
	assert_int_equal(db_run_text(db, "harness/chapters/figures.sql", WHY), 0);
	for (unsigned i = 0; i < 16; i++) {
		const bool pcie = some_by_pcie && i == 9;
		if (i / 4 != i % 4)
			db_add(db, "link", "iiittiddt", i / 4, i % 4, pcie,
			       pcie ? "PCIe, same socket" : "NVSwitch", "", 18,
			       i == 6 ? 400.0 : 450.0, 0.65, "");
	}
	/* The views that it begins with: no record is there. */
	db_run_text(db, "harness/chapters/bandwidth.sql", WHY);
	return figures_number(
	    &(struct figures){.db = db},
	    test_text("SELECT gbs FROM line_rate WHERE coll = '%s' AND adds = %d", coll, adds));
}

/* nccl-tests, doc/PERFORMANCE.md: busbw does not exceed the links, unless switches add. */
TEST(the_line_rate_is_that_of_the_narrowest_rank)
{
	assert_float_equal(rate_of("all_gather", false, false), 400, 1e-9);
	assert_float_equal(rate_of("all_gather", true, false), 400, 1e-9);
	assert_float_equal(rate_of("all_reduce", true, false), 400 * 2 * 3 / 4.0, 1e-9);
	assert_true(isnan(rate_of("all_reduce", false, true)));
}

/* --- the range --------------------------------------------------------------------------- */

#define ROW(created, boot, library, gbs) ROW_SET("", created, boot, library, gbs)
#define ROW_SET(settings, created, boot, library, gbs)                                             \
	"('G','1x2x1','alltoall','" settings "',67108864,'" library "','" created "','r/" created  \
	"','" boot "','18 NVLinks','staged',6," #gbs ".0," #gbs " - 20," #gbs ")"

/* The chapter's table of every size, told with these records alone. */
static const struct story_table *found(const char *reached, struct world w)
{
	const char *text = texts_find("harness/chapters/normal.chapter"),
	           *parts = strstr(text, "\nview ");
	const struct story_table *t = NULL;
	w.gpu = "G";
	w.speed = 1;
	const struct made made = made_of(w);
	made_write(&made);
	cli_write(
	    made_folder, "own.chapter",
	    arena_text(scratch(),
	               "%.*s\ntable reached | R | hidden\n  gpu\n"
	               "  WITH r(gpu, layout, what, settings, bytes, library, created, record, "
	               "boot, link, data_path, blocks, gbs, least, most) AS (VALUES %s)\n"
	               "  SELECT * FROM r\n%s",
	               (int)(parts - text), text, reached, parts));
	const struct model *m = model_make(scratch(), made_folder, made_folder, WHY);
	assert_non_null(m);
	const struct story_chapter *own = &m->story.chapters[m->story.nchapters - 1];
	for (unsigned i = 0; i < own->nblocks; i++)
		if (own->blocks[i].kind == STORY_TABLE &&
		    !strcmp(own->blocks[i].table->form->name, "normal_sizes"))
			t = own->blocks[i].table;
	assert_non_null(t);
	return t;
}

/* Of its only row. */
static struct entry of(const struct story_table *t, const char *key)
{
	return *story_entry(t, 0, key);
}

/* By hand: ln 99, ln 100, ln 101 have the standard deviation 0.0100; t of 2 degrees at 98 % is
 * 6.965. */
TEST(the_range_is_that_of_one_more_record)
{
	const char *three = ROW("a", "1", "2.28.3", 99) "," ROW("b", "2", "2.28.3", 100) "," ROW(
	    "c", "2", "2.28.3", 101);
	const struct story_table *t = found(three, (struct world){.blocks = 6});
	const struct entry r = of(t, "reference");
	assert_float_equal(r.x, 100, 0.01);
	assert_float_equal(log(r.hi / r.x), 6.965 * sqrt(4.0 / 3) * 0.0100, 2e-4);
	assert_float_equal(r.lo * r.hi, r.x * r.x, 1e-6);
	assert_int_equal(of(t, "records").count, 3);
	assert_int_equal(of(t, "boots").count, 2);
	/* A single block scatters as blocks do, not as medians of six. */
	assert_float_equal(of(found(three, (struct world){.blocks = 1}), "reference").lo, 79, 1e-9);
}

TEST(two_records_have_no_such_range_but_the_most_that_any_two_differ_by)
{
	const char *two = ROW("a", "1", "2.28.3", 100) "," ROW("b", "2", "2.28.3", 110);
	const struct story_table *t = found(two, (struct world){.blocks = 6});
	const struct entry r = of(t, "reference");
	assert_float_equal(of(t, "spread").x, 0.1, 1e-9);
	assert_float_equal(r.hi / r.x, 1.1, 1e-9);
	two = ROW("a", "1", "2.28.3", 220) "," ROW("b", "2", "2.28.3", 270);
	assert_string_equal(of(found(two, (struct world){.blocks = 6}), "verdict").text,
	                    "no verdict: two records");
	/* A run is no reference of its own. */
	t = found(two, (struct world){.created = "b"});
	assert_int_equal(of(t, "records").count, 1);
	assert_float_equal(of(t, "reference").x, 220, 1e-9);
	assert_false(of(t, "spread").has);
}

TEST(of_two_versions_the_nearer_one_counts)
{
	const char *two = ROW("a", "1", "2.21.5", 100) "," ROW("b", "2", "2.28.3", 110);
	const char *const nearest[][2] = {{"2.27.7", "2.28.3"}, {"2.22.3", "2.21.5"}};
	for (unsigned i = 0; i < 2; i++)
		assert_string_equal(
		    of(found(two, (struct world){.library = nearest[i][0]}), "reference_library")
		        .text,
		    nearest[i][1]);
}

TEST(several_settings_are_those_of_a_record)
{
	const struct world w = {.api = "native", .registered = "local", .library = "2.28.3"};
	const char *same = ROW("a", "1", "2.28.3", 90) "," ROW_SET("api = native; register = local",
	                                                           "b", "2", "2.28.3", 100),
	           *near = ROW("a", "1", "2.28.3", 90) "," ROW_SET("api = native", "b", "2",
	                                                           "2.21.5", 100),
	           *more = ROW_SET("api = native; max_ctas = 8; register = local", "b", "2",
	                           "2.28.3", 100);
	const struct story_table *t = found(same, w);
	assert_float_equal(of(t, "reference").x, 100, 1e-9);
	assert_false(of(t, "other_record").has);
	t = found(near, w);
	assert_false(of(t, "records").has);
	assert_string_equal(of(t, "other_record").text, "r/b");
	assert_string_equal(of(t, "other_settings").text, "without register = local");
	assert_float_equal(of(t, "other_gbs").x, 100, 1e-9);
	assert_string_equal(of(found(more, w), "other_settings").text, "with max_ctas = 8");
}
