/* The folder of a run: results/<experiment>/<UTC stamp>/, and the scratch folder of its jobs. */
#pragma once

#include <sys/types.h>

#include "../status.h"

/* A lock that ends with its process, in a file that names its holder. */
struct lock {
	bool held;
	int fd;
	char file[PATH_MAX];
};

struct folder {
	char path[PATH_MAX];
	char scratch[64]; /* on tmpfs if there is one; short, as paths of sockets must be */
	FILE *trials;     /* lines for the record; folder_commit appends them */
	char *lines;      /* what was written there */
	size_t lines_bytes;
	int record;        /* trials.jsonl, for appending; open while `trials` is */
	off_t kept;        /* bytes of it that are whole trials */
	struct lock lock;  /* of the run's folder */
	struct lock owner; /* of the scratch folder */
};

/* Locks the folder of a run that is to be resumed, before it is read. */
int folder_hold(const char *resume, struct folder *folder, struct status *st);
/* Makes root/experiment/<stamp>, or takes the folder that is held. */
int folder_open(const char *root, const char *experiment, size_t scratch_bytes,
                struct folder *folder, struct status *st);
/* For a line or two, and then folder_close: nothing else writes there meanwhile. */
int folder_reopen(const char *dir, struct folder *folder, struct status *st);
/* A scratch folder alone, where so many bytes are free; says so if that is not tmpfs. Removes those
 * that killed processes of this user have left. */
int folder_open_scratch(struct folder *folder, size_t bytes, struct status *st);
int folder_append(struct folder *folder, const char *file, struct status *st);
/* Appends what was written to folder->trials to the record, and waits for the disk; after a failure
 * it cuts the record back to whole trials. A record that another program changed is an error. */
int folder_commit(struct folder *folder, struct status *st);
int folder_set_latest(const struct folder *folder, struct status *st);
/* Removes the scratch folder too. */
void folder_close(struct folder *folder);
