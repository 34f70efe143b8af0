/* What recorded topologies say of their pairs and links. */
#include "../harness/analysis/links.h"
#include "test.h"

static struct topology t;

FIXTURE(drop)
{
	topology_free(&t);
}

static void load(const char *name)
{
	struct status st = {""};
	char *file = test_text("tests/topology/%s.json", name);
	json_t *json = json_load_file(file, 0, NULL);
	assert_non_null(json);
	if (topology_from_json(json, &t, &st))
		fail_msg("%s: %s", file, st.text);
	json_decref(json);
}

static void assert_pair(unsigned a, unsigned b, enum links_class class, const char *brief,
                        double gbs)
{
	char text[64];
	struct links_pair there = links_gpus(&t, a, b), back = links_gpus(&t, b, a);
	links_brief(&there, text, sizeof text);
	assert_int_equal(there.class, class);
	assert_string_equal(text, brief);
	assert_float_equal(there.theoretical_gbs, gbs, 0.01);
	assert_memory_equal(&there, &back, sizeof there);
}

static void assert_short(unsigned gpu, bool busy, const char *right)
{
	char text[160];
	links_short(&t, gpu, busy, text, sizeof text);
	assert_string_equal(text, right);
}

/* Two of GPU 5's eighteen links are down: its pairs have sixteen. */
TEST(hgx_is_switched)
{
	struct links_edge edges[LINKS_EDGES];
	const int all[] = {0, 1, 2, 3, 4, 5, 6, 7};
	load("hgx8");
	assert_int_equal(t.ngpus, 8);
	assert_pair(0, 1, LINKS_NVSWITCH, "NVS ×18", 450);
	assert_pair(2, 7, LINKS_NVSWITCH, "NVS ×18", 450);
	assert_pair(5, 3, LINKS_NVSWITCH, "NVS ×16", 400);
	assert_short(5, true, "2 of 18 NVLinks are down");
	assert_short(4, true, "");
	assert_int_equal(links_edges(&t, all, 8, edges), 8);
	assert_prints("NVLinks of 0000:AB:00.0 for 7: 400", "%s for %u: %.0f", edges[0].name,
	              edges[0].pairs, edges[0].gbs);
	assert_int_equal(topology_gpu(&t, "0000:ab:00.0"), 5);
	assert_int_equal(topology_gpu(&t, ""), -1);
}

TEST(two_sockets_have_every_pcie_class)
{
	struct links_edge edges[LINKS_EDGES];
	const int all[] = {0, 1, 2, 3};
	const double x16 = 16.0 * 128 / 130 * 16 / 8;
	load("two_sockets");
	assert_pair(0, 1, LINKS_PCIE_SWITCH, "PIX", x16);
	assert_pair(2, 3, LINKS_SOCKET, "NODE", x16);
	assert_pair(1, 2, LINKS_ACROSS, "SYS", x16);
	assert_pair(0, 3, LINKS_MEMORY, "MEM", x16);
	assert_true(links_share_switch(&t, 0, 1));
	assert_false(links_share_switch(&t, 2, 3));
	/* Its generation is only believed when it was read under load. */
	t.gpus[3].gen = 1;
	assert_short(3, false, "PCIe ×8 of ×16");
	assert_short(3, true, "PCIe ×8 of ×16; PCIe generation 1 of 4");
	assert_int_equal(links_up(&t.gpus[0]), 0);
	assert_true(isnan(links_nvlink_gbs(&t.gpus[0])));
	/* GPUs 0 and 1 share the switch's way up to 2 and 3: four pairs. */
	unsigned n = links_edges(&t, all, 4, edges);
	bool shared = false, between = false;
	for (unsigned i = 0; i < n; i++) {
		shared |=
		    !strcmp(edges[i].name, "bridge 0000:3a:00.0 upwards") && edges[i].pairs == 4;
		between |= !strcmp(edges[i].name, "between NUMA nodes 0 and 1") &&
		           edges[i].pairs == 4 && isnan(edges[i].gbs);
	}
	assert_true(shared && between);
	assert_string_equal(edges[0].name, "bridge 0000:3a:00.0 upwards");
	/* Numbers of cores begin again in each socket: which core is meant is not known. */
	assert_null(topology_core(&t, 0));
	assert_int_equal(links_cores(&t, 0, 1).class, LINKS_UNKNOWN);
}

TEST(bridges_join_two_and_two)
{
	load("bridges4");
	assert_pair(0, 1, LINKS_NVLINK, "NV ×4", 4 * 14.0625);
	assert_pair(2, 3, LINKS_NVLINK, "NV ×4", 4 * 14.0625);
	assert_pair(0, 2, LINKS_SOCKET, "NODE", 16.0 * 128 / 130 * 16 / 8);
	/* A link fewer than the other GPUs of its name have. */
	t.gpus[1].nlinks = 3;
	assert_short(1, true, "3 NVLinks, where another has 4");
	assert_pair(0, 1, LINKS_NVLINK, "NV ×3", 3 * 14.0625);
}

TEST(cores_have_classes)
{
	load("hgx8");
	assert_int_equal(links_cores(&t, 1, 1).class, LINKS_CORE);
	assert_int_equal(links_cores(&t, 1, 3).class, LINKS_CACHE);
	assert_int_equal(links_cores(&t, 1, 4).class, LINKS_CPU_ACROSS);
	t.cores[3].cache = 7;
	assert_int_equal(links_cores(&t, 1, 3).class, LINKS_CPU_SOCKET);
	assert_int_equal(links_cores(&t, -1, 3).class, LINKS_UNKNOWN);
}

/* Payload one way, as data sheets and PCI-SIG have it. */
TEST(speeds_are_those_of_data_sheets)
{
	assert_float_equal(links_pcie_gbs(3, 16), 15.75, 0.01);
	assert_float_equal(links_pcie_gbs(4, 16), 31.51, 0.01);
	assert_float_equal(links_pcie_gbs(5, 16), 63.02, 0.01);
	assert_float_equal(links_pcie_gbs(1, 1), 0.25, 1e-9);
	assert_true(isnan(links_pcie_gbs(0, 16)) && isnan(links_pcie_gbs(7, 16)));
}

TEST(what_is_damaged_is_refused)
{
	static const char *const bad[] = {"[]",
	                                  "{'gpus': 1}",
	                                  "{'gpus': [{'pci': 7}]}",
	                                  "{'gpus': [{'pci': '0000:18:00.0-and-much-more'}]}",
	                                  "{'gpus': [{'numa': -1}]}",
	                                  "{'gpus': [{'nvlinks': [{'mbps': -1}]}]}",
	                                  "{'gpus': [{}], 'pairs': [{'a': 0, 'b': 1}]}",
	                                  "{'gpus': [{}], 'pairs': [{'a': 0}]}",
	                                  "{'cores': [{'core': '0'}]}"};
	for (unsigned i = 0; i < LENGTH(bad); i++) {
		struct status st = {""};
		json_t *json = json_loads(test_quotes(bad[i]), 0, NULL);
		assert_non_null(json);
		assert_int_equal(topology_from_json(json, &t, &st), -1);
		assert_says(st.text, "topology:");
		assert_null(t.gpus);
		json_decref(json);
	}
	struct status st = {""};
	assert_int_equal(topology_from_json(NULL, &t, &st), 0);
	assert_int_equal(t.ngpus, 0);
}

TESTS(.after = drop);
