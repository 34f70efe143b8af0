#include "record_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "lines.h"

/* As 20261122T195305Z: a run's folder. */
static int is_stamp(const struct dirent *entry)
{
	const char *name = entry->d_name;
	return strlen(name) > 8 && strspn(name, "0123456789") == 8 && name[8] == 'T';
}

struct record_file_hint record_file_latest(const char *dir)
{
	struct record_file_hint hint = {""};
	struct dirent **runs;
	int n = scandir(dir, &runs, is_stamp, alphasort);
	if (n < 0)
		return hint;
	while (n-- > 0) {
		char path[PATH_MAX];
		int length =
		    snprintf(path, sizeof path, "%s/%s/trials.jsonl", dir, runs[n]->d_name);
		if (!hint.text[0] && length < (int)sizeof path && !access(path, R_OK))
			snprintf(hint.text, sizeof hint.text,
			         "; it is a folder of runs (did you mean '%.200s/%.60s'?)", dir,
			         runs[n]->d_name);
		free(runs[n]);
	}
	free(runs);
	return hint;
}

int record_file_find(const char *dir, char file[PATH_MAX], struct status *st)
{
	static const char *const names[] = {"/trials.jsonl", "/trials.jsonl.xz", "/trials.jsonl.gz",
	                                    ""};
	struct stat about;
	const bool folder = !stat(dir, &about) && S_ISDIR(about.st_mode);
	if (strlen(dir) + sizeof "/trials.jsonl.gz" > PATH_MAX)
		return status_set(st, "the path %.60s… is too long", dir);
	for (unsigned i = folder ? 0 : 3; i < (folder ? 3 : 4); i++) {
		snprintf(file, PATH_MAX, "%s%s", dir, names[i]);
		if (stat(file, &about) == 0)
			return 0;
	}
	if (!folder)
		return status_set(st, "%s: %s", dir, strerror(errno));
	return status_set(st, "%s holds no trials.jsonl, trials.jsonl.xz or trials.jsonl.gz%s", dir,
	                  record_file_latest(dir).text);
}

/* All that can be read, as the reader does: packed data that ends too early is no error. */
static int unpack_into(FILE *to, const struct member_place *from)
{
	struct lines *lines;
	const char *line;
	size_t bytes;
	bool last = false, cut;
	int rc = to ? lines_open(from, &lines) : -1;
	if (rc)
		return -1;
	while (!rc && !last && !(rc = lines_next(lines, from, &line, &bytes, &last, &cut)))
		if ((bytes && fwrite(line, bytes, 1, to) != 1) || (!last && putc('\n', to) == EOF))
			rc = -1;
	lines_close(lines);
	return rc ? rc : fflush(to) || fsync(fileno(to));
}

int record_file_unpack(const char *dir, struct status *st)
{
	char packed[PATH_MAX], part[PATH_MAX + 8], file[PATH_MAX];
	if (record_file_find(dir, packed, st))
		return -1;
	const size_t plain = strlen(packed) - 3;
	if (strcmp(packed + plain, ".gz") != 0 && strcmp(packed + plain, ".xz") != 0)
		return 0;
	snprintf(file, sizeof file, "%.*s", (int)plain, packed);
	snprintf(part, sizeof part, "%s.part", file);
	unlink(part);
	struct status why = {""};
	FILE *out = fopen(part, "wxe");
	int failed = unpack_into(out, &(struct member_place){.file = packed, .st = &why});
	if (out)
		failed |= fclose(out);
	if (failed || rename(part, file)) {
		unlink(part);
		return status_set(st, "cannot unpack %s: %s", packed,
		                  why.text[0] ? why.text : strerror(errno));
	}
	unlink(packed);
	return 0;
}

/* --- lines --- */

#define SUM_FORMAT ",\"xxh3\":\"%016" PRIx64 "\"}"
#define SUM_BYTES  27 /* of it */

int record_line_put(FILE *out, const char *object)
{
	size_t bytes = strlen(object) - 1; /* less its brace */
	char sum[SUM_BYTES + 1];
	snprintf(sum, sizeof sum, SUM_FORMAT, (uint64_t)XXH3_64bits(object, bytes));
	return fprintf(out, "%.*s%s\n", (int)bytes, object, sum) < 0 ? EOF : 0;
}

enum record_sum record_line_sum(const char *line, size_t bytes)
{
	char sum[SUM_BYTES + 1];
	if (bytes <= SUM_BYTES || memcmp(line + bytes - SUM_BYTES, SUM_FORMAT, 9) != 0)
		return RECORD_SUM_NONE;
	bytes -= SUM_BYTES;
	snprintf(sum, sizeof sum, SUM_FORMAT, (uint64_t)XXH3_64bits(line, bytes));
	return memcmp(line + bytes, sum, SUM_BYTES) ? RECORD_SUM_WRONG : RECORD_SUM_RIGHT;
}

/* Whether it is a line of the record from its first byte to its last. */
static bool is_whole(const char *line, size_t bytes)
{
	json_t *object = json_loadb(line, bytes, JSON_REJECT_DUPLICATES, NULL);
	bool whole = json_is_object(object) && record_line_sum(line, bytes) != RECORD_SUM_WRONG;
	json_decref(object);
	return whole;
}

/* Read, not mapped: if another program cuts the file, that is an error, no signal. */
int record_file_settle(int fd, off_t *bytes)
{
	const int own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	FILE *in = own < 0 ? NULL : fdopen(own, "r");
	char *line = NULL;
	size_t room = 0;
	ssize_t n;
	off_t end = 0;
	if (!in)
		return -1;
	while ((n = getline(&line, &room, in)) > 0 && line[n - 1] == '\n')
		end += n;
	int rc = n > 0 || feof(in) ? 0 : -1;
	if (n > 0 && is_whole(line, (size_t)n)) {
		rc = pwrite(fd, "\n", 1, end + n) == 1 ? 0 : -1;
		end += n + 1;
	} else if (n > 0) {
		rc = ftruncate(fd, end);
	}
	free(line);
	fclose(in);
	if (!rc)
		*bytes = end;
	return rc;
}
