/* Ranges for Nsight Systems and other tools, by NVTX, whose headers are all there is of it: where a
 * tool has come along they call it, else they do nothing. Left out where the headers are missing. */
#ifdef HAVE_CUDA_NCCL
#include "device.h"

#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>

void device_mark(const char *text)
{
	if (text)
		nvtxRangePushA(text);
	else
		nvtxRangePop();
}

#else
void device_mark(const char *text)
{
	(void)text;
}
#endif

#else
typedef int mark_left_out; /* built without CUDA or NCCL */
#endif
