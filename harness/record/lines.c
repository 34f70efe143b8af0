#include "lines.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "../sanitize.h"

#define CHUNK_BYTES 65536
/* JSON takes some 50 bytes of memory per byte of text: a longer line is refused before it is
 * parsed. The most that a plan may ask of a cell (config/plan_cells.c) is shorter. */
#define LINE_MAX_BYTES ((size_t)32 << 20)
#define FILE_MAX_BYTES ((uint64_t)1 << 36) /* unpacked: a small file may hold any number of zeros */

struct lines {
	gzFile file;
	char chunk[CHUNK_BYTES];
	size_t chunk_bytes, chunk_at;
	char *line;
	size_t bytes, room;
	uint64_t all;
	bool cut;
};

int lines_open(const struct member_place *at, struct lines **out)
{
	struct lines *lines = calloc(1, sizeof *lines);
	if (!lines)
		return member_bad(at, "out of memory for reading");
	const char *why = "out of memory";
	int fd = sanitize_open(at->file, 0, &why);
	lines->file = fd >= 0 ? gzdopen(fd, "rb") : NULL;
	if (!lines->file) {
		if (fd >= 0)
			close(fd);
		free(lines);
		return member_bad(at, "cannot open: %s", why);
	}
	*out = lines;
	return 0;
}

void lines_close(struct lines *lines)
{
	if (!lines)
		return;
	gzclose(lines->file);
	free(lines->line);
	free(lines);
}

static int fill(struct lines *lines, const struct member_place *at)
{
	int code, got = gzread(lines->file, lines->chunk, sizeof lines->chunk);
	const char *why = gzerror(lines->file, &code);
	/* Z_BUF_ERROR: all existing data was read, but the end of the compressed data is
	 * missing. */
	lines->cut = lines->cut || code == Z_BUF_ERROR;
	if (got < 0 && code != Z_BUF_ERROR)
		return member_bad(at, "cannot read: %s", code == Z_ERRNO ? strerror(errno) : why);
	lines->chunk_bytes = got > 0 ? (size_t)got : 0;
	lines->chunk_at = 0;
	lines->all += lines->chunk_bytes;
	if (lines->all > FILE_MAX_BYTES)
		return member_bad(at, "a file of more than %llu GiB is no record",
		                  (unsigned long long)FILE_MAX_BYTES >> 30);
	return 0;
}

static int keep(struct lines *lines, const char *text, size_t bytes, const struct member_place *at)
{
	size_t need = lines->bytes + bytes;
	if (need > LINE_MAX_BYTES)
		return member_bad(at, "a line of more than %zu MiB is no record",
		                  LINE_MAX_BYTES >> 20);
	if (need > lines->room || !lines->line) {
		size_t room = 2 * lines->room > need ? 2 * lines->room : need + 1;
		char *more = realloc(lines->line, room);
		if (!more)
			return member_bad(at, "out of memory for a line");
		lines->line = more;
		lines->room = room;
	}
	memcpy(lines->line + lines->bytes, text, bytes);
	lines->bytes = need;
	return 0;
}

int lines_next(struct lines *lines, const struct member_place *at, const char **text, size_t *bytes,
               bool *last, bool *cut)
{
	bool ended = false;
	const char *newline = NULL;
	lines->bytes = 0;
	while (!newline && !ended) {
		if (lines->chunk_at == lines->chunk_bytes && fill(lines, at))
			return -1;
		const char *from = lines->chunk + lines->chunk_at;
		size_t left = lines->chunk_bytes - lines->chunk_at;
		newline = memchr(from, '\n', left);
		size_t part = newline ? (size_t)(newline - from) : left;
		if (keep(lines, from, part, at))
			return -1;
		lines->chunk_at += part + (newline ? 1 : 0);
		ended = left == 0;
	}
	*text = lines->line;
	*bytes = lines->bytes;
	*last = ended;
	*cut = lines->cut;
	return 0;
}
