/* Hardware counters over a stretch of calls: which path data took. Never in a timed pass.
 *
 * The model: DRAM bytes of a GPU per byte that it sends over NVLink: direct 2; staged 4, as the
 * FIFO slot is written and read too. alltoall's own block, 1/n of the buffer, is copied within the
 * memory: 2/(n−1) more. What is in the L2 cache never reaches DRAM. The host backend counts its own
 * copies, a read and a write each: half of these. */
#pragma once

#include <jansson.h>

#include "../status.h"

/* Bytes in a unit of GPM's NVLink rates, which NVML's reference calls MiB, and of
 * NVLINK_THROUGHPUT_DATA, as measured with known copies (results/reference/README.md#counters);
 * without headers. PCIe's unit is not measured. */
#define COUNTERS_GPM_NVLINK_BYTES 1024000
#define COUNTERS_LINK_BYTES       1024

/* GB = 1e9 bytes; means over the stretch. NaN if a counter is not available. The GPU's counters
 * count everything that ran there, not only what was measured. */
struct counters {
	double seconds;       /* the stretch */
	double nvlink_tx_gbs; /* GB/s, payload of all links */
	double nvlink_rx_gbs; /* GB/s */
	/* The bytes per unit that nvlink_tx_gbs was computed with: one of the above. */
	double nvlink_unit_bytes;
	double dram_gbs;       /* GB/s, read and written */
	double dram_limit_gbs; /* GB/s, the peak of which dram_gbs was a percentage */
	double sm_percent;     /* 0 to 100: SMs that had a warp, over all SMs and the stretch */
	/* 0 to 100, in the driver's last sample period within the stretch (NVML's utilisation): how
	 * long a kernel ran, and how long memory was read or written. */
	double busy_percent, memory_busy_percent;
	double pcie_tx_gbs;     /* GB/s, out of the GPU */
	double pcie_rx_gbs;     /* GB/s */
	double copied_bytes;    /* the host backend's own count of what it copied */
	double delivered_bytes; /* and of what arrived in users' buffers */
	char missing[160];      /* why counters are missing; "" when none is */
};

void counters_clear(struct counters *out);

/* null for NaN. The caller owns the reference; NULL when memory is out. */
json_t *counters_to_json(const struct counters *counters);
/* A record without nvlink_unit_bytes took GPM's unit as 1024 × 1024 bytes: its NVLink figures are
 * divided by 1.024, if it has another counter of GPM's. `from` may be anything. */
int counters_from_json(const json_t *from, struct counters *out, struct status *st);
