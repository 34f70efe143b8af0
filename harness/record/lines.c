#include "lines.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "packed.h"

/* JSON takes some 50 bytes of memory per byte of text: a longer line is refused before it is
 * parsed. The most that a plan may ask of a cell (config/plan_cells.c) is shorter. */
#define LINE_MAX_BYTES ((size_t)32 << 20)
#define FILE_MAX_BYTES ((uint64_t)1 << 36) /* unpacked: a small file may hold any number of zeros */

struct lines {
	struct packed *file;
	FILE *in; /* unpacks it */
	char *line;
	size_t room, since; /* since: bytes after the last newline that was unpacked */
	uint64_t all;
	bool cut;
	struct status why; /* the file cannot be read on */
};

/* As a read of fopencookie. */
static ssize_t unpack(void *cookie, char *chunk, size_t bytes)
{
	struct lines *lines = cookie;
	const ssize_t got = packed_read(lines->file, chunk, bytes, &lines->cut, &lines->why);
	if (got < 0)
		return -1;
	const char *newline = memrchr(chunk, '\n', (size_t)got);
	lines->since = newline ? (size_t)(chunk + got - newline) : lines->since + (size_t)got;
	lines->all += (size_t)got;
	if (lines->since > LINE_MAX_BYTES)
		return status_set(&lines->why, "a line of more than %zu MiB is no record",
		                  LINE_MAX_BYTES >> 20);
	if (lines->all > FILE_MAX_BYTES)
		return status_set(&lines->why, "a file of more than %llu GiB is no record",
		                  (unsigned long long)FILE_MAX_BYTES >> 30);
	return got;
}

int lines_open(const struct member_place *at, struct lines **out)
{
	const char *why = "out of memory";
	struct lines *lines = calloc(1, sizeof *lines);
	if (lines && !packed_open(at->file, &lines->file, &why))
		lines->in = fopencookie(lines, "r", (cookie_io_functions_t){.read = unpack});
	if (lines && lines->in) {
		*out = lines;
		return 0;
	}
	lines_close(lines);
	return member_bad(at, "cannot open: %s", why);
}

void lines_close(struct lines *lines)
{
	if (!lines)
		return;
	if (lines->in)
		fclose(lines->in);
	packed_close(lines->file);
	free(lines->line);
	free(lines);
}

int lines_next(struct lines *lines, const struct member_place *at, const char **text, size_t *bytes,
               bool *last, bool *cut)
{
	errno = 0;
	const ssize_t n = getline(&lines->line, &lines->room, lines->in);
	if (lines->why.text[0])
		return member_bad(at, "%s", lines->why.text);
	if (n < 0 && !feof(lines->in))
		return member_bad(at, "out of memory for a line");
	const bool whole = n > 0 && lines->line[n - 1] == '\n';
	*text = lines->line;
	*bytes = n > 0 ? (size_t)(n - whole) : 0;
	*last = !whole;
	*cut = lines->cut;
	return 0;
}
