/* Pictures: plots/run.gp says what the run holds, the files of plot/ draw it from summary.csv.
 */
#ifndef LAUNCHGAP_DRAW_H
#define LAUNCHGAP_DRAW_H

#include "../analysis/findings.h"

#define DRAW_MAX_PICTURES 64

struct draw_result {
	unsigned npictures;
	char pictures[DRAW_MAX_PICTURES][128]; /* file names within plots/, in order */
	char warning[512];                     /* why a picture is missing, or "" */
};

/* Writes plots/run.gp in `dir` and has every file of plot_dir but style.gp drawn by gnuplot,
 * one process each, with no shell between. Pictures of an earlier drawing go. No gnuplot, or
 * one that fails, is a warning; not to be able to write is an error. Blocks until all are
 * drawn. */
int draw_pictures(const struct summary *summary, const struct findings *findings,
                  const char *dir, const char *plot_dir, struct draw_result *out,
                  struct status *st);

#endif
