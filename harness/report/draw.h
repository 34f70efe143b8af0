/* Pictures: plots/run.gp says what the run holds, the files of plot/ draw it as PNG and SVG. */
#ifndef LAUNCHGAP_DRAW_H
#define LAUNCHGAP_DRAW_H

#include "../status.h"

struct model;

/* Fills model->drawn. Writes plots/run.gp in `dir` and has every file of plot_dir drawn by gnuplot,
 * but those whose names begin with "style", one process each, with no shell between. Pictures of an
 * earlier drawing go. No gnuplot, or one that fails, is a warning; a failed write is an error.
 * Blocks until all are drawn. */
int draw_pictures(struct model *model, const char *dir, const char *plot_dir, struct status *st);

#endif
