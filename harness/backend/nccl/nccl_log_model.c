#include <ctype.h>

#include "nccl_log.h"
#include "../../memory.h"

/* The oldest version that the rule is based on, and the first with the new one (2.23.4). */
#define OLDEST_VERSION   21210
#define REGISTER_VERSION 22300

struct judging {
	const struct nccl_log *log;
	unsigned version;
	unsigned of[PATH_DATA_KINDS];
	unsigned half; /* links opened by one end only */
};

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

static bool is_pair(const struct nccl_log *e, unsigned rank, unsigned peer)
{
	const struct nccl_log_pair key = {rank, peer};
	return e->npairs && bsearch(&key, e->pairs, e->npairs, sizeof key, nccl_log_compare_pairs);
}

/* From 2.23.4 on NCCL requires both ends to be registered. */
static enum path_data judge_registered(struct judging *j, const struct path_link *link)
{
	const struct nccl_log *e = j->log;
	int ends = is_pair(e, link->from, link->to) + is_pair(e, link->to, link->from);
	if (!ends)
		return PATH_STAGED;
	if (ends == 2 && !e->registration[NCCL_REG_IPC].failed.n)
		return PATH_DIRECT;
	j->half += ends == 1;
	return PATH_UNKNOWN;
}

static enum path_data judge_link(struct judging *j, const struct path_link *link)
{
	bool pointer = begins(link->via, "P2P/direct pointer");
	if (begins(link->via, "SHM/"))
		return PATH_STAGED;
	if (begins(link->via, "NET/")) /* its registration line names no peer */
		return j->log->registration[NCCL_REG_NET].done ? PATH_UNKNOWN : PATH_STAGED;
	/* Through a third GPU, or copied by copy engines from buffer to buffer. */
	if (begins(link->via, "P2P/indirect") || strstr(link->via, "/CE"))
		return PATH_STAGED;
	if (!j->version && (pointer || j->log->npairs))
		return PATH_UNKNOWN;
	if (!j->version || (j->version < OLDEST_VERSION && !pointer))
		return PATH_STAGED;
	if (j->version < OLDEST_VERSION)
		return PATH_UNKNOWN;
	if (j->version >= REGISTER_VERSION)
		return judge_registered(j, link);
	return pointer && !strstr(link->via, "/read") ? PATH_DIRECT : PATH_STAGED;
}

/* Sends and receives have their own connections; if there are any, rings do not count. */
static void judge_links(struct judging *j)
{
	const struct nccl_log *e = j->log;
	bool sends = false;
	for (unsigned i = 0; i < e->path.nlinks; i++)
		sends = sends || e->path.links[i].seen[1];
	for (unsigned i = 0; i < e->path.nlinks; i++)
		if (!sends || e->path.links[i].seen[1])
			j->of[judge_link(j, &e->path.links[i])]++;
}

#define REGISTER_ONLY                                                                              \
	"from 2.23 on NCCL writes into a peer's buffer only if it was registered with the "        \
	"peer, and the log shows no such registration"

static const char *why_staged(const struct judging *j, const char *transport)
{
	bool pointer = strstr(transport, "direct pointer");
	if (strstr(transport, "/CE") || strstr(transport, "indirect"))
		return "copy engines, or a third GPU, copy from buffer to buffer";
	if (begins(transport, "SHM/") || begins(transport, "NET/"))
		return "SHM and NET links go through buffers of NCCL's own";
	if (j->version >= REGISTER_VERSION)
		return pointer ? REGISTER_ONLY " ('direct pointer' is a mere label there)"
		               : REGISTER_ONLY;
	if (!j->version)
		return "every version of NCCL stages here: the log shows no buffer registered with "
		       "a peer and no 'direct pointer'";
	return pointer ? "NCCL up to 2.22 that pulls ('/read') reads a peer's buffer directly only "
	                 "if it was registered"
	               : "NCCL up to 2.22 writes into a peer's buffer only within one process and "
	                 "with NCCL_P2P_DIRECT_DISABLE off; here it goes through a FIFO";
}

static void say_unknown(const struct judging *j, char *why, size_t bytes)
{
	const unsigned failed = j->log->registration[NCCL_REG_IPC].failed.n;
	if (!j->version)
		snprintf(why, bytes,
		         "what this means depends on NCCL's version, which is not known");
	else if (j->version < OLDEST_VERSION)
		snprintf(why, bytes, "NCCL before 2.12.10 is not known here");
	else if (failed && j->log->npairs)
		snprintf(why, bytes, "some buffers are registered, but NCCL failed to register %u",
		         failed);
	else
		snprintf(why, bytes,
		         "%u links are direct, %u staged, %u registered at one end only",
		         j->of[PATH_DIRECT], j->of[PATH_STAGED], j->half);
}

void nccl_log_model(const struct settings *settings, struct nccl_log *log)
{
	struct judging j = {.log = log, .version = log->version_code};
	struct path *path = &log->path;
	char unknown[PATH_WHY_BYTES];
	judge_links(&j);
	say_unknown(&j, unknown, sizeof unknown);
	const unsigned direct = j.of[PATH_DIRECT], others = j.of[PATH_STAGED] + j.of[PATH_UNKNOWN];
	const struct {
		bool is;
		enum path_data data;
		const char *why;
	} verdicts[] = {
	    {path->copy_engine, PATH_DIRECT, "copy engines write into the peers' windows"},
	    {log->symmetric_ll, PATH_UNKNOWN,
	     "some symmetric kernels are of the LL kind, which stages"},
	    {path->symmetric, PATH_DIRECT, "symmetric kernels work in the peers' windows"},
	    {!path->nlinks && begins(settings->api, "device"), PATH_UNKNOWN,
	     "launchgap's own kernel moves it, of which NCCL's log does not speak"},
	    {!path->nlinks, PATH_UNKNOWN, "the log names no link between ranks"},
	    {!others && j.version >= REGISTER_VERSION, PATH_DIRECT,
	     "both ends of every link registered their buffers with each other"},
	    {!others, PATH_DIRECT,
	     "NCCL up to 2.22 writes straight into the peer's buffer within one process"},
	    {!direct && !j.of[PATH_UNKNOWN], PATH_STAGED, why_staged(&j, path->transport)},
	    {true, PATH_UNKNOWN, unknown},
	};
	unsigned i = 0;
	while (!verdicts[i].is)
		i++;
	path->data = verdicts[i].data;
	snprintf(path->why, sizeof path->why, "%s", verdicts[i].why);
}

/* --- settings ---
 *
 * Whether a setting had an effect, by NCCL's log: "X set by environment to Y" as it first reads a
 * variable (misc/param.cc), and numbers that variables determine: channels (init.cc,
 * graph/paths.cc), the chunk (init.cc), the algorithm (enqueue.cc). Copy engines carry a call out
 * or not without an error (ce_coll.cc). Of 2.19.3 to 2.30.7. */

enum bound { EXACT, AT_LEAST, AT_MOST, NAMED };

static const struct rule {
	const char *key, *fact;
	enum bound bound;
	const char *capped; /* why the number is less than asked, or the name another one */
	const char *raised; /* why it is more than asked */
} rules[] = {
    {"env.NCCL_P2P_NVL_CHUNKSIZE", "p2p_chunk_bytes", EXACT, "capped to NCCL_BUFFSIZE / 8",
     "it is for GPUs that are all on NVLink"},
    {"env.NCCL_MIN_P2P_NCHANNELS", "p2p_channels", AT_LEAST, "capped to what NCCL can launch", ""},
    {"env.NCCL_MAX_P2P_NCHANNELS", "p2p_channels", AT_MOST, "",
     "rounded up to a power of two, or NCCL_MIN_P2P_NCHANNELS is more"},
    {"env.NCCL_MIN_NCHANNELS", "coll_channels", AT_LEAST, "capped by NCCL", ""},
    {"env.NCCL_MAX_NCHANNELS", "coll_channels", AT_MOST, "", "NCCL wants more"},
    {"env.NCCL_MIN_CTAS", "coll_channels", AT_LEAST, "capped by NCCL", ""},
    {"env.NCCL_MAX_CTAS", "coll_channels", AT_MOST, "", "NCCL wants more"},
    {"min_ctas", "coll_channels", AT_LEAST, "capped by NCCL", ""},
    {"max_ctas", "coll_channels", AT_MOST, "", "NCCL wants more"},
    {"env.NCCL_ALGO", "algorithms", NAMED, "not taken for the largest size", ""},
    {"env.NCCL_PROTO", "algorithms", NAMED, "not taken for the largest size", ""},
};
#define NRULES (sizeof rules / sizeof *rules)

/* Variables that NCCL reads without a line in its log: a missing line proves nothing. */
static const char *const silent[] = {
    "NCCL_CONF_FILE",    "NCCL_CTA_POLICY",  "NCCL_DEBUG",     "NCCL_NET_", "NCCL_NVLS_CHUNKSIZE",
    "NCCL_PROXY_",       "NCCL_P2P_DISABLE", "NCCL_P2P_LEVEL", "NCCL_RAS_", "NCCL_SHM_",
    "NCCL_SOCKET_MAGIC", "NCCL_SYM_KERNEL",  "NCCL_WARN_",     NULL};

static bool is_among(const char *const *beginnings, const char *name)
{
	while (*beginnings && !begins(name, *beginnings))
		beginnings++;
	return *beginnings;
}

/* Whether the text has a listed word, in capitals; exclusions ('^') and lists by collective
 * aside. */
static bool is_named(const char *asked, const char *text)
{
	char upper[64];
	size_t n = 0;
	for (; n < sizeof upper - 1 && asked[n]; n++)
		upper[n] = (char)toupper((unsigned char)asked[n]);
	upper[n] = '\0';
	if (strpbrk(upper, "^:;"))
		return true;
	for (char *rest = upper, *word; (word = strsep(&rest, ","));) {
		char spaced[66];
		snprintf(spaced, sizeof spaced, " %s", word);
		const char *at = *word ? strstr(text, spaced) : NULL;
		if (at && strchr(" ,;", at[strlen(spaced)]))
			return true;
	}
	return false;
}

static void compare(const struct rule *rule, struct path_setting *s)
{
	unsigned long long asked = strtoull(s->asked, NULL, 0), used = strtoull(s->used, NULL, 10);
	bool less = rule->bound == NAMED ? !is_named(s->asked, s->used)
	                                 : rule->bound != AT_MOST && used < asked;
	bool more = (rule->bound == EXACT || rule->bound == AT_MOST) && used > asked;
	if (!less && !more)
		return;
	s->act = PATH_CAPPED;
	snprintf(s->why, sizeof s->why, "%s", less ? rule->capped : rule->raised);
}

static bool number_read(const char *text, long long *out)
{
	char *end;
	*out = strtoll(text, &end, 0);
	return end != text && !*end;
}

/* Of "4M" NCCL takes 4. Where it says a name, it may have given a number that one. */
static void compare_read(const struct nccl_log_set *read, struct path_setting *s)
{
	long long asked, used;
	if (!read->refused &&
	    (!number_read(read->value, &used) || (number_read(s->asked, &asked) && asked == used)))
		return;
	s->act = PATH_CAPPED;
	snprintf(s->used, sizeof s->used, "%s", read->refused ? "NCCL's default" : read->value);
	snprintf(s->why, sizeof s->why, "NCCL takes a whole number, without a unit");
}

/* The figure that a setting determines, as the log has it; false: none is known. */
static bool compare_fact(const struct path *path, const char *key, struct path_setting *s)
{
	char text[PATH_WHY_BYTES] = "";
	unsigned i = 0;
	while (i < NRULES && strcmp(key, rules[i].key))
		i++;
	if (i < NRULES)
		path_fact(path, rules[i].fact, text, sizeof text);
	if (!text[0])
		return false;
	snprintf(s->fact, sizeof s->fact, "%s", rules[i].fact);
	snprintf(s->used, sizeof s->used, "%.63s", text);
	compare(&rules[i], s);
	return true;
}

/* Adds the setting, if the log says something of it. */
static void evaluate(struct nccl_log *log, const char *key, const char *asked)
{
	struct path *path = &log->path;
	struct path_setting *s = &path->settings[path->nsettings];
	const char *name = strncmp(key, "env.", 4) ? NULL : key + 4;
	const struct nccl_log_set *read = name ? nccl_log_set_find(log, name) : NULL;
	bool said = name && strcmp(name, "NCCL_NET") != 0 && !is_among(silent, name);
	*s = (struct path_setting){.act = PATH_ACTED};
	snprintf(s->key, sizeof s->key, "%.63s", key);
	snprintf(s->asked, sizeof s->asked, "%.63s", asked);
	if (read)
		compare_read(read, s);
	if (said && !read) {
		s->act = PATH_IGNORED;
		snprintf(s->why, sizeof s->why, "NCCL %.31s did not read it in this job",
		         path->version);
	} else if (s->act == PATH_ACTED) {
		said = compare_fact(path, key, s) || said;
	}
	path->nsettings += said;
}

static void copy_engines(const struct path *path, struct path_setting *s)
{
	*s = (struct path_setting){.key = "cta_policy", .asked = "zero"};
	s->act = path->copy_engine ? PATH_ACTED : PATH_IGNORED;
	snprintf(s->used, sizeof s->used, "%s", path->copy_engine ? "copy engines" : "");
	if (!path->copy_engine)
		snprintf(s->why, sizeof s->why, "NCCL %.31s's log names no call by copy engines",
		         path->version);
}

/* What a shell or nccl.conf brought along: NCCL names each that it reads. */
static void inherit(const struct settings *set, struct nccl_log *log)
{
	static const char *const own[] = {"NCCL_DEBUG", "NCCL_COMM_ID", "NCCL_HOSTID", NULL};
	for (unsigned i = 0; i < log->nset; i++) {
		const struct nccl_log_set *s = &log->set[i];
		if (!settings_env(set, s->name) && !is_among(own, s->name))
			status_add(log->path.inherited, sizeof log->path.inherited, "%s%s=%s",
			           log->path.inherited[0] ? ", " : "", s->name, s->value);
	}
}

void nccl_acted(const struct settings *set, struct nccl_log *log)
{
	const struct {
		const char *key;
		unsigned asked;
	} own[] = {{"min_ctas", set->min_ctas}, {"max_ctas", set->max_ctas}};
	struct path *path = &log->path;
	inherit(set, log);
	path->settings = memory_take(set->nenv + 3, sizeof *path->settings);
	for (unsigned i = 0; i < set->nenv; i++) {
		const char *is = strchr(set->env[i], '=');
		char key[TRIAL_ENV_BYTES];
		if (!is || strncmp(set->env[i], "NCCL_", 5))
			continue;
		snprintf(key, sizeof key, "env.%.*s", (int)(is - set->env[i]), set->env[i]);
		evaluate(log, key, is + 1);
	}
	for (unsigned i = 0; i < 2; i++) {
		char asked[16];
		snprintf(asked, sizeof asked, "%u", own[i].asked);
		if (own[i].asked)
			evaluate(log, own[i].key, asked);
	}
	if (set->cta_policy == CTA_ZERO)
		copy_engines(path, &path->settings[path->nsettings++]);
}
