/* A stand-in for NVML, with known answers. GPU n is at 0000:0n:00.0, n in hexadecimal:
 *   1 idle, no counters     2 held down by power and heat, no counters
 *   3 everything            4 no GPM (before Hopper)        5 no permission for counters
 *   6 GPM without NVLink    7 GPM, but an unknown memory    8 GPM that fails at its second
 * sample   9, a: two that say their links' speed
 * Of a list there are 9, a and 2: 9 and a are joined by four NVLinks, of which the last is down,
 * and each has two more to a switch; 2 has none, and no peer access to a. Its own declarations, so
 * that a mistake in the program's shows. */
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OK = 0, BAD_ARGUMENT = 2, NOT_SUPPORTED = 3, NO_PERMISSION = 4, NOT_FOUND = 6, LOST = 15 };

struct gpu {
	bool gpm, gpm_nvlink, links, memory;
	bool speed;
	int refusal;         /* of every counter */
	unsigned lost_after; /* samples; 0: never */
	atomic_uint samples;
	unsigned long long tx_kib, rx_kib;
};

struct sample {
	struct gpu *gpu;
	unsigned number; /* in the order in which they were taken */
};

typedef struct {
	unsigned fieldId, scopeId;
	long long timestamp, latencyUsec;
	unsigned valueType;
	int nvmlReturn;
	union {
		double dVal;
		unsigned uiVal;
		unsigned long long ullVal;
	} value;
} field_value;

typedef struct {
	unsigned version, isSupportedDevice;
} gpm_support;

typedef struct {
	unsigned version, numMetrics;
	struct sample *sample1, *sample2;
	struct {
		unsigned metricId;
		int nvmlReturn;
		double value;
		struct {
			char *shortName, *longName, *unit;
		} metricInfo;
	} metrics[477];
} gpm_get;

typedef struct {
	char busIdLegacy[16];
	unsigned domain, bus, device, pciDeviceId, pciSubSystemId;
	char busId[32];
} pci_info;

static struct gpu gpus[] = {
    {.memory = true},
    {.memory = true},
    {.memory = true, .gpm = true, .gpm_nvlink = true, .links = true},
    {.memory = true, .links = true},
    {.memory = true, .gpm = true, .gpm_nvlink = true, .links = true, .refusal = NO_PERMISSION},
    {.memory = true, .gpm = true, .links = true},
    {.gpm = true, .gpm_nvlink = true},
    {.memory = true, .gpm = true, .gpm_nvlink = true, .links = true, .lost_after = 1},
    {.memory = true, .gpm = true, .gpm_nvlink = true, .speed = true},
    {.memory = true, .gpm = true, .gpm_nvlink = true, .speed = true},
};
static atomic_int opened, samples_held;
static atomic_uint samples_taken;

/* Inits without shutdown and samples not freed. */
int standin_left_open(void)
{
	return opened + samples_held;
}

/* Threads that a driver starts inherit the caller's mask: whether it holds SIGINT back is a line of
 * the file that STANDIN_NVML_MASK names. */
static void tell_mask(void)
{
	const char *path = getenv("STANDIN_NVML_MASK");
	FILE *file = path ? fopen(path, "ae") : NULL;
	sigset_t mask;
	if (!file)
		return;
	pthread_sigmask(SIG_BLOCK, NULL, &mask);
	fprintf(file, "%s\n", sigismember(&mask, SIGINT) ? "held" : "open");
	fclose(file);
}

static bool is_linked(const void *device)
{
	return device == &gpus[8] || device == &gpus[9];
}

/* Does, and answers. */
#define ANSWERS(NAME, DOES, RESULT, ...)                                                           \
	int NAME(__VA_ARGS__)                                                                      \
	{                                                                                          \
		DOES;                                                                              \
		return RESULT;                                                                     \
	}
ANSWERS(nvmlInit_v2, (tell_mask(), opened++), OK, void)
ANSWERS(nvmlShutdown, opened--, OK, void)
ANSWERS(nvmlDeviceGetCount_v2, *n = 3, OK, unsigned *n)
ANSWERS(nvmlDeviceGetClockInfo, *mhz = device == &gpus[0] ? 345 : 1410,
        type == 1 ? OK : BAD_ARGUMENT, void *device, int type, unsigned *mhz)
ANSWERS(nvmlDeviceGetMaxClockInfo, *mhz = type == 2 ? 2619 : 1980 /* memory, SM */,
        type == 1 || type == 2 ? OK : BAD_ARGUMENT, void *device, int type, unsigned *mhz)
ANSWERS(nvmlDeviceGetCurrentClocksThrottleReasons, *bits = device == &gpus[0] ? 0x1 : 0x4 | 0x40,
        OK, void *device, unsigned long long *bits)
ANSWERS(nvmlDeviceGetMemoryBusWidth, *bits = 5120,
        ((struct gpu *)device)->memory ? OK : NOT_SUPPORTED, void *device, unsigned *bits)
ANSWERS(nvmlDeviceGetCurrPcieLinkGeneration, *out = device == &gpus[0] ? 1 : 4, OK, void *device,
        unsigned *out)
ANSWERS(nvmlDeviceGetMaxPcieLinkGeneration, *out = 4, OK, void *device, unsigned *out)
ANSWERS(nvmlDeviceGetCurrPcieLinkWidth, *out = device == &gpus[1] ? 8 : 16, OK, void *device,
        unsigned *out)
ANSWERS(nvmlDeviceGetMaxPcieLinkWidth, *out = 16, OK, void *device, unsigned *out)
ANSWERS(nvmlDeviceGetNvLinkState, *up = link != 3,
        !is_linked(device) ? NOT_SUPPORTED
        : link < 6         ? OK
                           : BAD_ARGUMENT,
        void *device, unsigned link, int *up)
ANSWERS(nvmlDeviceGetNvLinkRemoteDeviceType, *type = link < 4 ? 0 : 2,
        is_linked(device) ? OK : NOT_SUPPORTED, void *device, unsigned link, int *type)
ANSWERS(nvmlDeviceGetTopologyCommonAncestor, *level = a == &gpus[1] || b == &gpus[1] ? 50 : 10, OK,
        void *a, void *b, int *level)
/* GPU, memory: percent. */
ANSWERS(nvmlDeviceGetUtilizationRates, (out[0] = 93, out[1] = 41),
        ((struct gpu *)device)->refusal ? NO_PERMISSION : OK, void *device, unsigned out[2])

int nvmlDeviceGetHandleByPciBusId_v2(const char *pci, void **device)
{
	unsigned n = strlen(pci) == 12 ? (unsigned)strtoul(pci + 5, NULL, 16) - 1 : UINT_MAX;
	if (n >= sizeof gpus / sizeof *gpus || strncmp(pci, "0000:0", 6) ||
	    strcmp(pci + 7, ":00.0"))
		return NOT_FOUND;
	*device = &gpus[n];
	return OK;
}

/* Each call finds 1 GiB more sent and 2 GiB more received. */
int nvmlDeviceGetFieldValues(void *device, int n, field_value *fields)
{
	struct gpu *gpu = device;
	gpu->tx_kib += 1 << 20;
	gpu->rx_kib += 2 << 20;
	for (int i = 0; i < n; i++) {
		field_value *f = &fields[i];
		f->nvmlReturn = gpu->refusal ? gpu->refusal : gpu->links ? OK : NOT_SUPPORTED;
		if (f->scopeId != UINT_MAX || (f->fieldId != 138 && f->fieldId != 139))
			f->nvmlReturn = BAD_ARGUMENT;
		f->valueType = 3; /* unsigned long long */
		f->value.ullVal = f->fieldId == 138 ? gpu->tx_kib : gpu->rx_kib;
		if (gpu->speed && f->fieldId == 164) {
			f->nvmlReturn = OK;
			f->value.ullVal = 26562;
		}
	}
	return OK;
}

int nvmlGpmQueryDeviceSupport(void *device, gpm_support *support)
{
	if (support->version != 1)
		return BAD_ARGUMENT;
	support->isSupportedDevice = ((struct gpu *)device)->gpm;
	return OK;
}

int nvmlGpmSampleAlloc(struct sample **sample)
{
	*sample = calloc(1, sizeof **sample);
	samples_held += *sample != NULL;
	return *sample ? OK : BAD_ARGUMENT;
}

int nvmlGpmSampleFree(struct sample *sample)
{
	samples_held--;
	free(sample);
	return OK;
}

int nvmlGpmSampleGet(void *device, struct sample *sample)
{
	struct gpu *gpu = device;
	if (gpu->refusal)
		return gpu->refusal;
	if (gpu->lost_after && gpu->samples++ >= gpu->lost_after)
		return LOST;
	sample->gpu = gpu;
	sample->number = ++samples_taken;
	return OK;
}

static int metric(const struct gpu *gpu, unsigned id, double *value)
{
	switch (id) {
	case 2: /* SM, percent */
		*value = 12.5;
		return OK;
	case 10: /* DRAM, percent */
		*value = 40;
		return OK;
	case 20: /* PCIe, MiB/s */
		*value = 1000;
		return OK;
	case 21:
		*value = 2000;
		return OK;
	case 60: /* NVLink, 1000 KiB/s: received, sent */
		*value = 300000;
		return gpu->gpm_nvlink ? OK : NOT_SUPPORTED;
	case 61:
		*value = 250000;
		return gpu->gpm_nvlink ? OK : NOT_SUPPORTED;
	default:
		return BAD_ARGUMENT;
	}
}

int nvmlGpmMetricsGet(gpm_get *get)
{
	if (get->version != 1 || !get->sample1->gpu || get->sample1->gpu != get->sample2->gpu ||
	    get->sample1->number >= get->sample2->number)
		return BAD_ARGUMENT;
	for (unsigned i = 0; i < get->numMetrics; i++)
		get->metrics[i].nvmlReturn =
		    metric(get->sample1->gpu, get->metrics[i].metricId, &get->metrics[i].value);
	return OK;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned i, void **device)
{
	static struct gpu *const listed[] = {&gpus[8], &gpus[9], &gpus[1]};
	if (i >= 3)
		return BAD_ARGUMENT;
	*device = listed[i];
	return OK;
}

int nvmlDeviceGetPciInfo_v3(void *device, pci_info *pci)
{
	*pci = (pci_info){.bus = 1 + (unsigned)((struct gpu *)device - gpus)};
	strcpy(pci->busId, "as no one else writes it");
	return OK;
}

const char *nvmlErrorString(int result)
{
	return result == NOT_SUPPORTED   ? "Not Supported"
	       : result == NO_PERMISSION ? "Insufficient Permissions"
	       : result == LOST          ? "GPU is lost"
	       : result == NOT_FOUND     ? "Not Found"
	                                 : "Unknown Error";
}

int nvmlDeviceGetName(void *device, char *name, unsigned bytes)
{
	if (bytes < 10)
		return BAD_ARGUMENT;
	strcpy(name, "Stand-in");
	return OK;
}

int nvmlDeviceGetNvLinkRemotePciInfo_v2(void *device, unsigned link, pci_info *pci)
{
	if (!is_linked(device) || link > 2)
		return NOT_SUPPORTED;
	return nvmlDeviceGetPciInfo_v3(device == &gpus[8] ? &gpus[9] : &gpus[8], pci);
}

int nvmlDeviceGetP2PStatus(void *a, void *b, int what, int *status)
{
	bool pair = (a == &gpus[9] && b == &gpus[1]) || (a == &gpus[1] && b == &gpus[9]);
	*status = pair ? 1 : 0;
	return what == 1 ? OK : BAD_ARGUMENT;
}
