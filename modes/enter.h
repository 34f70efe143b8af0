/* A job's processes become a team: a block on each host, whose first processes are linked. */
#pragma once

#include "../harness/core/isolation.h"
#include "../harness/core/team.h"
#include "launcher.h"

struct run {
	const struct launched *as;
	struct peers *rendezvous; /* enter_run closes it */
	struct layout layout;     /* of all hosts together */
	unsigned hosts;
	struct team_shape shape;    /* of all hosts; enter_run says which are here */
	bool isolates;              /* each process is isolated, */
	struct isolation isolation; /* like this; enter_run sets the process and its GPUs */
};

/* index: 0 … layout_workers − 1, in rank order. */
typedef void enter_worker_fn(struct team *team, unsigned index, void *arg);
/* In the first process of each host, when its workers are done. */
typedef int enter_lead_fn(struct team *team, void *arg, struct status *st);

/* Makes the block, calls worker once per thread of this process, waits for all, then lead. */
int enter_run(const struct run *run, enter_worker_fn *worker, enter_lead_fn *lead, void *arg,
              struct status *st);
