/* This machine: its description, topology and environment (which only this file reads), and binding. */
#ifndef LAUNCHGAP_MACHINE_H
#define LAUNCHGAP_MACHINE_H

#include <jansson.h>

#include "trial/trial.h"

const char *machine_env(const char *name);
/* Before CUDA is used: makes it show `count` GPUs from the `first` of those that it would show; 0:
 * all, whatever the environment says. */
void machine_show_gpus(unsigned first, unsigned count);
/* Names NCCL's log after the process's number: with pid namespaces, its %p is not unique. */
void machine_part_logs(unsigned process);
/* Which host this process is on: its name and boot, or what MACHINE_HOST says. */
#define MACHINE_HOST       "LAUNCHGAP_HOST"
#define MACHINE_HOST_BYTES 112
void machine_host(char out[MACHINE_HOST_BYTES]);
/* The same for sentences: without the boot. */
void machine_host_name(char out[MACHINE_HOST_BYTES]);
bool machine_has_program(const char *name);
/* Cores that this process may use: the lesser of its affinity and its cgroup's quota; at least 1. */
unsigned machine_cores(void);
/* Bytes of this process now; a page that n processes share counts 1/n (Linux's Pss). -1 if the kernel does
 * not say. May take milliseconds. */
long long machine_memory_share(void);

/* Network cards that are up, with what each carries one way in Mb/s, by `class` (/sys/class): "eth0 25000,
 * IB mlx5_0:1 200000". A RoCE card is there twice. Interfaces without a device, and those of virtual
 * machines, have no rate. */
void machine_networks(const char *class, char *text, size_t bytes);

/* The record's "machine" object. The caller owns the reference. */
json_t *machine_describe(void);

/* Adds the places of GPUs by hwloc to a topology (record/topology.h; NULL: none yet), and the cores
 * of this process. Takes the reference and returns one; NULL if memory is out. */
json_t *machine_places(json_t *topology);

/* Where a worker may be bound. Its own thread takes it before anything is bound; NULL if hwloc fails,
 * which machine_binding_set then reports. */
struct machine_binding;
struct machine_binding *machine_binding_take(void);
/* Binds the calling thread, and those that it will create, to the CPUs of its ranks: `cpus` for every
 * `cpus_ranks`, the same ones in every mode, as far apart as possible. -1: the system refused. */
int machine_cpus_set(unsigned cpus, unsigned cpus_ranks, unsigned first, unsigned count,
                     unsigned nranks);
/* The CPUs that the calling thread may run on, as "0-1,4". */
void machine_cpus_list(char *list, size_t bytes);
void machine_binding_free(struct machine_binding *binding);

/* The worker to bind, and what to bind it to. */
struct machine_seat {
	enum bind bind;
	bool opening; /* near-gpu, close: the device's NUMA node, which helper threads inherit */
	int numa;     /* the device's node, or -1 */
	unsigned worker, nworkers;
};
/* Binds the calling thread for opening, or for timing (core, near-gpu, close: one core). The team's
 * cores are as far apart as possible, or with `close` adjacent: a virtual machine may hide that
 * neighbours are hardware threads of one core. With fewer cores than workers the thread stays
 * unbound. text: the result, e.g. "core 3", "numa 0", "none". */
void machine_binding_set(struct machine_binding *binding, const struct machine_seat *seat,
                         char *text, size_t bytes);

#endif
