/* The settings of a variant: a factor is two variants that differ in exactly one of these. */
#pragma once

#include "../coll/split.h"
#include "field.h"
#include "hosts.h"
#include "layout.h"

#define TRIAL_NAME_BYTES   64
#define TRIAL_MAX_ENV      36 /* what a file may set, and what the path's pass adds */
#define TRIAL_ENV_BYTES    512
#define SETTINGS_MAX_RANKS 1024

/* gated: devices hold work until all have issued, so that executing is timed without launching. */
enum start { START_FREE, START_GATED, START_KINDS };
enum bind { BIND_NONE, BIND_CORE, BIND_NUMA, BIND_NEAR_GPU, BIND_CLOSE, BIND_KINDS };
/* auto: spin, and yield if ranks are more than CPUs. block: sleeps until the device is through. */
enum wait { WAIT_AUTO, WAIT_SPIN, WAIT_YIELD, WAIT_BLOCK, WAIT_QUERY, WAIT_KINDS };
enum traffic_kind { TRAFFIC_NONE, TRAFFIC_LINKS, TRAFFIC_CPU, TRAFFIC_KINDS };
enum visible { VISIBLE_ALL, VISIBLE_OWN, VISIBLE_KINDS };
/* core/isolation.h. uts: a host name; shm: an empty /dev/shm; devices: no other GPUs. */
enum isolate {
	ISOLATE_UTS,
	ISOLATE_IPC,
	ISOLATE_SHM,
	ISOLATE_PID,
	ISOLATE_CGROUP,
	ISOLATE_DEVICES,
	ISOLATE_KINDS
};
#define ISOLATE_BIT(KIND) (1u << (KIND))
/* Of a library that works in CPU memory. device: buffers on the rank's GPU, staged. */
enum memory { MEMORY_HOST, MEMORY_DEVICE, MEMORY_KINDS };
/* Of a plain copy: the copy engine, a kernel, or one thread whose loads wait for each other. */
enum engine { ENGINE_CE, ENGINE_SM, ENGINE_CHASE, ENGINE_KINDS };
/* Which of two GPUs does it: the source writes, or the destination reads. A chase reads. */
enum peer { PEER_WRITE, PEER_READ, PEER_KINDS };
/* auto: ncclMemAlloc where the library has it. */
enum allocator { ALLOCATOR_AUTO, ALLOCATOR_NCCL, ALLOCATOR_CUDA, ALLOCATOR_KINDS };
enum registration {
	REGISTER_NONE,
	REGISTER_LOCAL,
	REGISTER_WINDOW,
	REGISTER_RECV_WINDOW, /* of the receive buffer alone */
	REGISTER_KINDS
};
enum cta_policy { CTA_LIBRARY, CTA_DEFAULT, CTA_EFFICIENCY, CTA_ZERO, CTA_KINDS };
/* Who makes a process's communicators: each worker its own ranks', or the first worker all. */
enum init { INIT_PARALLEL, INIT_GROUPED, INIT_KINDS };

struct settings {
	char mode[TRIAL_NAME_BYTES];
	struct layout layout;            /* of all hosts together */
	char launcher[TRIAL_NAME_BYTES]; /* or auto: the first that can */
	char hosts[HOSTS_BYTES];         /* hosts.h */
	char backend[TRIAL_NAME_BYTES];
	enum bind bind;
	char cpus[24]; /* of each rank, "4"; one of several, "1/2"; "": as many as there are */
	enum wait wait;
	enum traffic_kind traffic;
	enum visible visible;
	unsigned isolate; /* ISOLATE_BITs: what is isolated for each process */
	enum start start;
	struct split split;    /* the communicator, into groups that work in parallel */
	unsigned aggregate;    /* calls that are issued in one group, 1 and up */
	unsigned graph;        /* replays of a captured row; 0: no graph */
	bool force;            /* also where the vendor advises against it */
	unsigned offset_bytes; /* of the buffers from an aligned address */
	unsigned stride;       /* of access: elements between two that neighbouring threads take */
	enum engine engine;    /* of plain copies (COLL_RAW) */
	enum peer peer;        /* of pair_copy */
	char path[TRIAL_NAME_BYTES]; /* host: auto, direct, fifo, shared */
	enum memory memory;          /* mpi, gloo */
	char nccl[PATH_MAX];         /* library to load; "" is the system's */
	char nccl_below[16];         /* its version has to be before this, "2.23", or "" */
	char api[TRIAL_NAME_BYTES];
	enum allocator allocator;
	enum registration registration;
	enum cta_policy cta_policy;
	unsigned min_ctas, max_ctas; /* 0: the library's choice */
	unsigned call_ctas;          /* the most of a call, by its own configuration; 0: not said */
	unsigned ranks_per_gpu;      /* 1 and up */
	enum init init;
	/* Of a step of training (coll/network.h): */
	unsigned batch;        /* samples of a rank */
	uint64_t first_bucket; /* bytes at which the first bucket is full; 0: as the others */
	unsigned accumulation; /* backward passes, of which the last one is reduced */
	unsigned hidden;       /* of a mixture of experts: a token's width */
	bool bucket_view;  /* gradients are in their bucket; else they are copied there and back */
	int64_t delay_ns;  /* null: length of one call on the virtual device */
	int delay_rank;    /* the rank that has extra_ns on top; -1: all ranks */
	int64_t extra_ns;  /* null and host: a known delay that the analysis must find */
	int flip_rank;     /* the rank with one bit of output flipped to test the check; -1: none */
	int64_t flip_byte; /* which byte, from the start of its receive arena */
	unsigned nenv;
	char env[TRIAL_MAX_ENV][TRIAL_ENV_BYTES]; /* KEY=value */
};

void settings_default(struct settings *out);

/* The rows, in the order of the record; two may share a key, which the first of them reads. */
extern const struct fields settings_fields;

/* The words of a key, in the order of its enum, NULL-terminated; NULL: it has none. */
const char *const *settings_words(const char *key);

/* The caller owns it. NULL when memory is out, or a text is not UTF-8. */
json_t *settings_to_json(const struct settings *settings);
/* Strict: every row has to be there, and nothing else. */
int settings_from_json(json_t *json, struct settings *out, struct status *st);

/* Whether a key is a check of a variant (force, nccl_below) and no setting. */
bool settings_is_check(const char *key);

static inline unsigned settings_hosts(const struct settings *settings)
{
	return hosts_count(settings->hosts);
}

static inline struct layout settings_on_host(const struct settings *settings)
{
	return layout_on_host(settings->layout, settings_hosts(settings));
}

/* `cpus`: how many, and for how many ranks. 0 and 1: as many as there are. */
unsigned settings_cpus(const struct settings *settings, unsigned *ranks);

static inline bool settings_isolates(const struct settings *settings)
{
	return settings->isolate || settings->visible == VISIBLE_OWN;
}

static inline int64_t settings_extra_ns(const struct settings *s, unsigned rank)
{
	return s->delay_rank < 0 || (unsigned)s->delay_rank == rank ? s->extra_ns : 0;
}

/* How many differ, and their keys ("mode, env.NCCL_ALGO"). Mode and layout are one, and more ranks
 * are `ranks`, unless the layout differs in more than one number; checks do not count. */
unsigned settings_differ(const struct settings *a, const struct settings *b, char *keys,
                         size_t bytes);

/* What is set beyond the defaults, except mode, layout and backend: "cpus = 1/2, env.X = 1". */
void settings_text(const struct settings *settings, char *text, size_t bytes);

/* A variable's value in `env`, or NULL; a name may be followed by '=' and anything. */
const char *settings_env(const struct settings *settings, const char *name);
/* Sets KEY=value, replacing an earlier one. -1: `most` others are there. */
int settings_env_set(struct settings *settings, const char *name, const char *value, unsigned most);

/* In a key as a file names it ("mode" and "layout" are one); true of no setting. */
bool settings_same(const char *key, const struct settings *a, const struct settings *b);

/* Whether a key is set that only some backends use and that is not among `uses`, and which. */
bool settings_unused(const struct settings *settings, const char *const *uses, char *key,
                     size_t bytes);
