#include "order.h"

#include <math.h>

#include "../core/sample.h"
#include "../trial/hosts.h"

/* Each rank's own stamps, and all after the cell's begin. */
static bool of_ranks(const struct trial *trial, void *area, unsigned cell)
{
	unsigned nranks = layout_ranks(trial->settings.layout);
	unsigned rows = trial_rows(trial, &trial->cells[cell]);
	int64_t begin = sample_tally(trial, area, cell, 0)->begin_ns;
	for (unsigned r = 0; r < nranks; r++) {
		const struct sample *s = sample_rows(trial, area, cell, r);
		for (unsigned i = 0; i < rows; i++)
			if (s[i].start_ns < begin || s[i].issued_ns < s[i].start_ns ||
			    s[i].idle_ns < s[i].issued_ns || s[i].poll_ns < 0)
				return false;
	}
	return true;
}

bool order_of_hosts(const struct trial *trial, void *area, unsigned cell, unsigned hosts,
                    const double *bound_ns)
{
	const unsigned nranks = layout_ranks(trial->settings.layout), each = nranks / hosts;
	const unsigned rows = trial_rows(trial, &trial->cells[cell]);
	const int64_t from = sample_tally(trial, area, cell, 0)->begin_ns;
	double ended = 0; /* the last end of the row before, at the earliest; since the begin */
	for (unsigned i = 0; i < rows; i++) {
		double begun = INFINITY, ends = 0;
		for (unsigned r = 0; r < nranks; r++) {
			const struct sample *s = &sample_rows(trial, area, cell, r)[i];
			const double bound = bound_ns[r / each];
			begun = fmin(begun, (double)(s->start_ns - from) + bound);
			ends = fmax(ends, (double)(s->idle_ns - from) - bound);
		}
		if (begun < ended)
			return false;
		ended = ends;
	}
	return true;
}

/* The bound of a host's stamps in a cell: a line is worst at an end. Its stamps are those of the
 * first host's clock by now. */
static double bound_of(const struct hosts_link *b, unsigned host, int64_t first_ns, int64_t last_ns)
{
	struct hosts_link_clock clock;
	hosts_link_clock(b, host, &clock);
	const int64_t offset = (int64_t)clock.offset_ns;
	return fmax(hosts_link_bound_ns(b, host, first_ns + offset),
	            hosts_link_bound_ns(b, host, last_ns + offset));
}

const char *order_wrong(const struct trial *trial, void *area, unsigned cell,
                        const struct hosts_link *link)
{
	const unsigned hosts = settings_hosts(&trial->settings),
	               rows = trial_rows(trial, &trial->cells[cell]);
	double bound_ns[HOSTS_MOST];
	if (!of_ranks(trial, area, cell))
		return "the stamps are not in order of time: the clock went back, or a worker "
		       "stamped a cell twice";
	if (!link || hosts < 2 || !rows)
		return NULL;
	const int64_t first = sample_tally(trial, area, cell, 0)->begin_ns,
	              last = sample_rows(trial, area, cell, 0)[rows - 1].idle_ns;
	for (unsigned h = 0; h < hosts; h++)
		bound_ns[h] = bound_of(link, h, first, last);
	return order_of_hosts(trial, area, cell, hosts, bound_ns)
	           ? NULL
	           : "the stamps of hosts are further out of order than their clocks may be wrong: "
	             "a clock was set, or changed its course";
}
