/* The path that NCCL's data took, as proved by its log; needs neither CUDA nor NCCL. Without REG in
 * the log, missing registration proves nothing. The forms are those of NCCL's
 * src/transport/{p2p,shm,net,nvls,coll_net}.cc, src/register, src/enqueue.cc, src/ce_coll.cc and
 * src/scheduler, 2.4 to 2.30. Only what reads files blocks. */
#pragma once

#include "../../trial/settings.h"
#include "../../trial/path.h"

#define NCCL_LOG_SUBSYS "INIT,ENV,P2P,SHM,NET,REG,TUNING"

/* How user buffers can be registered; each way has its own lines. */
enum nccl_reg { NCCL_REG_IPC, NCCL_REG_NET, NCCL_REG_NVLS, NCCL_REG_COLLNET, NCCL_REG_KINDS };

/* All zero to begin with. */
struct nccl_log {
	struct path path;      /* the result; registered: in at least one way, which never failed */
	unsigned version_code; /* as ncclGetVersion has it since 2.9: 22803; 0: unknown */
	/* Counts: */
	struct {
		unsigned done;
		struct nccl_log_tally {
			unsigned n;
			char reason[96]; /* NCCL's text, of the first */
		} failed;
	} registration[NCCL_REG_KINDS];
	unsigned asked;                /* buffers given to ncclCommRegister */
	struct nccl_log_tally skipped; /* of these, not registered on purpose */
	unsigned symmetric_ll;         /* symmetric kernels of the LL kind, which stage */
	unsigned nset;
	struct nccl_log_set {
		char name[64], value[64]; /* the value that NCCL made of it */
		bool refused;             /* a default in its place */
	} * set;                          /* owned: variables that NCCL read */
	unsigned npairs;
	struct nccl_log_pair {
		unsigned rank, peer;
	} * pairs; /* owned, sorted: rank opened its own buffer to peer */
};

const struct nccl_log_set *nccl_log_set_find(const struct nccl_log *log, const char *name);

int nccl_log_compare_pairs(const void *a, const void *b);

/* Adds the content of one of a job's logs; a last line without its newline is omitted. Fails if
 * memory is out or the logs are of two versions; what was read before stays. */
int nccl_log_parse(const char *text, size_t bytes, struct nccl_log *inout, struct status *st);

/* Fills path.settings: the effect of each setting that the log shows. -1: memory is out. */
void nccl_acted(const struct settings *settings, struct nccl_log *inout);

void nccl_log_free(struct nccl_log *log); /* what it owns; all zero afterwards */

/* Sets the path's data and why, for sends and receives that are too large for the LL protocol,
 * which stages (src/device/prims_simple.h, src/enqueue.cc). Up to 2.22.3 a link within one process
 * ("direct pointer") that pushes is direct, all others stage; from 2.23.4 on a P2P link is, if both
 * its ranks opened their buffers to each other. SHM and sockets stage. A rank that registers its
 * send buffer is taken to register its receive buffer too. */
void nccl_log_model(const struct settings *settings, struct nccl_log *log);

int nccl_log_ask(struct settings *settings, const char *folder, const char *prefix,
                 struct status *st);
int nccl_log_path(const struct settings *settings, const char *folder, const char *prefix,
                  struct path *out, struct status *st);
