#include "between.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../clock.h"

#define MS ((int64_t)1000000)

#define PINGS        32 /* of which the best is a point */
#define FIRST_POINTS 10 /* of the first alignment */
#define FIRST_GAP_NS (20 * MS)
#define POINT_NS     (250 * MS) /* between points of meetings */
#define MARGIN_NS    10000      /* for a host's own workers to hear of a release */
#define MARGIN_MOST  (10 * MS)  /* of what late meetings add */
#define WAIT_MOST_NS (100 * MS) /* beyond the margin: no release, but a clock that stepped */

struct far {
	struct aligned clock;
	bool has_come;    /* to this meeting */
	int64_t heard_ns; /* when */
};

struct between {
	struct peers peers; /* the other hosts; their heartbeats have connections of their own */
	struct peers beats;
	int64_t (*now)(void *of);
	void *now_of;
	struct far *far;           /* by host */
	struct aligned_point best; /* of the meetings since the last point; rtt_ns 0: none */
	int64_t best_since_ns;
	unsigned pings;
	int64_t typical_ns, telling_ns, added_ns; /* parts of the margin */
	int64_t margin_ns;                        /* of host 0 */
	struct between_release last;
	struct heartbeat *heartbeat;
};

static int64_t now(const struct between *b)
{
	return b->now(b->now_of);
}

/* --- clocks -------------------------------------------------------------------------------- */

static int compare_ns(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

/* Host 0: the best of some pings; *typical_ns: their median. */
static int ping(struct between *b, unsigned host, struct aligned_point *best, int64_t *typical_ns)
{
	int64_t rtts[PINGS];
	for (unsigned i = 0; i < PINGS; i++) {
		int64_t s1 = now(b);
		const struct letter letter = peers_letter(&b->peers, LETTER_PING);
		if (peers_put(&b->peers, host, &letter) || peers_take(&b->peers, host, LETTER_PONG))
			return -1;
		struct aligned_point p = aligned_point(s1, b->peers.inboxes[host].at_ns, now(b));
		if (!i || p.rtt_ns < best->rtt_ns)
			*best = p;
		rtts[i] = p.rtt_ns;
	}
	qsort(rtts, PINGS, sizeof *rtts, compare_ns);
	*typical_ns = rtts[PINGS / 2];
	return 0;
}

/* The hosts in turn, so that no two disturb each other; each gets its points at the end. */
static int align_first(struct between *b, unsigned npoints)
{
	for (unsigned i = 0; i < npoints; i++) {
		if (i && b->peers.size > 1)
			clock_sleep_until(clock_now_ns() + FIRST_GAP_NS);
		b->typical_ns = 0;
		for (unsigned host = 1; host < b->peers.size; host++) {
			struct letter letter = peers_letter(&b->peers, LETTER_POINT);
			int64_t ns;
			if (ping(b, host, &letter.point, &ns) ||
			    peers_put(&b->peers, host, &letter))
				return -1;
			aligned_add(&b->far[host].clock, &letter.point);
			b->typical_ns = ns > b->typical_ns ? ns : b->typical_ns;
		}
	}
	return 0;
}

/* Answers until all points have come. */
static int align_other(struct between *b, unsigned npoints)
{
	const struct letter *in = &b->peers.inboxes[0];
	while (npoints) {
		if (peers_hear(&b->peers, 0))
			return -1;
		struct letter pong = peers_letter(&b->peers, LETTER_PONG);
		pong.at_ns = now(b);
		if (in->kind == LETTER_POINT && !peers_check(&b->peers, 0, LETTER_POINT)) {
			aligned_add(&b->far[b->peers.me].clock, &in->point);
			npoints--;
		} else if (peers_check(&b->peers, 0, LETTER_PING) ||
		           peers_put(&b->peers, 0, &pong)) {
			return -1;
		}
	}
	return 0;
}

static int align(struct between *b, unsigned npoints, struct status *st)
{
	peers_step(&b->peers);
	b->pings += npoints * PINGS;
	b->best.rtt_ns = 0; /* points are in the order of time */
	return (b->peers.me ? align_other : align_first)(b, npoints)
	           ? status_set(st, "%s", b->peers.broken)
	           : 0;
}

int between_align(struct between *b, struct status *st)
{
	return align(b, 1, st);
}

void between_clock(const struct between *b, unsigned host, struct between_clock *out)
{
	const struct aligned *a = &b->far[host].clock;
	*out = (struct between_clock){.pings = host ? b->pings : 0};
	if (!a->npoints)
		return;
	int64_t at = a->points[a->npoints - 1].local_ns;
	out->offset_ns = (double)(at - aligned_to_first(a, at));
	out->drift_ppm = aligned_drift_ppm(a);
	out->bound_ns = aligned_bound_ns(a, at);
	out->residual_ns = aligned_residual_ns(a);
	out->missed_ns = a->missed_ns;
	out->rtt_ns = (double)aligned_rtt_ns(a);
	out->points = a->npoints;
	out->steps = a->steps;
}

int64_t between_to_first(const struct between *b, unsigned host, int64_t ns)
{
	return aligned_to_first(&b->far[host].clock, ns);
}

/* Host 0 has no line: its clock is the one that counts. */
double between_bound_ns(const struct between *b, unsigned host, int64_t ns)
{
	return host ? aligned_bound_ns(&b->far[host].clock, ns) : 0;
}

/* --- meeting ------------------------------------------------------------------------------- */

static int wait_a_turn(const struct between *b)
{
	peers_pause(&b->peers);
	return peers_broken(&b->peers) ? -1 : 0;
}

/* In time or late: each letter says of it. */
static void note_release(struct between *b, int64_t at_ns, int64_t late_ns)
{
	struct letter *own = &b->peers.own;
	b->last = (struct between_release){at_ns, late_ns > 0 ? late_ns : 0, 0};
	own->last_late_ns = b->last.late_ns;
	own->meets++;
	own->late += late_ns > 0;
	own->late_ns = late_ns > own->late_ns ? late_ns : own->late_ns;
}

/* A share of the margin that grows by half after a late meeting, however late it was, and else fades: it
 * settles where one meeting of a hundred is late, as 1.5 = (256 / 255)^104. */
static void learn_margin(struct between *b, bool late)
{
	if (late)
		b->added_ns += b->added_ns / 2 + b->typical_ns / 4 + 1;
	else
		b->added_ns -= b->added_ns / 256;
	if (b->added_ns > MARGIN_MOST)
		b->added_ns = MARGIN_MOST;
	b->margin_ns = MARGIN_NS + 2 * b->typical_ns + b->telling_ns + b->added_ns;
}

/* All hosts are looked at in turn, so that the stamp of each is right. */
static int hear_arrivals(struct between *b)
{
	unsigned hosts = b->peers.size, come = 1;
	for (unsigned host = 1; host < hosts; host++)
		b->far[host].has_come = false;
	while (come < hosts) {
		for (unsigned host = 1; host < hosts; host++) {
			struct far *far = &b->far[host];
			int is = far->has_come ? 0 : peers_look(&b->peers, host, LETTER_ARRIVED);
			if (is < 0)
				return -1;
			if (!is)
				continue;
			far->heard_ns = now(b);
			far->has_come = true;
			come++;
		}
		if (come < hosts && wait_a_turn(b))
			return -1;
	}
	return 0;
}

static int meet_first(struct between *b)
{
	bool late = b->last.late_ns > 0;
	if (hear_arrivals(b))
		return -1;
	for (unsigned host = 1; host < b->peers.size; host++) {
		const struct letter *its = &b->peers.inboxes[host];
		if (its->point.rtt_ns)
			aligned_add(&b->far[host].clock, &its->point);
		late |= its->last_late_ns > 0;
	}
	learn_margin(b, late);
	struct letter go = peers_letter(&b->peers, LETTER_GO);
	int64_t begin = now(b);
	go.margin_ns = b->margin_ns;
	go.at_ns = begin + go.margin_ns;
	for (unsigned host = 1; host < b->peers.size; host++) {
		go.heard_ns = b->far[host].heard_ns;
		go.said_ns = now(b);
		if (peers_put(&b->peers, host, &go))
			return -1;
	}
	int64_t told = now(b);
	b->telling_ns = told - begin;
	note_release(b, go.at_ns, told - go.at_ns);
	return 0;
}

/* Each meeting is a ping. The best of those of a while is one more point: this host's now, host 0's
 * when it comes. */
static struct letter write_arrival(struct between *b)
{
	struct letter arrived = peers_letter(&b->peers, LETTER_ARRIVED);
	int64_t here = now(b);
	if (b->best.rtt_ns && here - b->best_since_ns > POINT_NS) {
		arrived.point = b->best;
		aligned_add(&b->far[b->peers.me].clock, &b->best);
		b->best.rtt_ns = 0;
	}
	return arrived;
}

static void keep_ping(struct between *b, int64_t arrived_ns, const struct letter *go,
                      int64_t here_ns)
{
	struct aligned_point p = aligned_wait(arrived_ns, go->heard_ns, go->said_ns, here_ns);
	if (!b->best.rtt_ns)
		b->best_since_ns = here_ns;
	if (p.rtt_ns > 0 && (!b->best.rtt_ns || p.rtt_ns < b->best.rtt_ns))
		b->best = p;
}

static int meet_other(struct between *b)
{
	const struct letter arrived = write_arrival(b);
	int64_t arrived_ns = now(b);
	int come;
	if (peers_put(&b->peers, 0, &arrived))
		return -1;
	while (!(come = peers_look(&b->peers, 0, LETTER_GO)))
		if (wait_a_turn(b))
			return -1;
	if (come < 0)
		return -1;
	const struct letter *go = &b->peers.inboxes[0];
	int64_t here = now(b), at = aligned_from_first(&b->far[b->peers.me].clock, go->at_ns);
	int64_t late_ns = here - at;
	b->margin_ns = go->margin_ns;
	if (at - here > go->margin_ns + WAIT_MOST_NS) {
		late_ns = at - here;
		at = here;
	}
	note_release(b, at, late_ns);
	keep_ping(b, arrived_ns, go, here);
	return 0;
}

int between_meet(struct between *b, int64_t *release_ns)
{
	peers_step(&b->peers);
	if ((b->peers.me ? meet_other : meet_first)(b))
		return -1;
	*release_ns = b->last.at_ns;
	return 0;
}

void between_released(const struct between *b, struct between_release *out)
{
	*out = b->last;
	out->bound_ns = between_bound_ns(b, b->peers.me, out->at_ns);
}

void between_meets(const struct between *b, unsigned host, struct between_meets *out)
{
	const bool own = host == b->peers.me;
	const struct letter *said = own ? &b->peers.own : &b->peers.inboxes[host];
	*out =
	    (struct between_meets){said->meets, said->late, said->late_ns, own ? b->margin_ns : 0};
}

int between_collect(struct between *b, void *base, const size_t *at, struct status *st)
{
	return peers_collect(&b->peers, base, at, st);
}

int between_share(struct between *b, void *base, const size_t *at, struct status *st)
{
	return peers_share(&b->peers, base, at, st);
}

/* --- opening and watching ------------------------------------------------------------------- */

void between_close(struct between *b)
{
	if (!b)
		return;
	heartbeat_stop(b->heartbeat);
	peers_close(&b->peers);
	peers_close(&b->beats);
	free(b->far);
	free(b);
}

/* Each host's name, to all. */
static int share_names(struct peers *p, const char *own, struct status *st)
{
	snprintf(p->names[p->me], sizeof *p->names, "host %s", own);
	for (unsigned h = 1; h <= p->size; h++)
		p->parts[h] = h * sizeof *p->names;
	int failed = peers_share(p, p->names, p->parts, st);
	for (unsigned h = 0; h < p->size; h++)
		p->names[h][sizeof *p->names - 1] = '\0';
	return failed;
}

int between_open(const struct between_place *place, struct between **out, struct status *st)
{
	const unsigned silence_ms = place->silence_ms ? place->silence_ms : BETWEEN_SILENCE_MS;
	struct between *b = calloc(1, sizeof *b);
	if (!b || !(b->far = calloc(place->seat.size, sizeof *b->far))) {
		free(b);
		return status_set(st, "out of memory for a link of %u hosts", place->seat.size);
	}
	b->now = place->now;
	b->now_of = place->of;
	int failed = peers_open(&place->seat, &b->peers, st) ||
	             peers_open(&place->seat, &b->beats, st) ||
	             share_names(&b->peers, place->name, st);
	b->peers.lost = ": connection lost";
	b->peers.yield = place->yield;
	b->peers.limit_ns = silence_ms * MS;
	if (failed || align(b, FIRST_POINTS, st)) {
		between_close(b);
		return -1;
	}
	*out = b;
	return 0;
}

int between_watch(struct between *b, const char *(*failure)(void *of),
                  void (*fail)(void *of, const char *text), void *of, struct status *st)
{
	if (b->peers.size == 1)
		return 0;
	b->peers.fail = fail;
	b->peers.of = of;
	if (heartbeat_start(&b->beats, &b->peers, (unsigned)(b->peers.limit_ns / MS), failure,
	                    &b->heartbeat, st))
		return -1;
	b->peers.watched = true;
	return 0;
}

const char *between_broken(const struct between *b)
{
	return peers_broken(&b->peers) ? b->peers.broken : NULL;
}

void between_address(const struct between *b, char text[ADDRESS_BYTES])
{
	char with_port[ADDRESS_BYTES], *ip = with_port;
	address_of(b->peers.wires[b->peers.size > 1 && !b->peers.me].fd, false, with_port);
	*strrchr(with_port, *ip == '[' ? ']' : ':') = '\0';
	snprintf(text, ADDRESS_BYTES, "%s", ip + (*ip == '['));
}
