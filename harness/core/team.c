#include "team.h"
#include "../memory.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../clock.h"
#include "../exchange/hosts_link.h"
#include "../machine.h"

#define LINE  64 /* bytes of a cache line: two workers never write to the same one */
#define MAGIC 0x6C61756E63686761u

enum { FAIL_NONE, FAIL_WRITING, FAIL_SAID };

struct header {
	uint64_t magic;
	struct team_shape shape;
	size_t come_at, mailbox_at, facts_at, area_at, store_at, bytes;
	_Alignas(LINE) atomic_uint arrived;
	_Alignas(LINE) atomic_uint round;
	_Atomic int64_t
	    release_ns; /* beside round, which publishes it: when all go on; 0: at once */
	_Alignas(LINE) atomic_int failing;
	_Atomic int64_t deadline_ns; /* beside failing: written once a cell */
	atomic_uint cell;
	atomic_uint turn; /* of team_rouse */
	atomic_uint counts[TEAM_COUNTS];
	unsigned own_at; /* of the failure: without this host's name */
	char failure[sizeof(struct status) + MACHINE_HOST_BYTES + 32];
};

/* A worker's own line: the round that it waits for, or the last one that it saw. */
struct come {
	_Alignas(LINE) atomic_uint round;
	_Alignas(LINE) struct team_beside beside;
};

struct team {
	struct header *block;
	struct come *come;       /* of a member; else NULL */
	struct hosts_link *link; /* of the first process of one of several hosts */
	int fd;                  /* −1 once sealed */
};

static size_t round_up(size_t bytes, size_t unit)
{
	return (bytes + unit - 1) / unit * unit;
}

static struct come *come_of(const struct team *team, unsigned worker)
{
	return (struct come *)((char *)team->block + team->block->come_at) + worker;
}

struct team_beside *team_beside(const struct team *team, unsigned worker)
{
	return &come_of(team, worker)->beside;
}

static void lay_out(struct header *h, const struct team_shape *shape, size_t page)
{
	h->shape = *shape;
	h->shape.workers_here = shape->workers_here ? shape->workers_here : shape->nworkers;
	h->come_at = round_up(sizeof *h, LINE);
	h->mailbox_at = h->come_at + (size_t)shape->nworkers * sizeof(struct come);
	h->facts_at = h->mailbox_at + (size_t)shape->nranks * TEAM_MAILBOX_BYTES;
	h->area_at = round_up(h->facts_at + (size_t)shape->nworkers * TEAM_FACTS_BYTES, page);
	h->store_at = round_up(h->area_at + shape->area_bytes, page);
	h->bytes = round_up(h->store_at + shape->store_bytes, page);
}

static int map(struct team *team, size_t bytes, struct status *st)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, team->fd, 0);
	if (p == MAP_FAILED)
		return status_set(st, "cannot map the team's block of %zu bytes: %s", bytes,
		                  strerror(errno));
	team->block = p;
	return 0;
}

/* Each process has its own page tables. Adding 0 keeps what another may have written meanwhile. */
void team_touch(struct team *team)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	for (size_t at = 0; at < team->block->store_at; at += page)
		atomic_fetch_add((atomic_uint *)((char *)team->block + at), 0);
}

int team_create(const struct team_shape *shape, char *path, size_t path_bytes, struct team **out,
                struct status *st)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct header plan = {0};
	struct team *team = memory_take(1, sizeof *team);
	lay_out(&plan, shape, page);
	/* A memfd reserves whatever is asked for, until the machine has no more memory. */
	if (plan.store_at / page > (size_t)sysconf(_SC_PHYS_PAGES) / 2) {
		free(team);
		return status_set(st,
		                  "cannot reserve %zu bytes for samples: more than half of this "
		                  "machine's memory; fewer cells, calls or ranks need less",
		                  plan.store_at);
	}
	team->fd = memfd_create("launchgap-team", MFD_CLOEXEC);
	if (team->fd < 0) {
		status_set(st, "cannot make the team's block: %s", strerror(errno));
		goto fail;
	}
	/* All but the store is reserved now: full memory is an error here, and no signal in a
	 * measurement. */
	if (ftruncate(team->fd, (off_t)plan.bytes) ||
	    (errno = posix_fallocate(team->fd, 0, (off_t)plan.store_at))) {
		status_set(st, "cannot reserve %zu bytes for the team's block: %s", plan.bytes,
		           strerror(errno));
		goto fail;
	}
	if (map(team, plan.bytes, st))
		goto fail;
	memset((char *)team->block, 0, plan.store_at);
	lay_out(team->block, shape, page);
	team->block->magic = MAGIC;
	snprintf(path, path_bytes, "/proc/%ld/fd/%d", (long)getpid(), team->fd);
	*out = team;
	return 0;
fail:
	team_leave(team);
	return -1;
}

int team_join(const char *path, struct team **out, struct status *st)
{
	struct stat stat;
	struct team *team = memory_take(1, sizeof *team);
	team->fd = open(path, O_RDWR | O_CLOEXEC);
	if (team->fd < 0 || fstat(team->fd, &stat)) {
		status_set(st, "cannot join the team's block at %s: %s", path, strerror(errno));
		goto fail;
	}
	if ((size_t)stat.st_size < sizeof(struct header)) {
		status_set(st, "%s is no team's block", path);
		goto fail;
	}
	if (map(team, (size_t)stat.st_size, st))
		goto fail;
	if (team->block->magic != MAGIC || team->block->bytes != (size_t)stat.st_size) {
		status_set(st, "%s is no team's block", path);
		munmap(team->block, (size_t)stat.st_size);
		team->block = NULL;
		goto fail;
	}
	team_seal(team);
	team_touch(team);
	*out = team;
	return 0;
fail:
	team_leave(team);
	return -1;
}

void team_seal(struct team *team)
{
	if (team->fd >= 0)
		close(team->fd);
	team->fd = -1;
}

void team_leave(struct team *team)
{
	if (!team)
		return;
	team_seal(team);
	if (team->block)
		munmap(team->block, team->block->bytes);
	free(team);
}

unsigned team_count(struct team *team, enum team_counts what, unsigned more)
{
	return atomic_fetch_add(&team->block->counts[what], more) + more;
}

const struct team_shape *team_shape(const struct team *team)
{
	return &team->block->shape;
}

size_t team_bytes(const struct team *team)
{
	return team->block->bytes;
}

struct team *team_member(const struct team *team, unsigned worker)
{
	struct team *member = memory_take(1, sizeof *member);
	*member = (struct team){
	    .block = team->block,
	    .come = come_of(team, worker),
	    .link = worker == team_first(team) ? team->link : NULL,
	    .fd = -1,
	};
	return member;
}

unsigned team_missing(const struct team *team, unsigned *rank)
{
	const struct team_shape *shape = &team->block->shape;
	unsigned round = atomic_load_explicit(&team->block->round, memory_order_acquire);
	unsigned missing = 0;
	const unsigned first = shape->first_worker;
	for (unsigned w = first + shape->workers_here; w-- > first;) {
		if (atomic_load(&come_of(team, w)->round) == round + 1)
			continue;
		missing++;
		*rank = w * (shape->nranks / shape->nworkers);
	}
	return missing;
}

int team_pause(struct team *team)
{
	struct header *h = team->block;
	if (atomic_load_explicit(&h->failing, memory_order_relaxed) != FAIL_NONE)
		return -1;
	if (h->shape.yield)
		sched_yield();
	else
		clock_relax();
	return 0;
}

/* A failure wakes no sleeper: it is looked for. */
int team_sleep(struct team *team, unsigned turn)
{
	const struct timespec look = {0, 100000000};
	struct header *h = team->block;
	unsigned now;
	while ((now = atomic_load(&h->turn)) < turn) {
		if (atomic_load(&h->failing) != FAIL_NONE)
			return -1;
		syscall(SYS_futex, &h->turn, FUTEX_WAIT, now, &look, NULL, 0);
	}
	return 0;
}

void team_rouse(struct team *team, unsigned turn)
{
	atomic_store(&team->block->turn, turn);
	syscall(SYS_futex, &team->block->turn, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* The first worker of a host, once all others here have arrived: learns when all hosts go on. */
static int meet_hosts(struct team *team)
{
	struct header *h = team->block;
	struct hosts_link_release release;
	while (atomic_load_explicit(&h->arrived, memory_order_acquire) != h->shape.workers_here)
		if (team_pause(team))
			return -1;
	if (hosts_link_meet(team->link, &release))
		return -1;
	atomic_store_explicit(&h->release_ns, release.at_ns, memory_order_relaxed);
	return 0;
}

static bool is_part(const struct header *h)
{
	return h->shape.workers_here != h->shape.nworkers;
}

static void open_round(struct header *h, unsigned round)
{
	atomic_store_explicit(&h->arrived, 0, memory_order_relaxed);
	atomic_store_explicit(&h->round, round + 1, memory_order_release);
}

/* The last to arrive opens the next round by one store: in every mode the release is one transfer
 * of a cache line. On several hosts the first worker of each opens it; all go on at one time. */
int team_meet(struct team *team)
{
	struct header *h = team->block;
	unsigned round = atomic_load_explicit(&h->round, memory_order_relaxed);
	if (team->come)
		atomic_store_explicit(&team->come->round, round + 1, memory_order_relaxed);
	const unsigned arrived =
	    atomic_fetch_add_explicit(&h->arrived, 1, memory_order_acq_rel) + 1;
	if (team->link) {
		if (meet_hosts(team))
			return -1;
		open_round(h, round);
	} else if (!is_part(h) && arrived == h->shape.workers_here) {
		open_round(h, round);
	}
	while (atomic_load_explicit(&h->round, memory_order_acquire) == round)
		if (team_pause(team))
			return -1;
	if (is_part(h))
		while (clock_now_ns() < atomic_load_explicit(&h->release_ns, memory_order_relaxed))
			if (team_pause(team))
				return -1;
	return atomic_load_explicit(&h->failing, memory_order_relaxed) == FAIL_NONE ? 0 : -1;
}

int team_share_parts(struct team *team, void *parts, size_t bytes)
{
	const struct team_shape *shape = &team->block->shape;
	const unsigned hosts = shape->nworkers / shape->workers_here;
	struct status st = {""};
	if (team_meet(team))
		return -1;
	if (!is_part(team->block))
		return 0;
	if (team->link &&
	    peers_share(hosts_link_peers(team->link), parts, shape->nranks / hosts * bytes, &st)) {
		team_fail(team, TEAM_ALL_RANKS, st.text);
		return -1;
	}
	return team_meet(team);
}

int team_share(struct team *team)
{
	return team_share_parts(team, team_mailbox(team, 0), TEAM_MAILBOX_BYTES);
}

int team_agree(struct team *team, unsigned rank, bool own, bool *all)
{
	const struct team_shape *shape = &team->block->shape;
	bool *said = team_mailbox(team, rank);
	*said = own;
	if (team_share(team))
		return -1;
	*all = true;
	for (unsigned r = 0; r < shape->nranks; r += shape->nranks / shape->nworkers) {
		said = team_mailbox(team, r);
		*all = *all && *said;
	}
	return team_meet(team);
}

int team_late(struct team *team, unsigned ranks, bool *all)
{
	const struct team_shape *shape = &team->block->shape;
	team_count(team, TEAM_LATE, ranks);
	if (team_meet(team))
		return -1;
	*all = team_count(team, TEAM_LATE, 0) ==
	       shape->workers_here * (shape->nranks / shape->nworkers);
	return 0;
}

/* The link names the host that it comes from. */
static const char *own_failure(void *of)
{
	const struct team *team = of;
	const char *text = team_failure(team);
	return text == team->block->failure ? text + team->block->own_at : text;
}

static void others_failed(void *of, const char *text)
{
	team_fail(of, TEAM_OTHERS, text);
}

int team_link(struct team *team, struct hosts_link *link, struct status *st)
{
	team->link = link;
	return hosts_link_watch(link, own_failure, others_failed, team, st);
}

struct hosts_link *team_hosts_link(const struct team *team)
{
	return team->link;
}

unsigned team_first(const struct team *team)
{
	return team->block->shape.first_worker;
}

unsigned team_here(const struct team *team)
{
	return team->block->shape.workers_here;
}

void team_fail(struct team *team, unsigned rank, const char *text)
{
	struct header *h = team->block;
	int none = FAIL_NONE;
	char host[MACHINE_HOST_BYTES] = "", where[MACHINE_HOST_BYTES + 8] = "";
	if (!atomic_compare_exchange_strong(&h->failing, &none, FAIL_WRITING))
		return;
	if (is_part(h) && rank != TEAM_OTHERS) {
		machine_host_name(host);
		h->own_at = (unsigned)snprintf(where, sizeof where, "host %s: ", host);
	}
	if (rank == TEAM_OTHERS)
		snprintf(h->failure, sizeof h->failure, "%s", text);
	else if (rank == TEAM_ALL_RANKS)
		snprintf(h->failure, sizeof h->failure, "%sall ranks: %s", where, text);
	else
		snprintf(h->failure, sizeof h->failure, "%srank %u: %s", where, rank, text);
	atomic_store_explicit(&h->failing, FAIL_SAID, memory_order_release);
}

const char *team_failure(const struct team *team)
{
	struct header *h = team->block;
	if (atomic_load_explicit(&h->failing, memory_order_acquire) == FAIL_NONE)
		return NULL;
	/* Microseconds pass between the two stores, unless the writer was killed. */
	for (int i = 0; i < 1000; i++) {
		if (atomic_load_explicit(&h->failing, memory_order_acquire) == FAIL_SAID)
			return h->failure;
		usleep(100);
	}
	return "a rank failed and did not live to say why";
}

void team_set_deadline(struct team *team, unsigned cell, int64_t deadline_ns)
{
	atomic_store_explicit(&team->block->cell, cell, memory_order_relaxed);
	atomic_store_explicit(&team->block->deadline_ns, deadline_ns, memory_order_release);
}

int64_t team_deadline(const struct team *team, unsigned *cell)
{
	int64_t deadline = atomic_load_explicit(&team->block->deadline_ns, memory_order_acquire);
	*cell = atomic_load_explicit(&team->block->cell, memory_order_relaxed);
	return deadline;
}

void *team_mailbox(struct team *team, unsigned rank)
{
	return (char *)team->block + team->block->mailbox_at + (size_t)rank * TEAM_MAILBOX_BYTES;
}

char *team_facts(struct team *team, unsigned worker)
{
	return (char *)team->block + team->block->facts_at + (size_t)worker * TEAM_FACTS_BYTES;
}

void *team_area(struct team *team)
{
	return (char *)team->block + team->block->area_at;
}

void *team_store(struct team *team)
{
	return (char *)team->block + team->block->store_at;
}
