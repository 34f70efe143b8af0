/* Pictures: plots/run.gp says what the run holds, the files of plot/ draw it as PNG and SVG. */
#ifndef LAUNCHGAP_DRAW_H
#define LAUNCHGAP_DRAW_H

#include "../analysis/findings.h"

#define DRAW_MAX_PICTURES 64

struct draw_picture {
	char name[128];    /* of its files within plots/, without .png and .svg */
	char title[256];   /* what is plotted */
	char caption[512]; /* what it shows, in a sentence without a point; or "" */
};

struct draw_result {
	unsigned npictures;
	struct draw_picture pictures[DRAW_MAX_PICTURES]; /* by name */
	int answer; /* the picture that shows the experiment's finding: the waterfall where
	               there is a gap to explain, else versions, else ratios; -1: there are none
	             */
	char warning[512]; /* why a picture is missing, or "" */
};

/* Writes plots/run.gp in `dir` and has every file of plot_dir drawn by gnuplot, but those whose
 * names begin with "style", one process each, with no shell between. Pictures of an earlier
 * drawing go. No gnuplot, or one that fails, is a warning; not to be able to write is an error.
 * Blocks until all are drawn. */
int draw_pictures(const struct summary *summary, const struct findings *findings,
                  const char *dir, const char *plot_dir, struct draw_result *out,
                  struct status *st);

#endif
