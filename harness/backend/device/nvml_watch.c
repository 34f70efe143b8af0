/* GPU counters between two moments: opening, sampling, closing. */
#include "nvml_watch.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "../../clock.h"

/* Whether the library can name a GPU at all. */
static bool look_up(void *library, struct nvml_calls *out)
{
	const struct nvml_api_symbol needed[] = {
	    {"nvmlInit_v2", &out->init},
	    {"nvmlShutdown", &out->shutdown},
	    {"nvmlDeviceGetHandleByPciBusId_v2", &out->find},
	};
	const struct nvml_api_symbol others[] = {
	    {"nvmlDeviceGetMaxClockInfo", &out->max_clock},
	    {"nvmlDeviceGetMemoryBusWidth", &out->bus_width},
	    {"nvmlDeviceGetFieldValues", &out->fields},
	    {"nvmlDeviceGetUtilizationRates", &out->utilization},
	    {"nvmlGpmQueryDeviceSupport", &out->gpm_support},
	    {"nvmlGpmSampleAlloc", &out->gpm_alloc},
	    {"nvmlGpmSampleFree", &out->gpm_free},
	    {"nvmlGpmSampleGet", &out->gpm_sample},
	    {"nvmlGpmMetricsGet", &out->gpm_metrics},
	};
	nvml_api_find(library, others, sizeof others / sizeof *others);
	return nvml_api_find(library, needed, sizeof needed / sizeof *needed);
}

static void open_gpm(struct nvml_watch *w)
{
	const struct nvml_calls *call = &w->call;
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
		nvml_api_explain(result, w->no_gpm, sizeof w->no_gpm);
}

int nvml_watch_open(const char *library, const char *pci, struct nvml_watch **out,
                    struct status *st)
{
	struct nvml_watch *w = calloc(1, sizeof *w);
	char why[NVML_WHY_BYTES];
	int result;
	if (!w)
		return status_set(st, "no memory is left for GPU counters");
	w->library = dlopen(library, RTLD_NOW | RTLD_LOCAL);
	if (!w->library) {
		status_set(st, "GPU counters need NVML, which NVIDIA's driver brings: %s",
		           dlerror());
		goto no_library;
	}
	if (!look_up(w->library, &w->call)) {
		status_set(st, "%s lacks NVML's functions", library);
		goto no_nvml;
	}
	result = w->call.init();
	if (result) {
		nvml_api_explain(result, why, sizeof why);
		status_set(st, "NVML does not start: %s", why);
		goto no_nvml;
	}
	result = w->call.find(pci, &w->device);
	if (result) {
		nvml_api_explain(result, why, sizeof why);
		status_set(st, "NVML does not open GPU %s: %s", pci, why);
		goto no_gpu;
	}
	open_gpm(w);
	*out = w;
	return 0;
no_gpu:
	w->call.shutdown();
no_nvml:
	dlclose(w->library);
no_library:
	free(w);
	return -1;
}

void nvml_watch_close(struct nvml_watch *w)
{
	if (!w)
		return;
	for (unsigned i = 0; i < 2; i++)
		if (w->samples[i])
			w->call.gpm_free(w->samples[i]);
	w->call.shutdown();
	dlclose(w->library);
	free(w);
}

int nvml_watch_field(const struct nvml_api_field *field, unsigned long long *out)
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

static void take_links(struct nvml_watch *w, struct nvml_reading *out)
{
	struct nvml_api_field fields[2] = {
	    {.id = NVML_API_FIELD_NVLINK_TX, .scope = NVML_API_ALL_LINKS},
	    {.id = NVML_API_FIELD_NVLINK_RX, .scope = NVML_API_ALL_LINKS},
	};
	int result =
	    w->call.fields ? w->call.fields(w->device, 2, fields) : NVML_API_NOT_SUPPORTED;
	out->tx = result ? result : nvml_watch_field(&fields[0], &out->tx_kib);
	out->rx = result ? result : nvml_watch_field(&fields[1], &out->rx_kib);
}

static void take(struct nvml_watch *w, unsigned i)
{
	int64_t before = clock_now_ns();
	take_links(w, &w->at[i]);
	w->at[i].busy = w->call.utilization ? w->call.utilization(w->device, &w->at[i].use)
	                                    : NVML_API_NOT_SUPPORTED;
	if (!w->no_gpm[0])
		w->at[i].gpm = w->call.gpm_sample(w->device, w->samples[i]);
	w->at[i].clock_ns = before + (clock_now_ns() - before) / 2;
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
