/* A rig that runs the host backend through its table without the harness: a team, workers as
 * threads or forked processes, and for each cell the steps of the timed loop. Workers' findings are
 * in the team's area, so that processes can report them too. */
#pragma once

#include "../harness/backend/host/host.h"
#include "test.h"

#define RIG_CELLS 512
#define RIG_SEED  42

extern const struct backend backend_host;

struct rig_result {
	uint64_t wrong;
	uint64_t faults;    /* of the worker, in the calls */
	uint64_t delivered; /* bytes that came from other ranks */
	unsigned checked;
	struct status error;
};

struct rig {
	struct trial trial;
	struct cell cells[RIG_CELLS];
	unsigned calls; /* of each cell, in flight at once */
	unsigned slots; /* they rotate through */
	struct team *team;
	char way_in[64];
	struct rig_result *results; /* one per rank, in the team's area */
};

struct rig_worker {
	struct rig *rig;
	struct team *team;
	unsigned worker, process;
};

void rig_init(struct rig *rig, struct layout layout, const char *path);
/* A cell as asked, its size rounded; none if nothing is left. */
void rig_add_cell(struct rig *rig, struct cell cell);
/* Of float32, summed where it reduces. */
struct cell rig_cell_of(enum coll_kind coll, size_t bytes);
void rig_add(struct rig *rig, enum coll_kind coll, size_t bytes);
/* Makes the team once cells, calls and slots are set. */
void rig_raise(struct rig *rig);
/* The same; the place of the first worker, for a test that is it. */
struct backend_place rig_raise_alone(struct rig *rig);
void rig_lower(struct rig *rig);
/* All of it: raised, run, seen right, and lowered. */
void rig_is_right(struct rig *rig);
struct backend_place rig_place(const struct rig_worker *at);
/* Polls until all of the worker's ranks are done. */
int rig_wait(struct backend_ctx *ctx, struct team *team, unsigned count, struct status *st);
void *rig_work(void *arg);
/* Runs all cells; the first process is this one, the others are forked and join by the way in.
 */
void rig_run(struct rig *rig);
/* All ranks checked all cells and found nothing wrong. */
void rig_assert_right(const struct rig *rig);
