/* Where the libraries are that stand in for NCCL and NVML (standin_nccl.c, standin_nvml.c): next to
 * the test. */
#ifndef LAUNCHGAP_STANDIN_H
#define LAUNCHGAP_STANDIN_H

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define STANDIN_BYTES (PATH_MAX + 32)

/* 0, or -1 if it was not built. */
static inline int standin_find_named(const char *library, char out[STANDIN_BYTES])
{
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
	if (n < 0)
		return -1;
	self[n] = '\0';
	*strrchr(self, '/') = '\0';
	snprintf(out, STANDIN_BYTES, "%s/%s", self, library);
	return access(out, R_OK);
}

static inline int standin_find(char out[STANDIN_BYTES])
{
	return standin_find_named("standin_nccl.so", out);
}

#endif
