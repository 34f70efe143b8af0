/* A plan's cells, by collective, datatype, operation, root, place, size and pace, and the buffers
 * that they take. */
#include "plan.h"

#include <glob.h>
#include <unistd.h>

#include "../coll/counts.h"
#include "../coll/routing.h"
#include "../memory.h"

/* Of one trial: an hour of cells that take 5 ms. */
#define MOST_CELLS  720000
#define NAMES_BYTES 256 /* of "alltoall, sendrecv" */

static void cell_add(struct plan *plan, const struct cell *cell)
{
	if (plan->ncells % 256 == 0)
		plan->cells = memory_more(plan->cells, plan->ncells + 256, sizeof plan->cells[0]);
	plan->cells[plan->ncells++] = *cell;
}

/* Whether a size and the one before are different in each variant, and none is 0 bytes. */
static bool is_size(const struct plan *plan, const struct cell *what, size_t asked, size_t before)
{
	const struct spec *spec = plan->spec;
	for (unsigned i = 0; i < spec->nvariants; i++) {
		const unsigned nranks = plan_ranks(plan, &spec->variants[i]);
		const size_t used = coll_round(what->coll, what->dtype, asked, nranks);
		if (!used || used == coll_round(what->coll, what->dtype, before, nranks))
			return false;
	}
	return true;
}

/* Rounded, each once, without those that come to 0 bytes in a variant. */
static unsigned sizes_of(const struct plan *plan, const struct cell *what, struct cell *out)
{
	const struct spec *spec = plan->spec;
	unsigned n = 0;
	for (unsigned i = 0; i < spec->nsizes; i++) {
		size_t asked = spec->sizes[i];
		size_t used = coll_round(what->coll, what->dtype, asked, plan->nranks);
		if (what->coll == COLL_INIT) /* moves no data: one will do */
			used = spec->sizes[0];
		if (what->coll == COLL_INIT
		        ? !n
		        : is_size(plan, what, asked, n ? out[n - 1].asked_bytes : 0))
			out[n++] = (struct cell){.asked_bytes = asked, .bytes = used};
	}
	return n;
}

/* One collective's cells of one dtype, op, root and place: every size × pace. */
static void cells_of(struct plan *plan, const struct cell *what)
{
	struct cell sizes[SIZES_MAX];
	unsigned nsizes = sizes_of(plan, what, sizes);
	for (unsigned s = 0; s < nsizes; s++) {
		for (unsigned p = 0; p < PACE_KINDS; p++) {
			struct cell cell = *what;
			/* Making a communicator is no stream. */
			if (!plan->spec->paces[p] ||
			    (what->coll == COLL_INIT && p != PACE_ISOLATED))
				continue;
			cell.asked_bytes = sizes[s].asked_bytes;
			cell.bytes = sizes[s].bytes;
			cell.pace = (enum pace)p;
			cell_add(plan, &cell);
		}
	}
}

/* All roots are those of the smallest communicator: each variant measures the same cells. */
struct least {
	unsigned ranks, communicator, largest; /* largest: communicator */
};

static struct least ranks_of_all(const struct plan *plan)
{
	struct least all = {plan->nranks, plan->nranks, 0};
	for (unsigned i = 0; i < plan->spec->nvariants; i++) {
		const struct spec_variant *v = &plan->spec->variants[i];
		const unsigned own = plan_ranks(plan, v);
		struct status st = {""};
		unsigned size;
		all.ranks = own < all.ranks ? own : all.ranks;
		if (split_size(v->settings.split, own, &size, &st))
			continue;
		all.communicator = size < all.communicator ? size : all.communicator;
		all.largest = size > all.largest ? size : all.largest;
	}
	return all;
}

static void note_roots(struct plan *plan)
{
	const struct least all = ranks_of_all(plan);
	unsigned is = 0;
	for (unsigned c = 0; c < plan->spec->ncolls; c++)
		is |= coll_info(plan->spec->colls[c])->is;
	if (is & COLL_ROOTED && !plan->spec->nroots && all.communicator < all.largest)
		plan_note(plan, "root = all is 0 to %u, as variants %s %u", all.communicator - 1,
		          all.ranks > all.communicator ? "split into communicators of"
		                                       : "have as few ranks as",
		          all.communicator);
}

/* The roots of a collective's cells: a rank, a pair of ranks (one rank has none), or the skew of a
 * routing. How many there are, and the nth. */
static unsigned roots_count(const struct plan *plan, enum coll_kind coll, unsigned least)
{
	const struct spec *spec = plan->spec;
	const unsigned is = coll_info(coll)->is;
	if (is & COLL_ROUTED)
		return spec->nskews ? spec->nskews : 1;
	return !(is & COLL_ROOTED) ? coll_pairs(coll, least) : spec->nroots ? spec->nroots : least;
}

static unsigned root_of(const struct plan *plan, enum coll_kind coll, unsigned least, unsigned n)
{
	const struct spec *spec = plan->spec;
	const unsigned is = coll_info(coll)->is;
	if (is & COLL_ROUTED)
		return routing_root(spec->skews[n], spec->experts);
	return !(is & COLL_ROOTED) ? coll_pair(coll, n, least) : spec->nroots ? spec->roots[n] : n;
}

/* A collective in every dtype; and if it has them, every op, root and place. */
static void cells_vary(struct plan *plan, enum coll_kind coll)
{
	const struct spec *spec = plan->spec;
	const unsigned is = coll_info(coll)->is, least = ranks_of_all(plan).communicator;
	const unsigned ndtypes = coll == COLL_INIT ? 1 : spec->ndtypes;
	const unsigned nops = is & COLL_REDUCES ? spec->nops : 1;
	const unsigned nroots = roots_count(plan, coll, least);
	/* What has one form alone has it whatever is asked for; a step of training, in place. */
	const bool both = is & COLL_IN_PLACE, trains = is & COLL_TRAINS;
	const bool places[2] = {!trains && (!both || spec->in_place != PLACES_IN),
	                        trains || (both && spec->in_place != PLACES_OUT)};
	for (unsigned d = 0; d < ndtypes; d++)
		for (unsigned o = 0; o < nops; o++)
			for (unsigned r = 0; r < nroots; r++)
				for (unsigned place = 0; place < 2; place++) {
					const struct cell what = {
					    .coll = coll,
					    .dtype = spec->dtypes[d],
					    .op = is & COLL_REDUCES ? spec->ops[o] : OP_NONE,
					    .root = root_of(plan, coll, least, r),
					    .in_place = place};
					if (places[place])
						cells_of(plan, &what);
				}
}

/* Whether the smallest size is less than the collective's minimum. */
static bool too_small(const struct plan *plan, enum coll_kind coll, enum dtype dtype)
{
	return coll != COLL_INIT && plan->spec->sizes[0] < coll_least(coll, dtype, plan->nranks);
}

static void note_sizes(struct plan *plan)
{
	const struct spec *spec = plan->spec;
	char parted[NAMES_BYTES] = "";
	for (unsigned c = 0; c < spec->ncolls; c++)
		if (coll_info(spec->colls[c])->is & COLL_PARTED &&
		    too_small(plan, spec->colls[c], spec->dtypes[0]))
			status_list(parted, sizeof parted, coll_info(spec->colls[c])->name);
	if (parted[0])
		plan_note(plan,
		          "left out: %s of less than %zu bytes: each of %u ranks has a part of a "
		          "multiple of 16 bytes",
		          parted, coll_least(COLL_ALLTOALL, DTYPE_INT8, plan->nranks),
		          plan->nranks);
	for (unsigned d = 0; d < spec->ndtypes; d++) {
		char whole[NAMES_BYTES] = "";
		for (unsigned c = 0; c < spec->ncolls; c++)
			if (!(coll_info(spec->colls[c])->is & COLL_PARTED) &&
			    too_small(plan, spec->colls[c], spec->dtypes[d]))
				status_list(whole, sizeof whole, coll_info(spec->colls[c])->name);
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
		return status_set(
		    st, "%s: collective = init is no stream; allowed is pace = isolated, or both",
		    spec->file);
	for (unsigned c = 0; c < spec->ncolls; c++)
		for (unsigned d = 0; d < spec->ndtypes; d++) {
			size_t one = coll_least(spec->colls[c], spec->dtypes[d], plan->nranks);
			least = one < least ? one : least;
		}
	return status_set(
	    st,
	    "%s: bytes = %zu is too small: sizes are rounded down to ranks × 16 bytes where a "
	    "buffer is cut into parts, else to whole elements; the smallest for %u ranks is %zu",
	    spec->file, spec->sizes[spec->nsizes - 1], plan->nranks, least);
}

/* In place is asked for: whether anything has such a form, and which collectives have not. */
static int check_places(struct plan *plan, struct status *st)
{
	static const char why[] =
	    "in place, what is received would overwrite what is still to be sent";
	const struct spec *spec = plan->spec;
	char without[NAMES_BYTES] = "";
	bool any = false;
	if (spec->in_place == PLACES_OUT)
		return 0;
	for (unsigned c = 0; c < spec->ncolls; c++) {
		unsigned is = coll_info(spec->colls[c])->is;
		any |= is & COLL_IN_PLACE;
		if (!(is & (COLL_IN_PLACE | COLL_PSEUDO)))
			status_list(without, sizeof without, coll_info(spec->colls[c])->name);
	}
	if (!any && spec->in_place == PLACES_IN)
		return status_set(
		    st, "%s: in_place = yes, but %s has no such form: %s; allowed is in_place = no",
		    spec->file, without[0] ? without : coll_info(spec->colls[0])->name, why);
	if (without[0])
		plan_note(plan, "measured out of place only: %s: %s", without, why);
	return 0;
}

static bool connects(const struct plan *plan)
{
	for (unsigned i = 0; i < plan->spec->nvariants; i++) {
		const char *own = plan->spec->variants[i].settings.backend;
		const struct backend *b = strcmp(own, "auto") ? backend_find(own) : plan->backend;
		if (b && b->is.connects)
			return true;
	}
	return false;
}

/* NAME is models/NAME.csv next to the experiment's file. */
static int model_find(struct plan *plan, struct status *st)
{
	const struct spec *spec = plan->spec;
	char path[PATH_MAX + 128], names[512] = "";
	glob_t found = {0};
	const char *slash = strrchr(spec->file, '/');
	const int folder = slash ? (int)(slash - spec->file) + 1 : 0;
	if (strchr(spec->model, '/'))
		return network_read(spec->model, &plan->network, st);
	snprintf(path, sizeof path, "%.*smodels/%s.csv", folder, spec->file, spec->model);
	if (spec->model[0] && !access(path, F_OK))
		return network_read(path, &plan->network, st);
	snprintf(path, sizeof path, "%.*smodels/*.csv", folder, spec->file);
	glob(path, 0, NULL, &found);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		char *name = strrchr(found.gl_pathv[i], '/') + 1;
		name[strlen(name) - strlen(".csv")] = '\0';
		status_list(names, sizeof names, name);
	}
	globfree(&found);
	return status_set(st,
	                  "%s: model = '%s' is not there; a step of training wants the model whose "
	                  "gradients it reduces: allowed is %s%sa file's path with a slash in it",
	                  spec->file, spec->model, names, names[0] ? ", or " : "");
}

/* Weights are of so many ranks. */
static int check_counts(const struct plan *plan, struct status *st)
{
	const struct spec *spec = plan->spec;
	struct status why = {""};
	for (unsigned i = 0; i < spec->nvariants; i++)
		if (counts_check(&spec->weights, plan_ranks(plan, &spec->variants[i]), &why))
			return status_set(st, "%s: %s", spec->file, why.text);
	return 0;
}

static size_t arena_of(const struct plan *plan, const struct cell *planned)
{
	const struct spec *spec = plan->spec;
	struct cell cell = *planned;
	size_t most = 0;
	for (unsigned i = 0; i < spec->nvariants; i++) {
		const unsigned nranks = plan_ranks(plan, &spec->variants[i]);
		if (cell.coll != COLL_INIT)
			cell.bytes = coll_round(cell.coll, cell.dtype, cell.asked_bytes, nranks);
		const size_t bytes = trial_whole(&plan->network, nranks, &cell).bytes;
		most = bytes > most ? bytes : most;
	}
	return most;
}

int plan_cells_make(struct plan *plan, struct status *st)
{
	const struct spec *spec = plan->spec;
	bool trains = false;
	for (unsigned c = 0; c < spec->ncolls; c++)
		trains |= coll_info(spec->colls[c])->is & COLL_TRAINS;
	if (trains && model_find(plan, st))
		return -1;
	const unsigned nranks = ranks_of_all(plan).ranks;
	for (unsigned i = 0; i < spec->nroots; i++)
		if (spec->roots[i] >= nranks)
			return status_set(st, "%s: root = %u, but ranks are 0 to %u", spec->file,
			                  spec->roots[i], nranks - 1);
	for (unsigned c = 0; c < spec->ncolls; c++) {
		if (spec->colls[c] == COLL_ALLTOALLV && check_counts(plan, st))
			return -1;
		if (spec->colls[c] == COLL_INIT && spec->ncolls > 1 && !connects(plan)) {
			plan_note(plan, "left out: init: backend %s has no communicators to make",
			          plan->backend->name);
			continue;
		}
		cells_vary(plan, spec->colls[c]);
	}
	note_roots(plan);
	if (check_sizes(plan, st) || check_places(plan, st))
		return -1;
	const uint64_t times = spec_times(spec);
	if (plan->ncells * times > MOST_CELLS)
		return status_set(
		    st,
		    "%s: %u cells %llu times each are %llu in a trial; allowed are %d: fewer "
		    "sizes, datatypes, operations, cycles, connections or allocations",
		    spec->file, plan->ncells, (unsigned long long)times,
		    (unsigned long long)(plan->ncells * times), MOST_CELLS);
	for (unsigned i = 0; i < plan->ncells; i++) {
		const unsigned rows =
		    plan->cells[i].pace == PACE_STREAM ? spec->stretches : spec->isolated_calls;
		if ((uint64_t)rows * plan->nranks > PLAN_MOST_SAMPLES)
			return status_set(st,
			                  "%s: a cell of %u %s on %u ranks has %llu samples; "
			                  "allowed are %d, a line of the record",
			                  spec->file, rows,
			                  plan->cells[i].pace == PACE_STREAM ? "stretches"
			                                                     : "isolated calls",
			                  plan->nranks, (unsigned long long)rows * plan->nranks,
			                  PLAN_MOST_SAMPLES);
		size_t bytes = arena_of(plan, &plan->cells[i]);
		if (bytes > plan->arena_bytes)
			plan->arena_bytes = bytes;
	}
	/* Of two, half of a small memory at most: it has a small cache. */
	const size_t memory = plan->backend->memory ? plan->backend->memory() : 0;
	size_t least = plan->backend->arena_bytes;
	least = memory && memory / 4 < least ? memory / 4 : least;
	plan->arena_bytes = least > plan->arena_bytes ? least : plan->arena_bytes;
	return 0;
}
