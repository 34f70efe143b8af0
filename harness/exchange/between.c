#include "between.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../clock.h"
#include "star.h"

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
	struct between_meets meets;
	bool has_come;    /* to this meeting */
	int64_t heard_ns; /* when */
};

struct between {
	struct star star;
	int64_t (*now)(void *of);
	void *now_of;
	struct far *far;           /* by host */
	struct aligned_point best; /* of the meetings since the last point; rtt_ns 0: none */
	int64_t best_since_ns;
	unsigned pings;
	int64_t typical_ns, telling_ns, added_ns; /* parts of the margin */
	struct between_release last;
	struct heartbeat *heartbeat;
	const char *(*failure)(void *of);
};

static int say_broken(const struct between *b, struct status *st)
{
	return status_set(st, "%s",
	                  star_is_broken(&b->star) ? b->star.broken : "the link is broken");
}

static int64_t now(const struct between *b)
{
	return b->now(b->now_of);
}

/* What a host tells with each letter: how its meetings were. */
static struct letter write_letter(const struct between *b, enum letter_kind kind)
{
	const struct between_meets *own = &b->far[b->star.host].meets;
	return (struct letter){.kind = kind,
	                       .step = b->star.step,
	                       .meets = own->meets,
	                       .late = own->late,
	                       .last_late_ns = b->last.late_ns,
	                       .late_ns = own->late_ns};
}

static void keep_meets(struct between *b, unsigned host, const struct letter *letter)
{
	if (!b->star.host)
		b->far[host].meets =
		    (struct between_meets){letter->meets, letter->late, letter->late_ns, 0};
}

static int put(struct between *b, unsigned host, const struct letter *letter)
{
	return star_put(&b->star, host, letter, NULL);
}

static int take(struct between *b, unsigned host, enum letter_kind kind, struct letter *out)
{
	if (star_take(&b->star, host, kind, out))
		return -1;
	keep_meets(b, host, out);
	return 0;
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
		struct letter pong;
		int64_t s1 = now(b);
		struct letter letter = write_letter(b, LETTER_PING);
		if (put(b, host, &letter) || take(b, host, LETTER_PONG, &pong))
			return -1;
		struct aligned_point p = aligned_point(s1, pong.at_ns, now(b));
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
	unsigned hosts = b->star.nhosts;
	int64_t typical_ns = 0;
	for (unsigned i = 0; i < npoints; i++) {
		if (i && hosts > 1)
			clock_sleep_until(clock_now_ns() + FIRST_GAP_NS);
		typical_ns = 0;
		for (unsigned host = 1; host < hosts; host++) {
			struct aligned_point p;
			int64_t ns;
			if (ping(b, host, &p, &ns))
				return -1;
			struct letter letter = write_letter(b, LETTER_POINT);
			letter.point = p;
			if (put(b, host, &letter))
				return -1;
			aligned_add(&b->far[host].clock, &p);
			typical_ns = ns > typical_ns ? ns : typical_ns;
		}
	}
	b->typical_ns = typical_ns;
	return 0;
}

/* Answers until a point comes. */
static int align_other(struct between *b)
{
	struct letter letter;
	while (!star_move(&b->star, 0, POLLIN, &letter, sizeof letter)) {
		if (letter.kind == LETTER_POINT &&
		    !star_check(&b->star, 0, &letter, LETTER_POINT)) {
			aligned_add(&b->far[b->star.host].clock, &letter.point);
			return 0;
		}
		struct letter pong = write_letter(b, LETTER_PONG);
		pong.at_ns = now(b);
		if (star_check(&b->star, 0, &letter, LETTER_PING) || put(b, 0, &pong))
			return -1;
	}
	return -1;
}

static int align(struct between *b, unsigned npoints, struct status *st)
{
	b->star.step++;
	b->pings += npoints * PINGS;
	b->best.rtt_ns = 0; /* points are in the order of time */
	int failed = 0;
	if (!b->star.host)
		failed = align_first(b, npoints);
	for (unsigned i = 0; b->star.host && i < npoints && !failed; i++)
		failed = align_other(b);
	return failed ? say_broken(b, st) : 0;
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

static int wait_a_turn(const struct between *b, bool (*failed)(void *of), void *of)
{
	if (failed(of) || star_is_broken(&b->star))
		return -1;
	star_pause(&b->star);
	return 0;
}

/* In time or late: what the next letter says of it. */
static void note_release(struct between *b, int64_t at_ns, int64_t late_ns)
{
	struct between_meets *own = &b->far[b->star.host].meets;
	b->last = (struct between_release){at_ns, late_ns > 0 ? late_ns : 0, 0};
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
	b->far[0].meets.margin_ns = MARGIN_NS + 2 * b->typical_ns + b->telling_ns + b->added_ns;
}

/* All hosts are looked at in turn, so that the stamp of each is right. */
static int hear_arrivals(struct between *b, bool (*failed)(void *of), void *of)
{
	unsigned hosts = b->star.nhosts, come = 1;
	for (unsigned host = 1; host < hosts; host++)
		b->far[host].has_come = false;
	while (come < hosts) {
		for (unsigned host = 1; host < hosts; host++) {
			struct far *far = &b->far[host];
			int is = far->has_come ? 0 : star_look(&b->star, host, LETTER_ARRIVED);
			if (is < 0)
				return -1;
			if (!is)
				continue;
			far->heard_ns = now(b);
			far->has_come = true;
			come++;
		}
		if (come < hosts && wait_a_turn(b, failed, of))
			return -1;
	}
	return 0;
}

static int meet_first(struct between *b, bool (*failed)(void *of), void *of)
{
	unsigned hosts = b->star.nhosts;
	bool late = b->last.late_ns > 0;
	if (hear_arrivals(b, failed, of))
		return -1;
	for (unsigned host = 1; host < hosts; host++) {
		const struct letter *its = &b->star.inboxes[host];
		keep_meets(b, host, its);
		if (its->point.rtt_ns)
			aligned_add(&b->far[host].clock, &its->point);
		late |= its->last_late_ns > 0;
	}
	learn_margin(b, late);
	struct letter go = write_letter(b, LETTER_GO);
	int64_t begin = now(b);
	go.margin_ns = b->far[0].meets.margin_ns;
	go.at_ns = begin + go.margin_ns;
	for (unsigned host = 1; host < hosts; host++) {
		go.heard_ns = b->far[host].heard_ns;
		go.said_ns = now(b);
		if (put(b, host, &go))
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
	struct letter arrived = write_letter(b, LETTER_ARRIVED);
	int64_t here = now(b);
	if (b->best.rtt_ns && here - b->best_since_ns > POINT_NS) {
		arrived.point = b->best;
		aligned_add(&b->far[b->star.host].clock, &b->best);
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

static int meet_other(struct between *b, bool (*failed)(void *of), void *of)
{
	const struct letter arrived = write_arrival(b);
	int64_t arrived_ns = now(b);
	int come;
	if (put(b, 0, &arrived))
		return -1;
	while (!(come = star_look(&b->star, 0, LETTER_GO)))
		if (wait_a_turn(b, failed, of))
			return -1;
	if (come < 0)
		return -1;
	struct far *own = &b->far[b->star.host];
	const struct letter *go = &b->star.inboxes[0];
	int64_t here = now(b), at = aligned_from_first(&own->clock, go->at_ns);
	int64_t late_ns = here - at;
	own->meets.margin_ns = go->margin_ns;
	if (at - here > go->margin_ns + WAIT_MOST_NS) {
		late_ns = at - here;
		at = here;
	}
	note_release(b, at, late_ns);
	keep_ping(b, arrived_ns, go, here);
	return 0;
}

int between_meet(struct between *b, bool (*failed)(void *of), void *of, int64_t *release_ns)
{
	b->star.step++;
	if (b->star.host ? meet_other(b, failed, of) : meet_first(b, failed, of))
		return -1;
	*release_ns = b->last.at_ns;
	return 0;
}

void between_released(const struct between *b, struct between_release *out)
{
	*out = b->last;
	out->bound_ns = between_bound_ns(b, b->star.host, out->at_ns);
}

void between_meets(const struct between *b, unsigned host, struct between_meets *out)
{
	*out = b->far[host].meets;
}

/* --- bytes of all -------------------------------------------------------------------------- */

static struct letter part(const struct between *b, size_t bytes, size_t all)
{
	struct letter letter = write_letter(b, LETTER_PART);
	letter.bytes = bytes;
	letter.at_ns = (int64_t)all;
	return letter;
}

static int take_part(struct between *b, unsigned host, size_t bytes, size_t all)
{
	struct letter letter;
	char how[160];
	if (take(b, host, LETTER_PART, &letter))
		return -1;
	if (letter.bytes == bytes && letter.at_ns == (int64_t)all)
		return 0;
	snprintf(how, sizeof how, "it shares %llu of %lld bytes, where %zu of %zu are expected",
	         (unsigned long long)letter.bytes, (long long)letter.at_ns, bytes, all);
	return star_blame(&b->star, host, how);
}

static int gather(struct between *b, char *base, const size_t *at)
{
	unsigned hosts = b->star.nhosts, own = b->star.host;
	size_t all = at[hosts] - at[0];
	b->star.step++;
	if (own) {
		const struct letter letter = part(b, at[own + 1] - at[own], all);
		return star_put(&b->star, 0, &letter, base + at[own]);
	}
	for (unsigned host = 1; host < hosts; host++)
		if (take_part(b, host, at[host + 1] - at[host], all) ||
		    star_move(&b->star, host, POLLIN, base + at[host], at[host + 1] - at[host]))
			return -1;
	return 0;
}

int between_collect(struct between *b, void *base, const size_t *at, struct status *st)
{
	return gather(b, base, at) ? say_broken(b, st) : 0;
}

/* From host 0, to each what is not its own: before[0] … at[own], at[own + 1] … at[hosts]. */
static int spread(struct between *b, char *base, const size_t *at, unsigned own, unsigned with)
{
	size_t before = at[own] - at[0], from = at[own + 1], after = at[b->star.nhosts] - from;
	short way = b->star.host ? POLLIN : POLLOUT;
	size_t all = at[b->star.nhosts] - at[0];
	if (way == POLLIN && take_part(b, with, before + after, all))
		return -1;
	const struct letter letter = part(b, before + after, all);
	if (way == POLLOUT && put(b, with, &letter))
		return -1;
	if (star_move(&b->star, with, way, base + at[0], before))
		return -1;
	return star_move(&b->star, with, way, base + from, after);
}

int between_share(struct between *b, void *base, const size_t *at, struct status *st)
{
	unsigned own = b->star.host;
	int failed = gather(b, base, at);
	if (own && !failed)
		failed = spread(b, base, at, own, 0);
	for (unsigned host = 1; !own && host < b->star.nhosts && !failed; host++)
		failed = spread(b, base, at, host, host);
	return failed ? say_broken(b, st) : 0;
}

/* --- opening and watching ------------------------------------------------------------------- */

void between_close(struct between *b)
{
	if (!b)
		return;
	heartbeat_stop(b->heartbeat);
	star_close(&b->star);
	free(b->far);
	free(b);
}

int between_open(const struct between_place *place, int64_t deadline_ns, struct between **out,
                 struct status *st)
{
	const struct star_place star = {
	    .host = place->host,
	    .nhosts = place->nhosts,
	    .name = place->name,
	    .door = place->door ? place->door->fd : -1,
	    .address = place->address,
	    .secret = place->secret,
	    .silence_ms = place->silence_ms ? place->silence_ms : BETWEEN_SILENCE_MS,
	    .yield = place->yield,
	};
	struct between *b = calloc(1, sizeof *b);
	if (!b)
		return status_set(st, "out of memory for a link of %u hosts", place->nhosts);
	b->now = place->now;
	b->now_of = place->of;
	b->far = calloc(place->nhosts, sizeof *b->far);
	if (!b->far)
		status_set(st, "out of memory for a link of %u hosts", place->nhosts);
	else if (!star_open(&star, deadline_ns, &b->star, st) && !align(b, FIRST_POINTS, st)) {
		*out = b;
		return 0;
	}
	between_close(b);
	return -1;
}

/* Called by the heartbeat. */
static void others_failed(void *of, const char *text)
{
	struct between *b = of;
	star_break(&b->star, text, true);
}

static const char *own_failure(void *of)
{
	struct between *b = of;
	const char *why = b->failure(b->star.of);
	if (why)
		star_break(&b->star, why, false);
	return why;
}

int between_watch(struct between *b, const char *(*failure)(void *of),
                  void (*fail)(void *of, const char *text), void *of, struct status *st)
{
	struct star *s = &b->star;
	unsigned n = s->nhosts, first = !s->host;
	if (n == 1)
		return 0;
	struct heartbeat_peer *peers = calloc(n, sizeof *peers);
	if (!peers)
		return status_set(st, "out of memory for the heartbeat");
	b->failure = failure;
	s->fail = fail;
	s->of = of;
	const struct heartbeat_place place = {.name = s->names[s->host],
	                                      .peers = peers,
	                                      .npeers = first ? n - 1 : 1,
	                                      .silence_ms = s->silence_ms,
	                                      .failure = own_failure,
	                                      .fail = others_failed,
	                                      .of = b};
	for (unsigned i = 0; i < place.npeers; i++) {
		peers[i].wire = &s->beats[i + first];
		memcpy(peers[i].name, s->names[i + first], sizeof peers[i].name);
	}
	s->watched = !heartbeat_start(&place, &b->heartbeat, st);
	free(peers);
	return s->watched ? 0 : -1;
}

const char *between_broken(const struct between *b)
{
	return star_is_broken(&b->star) ? b->star.broken : NULL;
}

void between_address(const struct between *b, char text[ADDRESS_BYTES])
{
	char with_port[ADDRESS_BYTES], *ip = with_port;
	address_of(b->star.wires[b->star.nhosts > 1 && !b->star.host].fd, with_port);
	*strrchr(with_port, *ip == '[' ? ']' : ':') = '\0';
	snprintf(text, ADDRESS_BYTES, "%s", ip + (*ip == '['));
}
