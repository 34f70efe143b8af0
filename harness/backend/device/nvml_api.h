/* The part of NVML's interface that is used here, declared anew so that neither its header nor
 * its library is needed to build or start. Names and numbers are from NVIDIA's NVML API
 * reference, layouts those of its version 1 structures on 64-bit systems; tests/test_nvml.c
 * holds them against nvml.h where a machine has it. */
#ifndef LAUNCHGAP_NVML_API_H
#define LAUNCHGAP_NVML_API_H

#include <stdbool.h>
#include <stddef.h>

/* nvmlReturn_t */
#define NVML_API_NOT_SUPPORTED 3
#define NVML_API_NO_PERMISSION 4

/* nvmlClockType_t */
#define NVML_API_CLOCK_SM  1
#define NVML_API_CLOCK_MEM 2

/* Field ids: payload over NVLink since some time past, in KiB; of one link, or of all. */
#define NVML_API_FIELD_NVLINK_TX 138
#define NVML_API_FIELD_NVLINK_RX 139
#define NVML_API_ALL_LINKS       0xffffffffu

/* nvmlValueType_t: the integers among them that a field may come as. */
#define NVML_API_UNSIGNED_INT       1
#define NVML_API_UNSIGNED_LONG      2
#define NVML_API_UNSIGNED_LONG_LONG 3

/* nvmlFieldValue_t */
struct nvml_api_field {
	unsigned id, scope;
	long long timestamp_us, latency_us;
	unsigned type;
	int result; /* the value says nothing unless this is 0 */
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
#define NVML_API_LINK_TO_GPU    0
#define NVML_API_LINK_TO_SWITCH 2

/* nvmlGpuP2PCapsIndex_t */
#define NVML_API_P2P_WRITE 1

/* nvmlPciInfo_t */
struct nvml_api_pci {
	char legacy[16];
	unsigned domain, bus, device, id, subsystem;
	char bus_id[32];
};

/* nvmlUtilization_t: percent of the past sample period, a sixth of a second to one. */
struct nvml_api_utilization {
	unsigned gpu, memory;
};

/* GPM: rates between two samples, from Hopper on. nvmlGpmMetricId_t: */
#define NVML_API_GPM_SM        2  /* percent */
#define NVML_API_GPM_DRAM      10 /* percent of the peak */
#define NVML_API_GPM_PCIE_TX   20 /* MiB/s, as all of the following */
#define NVML_API_GPM_PCIE_RX   21
#define NVML_API_GPM_NVLINK_RX 60
#define NVML_API_GPM_NVLINK_TX 61

/* nvmlGpmSupport_t */
struct nvml_api_gpm_support {
	unsigned version, supported;
};

/* nvmlGpmMetric_t */
struct nvml_api_gpm_metric {
	unsigned id;
	int result;
	double value;
	const char *name_and_unit[3];
};

/* nvmlGpmMetricsGet_t. A driver reads the first `asked` of the list; how long it is differs
 * from one header to the next (210, 333, 477), and this is longer than theirs. */
#define NVML_API_GPM_METRICS 512
struct nvml_api_gpm_get {
	unsigned version, asked;
	void *first, *second;
	struct nvml_api_gpm_metric metrics[NVML_API_GPM_METRICS];
};

struct nvml_api_symbol {
	const char *name;
	void *function; /* the address of a function pointer */
};

/* Sets each function pointer, to NULL where the library has no such symbol. Whether all are
 * there. */
bool nvml_api_find(void *library, const struct nvml_api_symbol *symbols, size_t n);

/* What an nvmlReturn_t other than 0 means, in a few words. */
void nvml_api_explain(int result, char *text, size_t bytes);

#endif
