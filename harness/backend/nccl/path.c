#include "../../record/path.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "path_line.h"

/* What a torn line may hold is kept out of the record: it must be UTF-8. */
static void keep_words(const struct path_line *line, char *out, size_t bytes)
{
	size_t n = line->words_bytes < bytes - 1 ? line->words_bytes : bytes - 1;
	for (size_t i = 0; i < n; i++)
		out[i] = line->words[i] >= ' ' && line->words[i] <= '~' ? line->words[i] : '?';
	out[n] = '\0';
}

/* Room for one more of `size` bytes in a list of n. */
static void *grow(void *list, unsigned n, unsigned *room, size_t size)
{
	unsigned more = *room ? 2 * *room : 64;
	void *grown;
	if (n < *room)
		return list;
	grown = reallocarray(list, more, size);
	if (grown)
		*room = more;
	return grown;
}

static int compare_numbers(unsigned a, unsigned b)
{
	return (a > b) - (a < b);
}

static int compare_links(const void *a, const void *b)
{
	const struct path_link *left = a, *right = b;
	int by = compare_numbers(left->from, right->from);
	if (!by)
		by = compare_numbers(left->to, right->to);
	return by ? by : strcmp(left->via, right->via);
}

static int compare_pairs(const void *a, const void *b)
{
	const struct path_pair *left = a, *right = b;
	int by = compare_numbers(left->rank, right->rank);
	return by ? by : compare_numbers(left->peer, right->peer);
}

/* Where `key` is or belongs in a sorted list; true when it is there. */
static bool find(const void *key, const void *list, unsigned n, size_t size,
                 int (*compare)(const void *, const void *), unsigned *place)
{
	unsigned low = 0, high = n;
	while (low < high) {
		unsigned middle = low + (high - low) / 2;
		int by = compare(key, (const char *)list + middle * size);
		if (!by) {
			*place = middle;
			return true;
		}
		if (by < 0)
			high = middle;
		else
			low = middle + 1;
	}
	*place = low;
	return false;
}

/* What both names begin with, whole words between '/'. One word says too little. */
static void narrow(char *common, const char *via)
{
	size_t end = 0, i = 0;
	for (; common[i] && common[i] == via[i]; i++)
		if (common[i] == '/')
			end = i;
	if ((!common[i] || common[i] == '/') && (!via[i] || via[i] == '/'))
		end = i;
	if (memchr(common, '/', end))
		common[end] = '\0';
	else
		strcpy(common, "mixed");
}

static int add_link(const struct path_line *line, struct path_evidence *e, struct status *st)
{
	struct path_link key = {.from = line->from, .to = line->to}, *links;
	uint64_t bit = UINT64_C(1) << line->channel;
	unsigned at;
	if (key.from == key.to)
		return 0;
	keep_words(line, key.via, sizeof key.via);
	if (!find(&key, e->links, e->nlinks, sizeof key, compare_links, &at)) {
		links = grow(e->links, e->nlinks, &e->room_links, sizeof key);
		if (!links)
			return status_set(st, "out of memory");
		e->links = links;
		memmove(links + at + 1, links + at, (e->nlinks - at) * sizeof key);
		links[at] = key;
		if (e->nlinks++)
			narrow(e->transport, key.via);
		else
			strcpy(e->transport, key.via);
	}
	for (int c = 0; c < 2; c++)
		if (line->connection < 0 || line->connection == c)
			e->links[at].seen[c] |= bit;
	e->links[at].channels =
	    (unsigned)__builtin_popcountll(e->links[at].seen[0] | e->links[at].seen[1]);
	return 0;
}

static int add_opening(const struct path_line *line, struct path_evidence *e, struct status *st)
{
	struct path_pair key = {line->from, line->to}, *pairs;
	unsigned at;
	e->registration[line->reg].done++;
	if (!line->has_peer || find(&key, e->pairs, e->npairs, sizeof key, compare_pairs, &at))
		return 0;
	pairs = grow(e->pairs, e->npairs, &e->room_pairs, sizeof key);
	if (!pairs)
		return status_set(st, "out of memory");
	e->pairs = pairs;
	memmove(pairs + at + 1, pairs + at, (e->npairs - at) * sizeof key);
	pairs[at] = key;
	e->npairs++;
	return 0;
}

static void add_failure(const struct path_line *line, struct path_evidence *e)
{
	if (!e->registration[line->reg].failed++)
		keep_words(line, e->registration[line->reg].reason,
		           sizeof e->registration[line->reg].reason);
}

static int add_version(const struct path_line *line, struct path_evidence *e, struct status *st)
{
	unsigned major = 0, minor = 0, patch = 0;
	char version[sizeof e->version];
	keep_words(line, version, sizeof version);
	if (sscanf(version, "%3u.%2u.%2u", &major, &minor, &patch) != 3)
		return 0;
	if (e->version[0] && strcmp(e->version, version))
		return status_set(st, "the logs are of NCCL %s and of NCCL %s: not of one job",
		                  e->version, version);
	strcpy(e->version, version);
	/* Before 2.9 the code was made otherwise; nothing here knows of versions so old. */
	if (major > 2 || minor >= 9)
		e->version_code = major * 10000 + minor * 100 + patch;
	return 0;
}

static int add_line(const struct path_line *line, struct path_evidence *e, struct status *st)
{
	switch (line->kind) {
	case PATH_LINE_OTHER:
		break;
	case PATH_LINE_UNREAD:
		e->unread++;
		break;
	case PATH_LINE_VERSION:
		return add_version(line, e, st);
	case PATH_LINE_LINK:
		return add_link(line, e, st);
	case PATH_LINE_ASKED:
		e->asked++;
		break;
	case PATH_LINE_OPENED:
		return add_opening(line, e, st);
	case PATH_LINE_FAILED:
		add_failure(line, e);
		break;
	case PATH_LINE_SKIPPED:
		if (!e->skipped++)
			keep_words(line, e->skipped_reason, sizeof e->skipped_reason);
		break;
	case PATH_LINE_COPY_ENGINE:
		e->copy_engine = true;
		break;
	case PATH_LINE_SYMMETRIC:
		e->symmetric = true;
		e->symmetric_lines++;
		if (line->words && memmem(line->words, line->words_bytes, "LL", 2))
			e->symmetric_ll++;
		break;
	}
	return 0;
}

/* registered, and the sentence for it. */
static void sum_registration(struct path_evidence *e)
{
	static const char *const names[PATH_REG_KINDS] = {"IPC", "NET", "NVLS", "COLLNET"};
	char *why = e->registered_why;
	size_t room = sizeof e->registered_why, n = 0;
	e->registered = false;
	why[0] = '\0';
	for (int k = 0; k < PATH_REG_KINDS && n < room; k++) {
		unsigned done = e->registration[k].done, failed = e->registration[k].failed;
		if (done && !failed)
			e->registered = true;
		if (done)
			n += (size_t)snprintf(why + n, room - n, "%s%u by %s", n ? "; " : "",
			                      done, names[k]);
		if (failed && n < room)
			n += (size_t)snprintf(why + n, room - n, "%s%u failed by %s%s%s",
			                      n ? "; " : "", failed, names[k],
			                      e->registration[k].reason[0] ? ": " : "",
			                      e->registration[k].reason);
	}
	if (e->skipped && n < room)
		snprintf(why + n, room - n, "%s%u skipped%s%s", n ? "; " : "", e->skipped,
		         e->skipped_reason[0] ? ": " : "", e->skipped_reason);
	else if (!n && e->asked)
		snprintf(why, room, "%u given to ncclCommRegister, none opened to a peer",
		         e->asked);
	else if (!n)
		snprintf(why, room, "the log shows none");
}

int path_parse(const char *text, size_t bytes, struct path_evidence *inout, struct status *st)
{
	const char *at = text, *end = text + bytes, *newline;
	int rc = 0;
	while (!rc && at < end && (newline = memchr(at, '\n', (size_t)(end - at)))) {
		struct path_line line;
		path_line_read(at, (size_t)(newline - at), &line);
		rc = add_line(&line, inout, st);
		at = newline + 1;
	}
	sum_registration(inout);
	return rc;
}

static int read_file(const char *folder, const char *name, struct path_evidence *inout,
                     struct status *st)
{
	char *file, *line = NULL;
	size_t room = 0;
	ssize_t n;
	int rc = 0;
	if (asprintf(&file, "%s/%s", folder, name) < 0)
		return status_set(st, "out of memory");
	FILE *f = fopen(file, "re");
	if (!f)
		rc = status_set(st, "%s: cannot be opened: %s", file, strerror(errno));
	/* Line by line: NCCL's logs can be large. */
	while (!rc && (n = getline(&line, &room, f)) > 0)
		rc = path_parse(line, (size_t)n, inout, st);
	if (!rc && ferror(f))
		rc = status_set(st, "%s: cannot be read: %s", file, strerror(errno));
	if (f)
		fclose(f);
	free(line);
	free(file);
	return rc;
}

int path_read_files(const char *folder, const char *prefix, struct path_evidence *inout,
                    struct status *st)
{
	struct dirent **entries;
	unsigned files = 0;
	int rc = 0, n = scandir(folder, &entries, NULL, alphasort);
	if (n < 0)
		return status_set(st, "%s: cannot be read: %s", folder, strerror(errno));
	for (int i = 0; i < n; i++) {
		if (!rc && !strncmp(entries[i]->d_name, prefix, strlen(prefix)) &&
		    entries[i]->d_name[0] != '.') {
			rc = read_file(folder, entries[i]->d_name, inout, st);
			files++;
		}
		free(entries[i]);
	}
	free(entries);
	if (!rc && !files)
		return status_set(st, "%s: no file begins with '%s': NCCL wrote no log", folder,
		                  prefix);
	return rc;
}

void path_free(struct path_evidence *evidence)
{
	free(evidence->links);
	free(evidence->pairs);
	*evidence = (struct path_evidence){0};
}
