#include "record_hosts.h"

#include <stddef.h>
#include <stdlib.h>

#include "../core/team.h"
#include "../trial/hosts.h"
#include "member.h"

#define ROW(KEY, KIND, MEMBER) {.key = KEY, .kind = MEMBER_##KIND, .offset = offsetof(struct record_host, MEMBER)}
// clang-format off
static const struct member_field fields[] = {
    ROW("clock_offset_ns", REAL, clock.offset_ns),
    ROW("clock_drift_ppm", REAL, clock.drift_ppm),
    ROW("clock_bound_ns", REAL, clock.bound_ns),
    ROW("clock_residual_ns", REAL, clock.residual_ns),
    ROW("round_trip_ns", REAL, clock.rtt_ns),
    ROW("pings", COUNT, clock.pings),
    ROW("clock_steps", COUNT, clock.steps),
    ROW("meets", LONG, meets.meets),
    ROW("late", LONG, meets.late),
    ROW("late_ns", LONG, meets.late_ns),
    ROW("margin_ns", LONG, meets.margin_ns),
};
// clang-format on
#undef ROW
#define NFIELDS (sizeof fields / sizeof *fields)

static json_t *host_json(const struct hosts_link *b, unsigned h)
{
	struct record_host host;
	json_t *out = json_object();
	hosts_link_clock(b, h, &host.clock);
	hosts_link_meets(b, h, &host.meets);
	for (size_t i = 0; out && i < NFIELDS; i++)
		if (json_object_set_new(out, fields[i].key, member_json(&fields[i], &host)))
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
			if (member_take(at, json_array_get(list, h), &fields[i], &all[h])) {
				free(all);
				return -1;
			}
	*out = all;
	*n = (unsigned)hosts;
	return 0;
}
