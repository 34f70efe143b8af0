/* When a run with `blocks = auto` has enough blocks. It looks at the widths of intervals only, never at
 * their positions (verdict.h): those of the run's aim and of the A/A line of its regime, else those of
 * every variant against the reference in each regime. */
#ifndef LAUNCHGAP_STOP_H
#define LAUNCHGAP_STOP_H

#include <stdbool.h>
#include <stdint.h>

#include "../analysis/contrast.h"
#include "../analysis/regime.h"
#include "../status.h"

/* Failures in a row after which a variant is not tried again, and none waits for it. `failed` has those of
 * each variant of the record. */
#define GIVE_UP 2

/* What a run is about: its primary claim, else its gap. */
struct aim {
	char name[TRIAL_NAME_BYTES + 8]; /* "claim x", "the gap" */
	struct contrast contrast; /* without a cell: none is named, or it can never be made */
	enum regime_kind regime;  /* its A/A line says whether the contrast can be seen */
};

bool aim_is(const struct aim *aim);
/* What needs a variant that is given up is no aim. In the summary's arena. -1: claims are damaged. */
int aim_take(const struct summary *summary, const unsigned *failed, struct aim *out,
             struct status *st);

struct stop_state {
	const char *folder; /* the run's */
	const unsigned *failed;
	double precision;
	unsigned budget_s;
	unsigned blocks;   /* whole blocks in the folder */
	unsigned measured; /* of them in this session, in elapsed_ns */
	int64_t elapsed_ns;
	bool quiet; /* says nothing */
};

/* If the run ends here, `end` has its reason and a sentence; else it is unchanged. After a look that
 * does not end the run it prints what it saw. */
int stop_consider(const struct stop_state *state, struct record_end *end, struct status *st);

/* The widest of the intervals that have to be narrow. */
struct stop_width {
	unsigned compared; /* intervals that are needed; 0: nothing can be compared */
	unsigned blocks;   /* the fewest of one of them */
	double half;       /* relative: 0.01 is ±1 %; NaN while one is missing */
	char of[256];      /* the contrast: "large: processes against threads" */
};

/* Its memory is the summary's arena. -1: the record's
 * claims are damaged. */
int stop_widest(const struct summary *summary, const unsigned *failed, struct stop_width *out,
                struct status *st);
bool stop_is_precise(const struct stop_width *width, double precision);

/* Whether one more block would likely exceed the budget, by the mean time of the `measured` blocks
 * that took elapsed_ns. Never before enough blocks for an interval. */
bool stop_over_budget(unsigned blocks, unsigned measured, int64_t elapsed_ns, int64_t budget_ns);

#endif
