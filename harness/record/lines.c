#include "lines.h"

#include <errno.h>
#include <lzma.h>
#include <unistd.h>
#include <zlib.h>

#include "../sanitize.h"

/* JSON takes some 50 bytes of memory per byte of text: a longer line is refused before it is
 * parsed. The most that a plan may ask of a cell (config/plan_cells.c) is shorter. */
#define LINE_MAX_BYTES ((size_t)32 << 20)
#define FILE_MAX_BYTES ((uint64_t)1 << 36) /* unpacked: a small file may hold any number of zeros */

#define XZ_MEMORY ((uint64_t)256 << 20) /* a file that wants more to be unpacked is refused */

struct lines {
	gzFile gzip; /* reads what is not packed, too; NULL: it is xz's */
	int fd;      /* of xz */
	lzma_stream xz;
	uint8_t packed[1 << 16];
	bool ended; /* xz's data */
	bool cut;
	FILE *in; /* unpacks it */
	char *line;
	size_t room, since; /* since: bytes after the last newline that was unpacked */
	uint64_t all;
	struct status why; /* the file cannot be read on */
};

static bool is_xz(int fd)
{
	static const char magic[] = {'\xfd', '7', 'z', 'X', 'Z', 0};
	char first[sizeof magic];
	return pread(fd, first, sizeof first, 0) == sizeof first &&
	       !memcmp(first, magic, sizeof magic);
}

static ssize_t gzip_read(struct lines *lines, void *chunk, size_t bytes)
{
	int code;
	const int got = gzread(lines->gzip, chunk, (unsigned)bytes);
	const char *why = gzerror(lines->gzip, &code);
	/* Z_BUF_ERROR: all existing data was read, but the end of the compressed data is
	 * missing. */
	lines->cut |= code == Z_BUF_ERROR;
	if (got < 0 && code != Z_BUF_ERROR)
		return status_set(&lines->why, "cannot read: %s",
		                  code == Z_ERRNO ? strerror(errno) : why);
	return got > 0 ? got : 0;
}

static ssize_t xz_read(struct lines *lines, void *chunk, size_t bytes)
{
	lzma_stream *xz = &lines->xz;
	xz->next_out = chunk;
	xz->avail_out = bytes;
	while (xz->avail_out && !lines->ended) {
		if (!xz->avail_in) {
			const ssize_t got = read(lines->fd, lines->packed, sizeof lines->packed);
			if (got < 0)
				return status_set(&lines->why, "cannot read: %s", strerror(errno));
			xz->next_in = lines->packed;
			xz->avail_in = (size_t)got;
		}
		const lzma_ret ret = lzma_code(xz, xz->avail_in ? LZMA_RUN : LZMA_FINISH);
		lines->cut |= ret == LZMA_BUF_ERROR;
		lines->ended = ret == LZMA_STREAM_END || ret == LZMA_BUF_ERROR;
		if (ret != LZMA_OK && !lines->ended)
			return status_set(&lines->why, "cannot read: what xz packed %s",
			                  ret == LZMA_MEMLIMIT_ERROR ? "takes too much memory"
			                                             : "is damaged");
	}
	return (ssize_t)(bytes - xz->avail_out);
}

/* As a read of fopencookie. */
static ssize_t unpack(void *cookie, char *chunk, size_t bytes)
{
	struct lines *lines = cookie;
	const ssize_t got = (lines->gzip ? gzip_read : xz_read)(lines, chunk, bytes);
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
	if (lines && (lines->fd = sanitize_open(at->file, 0, &why)) >= 0 &&
	    (is_xz(lines->fd)
	         ? lzma_stream_decoder(&lines->xz, XZ_MEMORY, LZMA_CONCATENATED) == LZMA_OK
	         : (lines->gzip = gzdopen(lines->fd, "rb")) != NULL))
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
	lzma_end(&lines->xz);
	if (lines->gzip)
		gzclose(lines->gzip);
	else if (lines->fd >= 0)
		close(lines->fd);
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
