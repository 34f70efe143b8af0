/* The path that NCCL's data took, as NCCL's own log proves it.
 *
 * The log is what a job writes with NCCL_DEBUG=INFO, NCCL_DEBUG_SUBSYS=PATH_LOG_SUBSYS and a
 * file per process (NCCL_DEBUG_FILE=…%h.%p). Without REG in it, missing registration proves
 * nothing. The line forms are those of NCCL's src/transport/{p2p,shm,net,nvls,coll_net}.cc,
 * src/register, src/enqueue.cc, src/ce_coll.cc and src/scheduler, 2.14 to 2.30; where a version
 * words a line differently, path_line.c says so.
 *
 * Nothing here blocks but path_read_files. Errors: -1 with a sentence in st. */
#ifndef LAUNCHGAP_PATH_H
#define LAUNCHGAP_PATH_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../status.h"

#define PATH_LOG_SUBSYS "INIT,P2P,SHM,NET,REG,TUNING"
#define PATH_VIA_BYTES  64
#define PATH_WHY_BYTES  256

/* What one rank sends another over one transport, all channels together. A pair of ranks has
 * two links when its channels differ, say in their network devices. */
struct path_link {
	unsigned from, to;
	char via[PATH_VIA_BYTES]; /* as NCCL names it: "P2P/CUMEM/read", "NET/IB/0/GDRDMA" */
	unsigned channels;        /* distinct ones, seen by either end */
	/* Channels as bits: of connection 0 (rings, trees) and of 1 (sends and receives). SHM's
	 * line does not say which: it is in both. */
	uint64_t seen[2];
};

/* How user buffers can be registered, each with lines of its own. */
enum path_reg { PATH_REG_IPC, PATH_REG_NET, PATH_REG_NVLS, PATH_REG_COLLNET, PATH_REG_KINDS };

/* direct: into (or out of) the peer's user buffer. staged: by way of a buffer of NCCL's own. */
enum path_data { PATH_UNKNOWN, PATH_DIRECT, PATH_STAGED, PATH_DATA_KINDS };

/* All zero to begin with. */
struct path_evidence {
	unsigned nlinks;
	struct path_link *links; /* owned; by from, to, via; never from a rank to itself */
	/* What all links have in common, whole words between '/': "P2P/CUMEM", "NET/IB";
	 * "mixed" when they are of different transports; "" without links. */
	char transport[PATH_VIA_BYTES];
	char version[32];      /* of NCCL, "2.28.3"; "" when the log does not say */
	unsigned version_code; /* as ncclGetVersion gives it from 2.9 on, 22803; 0: unknown */
	bool registered;       /* in one way at least, and that way never failed */
	char registered_why[PATH_WHY_BYTES];
	bool copy_engine; /* collectives ran on copy engines */
	bool symmetric;   /* collectives ran as symmetric kernels */
	/* By path_model. */
	enum path_data data;
	char why[PATH_WHY_BYTES];
	unsigned
	    unread; /* lines about channels or registration that were torn or of a new form */

	/* Counted along the way; not in the record. */
	struct {
		unsigned done, failed;
		char reason[96]; /* NCCL's words at the first failure */
	} registration[PATH_REG_KINDS];
	unsigned asked;          /* buffers given to ncclCommRegister */
	unsigned skipped;        /* of these, not registered on purpose; why: */
	char skipped_reason[96]; /* in NCCL's words */
	unsigned symmetric_ll;   /* symmetric kernels of the LL kind, which stage */
	unsigned symmetric_lines;
	unsigned npairs, room_links, room_pairs;
	struct path_pair {
		unsigned rank, peer;
	} * pairs; /* owned, sorted: rank opened a buffer of its own to peer */
};

/* Adds what one log says. A last line without its newline is torn and left out. May be called
 * for several logs of one job: what both ends of a link say counts once. Fails when memory is
 * out or when the logs are of two versions of NCCL; what was read before stays valid. */
int path_parse(const char *text, size_t bytes, struct path_evidence *inout, struct status *st);

/* All files of `folder` whose names begin with `prefix`, in the order of their names. Fails
 * when there is none. */
int path_read_files(const char *folder, const char *prefix, struct path_evidence *inout,
                    struct status *st);

void path_free(struct path_evidence *evidence); /* what it owns; all zero afterwards */

/* What a trial was run with. */
struct path_settings {
	unsigned nccl_version;      /* from ncclGetVersion; 0: what the log says */
	const char *direct_disable; /* NCCL_P2P_DIRECT_DISABLE, NULL when unset */
	const char *read_enable;    /* NCCL_P2P_READ_ENABLE, NULL when unset */
};

/* Sets data and why, for sends and receives (alltoall, sendrecv) that are too large for the LL
 * protocol, which always stages. Rules, from src/device/prims_simple.h and src/enqueue.cc:
 * up to 2.22.3, same process ("direct pointer") and pushed is direct, all else staged; from
 * 2.23.4 on, a P2P link is direct when both its ranks opened their buffers to each other, and
 * "direct pointer" is a label without effect. SHM and sockets stage. A setting that the log
 * contradicts makes it unknown. Assumes, as the log cannot tell, that a rank which registers
 * its send buffer registers its receive buffer too. */
void path_model(const struct path_settings *settings, struct path_evidence *inout);
const char *path_data_name(enum path_data data); /* unknown, direct, staged */

/* `expect` is a transport, or its first words up to a '/', or "mixed", with any of +reg, +ce,
 * +sym, and one of +direct, +staged behind it: "P2P", "P2P/CUMEM", "P2P/CUMEM+reg". */
bool path_matches(const struct path_evidence *evidence, const char *expect);
/* Is it one that path_matches can answer? -1 and a sentence when not. */
int path_expect_check(const char *expect, struct status *st);

/* "P2P/CUMEM, 12 links, data path staged, not registered" */
void path_text(const struct path_evidence *evidence, char *text, size_t bytes);

/* Which pairs of ranks go over which transport, at most eight of each named:
 * "P2P/CUMEM 0-1, 2-3; SHM/direct 0-2, 1→3"; → where the way back is another. */
void path_pairs_text(const struct path_evidence *evidence, char *text, size_t bytes);

/* {"transport", "links": [{"from", "to", "via", "channels"}], "registered", "registered_why",
 *  "copy_engine", "symmetric", "version", "unread", "data_path", "why"}; NULL: out of memory.
 * The caller owns the object. */
json_t *path_to_json(const struct path_evidence *evidence);
/* The caller frees *out with path_free. It can be matched and printed, but not parsed into or
 * modelled again. "symmetric", "version" and "unread" may be missing. */
int path_from_json(const json_t *json, struct path_evidence *out, struct status *st);

#endif
