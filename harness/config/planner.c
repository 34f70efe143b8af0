#include "planner.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../backend/backend.h"
#include "../coll/counts.h"
#include "../coll/routing.h"
#include "cost.h"
#include "load.h"
#include "searched.h"

#define CORES_MIN_RANKS 16 /* whatever the cores: that many get through */
#define AUTO_MAX_RANKS  8  /* where only cores limit: one node's worth, as GPU machines have */
/* Of one trial: an hour of cells that take 5 ms. */
#define MOST_CELLS 720000

static int ranks_resolve(struct plan *plan, const char *backend,
                         const struct plan_machine *machine, struct status *st)
{
	const struct spec *spec = plan->spec;
	struct status why = {""};
	unsigned capacity = plan_capacity(machine, backend, plan_sharing(spec), &why);
	if (capacity == 0)
		return status_set(st, "%s: backend %s has nothing to run on here: %s",
		                  spec->file, backend, why.text[0] ? why.text : "no device");
	if (spec->ranks > capacity)
		return status_set(
		    st,
		    "%s: ranks = %u, but backend %s has room for %u here; allowed is 1 "
		    "to %u, or auto",
		    spec->file, spec->ranks, backend, capacity, capacity);
	unsigned room = machine->cores * spec->ranks_per_core;
	room = room > CORES_MIN_RANKS ? room : CORES_MIN_RANKS;
	if (spec->ranks > room && capacity == UINT_MAX)
		return status_set(
		    st,
		    "%s: ranks = %u on %u core%s, where each that waits spins; allowed are %u "
		    "here, ranks_per_core = %u. To measure it all the same, say ranks_per_core "
		    "= %u",
		    spec->file, spec->ranks, machine->cores, machine->cores == 1 ? "" : "s",
		    room, spec->ranks_per_core,
		    (spec->ranks + machine->cores - 1) / machine->cores);
	if (spec->ranks) {
		plan->nranks = spec->ranks;
		return 0;
	}
	if (capacity == UINT_MAX) {
		capacity = machine->cores < AUTO_MAX_RANKS ? machine->cores : AUTO_MAX_RANKS;
		capacity = capacity > PLAN_MIN_RANKS ? capacity : PLAN_MIN_RANKS;
	}
	if (capacity < PLAN_MIN_RANKS)
		return status_set(
		    st,
		    "%s: ranks = auto, but backend %s has room for 1 here and a "
		    "collective needs %d; allowed is another backend, or ranks = 1",
		    spec->file, backend, PLAN_MIN_RANKS);
	plan->nranks = capacity < SPEC_MAX_RANKS ? capacity : SPEC_MAX_RANKS;
	return 0;
}

static void library_add(struct plan *plan, const char *name, const struct library *library)
{
	struct plan_library *l = &plan->libraries[plan->nlibraries++];
	l->library = *library;
	snprintf(l->nccl, sizeof l->nccl, "%s", name);
}

/* A library that is named and not there is a mistake, not a reason to leave a variant out.
 * Reading a version starts a child, so that each is asked for once. */
static int libraries_find(struct plan *plan, const struct spec *spec, struct status *st)
{
	for (unsigned i = 0; i < spec->nvariants; i++) {
		const struct spec_variant *v = &spec->variants[i];
		struct status why = {""};
		struct library library;
		if (!v->settings.nccl[0] || plan_library(plan, v->settings.nccl))
			continue;
		if (!backend_library(v->settings.nccl, &library, &why)) {
			library_add(plan, v->settings.nccl, &library);
			continue;
		}
		return status_set(st,
		                  "%s:%u: variant %s: nccl%s%s: %s; allowed is a "
		                  "libnccl.so.2's file",
		                  spec_file(spec, v->at), v->at.line, v->name,
		                  v->variable[0] ? ", from the variable " : "", v->variable,
		                  why.text);
	}
	return 0;
}

/* The system's, where a variant that runs here takes it; nobody named it, so that it is no
 * mistake where there is none. */
static void library_of_system(struct plan *plan)
{
	for (unsigned i = 0; i < plan->nvariants; i++) {
		const struct plan_variant *v = &plan->variants[i];
		struct status why = {""};
		struct library library;
		if (v->skip[0] || v->settings.nccl[0] ||
		    !backend_find(v->settings.backend)->library)
			continue;
		if (!backend_library("", &library, &why))
			library_add(plan, "", &library);
		return;
	}
}

/* --- cells: what is called, at which sizes, and what of it cannot be
 * ---------------------------- */

#define NAMES_BYTES 256 /* of "alltoall, sendrecv" */

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
	struct cell sizes[SIZES_MAX];
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
		if (split_size(split, plan->nranks, 2, &size, &st))
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
	const unsigned least = ranks_of_all(plan, &most);
	unsigned nskews = spec->nskews ? spec->nskews : 1;
	unsigned nroots = is & COLL_ROUTED    ? nskews
	                  : !(is & COLL_ROOTED) ? coll_pairs(coll, least)
	                  : spec->nroots    ? spec->nroots
	                                    : least;
	const bool trains = is & COLL_TRAINS;
	for (unsigned d = 0; d < (coll == COLL_INIT ? 1 : spec->ndtypes); d++)
		for (unsigned o = 0; o < nops; o++)
			for (unsigned r = 0; r < nroots; r++)
				for (unsigned place = trains; place < 2; place++) {
					struct cell what = {
					    .coll = coll,
					    .dtype = spec->dtypes[d],
					    .op = is & COLL_REDUCES ? spec->ops[o] : OP_NONE,
					    .in_place = place};
					what.root = coll_pair(coll, r, least);
					if (is & COLL_ROUTED)
						what.root = routing_root(spec->skews[r], spec->experts);
					if (is & COLL_ROOTED)
						what.root = spec->nroots ? spec->roots[r] : r;
					if (!spec->in_place[place] && is & COLL_IN_PLACE && !trains)
						continue;
					if (place && !trains && !(is & COLL_IN_PLACE))
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

/* --- the model of a step of training --- */

/* "bert_large, gpt2_xl": the models' files of a folder. */
static void models_list(const char *folder, char *out, size_t bytes)
{
	struct dirent **entries;
	int n = scandir(folder, &entries, NULL, alphasort);
	for (int i = 0; i < n; i++) {
		size_t length = strlen(entries[i]->d_name);
		if (length > 4 && !strcmp(entries[i]->d_name + length - 4, ".csv")) {
			entries[i]->d_name[length - 4] = '\0';
			status_list(out, bytes, entries[i]->d_name);
		}
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
}

/* NAME is models/NAME.csv beside the experiment's file, or beside one that it is like. */
static int model_find(struct plan *plan, struct status *st)
{
	const struct spec *spec = plan->spec;
	char path[PATH_MAX + 128], names[512] = "";
	if (strchr(spec->model, '/'))
		return network_read(spec->model, &plan->network, st);
	for (unsigned i = 0; i < 1 + SPEC_MAX_BASES; i++) {
		const char *file = i ? spec->bases[i - 1] : spec->file;
		const char *slash = strrchr(file, '/');
		int folder = slash ? (int)(slash - file) + 1 : 0;
		if (i && !file[0])
			break;
		snprintf(path, sizeof path, "%.*smodels/%s.csv", folder, file, spec->model);
		if (spec->model[0] && !access(path, F_OK))
			return network_read(path, &plan->network, st);
		snprintf(path, sizeof path, "%.*smodels", folder, file);
		models_list(path, names, sizeof names);
	}
	return status_set(st,
	                  "%s: model = '%s' is not there; a step of training wants the model whose "
	                  "gradients it reduces: allowed is %s%sa file's path with a slash in it",
	                  spec->file, spec->model, names, names[0] ? ", or " : "");
}

static int cells_make(struct plan *plan, const char *backend, struct status *st)
{
	const struct spec *spec = plan->spec;
	bool trains = false;
	for (unsigned c = 0; c < spec->ncolls; c++)
		trains |= coll_info(spec->colls[c])->is & COLL_TRAINS;
	if (trains && model_find(plan, st))
		return -1;
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
	const uint64_t times = spec_times(spec);
	if (plan->ncells * times > MOST_CELLS)
		return status_set(st,
		                  "%s: %u cells %llu times each are %llu in a trial; allowed "
		                  "are %d: fewer sizes, datatypes, operations, cycles, "
		                  "connections or allocations",
		                  spec->file, plan->ncells, (unsigned long long)times,
		                  (unsigned long long)(plan->ncells * times), MOST_CELLS);
	for (unsigned i = 0; i < plan->ncells; i++) {
		size_t bytes = trial_whole(&plan->network, plan->nranks, &plan->cells[i]).bytes;
		if (bytes > plan->arena_bytes)
			plan->arena_bytes = bytes;
	}
	size_t least = backend_find(backend)->arena_bytes;
	plan->arena_bytes = least > plan->arena_bytes ? least : plan->arena_bytes;
	return 0;
}

/* --- variants: placed, checked, and joined by those that no file asks for
 * ---------------------- */

static void modes_list(char *out, size_t bytes)
{
	for (unsigned i = 0; mode_table[i]; i++)
		status_list(out, bytes, mode_table[i]->name);
}

/* Mode from layout, layout from mode, or both held against each other. */
static int layout_resolve(const struct spec *spec, const struct spec_variant *from,
                          unsigned nranks, struct settings *s, struct status *st)
{
	const struct mode *mode = s->mode[0] ? mode_find(s->mode) : mode_for_layout(s->layout);
	const struct layout l = s->layout;
	if (!mode) {
		char allowed[256] = "";
		modes_list(allowed, sizeof allowed);
		return status_set(
		    st, "%s:%u: variant %s: mode = '%s' is not known; allowed is %s",
		    spec_file(spec, from->at), from->at.line, from->name, s->mode, allowed);
	}
	if (layout_ranks(l) == 0) {
		s->layout = mode->spread(nranks);
		/* A mode may have no way to place so few: one thread for 1 rank is single. */
		if (mode->owns(s->layout) && layout_ranks(s->layout) == nranks)
			return 0;
		return status_set(
		    st,
		    "%s:%u: variant %s: mode %s cannot place %u ranks; allowed are 2 "
		    "ranks or more",
		    spec_file(spec, from->at), from->at.line, from->name, mode->name, nranks);
	}
	if (!mode->owns(l))
		return status_set(
		    st,
		    "%s:%u: variant %s: layout %ux%ux%u is mode %s, not %s; allowed "
		    "is one of the two keys, or both that agree",
		    spec_file(spec, from->at), from->at.line, from->name, l.processes,
		    l.threads, l.ranks_per_thread, mode_for_layout(l)->name, mode->name);
	if (layout_ranks(l) != nranks)
		return status_set(
		    st,
		    "%s:%u: variant %s: layout %ux%ux%u has %u ranks, the experiment "
		    "has %u; allowed is a layout of %u, or ranks = %u",
		    spec_file(spec, from->at), from->at.line, from->name, l.processes,
		    l.threads, l.ranks_per_thread, layout_ranks(l), nranks, nranks,
		    layout_ranks(l));
	strcpy(s->mode, mode->name);
	return 0;
}

/* A slip that no machine could measure. */
static int apart_check(const struct spec *spec, const struct spec_variant *from,
                       const struct settings *s, struct status *st)
{
	if (!settings_isolates(s) || s->layout.processes > 1)
		return 0;
	return status_set(
	    st,
	    "%s:%u: variant %s: %s sets processes apart from each other, and "
	    "mode %s has one; allowed is mode = processes, or a layout of several",
	    spec_file(spec, from->at), from->at.line, from->name,
	    s->isolate ? "isolate" : "visible = own", s->mode);
}

/* Fills skip where a setting is none of the variant's backend. A library that is not set is
 * one all the same. `from`: NULL where no file asks for the variant. */
static bool is_elsewhere(const struct settings *s, const struct spec_variant *from, char *skip,
                         size_t bytes)
{
	const char *needs[2] = {NULL, NULL};
	char key[TRIAL_ENV_BYTES];
	bool unset = from && from->skip[0];
	if (unset) {
		snprintf(key, sizeof key, "%s", from->several ? "each" : "nccl");
		needs[0] = backend_heeding(key);
	}
	if (unset ? traits_find(s->backend)->library
	          : !backend_ignores(s, key, sizeof key, needs))
		return false;
	if (from && !strcmp(from->backend, needs[0]))
		snprintf(skip, bytes,
		         "it is for backend %s alone, and the command line says backend = %s",
		         needs[0], s->backend);
	else
		snprintf(skip, bytes,
		         "%.80s is a setting of backend %s%s%s and has no effect on %s (for "
		         "%s alone: %s.%.80s)",
		         key, needs[0], needs[1] ? " or " : "", needs[1] ? needs[1] : "",
		         s->backend, needs[0], needs[0], key);
	return true;
}

/* What no backend decides by itself: its CPUs, how it waits, and what sets its processes apart.
 */
static int refuses_settings(const struct plan *plan, const struct settings *s,
                            const struct backend *backend, const struct plan_machine *machine,
                            struct status *st)
{
	unsigned ranks, cpus = settings_cpus(s, &ranks);
	cpus *= (plan->nranks + ranks - 1) / ranks;
	if (cpus > machine->cores)
		return status_set(st, "cpus = %s of %u ranks are %u, and this machine has %u",
		                  s->cpus, plan->nranks, cpus, machine->cores);
	if (s->isolate & ISOLATE_BIT(ISOLATE_DEVICES) && !backend->is.gpus)
		return status_set(st,
		                  "isolate = devices closes the files of GPUs, and backend %s "
		                  "has none",
		                  backend->name);
	if (s->wait == WAIT_BLOCK && !backend->block)
		return status_set(st,
		                  "wait = block sleeps until a device is through, and backend %s "
		                  "moves data while it waits; allowed are spin and yield",
		                  backend->name);
	bool imagined = machine->imagined && !strcmp(machine->imagined, s->backend);
	return s->isolate && machine->isolates && !imagined ? machine->isolates(s->isolate, st)
	                                                    : 0;
}

static int variant_try(const struct plan *plan, unsigned index, const struct spec_variant *from,
                       const struct plan_machine *machine, char *skip, size_t bytes)
{
	const struct settings *s = &plan->variants[index].settings;
	const struct backend *backend = backend_find(s->backend);
	struct status why = {""};
	if (is_elsewhere(s, from, skip, bytes))
		return 0;
	unsigned capacity = plan_capacity(machine, s->backend, s->ranks_per_gpu, &why);
	if (capacity < plan->nranks) {
		snprintf(skip, bytes, "backend %s has room for %u of %u ranks here%s%.150s",
		         s->backend, capacity, plan->nranks, why.text[0] ? ": " : "", why.text);
		return 0;
	}
	if (from && from->skip[0]) {
		snprintf(skip, bytes, "%s", from->skip);
		return 0;
	}
	const char *no = mode_find(s->mode)->unsupported();
	if (no) {
		snprintf(skip, bytes, "%s", no);
		return 0;
	}
	if (refuses_settings(plan, s, backend, machine, &why)) {
		snprintf(skip, bytes, "%.*s", (int)bytes - 1, why.text);
		return 0;
	}
	if (machine->imagined && !strcmp(machine->imagined, s->backend))
		return 0;
	struct trial *trial = plan_order_trial(plan, machine->cores, index, 0, 0);
	if (!trial)
		return -1;
	if (backend->supports(trial, &why))
		snprintf(skip, bytes, "%.*s", (int)bytes - 1,
		         why.text[0] ? why.text : "the backend cannot run it");
	trial_free(trial);
	return 0;
}

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
		failed = variant_try(plan, reference, &plan->spec->variants[reference], machine,
		                     skip, sizeof skip);
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

static int narrow(struct plan *plan, unsigned reference, const struct plan_machine *machine,
                  struct status *st)
{
	struct runnable can = {0};
	if (runnable_find(plan, reference, machine, &can))
		return status_set(st, "out of memory for the plan");
	return cells_narrow(plan, &can);
}

static int variant_add(struct plan *plan, const char *name, const char *role,
                       const struct settings *settings, const struct spec_variant *from,
                       const struct plan_machine *machine, struct status *st)
{
	struct plan_variant *v = &plan->variants[plan->nvariants];
	snprintf(v->name, sizeof v->name, "%s", name);
	snprintf(v->role, sizeof v->role, "%s", role);
	v->settings = *settings;
	v->skip[0] = '\0';
	if (variant_try(plan, plan->nvariants, from, machine, v->skip, sizeof v->skip))
		return status_set(st, "out of memory for the plan");
	plan->nvariants++;
	return 0;
}

/* Slips that no machine could measure, as they depend on ranks and calls. */
static int settings_check(const struct plan *plan, const struct spec_variant *from,
                          struct status *st)
{
	const struct spec *spec = plan->spec;
	const struct settings *s = &from->settings;
	const struct {
		const char *key;
		int rank;
	} ranks[] = {{"delay_rank", s->delay_rank}, {"flip: rank", s->flip_rank}};
	for (unsigned i = 0; i < 2; i++)
		if (ranks[i].rank >= (int)plan->nranks)
			return status_set(st,
			                  "%s:%u: variant %s: %s = %d, but ranks are 0 to %u",
			                  spec_file(spec, from->at), from->at.line, from->name,
			                  ranks[i].key, ranks[i].rank, plan->nranks - 1);
	if ((size_t)s->flip_byte >= plan->arena_bytes)
		return status_set(st,
		                  "%s:%u: variant %s: flip: byte = %lld, but a rank's buffer "
		                  "has %zu bytes",
		                  spec_file(spec, from->at), from->at.line, from->name,
		                  (long long)s->flip_byte, plan->arena_bytes);
	bool accesses = false;
	for (unsigned c = 0; c < spec->ncolls; c++)
		accesses = accesses || spec->colls[c] == COLL_ACCESS;
	if (s->stride > 1 && !accesses)
		return status_set(st,
		                  "%s:%u: variant %s: stride = %u is of the collective access, which "
		                  "the experiment does not measure",
		                  spec_file(spec, from->at), from->at.line, from->name, s->stride);
	/* Else a stretch would have more calls than its time is divided by. */
	if (s->aggregate > 1 && spec->calls % s->aggregate)
		return status_set(st,
		                  "%s:%u: variant %s: calls = %u cannot be issued in groups of "
		                  "aggregate = %u; allowed are multiples of %u",
		                  spec_file(spec, from->at), from->at.line, from->name,
		                  spec->calls, s->aggregate, s->aggregate);
	return 0;
}

static int variants_add(struct plan *plan, const char *backend,
                        const struct plan_machine *machine, struct status *st)
{
	const struct spec *spec = plan->spec;
	for (unsigned i = 0; i < spec->nvariants; i++) {
		const struct spec_variant *from = &spec->variants[i];
		struct settings s = from->settings;
		bool reference = !strcmp(from->name, spec->reference);
		if (!strcmp(s.backend, "auto"))
			snprintf(s.backend, sizeof s.backend, "%s", backend);
		if (!backend_find(s.backend))
			return status_set(st, "%s:%u: variant %s: backend = '%s' is not known",
			                  spec_file(spec, from->at), from->at.line, from->name,
			                  s.backend);
		if (settings_check(plan, from, st) ||
		    layout_resolve(spec, from, plan->nranks, &s, st) ||
		    apart_check(spec, from, &s, st) ||
		    variant_add(plan, from->name, reference ? "reference" : "variant", &s, from,
		                machine, st))
			return -1;
	}
	return 0;
}

static const struct plan_variant *reference_find(const struct plan *plan)
{
	for (unsigned i = 0; i < plan->nvariants; i++)
		if (!strcmp(plan->variants[i].role, "reference"))
			return &plan->variants[i];
	return NULL;
}

static int variants_make(struct plan *plan, const char *backend,
                         const struct plan_machine *machine, struct status *st)
{
	if (variants_add(plan, backend, machine, st))
		return -1;
	const struct plan_variant *reference = reference_find(plan);
	if (!reference || !reference->skip[0])
		return 0;
	int narrower = narrow(plan, (unsigned)(reference - plan->variants), machine, st);
	if (narrower <= 0)
		return narrower;
	plan->nvariants = 0;
	return variants_add(plan, backend, machine, st);
}

/* What no file asks for: the reference once more (how much two equal things differ), and the
 * limit (how much this machine can copy at all). */
static int variants_accompany(struct plan *plan, const char *backend,
                              const struct plan_machine *machine, struct status *st)
{
	const struct plan_variant *reference = reference_find(plan);
	if (!reference)
		return status_set(st, "%s: reference = '%s' names no variant", plan->spec->file,
		                  plan->spec->reference);
	if (reference->skip[0])
		return status_set(
		    st,
		    "%s: the reference '%s' cannot run here, and all is compared with "
		    "it: %s",
		    plan->spec->file, reference->name, reference->skip);
	struct settings s = reference->settings, limit;
	char again[TRIAL_NAME_BYTES];
	snprintf(again, sizeof again, "%.56s-again", reference->name);
	if (variant_add(plan, again, "again", &s, NULL, machine, st))
		return -1;
	if (!plan->spec->limit || !backend_find(backend)->is.carries_data)
		return 0;
	const struct mode *mode = mode_find("threads");
	settings_default(&limit);
	limit.layout = mode->spread(plan->nranks);
	strcpy(limit.mode, mode_for_layout(limit.layout)->name); /* single, for one rank */
	snprintf(limit.backend, sizeof limit.backend, "%s", backend);
	strcpy(limit.nccl, s.nccl);
	limit.bind = s.bind;
	return variant_add(plan, "limit", "limit", &limit, NULL, machine, st);
}

static int factors_check(const struct plan *plan, struct status *st)
{
	const struct claim_list *asked = &plan->spec->asked;
	for (unsigned i = 0; i < asked->nfactors; i++) {
		const struct factor *f = &asked->factors[i];
		const struct text_place at = plan->spec->factors_at[i];
		char keys[512];
		unsigned n = plan_factor_differ(plan, f, keys, sizeof keys);
		if (n == 1)
			continue;
		if (n)
			return status_set(st,
			                  "%s:%u: factor %s: %s and %s differ in several: %s; "
			                  "allowed is exactly one setting",
			                  spec_file(plan->spec, at), at.line, f->name, f->from,
			                  f->to, keys);
		const char *backend = plan_main_backend(plan);
		bool first = !strcmp(backend, backend_table[0]->name);
		const char *other = backend_table[first]->name;
		return status_set(
		    st,
		    "%s:%u: factor %s: %s and %s differ in no setting on backend %s; allowed "
		    "is "
		    "exactly one setting. If it is a factor of another backend alone, name its "
		    "variants for that one, as in %s.from = %s and %s.to = %s; else give %s a "
		    "setting that %s heeds: %s.KEY = value",
		    spec_file(plan->spec, at), at.line, f->name, f->from, f->to, backend, other,
		    f->from, other, f->to, f->to, backend, backend);
	}
	return 0;
}

/* --- a search --- */

int plan_add_set(struct plan *plan, const struct plan_machine *machine,
                 const struct search_set *set, unsigned number, struct status *st)
{
	const struct plan_variant *reference = reference_find(plan);
	struct settings settings = reference->settings;
	char name[TRIAL_NAME_BYTES];
	if (plan->nvariants == PLAN_MAX_VARIANTS)
		return status_set(st, "the search has more than %d sets", SEARCH_MAX_SETS);
	snprintf(name, sizeof name, "set-%u", number);
	if (searched_settings(&plan->search, set, &settings, st))
		return -1;
	return variant_add(plan, name, "search", &settings, NULL, machine, st);
}

/* Drops values that cannot run here, each with the sentence why. */
static int search_values_here(struct plan *plan, const struct plan_machine *machine,
                              struct status *st)
{
	struct search_space left = {.finalists = plan->search.finalists};
	for (unsigned k = 0; k < plan->search.nkeys; k++) {
		const struct search_key *key = &plan->search.keys[k];
		struct search_key *to = &left.keys[left.nkeys];
		*to = *key;
		to->nvalues = 1;
		for (unsigned v = 1; v < key->nvalues; v++) {
			struct search_set set = {{0}};
			set.level[k] = (unsigned char)v;
			if (plan_add_set(plan, machine, &set, 0, st))
				return -1;
			const char *why = plan->variants[--plan->nvariants].skip;
			if (why[0])
				plan_note(plan, "not searched: %s = %s: %.200s", key->key,
				          key->values[v], why);
			else
				strcpy(to->values[to->nvalues++], key->values[v]);
		}
		left.nkeys += to->nvalues > 1;
	}
	plan->search = left;
	return 0;
}

unsigned plan_confirm_blocks(const struct plan *plan)
{
	unsigned least = search_confirm_blocks(plan->search.finalists * plan->ncells);
	return plan->spec->blocks > least ? plan->spec->blocks : least;
}

unsigned plan_search_trials(const struct plan *plan, unsigned *screen, unsigned *narrow,
                            unsigned *confirm)
{
	struct search_set *rows = malloc(SEARCH_MAX_SETS * sizeof *rows);
	unsigned here = 0;
	for (unsigned v = 0; v < plan->nvariants; v++)
		here += !plan->variants[v].skip[0] && strcmp(plan->variants[v].role, "search");
	*screen = *narrow = 0;
	for (unsigned i = 0; i < SEARCH_SCREENS && rows; i++)
		*screen += 2 + search_cover(&plan->search, NULL, plan->seed + i, rows,
		                            SEARCH_MAX_SETS);
	for (unsigned i = 0; i < SEARCH_NARROWS; i++)
		*narrow += 2 + search_narrow_most(i);
	*confirm = plan_confirm_blocks(plan) * (here + plan->search.finalists);
	free(rows);
	return *screen + *narrow + *confirm;
}

static int search_plan(struct plan *plan, const struct plan_machine *machine, struct status *st)
{
	const struct spec *spec = plan->spec;
	unsigned screen, narrow, confirm;
	plan->search = spec->search;
	if (!spec->search.nkeys)
		return 0;
	if (search_values_here(plan, machine, st))
		return -1;
	if (!plan->search.nkeys)
		return status_set(st, "%s:%u: nothing of the search can run here: %s",
		                  spec_file(spec, spec->search.at), spec->search.at.line,
		                  plan->nnotes ? plan->notes[plan->nnotes - 1] : "");
	unsigned all = plan_search_trials(plan, &screen, &narrow, &confirm);
	if (plan_confirm_blocks(plan) > spec->blocks)
		plan_note(
		    plan,
		    "the confirmation has %u blocks in place of %u: with fewer nothing passes "
		    "the correction for %u finalist%s in %u cells",
		    plan_confirm_blocks(plan), spec->blocks, plan->search.finalists,
		    plan->search.finalists == 1 ? "" : "s", plan->ncells);
	if (all <= SEARCH_FREE_TRIALS || spec->search.budget_said)
		return 0;
	return status_set(
	    st,
	    "%s:%u: the search takes about %u trials (%u to screen %u settings, %u to "
	    "narrow down, %u to confirm); allowed are %d, fewer values, or budget = "
	    "TIME that it may take",
	    spec_file(spec, spec->search.at), spec->search.at.line, all, screen,
	    plan->search.nkeys, narrow, confirm, SEARCH_FREE_TRIALS);
}

int plan_make(const struct spec *spec, const struct plan_machine *machine, uint64_t seed,
              struct plan *out, struct status *st)
{
	char why[512];
	struct plan *plan = calloc(1, sizeof *plan);
	if (!plan)
		return status_set(st, "out of memory for the plan");
	plan->spec = spec;
	plan->seed = spec->seed ? spec->seed : seed;
	const char *backend = plan_backend(spec, machine, why, sizeof why);
	int rc = -1;
	if (spec->only[0])
		plan_note(plan, "%s", spec->only);
	if (!backend_find(backend)) {
		status_set(st, "%s: backend = '%s' is not known", spec->file, backend);
		goto done;
	}
	if (libraries_find(plan, spec, st) || ranks_resolve(plan, backend, machine, st) ||
	    cells_make(plan, backend, st) || variants_make(plan, backend, machine, st) ||
	    factors_check(plan, st) || variants_accompany(plan, backend, machine, st) ||
	    search_plan(plan, machine, st) || plan_order_trials(plan, st)) {
		plan_free(plan);
		goto done;
	}
	library_of_system(plan);
	memcpy(out, plan, offsetof(struct plan, variants) + plan->nvariants * sizeof plan->variants[0]);
	rc = 0;
done:
	free(plan);
	return rc;
}

int plan_load(const struct plan_source *from, const struct plan_machine *machine,
              struct spec *out, char backend[TRIAL_NAME_BYTES], char *why, size_t why_bytes,
              struct status *st)
{
	if (spec_load(from->file, from->noverrides, from->overrides, NULL, from->lookup, out, st))
		return -1;
	/* Its name may lie in the spec, which is read anew. */
	snprintf(backend, TRIAL_NAME_BYTES, "%s", plan_backend(out, machine, why, why_bytes));
	return spec_load(from->file, from->noverrides, from->overrides, backend, from->lookup,
	                 out, st);
}
