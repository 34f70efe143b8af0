#include "nvml.h"

#include <dlfcn.h>
#include <stdio.h>

#include "nvml_api.h"

/* From NVML's API reference: nvmlClocksEventReasons. */
#define REASON_IDLE 0x1ull

static const struct {
	unsigned long long bits;
	const char *name;
} reasons[] = {
    {0x04, "power cap"},      {0x08, "hardware slowdown"}, {0x10, "sync boost"},
    {0x20 | 0x40, "thermal"}, {0x80, "power brake"},
};

struct nvml {
	int (*init)(void);
	int (*shutdown)(void);
	int (*find)(const char *, void **);
	int (*clock)(void *, int, unsigned *);
	int (*max_clock)(void *, int, unsigned *);
	int (*reasons)(void *, unsigned long long *);
	int (*pcie[4])(void *, unsigned *); /* NULL where the library does not have them */
};

static bool look_up(void *handle, struct nvml *out)
{
	const struct nvml_api_symbol symbols[] = {
	    {"nvmlInit_v2", &out->init},
	    {"nvmlShutdown", &out->shutdown},
	    {"nvmlDeviceGetHandleByPciBusId_v2", &out->find},
	    {"nvmlDeviceGetClockInfo", &out->clock},
	    {"nvmlDeviceGetMaxClockInfo", &out->max_clock},
	    {"nvmlDeviceGetCurrentClocksThrottleReasons", &out->reasons},
	};
	const struct nvml_api_symbol others[] = {
	    {"nvmlDeviceGetCurrPcieLinkGeneration", &out->pcie[0]},
	    {"nvmlDeviceGetCurrPcieLinkWidth", &out->pcie[1]},
	    {"nvmlDeviceGetMaxPcieLinkGeneration", &out->pcie[2]},
	    {"nvmlDeviceGetMaxPcieLinkWidth", &out->pcie[3]},
	};
	nvml_api_find(handle, others, sizeof others / sizeof *others);
	return nvml_api_find(handle, symbols, sizeof symbols / sizeof *symbols);
}

static void read_pcie(const struct nvml *nvml, void *device, struct nvml_clocks *out)
{
	unsigned *const to[] = {&out->pcie_gen, &out->pcie_width, &out->pcie_gen_max,
	                        &out->pcie_width_max};
	for (unsigned i = 0; i < 4; i++)
		if (!nvml->pcie[i] || nvml->pcie[i](device, to[i]))
			*to[i] = 0;
}

static void name_reasons(unsigned long long bits, char *text, size_t bytes)
{
	size_t at = 0;
	snprintf(text, bytes, "none");
	for (unsigned i = 0; i < sizeof reasons / sizeof *reasons; i++)
		if (bits & reasons[i].bits && at < bytes)
			at += (size_t)snprintf(text + at, bytes - at, "%s%s", at ? ", " : "",
			                       reasons[i].name);
}

bool nvml_read(const char *library, const char *pci, struct nvml_clocks *out)
{
	struct nvml nvml;
	struct nvml_clocks clocks = {0};
	unsigned long long bits = 0;
	void *device, *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
	bool ok = false;
	if (!handle)
		return false;
	if (look_up(handle, &nvml) && nvml.init() == 0) {
		ok = nvml.find(pci, &device) == 0 &&
		     nvml.clock(device, NVML_API_CLOCK_SM, &clocks.sm_mhz) == 0 &&
		     nvml.max_clock(device, NVML_API_CLOCK_SM, &clocks.sm_max_mhz) == 0 &&
		     nvml.reasons(device, &bits) == 0;
		if (ok)
			read_pcie(&nvml, device, &clocks);
		nvml.shutdown();
	}
	dlclose(handle);
	if (!ok)
		return false;
	clocks.busy = !(bits & REASON_IDLE);
	name_reasons(bits, clocks.throttle, sizeof clocks.throttle);
	*out = clocks;
	return true;
}
