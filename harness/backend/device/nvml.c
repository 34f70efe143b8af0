#include "nvml.h"
#include "../../memory.h"

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

/* What a function that may be missing returns. */
#define ASK(CALLS, NAME, ...) ((CALLS)->NAME ? (CALLS)->NAME(__VA_ARGS__) : NVML_API_NOT_SUPPORTED)

/* NVML's words for an nvmlReturn_t other than 0. */
static const char *words_of(const struct calls *c, int result)
{
	return c->error ? c->error(result) : "an error of NVML's";
}

static int load(const char *library, struct calls *out, struct status *st)
{
	struct calls c = {.library = dlopen(library, RTLD_NOW | RTLD_LOCAL)};
	if (!c.library)
		return status_set(st, "GPU counters need NVML, which NVIDIA's driver brings: %s",
		                  dlerror());
	symbols_find(c.library, symbols, sizeof symbols / sizeof *symbols, &c);
	const bool usable = c.init && c.shutdown && c.find; /* else it names no GPU at all */
	const int result = usable ? c.init() : -1;
	if (!usable)
		status_set(st, "%s lacks NVML's functions", library);
	else if (result)
		status_set(st, "NVML does not start: %.47s", words_of(&c, result));
	else
		*out = c;
	if (result)
		dlclose(c.library);
	return result ? -1 : 0;
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
	bool ok = c.find(pci, &device) == 0 &&
	          ASK(&c, clock, device, NVML_API_CLOCK_SM, &clocks.sm_mhz) == 0 &&
	          ASK(&c, max_clock, device, NVML_API_CLOCK_SM, &clocks.sm_max_mhz) == 0 &&
	          ASK(&c, reasons, device, &bits) == 0;
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
	if (ASK(nvml, link_type, device, link, &type) == 0 && type == NVML_API_LINK_TO_SWITCH)
		return json_string("switch");
	if (ASK(nvml, link_pci, device, link, &pci) == 0)
		return pci_text(&pci);
	return json_string("unknown");
}

static json_t *links_of(const struct calls *nvml, void *device)
{
	json_t *links = json_array();
	for (unsigned i = 0; i < NVML_API_LINKS; i++) {
		struct nvml_api_field speed = {.id = NVML_API_FIELD_NVLINK_SPEED, .scope = i};
		unsigned long long mbps;
		int up = 0;
		if (ASK(nvml, link_state, device, i, &up))
			continue;
		json_t *link = json_pack("{s:i, s:b, s:o}", "link", (int)i, "up", up, "to",
		                         link_end(nvml, device, i));
		if (up && ASK(nvml, fields, device, 1, &speed) == 0 &&
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
	if (nvml->pci(device, &pci))
		return NULL;
	if (ASK(nvml, name, device, name, sizeof name))
		name[0] = '\0';
	json_t *pcie = json_object();
	put_number(pcie, "gen", nvml->pcie_gen, device);
	put_number(pcie, "gen_max", nvml->pcie_gen_max, device);
	put_number(pcie, "width", nvml->pcie_width, device);
	put_number(pcie, "width_max", nvml->pcie_width_max, device);
	return json_pack("{s:o, s:s, s:o, s:o}", "pci", pci_text(&pci), "name", name, "pcie", pcie,
	                 "nvlinks", links_of(nvml, device));
}

#define NAMES 6

static json_t *name_of(const char *const names[NAMES], int i)
{
	return json_string(i >= 0 && i < NAMES ? names[i] : "unknown");
}

static json_t *pair_of(const struct calls *nvml, void *const devices[], unsigned a, unsigned b)
{
	/* nvmlGpuTopologyLevel_t, in tens, and nvmlGpuP2PStatus_t */
	static const char *const ancestors[NAMES] = {"board",       "switch", "switches",
	                                             "host bridge", "node",   "system"};
	static const char *const reaches[NAMES] = {"yes",
	                                           "the chipset does not support it",
	                                           "the GPU does not support it",
	                                           "the I/O hubs' topology does not support it",
	                                           "switched off by a registry key",
	                                           "not supported"};
	int level, status;
	json_t *pair = json_pack("{s:i, s:i}", "a", (int)a, "b", (int)b);
	if (ASK(nvml, ancestor, devices[a], devices[b], &level) == 0)
		json_object_set_new(pair, "ancestor",
		                    name_of(ancestors, level % 10 ? NAMES : level / 10));
	if (ASK(nvml, p2p, devices[a], devices[b], NVML_API_P2P_WRITE, &status) == 0)
		json_object_set_new(pair, "p2p", name_of(reaches, status));
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

enum way { TX, RX, WAYS };

/* One moment. Results are nvmlReturn_t. */
struct reading {
	int64_t clock_ns;
	int gpm, busy, link[WAYS];
	struct nvml_api_utilization use;
	unsigned long long kib[WAYS];
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
		snprintf(w->no_gpm, sizeof w->no_gpm, "%s", words_of(call, result));
}

int nvml_watch_open(const char *library, const char *pci, struct nvml_watch **out,
                    struct status *st)
{
	struct nvml_watch *w = memory_take(1, sizeof *w);
	if (load(library, &w->call, st)) {
		free(w);
		return -1;
	}
	int result = w->call.find(pci, &w->device);
	if (result) {
		status_set(st, "NVML does not open GPU %s: %.47s", pci, words_of(&w->call, result));
		nvml_watch_close(w);
		return -1;
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
	struct nvml_api_field fields[WAYS] = {
	    [TX] = {.id = NVML_API_FIELD_NVLINK_TX, .scope = NVML_API_ALL_LINKS},
	    [RX] = {.id = NVML_API_FIELD_NVLINK_RX, .scope = NVML_API_ALL_LINKS},
	};
	const int result = ASK(&w->call, fields, w->device, WAYS, fields);
	for (enum way way = TX; way < WAYS; way++)
		out->link[way] = result ? result : field_value(&fields[way], &out->kib[way]);
	out->busy = ASK(&w->call, utilization, w->device, &out->use);
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

static double rate_of(const struct nvml_watch *w, enum way way, double seconds, char *why)
{
	const struct reading *a = &w->at[0], *b = &w->at[1];
	const int result = a->link[way] ? a->link[way] : b->link[way];
	if (!result && b->kib[way] >= a->kib[way] && seconds > 0)
		return (double)(b->kib[way] - a->kib[way]) * GB_PER_LINK_UNIT / seconds;
	snprintf(why, WHY_BYTES, "%s",
	         result ? words_of(&w->call, result) : "the counter went back");
	return NAN;
}

static void read_links(const struct nvml_watch *w, struct counters *out, char *why)
{
	out->nvlink_unit_bytes = COUNTERS_GPM_NVLINK_BYTES;
	if (isnan(out->nvlink_tx_gbs)) {
		out->nvlink_tx_gbs = rate_of(w, TX, out->seconds, why);
		out->nvlink_unit_bytes = isnan(out->nvlink_tx_gbs) ? NAN : COUNTERS_LINK_BYTES;
	}
	if (isnan(out->nvlink_rx_gbs))
		out->nvlink_rx_gbs = rate_of(w, RX, out->seconds, why);
}

static double dram_limit(const struct nvml_watch *w)
{
	unsigned mhz = 0, bits = 0;
	if (ASK(&w->call, max_clock, w->device, NVML_API_CLOCK_MEM, &mhz) ||
	    ASK(&w->call, bus_width, w->device, &bits) || !mhz || !bits)
		return NAN;
	return mhz * 1e6 * 2 * bits / 8 / 1e9;
}

struct rate {
	unsigned id;
	double *to, unit; /* of ours in one of GPM's */
};

/* The rates between the two samples, each with its own result. False: there are none, and why. */
static bool ask_gpm(struct nvml_watch *w, const struct rate *rates, unsigned n, char *why)
{
	int result = w->at[0].gpm ? w->at[0].gpm : w->at[1].gpm;
	if (w->no_gpm[0]) {
		snprintf(why, WHY_BYTES, "%s", w->no_gpm);
		return false;
	}
	if (!result && w->at[1].clock_ns - w->at[0].clock_ns < NVML_WATCH_NS) {
		snprintf(why, WHY_BYTES, "the stretch is under %d ms", NVML_WATCH_NS / 1000000);
		return false;
	}
	w->get.version = 1;
	w->get.asked = n;
	w->get.first = w->samples[0];
	w->get.second = w->samples[1];
	for (unsigned i = 0; i < n; i++)
		w->get.metrics[i] = (struct nvml_api_gpm_metric){.id = rates[i].id, .value = NAN};
	result = result ? result : w->call.gpm_metrics(&w->get);
	if (result)
		snprintf(why, WHY_BYTES, "%s", words_of(&w->call, result));
	return !result;
}

static void read_gpm(struct nvml_watch *w, struct counters *out, char *why)
{
	const struct rate rates[] = {
	    {NVML_API_GPM_SM, &out->sm_percent, 1},
	    {NVML_API_GPM_DRAM, &out->dram_gbs, out->dram_limit_gbs / 100},
	    {NVML_API_GPM_PCIE_TX, &out->pcie_tx_gbs, GB_PER_MIB},
	    {NVML_API_GPM_PCIE_RX, &out->pcie_rx_gbs, GB_PER_MIB},
	    {NVML_API_GPM_NVLINK_RX, &out->nvlink_rx_gbs, GB_PER_NVLINK_UNIT},
	    {NVML_API_GPM_NVLINK_TX, &out->nvlink_tx_gbs, GB_PER_NVLINK_UNIT},
	};
	const unsigned n = sizeof rates / sizeof *rates;
	if (!ask_gpm(w, rates, n, why))
		return;
	for (unsigned i = 0; i < n; i++) {
		const struct nvml_api_gpm_metric *metric = &w->get.metrics[i];
		if (!metric->result)
			*rates[i].to = metric->value * rates[i].unit;
		else if (!why[0])
			snprintf(why, WHY_BYTES, "%s", words_of(&w->call, metric->result));
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
