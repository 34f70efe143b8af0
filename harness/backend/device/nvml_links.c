#include "nvml_links.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "nvml_watch.h"

#define MOST_GPUS 64

struct nvml {
	int (*init)(void);
	int (*shutdown)(void);
	int (*count)(unsigned *);
	int (*get)(unsigned, void **);
	int (*pci)(void *, struct nvml_api_pci *);
	/* NULL where the library does not have them. */
	int (*name)(void *, char *, unsigned);
	int (*gen)(void *, unsigned *);
	int (*gen_max)(void *, unsigned *);
	int (*width)(void *, unsigned *);
	int (*width_max)(void *, unsigned *);
	int (*link_state)(void *, unsigned, int *);
	int (*link_pci)(void *, unsigned, struct nvml_api_pci *);
	int (*link_type)(void *, unsigned, int *);
	int (*fields)(void *, int, struct nvml_api_field *);
	int (*ancestor)(void *, void *, int *);
	int (*p2p)(void *, void *, int, int *);
};

static bool look_up(void *handle, struct nvml *out)
{
	const struct nvml_api_symbol needed[] = {
	    {"nvmlInit_v2", &out->init},
	    {"nvmlShutdown", &out->shutdown},
	    {"nvmlDeviceGetCount_v2", &out->count},
	    {"nvmlDeviceGetHandleByIndex_v2", &out->get},
	    {"nvmlDeviceGetPciInfo_v3", &out->pci},
	};
	const struct nvml_api_symbol more[] = {
	    {"nvmlDeviceGetName", &out->name},
	    {"nvmlDeviceGetCurrPcieLinkGeneration", &out->gen},
	    {"nvmlDeviceGetMaxPcieLinkGeneration", &out->gen_max},
	    {"nvmlDeviceGetCurrPcieLinkWidth", &out->width},
	    {"nvmlDeviceGetMaxPcieLinkWidth", &out->width_max},
	    {"nvmlDeviceGetNvLinkState", &out->link_state},
	    {"nvmlDeviceGetNvLinkRemotePciInfo_v2", &out->link_pci},
	    {"nvmlDeviceGetNvLinkRemoteDeviceType", &out->link_type},
	    {"nvmlDeviceGetFieldValues", &out->fields},
	    {"nvmlDeviceGetTopologyCommonAncestor", &out->ancestor},
	    {"nvmlDeviceGetP2PStatus", &out->p2p},
	};
	nvml_api_find(handle, more, sizeof more / sizeof *more);
	return nvml_api_find(handle, needed, sizeof needed / sizeof *needed);
}

/* As CUDA writes it. */
static json_t *pci_text(const struct nvml_api_pci *pci)
{
	return json_sprintf("%04X:%02X:%02X.0", pci->domain, pci->bus, pci->device);
}

static void put_number(json_t *to, const char *key, int (*read)(void *, unsigned *),
                       void *device)
{
	unsigned value;
	if (read && read(device, &value) == 0)
		json_object_set_new(to, key, json_integer(value));
}

/* A link that is down may name no other end. */
static json_t *link_end(const struct nvml *nvml, void *device, unsigned link)
{
	struct nvml_api_pci pci;
	int type = -1;
	if (nvml->link_type && nvml->link_type(device, link, &type) == 0 &&
	    type == NVML_API_LINK_TO_SWITCH)
		return json_string("switch");
	if (nvml->link_pci && nvml->link_pci(device, link, &pci) == 0)
		return pci_text(&pci);
	return json_string("unknown");
}

static json_t *links_of(const struct nvml *nvml, void *device)
{
	json_t *links = json_array();
	for (unsigned i = 0; nvml->link_state && i < NVML_API_LINKS; i++) {
		struct nvml_api_field speed = {.id = NVML_API_FIELD_NVLINK_SPEED, .scope = i};
		unsigned long long mbps;
		int up = 0;
		if (nvml->link_state(device, i, &up))
			continue;
		json_t *link = json_pack("{s:i, s:b, s:o}", "link", (int)i, "up", up, "to",
		                         link_end(nvml, device, i));
		if (up && nvml->fields && nvml->fields(device, 1, &speed) == 0 &&
		    nvml_watch_field(&speed, &mbps) == 0)
			json_object_set_new(link, "mbps", json_integer((json_int_t)mbps));
		json_array_append_new(links, link);
	}
	return links;
}

static json_t *gpu_of(const struct nvml *nvml, void *device)
{
	struct nvml_api_pci pci;
	char name[96] = "";
	json_t *pcie = json_object();
	if (nvml->pci(device, &pci)) {
		json_decref(pcie);
		return NULL;
	}
	if (!nvml->name || nvml->name(device, name, sizeof name))
		name[0] = '\0';
	put_number(pcie, "gen", nvml->gen, device);
	put_number(pcie, "gen_max", nvml->gen_max, device);
	put_number(pcie, "width", nvml->width, device);
	put_number(pcie, "width_max", nvml->width_max, device);
	return json_pack("{s:o, s:s, s:o, s:o}", "pci", pci_text(&pci), "name", name, "pcie",
	                 pcie, "nvlinks", links_of(nvml, device));
}

/* nvmlGpuTopologyLevel_t, in tens. */
static const char *ancestor_name(int level)
{
	static const char *const names[] = {"board",       "switch", "switches",
	                                    "host bridge", "node",   "system"};
	return level >= 0 && level % 10 == 0 && level / 10 < 6 ? names[level / 10] : "unknown";
}

/* nvmlGpuP2PStatus_t */
static const char *p2p_name(int status)
{
	static const char *const names[] = {"yes",
	                                    "the chipset does not support it",
	                                    "the GPU does not support it",
	                                    "the I/O hubs' topology does not support it",
	                                    "switched off by a registry key",
	                                    "not supported"};
	return status >= 0 && status < 6 ? names[status] : "unknown";
}

static json_t *pair_of(const struct nvml *nvml, void *const devices[], unsigned a, unsigned b)
{
	int level, status;
	json_t *pair = json_pack("{s:i, s:i}", "a", (int)a, "b", (int)b);
	if (nvml->ancestor && nvml->ancestor(devices[a], devices[b], &level) == 0)
		json_object_set_new(pair, "ancestor", json_string(ancestor_name(level)));
	if (nvml->p2p &&
	    nvml->p2p(devices[a], devices[b], NVML_API_P2P_WRITE, &status) == 0)
		json_object_set_new(pair, "p2p", json_string(p2p_name(status)));
	return pair;
}

static json_t *read_all(const struct nvml *nvml)
{
	void *devices[MOST_GPUS];
	unsigned n = 0, taken = 0;
	json_t *gpus = json_array(), *pairs = json_array(), *gpu;
	if (nvml->count(&n))
		n = 0;
	for (unsigned i = 0; i < n && taken < MOST_GPUS; i++)
		if (nvml->get(i, &devices[taken]) == 0 &&
		    (gpu = gpu_of(nvml, devices[taken]))) {
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
	struct nvml nvml = {0};
	json_t *all = NULL;
	void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
	if (!handle)
		return NULL;
	if (look_up(handle, &nvml) && nvml.init() == 0) {
		all = read_all(&nvml);
		nvml.shutdown();
	}
	dlclose(handle);
	return all;
}
