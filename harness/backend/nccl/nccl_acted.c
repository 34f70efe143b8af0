/* Whether a setting had an effect, by NCCL's log. Two kinds of lines show it. NCCL writes "X set by
 * environment to Y" when it first reads a variable (ncclLoadParam in misc/param.cc, and callers of
 * ncclGetEnv). And some variables determine a number in the log: channels (init.cc,
 * ncclTopoComputeP2pChannels in graph/paths.cc), the chunk (computeBuffSizes in init.cc) and the
 * algorithm (enqueue.cc). From the sources of 2.19.3, 2.21.5, 2.28.3 and 2.30.7. And copy engines carry
 * a call out or not, without an error (ce_coll.cc): only the log says which. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nccl_log.h"

/* How the setting bounds the number in the log. */
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

/* Variables that NCCL reads without a line in its log: a missing line proves nothing. */
static const char *const silent[] = {
    "NCCL_CONF_FILE",    "NCCL_CTA_POLICY",  "NCCL_DEBUG",     "NCCL_NET_", "NCCL_NVLS_CHUNKSIZE",
    "NCCL_PROXY_",       "NCCL_P2P_DISABLE", "NCCL_P2P_LEVEL", "NCCL_RAS_", "NCCL_SHM_",
    "NCCL_SOCKET_MAGIC", "NCCL_SYM_KERNEL",  "NCCL_WARN_",     NULL};

static bool is_silent(const char *name)
{
	for (unsigned i = 0; silent[i]; i++)
		if (!strncmp(name, silent[i], strlen(silent[i])))
			return true;
	return !strcmp(name, "NCCL_NET");
}

/* Whether the text has one of the words in the comma-separated list, in capitals. A list with '^'
 * names exclusions, one with ':' goes by collective: neither is read here. */
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

/* Compares what was asked with the number in the log. */
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

/* NCCL reads a number as far as its digits go: of "4M" it takes 4. Where it says a name, it may have
 * given a number that one. */
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

static void evaluate(const struct nccl_log *log, const char *key, const char *asked,
                     struct path_setting *s, bool *said)
{
	const char *name = strncmp(key, "env.", 4) ? NULL : key + 4;
	const struct nccl_log_set *read = name ? nccl_log_set_find(log, name) : NULL;
	char text[PATH_WHY_BYTES];
	*s = (struct path_setting){.act = PATH_ACTED};
	snprintf(s->key, sizeof s->key, "%.63s", key);
	snprintf(s->asked, sizeof s->asked, "%.63s", asked);
	*said = !name || !is_silent(name);
	if (read)
		compare_read(read, s);
	if (s->act == PATH_CAPPED)
		return;
	if (name && *said && !read) {
		s->act = PATH_IGNORED;
		snprintf(s->why, sizeof s->why, "NCCL %.31s did not read it in this job",
		         log->path.version);
		return;
	}
	for (unsigned i = 0; i < sizeof rules / sizeof *rules; i++) {
		if (strcmp(key, rules[i].key))
			continue;
		path_fact(&log->path, rules[i].fact, text, sizeof text);
		*said = text[0] || name;
		if (!text[0])
			return;
		snprintf(s->fact, sizeof s->fact, "%s", rules[i].fact);
		snprintf(s->used, sizeof s->used, "%.63s", text);
		compare(&rules[i], s);
		return;
	}
	*said = *said && name;
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

/* What a shell, /etc/nccl.conf or ~/.nccl.conf brought along: NCCL names each that it reads. Where it
 * logs and where all meet is of every run. */
static void inherit(const struct settings *set, struct nccl_log *log)
{
	static const char *const own[] = {"NCCL_DEBUG", "NCCL_COMM_ID", "NCCL_HOSTID"};
	for (unsigned i = 0; i < log->nset; i++) {
		const struct nccl_log_set *s = &log->set[i];
		bool asked = settings_env(set, s->name);
		for (unsigned k = 0; k < sizeof own / sizeof *own; k++)
			asked = asked || !strncmp(s->name, own[k], strlen(own[k]));
		if (!asked)
			status_add(log->path.inherited, sizeof log->path.inherited, "%s%s=%s",
			           log->path.inherited[0] ? ", " : "", s->name, s->value);
	}
}

int nccl_acted(const struct settings *set, struct nccl_log *log, struct status *st)
{
	const struct {
		const char *key;
		unsigned asked;
	} own[] = {{"min_ctas", set->min_ctas}, {"max_ctas", set->max_ctas}};
	struct path *path = &log->path;
	bool said;
	inherit(set, log);
	path->settings = calloc(set->nenv + 3, sizeof *path->settings);
	if (!path->settings)
		return status_set(st, "out of memory");
	for (unsigned i = 0; i < set->nenv; i++) {
		const char *is = strchr(set->env[i], '=');
		char key[TRIAL_ENV_BYTES];
		if (!is || strncmp(set->env[i], "NCCL_", 5))
			continue;
		snprintf(key, sizeof key, "env.%.*s", (int)(is - set->env[i]), set->env[i]);
		evaluate(log, key, is + 1, &path->settings[path->nsettings], &said);
		path->nsettings += said;
	}
	for (unsigned i = 0; i < 2; i++) {
		char asked[16];
		if (!own[i].asked)
			continue;
		snprintf(asked, sizeof asked, "%u", own[i].asked);
		evaluate(log, own[i].key, asked, &path->settings[path->nsettings], &said);
		path->nsettings += said;
	}
	if (set->cta_policy == CTA_ZERO)
		copy_engines(path, &path->settings[path->nsettings++]);
	return 0;
}
