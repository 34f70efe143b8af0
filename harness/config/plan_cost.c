#include "../backend/table.h"
#include "cost.h"
#include "plan.h"

/* Rough figures: a call on devices, a call on cores, and a row of stamps in the record. */
#define CALL_S         20e-6
#define DEVICE_BYTES_S 100e9
#define CORE_BYTES_S   1e9
#define ROW_BYTES      25.0
#define CELL_BYTES     500.0
#define TRIAL_BYTES    3000.0

struct plan_cost plan_cost(const struct plan *plan, const struct plan_machine *machine)
{
	struct plan_cost sum = {0, 0};
	struct status st = {""};
	for (unsigned i = 0; i < plan->ntrials; i++) {
		struct trial *t = plan_trial(plan, machine, i, &st);
		if (!t)
			break;
		bool cores = !traits_find(t->settings.backend)->gpus;
		const unsigned nranks = layout_ranks(t->settings.layout);
		double shared =
		    cores && machine->cores < nranks ? (double)nranks / machine->cores : 1;
		sum.seconds += cores ? COST_CORE_START_S * shared : COST_DEVICE_START_S;
		const struct cell *last = &t->cells[t->ncells - 1];
		if (!cores)
			sum.seconds += COST_CONNECT_S * last->connection +
			               COST_ALLOCATE_S * (last->connection + 1) * last->allocation;
		sum.bytes += TRIAL_BYTES;
		for (unsigned c = 0; c < t->ncells; c++) {
			const struct cell *cell = &t->cells[c];
			double rows = trial_rows(t, cell);
			double calls =
			    rows * trial_calls(t, cell) * trial_replays(t, cell) + t->warmup;
			double call = CALL_S + 1e-9 * (double)t->settings.delay_ns +
			              (double)cell->bytes / (cores ? CORE_BYTES_S : DEVICE_BYTES_S);
			sum.seconds += calls * call * shared;
			if (!cores && cell->pass == PASS_COUNTERS)
				sum.seconds += COST_COUNTERS_S;
			sum.bytes += CELL_BYTES + rows * nranks * ROW_BYTES;
		}
		trial_free(t);
	}
	return sum;
}
