/* GPU clocks through NVML's interface, against a stand-in library beside this program. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "../harness/backend/nvml.h"

static char standin[PATH_MAX + 32];

static int find_standin(void **state)
{
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
	(void)state;
	if (n < 0)
		return -1;
	self[n] = '\0';
	*strrchr(self, '/') = '\0';
	snprintf(standin, sizeof standin, "%s/standin_nvml.so", self);
	return access(standin, R_OK);
}

static void a_held_clock_is_named(void **state)
{
	struct nvml_clocks clocks;
	(void)state;
	assert_true(nvml_read(standin, "0000:02:00.0", &clocks));
	assert_true(clocks.busy);
	assert_int_equal(clocks.sm_mhz, 1410);
	assert_int_equal(clocks.sm_max_mhz, 1980);
	assert_string_equal(clocks.throttle, "power cap, thermal");
}

static void an_idle_one_is_idle(void **state)
{
	struct nvml_clocks clocks;
	(void)state;
	assert_true(nvml_read(standin, "0000:01:00.0", &clocks));
	assert_false(clocks.busy);
	assert_string_equal(clocks.throttle, "none");
}

static void what_is_missing_leaves_the_answer_alone(void **state)
{
	struct nvml_clocks clocks = {.sm_mhz = 7};
	(void)state;
	assert_false(nvml_read(standin, "0000:09:00.0", &clocks));
	assert_false(nvml_read("/nonexistent/libnvidia-ml.so.1", "0000:01:00.0", &clocks));
	assert_false(nvml_read("libc.so.6", "0000:01:00.0", &clocks));
	assert_int_equal(clocks.sm_mhz, 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_held_clock_is_named),
	    cmocka_unit_test(an_idle_one_is_idle),
	    cmocka_unit_test(what_is_missing_leaves_the_answer_alone),
	};
	return cmocka_run_group_tests(tests, find_standin, NULL);
}
