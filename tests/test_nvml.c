/* GPU clocks and counters through NVML's interface, on a stand-in library. */
#include <dlfcn.h>

#include "../harness/backend/device/nvml.h"
#include "json.h"
#include "standin.h"
#include "test.h"

/* Our declarations against the layouts of NVML's API reference, and against its header where
 * this machine has one. */
_Static_assert(sizeof(struct nvml_api_field) == 40, "nvmlFieldValue_t");
_Static_assert(offsetof(struct nvml_api_field, type) == 24, "valueType");
_Static_assert(offsetof(struct nvml_api_field, value) == 32, "value");
_Static_assert(sizeof(struct nvml_api_pci) == 68, "nvmlPciInfo_t");
_Static_assert(sizeof(struct nvml_api_gpm_support) == 8, "nvmlGpmSupport_t");
_Static_assert(sizeof(struct nvml_api_gpm_metric) == 40, "nvmlGpmMetric_t");
_Static_assert(offsetof(struct nvml_api_gpm_metric, value) == 8, "value");
_Static_assert(offsetof(struct nvml_api_gpm_get, first) == 8, "sample1");
_Static_assert(offsetof(struct nvml_api_gpm_get, metrics) == 24, "metrics");
#if __has_include(<nvml.h>)
#include <nvml.h>
_Static_assert(sizeof(struct nvml_api_field) == sizeof(nvmlFieldValue_t), "field");
_Static_assert(offsetof(struct nvml_api_field, value) == offsetof(nvmlFieldValue_t, value), "");
_Static_assert(NVML_API_FIELD_NVLINK_TX == NVML_FI_DEV_NVLINK_THROUGHPUT_DATA_TX, "");
_Static_assert(NVML_API_FIELD_NVLINK_RX == NVML_FI_DEV_NVLINK_THROUGHPUT_DATA_RX, "");
_Static_assert(NVML_API_UNSIGNED_INT == NVML_VALUE_TYPE_UNSIGNED_INT, "");
_Static_assert(NVML_API_UNSIGNED_LONG == NVML_VALUE_TYPE_UNSIGNED_LONG, "");
_Static_assert(NVML_API_UNSIGNED_LONG_LONG == NVML_VALUE_TYPE_UNSIGNED_LONG_LONG, "");
_Static_assert(NVML_API_CLOCK_MEM == NVML_CLOCK_MEM && NVML_API_CLOCK_SM == NVML_CLOCK_SM, "");
_Static_assert(NVML_API_NOT_SUPPORTED == NVML_ERROR_NOT_SUPPORTED, "");
#ifdef NVML_GPM_METRICS_GET_VERSION
_Static_assert(NVML_GPM_METRICS_GET_VERSION == 1 && NVML_GPM_SUPPORT_VERSION == 1, "version");
_Static_assert(sizeof(struct nvml_api_gpm_support) == sizeof(nvmlGpmSupport_t), "");
_Static_assert(sizeof(struct nvml_api_gpm_metric) == sizeof(nvmlGpmMetric_t), "");
_Static_assert(sizeof(struct nvml_api_gpm_get) >= sizeof(nvmlGpmMetricsGet_t), "");
_Static_assert(offsetof(struct nvml_api_gpm_get, metrics) == offsetof(nvmlGpmMetricsGet_t, metrics),
               "");
_Static_assert(NVML_API_GPM_SM == NVML_GPM_METRIC_SM_UTIL, "");
_Static_assert(NVML_API_GPM_DRAM == NVML_GPM_METRIC_DRAM_BW_UTIL, "");
_Static_assert(NVML_API_GPM_PCIE_TX == NVML_GPM_METRIC_PCIE_TX_PER_SEC, "");
_Static_assert(NVML_API_GPM_PCIE_RX == NVML_GPM_METRIC_PCIE_RX_PER_SEC, "");
_Static_assert(NVML_API_GPM_NVLINK_TX == NVML_GPM_METRIC_NVLINK_TOTAL_TX_PER_SEC, "");
_Static_assert(NVML_API_GPM_NVLINK_RX == NVML_GPM_METRIC_NVLINK_TOTAL_RX_PER_SEC, "");
#endif
#endif

static char standin[STANDIN_BYTES];

FIXTURE(find_standin)
{
	standin_find_named("standin_nvml.so", standin);
}

TEST(a_held_clock_is_named)
{
	struct nvml_clocks clocks;
	assert_true(nvml_read(standin, "0000:02:00.0", &clocks));
	assert_true(clocks.busy);
	assert_int_equal(clocks.sm_mhz, 1410);
	assert_int_equal(clocks.sm_max_mhz, 1980);
	assert_string_equal(clocks.throttle, "power cap, thermal");
	assert_true(nvml_read(standin, "0000:01:00.0", &clocks));
	assert_false(clocks.busy);
	assert_string_equal(clocks.throttle, "none");
}

TEST(what_is_missing_leaves_the_answer_alone)
{
	struct nvml_clocks clocks = {.sm_mhz = 7};
	assert_false(nvml_read(standin, "0000:0b:00.0", &clocks));
	assert_false(nvml_read("/nonexistent/libnvidia-ml.so.1", "0000:01:00.0", &clocks));
	assert_false(nvml_read("libc.so.6", "0000:01:00.0", &clocks));
	assert_int_equal(clocks.sm_mhz, 7);
}

#define MIB 1048576.0

/* Within rounding. */
#define near(IS, WANTED) assert_close(IS, WANTED, 1e-9)

/* The stand-in held open, so that its counts outlive a watch. */
static int left_open(void)
{
	static void *held;
	int (*ask)(void);
	held = held ? held : dlopen(standin, RTLD_NOW | RTLD_LOCAL);
	assert_non_null(held);
	*(void **)&ask = dlsym(held, "standin_left_open");
	assert_non_null(ask);
	return ask();
}

/* One stretch, long enough for GPM. */
static struct counters watch(const char *pci)
{
	struct nvml_watch *w = NULL;
	struct counters c;
	assert_int_equal(left_open(), 0);
	assert_works(nvml_watch_open(standin, pci, &w, WHY));
	nvml_watch_begin(w);
	usleep(NVML_WATCH_NS / 1000 + 20000);
	nvml_watch_end(w);
	nvml_watch_read(w, &c);
	nvml_watch_close(w);
	assert_int_equal(left_open(), 0);
	assert_true(c.seconds >= NVML_WATCH_NS / 1e9);
	assert_true(isnan(c.copied_bytes));
	assert_true(isnan(c.delivered_bytes));
	return c;
}

static void links_are_byte_counters(const struct counters *c)
{
	/* The stand-in's 1 and 2 GiB from one reading to the next. */
	near(c->nvlink_tx_gbs * c->seconds, 1024 * MIB / 1e9);
	near(c->nvlink_rx_gbs * c->seconds, 2048 * MIB / 1e9);
	near(c->nvlink_unit_bytes, 1024);
}

static void is(double value, double wanted)
{
	assert_int_equal(isnan(value), isnan(wanted));
	if (!isnan(wanted))
		near(value, wanted);
}

#define OLDER "GPM: this GPU has none, Hopper and later do"
#define ROOT  "Insufficient Permissions"

/* What is there, by which counters, and what is missing and why: the longest possible text fits. */
TEST(each_gpu_has_the_counters_that_it_has)
{
	static const double peak = 3352.32;
	const struct {
		const char *pci;
		enum { NO_LINKS, BYTES, GPM } links;
		double dram, limit, sm, pcie;
		const char *missing;
	} rows[] = {
	    {"0000:03:00.0", GPM, 0.4 * peak, peak, 12.5, 1000 * MIB / 1e9, ""},
	    {"0000:04:00.0", BYTES, NAN, peak, NAN, NAN, "no DRAM, SM, PCIe (" OLDER ")"},
	    {"0000:06:00.0", BYTES, 0.4 * peak, peak, 12.5, 1000 * MIB / 1e9, ""},
	    {"0000:05:00.0", NO_LINKS, NAN, peak, NAN, NAN,
	     "no NVLink, DRAM, SM, PCIe (GPM: " ROOT "; NVLink bytes: " ROOT ")"},
	    {"0000:07:00.0", GPM, NAN, NAN, 12.5, 1000 * MIB / 1e9,
	     "no DRAM (GPM: the memory's clock or width is unknown)"},
	    {"0000:08:00.0", BYTES, NAN, peak, NAN, NAN, "no DRAM, SM, PCIe (GPM: GPU is lost)"},
	    {"0000:02:00.0", NO_LINKS, NAN, peak, NAN, NAN,
	     "no NVLink, DRAM, SM, PCIe (" OLDER "; NVLink bytes: Not Supported)"},
	};
	for (size_t i = 0; i < LENGTH(rows); i++) {
		struct counters c = watch(rows[i].pci);
		assert_string_equal(c.missing, rows[i].missing);
		is(c.dram_gbs, rows[i].dram);
		is(c.dram_limit_gbs, rows[i].limit);
		is(c.sm_percent, rows[i].sm);
		is(c.pcie_tx_gbs, rows[i].pcie);
		is(c.pcie_rx_gbs, 2 * rows[i].pcie);
		is(c.busy_percent, strcmp(rows[i].pci, "0000:05:00.0") ? 93 : NAN);
		if (rows[i].links == BYTES) {
			links_are_byte_counters(&c);
			continue;
		}
		const bool gpm = rows[i].links == GPM;
		is(c.nvlink_rx_gbs, gpm ? 300000 * 1024000.0 / 1e9 : NAN);
		is(c.nvlink_tx_gbs, gpm ? 250000 * 1024000.0 / 1e9 : NAN);
		is(c.nvlink_unit_bytes, gpm ? 1024000 : NAN);
	}
}

TEST(a_stretch_has_two_ends_and_a_length)
{
	struct nvml_watch *w = NULL;
	struct counters c;
	assert_int_equal(nvml_watch_open(standin, "0000:03:00.0", &w, WHY), 0);
	nvml_watch_end(w);
	nvml_watch_read(w, &c);
	assert_true(isnan(c.seconds));
	assert_string_equal(c.missing, "the stretch was not begun and ended");
	/* A busy machine may stretch it: again, then. */
	do {
		nvml_watch_begin(w);
		nvml_watch_end(w);
		nvml_watch_read(w, &c);
	} while (c.seconds >= NVML_WATCH_NS / 1e9);
	assert_true(isnan(c.sm_percent));
	links_are_byte_counters(&c);
	assert_string_equal(c.missing, "no DRAM, SM, PCIe (GPM: the stretch is under 100 ms)");
	/* Begun again, the earlier end is void. */
	nvml_watch_begin(w);
	nvml_watch_read(w, &c);
	assert_true(isnan(c.seconds));
	nvml_watch_close(w);
	nvml_watch_close(NULL);
	assert_int_equal(left_open(), 0);
}

TEST(what_cannot_be_watched_is_said)
{
	static const struct {
		const char *library, *pci, *text;
	} cases[] = {
	    {standin, "0000:0b:00.0", "NVML does not open GPU 0000:0b:00.0: Not Found"},
	    {"libc.so.6", "0000:03:00.0", "libc.so.6 lacks NVML's functions"},
	    {"/nonexistent/libnvidia-ml.so.1", "0000:03:00.0",
	     "GPU counters need NVML, which NVIDIA's driver brings: /nonexistent/"},
	};
	for (unsigned i = 0; i < LENGTH(cases); i++) {
		struct nvml_watch *w = NULL;
		assert_int_equal(nvml_watch_open(cases[i].library, cases[i].pci, &w, WHY), -1);
		assert_null(w);
		assert_memory_equal(because(), cases[i].text, strlen(cases[i].text));
	}
	assert_int_equal(left_open(), 0);
}

/* From the library's answers to the record's form. */
TEST(links_are_read)
{
	json_t *json = nvml_links_read(standin);
	assert_non_null(json);
	assert_int_equal(left_open(), 0);
	const json_t *gpus = json_object_get(json, "gpus"), *one = json_array_get(gpus, 1), *link;
	unsigned linked = 0;
	size_t i;
	assert_int_equal(json_array_size(gpus), 3);
	json_assert_text(one, "pci", "0000:0A:00.0");
	json_assert_text(one, "name", "Stand-in");
	json_assert_number(json_array_get(gpus, 2), "pcie.width", 8, 0);
	json_assert_number(json_array_get(gpus, 2), "pcie.width_max", 16, 0);
	json_array_foreach(json_object_get(json_array_get(gpus, 0), "nvlinks"), i, link)
	{
		linked += !strcmp(json_string_value(json_object_get(link, "to")), "0000:0A:00.0");
	}
	assert_int_equal(linked, 3);
	json_decref(json);
	assert_null(nvml_links_read("/nonexistent/libnvidia-ml.so.1"));
	assert_null(nvml_links_read("libc.so.6"));
}

TESTS(.begin = find_standin);
