/* The link between a job's hosts: the first process of each, in a TCP star whose centre is host 0.
 *
 * A meeting is a round-time release (as in ReproMPI): host 0 hears that all have arrived and says
 * "go on at T", its clock now + a margin; each host's workers spin until its own clock shows T. Two
 * hosts that came in time go on at most bound(a) + bound(b) apart; one that hears of T after T is
 * late. The margin is twice the typical round trip, the time of telling all, 10 us, and a share
 * that grows until one meeting of a hundred is late. Each meeting is a ping too: the best are
 * points of the clocks' lines.
 *
 * Times are ns of the place's clock. One thread calls, in the same order on all hosts. */
#pragma once

#include "heartbeat.h"

/* A host of which nothing is heard for that long is lost. */
#define HOSTS_LINK_SILENCE_MS 10000

struct hosts_link_place {
	struct peers_seat seat;   /* its ranks are hosts; its door stays the caller's */
	const char *name;         /* of this host in others' sentences */
	int64_t (*now)(void *of); /* the clock that releases are of */
	void *of;
	bool yield;          /* yield the core while waiting */
	unsigned silence_ms; /* 0: HOSTS_LINK_SILENCE_MS */
};

struct hosts_link;

/* All hosts meet, and align their clocks (0.2 s). */
int hosts_link_open(const struct hosts_link_place *place, struct hosts_link **out,
                    struct status *st);
/* NULL is allowed. */
void hosts_link_close(struct hosts_link *l);

/* When to go on, by this host's clock. */
struct hosts_link_release {
	int64_t at_ns, late_ns; /* late_ns 0: in time */
};
/* Waits for all hosts; the caller then waits until the release. No lock, no allocation; spins. */
int hosts_link_meet(struct hosts_link *l, struct hosts_link_release *out);

/* All meetings of a host: on host 0 of each, as of its last message here; elsewhere its own. */
struct hosts_link_meets {
	uint64_t meets, late;
	int64_t late_ns;   /* the most */
	int64_t margin_ns; /* host 0's, now */
};
void hosts_link_meets(const struct hosts_link *l, unsigned host, struct hosts_link_meets *out);

/* They wait as long as the heartbeat knows all to be alive. */
struct peers *hosts_link_peers(struct hosts_link *l);

/* One more point of each host's line, in less than 10 ms; between cells. */
int hosts_link_align(struct hosts_link *l, struct status *st);

/* Of a host against host 0: on host 0 of each, elsewhere its own alone. */
struct hosts_link_clock {
	double offset_ns;   /* its clock less host 0's, at the last alignment */
	double drift_ppm;   /* how much faster it runs */
	double bound_ns;    /* how wrong the offset may be; aligned.h says by what formula */
	double residual_ns; /* the greatest distance of a point from the line */
	double rtt_ns;      /* the least round trip */
	unsigned pings;     /* of alignments */
	unsigned points;    /* of the line now */
	unsigned steps;     /* how often a clock was seen to change its course */
};
void hosts_link_clock(const struct hosts_link *l, unsigned host, struct hosts_link_clock *out);
/* A stamp of that host as host 0's clock had it, and how wrong that may be. */
int64_t hosts_link_to_first(const struct hosts_link *l, unsigned host, int64_t ns);
double hosts_link_bound_ns(const struct hosts_link *l, unsigned host, int64_t ns);

/* Starts the heartbeat; fail() is called from its thread, once at most, for a failure of another
 * host ("host b: rank 5: …") or a lost connection. */
int hosts_link_watch(struct hosts_link *l, const char *(*failure)(void *of),
                     void (*fail)(void *of, const char *text), void *of, struct status *st);
/* This host's on the network that links the hosts: "10.0.0.1". */
void hosts_link_address(const struct hosts_link *l, char text[ADDRESS_BYTES]);
