#include "../backend/table.h"
#include "cost.h"
#include "plan.h"

/* Rough figures: a call on devices, a call on cores, and a row of stamps in the record. */
#define CALL_S         20e-6
#define DEVICE_BYTES_S 100e9
#define CORE_BYTES_S   3e9
#define ROW_BYTES      25.0
#define CELL_BYTES     600.0
#define TRIAL_BYTES    3200.0

struct plan_cost plan_trial_cost(const struct trial *t, const struct plan_machine *machine)
{
	const bool cores = !traits_find(t->settings.backend)->gpus;
	const unsigned nranks = layout_ranks(t->settings.layout);
	const struct cell *last = &t->cells[t->ncells - 1];
	const double shared =
	    cores && machine->cores < nranks ? (double)nranks / machine->cores : 1;
	struct plan_cost sum = {cores ? COST_CORE_START_S * shared : COST_DEVICE_START_S,
	                        TRIAL_BYTES};
	if (!cores)
		sum.seconds += COST_CONNECT_S * last->connection +
		               COST_ALLOCATE_S * (last->connection + 1) * last->allocation;
	for (unsigned c = 0; c < t->ncells; c++) {
		const struct cell *cell = &t->cells[c];
		double rows = trial_rows(t, cell);
		double calls = rows * trial_calls(t, cell) * trial_replays(t, cell) + t->warmup;
		double call = CALL_S + 1e-9 * (double)t->settings.delay_ns +
		              (double)cell->bytes / (cores ? CORE_BYTES_S : DEVICE_BYTES_S);
		sum.seconds += calls * call * shared;
		if (!cores && cell->pass == PASS_COUNTERS)
			sum.seconds += COST_COUNTERS_S;
		sum.bytes += CELL_BYTES + rows * nranks * ROW_BYTES;
	}
	return sum;
}

struct plan_cost plan_cost(const struct plan *plan, const struct plan_machine *machine)
{
	struct plan_cost sum = {0, 0};
	struct status ignored = {""};
	for (unsigned i = 0; i < plan->ntrials; i++) {
		struct trial *t = plan_trial(plan, machine, i, &ignored);
		if (!t)
			break;
		const struct plan_cost one = plan_trial_cost(t, machine);
		sum.seconds += one.seconds;
		sum.bytes += one.bytes;
		trial_free(t);
	}
	return sum;
}
