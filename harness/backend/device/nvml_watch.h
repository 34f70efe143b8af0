/* What nvml_watch.c takes and nvml_counters.c works out; for these two and nvml_meter.c, which
 * reads more with the same calls. */
#ifndef LAUNCHGAP_NVML_WATCH_H
#define LAUNCHGAP_NVML_WATCH_H

#include <stdint.h>

#include "nvml.h"
#include "nvml_api.h"

#define NVML_WHY_BYTES 48 /* of a cause in a few words */

struct nvml_calls {
	int (*init)(void);
	int (*shutdown)(void);
	int (*find)(const char *, void **);
	/* NULL where the library does not have them. */
	int (*max_clock)(void *, int, unsigned *);
	int (*bus_width)(void *, unsigned *);
	int (*utilization)(void *, struct nvml_api_utilization *);
	int (*fields)(void *, int, struct nvml_api_field *);
	int (*gpm_support)(void *, struct nvml_api_gpm_support *);
	int (*gpm_alloc)(void **);
	int (*gpm_free)(void *);
	int (*gpm_sample)(void *, void *);
	int (*gpm_metrics)(struct nvml_api_gpm_get *);
};

/* One moment. Results are nvmlReturn_t. */
struct nvml_reading {
	int64_t clock_ns;
	int gpm, tx, rx, busy;
	struct nvml_api_utilization use;
	unsigned long long tx_kib, rx_kib;
};

struct nvml_watch {
	struct nvml_calls call;
	void *library, *device;
	void *samples[2];
	struct nvml_reading at[2];
	unsigned taken;              /* readings of this stretch */
	char no_gpm[NVML_WHY_BYTES]; /* "" where there is GPM */
	struct nvml_api_gpm_get get;
};

/* A field's integer. An nvmlReturn_t: the field's own, or that it is no integer. */
int nvml_watch_field(const struct nvml_api_field *field, unsigned long long *out);

#endif
