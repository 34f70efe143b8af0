/* The record's file: where it is, and how it is prepared for appending. */
#pragma once

#include <sys/types.h>

#include "../status.h"

struct record_file_hint {
	char text[320];
};
/* For a folder without a record, the end of a sentence: that its last run is meant, if it has one;
 * else "". */
struct record_file_hint record_file_latest(const char *dir);
/* trials.jsonl or else trials.jsonl.xz or .gz in `dir`, or the file that `dir` is. */
int record_file_find(const char *dir, char file[PATH_MAX], struct status *st);
/* Makes trials.jsonl in a folder that has it only packed, and removes that after the other is on
 * the disk. */
int record_file_unpack(const char *dir, struct status *st);
/* Repairs what a stopped run left after the last newline: a whole line gets its newline, a torn one
 * is cut off. *bytes: the file's length from then on. errno says what failed. */
int record_file_settle(int fd, off_t *bytes);

/* --- a line of it, which ends with a checksum: ,"xxh3":"<16 hexadecimal digits>"} with XXH3_64bits
 * of all bytes before that comma. Older records have none. --- */

/* Writes a JSON object as a line. 0, or EOF as fputs. */
int record_line_put(FILE *out, const char *object);

enum record_sum { RECORD_SUM_NONE, RECORD_SUM_RIGHT, RECORD_SUM_WRONG };
/* Of a line without its newline. */
enum record_sum record_line_sum(const char *line, size_t bytes);
