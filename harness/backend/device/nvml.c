#include "nvml.h"

#include <math.h>

#include "../../clock.h"
#include "../symbols.h"

#define MOST_GPUS 64
#define WHY_BYTES 48 /* of a cause in a few words */

/* --- the library --- */

// clang-format off
#define FUNCTIONS(CALL) \
	CALL(init, nvmlInit_v2, (void)) \
	CALL(shutdown, nvmlShutdown, (void)) \
	CALL(count, nvmlDeviceGetCount_v2, (unsigned *)) \
	CALL(get, nvmlDeviceGetHandleByIndex_v2, (unsigned, void **)) \
	CALL(find, nvmlDeviceGetHandleByPciBusId_v2, (const char *, void **)) \
	CALL(pci, nvmlDeviceGetPciInfo_v3, (void *, struct nvml_api_pci *)) \
	CALL(name, nvmlDeviceGetName, (void *, char *, unsigned)) \
	CALL(clock, nvmlDeviceGetClockInfo, (void *, int, unsigned *)) \
	CALL(max_clock, nvmlDeviceGetMaxClockInfo, (void *, int, unsigned *)) \
	CALL(reasons, nvmlDeviceGetCurrentClocksThrottleReasons, (void *, unsigned long long *)) \
	CALL(pcie_gen, nvmlDeviceGetCurrPcieLinkGeneration, (void *, unsigned *)) \
	CALL(pcie_gen_max, nvmlDeviceGetMaxPcieLinkGeneration, (void *, unsigned *)) \
	CALL(pcie_width, nvmlDeviceGetCurrPcieLinkWidth, (void *, unsigned *)) \
	CALL(pcie_width_max, nvmlDeviceGetMaxPcieLinkWidth, (void *, unsigned *)) \
	CALL(bus_width, nvmlDeviceGetMemoryBusWidth, (void *, unsigned *)) \
	CALL(utilization, nvmlDeviceGetUtilizationRates, (void *, struct nvml_api_utilization *)) \
	CALL(fields, nvmlDeviceGetFieldValues, (void *, int, struct nvml_api_field *)) \
	CALL(link_state, nvmlDeviceGetNvLinkState, (void *, unsigned, int *)) \
	CALL(link_pci, nvmlDeviceGetNvLinkRemotePciInfo_v2, (void *, unsigned, struct nvml_api_pci *)) \
	CALL(link_type, nvmlDeviceGetNvLinkRemoteDeviceType, (void *, unsigned, int *)) \
	CALL(ancestor, nvmlDeviceGetTopologyCommonAncestor, (void *, void *, int *)) \
	CALL(p2p, nvmlDeviceGetP2PStatus, (void *, void *, int, int *)) \
	CALL(gpm_support, nvmlGpmQueryDeviceSupport, (void *, struct nvml_api_gpm_support *)) \
	CALL(gpm_alloc, nvmlGpmSampleAlloc, (void **)) \
	CALL(gpm_free, nvmlGpmSampleFree, (void *)) \
	CALL(gpm_sample, nvmlGpmSampleGet, (void *, void *)) \
	CALL(gpm_metrics, nvmlGpmMetricsGet, (struct nvml_api_gpm_get *))
// clang-format on
#define MEMBER(NAME, SYMBOL, ARGUMENTS) int(*NAME) ARGUMENTS;
#define ROW(NAME, SYMBOL, ARGUMENTS)    {#SYMBOL, offsetof(struct calls, NAME), false},

/* NULL those that it does not have. */
struct calls {
	void *library;
	const char *(*error)(int result);
	FUNCTIONS(MEMBER)
};
static const struct symbol symbols[] = {
    FUNCTIONS(ROW){"nvmlErrorString", offsetof(struct calls, error), false}};

/* Of an nvmlReturn_t other than 0, in NVML's words. */
static void explain_result(const struct calls *c, int result, char *text, size_t bytes)
{
	snprintf(text, bytes, "%s", c->error ? c->error(result) : "an error of NVML's");
}

static int load(const char *library, struct calls *out, struct status *st)
{
	struct calls c = {.library = dlopen(library, RTLD_NOW | RTLD_LOCAL)};
	char why[WHY_BYTES];
	if (!c.library)
		return status_set(st, "GPU counters need NVML, which NVIDIA's driver brings: %s",
		                  dlerror());
	symbols_find(c.library, symbols, sizeof symbols / sizeof *symbols, &c);
	if (!c.init || !c.shutdown || !c.find) { /* it could not name a GPU at all */
		dlclose(c.library);
		return status_set(st, "%s lacks NVML's functions", library);
	}
	int result = c.init();
	if (result) {
		explain_result(&c, result, why, sizeof why);
		dlclose(c.library);
		return status_set(st, "NVML does not start: %s", why);
	}
	*out = c;
	return 0;
}

static void unload(struct calls *c)
{
	c->shutdown();
	dlclose(c->library);
}

/* A field's integer. An nvmlReturn_t: the field's own, or that it is no integer. */
static int field_value(const struct nvml_api_field *field, unsigned long long *out)
{
	if (field->result)
		return field->result;
	if (field->type == NVML_API_UNSIGNED_INT)
		*out = field->value.word;
	else if (field->type == NVML_API_UNSIGNED_LONG)
		*out = field->value.long_word;
	else if (field->type == NVML_API_UNSIGNED_LONG_LONG)
		*out = field->value.long_long_word;
	else
		return NVML_API_NOT_SUPPORTED;
	return 0;
}

/* --- clocks --- */

/* From NVML's API reference: nvmlClocksEventReasons. */
#define REASON_IDLE 0x1ull

static const struct {
	unsigned long long bits;
	const char *name;
} reasons[] = {
    {0x04, "power cap"},      {0x08, "hardware slowdown"}, {0x10, "sync boost"},
    {0x20 | 0x40, "thermal"}, {0x80, "power brake"},
};

static void name_reasons(unsigned long long bits, char *text, size_t bytes)
{
	text[0] = '\0';
	for (unsigned i = 0; i < sizeof reasons / sizeof *reasons; i++)
		if (bits & reasons[i].bits)
			status_list(text, bytes, reasons[i].name);
	if (!text[0])
		snprintf(text, bytes, "none");
}

bool nvml_read(const char *library, const char *pci, struct nvml_clocks *out)
{
	struct calls c;
	struct status ignored = {""};
	struct nvml_clocks clocks = {0};
	unsigned long long bits = 0;
	void *device;
	if (load(library, &c, &ignored))
		return false;
	bool ok = c.clock && c.max_clock && c.reasons && c.find(pci, &device) == 0 &&
	          c.clock(device, NVML_API_CLOCK_SM, &clocks.sm_mhz) == 0 &&
	          c.max_clock(device, NVML_API_CLOCK_SM, &clocks.sm_max_mhz) == 0 &&
	          c.reasons(device, &bits) == 0;
	if (ok) {
		clocks.busy = !(bits & REASON_IDLE);
		name_reasons(bits, clocks.throttle, sizeof clocks.throttle);
		*out = clocks;
	}
	unload(&c);
	return ok;
}

/* --- GPUs and their links --- */

static json_t *pci_text(const struct nvml_api_pci *pci)
{
	return json_sprintf("%04X:%02X:%02X.0", pci->domain, pci->bus, pci->device);
}

static void put_number(json_t *to, const char *key, int (*read)(void *, unsigned *), void *device)
{
	unsigned value;
	if (read && read(device, &value) == 0)
		json_object_set_new(to, key, json_integer(value));
}

/* A link that is down may name no other end. */
static json_t *link_end(const struct calls *nvml, void *device, unsigned link)
{
	struct nvml_api_pci pci;
	int type = -1;
	if (nvml->link_type && nvml->link_type(device, link, &type) == 0 &&
	    type == NVML_API_LINK_TO_SWITCH)
		return json_string("switch");
	if (nvml->link_pci && nvml->link_pci(device, link, &pci) == 0)
		return pci_text(&pci);
	return json_string("unknown");
}

static json_t *links_of(const struct calls *nvml, void *device)
{
	json_t *links = json_array();
	for (unsigned i = 0; nvml->link_state && i < NVML_API_LINKS; i++) {
		struct nvml_api_field speed = {.id = NVML_API_FIELD_NVLINK_SPEED, .scope = i};
		unsigned long long mbps;
		int up = 0;
		if (nvml->link_state(device, i, &up))
			continue;
		json_t *link = json_pack("{s:i, s:b, s:o}", "link", (int)i, "up", up, "to",
		                         link_end(nvml, device, i));
		if (up && nvml->fields && nvml->fields(device, 1, &speed) == 0 &&
		    field_value(&speed, &mbps) == 0)
			json_object_set_new(link, "mbps", json_integer((json_int_t)mbps));
		json_array_append_new(links, link);
	}
	return links;
}

static json_t *gpu_of(const struct calls *nvml, void *device)
{
	struct nvml_api_pci pci;
	char name[96] = "";
	json_t *pcie = json_object();
	if (nvml->pci(device, &pci)) {
		json_decref(pcie);
		return NULL;
	}
	if (!nvml->name || nvml->name(device, name, sizeof name))
		name[0] = '\0';
	put_number(pcie, "gen", nvml->pcie_gen, device);
	put_number(pcie, "gen_max", nvml->pcie_gen_max, device);
	put_number(pcie, "width", nvml->pcie_width, device);
	put_number(pcie, "width_max", nvml->pcie_width_max, device);
	return json_pack("{s:o, s:s, s:o, s:o}", "pci", pci_text(&pci), "name", name, "pcie", pcie,
	                 "nvlinks", links_of(nvml, device));
}

/* nvmlGpuTopologyLevel_t, in tens. */
static const char *ancestor_name(int level)
{
	static const char *const names[] = {"board",       "switch", "switches",
	                                    "host bridge", "node",   "system"};
	return level >= 0 && level % 10 == 0 && level / 10 < 6 ? names[level / 10] : "unknown";
}

/* nvmlGpuP2PStatus_t */
static const char *p2p_name(int status)
{
	static const char *const names[] = {"yes",
	                                    "the chipset does not support it",
	                                    "the GPU does not support it",
	                                    "the I/O hubs' topology does not support it",
	                                    "switched off by a registry key",
	                                    "not supported"};
	return status >= 0 && status < 6 ? names[status] : "unknown";
}

static json_t *pair_of(const struct calls *nvml, void *const devices[], unsigned a, unsigned b)
{
	int level, status;
	json_t *pair = json_pack("{s:i, s:i}", "a", (int)a, "b", (int)b);
	if (nvml->ancestor && nvml->ancestor(devices[a], devices[b], &level) == 0)
		json_object_set_new(pair, "ancestor", json_string(ancestor_name(level)));
	if (nvml->p2p && nvml->p2p(devices[a], devices[b], NVML_API_P2P_WRITE, &status) == 0)
		json_object_set_new(pair, "p2p", json_string(p2p_name(status)));
	return pair;
}

static json_t *read_all(const struct calls *nvml)
{
	void *devices[MOST_GPUS];
	unsigned n = 0, taken = 0;
	json_t *gpus = json_array(), *pairs = json_array(), *gpu;
	if (nvml->count(&n))
		n = 0;
	for (unsigned i = 0; i < n && taken < MOST_GPUS; i++)
		if (nvml->get(i, &devices[taken]) == 0 && (gpu = gpu_of(nvml, devices[taken]))) {
			json_array_append_new(gpus, gpu);
			taken++;
		}
	for (unsigned a = 0; a < taken; a++)
		for (unsigned b = a + 1; b < taken; b++)
			json_array_append_new(pairs, pair_of(nvml, devices, a, b));
	json_t *all = json_pack("{s:o, s:o}", "gpus", gpus, "pairs", pairs);
	if (taken)
		return all;
	json_decref(all);
	return NULL;
}

json_t *nvml_links_read(const char *library)
{
	struct calls c;
	struct status ignored = {""};
	if (load(library, &c, &ignored))
		return NULL;
	json_t *all = c.count && c.get && c.pci ? read_all(&c) : NULL;
	unload(&c);
	return all;
}

/* --- counters between two moments: sampling --- */

/* One moment. Results are nvmlReturn_t. */
struct reading {
	int64_t clock_ns;
	int gpm, tx, rx, busy;
	struct nvml_api_utilization use;
	unsigned long long tx_kib, rx_kib;
};

struct nvml_watch {
	struct calls call;
	void *device;
	void *samples[2];
	struct reading at[2];
	unsigned taken;         /* readings of this stretch */
	char no_gpm[WHY_BYTES]; /* "" if there is GPM */
	struct nvml_api_gpm_get get;
};

static void open_gpm(struct nvml_watch *w)
{
	const struct calls *call = &w->call;
	struct nvml_api_gpm_support support = {.version = 1};
	int result;
	if (!call->gpm_support || !call->gpm_alloc || !call->gpm_free || !call->gpm_sample ||
	    !call->gpm_metrics) {
		snprintf(w->no_gpm, sizeof w->no_gpm, "the driver is too old");
		return;
	}
	result = call->gpm_support(w->device, &support);
	if (!result && !support.supported) {
		snprintf(w->no_gpm, sizeof w->no_gpm, "this GPU has none, Hopper and later do");
		return;
	}
	for (unsigned i = 0; i < 2 && !result; i++)
		result = call->gpm_alloc(&w->samples[i]);
	if (result)
		explain_result(call, result, w->no_gpm, sizeof w->no_gpm);
}

int nvml_watch_open(const char *library, const char *pci, struct nvml_watch **out,
                    struct status *st)
{
	struct nvml_watch *w = calloc(1, sizeof *w);
	char why[WHY_BYTES];
	if (!w)
		return status_set(st, "no memory is left for GPU counters");
	if (load(library, &w->call, st)) {
		free(w);
		return -1;
	}
	int result = w->call.find(pci, &w->device);
	if (result) {
		explain_result(&w->call, result, why, sizeof why);
		unload(&w->call);
		free(w);
		return status_set(st, "NVML does not open GPU %s: %s", pci, why);
	}
	open_gpm(w);
	*out = w;
	return 0;
}

void nvml_watch_close(struct nvml_watch *w)
{
	if (!w)
		return;
	for (unsigned i = 0; i < 2; i++)
		if (w->samples[i])
			w->call.gpm_free(w->samples[i]);
	unload(&w->call);
	free(w);
}

static void take(struct nvml_watch *w, unsigned i)
{
	struct reading *out = &w->at[i];
	int64_t before = clock_now_ns();
	struct nvml_api_field fields[2] = {
	    {.id = NVML_API_FIELD_NVLINK_TX, .scope = NVML_API_ALL_LINKS},
	    {.id = NVML_API_FIELD_NVLINK_RX, .scope = NVML_API_ALL_LINKS},
	};
	const int result =
	    w->call.fields ? w->call.fields(w->device, 2, fields) : NVML_API_NOT_SUPPORTED;
	out->tx = result ? result : field_value(&fields[0], &out->tx_kib);
	out->rx = result ? result : field_value(&fields[1], &out->rx_kib);
	out->busy = w->call.utilization ? w->call.utilization(w->device, &out->use)
	                                : NVML_API_NOT_SUPPORTED;
	if (!w->no_gpm[0])
		out->gpm = w->call.gpm_sample(w->device, w->samples[i]);
	out->clock_ns = before + (clock_now_ns() - before) / 2;
	w->taken = i + 1;
}

void nvml_watch_begin(struct nvml_watch *w)
{
	take(w, 0);
}

void nvml_watch_end(struct nvml_watch *w)
{
	if (w->taken)
		take(w, 1);
}

/* --- counters: from the two readings --- */

/* Bytes in a unit of NVML's, over those in a unit of ours. */
#define GB_PER_LINK_UNIT   (COUNTERS_LINK_BYTES / 1e9)
#define GB_PER_MIB         (1024 * 1024 / 1e9)
#define GB_PER_NVLINK_UNIT (COUNTERS_GPM_NVLINK_BYTES / 1e9)

static double rate_of(const struct calls *call, int first, int second, unsigned long long from,
                      unsigned long long to, double seconds, char *why)
{
	if (first || second) {
		explain_result(call, first ? first : second, why, WHY_BYTES);
		return NAN;
	}
	if (to < from || seconds <= 0) {
		snprintf(why, WHY_BYTES, "the counter went back");
		return NAN;
	}
	return (double)(to - from) * GB_PER_LINK_UNIT / seconds;
}

static void read_links(const struct nvml_watch *w, struct counters *out, char *why)
{
	const struct reading *a = &w->at[0], *b = &w->at[1];
	out->nvlink_unit_bytes = COUNTERS_GPM_NVLINK_BYTES;
	if (isnan(out->nvlink_tx_gbs)) {
		out->nvlink_tx_gbs =
		    rate_of(&w->call, a->tx, b->tx, a->tx_kib, b->tx_kib, out->seconds, why);
		out->nvlink_unit_bytes = isnan(out->nvlink_tx_gbs) ? NAN : COUNTERS_LINK_BYTES;
	}
	if (isnan(out->nvlink_rx_gbs))
		out->nvlink_rx_gbs =
		    rate_of(&w->call, a->rx, b->rx, a->rx_kib, b->rx_kib, out->seconds, why);
}

static double dram_limit(const struct nvml_watch *w)
{
	unsigned mhz = 0, bits = 0;
	if (!w->call.max_clock || !w->call.bus_width ||
	    w->call.max_clock(w->device, NVML_API_CLOCK_MEM, &mhz) ||
	    w->call.bus_width(w->device, &bits) || !mhz || !bits)
		return NAN;
	return mhz * 1e6 * 2 * bits / 8 / 1e9;
}

/* The rates between the two samples, each with its own result. False: there are none, and why. */
static bool ask_gpm(struct nvml_watch *w, const unsigned *ids, unsigned n, char *why)
{
	int result;
	if (w->no_gpm[0]) {
		snprintf(why, WHY_BYTES, "%s", w->no_gpm);
		return false;
	}
	result = w->at[0].gpm ? w->at[0].gpm : w->at[1].gpm;
	if (!result && w->at[1].clock_ns - w->at[0].clock_ns < NVML_WATCH_NS) {
		snprintf(why, WHY_BYTES, "the stretch is under %d ms", NVML_WATCH_NS / 1000000);
		return false;
	}
	if (!result) {
		w->get.version = 1;
		w->get.asked = n;
		w->get.first = w->samples[0];
		w->get.second = w->samples[1];
		for (unsigned i = 0; i < n; i++)
			w->get.metrics[i] =
			    (struct nvml_api_gpm_metric){.id = ids[i], .value = NAN};
		result = w->call.gpm_metrics(&w->get);
	}
	if (result)
		explain_result(&w->call, result, why, WHY_BYTES);
	return !result;
}

static void read_gpm(struct nvml_watch *w, struct counters *out, char *why)
{
	const struct {
		double *to, unit; /* of ours in one of GPM's */
	} wanted[] = {
	    {&out->sm_percent, 1},
	    {&out->dram_gbs, out->dram_limit_gbs / 100},
	    {&out->pcie_tx_gbs, GB_PER_MIB},
	    {&out->pcie_rx_gbs, GB_PER_MIB},
	    {&out->nvlink_rx_gbs, GB_PER_NVLINK_UNIT},
	    {&out->nvlink_tx_gbs, GB_PER_NVLINK_UNIT},
	};
	static const unsigned ids[] = {
	    NVML_API_GPM_SM,      NVML_API_GPM_DRAM,      NVML_API_GPM_PCIE_TX,
	    NVML_API_GPM_PCIE_RX, NVML_API_GPM_NVLINK_RX, NVML_API_GPM_NVLINK_TX,
	};
	const unsigned n = sizeof ids / sizeof *ids;
	if (!ask_gpm(w, ids, n, why))
		return;
	for (unsigned i = 0; i < n; i++) {
		const struct nvml_api_gpm_metric *metric = &w->get.metrics[i];
		if (!metric->result)
			*wanted[i].to = metric->value * wanted[i].unit;
		else if (!why[0])
			explain_result(&w->call, metric->result, why, WHY_BYTES);
	}
	if (!why[0] && isnan(out->dram_limit_gbs))
		snprintf(why, WHY_BYTES, "the memory's clock or width is unknown");
}

/* "no DRAM, SM, PCIe (GPM: …; NVLink bytes: …)" */
static void explain(struct counters *out, const char *gpm, const char *links)
{
	const struct {
		const char *name;
		bool missing;
	} parts[] = {
	    {"NVLink", isnan(out->nvlink_tx_gbs) || isnan(out->nvlink_rx_gbs)},
	    {"DRAM", isnan(out->dram_gbs)},
	    {"SM", isnan(out->sm_percent)},
	    {"PCIe", isnan(out->pcie_tx_gbs) || isnan(out->pcie_rx_gbs)},
	};
	char names[32] = "";
	for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++)
		if (parts[i].missing)
			status_list(names, sizeof names, parts[i].name);
	if (names[0])
		snprintf(out->missing, sizeof out->missing, "no %s (GPM: %s%s%s)", names,
		         gpm[0] ? gpm : "no figure", links[0] ? "; NVLink bytes: " : "", links);
}

void nvml_watch_read(struct nvml_watch *w, struct counters *out)
{
	char gpm[WHY_BYTES] = "", links[WHY_BYTES] = "";
	counters_clear(out);
	if (w->taken < 2) {
		snprintf(out->missing, sizeof out->missing, "the stretch was not begun and ended");
		return;
	}
	out->seconds = (double)(w->at[1].clock_ns - w->at[0].clock_ns) / 1e9;
	out->dram_limit_gbs = dram_limit(w);
	if (!w->at[1].busy) {
		out->busy_percent = w->at[1].use.gpu;
		out->memory_busy_percent = w->at[1].use.memory;
	}
	read_gpm(w, out, gpm);
	read_links(w, out, links);
	explain(out, gpm, links);
}
