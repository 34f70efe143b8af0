/* Runs of the nccl backend without a GPU: jobs, modes, log, counters, record and report are the
 * program's own, on stand-ins for CUDA's runtime, NCCL and NVML. */
#pragma once

#include "../here.h"
#include "../json.h"
#include "../standin.h"

#define TWO                                                                                        \
	"[experiment]\nbackend = nccl\nranks = 2\nblocks = 1\nwarmup = 1\nstretches = 2\n"         \
	"calls = 2\nisolated_calls = 2\nlimit = no\ntwin = no\nwait = yield\n"                     \
	"launcher = exec\n"

static char old[STANDIN_BYTES], new[STANDIN_BYTES];

FIXTURE(find_all)
{
	char program[STANDIN_BYTES];
	standin_find_named("launchgap", program);
	standin_find_named("2.21.5/libnccl.so.2", old);
	standin_find_named("2.32.3/libnccl.so.2", new);
	setenv("LAUNCHGAP", program, 1);
}

/* Nothing injected. */
FIXTURE(begin)
{
	static const char *const injected[] = {"STANDIN_NCCL",   "STANDIN_CUDART",   "STANDIN_GPUS",
	                                       "STANDIN_CUBLAS", "STANDIN_NO_PEERS", "STANDIN_MIB",
	                                       "STANDIN_CALLS",  "STANDIN_ABSENT"};
	for (unsigned i = 0; i < LENGTH(injected); i++)
		unsetenv(injected[i]);
	setenv("NCCL_LEGACY", old, 1);
	setenv("NCCL_NEW", new, 1);
	set_up();
}

static inline void again(void)
{
	tear_down();
	begin();
}

/* Two ranks and few calls, with the text's additions and a key of the command line, and no report:
 * of wrong data the exit status tells. */
static inline struct cli run_with(const char *text, const char *key)
{
	return here_run(test_text(TWO "%s", text), "--no-report", key, NULL);
}

static inline struct cli run(const char *text)
{
	return run_with(text, NULL);
}
