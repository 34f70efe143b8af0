/* Pictures: plots/run.gp says what the run holds, the files of plot/ draw it as PNG and SVG. */
#ifndef LAUNCHGAP_DRAW_H
#define LAUNCHGAP_DRAW_H

#include "../status.h"

struct model;

/* Fills model->drawn. Writes plots/run.gp in `dir` and lets gnuplot draw every file of plot_dir
 * except those named "style…", in one process each, without a shell. Pictures of an earlier drawing
 * are removed. No gnuplot, or one that fails, is a warning; a failed write is an error. Blocks
 * until all are drawn. */
int draw_pictures(struct model *model, const char *dir, const char *plot_dir, struct status *st);

#endif
