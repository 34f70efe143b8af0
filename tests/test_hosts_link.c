/* The link between hosts: meetings by aligned clocks, and bytes. */
#include "../harness/clock.h"
#include "linked.h"
#include "test.h"

static struct linked *all;

/* --- meeting and clocks ---------------------------------------------------------------------- */

static void *meet_job(void *of)
{
	struct host *h = of;
	if (linked_open_and_watch(h))
		return NULL;
	for (unsigned i = 0; i < LINKED_MEETS; i++) {
		/* Each in turn is the last to come. */
		if (i % h->nhosts == h->number)
			usleep(2000);
		h->entered_ns[i] = clock_now_ns();
		if (linked_meet(h))
			break;
		h->releases[i] = h->release;
		if (i % 5 == 4 && hosts_link_align(h->link, &h->status))
			break;
	}
	peers_collect(hosts_link_peers(h->link), NULL, 0, &h->status);
	return NULL;
}

/* By the true clock, within what each host states of that meeting, and after the last one has come. */
static void check_release(unsigned n, unsigned i)
{
	const struct linked_release *first = &all->hosts[0].releases[i];
	double released = linked_truth(&all->hosts[0], first->at_ns);
	assert_true(first->bound_ns == 0);
	for (unsigned h = 0; h < n; h++) {
		const struct linked_release *r = &all->hosts[h].releases[i];
		double here = linked_truth(&all->hosts[h], r->at_ns);
		assert_near(here, released, r->bound_ns * 1.001 + 5);
		assert_true(released > (double)all->hosts[h].entered_ns[i]);
		assert_true(r->late_ns >= 0);
	}
}

/* Host 0 knows of each what it knows itself. */
static void check_meets(unsigned h)
{
	struct hosts_link_meets heard, own;
	uint64_t late = 0;
	int64_t most = 0;
	hosts_link_meets(all->hosts[0].link, h, &heard);
	hosts_link_meets(all->hosts[h].link, h, &own);
	for (unsigned i = 0; i < LINKED_MEETS; i++) {
		int64_t late_ns = all->hosts[h].releases[i].late_ns;
		late += late_ns > 0;
		most = late_ns > most ? late_ns : most;
	}
	assert_int_equal(own.meets, LINKED_MEETS);
	assert_int_equal(own.late, late);
	assert_int_equal(own.late_ns, most);
	assert_true(own.margin_ns > 0);
	assert_int_equal(heard.meets, LINKED_MEETS);
	assert_int_equal(heard.late, late);
	assert_int_equal(heard.late_ns, most);
}

static void check_clock(unsigned h, unsigned alignments)
{
	struct hosts_link_clock clock, own;
	hosts_link_clock(all->hosts[0].link, h, &clock);
	hosts_link_clock(all->hosts[h].link, h, &own);
	assert_true(clock.offset_ns == own.offset_ns && clock.bound_ns == own.bound_ns);
	for (unsigned i = 0; i < LINKED_MEETS; i++) {
		int64_t stamp = all->hosts[h].releases[i].at_ns;
		double at = linked_truth(&all->hosts[h], stamp);
		int64_t first = hosts_link_to_first(all->hosts[0].link, h, stamp);
		assert_near(linked_truth(&all->hosts[0], first), at,
		            hosts_link_bound_ns(all->hosts[0].link, h, stamp) * 1.001 + 5);
	}
	if (!h)
		return;
	/* The offset moves by the drift, for as long as the test took. */
	double moved =
	    fabs(all->hosts[h].drift) * (double)(clock_now_ns() - all->hosts[h].begin_ns);
	int64_t begin = all->hosts[h].begin_ns - all->hosts[0].begin_ns; /* of its clock's time */
	assert_near(clock.offset_ns,
	            (double)(all->hosts[h].offset_ns - all->hosts[0].offset_ns - begin),
	            clock.bound_ns + moved + 5);
	assert_true(clock.rtt_ns > 0 && clock.bound_ns >= clock.rtt_ns / 2);
	assert_int_equal(clock.pings, (10 + alignments) * 32);
	assert_true(clock.points >= 10 + alignments && own.points == clock.points);
	assert_int_equal(clock.steps, 0);
	assert_true(clock.residual_ns >= 0);
}

static void check_meetings(unsigned n)
{
	linked_set(all, n);
	linked_run_all(all, meet_job, n);
	linked_assert_worked(all, n);
	for (unsigned i = 0; i < LINKED_MEETS; i++)
		check_release(n, i);
	for (unsigned h = 0; h < n; h++) {
		check_meets(h);
		check_clock(h, LINKED_MEETS / 5);
	}
}

TEST(three_hosts_go_on_together_within_what_they_say)
{
	check_meetings(3);
}

TEST(eight_hosts_go_on_together_within_what_they_say)
{
	check_meetings(8);
}

TEST(one_host_meets_itself)
{
	check_meetings(1);
}

/* No alignment for a while: the meetings' own pings go on with the line. */
static void *meet_slowly(void *of)
{
	struct host *h = of;
	if (linked_open_and_watch(h))
		return NULL;
	for (unsigned i = 0; i < LINKED_MEETS; i++) {
		usleep(40000);
		h->entered_ns[i] = clock_now_ns();
		if (linked_meet(h))
			return NULL;
		h->releases[i] = h->release;
	}
	peers_collect(hosts_link_peers(h->link), NULL, 0, &h->status);
	return NULL;
}

TEST(meetings_keep_clocks_aligned)
{
	linked_set(all, 3);
	linked_run_all(all, meet_slowly, 3);
	linked_assert_worked(all, 3);
	for (unsigned i = 0; i < LINKED_MEETS; i++)
		check_release(3, i);
	for (unsigned h = 1; h < 3; h++) {
		struct hosts_link_clock clock;
		check_clock(h, 0);
		hosts_link_clock(all->hosts[0].link, h, &clock);
		assert_true(clock.points > 10);
		assert_int_equal(clock.steps, 0);
	}
}

/* A clock that steps after it was aligned: T has passed long ago, or would come much too late. */
static void *step_job(void *of)
{
	struct host *h = of;
	if (linked_open_and_watch(h))
		return NULL;
	if (h->number)
		atomic_fetch_add(&h->offset_ns, 5 * LINKED_SECOND);
	if (linked_meet(h))
		return NULL;
	h->releases[0] = h->release;
	if (h->number)
		atomic_fetch_sub(&h->offset_ns, 12 * LINKED_SECOND);
	if (linked_meet(h))
		return NULL;
	h->releases[1] = h->release;
	h->entered_ns[1] = linked_now(h);
	if (hosts_link_align(h->link, &h->status) || linked_meet(h))
		return NULL;
	h->releases[2] = h->release;
	peers_collect(hosts_link_peers(h->link), NULL, 0, &h->status);
	return NULL;
}

TEST(a_clock_that_steps_makes_a_meeting_late_and_is_seen)
{
	struct hosts_link_meets meets;
	struct hosts_link_clock clock;
	linked_set(all, 2);
	linked_run_all(all, step_job, 2);
	linked_assert_worked(all, 2);
	assert_near(all->hosts[1].releases[0].late_ns, 5 * LINKED_SECOND, LINKED_SECOND);
	assert_near(all->hosts[1].releases[1].late_ns, 7 * LINKED_SECOND, LINKED_SECOND);
	/* It does not wait for 7 s. */
	assert_true(all->hosts[1].releases[1].at_ns <= all->hosts[1].entered_ns[1]);
	hosts_link_meets(all->hosts[0].link, 1, &meets);
	assert_true(meets.late >= 2);
	assert_int_equal(meets.late_ns, all->hosts[1].releases[1].late_ns);
	hosts_link_clock(all->hosts[0].link, 1, &clock);
	assert_int_equal(clock.steps, 1);
	assert_int_equal(clock.points, 1);
	assert_near(linked_truth(&all->hosts[1], all->hosts[1].releases[2].at_ns),
	            linked_truth(&all->hosts[0], all->hosts[0].releases[2].at_ns),
	            all->hosts[1].releases[2].bound_ns * 1.001 + 5);
}

/* --- bytes ----------------------------------------------------------------------------------- */

/* Each host's part; what is beyond the last one is nobody's. */
static void cut(unsigned n, size_t *at)
{
	for (unsigned i = 0; i <= n; i++)
		at[i] = i * (LINKED_BYTES / n);
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
	unsigned char *want = malloc(LINKED_BYTES);
	memset(want, 0xee, LINKED_BYTES);
	for (unsigned from = 0; from < h->nhosts; from++)
		for (size_t i = at[from]; (whole || from == h->number) && i < at[from + 1]; i++)
			want[i] = byte_of(from, i);
	assert_int_equal(memcmp(h->bytes, want, LINKED_BYTES), 0);
	free(want);
}

static void *collect_job(void *of)
{
	struct host *h = of;
	size_t at[LINKED_HOSTS + 1];
	cut(h->nhosts, at);
	fill(h, at);
	if (!linked_open_and_watch(h))
		peers_collect(hosts_link_peers(h->link), h->bytes, at[1], &h->status);
	return NULL;
}

static void *share_job(void *of)
{
	struct host *h = of;
	size_t at[LINKED_HOSTS + 1];
	cut(h->nhosts, at);
	fill(h, at);
	if (!h->link && linked_open_and_watch(h))
		return NULL;
	peers_share(hosts_link_peers(h->link), h->bytes, at[1], &h->status);
	return NULL;
}

TEST(every_byte_comes)
{
	static const unsigned many[] = {1, 3, 8};
	for (unsigned m = 0; m < 3; m++) {
		size_t at[LINKED_HOSTS + 1];
		unsigned n = many[m];
		cut(n, at);
		linked_set(all, n);
		linked_run_all(all, collect_job, n);
		linked_assert_worked(all, n);
		for (unsigned h = 0; h < n; h++)
			check_bytes(&all->hosts[h], h == 0, at);
		linked_run_all(all, share_job, n);
		linked_assert_worked(all, n);
		for (unsigned h = 0; h < n; h++) {
			check_bytes(&all->hosts[h], true, at);
			hosts_link_close(all->hosts[h].link);
			all->hosts[h].link = NULL;
		}
		close(all->hosts[0].door.fd);
	}
	all->hosts[0].door.fd = -1;
}

FIXTURE(fresh)
{
	return linked_begin(&all);
}

FIXTURE(done)
{
	return linked_end(all);
}

TESTS(.before = fresh, .after = done);
