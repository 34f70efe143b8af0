#include "hosts.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "../arena.h"

/* The first cell of a trial on several hosts, if it was measured; else NULL. */
static const struct record_cell *first_cell(const struct summary *s, unsigned variant, unsigned i)
{
	const struct record_cell *c = &s->run->cells[i];
	return s->index.variant_of[i] == variant && c->nhosts && !c->error[0] ? c : NULL;
}

const struct record_cell *hosts_first(const struct summary *s, unsigned variant)
{
	const struct record_cell *c = NULL;
	for (unsigned i = 0; i < s->run->ncells && !c; i++)
		c = first_cell(s, variant, i);
	return c;
}

const char *hosts_fact(const struct record_cell *c, unsigned host, const char *key)
{
	const json_t *facts = json_object_get(c->json, "facts");
	const size_t worker = json_array_size(facts) / c->nhosts * host;
	return json_string_value(json_object_get(json_array_get(facts, worker), key));
}

static const char *name_of(const struct summary *s, const struct record_cell *c, unsigned host)
{
	const char *name = hosts_fact(c, host, "host");
	/* Without the boot. */
	return name ? arena_text(s->arena, "%.*s", (int)strcspn(name, " "), name) : NULL;
}

enum { OFFSET, DRIFT, MARGIN, MEDIANS };

/* Over the trials of as many hosts as the first one had. */
static struct hosts_host host_of(const struct summary *s, unsigned variant,
                                 const struct record_cell *first, unsigned host)
{
	struct hosts_host h = {.name = name_of(s, first, host),
	                       .ranks = first->nranks / first->nhosts,
	                       .round_trip_us = INFINITY};
	const struct arena_mark mark = arena_mark(s->arena);
	double *x[MEDIANS], late = 0, meets = 0;
	unsigned n = 0;
	for (unsigned k = 0; k < MEDIANS; k++)
		x[k] = ARENA_ARRAY(s->arena, double, s->run->ncells);
	for (unsigned i = 0; i < s->run->ncells; i++) {
		const struct record_cell *c = first_cell(s, variant, i);
		if (!c || c->nhosts != first->nhosts)
			continue;
		const struct record_host *r = &c->hosts[host];
		x[OFFSET][n] = r->clock.offset_ns / 1e9;
		x[DRIFT][n] = r->clock.drift_ppm;
		x[MARGIN][n++] = (double)r->meets.margin_ns / 1e3;
		meets += (double)r->meets.meets;
		late += (double)r->meets.late;
		h.bound_us = fmax(h.bound_us, r->clock.bound_ns / 1e3);
		h.round_trip_us = fmin(h.round_trip_us, r->clock.rtt_ns / 1e3);
		h.late_us = fmax(h.late_us, (double)r->meets.late_ns / 1e3);
	}
	h.meets = (unsigned)fmin(meets, UINT_MAX - 1);
	h.late_share = meets > 0 ? late / meets : NAN;
	h.offset_s = host ? stats_median(x[OFFSET], n) : NAN;
	h.drift_ppm = host ? stats_median(x[DRIFT], n) + 0.0 : NAN; /* no -0 */
	h.margin_us = host ? NAN : stats_median(x[MARGIN], n);
	h.round_trip_us = host ? h.round_trip_us : NAN;
	arena_release(s->arena, mark);
	return h;
}

struct hosts_use hosts_of(const struct summary *s, unsigned variant)
{
	const struct record_cell *first = hosts_first(s, variant);
	struct hosts_use use = {0};
	if (!first)
		return use;
	double most = 0, next = 0; /* the two greatest bounds */
	use.hosts = ARENA_ARRAY(s->arena, struct hosts_host, first->nhosts);
	for (; use.n < first->nhosts; use.n++) {
		const struct hosts_host h = host_of(s, variant, first, use.n);
		next = fmax(next, fmin(most, h.bound_us));
		most = fmax(most, h.bound_us);
		use.late_share = fmax(use.late_share, h.late_share);
		use.late_us = fmax(use.late_us, h.late_us);
		use.hosts[use.n] = h;
	}
	use.skew_us = most + next;
	return use;
}
