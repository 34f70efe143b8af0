/* GPU counters between two moments: what the two readings say. */
#include "nvml_watch.h"

#include <math.h>
#include <stdio.h>

/* Bytes in a unit of NVML's, over those in a unit of ours. */
#define GB_PER_LINK_UNIT   (COUNTERS_LINK_BYTES / 1e9)
#define GB_PER_MIB         (1024 * 1024 / 1e9)
#define GB_PER_NVLINK_UNIT (COUNTERS_GPM_NVLINK_BYTES / 1e9)

/* The rate of one counter, or why there is none. */
static double rate_of(int first, int second, unsigned long long from, unsigned long long to,
                      double seconds, char *why)
{
	if (first || second) {
		nvml_api_explain(first ? first : second, why, NVML_WHY_BYTES);
		return NAN;
	}
	if (to < from || seconds <= 0) {
		snprintf(why, NVML_WHY_BYTES, "the counter went back");
		return NAN;
	}
	return (double)(to - from) * GB_PER_LINK_UNIT / seconds;
}

static void read_links(const struct nvml_watch *w, struct counters *out, char *why)
{
	const struct nvml_reading *a = &w->at[0], *b = &w->at[1];
	out->nvlink_unit_bytes = COUNTERS_GPM_NVLINK_BYTES;
	if (isnan(out->nvlink_tx_gbs)) {
		out->nvlink_tx_gbs =
		    rate_of(a->tx, b->tx, a->tx_kib, b->tx_kib, out->seconds, why);
		out->nvlink_unit_bytes = isnan(out->nvlink_tx_gbs) ? NAN : COUNTERS_LINK_BYTES;
	}
	if (isnan(out->nvlink_rx_gbs))
		out->nvlink_rx_gbs =
		    rate_of(a->rx, b->rx, a->rx_kib, b->rx_kib, out->seconds, why);
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

/* Asks for the rates between the two samples. Whether there are any, each with a result of its
 * own; else why not. */
static bool ask_gpm(struct nvml_watch *w, const unsigned *ids, unsigned n, char *why)
{
	int result;
	if (w->no_gpm[0]) {
		snprintf(why, NVML_WHY_BYTES, "%s", w->no_gpm);
		return false;
	}
	result = w->at[0].gpm ? w->at[0].gpm : w->at[1].gpm;
	if (!result && w->at[1].clock_ns - w->at[0].clock_ns < NVML_WATCH_NS) {
		snprintf(why, NVML_WHY_BYTES, "the stretch is under %d ms",
		         NVML_WATCH_NS / 1000000);
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
		nvml_api_explain(result, why, NVML_WHY_BYTES);
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
			nvml_api_explain(metric->result, why, NVML_WHY_BYTES);
	}
	if (!why[0] && isnan(out->dram_limit_gbs))
		snprintf(why, NVML_WHY_BYTES, "the memory's clock or width is unknown");
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
	size_t at = 0;
	for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++)
		if (parts[i].missing)
			at += (size_t)snprintf(names + at, sizeof names - at, "%s%s",
			                       at ? ", " : "", parts[i].name);
	if (at)
		snprintf(out->missing, sizeof out->missing, "no %s (GPM: %s%s%s)", names,
		         gpm[0] ? gpm : "no figure", links[0] ? "; NVLink bytes: " : "", links);
}

void nvml_watch_read(struct nvml_watch *w, struct counters *out)
{
	char gpm[NVML_WHY_BYTES] = "", links[NVML_WHY_BYTES] = "";
	counters_clear(out);
	if (w->taken < 2) {
		snprintf(out->missing, sizeof out->missing,
		         "the stretch was not begun and ended");
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
