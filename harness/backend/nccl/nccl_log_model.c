#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nccl_log.h"

/* The oldest version whose kernels the rule is based on, and the first one with the new rule (2.23.4
 * was the first 2.23). */
#define OLDEST_VERSION   21210
#define REGISTER_VERSION 22300

/* Counts over all links. */
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
	if (ends == 2 && !e->registration[NCCL_REG_IPC].failed)
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
		return "every version of NCCL stages here: the log shows no buffer "
		       "registered with a peer and no 'direct pointer'";
	return pointer ? "NCCL up to 2.22 that pulls ('/read') reads a peer's buffer "
	                 "directly only if it was registered"
	               : "NCCL up to 2.22 writes into a peer's buffer only within one process "
	                 "and with NCCL_P2P_DIRECT_DISABLE off; here it goes through a FIFO";
}

static void say_unknown(const struct judging *j, char *why, size_t bytes)
{
	const unsigned failed = j->log->registration[NCCL_REG_IPC].failed;
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
