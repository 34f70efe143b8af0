/* What NVML says of a GPU: its clocks, and its counters over a stretch of time. Loaded at run
 * time, so that nothing needs it to start. */
#ifndef LAUNCHGAP_NVML_H
#define LAUNCHGAP_NVML_H

#include <stdbool.h>
#include <stddef.h>

#include "../../core/counters.h"
#include "../../status.h"

#define NVML_LIBRARY "libnvidia-ml.so.1"

struct nvml_clocks {
	bool busy; /* an idle GPU's clock says nothing */
	unsigned sm_mhz, sm_max_mhz;
	unsigned pcie_gen, pcie_width, pcie_gen_max, pcie_width_max; /* 0: not known */
	char throttle[64]; /* "none", or what holds the clock down: "power cap, thermal" */
};

/* pci as CUDA names it ("0000:18:00.0"). false where NVML, the GPU or its answers are missing.
 * Costs milliseconds: never in a timed stretch. */
bool nvml_read(const char *library, const char *pci, struct nvml_clocks *out);

/* Counters of one GPU between two moments. From Hopper on they are GPM's; before it, and where
 * GPM does not count NVLink, NVLink's are the byte counters of its links, and the others are
 * missing. What is missing is NaN, with the cause in words; nothing here fails for that.
 *
 * The driver renews what GPM samples about every 100 ms, so begin and end have to lie further
 * apart (NVML_WATCH_NS), with the load running steadily all the while; a shorter stretch has no
 * GPM counters. Each of the two takes milliseconds: a pass of its own, never a timed one.
 *
 * Rates of GPM are over the time between its own two samples; those of the byte counters over
 * `seconds`, which is the harness's clock, from the middle of one reading to that of the other.
 * GPM gives DRAM as a percentage of a theoretical maximum that NVML does not name. It is taken
 * as (highest memory clock) × 2 transfers a cycle × (bus width) ÷ 8: 2619 MHz × 2 × 5120 bit ÷
 * 8 = 3352 GB/s, the 3.35 TB/s of an H100 SXM's data sheet. Where a product's sheet has a lower
 * figure than its highest clock gives, DRAM may read a few percent high; dram_limit_gbs keeps
 * what was taken. GPM's unit of NVLink is COUNTERS_GPM_NVLINK_BYTES. */
#define NVML_WATCH_NS 100000000

struct nvml_watch;

/* One thread at a time. -1 only where the library or the GPU is missing. The caller frees *out
 * with nvml_watch_close. */
int nvml_watch_open(const char *library, const char *pci, struct nvml_watch **out,
                    struct status *st);
/* Begin again for another stretch; end belongs to the last begin. */
void nvml_watch_begin(struct nvml_watch *watch);
void nvml_watch_end(struct nvml_watch *watch);
/* Fills all of *out, after end. The host backend's fields stay NaN. */
void nvml_watch_read(struct nvml_watch *watch, struct counters *out);
/* NULL is allowed. */
void nvml_watch_close(struct nvml_watch *watch);

#endif
