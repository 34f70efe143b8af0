/* One line of NCCL's debug log, taken apart. Pure. */
#ifndef LAUNCHGAP_PATH_LINE_H
#define LAUNCHGAP_PATH_LINE_H

#include "../../record/path.h"

enum path_line_kind {
	PATH_LINE_OTHER,
	PATH_LINE_UNREAD,  /* begins like one of the others, but cannot be read on */
	PATH_LINE_VERSION, /* words: the version */
	PATH_LINE_LINK,    /* from, to, channel, connection; words: via */
	PATH_LINE_ASKED,   /* a call of ncclCommRegister */
	PATH_LINE_OPENED,  /* from opened a buffer by `reg`; to the rank `to` where has_peer */
	PATH_LINE_FAILED,  /* by `reg`; words: NCCL's reason */
	PATH_LINE_SKIPPED, /* words: NCCL's reason */
	PATH_LINE_COPY_ENGINE,
	PATH_LINE_SYMMETRIC, /* words: the kernel */
};

struct path_line {
	enum path_line_kind kind;
	unsigned from, to, channel;
	int connection; /* -1: not said */
	bool has_peer;
	enum path_reg reg;
	const char *words; /* in the text, not terminated */
	size_t words_bytes;
};

/* `text` without its newline; may hold any byte. */
void path_line_read(const char *text, size_t bytes, struct path_line *out);

#endif
