/* A stand-in for NVML: two GPUs, one of them idle, the other held down by power and heat. */
#include <string.h>

int nvmlInit_v2(void);
int nvmlShutdown(void);
int nvmlDeviceGetHandleByPciBusId_v2(const char *pci, void **device);
int nvmlDeviceGetClockInfo(void *device, int type, unsigned *mhz);
int nvmlDeviceGetMaxClockInfo(void *device, int type, unsigned *mhz);
int nvmlDeviceGetCurrentClocksThrottleReasons(void *device, unsigned long long *bits);

static int gpus[2];

int nvmlInit_v2(void)
{
	return 0;
}

int nvmlShutdown(void)
{
	return 0;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char *pci, void **device)
{
	if (!strcmp(pci, "0000:01:00.0"))
		*device = &gpus[0];
	else if (!strcmp(pci, "0000:02:00.0"))
		*device = &gpus[1];
	else
		return 6; /* NVML_ERROR_NOT_FOUND */
	return 0;
}

int nvmlDeviceGetClockInfo(void *device, int type, unsigned *mhz)
{
	*mhz = device == &gpus[0] ? 345 : 1410;
	return type == 1 ? 0 : 2;
}

int nvmlDeviceGetMaxClockInfo(void *device, int type, unsigned *mhz)
{
	(void)device;
	*mhz = 1980;
	return type == 1 ? 0 : 2;
}

int nvmlDeviceGetCurrentClocksThrottleReasons(void *device, unsigned long long *bits)
{
	*bits = device == &gpus[0] ? 0x1 : 0x4 | 0x40;
	return 0;
}
