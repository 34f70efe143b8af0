#include "fuzz.h"

#include <fcntl.h>
#include <ftw.h>
#include <jansson.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../harness/sanitize.h"

static char folder[64];
static struct ear {
	FILE *out; /* NULL: free */
	char *text;
	size_t bytes;
} ears[4];

void fuzz_promise(bool kept, const char *words)
{
	if (kept)
		return;
	dprintf(STDERR_FILENO, "promise broken: %s\n", words);
	abort();
}

static int remove_one(const char *path, const struct stat *about, int type, struct FTW *ftw)
{
	(void)about, (void)type, (void)ftw;
	return remove(path);
}

static void remove_folder(void)
{
	nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void make_folder(void)
{
	const char *place = getenv("TMPDIR");
	snprintf(folder, sizeof folder, "%.32s/launchgap-fuzz-XXXXXX",
	         place && strlen(place) < 32 ? place : "/tmp");
	fuzz_promise(mkdtemp(folder) && !atexit(remove_folder), "a folder for files");
}

const char *fuzz_file(const char *name, const void *data, size_t bytes)
{
	static char path[PATH_MAX];
	if (!folder[0])
		make_folder();
	if (!name)
		return folder;
	snprintf(path, sizeof path, "%s/%s", folder, name);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	fuzz_promise(fd >= 0 && write(fd, data, bytes) == (ssize_t)bytes, "a file is written");
	close(fd);
	return path;
}

char *fuzz_text(const uint8_t *data, size_t bytes, char **rest)
{
	char *text = malloc(bytes + 1);
	fuzz_promise(text, "memory");
	if (bytes)
		memcpy(text, data, bytes);
	text[bytes] = '\0';
	if (rest)
		*rest = strlen(text) < bytes ? text + strlen(text) + 1 : NULL;
	return text;
}

/* --- JSON, looked at and forgotten: most of the time of a target went into the sanitizer's
 * account of what only the check itself allocates --- */

#define BLOCK_BYTES (16u << 20)

static struct block {
	struct block *before;
	size_t used;
	char bytes[];
} * block;

static void *take(size_t bytes)
{
	bytes = (bytes + 15) / 16 * 16;
	if (!block || bytes > BLOCK_BYTES - block->used) {
		struct block *more =
		    malloc(sizeof *more + (bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES));
		fuzz_promise(more, "memory");
		more->before = block;
		more->used = 0;
		block = more;
	}
	block->used += bytes;
	return block->bytes + block->used - bytes;
}

static void leave(void *taken)
{
	(void)taken;
}

static void forget(void)
{
	struct block *before;
	for (; block && block->before; block = before) {
		before = block->before;
		free(block);
	}
	if (block)
		block->used = 0;
}

/* The result of `json` for the text; only NULL or not NULL is checked. */
static bool holds(json_t *json(const char *text, size_t bytes), const char *text, size_t bytes)
{
	json_malloc_t allocate;
	json_free_t release;
	json_get_alloc_funcs(&allocate, &release);
	json_set_alloc_funcs(take, leave);
	bool is = json(text, bytes) != NULL;
	json_set_alloc_funcs(allocate, release);
	forget();
	return is;
}

static json_t *as_document(const char *text, size_t bytes)
{
	return json_loadb(text, bytes, JSON_REJECT_DUPLICATES, NULL);
}

bool fuzz_is_json(const char *text)
{
	return holds(as_document, text, strlen(text));
}

static struct ear *find_ear(const FILE *out)
{
	struct ear *ear = ears;
	while (ear < ears + sizeof ears / sizeof *ears && ear->out != out)
		ear++;
	fuzz_promise(ear < ears + sizeof ears / sizeof *ears, "as many outputs as are known");
	return ear;
}

FILE *fuzz_listen(void)
{
	struct ear *ear = find_ear(NULL);
	ear->out = open_memstream(&ear->text, &ear->bytes);
	fuzz_promise(ear->out, "memory");
	return ear->out;
}

char *fuzz_said(FILE *out)
{
	struct ear *ear = find_ear(out);
	fuzz_promise(!fclose(out), "memory");
	ear->out = NULL;
	bool plain = holds(json_stringn, ear->text, ear->bytes) && /* NULL: no UTF-8 */
	             strlen(ear->text) == ear->bytes && sanitize_is_clean(ear->text);
	if (!plain)
		free(ear->text);
	return plain ? ear->text : NULL;
}
