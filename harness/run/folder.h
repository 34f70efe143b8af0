/* The folder of a run: results/<experiment>/<UTC stamp>/, and the scratch folder of its jobs.
 */
#ifndef LAUNCHGAP_FOLDER_H
#define LAUNCHGAP_FOLDER_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

#include "../status.h"

struct folder {
	char path[PATH_MAX];
	char
	    scratch[64]; /* short, for the sake of sockets in it; on tmpfs where there is one */
	FILE *trials;    /* trials.jsonl, for appending */
	long kept;       /* bytes of it that are whole trials */
};

/* Makes root/experiment/<stamp> (or, with `resume`, opens that folder) and its trials.jsonl. */
int folder_open(const char *root, const char *experiment, const char *resume,
                struct folder *out, struct status *st);
/* A scratch folder alone, for jobs whose lines nobody keeps. */
int folder_open_scratch(struct folder *folder, struct status *st);
/* Appends a job's lines and flushes; a failure (a full disk) cuts the file back to whole
 * trials. */
int folder_append(struct folder *folder, const char *file, struct status *st);
/* After writing to folder->trials directly: flushes, or cuts back likewise. */
int folder_commit(struct folder *folder, struct status *st);
/* Points root/experiment/latest here. */
int folder_set_latest(const struct folder *folder, struct status *st);
/* Closes, and removes the scratch folder with all that jobs left in it. */
void folder_close(struct folder *folder);

#endif
