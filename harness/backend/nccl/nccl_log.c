#include "nccl_log.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Keeps the bytes of torn lines out of the record, which must be UTF-8. */
static void keep_words(const struct nccl_log_line *line, char *out, size_t bytes)
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

int nccl_log_compare_pairs(const void *a, const void *b)
{
	const struct nccl_log_pair *left = a, *right = b;
	int by = compare_numbers(left->rank, right->rank);
	return by ? by : compare_numbers(left->peer, right->peer);
}

/* The place of `key` in a sorted list; true if it is there. */
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

/* The common prefix of both names, in whole words between '/'; more than one word. */
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

static int add_link(const struct nccl_log_line *line, struct nccl_log *e, struct status *st)
{
	struct path_link key = {.from = line->from, .to = line->to}, *links;
	uint64_t bit = UINT64_C(1) << line->channel;
	unsigned at;
	if (key.from == key.to)
		return 0;
	keep_words(line, key.via, sizeof key.via);
	if (!find(&key, e->path.links, e->path.nlinks, sizeof key, compare_links, &at)) {
		links = grow(e->path.links, e->path.nlinks, &e->room_links, sizeof key);
		if (!links)
			return status_set(st, "out of memory");
		e->path.links = links;
		memmove(links + at + 1, links + at, (e->path.nlinks - at) * sizeof key);
		links[at] = key;
		if (e->path.nlinks++)
			narrow(e->path.transport, key.via);
		else
			strcpy(e->path.transport, key.via);
	}
	for (int c = 0; c < 2; c++)
		if (line->connection < 0 || line->connection == c)
			e->path.links[at].seen[c] |= bit;
	e->path.links[at].channels =
	    (unsigned)__builtin_popcountll(e->path.links[at].seen[0] | e->path.links[at].seen[1]);
	return 0;
}

static int add_opening(const struct nccl_log_line *line, struct nccl_log *e, struct status *st)
{
	struct nccl_log_pair key = {line->from, line->to}, *pairs;
	unsigned at;
	e->registration[line->reg].done++;
	if (!line->has_peer ||
	    find(&key, e->pairs, e->npairs, sizeof key, nccl_log_compare_pairs, &at))
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

static void add_failure(const struct nccl_log_line *line, struct nccl_log *e)
{
	if (!e->registration[line->reg].failed++)
		keep_words(line, e->registration[line->reg].reason,
		           sizeof e->registration[line->reg].reason);
}

static int add_version(const struct nccl_log_line *line, struct nccl_log *e, struct status *st)
{
	unsigned major = 0, minor = 0, patch = 0;
	int before = 0; /* the patch, which is a word in a build of one's own: 2.19.stable */
	char version[sizeof e->path.version];
	keep_words(line, version, sizeof version);
	if (sscanf(version, "%3u.%2u.%n%2u", &major, &minor, &before, &patch) < 2 || !before ||
	    !version[before])
		return 0;
	if (e->path.version[0] && strcmp(e->path.version, version))
		return status_set(st, "the logs are of NCCL %s and of NCCL %s: not of one job",
		                  e->path.version, version);
	strcpy(e->path.version, version);
	e->version_code = major * 10000 + minor * 100 + patch;
	return 0;
}

/* The last line of a collective and its bytes counts. */
static int add_choice(const struct path_choice *choice, struct nccl_log *e, struct status *st)
{
	struct path_choice *list;
	unsigned i = 0;
	while (i < e->path.nchoices && (strcmp(e->path.choices[i].collective, choice->collective) ||
	                                e->path.choices[i].bytes != choice->bytes))
		i++;
	list = grow(e->path.choices, i, &e->room_choices, sizeof *choice);
	if (!list)
		return status_set(st, "out of memory");
	e->path.choices = list;
	list[i] = *choice;
	e->path.nchoices += i == e->path.nchoices;
	return 0;
}

/* The last line of a collective counts: the path's job calls each at its largest size last. */
static void add_algorithm(const struct path_choice *choice, struct nccl_log *e)
{
	char piece[128], kept[PATH_WHY_BYTES];
	const char *name = choice->collective;
	char *out = e->path.algorithms;
	snprintf(piece, sizeof piece, "%s %s %s, %u channels", name, choice->algorithm,
	         choice->protocol, choice->channels);
	strcpy(kept, out);
	out[0] = '\0';
	for (char *rest = kept, *old; rest && (old = strsep(&rest, ";"));) {
		old += strspn(old, " ");
		if (*old && (strncmp(old, name, strlen(name)) || old[strlen(name)] != ' '))
			snprintf(out + strlen(out), PATH_WHY_BYTES - strlen(out), "%s; ", old);
	}
	snprintf(out + strlen(out), PATH_WHY_BYTES - strlen(out), "%s", piece);
}

/* The name ends at ':'. Of ranks of one communicator NCCL logs the first. */
static int read_choice(const struct nccl_log_line *line, struct nccl_log *e, struct status *st)
{
	struct path_choice choice = {.bytes = line->numbers[0]};
	char words[160];
	keep_words(line, words, sizeof words);
	if (line->numbers[2] < line->numbers[1] || line->numbers[2] > INT_MAX ||
	    sscanf(words, "%23[^:]: %*u Bytes -> Algo %23s proto %15s", choice.collective,
	           choice.algorithm, choice.protocol) != 3)
		return 0;
	choice.channels = (unsigned)(line->numbers[2] - line->numbers[1]) + 1;
	add_algorithm(&choice, e);
	return add_choice(&choice, e, st);
}

const struct nccl_log_set *nccl_log_set_find(const struct nccl_log *log, const char *name)
{
	for (unsigned i = 0; i < log->nset; i++)
		if (!strcmp(log->set[i].name, name))
			return &log->set[i];
	return NULL;
}

/* What the first line of a variable says counts. */
static int add_set(const struct nccl_log_line *line, struct nccl_log *e, struct status *st)
{
	struct nccl_log_set one = {.refused = line->kind == LOG_REFUSED}, *list;
	char words[160];
	keep_words(line, words, sizeof words);
	sscanf(words,
	       one.refused ? "%63[^,], using default %63s" : "%63s set by environment to %63s",
	       one.name, one.value);
	if (one.value[0] && one.value[strlen(one.value) - 1] == '.')
		one.value[strlen(one.value) - 1] = '\0';
	if (nccl_log_set_find(e, one.name))
		return 0;
	list = grow(e->set, e->nset, &e->room_set, sizeof one);
	if (!list)
		return status_set(st, "out of memory");
	e->set = list;
	list[e->nset++] = one;
	return 0;
}

static int add_line(const struct nccl_log_line *line, struct nccl_log *e, struct status *st)
{
	switch (line->kind) {
	case LOG_OTHER:
		break;
	case LOG_UNREAD:
		e->path.unread++;
		break;
	case LOG_VERSION:
		return add_version(line, e, st);
	case LOG_LINK:
		return add_link(line, e, st);
	case LOG_ASKED:
		e->asked++;
		break;
	case LOG_OPENED:
		return add_opening(line, e, st);
	case LOG_FAILED:
		add_failure(line, e);
		break;
	case LOG_SKIPPED:
		if (!e->skipped++)
			keep_words(line, e->skipped_reason, sizeof e->skipped_reason);
		break;
	case LOG_COPY_ENGINE:
		e->path.copy_engine = true;
		break;
	case LOG_SYMMETRIC:
		e->path.symmetric = true;
		if (line->words && memmem(line->words, line->words_bytes, "LL", 2))
			e->symmetric_ll++;
		break;
	case LOG_CHANNELS:
		e->path.coll_channels = (unsigned)line->numbers[0];
		e->path.p2p_channels = (unsigned)line->numbers[1];
		e->path.p2p_channels_per_peer = (unsigned)line->numbers[2];
		break;
	case LOG_CHUNK:
		e->path.p2p_chunk_bytes = line->numbers[0];
		break;
	case LOG_ALGORITHM:
		return read_choice(line, e, st);
	case LOG_SET:
	case LOG_REFUSED:
		return add_set(line, e, st);
	}
	return 0;
}

/* Sets `registered` and its sentence. */
static void sum_registration(struct nccl_log *e)
{
	static const char *const names[NCCL_REG_KINDS] = {"IPC", "NET", "NVLS", "COLLNET"};
	char *why = e->path.registered_why;
	size_t room = sizeof e->path.registered_why, n = 0;
	e->path.registered = false;
	why[0] = '\0';
	for (int k = 0; k < NCCL_REG_KINDS && n < room; k++) {
		unsigned done = e->registration[k].done, failed = e->registration[k].failed;
		if (done && !failed)
			e->path.registered = true;
		if (done)
			n += (size_t)snprintf(why + n, room - n, "%s%u by %s", n ? "; " : "", done,
			                      names[k]);
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

int nccl_log_parse(const char *text, size_t bytes, struct nccl_log *inout, struct status *st)
{
	const char *at = text, *end = text + bytes, *newline;
	int rc = 0;
	while (!rc && at < end && (newline = memchr(at, '\n', (size_t)(end - at)))) {
		struct nccl_log_line line;
		nccl_log_line_read(at, (size_t)(newline - at), &line);
		rc = add_line(&line, inout, st);
		at = newline + 1;
	}
	sum_registration(inout);
	return rc;
}

static int read_file(const char *folder, const char *name, struct nccl_log *inout,
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
		rc = nccl_log_parse(line, (size_t)n, inout, st);
	if (!rc && ferror(f))
		rc = status_set(st, "%s: cannot be read: %s", file, strerror(errno));
	if (f)
		fclose(f);
	free(line);
	free(file);
	return rc;
}

int nccl_log_read_files(const char *folder, const char *prefix, struct nccl_log *inout,
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

void nccl_log_free(struct nccl_log *log)
{
	path_free(&log->path);
	free(log->pairs);
	free(log->set);
	*log = (struct nccl_log){0};
}

/* --- log_ask and log_path of backend.h --- */

int nccl_log_ask(struct settings *settings, const char *folder, const char *prefix,
                 struct status *st)
{
	char file[TRIAL_ENV_BYTES / 2];
	snprintf(file, sizeof file, "%s/%s%%h.%%p", folder, prefix);
	const char *const asked[][2] = {{"NCCL_DEBUG", "INFO"},
	                                {"NCCL_DEBUG_SUBSYS", NCCL_LOG_SUBSYS},
	                                {"NCCL_DEBUG_FILE", file}};
	for (unsigned i = 0; i < sizeof asked / sizeof *asked; i++)
		if (settings_env_set(settings, asked[i][0], asked[i][1], TRIAL_MAX_ENV))
			return status_set(st, "no room for %s: there are %u variables", asked[i][0],
			                  settings->nenv);
	return 0;
}

int nccl_log_path(const struct settings *settings, const char *folder, const char *prefix,
                  struct path *out, struct status *st)
{
	const struct nccl_log_settings set = {
	    .direct_disable = settings_env(settings, "NCCL_P2P_DIRECT_DISABLE"),
	    .read_enable = settings_env(settings, "NCCL_P2P_READ_ENABLE"),
	    .own_kernel = !strncmp(settings->api, "device", strlen("device")),
	};
	struct nccl_log log = {0};
	int result = nccl_log_read_files(folder, prefix, &log, st);
	if (!result) {
		nccl_log_model(&set, &log);
		result = nccl_acted(settings, &log, st);
	}
	if (!result) {
		*out = log.path;
		log.path.links = NULL; /* the caller's now */
		log.path.choices = NULL;
		log.path.settings = NULL;
	}
	nccl_log_free(&log);
	return result;
}
