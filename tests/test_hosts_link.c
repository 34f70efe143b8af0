/* The link between hosts: meetings by aligned clocks, and bytes. Hosts are threads, each with a
 * clock of its own that is seconds off and drifts: the truth is the machine's clock. */
#include <assert.h>

#include "../harness/clock.h"
#include "../harness/exchange/hosts_link.h"
#include "test.h"

#define SECOND 1000000000ll
#define HOSTS  8
#define MEETS  20
#define BYTES  4000000 /* more than sockets keep */

struct release {
	int64_t at_ns, late_ns;
	double bound_ns; /* how far from host 0's true time */
};

struct host {
	unsigned number, nhosts;
	char name[8], address[ADDRESS_BYTES];
	struct door_place door; /* of host 0 */
	int64_t begin_ns;
	_Atomic int64_t offset_ns; /* of its clock, at begin_ns */
	double drift;
	struct hosts_link *link;
	struct release release; /* of the last meeting */
	struct status status;   /* of the last call that failed */
	char told[sizeof(struct status)];
	atomic_bool is_told;
	struct release releases[MEETS];
	int64_t entered_ns[MEETS]; /* true */
	unsigned char bytes[BYTES];
};

static struct host *hosts;

/* All is new for each test, and closed after it. */
FIXTURE(fresh)
{
	hosts = calloc(HOSTS, sizeof *hosts);
	assert_non_null(hosts);
}

FIXTURE(done)
{
	for (unsigned i = 0; i < HOSTS; i++)
		hosts_link_close(hosts[i].link);
	if (hosts[0].door.fd > 0)
		close(hosts[0].door.fd);
	free(hosts);
}

static int64_t now(void *of)
{
	const struct host *h = of;
	int64_t since = clock_now_ns() - h->begin_ns;
	return atomic_load(&h->offset_ns) + since + (int64_t)((double)since * h->drift);
}

static double truth(const struct host *h, int64_t ns)
{
	return (double)h->begin_ns + (double)(ns - atomic_load(&h->offset_ns)) / (1 + h->drift);
}

static const char *failure(void *of)
{
	(void)of;
	return NULL;
}

static void fail_host(void *of, const char *text)
{
	struct host *h = of;
	assert(!atomic_load(&h->is_told));
	snprintf(h->told, sizeof h->told, "%s", text);
	atomic_store(&h->is_told, true);
}

static int open_and_watch(struct host *h)
{
	const struct hosts_link_place place = {
	    .seat = {.rank = h->number,
	             .size = h->nhosts,
	             .door = h->number ? -1 : h->door.fd,
	             .address = h->address,
	             .secret = "0123456789abcdef0123456789abcdef",
	             .timeout_s = 20,
	             .peer = "host"},
	    .name = h->name,
	    .now = now,
	    .of = h,
	    .yield = true};
	return hosts_link_open(&place, &h->link, &h->status) ||
	               hosts_link_watch(h->link, failure, fail_host, h, &h->status)
	           ? -1
	           : 0;
}

static int meet(struct host *h)
{
	struct hosts_link_release is;
	if (hosts_link_meet(h->link, &is))
		return -1;
	const double bound_ns = hosts_link_bound_ns(h->link, h->number, is.at_ns);
	h->release = (struct release){is.at_ns, is.late_ns, bound_ns};
	return 0;
}

static void set(unsigned n)
{
	struct door_place door;
	assert_works(door_open("127.0.0.1:0", &door, WHY));
	for (unsigned i = 0; i < n; i++) {
		struct host *h = &hosts[i];
		h->number = i;
		h->nhosts = n;
		h->name[0] = (char)('a' + i);
		h->door = door;
		memcpy(h->address, door.address, sizeof h->address);
		h->begin_ns = clock_now_ns();
		/* Host 0's is off too: nothing may take it for the truth. */
		h->offset_ns = ((int64_t)i * 3 - 4) * SECOND + 7 * i;
		h->drift = i ? (i % 2 ? 50e-6 : -50e-6) : 0;
	}
}

/* A job for each, in a thread, that works. */
static void run_all(void *(*job)(void *host), unsigned n)
{
	pthread_t threads[HOSTS];
	for (unsigned i = 0; i < n; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, job, &hosts[i]), 0);
	for (unsigned i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	for (unsigned i = 0; i < n; i++) {
		assert_string_equal(hosts[i].status.text, "");
		assert_string_equal(hosts[i].told, "");
	}
}

/* --- meeting and clocks ---------------------------------------------------------------------- */

/* No alignment for a while: the meetings' own pings go on with the line. */
static bool slowly;

static void *meet_job(void *of)
{
	struct host *h = of;
	if (open_and_watch(h))
		return NULL;
	for (unsigned i = 0; i < MEETS; i++) {
		/* Each in turn is the last to come. */
		if (slowly || i % h->nhosts == h->number)
			usleep(slowly ? 40000 : 2000);
		h->entered_ns[i] = clock_now_ns();
		if (meet(h))
			break;
		h->releases[i] = h->release;
		if (!slowly && i % 5 == 4 && hosts_link_align(h->link, &h->status))
			break;
	}
	peers_collect(hosts_link_peers(h->link), NULL, 0, &h->status);
	return NULL;
}

/* By the true clock, within what each host states of that meeting, and after the last one has
 * come. */
static void check_release(unsigned n, unsigned i)
{
	const struct release *first = &hosts[0].releases[i];
	double released = truth(&hosts[0], first->at_ns);
	assert_true(first->bound_ns == 0);
	for (unsigned h = 0; h < n; h++) {
		const struct release *r = &hosts[h].releases[i];
		double here = truth(&hosts[h], r->at_ns);
		assert_near(here, released, r->bound_ns * 1.001 + 5);
		assert_true(released > (double)hosts[h].entered_ns[i]);
		assert_true(r->late_ns >= 0);
	}
}

/* Host 0 knows of each what it knows itself. */
static void check_meets(unsigned h)
{
	struct hosts_link_meets heard, own;
	uint64_t late = 0;
	int64_t most = 0;
	hosts_link_meets(hosts[0].link, h, &heard);
	hosts_link_meets(hosts[h].link, h, &own);
	for (unsigned i = 0; i < MEETS; i++) {
		int64_t late_ns = hosts[h].releases[i].late_ns;
		late += late_ns > 0;
		most = late_ns > most ? late_ns : most;
	}
	for (unsigned i = 0; i < 2; i++) {
		const struct hosts_link_meets *told = i ? &heard : &own;
		assert_int_equal(told->meets, MEETS);
		assert_int_equal(told->late, late);
		assert_int_equal(told->late_ns, most);
	}
	assert_true(own.margin_ns > 0);
}

static void check_clock(unsigned h, unsigned alignments)
{
	struct hosts_link_clock clock, own;
	hosts_link_clock(hosts[0].link, h, &clock);
	hosts_link_clock(hosts[h].link, h, &own);
	assert_true(clock.offset_ns == own.offset_ns && clock.bound_ns == own.bound_ns);
	for (unsigned i = 0; i < MEETS; i++) {
		int64_t stamp = hosts[h].releases[i].at_ns;
		double at = truth(&hosts[h], stamp);
		int64_t first = hosts_link_to_first(hosts[0].link, h, stamp);
		assert_near(truth(&hosts[0], first), at,
		            hosts_link_bound_ns(hosts[0].link, h, stamp) * 1.001 + 5);
	}
	if (!h)
		return;
	/* The offset moves by the drift, for as long as the test took. */
	double moved = fabs(hosts[h].drift) * (double)(clock_now_ns() - hosts[h].begin_ns);
	int64_t begin = hosts[h].begin_ns - hosts[0].begin_ns; /* of its clock's time */
	assert_near(clock.offset_ns, (double)(hosts[h].offset_ns - hosts[0].offset_ns - begin),
	            clock.bound_ns + moved + 5);
	assert_true(clock.rtt_ns > 0 && clock.bound_ns >= clock.rtt_ns / 2);
	assert_int_equal(clock.pings, (10 + alignments) * 32);
	assert_true(clock.points >= 10 + alignments && own.points == clock.points);
	assert_int_equal(clock.steps, 0);
	assert_true(clock.residual_ns >= 0);
}

TEST(hosts_go_on_together_within_what_they_say)
{
	static const unsigned many[] = {3, 8, 1}; /* one meets itself */
	for (unsigned m = 0; m < 3; m++) {
		const unsigned n = many[m];
		done();
		fresh();
		set(n);
		run_all(meet_job, n);
		for (unsigned i = 0; i < MEETS; i++)
			check_release(n, i);
		for (unsigned h = 0; h < n; h++) {
			check_meets(h);
			check_clock(h, MEETS / 5);
		}
	}
}

TEST(meetings_keep_clocks_aligned)
{
	set(3);
	slowly = true;
	run_all(meet_job, 3);
	slowly = false;
	for (unsigned i = 0; i < MEETS; i++)
		check_release(3, i);
	for (unsigned h = 1; h < 3; h++) {
		struct hosts_link_clock clock;
		check_clock(h, 0);
		hosts_link_clock(hosts[0].link, h, &clock);
		assert_true(clock.points > 10);
		assert_int_equal(clock.steps, 0);
	}
}

/* A clock that steps after it was aligned: T has passed long ago, or would come much too late. */
static void *step_job(void *of)
{
	struct host *h = of;
	if (open_and_watch(h))
		return NULL;
	if (h->number)
		atomic_fetch_add(&h->offset_ns, 5 * SECOND);
	if (meet(h))
		return NULL;
	h->releases[0] = h->release;
	if (h->number)
		atomic_fetch_sub(&h->offset_ns, 12 * SECOND);
	if (meet(h))
		return NULL;
	h->releases[1] = h->release;
	h->entered_ns[1] = now(h);
	if (hosts_link_align(h->link, &h->status) || meet(h))
		return NULL;
	h->releases[2] = h->release;
	peers_collect(hosts_link_peers(h->link), NULL, 0, &h->status);
	return NULL;
}

TEST(a_clock_that_steps_makes_a_meeting_late_and_is_seen)
{
	struct hosts_link_meets meets;
	struct hosts_link_clock clock;
	set(2);
	run_all(step_job, 2);
	assert_near(hosts[1].releases[0].late_ns, 5 * SECOND, SECOND);
	assert_near(hosts[1].releases[1].late_ns, 7 * SECOND, SECOND);
	/* It does not wait for 7 s. */
	assert_true(hosts[1].releases[1].at_ns <= hosts[1].entered_ns[1]);
	hosts_link_meets(hosts[0].link, 1, &meets);
	assert_true(meets.late >= 2);
	assert_int_equal(meets.late_ns, hosts[1].releases[1].late_ns);
	hosts_link_clock(hosts[0].link, 1, &clock);
	assert_int_equal(clock.steps, 1);
	assert_true(clock.points >= 1);
	assert_near(truth(&hosts[1], hosts[1].releases[2].at_ns),
	            truth(&hosts[0], hosts[0].releases[2].at_ns),
	            hosts[1].releases[2].bound_ns * 1.001 + 5);
}

/* --- bytes ----------------------------------------------------------------------------------- */

/* Each host's part; what is beyond the last one is nobody's. */
static void cut(unsigned n, size_t *at)
{
	for (unsigned i = 0; i <= n; i++)
		at[i] = i * (BYTES / n);
}

static unsigned char byte_of(unsigned host, size_t i)
{
	return (unsigned char)(i % 251 + host);
}

static void fill(struct host *h, const size_t *at)
{
	memset(h->bytes, 0xee, sizeof h->bytes);
	for (size_t i = at[h->number]; i < at[h->number + 1]; i++)
		h->bytes[i] = byte_of(h->number, i);
}

static void check_bytes(const struct host *h, bool whole, const size_t *at)
{
	unsigned char *want = malloc(BYTES);
	memset(want, 0xee, BYTES);
	for (unsigned from = 0; from < h->nhosts; from++)
		for (size_t i = at[from]; (whole || from == h->number) && i < at[from + 1]; i++)
			want[i] = byte_of(from, i);
	assert_int_equal(memcmp(h->bytes, want, BYTES), 0);
	free(want);
}

static void *collect_job(void *of)
{
	struct host *h = of;
	size_t at[HOSTS + 1];
	cut(h->nhosts, at);
	fill(h, at);
	if (!open_and_watch(h))
		peers_collect(hosts_link_peers(h->link), h->bytes, at[1], &h->status);
	return NULL;
}

static void *share_job(void *of)
{
	struct host *h = of;
	size_t at[HOSTS + 1];
	cut(h->nhosts, at);
	fill(h, at);
	if (!h->link && open_and_watch(h))
		return NULL;
	peers_share(hosts_link_peers(h->link), h->bytes, at[1], &h->status);
	return NULL;
}

TEST(every_byte_comes)
{
	static const unsigned many[] = {1, 3, 8};
	for (unsigned m = 0; m < 3; m++) {
		size_t at[HOSTS + 1];
		unsigned n = many[m];
		cut(n, at);
		set(n);
		run_all(collect_job, n);
		for (unsigned h = 0; h < n; h++)
			check_bytes(&hosts[h], h == 0, at);
		run_all(share_job, n);
		for (unsigned h = 0; h < n; h++) {
			check_bytes(&hosts[h], true, at);
			hosts_link_close(hosts[h].link);
			hosts[h].link = NULL;
		}
		close(hosts[0].door.fd);
	}
	hosts[0].door.fd = -1;
}

TESTS(.before = fresh, .after = done);
