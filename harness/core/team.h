/* The team: all workers of a trial, and the block of memory that they share, a memfd that is mapped
 * shared in every mode; it has no name that could outlive a killed job. On several hosts each
 * has its own block, and the first workers of all are linked (exchange/hosts_link.h).
 *
 *   header | mailbox per rank | facts per worker | area (samples) | store (the backend's)
 *
 * Only team_sleep blocks in the kernel; waiting spins, and yields when `yield` is set (fewer cores
 * than ranks). All functions may be called from any worker. */
#pragma once

#include "../status.h"

#define TEAM_MAILBOX_BYTES 256
#define TEAM_FACTS_BYTES   4096

struct team_shape {
	unsigned nranks, nworkers; /* of all hosts */
	/* These use this block, so many from the first one on. workers_here 0: all. */
	unsigned workers_here, first_worker;
	bool yield;         /* yield the core while waiting */
	size_t area_bytes;  /* samples, zeroed and touched at creation */
	size_t store_bytes; /* the backend's; not touched: its owner places the pages */
};

struct team;

/* Makes the block. path (at least 64 bytes): what the others pass to team_join, until team_seal.
 * The caller frees *out with team_leave. */
int team_create(const struct team_shape *shape, char *path, size_t path_bytes, struct team **out,
                struct status *st);
int team_join(const char *path, struct team **out, struct status *st);
/* Maps all that timed calls write: team_join does it, and a child of who joined again. */
void team_touch(struct team *team);
void team_seal(struct team *team);
/* Counts so many more processes that completed their part, or left; how many there are. */
enum team_counts { TEAM_ENDED, TEAM_GONE, TEAM_LATE /* ranks, for team_late */, TEAM_COUNTS };
unsigned team_count(struct team *team, enum team_counts what, unsigned more);
/* Unmaps; the memory goes with the last one. NULL is allowed. */
void team_leave(struct team *team);

const struct team_shape *team_shape(const struct team *team);
size_t team_bytes(const struct team *team); /* of the block */

/* The same team for one worker, which team_missing then knows. free() it before team_leave. */
struct team *team_member(const struct team *team, unsigned worker);
/* A snapshot: how many members have not arrived at the meeting, and the first one's first rank. */
unsigned team_missing(const struct team *team, unsigned *rank);

/* In the first process of each host: the link, borrowed until team_leave. Failures go both ways. */
struct hosts_link;
int team_link(struct team *team, struct hosts_link *link, struct status *st);
struct hosts_link *team_hosts_link(const struct team *team); /* NULL: none */
unsigned team_first(const struct team *team);                /* of this host's workers */
unsigned team_here(const struct team *team);                 /* their number */

/* Waits for all workers. 0, or -1 once any rank has failed: then return, do not meet again. */
int team_meet(struct team *team);
/* The same, and brings all mailboxes to each host: written before it, read after it. */
int team_share(struct team *team);
/* The same of other parts in the block, `bytes` of each rank, one after the other. */
int team_share_parts(struct team *team, void *parts, size_t bytes);
/* Whether all workers say yes; each takes its first rank's mailbox for it. */
int team_agree(struct team *team, unsigned rank, bool own, bool *all);
/* A worker meets the others; so many of its ranks took too long. all: of this host. */
int team_late(struct team *team, unsigned ranks, bool *all);
int team_pause(struct team *team);
/* Sleeps until the first worker has roused the others for that turn, while another job has the
 * cores. -1: a rank failed. */
int team_sleep(struct team *team, unsigned turn);
void team_rouse(struct team *team, unsigned turn);

/* The first caller wins; everyone's next meet or pause returns -1. rank: the one that failed. */
#define TEAM_ALL_RANKS UINT_MAX
#define TEAM_OTHERS    (UINT_MAX - 1) /* ranks of another host: the text names them */
void team_fail(struct team *team, unsigned rank, const char *text);
/* The failure as "rank 3: …" or "all ranks: …", of several hosts "host b: rank 3: …"; or NULL. */
const char *team_failure(const struct team *team);

/* The current cell and its deadline, for the watchdog; 0: none. The first worker sets them. */
void team_set_deadline(struct team *team, unsigned cell, int64_t deadline_ns);
int64_t team_deadline(const struct team *team, unsigned *cell);

/* Traffic beside a worker's calls, which has to stop in step with the others' (traffic.h). */
struct team_beside {
	unsigned begun, stopped; /* by __atomic alone: CUDA's compiler reads this header too */
};
struct team_beside *team_beside(const struct team *team, unsigned worker);

void *team_mailbox(struct team *team, unsigned rank);
char *team_facts(struct team *team, unsigned worker);
void *team_area(struct team *team);
void *team_store(struct team *team);
