/* The cells of a plan: what is called, at which sizes, and what of it cannot be. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../backend/backend.h"
#include "../coll/counts.h"
#include "plan_parts.h"

/* An arena is no smaller than this, so that calls rotate through more than a cache holds: on a
 * GPU twice the largest L2 so far (126 MB), on a CPU more than the L2 of the core that owns it.
 */
static const struct {
	const char *backend;
	size_t bytes;
} arena_minimum[] = {
    {"nccl", (size_t)4 * 64 << 20},
    {"host", (size_t)8 << 20},
};

#define NAMES_BYTES 256 /* of "alltoall, sendrecv" */

void plan_note(struct plan *plan, const char *format, ...)
{
	va_list args;
	if (plan->nnotes == PLAN_MAX_NOTES)
		return;
	va_start(args, format);
	vsnprintf(plan->notes[plan->nnotes++], sizeof plan->notes[0], format, args);
	va_end(args);
}

static int cell_add(struct plan *plan, const struct cell *cell)
{
	if (plan->ncells % 256 == 0) {
		struct cell *more =
		    realloc(plan->cells, (plan->ncells + 256) * sizeof plan->cells[0]);
		if (!more)
			return -1;
		plan->cells = more;
	}
	plan->cells[plan->ncells++] = *cell;
	return 0;
}

/* The sizes of a collective in a datatype: rounded, each once, without those of nothing. */
static unsigned sizes_of(const struct plan *plan, const struct cell *what, struct cell *out)
{
	const struct spec *spec = plan->spec;
	unsigned n = 0;
	for (unsigned i = 0; i < spec->nsizes; i++) {
		size_t asked = spec->sizes[i];
		size_t used = coll_round(what->coll, what->dtype, asked, plan->nranks);
		if (what->coll == COLL_INIT) /* moves no data: one will do */
			used = spec->sizes[0];
		if (used && (n == 0 || used != out[n - 1].bytes))
			out[n++] = (struct cell){.asked_bytes = asked, .bytes = used};
	}
	return n;
}

/* One collective's cells of one dtype, op, root and place: every size × pace. */
static int cells_of(struct plan *plan, const struct cell *what)
{
	struct cell sizes[SPEC_MAX_SIZES];
	unsigned nsizes = sizes_of(plan, what, sizes);
	for (unsigned s = 0; s < nsizes; s++) {
		for (unsigned p = 0; p < PACE_KINDS; p++) {
			struct cell cell = *what;
			if (!plan->spec->paces[p])
				continue;
			cell.asked_bytes = sizes[s].asked_bytes;
			cell.bytes = sizes[s].bytes;
			cell.pace = (enum pace)p;
			/* Making a communicator is no stream. */
			if (cell.coll == COLL_INIT && p != PACE_ISOLATED)
				continue;
			if (cell_add(plan, &cell))
				return -1;
		}
	}
	return 0;
}

/* All roots are those of the smallest communicator: each variant measures the same cells.
 * *most: ranks of the largest. */
static unsigned ranks_of_all(const struct plan *plan, unsigned *most)
{
	unsigned least = plan->nranks, size;
	*most = 0;
	for (unsigned i = 0; i < plan->spec->nvariants; i++) {
		struct status st = {""};
		struct split split = plan->spec->variants[i].settings.split;
		if (split_size(split, plan->nranks, &size, &st))
			continue;
		least = size < least ? size : least;
		*most = size > *most ? size : *most;
	}
	return least;
}

static void note_roots(struct plan *plan)
{
	unsigned most, least = ranks_of_all(plan, &most), is = 0;
	for (unsigned c = 0; c < plan->spec->ncolls; c++)
		is |= coll_info(plan->spec->colls[c])->is;
	if (is & COLL_ROOTED && !plan->spec->nroots && least < most)
		plan_note(plan,
		          "root = all is 0 to %u, as variants split into communicators of %u",
		          least - 1, least);
}

/* A collective in every dtype, and as it has them, every op, root and place. */
static int cells_vary(struct plan *plan, enum coll_kind coll)
{
	const struct spec *spec = plan->spec;
	unsigned is = coll_info(coll)->is, most;
	unsigned nops = is & COLL_REDUCES ? spec->nops : 1;
	unsigned nroots = !(is & COLL_ROOTED) ? 1
	                  : spec->nroots      ? spec->nroots
	                                      : ranks_of_all(plan, &most);
	for (unsigned d = 0; d < (coll == COLL_INIT ? 1 : spec->ndtypes); d++)
		for (unsigned o = 0; o < nops; o++)
			for (unsigned r = 0; r < nroots; r++)
				for (unsigned place = 0; place < 2; place++) {
					struct cell what = {
					    .coll = coll,
					    .dtype = spec->dtypes[d],
					    .op = is & COLL_REDUCES ? spec->ops[o] : OP_NONE,
					    .in_place = place};
					if (is & COLL_ROOTED)
						what.root = spec->nroots ? spec->roots[r] : r;
					if (!spec->in_place[place] && is & COLL_IN_PLACE)
						continue;
					if (place && !(is & COLL_IN_PLACE))
						continue;
					if (cells_of(plan, &what))
						return -1;
				}
	return 0;
}

/* Whether the smallest size is less than what the collective can be called with. */
static bool too_small(const struct plan *plan, enum coll_kind coll, enum dtype dtype)
{
	return coll != COLL_INIT &&
	       plan->spec->sizes[0] < coll_least(coll, dtype, plan->nranks);
}

/* Says which sizes are left out, as they would be sizes of nothing. */
static void note_sizes(struct plan *plan)
{
	const struct spec *spec = plan->spec;
	char parted[NAMES_BYTES] = "";
	for (unsigned c = 0; c < spec->ncolls; c++)
		if (coll_info(spec->colls[c])->is & COLL_PARTED &&
		    too_small(plan, spec->colls[c], spec->dtypes[0]))
			status_list(parted, sizeof parted, coll_info(spec->colls[c])->name);
	if (parted[0])
		plan_note(
		    plan,
		    "left out: %s of less than %zu bytes: each of %u ranks has a part of a "
		    "multiple of 16 bytes",
		    parted, coll_least(COLL_ALLTOALL, DTYPE_INT8, plan->nranks), plan->nranks);
	for (unsigned d = 0; d < spec->ndtypes; d++) {
		char whole[NAMES_BYTES] = "";
		for (unsigned c = 0; c < spec->ncolls; c++)
			if (!(coll_info(spec->colls[c])->is & COLL_PARTED) &&
			    too_small(plan, spec->colls[c], spec->dtypes[d]))
				status_list(whole, sizeof whole,
				            coll_info(spec->colls[c])->name);
		if (whole[0])
			plan_note(plan, "left out: %s of less than %zu bytes: an element of %s",
			          whole, coll_dtype_bytes(spec->dtypes[d]),
			          coll_dtype_name(spec->dtypes[d]));
	}
}

static int check_sizes(struct plan *plan, struct status *st)
{
	const struct spec *spec = plan->spec;
	size_t least = SIZE_MAX;
	if (plan->ncells) {
		note_sizes(plan);
		return 0;
	}
	if (spec->ncolls == 1 && spec->colls[0] == COLL_INIT)
		return status_set(st,
		                  "%s: collective = init is no stream; allowed is pace = "
		                  "isolated, or both",
		                  spec->file);
	for (unsigned c = 0; c < spec->ncolls; c++)
		for (unsigned d = 0; d < spec->ndtypes; d++) {
			size_t one = coll_least(spec->colls[c], spec->dtypes[d], plan->nranks);
			least = one < least ? one : least;
		}
	return status_set(st,
	                  "%s: bytes = %zu is too small: sizes are rounded down to ranks × 16 "
	                  "bytes where a buffer is cut into parts, else to whole elements; "
	                  "the smallest for %u ranks is %zu",
	                  spec->file, spec->sizes[spec->nsizes - 1], plan->nranks, least);
}

/* In place is asked for: whether anything has such a form, and what has not. */
static int check_places(struct plan *plan, struct status *st)
{
	static const char why[] = "in place, what is received would overwrite what is still "
	                          "to be sent";
	const struct spec *spec = plan->spec;
	char without[NAMES_BYTES] = "";
	bool any = false;
	if (!spec->in_place[1])
		return 0;
	for (unsigned c = 0; c < spec->ncolls; c++) {
		unsigned is = coll_info(spec->colls[c])->is;
		any |= is & COLL_IN_PLACE;
		if (!(is & (COLL_IN_PLACE | COLL_PSEUDO)))
			status_list(without, sizeof without, coll_info(spec->colls[c])->name);
	}
	if (!any && !spec->in_place[0])
		return status_set(st,
		                  "%s: in_place = yes, but %s has no such form: %s; allowed is "
		                  "in_place = no",
		                  spec->file,
		                  without[0] ? without : coll_info(spec->colls[0])->name, why);
	if (without[0])
		plan_note(plan, "measured out of place only: %s: %s", without, why);
	return 0;
}

/* Whether any variant's backend has communicators to make. */
static bool connects(const struct plan *plan, const char *backend)
{
	for (unsigned i = 0; i < plan->spec->nvariants; i++) {
		const char *own = plan->spec->variants[i].settings.backend;
		const struct backend *b = backend_find(strcmp(own, "auto") ? own : backend);
		if (b && b->is.connects)
			return true;
	}
	return false;
}

int plan_cells_make(struct plan *plan, const char *backend, struct status *st)
{
	const struct spec *spec = plan->spec;
	if (!spec->nsizes || !spec->ncolls)
		return status_set(st, "%s: no sizes or no collective for backend %s",
		                  spec->file, backend);
	for (unsigned i = 0; i < spec->nroots; i++)
		if (spec->roots[i] >= plan->nranks)
			return status_set(st, "%s: root = %u, but ranks are 0 to %u",
			                  spec->file, spec->roots[i], plan->nranks - 1);
	for (unsigned c = 0; c < spec->ncolls; c++) {
		struct status why = {""};
		if (spec->colls[c] == COLL_ALLTOALLV &&
		    counts_check(&spec->weights, plan->nranks, &why))
			return status_set(st, "%s: %s", spec->file, why.text);
		if (spec->colls[c] == COLL_INIT && spec->ncolls > 1 &&
		    !connects(plan, backend)) {
			plan_note(plan,
			          "left out: init: backend %s has no communicators to make",
			          backend);
			continue;
		}
		if (cells_vary(plan, spec->colls[c]))
			return status_set(st, "out of memory for the plan's cells");
	}
	note_roots(plan);
	if (check_sizes(plan, st) || check_places(plan, st))
		return -1;
	if ((uint64_t)plan->ncells * spec->cycles > PLAN_MOST_CELLS)
		return status_set(st,
		                  "%s: %u cells %u times each are %llu in a trial; allowed are "
		                  "%d: fewer sizes, datatypes, operations or cycles",
		                  spec->file, plan->ncells, spec->cycles,
		                  (unsigned long long)plan->ncells * spec->cycles,
		                  PLAN_MOST_CELLS);
	for (unsigned i = 0; i < plan->ncells; i++)
		if (plan->cells[i].bytes > plan->arena_bytes)
			plan->arena_bytes = plan->cells[i].bytes;
	for (size_t i = 0; i < sizeof arena_minimum / sizeof arena_minimum[0]; i++)
		if (!strcmp(arena_minimum[i].backend, backend) &&
		    arena_minimum[i].bytes > plan->arena_bytes)
			plan->arena_bytes = arena_minimum[i].bytes;
	return 0;
}
