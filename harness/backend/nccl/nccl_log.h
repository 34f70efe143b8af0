/* The path that NCCL's data took, as NCCL's own log proves it. Needs neither CUDA nor NCCL.
 *
 * The log is what a job writes with NCCL_DEBUG=INFO, NCCL_DEBUG_SUBSYS=NCCL_LOG_SUBSYS and a
 * file per process (NCCL_DEBUG_FILE=…%h.%p). Without REG in it, missing registration proves
 * nothing. The line forms are those of NCCL's src/transport/{p2p,shm,net,nvls,coll_net}.cc,
 * src/register, src/enqueue.cc, src/ce_coll.cc and src/scheduler, 2.14 to 2.30; where a version
 * words a line differently, nccl_log_line.c says so.
 *
 * Only what reads files blocks. Errors: -1 with a sentence in st. */
#ifndef LAUNCHGAP_NCCL_LOG_H
#define LAUNCHGAP_NCCL_LOG_H

#include "../../trial/settings.h"
#include "../../trial/path.h"
#include "nccl_log_line.h"

#define NCCL_LOG_SUBSYS "INIT,ENV,P2P,SHM,NET,REG,TUNING"

/* All zero to begin with. */
struct nccl_log {
	struct path path; /* what it comes to; registered: in one way at least, and that way
	                     never failed */
	unsigned version_code; /* as ncclGetVersion gives it from 2.9 on, 22803; 0: unknown */
	/* Counted along the way. */
	struct {
		unsigned done, failed;
		char reason[96]; /* NCCL's words at the first failure */
	} registration[NCCL_REG_KINDS];
	unsigned asked;          /* buffers given to ncclCommRegister */
	unsigned skipped;        /* of these, not registered on purpose; why: */
	char skipped_reason[96]; /* in NCCL's words */
	unsigned symmetric_ll;   /* symmetric kernels of the LL kind, which stage */
	unsigned symmetric_lines;
	unsigned nset, room_set;
	struct nccl_log_set {
		char name[64], value[64];
	} * set; /* owned: variables that NCCL read */
	unsigned npairs, room_links, room_pairs;
	struct nccl_log_pair {
		unsigned rank, peer;
	} * pairs; /* owned, sorted: rank opened a buffer of its own to peer */
};

/* Adds what one log says. A last line without its newline is torn and left out. May be called
 * for several logs of one job: what both ends of a link say counts once. Fails when memory is
 * out or when the logs are of two versions of NCCL; what was read before stays valid. */
int nccl_log_parse(const char *text, size_t bytes, struct nccl_log *inout, struct status *st);

/* All files of `folder` whose names begin with `prefix`, in the order of their names. Fails
 * when there is none. */
int nccl_log_read_files(const char *folder, const char *prefix, struct nccl_log *inout,
                        struct status *st);

/* Fills path.settings: what NCCL made of each setting that its log tells of (nccl_acted.c).
 * -1 when memory is out. */
int nccl_acted(const struct settings *settings, struct nccl_log *inout, struct status *st);

void nccl_log_free(struct nccl_log *log); /* what it owns; all zero afterwards */

/* What a trial was run with. */
struct nccl_log_settings {
	unsigned nccl_version;      /* from ncclGetVersion; 0: what the log says */
	const char *direct_disable; /* NCCL_P2P_DIRECT_DISABLE, NULL when unset */
	const char *read_enable;    /* NCCL_P2P_READ_ENABLE, NULL when unset */
};

/* Sets the path's data and why, for sends and receives (alltoall, sendrecv) that are too large
 * for the LL protocol, which always stages. Rules, from src/device/prims_simple.h and
 * src/enqueue.cc: up to 2.22.3, same process ("direct pointer") and pushed is direct, all else
 * staged; from 2.23.4 on, a P2P link is direct when both its ranks opened their buffers to each
 * other, and "direct pointer" is a label without effect. SHM and sockets stage. A setting that
 * the log contradicts makes it unknown. Assumes, as the log cannot tell, that a rank which
 * registers its send buffer registers its receive buffer too. */
void nccl_log_model(const struct nccl_log_settings *settings, struct nccl_log *inout);

/* struct backend's log_ask and log_path. */
int nccl_log_ask(struct settings *settings, const char *folder, const char *prefix,
                 struct status *st);
int nccl_log_path(const struct settings *settings, const char *folder, const char *prefix,
                  struct path *out, struct status *st);

#endif
