#include "packed.h"

#include <errno.h>
#include <lzma.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "../sanitize.h"

#define XZ_MEMORY ((uint64_t)256 << 20) /* a file that wants more to be unpacked is refused */

struct packed {
	gzFile gzip; /* reads what is not packed, too */
	int fd;      /* of xz, from here on */
	bool ended;
	lzma_stream xz;
	uint8_t in[1 << 16];
};

static bool is_xz(int fd)
{
	static const char magic[] = {'\xfd', '7', 'z', 'X', 'Z', 0};
	char first[sizeof magic];
	return pread(fd, first, sizeof first, 0) == sizeof first &&
	       !memcmp(first, magic, sizeof magic);
}

int packed_open(const char *file, struct packed **out, const char **why)
{
	*why = "out of memory";
	struct packed *packed = calloc(1, sizeof *packed);
	const int fd = packed ? sanitize_open(file, 0, why) : -1;
	bool opened = false;
	if (fd >= 0 && is_xz(fd))
		opened = lzma_stream_decoder(&packed->xz, XZ_MEMORY, LZMA_CONCATENATED) == LZMA_OK;
	else if (fd >= 0)
		opened = (packed->gzip = gzdopen(fd, "rb"));
	if (opened) {
		packed->fd = fd;
		*out = packed;
		return 0;
	}
	if (fd >= 0)
		close(fd);
	free(packed);
	return -1;
}

static ssize_t gzip_read(struct packed *packed, void *chunk, size_t bytes, bool *cut,
                         struct status *st)
{
	int code;
	const int got = gzread(packed->gzip, chunk, (unsigned)bytes);
	const char *why = gzerror(packed->gzip, &code);
	/* Z_BUF_ERROR: all existing data was read, but the end of the compressed data is
	 * missing. */
	*cut = *cut || code == Z_BUF_ERROR;
	if (got < 0 && code != Z_BUF_ERROR)
		return status_set(st, "cannot read: %s", code == Z_ERRNO ? strerror(errno) : why);
	return got > 0 ? got : 0;
}

static ssize_t xz_read(struct packed *packed, void *chunk, size_t bytes, bool *cut,
                       struct status *st)
{
	lzma_stream *xz = &packed->xz;
	xz->next_out = chunk;
	xz->avail_out = bytes;
	while (xz->avail_out && !packed->ended) {
		if (!xz->avail_in) {
			const ssize_t got = read(packed->fd, packed->in, sizeof packed->in);
			if (got < 0)
				return status_set(st, "cannot read: %s", strerror(errno));
			xz->next_in = packed->in;
			xz->avail_in = (size_t)got;
		}
		const lzma_ret ret = lzma_code(xz, xz->avail_in ? LZMA_RUN : LZMA_FINISH);
		*cut = *cut || ret == LZMA_BUF_ERROR;
		packed->ended = ret == LZMA_STREAM_END || ret == LZMA_BUF_ERROR;
		if (ret != LZMA_OK && !packed->ended)
			return status_set(st, "cannot read: what xz packed %s",
			                  ret == LZMA_MEMLIMIT_ERROR ? "takes too much memory"
			                                             : "is damaged");
	}
	return (ssize_t)(bytes - xz->avail_out);
}

ssize_t packed_read(struct packed *packed, void *chunk, size_t bytes, bool *cut, struct status *st)
{
	return (packed->gzip ? gzip_read : xz_read)(packed, chunk, bytes, cut, st);
}

void packed_close(struct packed *packed)
{
	if (!packed)
		return;
	lzma_end(&packed->xz);
	if (packed->gzip)
		gzclose(packed->gzip);
	else
		close(packed->fd);
	free(packed);
}
