#include "hosts_link.h"

#include "../clock.h"
#include "../memory.h"

#define MS ((int64_t)1000000)

#define PINGS        32 /* of an alignment: meetings of which the best is a point */
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
	int64_t rtt_ns;   /* of its last point */
};

struct hosts_link {
	struct peers peers; /* the other hosts; their heartbeats have their own connections */
	struct peers beats;
	int64_t (*now)(void *of);
	void *now_of;
	struct far *far;           /* by host */
	struct aligned_point best; /* of the meetings since the last point; rtt_ns 0: none */
	int64_t best_since_ns;
	unsigned pings;
	bool aligns;                              /* nobody waits for these meetings' releases */
	int64_t typical_ns, telling_ns, added_ns; /* parts of the margin */
	int64_t margin_ns;                        /* of host 0 */
	struct hosts_link_release last;
	struct heartbeat *heartbeat;
};

static int64_t now(const struct hosts_link *l)
{
	return l->now(l->now_of);
}

/* --- clocks -------------------------------------------------------------------------------- */

void hosts_link_clock(const struct hosts_link *l, unsigned host, struct hosts_link_clock *out)
{
	const struct aligned *a = &l->far[host].clock;
	*out = (struct hosts_link_clock){.pings = host ? l->pings : 0};
	if (!a->npoints)
		return;
	int64_t at = a->points[a->npoints - 1].local_ns;
	out->offset_ns = (double)(at - aligned_to_first(a, at));
	out->drift_ppm = aligned_drift_ppm(a);
	out->bound_ns = aligned_bound_ns(a, at);
	out->residual_ns = aligned_residual_ns(a);
	out->rtt_ns = (double)aligned_rtt_ns(a);
	out->points = a->npoints;
	out->steps = a->steps;
}

int64_t hosts_link_to_first(const struct hosts_link *l, unsigned host, int64_t ns)
{
	return aligned_to_first(&l->far[host].clock, ns);
}

/* Host 0 has no line: its clock is the one that counts. */
double hosts_link_bound_ns(const struct hosts_link *l, unsigned host, int64_t ns)
{
	return host ? aligned_bound_ns(&l->far[host].clock, ns) : 0;
}

/* --- meeting ------------------------------------------------------------------------------- */

static int wait_a_turn(const struct hosts_link *l)
{
	peers_pause(&l->peers);
	return peers_broken(&l->peers) ? -1 : 0;
}

/* In time or late: each letter says of it. */
static void note_release(struct hosts_link *l, int64_t at_ns, int64_t late_ns)
{
	struct letter *own = &l->peers.own;
	l->last = (struct hosts_link_release){at_ns, late_ns > 0 && !l->aligns ? late_ns : 0};
	own->last_late_ns = l->last.late_ns;
	if (l->aligns)
		return;
	own->meets++;
	own->late += late_ns > 0;
	own->late_ns = late_ns > own->late_ns ? late_ns : own->late_ns;
}

/* Grows by half after a late meeting, else fades: settles at one of 100, 1.5 = (256 / 255)^104. */
static void learn_margin(struct hosts_link *l, bool late)
{
	if (late)
		l->added_ns += l->added_ns / 2 + l->typical_ns / 4 + 1;
	else
		l->added_ns -= l->added_ns / 256;
	if (l->added_ns > MARGIN_MOST)
		l->added_ns = MARGIN_MOST;
	l->margin_ns = MARGIN_NS + 2 * l->typical_ns + l->telling_ns + l->added_ns;
}

/* All hosts are looked at in turn, so that the stamp of each is right. */
static int hear_arrivals(struct hosts_link *l)
{
	unsigned hosts = l->peers.size, come = 1;
	for (unsigned host = 1; host < hosts; host++)
		l->far[host].has_come = false;
	while (come < hosts) {
		for (unsigned host = 1; host < hosts; host++) {
			struct far *far = &l->far[host];
			int is = far->has_come ? 0 : peers_look(&l->peers, host, LETTER_ARRIVED);
			if (is < 0)
				return -1;
			if (!is)
				continue;
			far->heard_ns = now(l);
			far->has_come = true;
			come++;
		}
		if (come < hosts && wait_a_turn(l))
			return -1;
	}
	return 0;
}

static int meet_first(struct hosts_link *l)
{
	bool late = l->last.late_ns > 0;
	if (hear_arrivals(l))
		return -1;
	l->typical_ns = 0;
	for (unsigned host = 1; host < l->peers.size; host++) {
		const struct letter *its = &l->peers.inboxes[host];
		struct far *far = &l->far[host];
		if (its->point.rtt_ns) {
			aligned_add(&far->clock, &its->point);
			far->rtt_ns = its->point.rtt_ns;
		}
		l->typical_ns = far->rtt_ns > l->typical_ns ? far->rtt_ns : l->typical_ns;
		late |= its->last_late_ns > 0;
	}
	if (!l->aligns)
		learn_margin(l, late);
	struct letter go = peers_letter(&l->peers, LETTER_GO);
	int64_t begin = now(l);
	go.margin_ns = l->margin_ns;
	go.at_ns = begin + go.margin_ns;
	for (unsigned host = 1; host < l->peers.size; host++) {
		go.heard_ns = l->far[host].heard_ns;
		go.said_ns = now(l);
		if (peers_put(&l->peers, host, &go))
			return -1;
	}
	int64_t told = now(l);
	l->telling_ns = told - begin;
	note_release(l, go.at_ns, told - go.at_ns);
	return 0;
}

/* The best ping of a while is one more point: this host's now, host 0's when it comes. */
static struct letter write_arrival(struct hosts_link *l)
{
	struct letter arrived = peers_letter(&l->peers, LETTER_ARRIVED);
	int64_t here = now(l);
	if (l->best.rtt_ns && here - l->best_since_ns > POINT_NS) {
		arrived.point = l->best;
		aligned_add(&l->far[l->peers.me].clock, &l->best);
		l->best.rtt_ns = 0;
	}
	return arrived;
}

static int meet_other(struct hosts_link *l)
{
	const struct letter arrived = write_arrival(l);
	int64_t arrived_ns = now(l);
	int come;
	if (peers_put(&l->peers, 0, &arrived))
		return -1;
	while (!(come = peers_look(&l->peers, 0, LETTER_GO)))
		if (wait_a_turn(l))
			return -1;
	if (come < 0)
		return -1;
	const struct letter *go = &l->peers.inboxes[0];
	int64_t here = now(l), at = aligned_from_first(&l->far[l->peers.me].clock, go->at_ns);
	int64_t late_ns = here - at;
	l->margin_ns = go->margin_ns;
	if (at - here > go->margin_ns + WAIT_MOST_NS) {
		late_ns = at - here;
		at = here;
	}
	note_release(l, at, late_ns);
	const struct aligned_point p = aligned_wait(arrived_ns, go->heard_ns, go->said_ns, here);
	if (!l->best.rtt_ns)
		l->best_since_ns = here;
	if (p.rtt_ns > 0 && (!l->best.rtt_ns || p.rtt_ns < l->best.rtt_ns))
		l->best = p;
	return 0;
}

int hosts_link_meet(struct hosts_link *l, struct hosts_link_release *out)
{
	peers_step(&l->peers);
	if ((l->peers.me ? meet_other : meet_first)(l))
		return -1;
	*out = l->last;
	return 0;
}

/* One more meeting brings the last point to host 0. */
static int align(struct hosts_link *l, unsigned npoints, struct status *st)
{
	struct hosts_link_release ignored;
	const unsigned n = npoints * PINGS;
	int failed = 0;
	l->best.rtt_ns = 0; /* points are in the order of time */
	l->aligns = true;
	for (unsigned i = 0; i <= n && !failed; i++) {
		if (i % PINGS == 0)
			l->best_since_ns = INT64_MIN / 2;
		if (i % PINGS == 0 && i && i < n)
			clock_sleep_until(clock_now_ns() + FIRST_GAP_NS);
		failed = hosts_link_meet(l, &ignored);
	}
	l->aligns = false;
	l->pings += n;
	return failed ? status_set(st, "%s", l->peers.broken) : 0;
}

int hosts_link_align(struct hosts_link *l, struct status *st)
{
	return align(l, 1, st);
}

void hosts_link_meets(const struct hosts_link *l, unsigned host, struct hosts_link_meets *out)
{
	const bool own = host == l->peers.me;
	const struct letter *said = own ? &l->peers.own : &l->peers.inboxes[host];
	*out = (struct hosts_link_meets){said->meets, said->late, said->late_ns,
	                                 own ? l->margin_ns : 0};
}

struct peers *hosts_link_peers(struct hosts_link *l)
{
	return &l->peers;
}

/* --- opening and watching ------------------------------------------------------------------- */

void hosts_link_close(struct hosts_link *l)
{
	if (!l)
		return;
	heartbeat_stop(l->heartbeat);
	peers_close(&l->peers);
	peers_close(&l->beats);
	free(l->far);
	free(l);
}

static int share_names(struct peers *p, const char *own, struct status *st)
{
	snprintf(p->names[p->me], sizeof *p->names, "host %s", own);
	int failed = peers_share(p, p->names, sizeof *p->names, st);
	for (unsigned h = 0; h < p->size; h++)
		p->names[h][sizeof *p->names - 1] = '\0';
	return failed;
}

int hosts_link_open(const struct hosts_link_place *place, struct hosts_link **out,
                    struct status *st)
{
	const unsigned silence_ms = place->silence_ms ? place->silence_ms : HOSTS_LINK_SILENCE_MS;
	struct hosts_link *l = memory_take(1, sizeof *l);
	l->far = memory_take(place->seat.size, sizeof *l->far);
	l->now = place->now;
	l->now_of = place->of;
	int failed = peers_open(&place->seat, &l->peers, st) ||
	             peers_open(&place->seat, &l->beats, st) ||
	             share_names(&l->peers, place->name, st);
	l->peers.lost = ": connection lost";
	l->peers.yield = place->yield;
	l->peers.limit_ns = silence_ms * MS;
	if (failed || align(l, FIRST_POINTS, st)) {
		hosts_link_close(l);
		return -1;
	}
	*out = l;
	return 0;
}

int hosts_link_watch(struct hosts_link *l, const char *(*failure)(void *of),
                     void (*fail)(void *of, const char *text), void *of, struct status *st)
{
	if (l->peers.size == 1)
		return 0;
	l->peers.fail = fail;
	l->peers.of = of;
	if (heartbeat_start(&l->beats, &l->peers, (unsigned)(l->peers.limit_ns / MS), failure,
	                    &l->heartbeat, st))
		return -1;
	l->peers.watched = true;
	return 0;
}

void hosts_link_address(const struct hosts_link *l, char text[ADDRESS_BYTES])
{
	char with_port[ADDRESS_BYTES], *ip = with_port;
	address_of(l->peers.connections[l->peers.size > 1 && !l->peers.me].fd, false, with_port);
	*strrchr(with_port, *ip == '[' ? ']' : ':') = '\0';
	snprintf(text, ADDRESS_BYTES, "%s", ip + (*ip == '['));
}
