/* The hosts of a job on several, in a trial's first cell: how each clock ran against the first host's, and
 * how well each met the others (exchange/hosts_link.h says what the numbers are). */
#ifndef LAUNCHGAP_RECORD_HOSTS_H
#define LAUNCHGAP_RECORD_HOSTS_H

#include <jansson.h>

#include "../exchange/hosts_link.h"

struct team;
struct member_place;

struct record_host {
	struct hosts_link_clock clock;
	struct hosts_link_meets meets;
};

/* NULL: out of memory. */
json_t *record_hosts_json(const struct team *team);
/* Those of a line, which the caller frees; none and NULL if it has none. */
int record_hosts_take(const struct member_place *at, const json_t *line, struct record_host **out,
                      unsigned *n);

#endif
