/* A tool as NVTX takes one along (NVTX_INJECTION64_PATH): each range's begin and end becomes a line
 * of the file $NVTX_SEEN, with its process and thread. Nothing without NVTX' headers. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>

static void see(const char *text)
{
	char line[256];
	const char *file = getenv("NVTX_SEEN");
	int out = file ? open(file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666) : -1;
	int n = snprintf(line, sizeof line, "%d %ld %s\n", getpid(), syscall(SYS_gettid), text);
	if (out < 0)
		return;
	if (write(out, line, (size_t)n) != n)
		abort();
	close(out);
}

static int push(const char *text)
{
	see(text);
	return 0;
}

static int pop(void)
{
	see("-");
	return 0;
}

/* The name is NVTX' own. */
int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get)
{
	const NvtxExportTableCallbacks *callbacks = get(NVTX_ETID_CALLBACKS);
	NvtxFunctionTable table;
	unsigned n = 0;
	if (!callbacks || !callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &table, &n) ||
	    n <= NVTX_CBID_CORE_RangePop)
		return 0;
	*table[NVTX_CBID_CORE_RangePushA] = (NvtxFunctionPointer)push;
	*table[NVTX_CBID_CORE_RangePop] = (NvtxFunctionPointer)pop;
	return 1;
}
#else
typedef int nvtx_left_out;
#endif
