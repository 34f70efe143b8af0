/* The checksum that each line of the record ends with: ,"xxh3":"<16 hexadecimal digits>"} with
 * XXH3_64bits of all bytes before that comma. Older records have none. */
#ifndef LAUNCHGAP_RECORD_LINE_H
#define LAUNCHGAP_RECORD_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Writes a JSON object as a line. 0, or EOF as fputs. */
int record_line_put(FILE *out, const char *object);

enum record_sum { RECORD_SUM_NONE, RECORD_SUM_RIGHT, RECORD_SUM_WRONG };
/* Of a line without its newline. */
enum record_sum record_line_sum(const char *line, size_t bytes);
/* Whether it is a line of the record from its first byte to its last. */
bool record_line_whole(const char *line, size_t bytes);

#endif
