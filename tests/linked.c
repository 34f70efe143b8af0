#include "linked.h"

#include <assert.h>
#include <sys/mman.h>

#include "../harness/clock.h"
#include "test.h"

static const char secret[] = "0123456789abcdef0123456789abcdef";

int linked_begin(struct linked **all)
{
	void *at =
	    mmap(NULL, sizeof **all, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (at == MAP_FAILED)
		return -1;
	*all = at;
	return 0;
}

int linked_end(struct linked *all)
{
	for (unsigned i = 0; i < LINKED_HOSTS; i++)
		hosts_link_close(all->hosts[i].link);
	if (all->hosts[0].door.fd > 0)
		close(all->hosts[0].door.fd);
	return munmap(all, sizeof *all);
}

int64_t linked_now(void *of)
{
	const struct host *h = of;
	int64_t since = clock_now_ns() - h->begin_ns;
	return atomic_load(&h->offset_ns) + since + (int64_t)((double)since * h->drift);
}

double linked_truth(const struct host *h, int64_t ns)
{
	return (double)h->begin_ns + (double)(ns - atomic_load(&h->offset_ns)) / (1 + h->drift);
}

static const char *failure(void *of)
{
	const struct host *h = of;
	return atomic_load(&h->has_failed) ? "rank 5: its buffer is lost" : NULL;
}

static void fail_host(void *of, const char *text)
{
	struct host *h = of;
	assert(!atomic_load(&h->is_told));
	snprintf(h->told, sizeof h->told, "%s", text);
	atomic_store(&h->is_told, true);
}

void linked_reach(struct linked *all, unsigned stage)
{
	while (atomic_load(&all->stage) < stage)
		usleep(1000);
}

int linked_open(struct host *h)
{
	const struct hosts_link_place place = {.seat = {.rank = h->number,
	                                                .size = h->nhosts,
	                                                .door = h->number ? -1 : h->door.fd,
	                                                .address = h->address,
	                                                .secret = h->secret,
	                                                .timeout_s = h->limit_s,
	                                                .peer = "host"},
	                                       .name = h->name,
	                                       .silence_ms = h->silence_ms,
	                                       .now = linked_now,
	                                       .of = h,
	                                       .yield = true};
	return hosts_link_open(&place, &h->link, &h->status);
}

int linked_watch(struct host *h)
{
	return hosts_link_watch(h->link, failure, fail_host, h, &h->status);
}

int linked_open_and_watch(struct host *h)
{
	return linked_open(h) ? -1 : linked_watch(h);
}

int linked_meet(struct host *h)
{
	struct hosts_link_release is;
	if (hosts_link_meet(h->link, &is))
		return -1;
	const double bound_ns = hosts_link_bound_ns(h->link, h->number, is.at_ns);
	h->release = (struct linked_release){is.at_ns, is.late_ns, bound_ns};
	return 0;
}

void linked_set(struct linked *all, unsigned n)
{
	struct status st = {""};
	struct door_place door;
	assert_works(door_open("127.0.0.1:0", &door, &st), st);
	for (unsigned i = 0; i < n; i++) {
		struct host *h = &all->hosts[i];
		h->number = i;
		h->nhosts = n;
		h->name[0] = (char)('a' + i);
		h->door = door;
		memcpy(h->address, door.address, sizeof h->address);
		h->secret = secret;
		h->limit_s = 20;
		h->begin_ns = clock_now_ns();
		/* Host 0's is off too: nothing may take it for the truth. */
		h->offset_ns = ((int64_t)i * 3 - 4) * LINKED_SECOND + 7 * i;
		h->drift = i ? (i % 2 ? 50e-6 : -50e-6) : 0;
	}
}

/* A job for each, in a thread. */
void linked_run(struct linked *all, void *(*const jobs[])(void *host), unsigned n)
{
	pthread_t threads[LINKED_HOSTS];
	for (unsigned i = 0; i < n; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, jobs[i], &all->hosts[i]), 0);
	for (unsigned i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
}

void linked_run_all(struct linked *all, void *(*job)(void *host), unsigned n)
{
	void *(*jobs[LINKED_HOSTS])(void *host);
	for (unsigned i = 0; i < LINKED_HOSTS; i++)
		jobs[i] = job;
	linked_run(all, jobs, n);
}

void linked_assert_worked(const struct linked *all, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		assert_string_equal(all->hosts[i].status.text, "");
		assert_string_equal(all->hosts[i].told, "");
	}
}
