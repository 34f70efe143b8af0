/* What recorded topologies say of their ranks' pairs and links. */
#include "made.h"
#include "query.h"

/* A run on GPUs of a topology, or on cores. */
static struct world {
	const char *topology;
	unsigned ranks;
	void (*change)(json_t *topology);
	const unsigned *cores; /* of the ranks; NULL: GPUs */
	const char *pcie;      /* of each under load, or NULL */
} world;

static void environment(json_t *env)
{
	json_t *topology = made_topology(world.topology);
	if (world.change)
		world.change(topology);
	json_object_set_new(env, "topology", topology);
}

static void line(json_t *cell, const struct made_place *p)
{
	(void)p;
	json_t *facts = json_array();
	for (unsigned r = 0; r < world.ranks; r++)
		json_array_append_new(facts, json_object());
	json_object_set_new(cell, "facts", facts);
	if (!world.cores)
		made_gpus(cell, world.topology, world.ranks);
	for (unsigned r = 0; r < world.ranks; r++) {
		if (world.cores)
			json_object_set_new(json_array_get(facts, r), "bind",
			                    json_sprintf("core %u", world.cores[r]));
		if (world.pcie)
			made_fact(cell, test_text("pcie_%u", r), world.pcie);
	}
}

static void stamps(const struct made_place *p, int64_t out[6])
{
	(void)p;
	out[1] = 10, out[2] = 100, out[3] = 10;
}

/* The run's tables. */
#define DB_OF(...) db_of(&(struct world){__VA_ARGS__})
static struct db *db_of(const struct world *w)
{
	const struct made_variant threads = {
	    .name = "threads", .role = "reference", .layout = test_text("1x%ux1", w->ranks)};
	const struct made m = {.ranks = w->ranks,
	                       .cores = 64,
	                       .blocks = 1,
	                       .sizes = 1,
	                       .variants = &threads,
	                       .nvariants = 1,
	                       .environment = environment,
	                       .line = line,
	                       .stamps = stamps};
	world = *w;
	struct db *db = made_tables(&m, NULL);
	return db;
}

/* "class, brief, GB/s" of the link between two ranks, the same both ways. */
static void assert_pair(struct db *db, unsigned a, unsigned b, const char *right)
{
	static const char of[] = "SELECT class, brief, round(theoretical_gbs, 2) FROM link "
	                         "WHERE (sender, receiver) = (%u, %u)";
	query_gives(db, test_text(of, a, b), right);
	query_gives(db, test_text(of, b, a), right);
}

static void assert_short(struct db *db, unsigned rank, const char *right)
{
	query_gives(db, test_text("SELECT remark FROM device WHERE rank = %u", rank), right);
}

/* Two of GPU 5's eighteen links are down: its pairs have sixteen. */
TEST(hgx_is_switched)
{
	struct db *db = DB_OF(.topology = "hgx8", .ranks = 8);
	query_gives(db, "SELECT count(*) FROM device", "8");
	assert_pair(db, 0, 1, "NVSwitch NVS ×18 450.0");
	assert_pair(db, 2, 7, "NVSwitch NVS ×18 450.0");
	assert_pair(db, 5, 3, "NVSwitch NVS ×16 400.0");
	assert_short(db, 5, "2 of 18 NVLinks are down");
	assert_short(db, 4, "");
	query_gives(db,
	            "SELECT nvlinks, to_switch, nvlink_gbs, numa FROM device "
	            "WHERE rank IN (0, 5) ORDER BY rank",
	            "18 18 450.0 0; 16 16 400.0 1");
	query_gives(db, "SELECT max(nth) FROM link_load", "7");
	query_gives(db, "SELECT name, pairs, gbs FROM link_load WHERE nth = 0",
	            "NVLinks of 0000:AB:00.0 7 400.0");
}

TEST(two_sockets_have_every_pcie_class)
{
	struct db *db = DB_OF(.topology = "two_sockets", .ranks = 4);
	assert_pair(db, 0, 1, "PCIe, same switch PIX 31.51");
	assert_pair(db, 2, 3, "PCIe, same socket NODE 31.51");
	assert_pair(db, 1, 2, "PCIe, across sockets SYS 31.51");
	assert_pair(db, 0, 3, "through host memory MEM 31.51");
	query_gives(db, "SELECT bridge, nvlinks, nvlink_gbs FROM device",
	            "0 0 -; 0 0 -; - 0 -; - 0 -");
	assert_short(db, 3, "PCIe ×8 of ×16");
	/* GPUs 0 and 1 share the switch's way up to 2 and 3: four pairs. */
	query_gives(db, "SELECT name, pairs FROM link_load WHERE nth = 0",
	            "bridge 0000:3a:00.0 upwards 4");
	query_gives(db,
	            "SELECT name, pairs, gbs FROM link_load "
	            "WHERE name LIKE 'between%' ORDER BY name",
	            "between NUMA nodes 0 and 1 4 -; between NUMA nodes 1 and 0 4 -");
}

/* Its generation is only believed when it was read under load. */
TEST(a_generation_is_read_under_load)
{
	struct db *db = DB_OF(.topology = "two_sockets", .ranks = 4, .pcie = "1 8 4 16");
	assert_short(db, 3, "PCIe ×8 of ×16; PCIe generation 1 of 4");
	query_gives(db,
	            "SELECT gen, width, gen_max, width_max, busy FROM device "
	            "WHERE rank = 3",
	            "1 8 4 16 1");
}

static void take_one(json_t *topology)
{
	json_t *gpu = json_array_get(json_object_get(topology, "gpus"), 1);
	json_array_remove(json_object_get(gpu, "nvlinks"), 3);
}

TEST(bridges_join_two_and_two)
{
	struct db *db = DB_OF(.topology = "bridges4", .ranks = 4);
	assert_pair(db, 0, 1, "NVLink NV ×4 56.25");
	assert_pair(db, 2, 3, "NVLink NV ×4 56.25");
	assert_pair(db, 0, 2, "PCIe, same socket NODE 31.51");
	/* A link fewer than the other GPUs of its name have. */
	db = DB_OF(.topology = "bridges4", .ranks = 4, .change = take_one);
	assert_short(db, 1, "3 NVLinks, where another has 4");
	assert_pair(db, 0, 1, "NVLink NV ×3 42.19");
}

static void new_cache(json_t *topology)
{
	made_set(json_array_get(json_object_get(topology, "cores"), 3), "{'cache':7}");
}

TEST(cores_have_classes)
{
	static const unsigned cores[] = {1, 1, 3, 4};
	struct db *db = DB_OF(.topology = "hgx8", .ranks = 4, .cores = cores);
	assert_pair(db, 0, 1, "same core CORE -");
	assert_pair(db, 0, 2, "same last-level cache L3 -");
	assert_pair(db, 0, 3, "across CPU sockets QPI -");
	query_gives(db, "SELECT device, numa, nvlinks FROM device",
	            "core 1 0 -; core 1 0 -; core 3 0 -; core 4 1 -");
	db = DB_OF(.topology = "hgx8", .ranks = 4, .change = new_cache, .cores = cores);
	assert_pair(db, 0, 2, "same CPU socket CPU -");
	/* Numbers of cores begin again in each socket: which core is meant is not known. */
	db = DB_OF(.topology = "two_sockets", .ranks = 4, .cores = cores);
	assert_pair(db, 0, 1, "unknown ? -");
}

static void other_pcie(json_t *topology)
{
	const json_t *gpus = json_object_get(topology, "gpus");
	static const int of[][2] = {{3, 16}, {5, 16}, {1, 1}, {7, 16}};
	for (unsigned g = 0; g < LENGTH(of); g++)
		made_set(json_array_get(gpus, g), "{'pcie':{'gen_max':%d,'width_max':%d}}",
		         of[g][0], of[g][1]);
}

/* Payload one way, as PCI-SIG has it. */
TEST(speeds_are_those_of_data_sheets)
{
	struct db *db = DB_OF(.topology = "two_sockets", .ranks = 4, .change = other_pcie);
	query_gives(db, "SELECT round(pcie_gbs, 2) FROM device", "15.75; 63.02; 0.25; -");
}

static void damage(json_t *topology)
{
	made_set(topology, "{'gpus':[7,{'pci':7},{'nvlinks':3,'bridges':[1],'numa':'x'},{}],"
	                   "'pairs':[{'a':9},4],'cores':1}");
}

/* What is damaged is not known. */
TEST(what_is_damaged_is_not_told)
{
	struct db *db = DB_OF(.topology = "two_sockets", .ranks = 4, .change = damage);
	assert_pair(db, 0, 1, "unknown ? -");
	query_gives(db, "SELECT count(*) FROM link_load", "0");
}

TESTS(.before = made_begin, .after = made_end);
