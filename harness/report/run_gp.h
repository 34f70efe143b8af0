/* plots/run.gp: what a run holds, as gnuplot's assignments. Comments in it say
 * what its names are; no path stands in it, so that it may be moved. */
#ifndef LAUNCHGAP_RUN_GP_H
#define LAUNCHGAP_RUN_GP_H

#include "../analysis/findings.h"

/* Whether there is anything to draw. */
bool run_gp_drawable(const struct summary *summary);
int run_gp_write(const struct summary *summary, const struct findings *findings,
                 const char *file, struct status *st);
/* Its part about versions of the library. */
void run_gp_versions(FILE *out, const struct versions *versions);
/* Beyond so many collectives (each with its datatype, operation and so on) there is none of
 * some pictures: who looks at so many? */
#define RUN_GP_DETAIL 4u  /* launch, ranks, ecdf, timeline */
#define RUN_GP_EACH   15u /* any picture of one collective alone */
/* How many the run holds, the limit's own not counted. */
unsigned run_gp_collectives(const struct summary *summary);
/* Its part about the waterfall. */
void run_gp_waterfall(FILE *out, const struct summary *summary,
                      const struct waterfall *waterfall);

/* Its part about the picture of all factors. */
void run_gp_factors(FILE *out, const struct findings *findings);

/* What grey says in a picture of effects, as <picture>_grey; `intervals`: there are any. */
void run_gp_grey(FILE *out, const char *picture, double margin, bool intervals);

/* text as a string of gnuplot, quoted; control characters become blanks. Cut to fit. */
void run_gp_quote(const char *text, char *out, size_t bytes);

/* The machine in a line: "8 × NVIDIA H200, Intel Xeon …, 128 cores". */
void run_gp_machine(const struct summary *summary, char *text, size_t bytes);

#endif
