/* This machine: description, topology, binding, and the environment, which only this file reads. */
#pragma once

#include "trial/trial.h"

const char *machine_env(const char *name);
/* Before CUDA is used: shows `count` GPUs from the `first` of those that it would show; 0: all. */
void machine_show_gpus(unsigned first, unsigned count);
/* Names NCCL's log after the process's number: with pid namespaces, its %p is not unique. */
void machine_part_logs(unsigned process);
/* Which host this process is on: its name and boot, or what MACHINE_HOST says. */
#define MACHINE_HOST       "LAUNCHGAP_HOST"
#define MACHINE_HOST_BYTES 112
void machine_host(char out[MACHINE_HOST_BYTES]);
void machine_host_name(char out[MACHINE_HOST_BYTES]);
bool machine_has_program(const char *name);
/* Cores that this process may use: the lesser of affinity and cgroup's quota; at least 1. */
unsigned machine_cores(void);
/* Bytes of this process now, one of so many of a job here: of shared pages its share (Linux's Pss),
 * of files' pages that of these processes, as other jobs map them too; before Linux 5.3 they count
 * as in Pss. -1: not known. Takes milliseconds. */
long long machine_memory_share(unsigned processes);

/* Cards that are up, Mb/s one way, by `class` (/sys/class): "eth0 25000, IB mlx5_0:1 200000". */
void machine_networks(const char *class, char *text, size_t bytes);

json_t *machine_describe(void);

/* Adds GPUs' places by hwloc to a topology (or NULL), and cores. Takes and returns a reference. */
json_t *machine_places(json_t *topology);

/* Where a worker may be bound, as its own thread finds it before; NULL: hwloc failed. */
struct machine_binding;
struct machine_binding *machine_binding_take(void);
/* Binds the calling thread to the CPUs of its ranks: `cpus` for every `cpus_ranks`, the same in
 * every mode, as far apart as possible. -1: the system refused. */
int machine_cpus_set(unsigned cpus, unsigned cpus_ranks, unsigned first, unsigned count,
                     unsigned nranks);
/* The CPUs that the thread might run on when it took it, as "0-1,4". */
void machine_cpus_list(const struct machine_binding *binding, char *list, size_t bytes);
void machine_binding_free(struct machine_binding *binding);

struct machine_seat {
	enum bind bind;
	bool opening; /* near-gpu, close: the device's NUMA node, which helper threads inherit */
	int numa;     /* the device's node, or -1 */
	unsigned worker, nworkers;
};
/* Binds the calling thread for opening, or for timing (core, near-gpu, close: one core); the team's
 * cores are as far apart as possible, or adjacent with `close`. With fewer cores than workers it
 * stays unbound. text: "core 3", "none". */
void machine_binding_set(struct machine_binding *binding, const struct machine_seat *seat,
                         char *text, size_t bytes);
