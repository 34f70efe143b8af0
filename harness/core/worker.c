#include "worker.h"
#include "../memory.h"

#include <sys/resource.h>

#include "../clock.h"
#include "../exchange/hosts_link.h"
#include "../machine.h"
#include "buffers.h"
#include "isolation.h"
#include "loop.h"
#include "traffic.h"

/* Ends a phase: what passed since the one before is the cell's. Not between timed calls. */
static void spend(struct loop *loop, unsigned cell, enum spent_phase phase)
{
	struct spent *spent = &loop_tally(loop, cell, 0)->spent;
	const int64_t now = clock_now_ns();
	if (!spent->from_ns)
		spent->from_ns = loop->phase_ns;
	spent->ns[phase] += now - loop->phase_ns;
	loop->phase_ns = now;
}

static int prepare(struct loop *loop, const struct cell *cell, uint64_t seed, unsigned slots)
{
	struct status st = {0};
	if (buffers_prepare(loop->backend, loop->ctx, loop->place.count, cell, seed, slots, &st))
		return loop_fail(loop, &st);
	loop->slot = 0;
	loop->slots = slots;
	loop->issue = loop_issue;
	return 0;
}

static int check(struct loop *loop, unsigned cell)
{
	for (unsigned i = 0; i < loop->place.count; i++) {
		struct tally *tally = loop_tally(loop, cell, i);
		struct buffers of = {.slots = 0}; /* nothing to check */
		struct backend_verdict v;
		struct status st = {0};
		if (loop->backend->buffers)
			loop->backend->buffers(loop->ctx, i, &of);
		if (buffers_check(&of, &v, &st))
			return loop_fail(loop, &st);
		tally->checked = of.slots > 0;
		if (v.wrong && !tally->wrong) {
			tally->wrong_at = v.wrong_at;
			tally->expected = v.expected;
			tally->got = v.got;
		}
		tally->wrong += v.wrong;
	}
	return 0;
}

/* flip: a known fault, to test the check. */
static int corrupt(struct loop *loop)
{
	const struct trial *trial = loop->place.trial;
	const struct settings *set = &trial->settings;
	struct buffers of;
	struct status st = {0};
	if (!loop->backend->buffers || set->flip_rank < (int)loop->place.first ||
	    set->flip_rank >= (int)(loop->place.first + loop->place.count))
		return 0;
	loop->backend->buffers(loop->ctx, (unsigned)set->flip_rank - loop->place.first, &of);
	if (buffers_corrupt(&of, trial->arena_bytes, (size_t)set->flip_byte, &st))
		return loop_fail(loop, &st);
	return 0;
}

/* Once all calls of a cell are done; calls that overwrote their own input cannot be checked. */
static int check_rows(struct loop *loop, unsigned cell)
{
	const struct trial *trial = loop->place.trial;
	if (team_meet(loop->team))
		return -1;
	if (trial_spoils(trial, &trial->cells[cell]))
		return 0;
	if (corrupt(loop))
		return -1;
	int64_t begin = clock_now_ns();
	if (check(loop, cell))
		return -1;
	loop_tally(loop, cell, 0)->check_ns = clock_now_ns() - begin;
	return 0;
}

/* One more call on fresh inputs: what an earlier one left is wrong now. If only it is checked, the
 * fault goes into it. */
static int check_fresh(struct loop *loop, unsigned cell)
{
	const struct trial *trial = loop->place.trial;
	int64_t ignored;
	if (prepare(loop, &trial->cells[cell], value_mix(trial->seed), 1) ||
	    loop_first_call(loop, &ignored))
		return -1;
	if (trial_spoils(trial, &trial->cells[cell]) && corrupt(loop))
		return -1;
	return check(loop, cell);
}

/* Once. What is waited for here is another job's end, and no phase of this one. Jobs in turns
 * connect side by side, before any is timed: that is the first one's start. */
static int wake(struct loop *loop)
{
	struct status st = {0};
	int64_t waited;
	int failed = 0;
	if (loop->awake)
		return 0;
	loop->awake = true;
	if (loop->backend->wake && loop->backend->wake(&loop->place, &st))
		return loop_fail(loop, &st);
	if (loop->place.trial->turns_to) {
		failed = loop_sleep(loop, 0, false, &waited);
	} else {
		if (team_meet(loop->team))
			return -1;
		spend(loop, 0, SPENT_CONNECT);
		if (loop->place.worker == 0)
			loop->calls->awake(loop->calls->arg);
		failed = team_meet(loop->team);
	}
	loop->phase_ns = clock_now_ns();
	return failed;
}

/* Opens or renews with the binding that helper threads may inherit; then binds to the core for
 * timing. */
static int open_backend(struct loop *loop)
{
	const struct backend_place *place = &loop->place;
	const struct settings *s = &place->trial->settings;
	/* A worker with its own CPUs is placed among those alone. */
	const bool own = s->cpus[0];
	int (*numa_node)(const struct trial *, unsigned) = loop->backend->numa_node;
	struct machine_seat seat = {.bind = s->bind,
	                            .opening = true,
	                            .numa = numa_node ? numa_node(place->trial, place->first) : -1,
	                            .worker = own ? 0 : place->worker - team_first(loop->team),
	                            .nworkers = own ? 1 : team_here(loop->team)};
	struct status st = {0};
	machine_binding_set(loop->binding, &seat, loop->bind, sizeof loop->bind);
	if (!place->trial->turns_to && wake(loop))
		return -1;
	int error = loop->ctx ? loop->backend->renew(&loop->ctx, &st)
	                      : loop->backend->open(place, &loop->ctx, &st);
	if (!error && !loop->traffic && s->traffic == TRAFFIC_LINKS)
		error = traffic_open(loop->backend, place, &loop->traffic, &st);
	seat.opening = false;
	machine_binding_set(loop->binding, &seat, loop->bind, sizeof loop->bind);
	/* The thread inherits the worker's CPUs, which are set by now. */
	if (!error && !loop->traffic && s->traffic == TRAFFIC_CPU)
		error = traffic_open(loop->backend, place, &loop->traffic, &st);
	if (error)
		return loop_fail(loop, &st);
	return place->trial->turns_to && wake(loop) ? -1 : team_meet(loop->team);
}

static void close_backend(struct loop *loop)
{
	loop->backend->close(loop->ctx);
	loop->ctx = NULL;
}

/* With one connection, while all processes exist: a shared page is divided among them. One worker
 * of a process asks, as the kernel walks through all of its memory. */
static void take_share(struct loop *loop)
{
	const unsigned threads = loop->place.trial->settings.layout.threads;
	if (!loop->share_bytes && loop->place.worker % threads == 0)
		loop->share_bytes = machine_memory_share(team_here(loop->team) / threads);
}

/* New connections or buffers, if the cell has others than the one before; no cell's deadline
 * applies. */
static int renew(struct loop *loop, unsigned cell)
{
	const struct cell *c = &loop->place.trial->cells[cell], *before = c - !!cell;
	bool connection = c->connection != before->connection;
	struct status st = {0};
	if (!connection && c->allocation == before->allocation)
		return 0;
	if (loop->place.worker == team_first(loop->team))
		team_set_deadline(loop->team, cell, 0);
	if (team_meet(loop->team))
		return -1;
	if (!connection && loop->backend->reallocate) {
		if (loop->backend->reallocate(loop->ctx, &st))
			return loop_fail(loop, &st);
		return team_meet(loop->team);
	}
	take_share(loop);
	if (!loop->backend->renew) {
		close_backend(loop);
		if (team_meet(loop->team))
			return -1;
	}
	if (!open_backend(loop))
		return 0;
	close_backend(loop);
	return -1;
}

/* For profilers: begins a range; without a name, ends the last one. */
static void mark(struct loop *loop, const char *name)
{
	if (loop->backend->mark)
		loop->backend->mark(loop->ctx, name);
}

static int marked_phase(struct loop *loop, const char *name, unsigned cell,
                        int (*part)(struct loop *, unsigned), enum spent_phase phase)
{
	mark(loop, name);
	const int result = part(loop, cell);
	mark(loop, NULL);
	spend(loop, cell, phase);
	return result;
}

static enum spent_phase phase_of(enum pass pass)
{
	return pass == PASS_COUNTERS   ? SPENT_COUNTERS
	       : pass == PASS_TIMELINE ? SPENT_TIMELINE
	                               : SPENT_CALLS;
}

static int warm_up(struct loop *loop, unsigned cell)
{
	(void)cell;
	return loop_warm_up(loop);
}

static int check_all(struct loop *loop, unsigned cell)
{
	return check_rows(loop, cell) || check_fresh(loop, cell) ? -1 : 0;
}

static int carry_out(struct loop *loop, unsigned cell)
{
	const struct trial *trial = loop->place.trial;
	const struct cell *c = &trial->cells[cell];
	int64_t first_ns = 0;
	if (c->coll == COLL_INIT)
		return pass_init(loop, cell);
	if (prepare(loop, c, trial->seed, trial_slots(trial, c)) || team_meet(loop->team))
		return -1;
	spend(loop, cell, SPENT_PREPARE);
	int64_t begin = clock_now_ns();
	if (loop_first_call(loop, &first_ns))
		return -1;
	struct traffic *traffic = c->pass == PASS_TIMED ? loop->traffic : NULL;
	int failed =
	    traffic_on(traffic, loop->deadline_ns) ||
	    marked_phase(loop, "warm-up", cell, warm_up, SPENT_WARM_UP) ||
	    marked_phase(loop, coll_pass_name(c->pass), cell, pass_rows, phase_of(c->pass));
	if (traffic_off(traffic, loop->deadline_ns) || failed)
		return -1;
	spend(loop, cell, SPENT_PREPARE);
	if (marked_phase(loop, "check", cell, check_all, SPENT_CHECK))
		return -1;
	for (unsigned i = 0; i < loop->place.count; i++) {
		struct tally *tally = loop_tally(loop, cell, i);
		tally->begin_ns = begin;
		tally->first_ns = (uint64_t)first_ns;
		tally->measured = 1;
	}
	return team_meet(loop->team);
}

/* The clocks of the hosts, before each cell and after the last one: drift shows over time. */
static int align_clocks(struct loop *loop)
{
	struct status st = {""};
	if (!team_hosts_link(loop->team) || !hosts_link_align(team_hosts_link(loop->team), &st))
		return 0;
	return loop_fail(loop, &st);
}

/* "all_reduce 4 KiB, stream" */
static int measure_cell(struct loop *loop, unsigned cell)
{
	const struct cell *c = &loop->place.trial->cells[cell];
	const unsigned timeout_s = loop->place.trial->cell_timeout_s;
	char name[160], size[32];
	if (renew(loop, cell) || align_clocks(loop))
		return -1;
	spend(loop, cell, SPENT_CONNECT);
	loop->cell = c;
	loop->deadline_ns =
	    timeout_s ? clock_now_ns() + timeout_s * (int64_t)1000000000 : INT64_MAX;
	if (timeout_s && loop->place.worker == team_first(loop->team))
		team_set_deadline(loop->team, cell, loop->deadline_ns);
	coll_size_label(c->asked_bytes, size, sizeof size);
	snprintf(name, sizeof name, "%s %s, %s", coll_word(c, loop->place.nranks).text, size,
	         coll_pace_name(c->pace));
	/* What is left is a cell of init's calls, and else the last meeting. */
	return marked_phase(loop, name, cell, carry_out,
	                    c->coll == COLL_INIT ? SPENT_CALLS : SPENT_CHECK);
}

/* The record's facts of this worker; written last, when the backend knows what it did. */
static void describe(struct loop *loop)
{
	const struct settings *set = &loop->place.trial->settings;
	char *facts = team_facts(loop->team, loop->place.worker);
	char text[TEAM_FACTS_BYTES - 960] = ""; /* room for the rest */
	struct rusage process;
	getrusage(RUSAGE_SELF, &process); /* ru_maxrss is in KiB */
	take_share(loop);
	facts[0] = '\0';
	status_add(facts, TEAM_FACTS_BYTES, "bind=%s\n", loop->bind);
	if (team_here(loop->team) < layout_workers(set->layout)) {
		machine_host(text);
		status_add(facts, TEAM_FACTS_BYTES, "host=%s\n", text);
	}
	if (set->cpus[0])
		status_add(facts, TEAM_FACTS_BYTES, "cpus=%s\n", loop->cpus);
	if (settings_isolates(set)) {
		isolation_describe(text, sizeof text);
		status_add(facts, TEAM_FACTS_BYTES, "namespaces=%s\n", text);
	}
	traffic_describe(loop->traffic, text, sizeof text);
	status_add(facts, TEAM_FACTS_BYTES, "%s", text);
	if (loop->place.worker == 0)
		status_add(facts, TEAM_FACTS_BYTES, "team_bytes=%zu\n", team_bytes(loop->team));
	status_add(facts, TEAM_FACTS_BYTES, "process_peak_bytes=%lld\n",
	           1024ll * process.ru_maxrss);
	if (loop->share_bytes > 0)
		status_add(facts, TEAM_FACTS_BYTES, "process_share_bytes=%lld\n",
		           loop->share_bytes);
	text[0] = '\0';
	if (loop->ctx)
		loop->backend->describe(loop->ctx, text, sizeof text);
	status_add(facts, TEAM_FACTS_BYTES, "%s", text);
	team_meet(loop->team);
}

/* Before it is bound, and before anything starts threads. */
static int take_cpus(struct loop *loop)
{
	const struct backend_place *place = &loop->place;
	const struct settings *set = &place->trial->settings;
	unsigned ranks, cpus = settings_cpus(set, &ranks);
	int result = cpus ? machine_cpus_set(cpus, ranks,
	                                     place->first - team_first(loop->team) * place->count,
	                                     place->count, team_here(loop->team) * place->count)
	                  : 0;
	loop->binding = machine_binding_take();
	machine_cpus_list(loop->binding, loop->cpus, sizeof loop->cpus);
	return result;
}

static void run_member(const struct trial *trial, const struct backend *backend, struct team *team,
                       unsigned index, const struct loop_calls *calls)
{
	struct layout layout = trial->settings.layout;
	unsigned count = layout.ranks_per_thread;
	struct loop loop = {
	    .backend = backend,
	    .team = team,
	    .place = {.trial = trial,
	              .team = team,
	              .nranks = layout_ranks(layout),
	              .worker = index,
	              .first = index * count,
	              .count = count,
	              .process = index / layout.threads,
	              .processes = layout.processes},
	    .measure_row = trial->settings.start == START_GATED ? loop_row_gated : loop_row,
	    .deadline_ns = INT64_MAX,
	    .phase_ns = clock_now_ns(),
	    .calls = calls,
	    .aggregate = trial_group(trial),
	    .pause = trial->settings.wait == WAIT_BLOCK ? loop_pause_blocked : loop_pause,
	    .replays = 1,
	    .rows = memory_take(count, sizeof *loop.rows),
	    .scratch = memory_take(count, sizeof *loop.scratch),
	    .busy = memory_take(count, sizeof *loop.busy),
	};
	if (take_cpus(&loop)) {
		team_fail(team, loop.place.first, "cpus: the system refused these CPUs");
	} else if (!open_backend(&loop)) {
		unsigned cell = 0;
		int64_t ignored = 0;
		while (cell < trial->ncells && !measure_cell(&loop, cell))
			cell++;
		if (cell == trial->ncells && trial->turns_to)
			loop_sleep(&loop, 0, true, &ignored);
		if (index == team_first(team))
			team_set_deadline(team, 0, 0);
		align_clocks(&loop);
		describe(&loop);
	}
	traffic_close(loop.traffic);
	(backend->leave ? backend->leave : backend->close)(loop.ctx);
	machine_binding_free(loop.binding);
	free(loop.busy);
	free(loop.scratch);
	free(loop.rows);
}

void worker_run(const struct trial *trial, const struct backend *backend, struct team *team,
                unsigned index, const struct loop_calls *calls)
{
	struct team *member = team_member(team, index);
	run_member(trial, backend, member, index, calls);
	free(member);
}
