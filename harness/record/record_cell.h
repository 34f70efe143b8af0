/* A cell's line, written and read by the same lists of fields. */
#pragma once

#include "../core/traits.h"
#include "../core/sample.h"
#include "../exchange/hosts_link.h"
#include "stall.h"

struct member_place;
struct team;

/* How a host's clock ran against the first one's, and how well it met (exchange/hosts_link.h). */
struct record_host {
	struct hosts_link_clock clock;
	struct hosts_link_meets meets;
};

/* Beyond this, a record counts as damaged. */
#define RECORD_MAX_RANKS   4096
#define RECORD_MAX_BLOCKS  100000 /* a hundred sessions of the longest runs */
#define RECORD_MAX_RESUMES 10000

/* Whether a stamp is plausible: 18 years around 0, so that some of them can be added up. */
#define RECORD_MOST_NS (INT64_MAX / 16)
static inline bool record_stamp_fits(int64_t ns)
{
	return ns >= -RECORD_MOST_NS && ns <= RECORD_MOST_NS;
}

struct record_cell {
	char variant[TRIAL_NAME_BYTES];
	unsigned block, order;
	unsigned line;     /* of the file */
	int64_t written_s; /* when its trial ended, since 1970; 0 in older records */
	unsigned nranks;
	struct cell cell;
	unsigned rows, calls;
	struct sample *samples; /* rank r's rows at [r * rows], relative to the cell's start,
	                         * without those that stalled; NULL on error */
	struct stall stall;
	uint64_t stamps_sum; /* of its stamps and the time when it began; 0: too few of them to tell
	                      * a copy from an accident */
	bool device_clock;   /* samples hold the device's stamps too, which may be before 0 by the
	                    * remaining offset of the clocks */
	uint64_t wrong, faults, switches;
	bool carries_data;
	int64_t *check_ns;    /* time to check the results of the timed calls, a worker's at its
	                       * first rank; NULL in older records */
	int64_t *off_core_ns; /* how long a worker did not run in its rows, at its first rank;
	                         NULL in older records */
	/* Of a cell of pass counters, one per rank; NULL if the line has none. */
	struct counters *counters;
	/* Of the first cell of a trial on several hosts, in their order; NULL of others. Each has
	 * as many of the ranks. */
	struct record_host *hosts;
	unsigned nhosts;
	int64_t *issue_cpu_ns; /* CPU time of issuing the rows, a worker's at its first rank */
	struct spent spent;    /* by the first rank's worker; from_ns 0 in older records */
	char error[512];       /* "" when measured */
	const struct backend_traits *traits; /* of its variant's backend; the run's */
	json_t *json;                        /* the whole line, less its stamps */
};

/* Adds all of a cell to the line that names its trial, from the team's area. A cell that was not
 * measured has the reason, `failure` (NULL: unknown), in place of stamps. between: of several
 * hosts, or NULL. False: out of memory. */
bool record_cell_put(json_t *line, const struct trial *trial, const char *failure, void *area,
                     const struct hosts_link *link, unsigned cell);
/* Fills the cell from its line, which loses its stamps. */
int record_cell_take(const struct member_place *at, json_t *line, struct record_cell *cell);

/* The hosts of a job on several; NULL: out of memory. */
json_t *record_hosts_json(const struct team *team);

/* Text from elsewhere (a library's error, a driver's name) may hold any bytes; JSON only UTF-8:
 * others become '?'. */
json_t *record_text(const char *text, size_t bytes);
