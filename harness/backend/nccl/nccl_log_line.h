/* Parses one line of NCCL's debug log. Pure. */
#ifndef LAUNCHGAP_LOG_H
#define LAUNCHGAP_LOG_H

#include <stdbool.h>
#include <stddef.h>

/* How user buffers can be registered; each way has its own lines. */
enum nccl_reg { NCCL_REG_IPC, NCCL_REG_NET, NCCL_REG_NVLS, NCCL_REG_COLLNET, NCCL_REG_KINDS };

enum nccl_log_kind {
	LOG_OTHER,
	LOG_UNREAD,  /* begins like one of the others, but cannot be parsed */
	LOG_VERSION, /* words: the version */
	LOG_LINK,    /* from, to, channel, connection; words: via */
	LOG_ASKED,   /* a call of ncclCommRegister */
	LOG_OPENED,  /* from opened a buffer by `reg`; to the rank `to` if has_peer */
	LOG_FAILED,  /* by `reg`; words: NCCL's reason */
	LOG_SKIPPED, /* words: NCCL's reason */
	LOG_COPY_ENGINE,
	LOG_SYMMETRIC, /* words: the kernel */
	LOG_CHANNELS,  /* numbers: channels for collectives, for sends and receives, of those
	                  for each peer */
	LOG_CHUNK,     /* numbers[0]: bytes of a chunk of sends and receives */
	LOG_ALGORITHM, /* words: "AllReduce: 67108864 Bytes -> Algo RING proto SIMPLE …"; numbers:
	                  its bytes, its first and last channel */
	LOG_SET,       /* words: a variable that NCCL read, "X set by environment to 4." */
	LOG_REFUSED,   /* words: one whose value it did not take, "X, using default -2." */
};

struct nccl_log_line {
	enum nccl_log_kind kind;
	unsigned from, to, channel;
	int connection; /* -1: not given */
	bool has_peer;
	enum nccl_reg reg;
	const char *words; /* in the text, not terminated */
	size_t words_bytes;
	unsigned long long numbers[3];
};

/* `text` has no newline; it may contain any byte. */
void nccl_log_line_read(const char *text, size_t bytes, struct nccl_log_line *out);

#endif
