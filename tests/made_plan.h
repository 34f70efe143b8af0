/* Plans of a spec that is made by hand, for a machine that is a fake. */
#pragma once

#include "../harness/config/plan.h"
#include "standin.h"
#include "test.h"

static struct spec spec; /* large: not for the stack */
static struct plan plan;
static char standin[STANDIN_BYTES];

static unsigned gpus;

static inline unsigned capacity(const char *backend, struct status *st)
{
	if (strcmp(backend, "nccl"))
		return UINT_MAX;
	if (gpus == 0)
		status_set(st, "no GPU answers");
	return gpus;
}

static struct plan_machine machine = {.cores = 4, .capacity = capacity};

static inline struct spec_variant *variant_add(const char *name, const char *mode)
{
	struct spec_variant *v = &spec.variants[spec.nvariants++];
	*v = (struct spec_variant){.at = 10 * spec.nvariants};
	strcpy(v->name, name);
	settings_default(&v->settings);
	strcpy(v->settings.mode, mode);
	return v;
}

static inline void fresh(void)
{
	gpus = 0;
	machine.cores = 4;
	memset(&spec, 0, sizeof spec);
	memset(&plan, 0, sizeof plan);
	strcpy(spec.name, "x");
	strcpy(spec.file, "experiments/x.exp");
	strcpy(spec.backend, "host");
	spec.ncolls = 2;
	spec.colls[0] = COLL_ALLTOALL;
	spec.colls[1] = COLL_SENDRECV;
	spec.nsizes = 3;
	spec.sizes[0] = 4096;
	spec.sizes[1] = 16384;
	spec.sizes[2] = 65536;
	spec.paces[PACE_STREAM] = spec.paces[PACE_ISOLATED] = true;
	spec.ndtypes = spec.nops = spec.nroots = 1;
	spec.dtypes[0] = DTYPE_FLOAT32;
	spec.in_place = PLACES_OUT;
	spec.cycles = 1;
	spec.ranks = 4;
	spec.blocks = 10;
	spec.warmup = 1;
	spec.stretches = 2;
	spec.calls = 3;
	spec.isolated_calls = 4;
	spec.limit = spec.twin = true;
	strcpy(spec.reference, "threads");
	variant_add("single", "single");
	variant_add("threads", "threads");
	variant_add("named", "threads");
}

static inline void done(void)
{
	plan_free(&plan);
}

static inline void make(uint64_t seed)
{
	plan_free(&plan);
	assert_works(plan_make(&spec, &machine, seed, &plan, WHY));
}

static inline void refuse(const char *what)
{
	struct plan *untouched = calloc(1, sizeof *untouched);
	assert_non_null(untouched);
	untouched->nranks = 77;
	assert_int_equal(plan_make(&spec, &machine, 1, untouched, WHY), -1);
	assert_int_equal(untouched->nranks, 77); /* set only on success */
	assert_null(untouched->trials);
	free(untouched);
	assert_begins(because(), "experiments/x.exp");
	assert_says(because(), what);
}

static inline unsigned find(const char *name)
{
	for (unsigned i = 0; i < plan.nvariants; i++)
		if (!strcmp(plan.variants[i].name, name))
			return i;
	fail_msg("no variant %s", name);
	return 0;
}

static inline bool listed(const char *name)
{
	unsigned i = 0;
	while (i < plan.nvariants && strcmp(plan.variants[i].name, name))
		i++;
	return i < plan.nvariants;
}

static inline unsigned trials_of(const char *name)
{
	unsigned v = find(name), n = 0;
	for (unsigned i = 0; i < plan.ntrials; i++)
		n += plan.trials[i].variant == v;
	return n;
}

/* Trials are kept. */
static inline struct trial *trial_at(unsigned index)
{
	return test_keep(plan_trial(&plan, index));
}

/* Of a variant, in a block. */
static inline struct trial *trial_of(const char *variant, unsigned block)
{
	return test_keep(plan_order_trial(&plan, find(variant), block, 0));
}

static inline bool is_limit(const struct trial *t)
{
	return !strcmp(t->variant, "limit");
}

static inline bool same_cells(const struct trial *a, const struct trial *b)
{
	for (unsigned i = 0; a->ncells == b->ncells && i < a->ncells; i++)
		if (a->cells[i].coll != b->cells[i].coll ||
		    a->cells[i].bytes != b->cells[i].bytes || a->cells[i].pace != b->cells[i].pace)
			return false;
	return a->ncells == b->ncells;
}

static inline unsigned count_cells(const struct trial *t, enum coll_kind coll, size_t bytes,
                                   unsigned pace)
{
	unsigned n = 0;
	for (unsigned i = 0; i < t->ncells; i++)
		n += t->cells[i].coll == coll && t->cells[i].bytes == bytes &&
		     t->cells[i].pace == pace && t->cells[i].pass == PASS_TIMED;
	return n;
}

static inline void find_standin(void)
{
	standin_find(standin);
}
