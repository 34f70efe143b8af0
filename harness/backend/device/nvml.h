/* NVML, loaded at run time: a GPU's clocks, its counters over a stretch of time, and the links of a
 * machine's GPUs. */
#pragma once

#include "../../core/counters.h"
#include "../../status.h"

#define NVML_LIBRARY "libnvidia-ml.so.1"

struct nvml_clocks {
	bool busy; /* the clock of an idle GPU means nothing */
	unsigned sm_mhz, sm_max_mhz;
	char throttle[64]; /* "none", or what limits the clock: "power cap, thermal" */
};

/* pci as CUDA names it ("0000:18:00.0"). false: an answer is missing. Takes milliseconds. */
bool nvml_read(const char *library, const char *pci, struct nvml_clocks *out);

/* {"gpus": […], "pairs": […]} of analysis/links.sql, without hwloc's members; NULL: none, or no
 * memory. Wakes the GPUs, which may take a second. The caller's reference. */
json_t *nvml_links_read(const char *library);

/* --- counters --- */

/* Counters of one GPU between two moments, from Hopper on GPM's. Where GPM does not count NVLink,
 * the byte counters of its links do. A missing one is NaN, with the cause in words.
 *
 * The driver updates GPM's samples about every 100 ms: begin and end are further apart than
 * NVML_WATCH_NS, under a steady load, and take milliseconds each. DRAM is a percentage of a maximum
 * that NVML does not name; here it is highest memory clock × 2 × bus width ÷ 8: 2619 MHz × 2 × 5120
 * bit ÷ 8 = 3352 GB/s, as an H100 SXM's data sheet has it. */
#define NVML_WATCH_NS 100000000

struct nvml_watch;

/* One thread at a time. -1: the library or the GPU is missing. The caller closes *out. */
int nvml_watch_open(const char *library, const char *pci, struct nvml_watch **out,
                    struct status *st);
void nvml_watch_begin(struct nvml_watch *watch);
void nvml_watch_end(struct nvml_watch *watch);
/* Fills all of *out, after end. The host backend's fields stay NaN. */
void nvml_watch_read(struct nvml_watch *watch, struct counters *out);
void nvml_watch_close(struct nvml_watch *watch);

/* --- the part of NVML's interface that is used ---
 *
 * Declared again, so that neither its header nor its library is needed to build or start. Names
 * and numbers are from NVIDIA's NVML API reference, layouts those of its version 1 structures
 * on 64-bit systems; tests/test_nvml.c compares them with nvml.h if the machine has it. */

/* nvmlReturn_t */
#define NVML_API_NOT_SUPPORTED 3

#define NVML_API_CLOCK_SM  1
#define NVML_API_CLOCK_MEM 2

/* Field ids: payload over NVLink since some past time, in KiB; of one link, or of all. */
#define NVML_API_FIELD_NVLINK_TX 138
#define NVML_API_FIELD_NVLINK_RX 139
#define NVML_API_ALL_LINKS       0xffffffffu

/* nvmlValueType_t: the integer types of a field. */
#define NVML_API_UNSIGNED_INT       1
#define NVML_API_UNSIGNED_LONG      2
#define NVML_API_UNSIGNED_LONG_LONG 3

struct nvml_api_field {
	unsigned id, scope;
	long long timestamp_us, latency_us;
	unsigned type;
	int result; /* unless this is 0, the value means nothing */
	union {
		double real;
		unsigned word;
		unsigned long long_word;
		unsigned long long long_long_word;
	} value;
};

#define NVML_API_FIELD_NVLINK_SPEED 164 /* MB/s as signalled, of the link in scope */

#define NVML_API_LINKS 36 /* NVML_NVLINK_MAX_LINKS */

/* nvmlIntNvLinkDeviceType_t */
#define NVML_API_LINK_TO_SWITCH 2

/* nvmlGpuP2PCapsIndex_t */
#define NVML_API_P2P_WRITE 1

struct nvml_api_pci {
	char legacy[16];
	unsigned domain, bus, device, id, subsystem;
	char bus_id[32];
};

/* nvmlUtilization_t: percent of the past sample period, a sixth of a second to one. */
struct nvml_api_utilization {
	unsigned gpu, memory;
};

#define NVML_API_GPM_SM        2  /* percent */
#define NVML_API_GPM_DRAM      10 /* percent of the peak */
#define NVML_API_GPM_PCIE_TX   20 /* MiB/s, as all of the following */
#define NVML_API_GPM_PCIE_RX   21
#define NVML_API_GPM_NVLINK_RX 60
#define NVML_API_GPM_NVLINK_TX 61

struct nvml_api_gpm_support {
	unsigned version, supported;
};

struct nvml_api_gpm_metric {
	unsigned id;
	int result;
	double value;
	const char *name_and_unit[3];
};

/* nvmlGpmMetricsGet_t: a driver reads the first `asked`. Headers differ (210, 333, 477). */
#define NVML_API_GPM_METRICS 512
struct nvml_api_gpm_get {
	unsigned version, asked;
	void *first, *second;
	struct nvml_api_gpm_metric metrics[NVML_API_GPM_METRICS];
};
