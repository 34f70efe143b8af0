/* Where the libraries are that stand in for NCCL and NVML (standin_nccl.c, standin_nvml.c): next to
 * the test. */
#pragma once

#include "test.h"

#define STANDIN_BYTES (PATH_MAX + 32)

/* Fails if it was not built. */
static inline void standin_find_named(const char *library, char out[STANDIN_BYTES])
{
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
	assert_true(n > 0);
	self[n] = '\0';
	*strrchr(self, '/') = '\0';
	snprintf(out, STANDIN_BYTES, "%s/%s", self, library);
	assert_int_equal(access(out, R_OK), 0);
}

static inline void standin_find(char out[STANDIN_BYTES])
{
	standin_find_named("standin_nccl.so", out);
}
