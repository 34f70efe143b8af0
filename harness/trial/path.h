/* The path that a variant's data took, as the record has it; nccl_log.h fills it in. Pure. */
#pragma once

#include <jansson.h>

#include "../status.h"

#define PATH_VIA_BYTES 64
#define PATH_WHY_BYTES 256

/* What one rank sends another over one transport. A pair has two if its channels differ. */
struct path_link {
	unsigned from, to;
	char via[PATH_VIA_BYTES]; /* as NCCL names it: "P2P/CUMEM/read", "NET/IB/0/GDRDMA" */
	unsigned channels;        /* distinct ones, seen by either end */
	/* Channels as bits: of rings and trees, and of sends and receives. SHM's is in both. */
	uint64_t seen[2];
};

/* What the library did with a setting that was asked for, by its log. */
enum path_act {
	PATH_ACTED,   /* as asked */
	PATH_CAPPED,  /* something less, or more */
	PATH_IGNORED, /* never read in this job */
	PATH_ACTS
};

struct path_setting {
	char key[64]; /* as an experiment file writes it: "env.NCCL_BUFFSIZE" */
	char asked[64];
	char used[64]; /* or "" if the log has no figure */
	enum path_act act;
	char fact[32];            /* the figure of path_fact that it concerns; or "" */
	char why[PATH_WHY_BYTES]; /* "capped to NCCL_BUFFSIZE / 8", or "" */
};

/* What the library chose for a call; the last one of a collective and its bytes counts. */
struct path_choice {
	char collective[24];      /* as the library names it: "AllReduce" */
	unsigned long long bytes; /* as it counts them: of the call's count */
	char algorithm[24], protocol[16];
	unsigned channels;
};

/* direct: into (or out of) the peer's user buffer. staged: through a buffer of the library. */
enum path_data { PATH_UNKNOWN, PATH_DIRECT, PATH_STAGED, PATH_DATA_KINDS };

struct path {
	unsigned nlinks;
	struct path_link *links; /* owned; by from, to, via; never from a rank to itself */
	/* What all links have in common: "P2P/CUMEM", "NET/IB"; "mixed"; "" without links. */
	char transport[PATH_VIA_BYTES];
	char version[32]; /* of the library, "2.28.3"; "" when the log does not say */
	bool registered;
	char registered_why[PATH_WHY_BYTES];
	bool copy_engine; /* collectives ran on copy engines */
	bool symmetric;   /* collectives ran as symmetric kernels */
	enum path_data data;
	char why[PATH_WHY_BYTES];
	/* Figures that the library states; 0: not in its log. */
	unsigned coll_channels, p2p_channels, p2p_channels_per_peer;
	unsigned long long p2p_chunk_bytes;
	/* Each collective's last: "AllReduce RING SIMPLE, 16 channels", "; " between. */
	char algorithms[PATH_WHY_BYTES];
	unsigned nchoices;
	struct path_choice *choices; /* owned, in the order of their first lines */
	unsigned nsettings;
	struct path_setting *settings; /* owned */
	/* What the library read and no variant asks for: "NCCL_ALGO=Ring, NCCL_P2P_DISABLE=1". */
	char inherited[PATH_WHY_BYTES];
	unsigned unread; /* lines about channels or registration that were torn or of a new form */
};

void path_free(struct path *path); /* frees what it owns; all zero afterwards */

const char *path_data_name(enum path_data data);
/* "P2P/CUMEM, 12 links, data path staged, not registered" */
void path_text(const struct path *path, char *text, size_t bytes);

/* "P2P/CUMEM 0-1, 2-3; SHM/direct 0-2, 1→3", at most eight of each; →: back differs. */
void path_pairs_text(const struct path *path, char *text, size_t bytes);

/* A figure by its name in the record ("p2p_channels"), as text; "" if the log does not say. */
void path_fact(const struct path *path, const char *name, char *text, size_t bytes);
/* "asked 2097152, used 524288: capped to NCCL_BUFFSIZE / 8"; bytes: 512 will do. */
void path_setting_text(const struct path_setting *setting, char *text, size_t bytes);

/* NULL: out of memory. The caller owns the object. */
json_t *path_to_json(const struct path *path);
/* The caller frees *out with path_free. */
int path_from_json(const json_t *json, struct path *out, struct status *st);
