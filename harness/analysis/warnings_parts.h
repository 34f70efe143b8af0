/* What the files of the warnings share with each other and with nobody else. */
#ifndef LAUNCHGAP_WARNINGS_PARTS_H
#define LAUNCHGAP_WARNINGS_PARTS_H

#include "warnings.h"

/* "alltoall, stream". */
struct warnings_name {
	char text[160];
};
struct warnings_name warnings_group(const struct summary *summary, unsigned group);
/* "threads, alltoall 4 KiB, stream". */
struct warnings_name warnings_row(const struct summary *summary, const struct summary_row *row);

/* Variants whose data took another path than the one they expect. */
void warnings_of_paths(const struct summary *summary, struct warnings *out);
/* Trials far off, a slow beginning, drift. */
void warnings_of_trials(const struct summary *summary, struct warnings *out);
/* Within a row: warm-up that was not finished, and a clock too coarse. */
void warnings_of_rows(const struct summary *summary, struct warnings *out);
/* What else the machine did: faults, switches, load, clocks that were held down. */
void warnings_of_machine(const struct summary *summary, struct warnings *out);

#endif
