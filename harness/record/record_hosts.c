#include "record_hosts.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "../core/team.h"
#include "../trial/hosts.h"
#include "member.h"

enum kind { REAL, COUNT, LONG, TIME };

#define CLOCK(MEMBER) offsetof(struct record_host, clock.MEMBER)
#define MEETS(MEMBER) offsetof(struct record_host, meets.MEMBER)
// clang-format off
static const struct host_field {
	const char *key;
	enum kind kind;
	size_t offset;
} fields[] = {
    {"clock_offset_ns",   REAL,  CLOCK(offset_ns)},
    {"clock_drift_ppm",   REAL,  CLOCK(drift_ppm)},
    {"clock_bound_ns",    REAL,  CLOCK(bound_ns)},
    {"clock_residual_ns", REAL,  CLOCK(residual_ns)},
    {"round_trip_ns",     REAL,  CLOCK(rtt_ns)},
    {"pings",             COUNT, CLOCK(pings)},
    {"clock_steps",       COUNT, CLOCK(steps)},
    {"meets",             LONG,  MEETS(meets)},
    {"late",              LONG,  MEETS(late)},
    {"late_ns",           TIME,  MEETS(late_ns)},
    {"margin_ns",         TIME,  MEETS(margin_ns)},
};
// clang-format on
#undef CLOCK
#undef MEETS
#define NFIELDS (sizeof fields / sizeof *fields)

static json_t *field_json(const struct host_field *f, const struct record_host *host)
{
	const void *at = (const char *)host + f->offset;
	switch (f->kind) {
	case REAL:
		return json_real(*(const double *)at);
	case COUNT:
		return json_integer(*(const unsigned *)at);
	case LONG:
		return json_integer((json_int_t) * (const uint64_t *)at);
	case TIME:
		return json_integer(*(const int64_t *)at);
	}
	return NULL;
}

static json_t *host_json(const struct hosts_link *b, unsigned h)
{
	struct record_host host;
	json_t *out = json_object();
	hosts_link_clock(b, h, &host.clock);
	hosts_link_meets(b, h, &host.meets);
	for (size_t i = 0; out && i < NFIELDS; i++)
		if (json_object_set_new(out, fields[i].key, field_json(&fields[i], &host)))
			out = (json_decref(out), NULL);
	return out;
}

json_t *record_hosts_json(const struct team *team)
{
	const unsigned hosts = team_shape(team)->nworkers / team_here(team);
	json_t *list = json_array();
	for (unsigned h = 0; list && h < hosts; h++)
		if (json_array_append_new(list, host_json(team_hosts_link(team), h)))
			list = (json_decref(list), NULL);
	return list;
}

static int take_real(const struct member_place *at, const json_t *from, const char *key,
                     double *out)
{
	const json_t *value = json_object_get(from, key);
	*out = json_number_value(value);
	return json_is_number(value) && isfinite(*out)
	           ? 0
	           : member_bad(at, "\"%s\" of a host is missing or is no number", key);
}

static int take_field(const struct member_place *at, const json_t *from, const struct host_field *f,
                      struct record_host *host)
{
	void *to = (char *)host + f->offset;
	json_int_t number = 0;
	if (f->kind == REAL)
		return take_real(at, from, f->key, to);
	if (f->kind == COUNT)
		return member_count(at, from, f->key, 0, to);
	if (member_number(at, from, f->key, 0, INT64_MAX / 16, &number))
		return -1;
	memcpy(to, &(int64_t){number}, sizeof(int64_t)); /* LONG too: not below 0 */
	return 0;
}

int record_hosts_take(const struct member_place *at, const json_t *line, struct record_host **out,
                      unsigned *n)
{
	const json_t *list = json_object_get(line, "hosts");
	const size_t hosts = json_array_size(list);
	if (!list)
		return 0;
	if (hosts < 2 || hosts > HOSTS_MOST)
		return member_bad(at, "\"hosts\" is no list of several hosts");
	struct record_host *all = calloc(hosts, sizeof *all);
	if (!all)
		return member_bad(at, "out of memory for the record");
	for (size_t h = 0; h < hosts; h++)
		for (size_t i = 0; i < NFIELDS; i++)
			if (take_field(at, json_array_get(list, h), &fields[i], &all[h])) {
				free(all);
				return -1;
			}
	*out = all;
	*n = (unsigned)hosts;
	return 0;
}
