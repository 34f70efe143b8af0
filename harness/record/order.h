/* Whether a cell's stamps are in the order in which they were taken. */
#pragma once

#include "../exchange/hosts_link.h"
#include "../trial/trial.h"

/* NULL, or why not. between: of the hosts, if there are several, else NULL. */
const char *order_wrong(const struct trial *trial, void *area, unsigned cell,
                        const struct hosts_link *link);

/* Ranks meet before each row: none begins one before all others ended the row before. Stamps of
 * several hosts may seem to, by as much as their clocks may be wrong: bound_ns of each host. */
bool order_of_hosts(const struct trial *trial, void *area, unsigned cell, unsigned hosts,
                    const double *bound_ns);
