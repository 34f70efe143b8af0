/* Compares two runs, A first: before and after a change, on two machines, or nccl-tests' figures
 * with ours.
 *
 * A side is a run's folder (or its trials.jsonl, packed or not), or JSON of nccl-tests (`-J
 * file.json`) or its text: one file, a list of files with commas, or a folder of JSON; a file
 * counts as one trial. Cells are matched by variant, collective, bytes, dtype, op, root, in_place
 * and pace. A verdict uses one number per trial, the geometric mean of its times over the sizes
 * that both sides have; trials of two runs are not paired (unpaired.h).
 *
 * Three or more are no sides but repetitions of one experiment, and are combined. */
#pragma once

#include "../config/options.h"

#define COMPARE_MARGIN 0.02 /* without --threshold */
#define COMPARE_MOST   26   /* letters name them */

/* On stdout: for people in 80 columns, one JSON object, a page of Markdown. */
enum compare_form { COMPARE_TEXT, COMPARE_JSON, COMPARE_MARKDOWN };

/* What main returns. */
enum compare_code {
	COMPARE_NOT_WORSE, /* equal, better, or undecided, which the output names */
	COMPARE_WORSE,     /* B is slower than A by more than the margin somewhere */
	COMPARE_NOT_DONE,  /* not comparable or not readable; the status says why */
	COMPARE_MOVED /* undecided, because the machine's limit moved by more than the margin */
};

struct compare_request {
	const char *paths[COMPARE_MOST];
	unsigned npaths;
	bool combine;           /* they are records of one experiment, to be combined (combine.h) */
	double margin;          /* 0.02: 2 % */
	enum compare_form form; /* JSON: schema in results/README.md */
	const char *summary;    /* a file that gets a short page appended, or NULL; borrowed */
	const char *variant;    /* the variant's name for nccl-tests' files; NULL: their layout,
	                             single, threads or processes */
	const char *junit, *html; /* files, or NULL; borrowed */
	FILE *out;                /* NULL: stdout */
};

extern const struct fields compare_options;
/* From `launchgap compare A B [C …] [--combine] [--threshold 2%] [--variant NAME] [--format json]`;
 * texts are borrowed from argv. 0, or -1 with the sentence. */
int compare_parse(int argc, char *argv[], struct compare_request *out, struct status *st);

/* Reads, matches, prints. A compare_code; the status is set only with COMPARE_NOT_DONE. */
int compare_run(const struct compare_request *request, struct status *st);
