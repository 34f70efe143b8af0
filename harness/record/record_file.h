/* The record's file: where it lies, and how it is made ready to be written on. */
#ifndef LAUNCHGAP_RECORD_FILE_H
#define LAUNCHGAP_RECORD_FILE_H

#include <limits.h>
#include <sys/types.h>

#include "../status.h"

struct record_file_hint {
	char text[320];
};
/* Of a folder without a record, as an end of a sentence: that its last run is meant, where it has
 * one; else "". */
struct record_file_hint record_file_latest(const char *dir);
/* trials.jsonl or else trials.jsonl.gz in `dir`, or the file that `dir` is. */
int record_file_find(const char *dir, char file[PATH_MAX], struct status *st);
/* Makes trials.jsonl of a folder that has trials.jsonl.gz alone, and removes that once the
 * other is on the disk. */
int record_file_unpack(const char *dir, struct status *st);
/* What a run that was stopped left behind the last newline: a whole line gets its newline, a
 * torn one is cut off. *bytes: the file's length from then on. errno says what failed. */
int record_file_settle(int fd, off_t *bytes);

#endif
