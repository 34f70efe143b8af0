/* What the reference cannot do here is left out of the plan. */
#include <string.h>

#include "plan_parts.h"

/* Cells of one collective and datatype, from the first of them on. */
static unsigned alike(const struct cell *cells, unsigned n)
{
	unsigned i = 1;
	while (i < n && cells[i].coll == cells->coll && cells[i].dtype == cells->dtype)
		i++;
	return i;
}

/* What the reference can run of each collective, and why not. */
struct runnable {
	bool can[COLL_KINDS][DTYPE_KINDS], any[COLL_KINDS];
	char why[COLL_KINDS][256];
};

/* Each collective and datatype on its own. -1 only when memory is out. */
static int runnable_find(struct plan *plan, unsigned reference,
                         const struct plan_machine *machine, struct runnable *out)
{
	struct cell *all = plan->cells;
	unsigned n = plan->ncells, count;
	int failed = 0;
	for (unsigned i = 0; i < n && !failed; i += count) {
		char skip[256] = "";
		enum coll_kind coll = all[i].coll;
		count = alike(all + i, n - i);
		plan->cells = all + i;
		plan->ncells = count;
		failed = plan_variant_try(plan, reference, &plan->spec->variants[reference],
		                          machine, skip, sizeof skip);
		out->can[coll][all[i].dtype] = !skip[0];
		out->any[coll] |= !skip[0];
		if (skip[0])
			strcpy(out->why[coll], skip);
	}
	plan->cells = all;
	plan->ncells = n;
	return failed;
}

/* Takes out the cells that the reference cannot run, with notes; none where it can run none.
 * Whether anything is taken out. */
static bool cells_narrow(struct plan *plan, const struct runnable *can)
{
	bool left[DTYPE_KINDS] = {false}, gone[COLL_KINDS] = {false}, some = false;
	char names[256] = "";
	const char *why = "";
	unsigned n = plan->ncells;
	for (int c = 0; c < COLL_KINDS; c++)
		some |= can->any[c];
	if (!some)
		return false;
	plan->ncells = 0;
	for (unsigned i = 0; i < n; i++) {
		const struct cell *cell = &plan->cells[i];
		if (can->can[cell->coll][cell->dtype]) {
			plan->cells[plan->ncells++] = *cell;
		} else if (can->any[cell->coll]) {
			left[cell->dtype] = true;
			why = can->why[cell->coll];
		} else {
			gone[cell->coll] = true;
		}
	}
	for (int c = 0; c < COLL_KINDS; c++)
		if (gone[c])
			plan_note(plan, "left out: %s: %s", coll_info(c)->name, can->why[c]);
	for (unsigned d = 0; d < DTYPE_KINDS; d++)
		if (left[d])
			status_list(names, sizeof names, coll_dtype_name(d));
	if (names[0])
		plan_note(plan, "left out: %s, where it cannot be: %s", names, why);
	return plan->ncells < n;
}

int plan_narrow(struct plan *plan, unsigned reference, const struct plan_machine *machine,
                struct status *st)
{
	struct runnable can = {0};
	if (runnable_find(plan, reference, machine, &can))
		return status_set(st, "out of memory for the plan");
	return cells_narrow(plan, &can);
}
