/* What the network cards of a variant's hosts carry: machine_networks of each host, by its first worker.
 * Pure. Sources: net/NAME/speed (Linux, Documentation/ABI/testing/sysfs-class-net) and
 * infiniband/NAME/ports/N/rate (sysfs-class-infiniband), Mb/s and Gb/s one way, headers included. */
#ifndef LAUNCHGAP_NETWORKS_H
#define LAUNCHGAP_NETWORKS_H

#include "../arena.h"
#include "../record/record.h"

struct networks {
	unsigned hosts; /* 0, 1: there is no network between the ranks */
	unsigned ranks; /* of a host */
	double gbs; /* all cards of a host together, one way; of hosts the least; NaN: not known */
	const char *text; /* "2 IB cards a host (50 GB/s together)", or "" */
	const char *why;  /* gbs is not known, or NULL */
};

/* transport, by the library's log: NET/IB takes cards for verbs, NET/Socket interfaces; of another one
 * nothing is known. All memory is the arena's. */
struct networks networks_of(const struct record_run *run, const char *variant,
                            const char *transport, struct arena *arena);

/* The bus bandwidth that they allow at most, GB/s, with n ranks, k of them on each host; NaN: not known.
 * It comes from the least data that has to leave or enter a host, whatever the algorithm. Of what
 * busbw's factors make bytes B in time t:
 *   all_gather, reduce_scatter, gather, scatter   B (n − k) ÷ n
 *   all_reduce                                    twice that; B with switches that add
 *   alltoall                                      k B (n − k) ÷ n, of B a rank
 *   broadcast, reduce, sendrecv                   B */
double networks_rate(const struct networks *networks, enum coll_kind coll, bool adds);

#endif
