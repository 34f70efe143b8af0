#include "record_hosts.h"

#include <stddef.h>

#include "../core/team.h"
#include "../trial/field.h"
#include "../trial/hosts.h"
#include "member.h"
#include "stamps.h"

// clang-format off
#define AT(MEMBER) offsetof(struct record_host, MEMBER)
#define REAL(KEY, MEMBER) {KEY, FIELD_SIGNED, .at = AT(MEMBER)}
#define COUNT(KEY, MEMBER) {KEY, FIELD_NUMBER, .at = AT(MEMBER), .hi = INT_MAX, .record = true}
#define SUM(KEY, MEMBER) {KEY, FIELD_WIDE, .at = AT(MEMBER), .hi = RECORD_MOST_NS, .record = true}
static const struct field rows[] = {
    REAL("clock_offset_ns", clock.offset_ns),
    REAL("clock_drift_ppm", clock.drift_ppm),
    REAL("clock_bound_ns", clock.bound_ns),
    REAL("clock_residual_ns", clock.residual_ns),
    REAL("round_trip_ns", clock.rtt_ns),
    COUNT("pings", clock.pings),
    COUNT("clock_steps", clock.steps),
    SUM("meets", meets.meets),
    SUM("late", meets.late),
    SUM("late_ns", meets.late_ns),
    SUM("margin_ns", meets.margin_ns),
};
// clang-format on
static const struct fields fields = FIELDS_OF(rows, struct record_host);

static json_t *host_json(const struct hosts_link *b, unsigned h)
{
	struct record_host host;
	hosts_link_clock(b, h, &host.clock);
	hosts_link_meets(b, h, &host.meets);
	return field_object(&fields, &host);
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
	struct status why = {""};
	void *all = NULL;
	if (!list)
		return 0;
	if (hosts < 2 || hosts > HOSTS_MOST)
		return member_bad(at, "\"hosts\" is no list of several hosts");
	if (field_list_take(&fields, list, &all, n, &why))
		return member_bad(at, "%s", why.text);
	*out = all;
	return 0;
}
