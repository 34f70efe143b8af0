/* The folder of a run: results/<experiment>/<UTC stamp>/, and the scratch folder of its jobs.
 */
#ifndef LAUNCHGAP_FOLDER_H
#define LAUNCHGAP_FOLDER_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "../status.h"
#include "lock.h"

struct folder {
	char path[PATH_MAX];
	char
	    scratch[64]; /* short, for the sake of sockets in it; on tmpfs where there is one */
	FILE *trials;    /* lines for the record, which folder_commit takes into it */
	char *lines;     /* what was written there */
	size_t lines_bytes;
	int record;        /* trials.jsonl, for appending; open while `trials` is */
	off_t kept;        /* bytes of it that are whole trials */
	struct lock lock;  /* of the run's folder */
	struct lock owner; /* of the scratch folder */
};

/* Before a run that is there is read to go on with it: its folder by its own name, which no
 * other launchgap writes into from here on. */
int folder_hold(const char *resume, struct folder *folder, struct status *st);
/* Makes root/experiment/<stamp> (or takes the folder that is held) and opens its trials.jsonl.
 * scratch_bytes as below. */
int folder_open(const char *root, const char *experiment, size_t scratch_bytes,
                struct folder *folder, struct status *st);
/* A scratch folder alone, for jobs whose lines nobody keeps, where so many bytes are free;
 * where it is not on tmpfs for want of room, it says so. Those of this user whose process was
 * killed are removed. */
int folder_open_scratch(struct folder *folder, size_t bytes, struct status *st);
/* Takes a job's lines into the record, as folder_commit does. */
int folder_append(struct folder *folder, const char *file, struct status *st);
/* After writing to folder->trials: appends it to the record, a write() per line, and waits for
 * the disk. A failure (a full disk) cuts the record back to whole trials. A record that
 * somebody removed, cut or wrote into is left as it is, and is an error. */
int folder_commit(struct folder *folder, struct status *st);
/* Points root/experiment/latest here. */
int folder_set_latest(const struct folder *folder, struct status *st);
/* Closes, and removes the scratch folder with all that jobs left in it. */
void folder_close(struct folder *folder);

#endif
