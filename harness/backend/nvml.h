/* What NVML says of a GPU's clocks: loaded at run time, so that nothing needs it to start. */
#ifndef LAUNCHGAP_NVML_H
#define LAUNCHGAP_NVML_H

#include <stdbool.h>
#include <stddef.h>

#define NVML_LIBRARY "libnvidia-ml.so.1"

struct nvml_clocks {
	bool busy; /* an idle GPU's clock says nothing */
	unsigned sm_mhz, sm_max_mhz;
	char throttle[64]; /* "none", or what holds the clock down: "power cap, thermal" */
};

/* pci as CUDA names it ("0000:18:00.0"). false where NVML, the GPU or its answers are missing.
 * Costs milliseconds: never in a timed stretch. */
bool nvml_read(const char *library, const char *pci, struct nvml_clocks *out);

#endif
