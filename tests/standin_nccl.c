/* A stand-in for an old NCCL: the functions that 2.7 had, none of which does anything. */
#include <stdlib.h>

int ncclGetVersion(int *version);
int ncclGetVersion(int *version)
{
	const char *said = getenv("STANDIN_NCCL_VERSION");
	*version = said ? atoi(said) : 2708;
	return 0;
}

#define NOTHING(NAME)                                                                          \
	int NAME(void);                                                                        \
	int NAME(void)                                                                         \
	{                                                                                      \
		return 0;                                                                      \
	}

NOTHING(ncclGetUniqueId)
NOTHING(ncclCommInitRank)
NOTHING(ncclCommDestroy)
NOTHING(ncclCommAbort)
NOTHING(ncclCommGetAsyncError)
NOTHING(ncclGetErrorString)
NOTHING(ncclGroupStart)
NOTHING(ncclGroupEnd)
NOTHING(ncclAllReduce)
NOTHING(ncclAllGather)
NOTHING(ncclReduceScatter)
NOTHING(ncclBroadcast)
NOTHING(ncclReduce)
NOTHING(ncclSend)
NOTHING(ncclRecv)
