/* Where a worker runs: a separate core to measure, with room for helper threads before. */
#include <sched.h>

#include "../harness/machine.h"
#include "here.h"

static cpu_set_t before;

static cpu_set_t now(void)
{
	cpu_set_t set;
	assert_int_equal(sched_getaffinity(0, sizeof set, &set), 0);
	return set;
}

FIXTURE(keep)
{
	before = now();
}

FIXTURE(put_back)
{
	assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
}

/* What the kernel says of cards, as a tree of files. */
TEST(network_cards_have_the_rates_that_the_kernel_says)
{
	char text[256];
	set_up();
	free(here_shell("cd $HERE\n"
	                "mkdir -p net/eth0/device net/eth1/device net/veth7 net/lo "
	                "infiniband/mlx5_0/ports/1 infiniband/mlx5_1/ports/1\n"
	                "echo 25000 >net/eth0/speed\n"
	                "echo -1 >net/eth1/speed\n"
	                "echo 10000 >net/veth7/speed\n"
	                "cd infiniband\n"
	                "echo '4: ACTIVE' >mlx5_0/ports/1/state\n"
	                "echo '200 Gb/sec (4X HDR)' >mlx5_0/ports/1/rate\n"
	                "echo '1: DOWN' >mlx5_1/ports/1/state\n"
	                "echo '100 Gb/sec (4X EDR)' >mlx5_1/ports/1/rate\n")
	         .out);
	machine_networks(folder, text, sizeof text);
	assert_string_equal(text, "eth0 25000, IB mlx5_0:1 200000");
	machine_networks("/nowhere", text, sizeof text);
	assert_string_equal(text, "");
	tear_down();
}

TEST(a_worker_opens_in_its_node_and_measures_on_one_core)
{
	char opening[64], timing[64];
	struct machine_binding *binding = machine_binding_take();
	assert_non_null(binding);
	struct machine_seat seat = {BIND_NEAR_GPU, true, -1, 0, 1};
	machine_binding_set(binding, &seat, opening, sizeof opening);
	cpu_set_t open = now();
	seat.opening = false;
	machine_binding_set(binding, &seat, timing, sizeof timing);
	cpu_set_t one = now(), both;
	machine_binding_free(binding);
	assert_memory_equal(opening, "numa ", 5);
	assert_true(!strncmp(timing, "core ", 5) || !strncmp(timing, "pu ", 3));
	assert_int_equal(CPU_COUNT(&one), 1);
	CPU_AND(&both, &one, &open);
	assert_true(CPU_EQUAL(&both, &one));
	if (CPU_COUNT(&before) > 1)
		assert_true(CPU_COUNT(&open) > 1);
}

TEST(no_core_is_given_twice)
{
	char text[64];
	unsigned n = (unsigned)CPU_COUNT(&before);
	cpu_set_t taken;
	CPU_ZERO(&taken);
	struct machine_binding *binding = machine_binding_take();
	assert_non_null(binding);
	for (unsigned worker = 0; worker < n; worker++) {
		const struct machine_seat seat = {BIND_CORE, false, -1, worker, n};
		machine_binding_set(binding, &seat, text, sizeof text);
		cpu_set_t one = now(), both;
		CPU_AND(&both, &one, &taken);
		assert_int_equal(CPU_COUNT(&one), 1);
		assert_int_equal(CPU_COUNT(&both), 0);
		CPU_OR(&taken, &taken, &one);
	}
	machine_binding_free(binding);
}

/* Where it would bind a worker of two on a machine of two nodes with eight cores each. */
static void assert_bound(enum bind bind, int numa, unsigned worker, const char *expected)
{
	char text[64];
	const char *components = getenv("HWLOC_COMPONENTS"); /* it would win */
	components = components ? test_keep(strdup(components)) : NULL;
	unsetenv("HWLOC_COMPONENTS");
	setenv("HWLOC_SYNTHETIC", "node:2 core:8 pu:1", 1);
	struct machine_binding *binding = machine_binding_take();
	unsetenv("HWLOC_SYNTHETIC");
	if (components)
		setenv("HWLOC_COMPONENTS", components, 1);
	assert_non_null(binding);
	const struct machine_seat seat = {bind, false, numa, worker, 2};
	machine_binding_set(binding, &seat, text, sizeof text);
	machine_binding_free(binding);
	assert_string_equal(text, expected);
}

TEST(workers_are_far_apart_unless_close)
{
	assert_bound(BIND_CORE, -1, 0, "core 0");
	assert_bound(BIND_CORE, -1, 1, "core 8");
	assert_bound(BIND_NEAR_GPU, 1, 0, "core 8");
	assert_bound(BIND_NEAR_GPU, 1, 1, "core 12");
	assert_bound(BIND_CLOSE, -1, 1, "core 1");
	assert_bound(BIND_CLOSE, 1, 1, "core 9");
}

TEST(more_workers_than_cores_are_not_bound)
{
	char text[64];
	struct machine_binding *binding = machine_binding_take();
	assert_non_null(binding);
	const struct machine_seat seat = {BIND_CORE, false, -1, 0,
	                                  (unsigned)CPU_COUNT(&before) + 1};
	machine_binding_set(binding, &seat, text, sizeof text);
	cpu_set_t set = now();
	machine_binding_free(binding);
	assert_memory_equal(text, "none", 4);
	assert_true(CPU_EQUAL(&set, &before));
}

TESTS(.before = keep, .after = put_back);
