/* What the files of the summary share with each other and with nobody else. */
#ifndef LAUNCHGAP_SUMMARY_PARTS_H
#define LAUNCHGAP_SUMMARY_PARTS_H

#include "summary.h"

/* The row that a record's cell belongs to, added when it is new. */
struct summary_row *summary_row_of(struct summary *s, const struct record_cell *c);
/* One trial's numbers. -1: out of memory. */
int summary_trial_of(const struct record_cell *c, struct summary_trial *out);
/* Fills the rows' ranks. */
int summary_rank_rows(struct summary *s, struct status *st);

/* Whether every variant computed the same and the right thing; else s->trouble says what not.
 */
void summary_check(struct summary *s);
/* Fills groups, and each row's group. */
int summary_group_rows(struct summary *s, struct status *st);
/* Fills the rows' ratios and the groups' gaps. */
int summary_compare(struct summary *s, double confidence, struct status *st);

#endif
