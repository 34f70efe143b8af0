/* Steps of training: what a step takes, its compute alone, its communication alone, and how
 * much of the communication compute hides, in each variant and at each size. Pure.
 *
 * All three are cells of one trial, so that each block has the three of them close in time. Of
 * a block, exposed communication is step − compute: it may be more than the communication
 * alone, where both take from each other, and less than 0 by noise. Overlap is 1 − exposed ÷
 * communication. Exposed has the signed-rank interval of its blocks, overlap that of a share
 * (stats_share), times the exact interval of a median. */
#ifndef LAUNCHGAP_TRAINING_H
#define LAUNCHGAP_TRAINING_H

#include "summary.h"

struct training_row {
	unsigned variant, group; /* the step's */
	size_t bytes;     /* as asked: of a bucket; of a mixture of experts what a rank sends */
	double tokens;    /* of experts: what that comes to; NaN where it is no whole number */
	double imbalance; /* of experts: what the most wanted rank gets ÷ the mean; else NaN */
	struct stats_interval step_us, compute_us, communication_us, exposed_us, overlap;
	struct stats_ratio speed; /* of the step against the reference's */
	unsigned blocks;
	/* Thread blocks of the step's largest communication kernel, and how many of all SMs
	 * that is if each has its own; NaN where the device's trace does not say. */
	double ctas, sms_share;
};

struct training {
	unsigned n;
	struct training_row
	    *rows;         /* owned: group by group, size by size, in each the variants */
	const char *model; /* its name, or "" */
};

/* The caller frees with training_free; no rows where no step was measured. */
int training_make(const struct summary *summary, struct training *out, struct status *st);
void training_free(struct training *training);
/* Whether a row's overlap is known well enough to be told: its interval is no wider than 1, or
 * there is none, as blocks are too few, and it lies within -1 to 1. */
bool training_tells_overlap(const struct training_row *row);
/* The i-th row's group in a sentence without a point, at the reference's fastest bucket, of
 * experts at the largest size: the variants beside each other. Returns where the next group
 * begins. */
unsigned training_say(const struct training *training, const struct summary *summary,
                      unsigned i, char *text, size_t bytes);
/* What a picture says that shows all groups: what the first ones' and the last one's steps
 * take, each at the size that its sentence is of. */
void training_caption(const struct training *training, const struct summary *summary,
                      char *text, size_t bytes);

#endif
