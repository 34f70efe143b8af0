#include "nccl_log.h"
#include "../../memory.h"

#include <dirent.h>
#include <errno.h>
#include <regex.h>

/* NCCL's MAXCHANNELS; 32 before 2.23. */
#define MAX_CHANNELS 64

#define MOST_BYTES 4096 /* of a line; NCCL's own buffer has 1024 */
#define GROUPS     11   /* the most that are looked at, with the whole */

/* One line: what follows its head, and where its facts go. */
struct line {
	const char *text;
	regmatch_t group[GROUPS];
	struct nccl_log *log;
	struct status *st;
	int rc;
};

static bool is_given(const struct line *line, unsigned group)
{
	return line->group[group].rm_so >= 0;
}

/* Of digits, which a form bounds. */
static unsigned long long number(const struct line *line, unsigned group)
{
	return strtoull(line->text + line->group[group].rm_so, NULL, 10);
}

/* Keeps the bytes of torn lines out of the record, which must be UTF-8. */
static void words(const struct line *line, unsigned group, char *out, size_t bytes)
{
	const char *at = line->text + line->group[group].rm_so;
	const size_t all = (size_t)(line->group[group].rm_eo - line->group[group].rm_so);
	const size_t n = !is_given(line, group) ? 0 : all < bytes - 1 ? all : bytes - 1;
	for (size_t i = 0; i < n; i++)
		out[i] = at[i] >= ' ' && at[i] <= '~' ? at[i] : '?';
	out[n] = '\0';
}

/* The list with one more of `size` bytes; its room doubles. */
static void *append(void *list, unsigned *n, const void *one, size_t size)
{
	void *all = *n & (*n - 1) ? list : memory_more(list, *n ? 2 * *n : 1, size);
	memcpy((char *)all + *n * size, one, size);
	++*n;
	return all;
}

/* --- what a line adds --- */

typedef void add_fn(struct line *line);

/* A line that begins like one of the others, but cannot be parsed. */
static void add_unread(struct line *line)
{
	line->log->path.unread++;
}

static void add_link(struct line *line)
{
	struct path *path = &line->log->path;
	struct path_link link = {.from = (unsigned)number(line, 4),
	                         .to = (unsigned)number(line, 6)};
	const unsigned long long channel = number(line, 2);
	words(line, 10, link.via, sizeof link.via);
	if (channel >= MAX_CHANNELS ||
	    line->group[10].rm_eo - line->group[10].rm_so >= PATH_VIA_BYTES) {
		add_unread(line);
		return;
	}
	if (!strcmp(link.via, "direct shared memory")) /* before 2.11 */
		strcpy(link.via, "SHM/direct");
	/* Without a connection a ring's is the first, a channel's may be either. */
	for (int c = 0; c < 2; c++)
		if (is_given(line, 3) ? line->text[line->group[3].rm_eo - 1] == '0' + c
		                      : !c || line->text[0] == 'C')
			link.seen[c] = UINT64_C(1) << channel;
	if (link.from != link.to)
		path->links = append(path->links, &path->nlinks, &link, sizeof link);
}

static const char *const reg_names[NCCL_REG_KINDS] = {"IPC", "NET", "NVLS", "COLLNET"};

static enum nccl_reg reg_of(const struct line *line)
{
	char name[24];
	enum nccl_reg reg = 0;
	words(line, 2, name, sizeof name);
	while (reg < NCCL_REG_KINDS && strcasecmp(name, reg_names[reg]))
		reg++;
	return reg < NCCL_REG_KINDS ? reg : NCCL_REG_NVLS; /* graph-registered */
}

static void add_opening(struct line *line)
{
	struct nccl_log *e = line->log;
	e->registration[reg_of(line)].done++;
	if (!is_given(line, 6))
		return;
	const struct nccl_log_pair pair = {(unsigned)number(line, 1), (unsigned)number(line, 6)};
	e->pairs = append(e->pairs, &e->npairs, &pair, sizeof pair);
}

static void tally(const struct line *line, struct nccl_log_tally *of, unsigned reason)
{
	if (!of->n++)
		words(line, reason, of->reason, sizeof of->reason);
}

static void add_failure(struct line *line)
{
	tally(line, &line->log->registration[reg_of(line)].failed, 4);
}

static void add_asked(struct line *line)
{
	line->log->asked++;
}

static void add_skipped(struct line *line)
{
	tally(line, &line->log->skipped, 3);
}

static void add_version(struct line *line)
{
	struct nccl_log *e = line->log;
	unsigned major = 0, minor = 0, patch = 0;
	int before = 0; /* the patch, which is a word in one's own build: 2.19.stable */
	char version[sizeof e->path.version];
	words(line, 2, version, sizeof version);
	if (sscanf(version, "%3u.%2u.%n%2u", &major, &minor, &before, &patch) < 2 || !before ||
	    !version[before])
		return;
	if (e->path.version[0] && strcmp(e->path.version, version)) {
		line->rc =
		    status_set(line->st, "the logs are of NCCL %s and of NCCL %s: not of one job",
		               e->path.version, version);
		return;
	}
	strcpy(e->path.version, version);
	e->version_code = major * 10000 + minor * 100 + patch;
}

static void add_chunk(struct line *line)
{
	line->log->path.p2p_chunk_bytes = number(line, 1);
}

static void add_channels(struct line *line)
{
	struct path *path = &line->log->path;
	path->coll_channels = (unsigned)number(line, 1);
	path->p2p_channels = (unsigned)number(line, 4);
	path->p2p_channels_per_peer = (unsigned)number(line, 5);
}

/* The last line of a collective counts: the path's job calls each at its largest size last. */
static void add_algorithm(const struct path_choice *choice, char out[PATH_WHY_BYTES])
{
	char kept[PATH_WHY_BYTES];
	const char *name = choice->collective;
	strcpy(kept, out);
	out[0] = '\0';
	for (char *rest = kept, *old; rest && (old = strsep(&rest, ";"));) {
		old += strspn(old, " ");
		if (*old && (strncmp(old, name, strlen(name)) || old[strlen(name)] != ' '))
			status_add(out, PATH_WHY_BYTES, "%s; ", old);
	}
	status_add(out, PATH_WHY_BYTES, "%s %s %s, %u channels", name, choice->algorithm,
	           choice->protocol, choice->channels);
}

/* The last line of a collective and its bytes counts. */
static void add_choice(struct line *line)
{
	struct path *path = &line->log->path;
	struct path_choice choice = {.bytes = number(line, 2)};
	unsigned i = 0;
	if (number(line, 6) < number(line, 5))
		return;
	words(line, 1, choice.collective, sizeof choice.collective);
	words(line, 3, choice.algorithm, sizeof choice.algorithm);
	words(line, 4, choice.protocol, sizeof choice.protocol);
	choice.channels = (unsigned)(number(line, 6) - number(line, 5)) + 1;
	add_algorithm(&choice, path->algorithms);
	while (i < path->nchoices && (strcmp(path->choices[i].collective, choice.collective) ||
	                              path->choices[i].bytes != choice.bytes))
		i++;
	if (i < path->nchoices)
		path->choices[i] = choice;
	else
		path->choices = append(path->choices, &path->nchoices, &choice, sizeof choice);
}

const struct nccl_log_set *nccl_log_set_find(const struct nccl_log *log, const char *name)
{
	for (unsigned i = 0; i < log->nset; i++)
		if (!strcmp(log->set[i].name, name))
			return &log->set[i];
	return NULL;
}

/* What the first line of a variable says counts. */
static void add_set(struct line *line)
{
	struct nccl_log *e = line->log;
	struct nccl_log_set one = {.refused = line->group[1].rm_so > 0};
	words(line, 1, one.name, sizeof one.name);
	words(line, 2, one.value, sizeof one.value);
	if (one.value[0] && one.value[strlen(one.value) - 1] == '.')
		one.value[strlen(one.value) - 1] = '\0';
	if (!nccl_log_set_find(e, one.name))
		e->set = append(e->set, &e->nset, &one, sizeof one);
}

static void add_copy_engine(struct line *line)
{
	line->log->path.copy_engine = true;
}

static void add_symmetric(struct line *line)
{
	char kernel[64];
	words(line, 1, kernel, sizeof kernel);
	line->log->path.symmetric = true;
	line->log->symmetric_ll += strstr(kernel, "LL") != NULL;
}

/* --- the forms --- */

#define RANK     "([0-9]{1,7})" /* no job has more */
#define NUMBER   "([0-9]{1,18})"
#define DEVICE   "(\\[[0-9a-f]+\\])" /* a PCI bus before 2.18 */
#define KIND     "(IPC|NET|NVLS|COLLNET|collNet|graph-registered)"
#define VARIABLE "([A-Z0-9_]+)"
/* NCCL gives no more of a reason than what follows the size. */
#define REASON "( .* buffSize [0-9]+,? (.*))?"

/* All of the rest: half a name may be a prefix of another. A plugin names its network itself. In
 * parentheses the rank whose proxy sends, and "(PCI)" since 2.26. */
#define VIA                                                                                        \
	"(P2P/(direct pointer|CUMEM|MNNVL|IPC|indirect/[0-9]+\\[[0-9a-f]+\\])(/read)?(/CE)?"       \
	"|SHM/direct(/direct|/CE)?|SHM/CE(/direct|/CE)|direct shared memory"                       \
	"|NET/[ -.0-9;-~]+/[0-9]+(\\([0-9]+\\))?(/GDRDMA)?(\\(PCI\\))?(/Shared)?)$"

/* The first form that fits counts. tests/nccl_forms compares them with what a library can write. */
// clang-format off
static const struct form {
	const char *text; /* an extended regular expression; its groups are the function's */
	add_fn *add;
} forms[] = {
    /* Of the first process of a job, often without a head, or only with a time. */
    {"^(\\[[^]]*\\] )?NCCL version v?([0-9][^+ ]*)", add_version},
    /* SHM names no connection, and before 2.12 nothing does. Rings are listed without "via". */
    {"^(Channel|Ring) " RANK "(/[01])? : " RANK DEVICE " -> " RANK DEVICE " (\\[(send|receive)\\] )?via " VIA, add_link},
    {"^(Ring) " RANK "(/[01])? : " RANK "() -> " RANK "() (\\[(send|receive)\\] )via " VIA, add_link}, /* 2.4 */
    {"^(Channel|Ring) .* via ", add_unread},
    /* "local" and "graph" in 2.23, "registered" in 2.26. The address shows that the peer's number is complete. */
    {"^rank " RANK " - (IPC) (local |graph )?(register|reuse)(ed)? buffer .* to peer " RANK " regAddr ", add_opening},
    {"^rank " RANK " - IPC (local |graph )?(register|reuse)(ed)? buffer ", add_unread},
    {"^rank " RANK " - " KIND " (register userbuff|reuse) ", add_opening},
    {"^rank [0-9]+ (successfully|reuse|successfully registered|reuse registered|reuse local-registered) " KIND " sendbuff ", add_opening},
    {"^rank " RANK " failed to " KIND " register" REASON, add_failure}, /* a warning in 2.24 and 2.25 */
    {"^rank " RANK " - " KIND " failed to register userbuff" REASON, add_failure},
    {"^register comm ", add_asked},
    {"^Skipping (graph )?registration ([^(]*\\(([^)]*)\\))?", add_skipped}, /* since 2.28.9 */
    {"^P2P Chunksize set to " NUMBER "$", add_chunk},
    {"^" RANK " coll channels, ([0-9]+ collnet channels, )?([0-9]+ nvls channels, )?" RANK " p2p channels, " RANK " p2p channels per peer", add_channels},
    /* Since 2.24. The bytes are those of the call's count: of AllGather and ReduceScatter one rank's part. */
    {"^([^:]+): " NUMBER " Bytes -> Algo ([^ ]+) proto ([^ ]+) channel\\{Lo\\.\\.Hi\\}=\\{" RANK "\\.\\." RANK "\\}", add_choice},
    /* Values from a file (NCCL_CONF_FILE) are in the environment by then. */
    {"^" VARIABLE " set by environment to ([^ ]*)", add_set},
    {"^Invalid value .* for " VARIABLE ", using default ([^ ]*)", add_set},
    /* With the first such collective, since 2.28.3; each one, since 2.29.2. */
    {"^(Init CE, rank |.* \\[Copy Engine\\]: )", add_copy_engine},
    {"^.* \\[Symmetric\\]: .* -> Kernel ([^ ]*) ", add_symmetric},
};
// clang-format on

#define NFORMS (sizeof forms / sizeof *forms)

/* What follows the last head, as a line may be torn. Without one only the version counts. */
static int add_line(const regex_t known[NFORMS], const char *text, size_t bytes, struct nccl_log *e,
                    struct status *st)
{
	static const char *const heads[] = {" NCCL INFO ", " NCCL WARN "};
	const char *end = text + bytes, *from = text;
	for (unsigned i = 0; i < 2; i++)
		for (const char *at; (at = memmem(from, (size_t)(end - from), heads[i], 11));)
			from = at + 11;
	const unsigned n = end - from > MOST_BYTES ? 0 : from > text ? NFORMS : 1;
	if (end > from && end[-1] == '\r')
		end--;
	for (unsigned i = 0; i < n; i++) {
		struct line line = {from, {{0, (regoff_t)(end - from)}}, e, st, 0};
		if (regexec(&known[i], from, GROUPS, line.group, REG_STARTEND))
			continue;
		forms[i].add(&line);
		return line.rc;
	}
	return 0;
}

/* --- the whole log --- */

static int compare_links(const void *a, const void *b)
{
	const struct path_link *left = a, *right = b;
	const int from = (left->from > right->from) - (left->from < right->from),
	          to = (left->to > right->to) - (left->to < right->to);
	return from ? from : to ? to : strcmp(left->via, right->via);
}

int nccl_log_compare_pairs(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct nccl_log_pair));
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

/* Sorted, with all that the channels and ends of a link said in one. */
static void merge_links(struct path *path)
{
	struct path_link *links = path->links;
	unsigned n = 0;
	if (path->nlinks)
		qsort(links, path->nlinks, sizeof *links, compare_links);
	for (unsigned i = 0; i < path->nlinks; i++) {
		if (!n || compare_links(&links[n - 1], &links[i]))
			links[n++] = links[i];
		struct path_link *l = &links[n - 1];
		for (int c = 0; c < 2; c++)
			l->seen[c] |= links[i].seen[c];
		l->channels = (unsigned)__builtin_popcountll(l->seen[0] | l->seen[1]);
	}
	path->nlinks = n;
	if (n)
		strcpy(path->transport, links[0].via);
	for (unsigned i = 1; i < n; i++)
		narrow(path->transport, links[i].via);
}

static void tell(char *why, unsigned n, const char *what, const char *how, const char *reason)
{
	if (n)
		status_add(why, PATH_WHY_BYTES, "%s%u %s%s%s%s", why[0] ? "; " : "", n, what, how,
		           reason[0] ? ": " : "", reason);
}

static void sum_registration(struct nccl_log *e)
{
	char *why = e->path.registered_why;
	e->path.registered = false;
	why[0] = '\0';
	for (int k = 0; k < NCCL_REG_KINDS; k++) {
		const struct nccl_log_tally *failed = &e->registration[k].failed;
		e->path.registered |= e->registration[k].done && !failed->n;
		tell(why, e->registration[k].done, "by ", reg_names[k], "");
		tell(why, failed->n, "failed by ", reg_names[k], failed->reason);
	}
	tell(why, e->skipped.n, "skipped", "", e->skipped.reason);
	if (!why[0])
		tell(why, e->asked, "given to ncclCommRegister, none opened to a peer", "", "");
	if (!why[0])
		strcpy(why, "the log shows none");
}

int nccl_log_parse(const char *text, size_t bytes, struct nccl_log *inout, struct status *st)
{
	const char *at = text, *end = text + bytes, *newline;
	regex_t known[NFORMS];
	unsigned n = 0;
	int rc = 0;
	while (n < NFORMS && !regcomp(&known[n], forms[n].text, REG_EXTENDED))
		n++;
	if (n < NFORMS)
		rc = status_set(st, "out of memory");
	while (!rc && at < end && (newline = memchr(at, '\n', (size_t)(end - at)))) {
		rc = add_line(known, at, (size_t)(newline - at), inout, st);
		at = newline + 1;
	}
	while (n)
		regfree(&known[--n]);
	merge_links(&inout->path);
	if (inout->npairs)
		qsort(inout->pairs, inout->npairs, sizeof *inout->pairs, nccl_log_compare_pairs);
	sum_registration(inout);
	return rc;
}

/* In pieces between zeros, which NCCL does not write. */
static int read_file(const char *folder, const char *name, struct nccl_log *inout,
                     struct status *st)
{
	char file[PATH_MAX], *text = NULL;
	size_t room = 0;
	ssize_t n;
	int rc = 0;
	snprintf(file, sizeof file, "%s/%s", folder, name);
	FILE *f = fopen(file, "re");
	if (!f)
		rc = status_set(st, "%s: cannot be opened: %s", file, strerror(errno));
	while (!rc && (n = getdelim(&text, &room, '\0', f)) > 0)
		rc = nccl_log_parse(text, (size_t)n, inout, st);
	if (!rc && ferror(f))
		rc = status_set(st, "%s: cannot be read: %s", file, strerror(errno));
	if (f)
		fclose(f);
	free(text);
	return rc;
}

/* All files of `folder` whose names begin with `prefix`; there has to be one. */
static int nccl_log_read_files(const char *folder, const char *prefix, struct nccl_log *inout,
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
	return rc || files ? rc
	                   : status_set(st, "%s: no file begins with '%s': NCCL wrote no log",
	                                folder, prefix);
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
	struct nccl_log log = {0};
	int result = nccl_log_read_files(folder, prefix, &log, st);
	if (!result) {
		nccl_log_model(settings, &log);
		nccl_acted(settings, &log);
		*out = log.path;
		log.path = (struct path){0}; /* the caller's now */
	}
	nccl_log_free(&log);
	return result;
}
