/* What this machine is: the only reader of the environment, the topology, and the binder. */
#ifndef LAUNCHGAP_MACHINE_H
#define LAUNCHGAP_MACHINE_H

#include <jansson.h>

#include "trial/trial.h"

const char *machine_env(const char *name);
/* Before CUDA is touched: it shows `count` GPUs from the `first` of those that it would show; 0:
 * all, whatever the environment says. */
void machine_show_gpus(unsigned first, unsigned count);
/* A library's log file gets the process's number: where each has pids of its own, its own %p is
 * not enough. */
void machine_part_logs(unsigned process);
/* Whether PATH leads to a program of that name. */
bool machine_has_program(const char *name);
/* Cores this process may use: its affinity and its cgroup's quota, whichever is less; at
 * least 1. */
unsigned machine_cores(void);
/* Bytes of memory that this process holds at this moment, each page that n processes share as
 * an n-th (Linux's Pss); -1 where the kernel does not say. May take milliseconds. */
long long machine_memory_share(void);

/* Bytes of this process's own memory that lie in huge pages; -1 where the kernel does not say. */
long long machine_memory_huge(void);

/* The record's "machine" object: host, boot (which start of which machine), cpu, cores, numa nodes, memory, kernel, os, gpus,
 * driver, the NCCL_… and CUDA_… environment. The caller owns the reference. */
json_t *machine_describe(void);

/* Adds to a topology (record/topology.h; NULL: none yet) where hwloc sees its GPUs, and the
 * cores of this process. Takes the reference and gives one back; NULL when memory is out. */
json_t *machine_places(json_t *topology);

/* Where a worker may sit: the topology and the cores its thread had before binding. Taken by
 * the worker's own thread before anything is bound; NULL when hwloc fails, which bind() then
 * says. */
struct machine_binding;
struct machine_binding *machine_binding_take(void);
/* Gives the calling thread, and those that it will make, the CPUs of `count` ranks of nranks:
 * `cpus` for every `cpus_ranks` ranks, the same ones in every mode, as far apart as they go. Ranks
 * share none that do not have to. -1: the system refused. */
int machine_cpus_set(unsigned cpus, unsigned cpus_ranks, unsigned first, unsigned count,
                     unsigned nranks);
/* Those that the calling thread may run on, as "0-1,4". */
void machine_cpus_list(char *list, size_t bytes);
void machine_binding_free(struct machine_binding *binding);

/* Who is to be bound, and to what. */
struct machine_seat {
	enum bind bind;
	bool opening; /* near-gpu, close: the device's NUMA node, which helper threads inherit */
	int numa;     /* the device's node, or -1 */
	unsigned worker, nworkers;
};
/* Binds the calling thread for opening, or for timing (core, near-gpu, close: one core). The
 * team's cores are as far apart as they go, or with `close` one after the other: a virtual
 * machine may hide that neighbours are hardware threads of one core. Where there are fewer cores
 * than workers, it is left unbound. text: what was done, e.g. "core 3", "numa 0", "none". */
void machine_binding_set(struct machine_binding *binding, const struct machine_seat *seat,
                         char *text, size_t bytes);

#endif
