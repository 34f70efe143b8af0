/* How the hosts of a variant met, as their first processes said at the end of its trials. Pure. */
#ifndef LAUNCHGAP_ANALYSIS_HOSTS_H
#define LAUNCHGAP_ANALYSIS_HOSTS_H

#include "summary.h"

/* Over all trials. The first host's clock is the one that counts: it has no offset, drift or round trip,
 * and it alone has a margin; NaN. */
struct hosts_host {
	const char *name;           /* NULL: not recorded */
	unsigned ranks, meets;      /* meets: of all trials */
	double offset_s, drift_ppm; /* its clock against the first host's; medians */
	double bound_us;            /* how wrong that may be; the most */
	double round_trip_us;       /* the least */
	double late_share, late_us; /* of meets: it heard of the release after it; the most */
	double margin_us;           /* from the decision to the release; median */
};

struct hosts_use {
	unsigned n; /* 0: the variant ran on one host, or nothing is recorded */
	struct hosts_host *hosts;
	double skew_us;    /* any two go on so far apart at most, if both hear of it in time */
	double late_share; /* of the host that was late most often */
	double late_us;    /* the most */
};

/* In the summary's arena. */
struct hosts_use hosts_of(const struct summary *summary, unsigned variant);

/* The first cell that a trial on several hosts measured; NULL: there is none. */
const struct record_cell *hosts_first(const struct summary *summary, unsigned variant);
/* A fact of a host's first worker; NULL: not recorded. */
const char *hosts_fact(const struct record_cell *cell, unsigned host, const char *key);

#endif
