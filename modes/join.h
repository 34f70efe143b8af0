/* What a job's starter and the first agent say to each other, at the socket in AGENT_JOIN's folder. */
#ifndef LAUNCHGAP_JOIN_H
#define LAUNCHGAP_JOIN_H

#include "hand.h"

/* A job to start. */
struct join_ask {
	uint32_t processes, hosts, ranks, yield, nenv; /* ranks: of each process */
	char order[PATH_MAX];
	char env[TRIAL_MAX_ENV][TRIAL_ENV_BYTES];
};

/* In the order in which they explain a failure. JOIN_END: its exit status, and no text. */
enum join_kind { JOIN_LOST, JOIN_KILLED, JOIN_PRINTED, JOIN_END };
struct join_said {
	uint32_t kind;
	int32_t code;
	char text[HAND_SAID_BYTES];
};

#endif
