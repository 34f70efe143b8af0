#include "host_rig.h"

#include <sys/resource.h>

void rig_init(struct rig *rig, struct layout layout, const char *path)
{
	memset(rig, 0, sizeof *rig);
	settings_default(&rig->trial.settings);
	rig->trial.settings.layout = layout;
	snprintf(rig->trial.settings.path, TRIAL_NAME_BYTES, "%s", path);
	rig->trial.cells = rig->cells;
	rig->calls = rig->slots = 1;
}

void rig_add_cell(struct rig *rig, struct cell cell)
{
	cell.asked_bytes = cell.bytes;
	cell.bytes =
	    coll_round(cell.coll, cell.dtype, cell.bytes, layout_ranks(rig->trial.settings.layout));
	if (cell.bytes == 0)
		return;
	assert_true(rig->trial.ncells < RIG_CELLS);
	rig->cells[rig->trial.ncells++] = cell;
}

struct cell rig_cell_of(enum coll_kind coll, size_t bytes)
{
	bool reduces = coll_info(coll)->is & COLL_REDUCES;
	return (struct cell){
	    .coll = coll, .dtype = DTYPE_FLOAT32, .op = reduces ? OP_SUM : OP_NONE, .bytes = bytes};
}

void rig_add(struct rig *rig, enum coll_kind coll, size_t bytes)
{
	rig_add_cell(rig, rig_cell_of(coll, bytes));
}

void rig_raise(struct rig *rig)
{
	struct layout layout = rig->trial.settings.layout;
	struct team_shape shape = {.nranks = layout_ranks(layout),
	                           .nworkers = layout_workers(layout),
	                           .yield = true,
	                           .area_bytes = layout_ranks(layout) * sizeof(struct rig_result)};
	struct status st = {""};
	for (unsigned c = 0; c < rig->trial.ncells; c++) {
		size_t bytes =
		    trial_whole(&rig->trial.network, trial_comm_ranks(&rig->trial), &rig->cells[c])
		        .bytes;
		if (bytes * rig->slots > rig->trial.arena_bytes)
			rig->trial.arena_bytes = bytes * rig->slots;
	}
	rig->trial.calls = rig->calls;
	assert_worked(backend_host.supports(&rig->trial, &st) != 0, st);
	shape.store_bytes = backend_host.store_bytes(&rig->trial);
	assert_int_equal(team_create(&shape, rig->way_in, sizeof rig->way_in, &rig->team, &st), 0);
	rig->results = team_area(rig->team);
}

struct backend_place rig_raise_alone(struct rig *rig)
{
	rig_raise(rig);
	return rig_place(&(struct rig_worker){rig, rig->team, 0, 0});
}

void rig_lower(struct rig *rig)
{
	team_leave(rig->team);
}

struct backend_place rig_place(const struct rig_worker *at)
{
	struct layout layout = at->rig->trial.settings.layout;
	return (struct backend_place){.trial = &at->rig->trial,
	                              .team = at->team,
	                              .nranks = layout_ranks(layout),
	                              .worker = at->worker,
	                              .first = at->worker * layout.ranks_per_thread,
	                              .count = layout.ranks_per_thread,
	                              .process = at->process,
	                              .processes = layout.processes};
}

int rig_wait(struct backend_ctx *ctx, struct team *team, unsigned count, struct status *st)
{
	for (unsigned left = 1; left > 0;) {
		left = 0;
		for (unsigned i = 0; i < count; i++) {
			left += backend_host.poll(ctx, i) == 0;
		}
		if (team_pause(team) != 0)
			return status_set(st, "the team broke up in a wait");
	}
	return 0;
}

static int rig_cell(const struct rig_worker *at, struct backend_ctx *ctx, unsigned c,
                    struct status *st)
{
	struct backend_place place = rig_place(at);
	struct rig_result *found = (struct rig_result *)team_area(at->team) + place.first;
	const struct rig *rig = at->rig;
	struct rusage before, after;
	if (buffers_prepare(&backend_host, ctx, place.count, &rig->cells[c], RIG_SEED + c,
	                    rig->slots, st) != 0)
		return -1;
	if (team_meet(at->team) != 0)
		return status_set(st, "the team broke up");
	getrusage(RUSAGE_THREAD, &before);
	for (unsigned call = 0; call < rig->calls; call++) {
		backend_host.begin(ctx);
		for (unsigned i = 0; i < place.count; i++)
			backend_host.issue(ctx, i, call % rig->slots);
		backend_host.end(ctx);
	}
	if (rig_wait(ctx, at->team, place.count, st) != 0)
		return -1;
	getrusage(RUSAGE_THREAD, &after);
	found[0].faults += (uint64_t)(after.ru_minflt - before.ru_minflt);
	/* No meeting here: a finished worker may look, and prepare, while others still work. */
	for (unsigned i = 0; i < place.count; i++) {
		struct buffers of;
		struct backend_verdict verdict;
		backend_host.buffers(ctx, i, &of);
		if (buffers_check(&of, &verdict, st) != 0)
			return -1;
		found[i].wrong += verdict.wrong;
		found[i].delivered = ctx->ranks[i].tally.delivered;
		found[i].checked++;
	}
	return 0;
}

void *rig_work(void *arg)
{
	const struct rig_worker *at = arg;
	struct backend_place place = rig_place(at);
	struct rig_result *result = (struct rig_result *)team_area(at->team) + place.first;
	struct backend_ctx *ctx = NULL;
	struct status st = {""};
	int error = backend_host.open(&place, &ctx, &st);
	for (unsigned c = 0; !error && c < at->rig->trial.ncells; c++)
		error = rig_cell(at, ctx, c, &st);
	if (error) {
		team_fail(at->team, place.first, st.text);
		result->error = st;
	}
	backend_host.close(ctx);
	return NULL;
}

static void rig_run_threads(struct rig *rig, struct team *team, unsigned process)
{
	unsigned threads = rig->trial.settings.layout.threads;
	pthread_t ids[16];
	struct rig_worker workers[16];
	for (unsigned t = 0; t < threads; t++) {
		workers[t] = (struct rig_worker){rig, team, process * threads + t, process};
		pthread_create(&ids[t], NULL, rig_work, &workers[t]);
	}
	for (unsigned t = 0; t < threads; t++)
		pthread_join(ids[t], NULL);
}

void rig_run(struct rig *rig)
{
	unsigned processes = rig->trial.settings.layout.processes;
	pid_t children[8];
	for (unsigned p = 1; p < processes; p++) {
		children[p] = fork();
		assert_true(children[p] >= 0);
		if (children[p] == 0) {
			struct team *team;
			struct status st = {""};
			if (team_join(rig->way_in, &team, &st) != 0)
				_exit(1);
			rig_run_threads(rig, team, p);
			team_leave(team);
			_exit(0);
		}
	}
	rig_run_threads(rig, rig->team, 0);
	for (unsigned p = 1; p < processes; p++) {
		int status = -1;
		waitpid(children[p], &status, 0);
		assert_int_equal(status, 0);
	}
}

void rig_assert_right(const struct rig *rig)
{
	for (unsigned r = 0; r < layout_ranks(rig->trial.settings.layout); r++) {
		assert_string_equal(rig->results[r].error.text, "");
		assert_int_equal(rig->results[r].checked, rig->trial.ncells);
		assert_int_equal(rig->results[r].wrong, 0);
	}
}

void rig_is_right(struct rig *rig)
{
	rig_raise(rig);
	rig_run(rig);
	rig_assert_right(rig);
	rig_lower(rig);
}
