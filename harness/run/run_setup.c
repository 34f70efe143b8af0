#include "runner.h"

#include <inttypes.h>
#include <sys/resource.h>
#include <time.h>

#include "../config/search.h"
#include "../memory.h"
#include "describe.h"

static uint64_t draw_seed(void)
{
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	return value_mix((uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec);
}

/* mpirun opens four files per process and about 30 more. If it may not, it waits for ever. */
static int allow_files(unsigned nranks, struct status *st)
{
	const rlim_t need = 64 + 4 * (rlim_t)nranks;
	struct rlimit limit;
	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= need)
		return 0;
	limit.rlim_cur = limit.rlim_max;
	if (limit.rlim_max >= need && !setrlimit(RLIMIT_NOFILE, &limit))
		return 0;
	return status_set(
	    st,
	    "%u ranks need up to %llu open files, but the limit is %llu; raise it: ulimit -n %llu",
	    nranks, (unsigned long long)need, (unsigned long long)limit.rlim_max,
	    (unsigned long long)need);
}

/* What an earlier session knows: a search's sets, and data's paths, which are not asked again. */
static int take_before(struct runner *r, const struct record_run *before, struct status *st)
{
	const struct record_search *search = before->search;
	for (unsigned i = 0; search && i < search->nsets; i++)
		if (search_plan_set(&r->plan, &search->sets[i], st) < 0)
			return -1;
	for (unsigned i = 0; i < before->npaths; i++) {
		const struct plan_variant *v = plan_find(&r->plan, before->paths[i].variant);
		if (v)
			r->has_path[v - r->plan.variants] = true;
	}
	for (unsigned i = 0; i < before->ncells + (search ? search->ncells : 0); i++)
		if (before->cells[i].order >= r->first_order)
			r->first_order = before->cells[i].order + 1;
	return 0;
}

int run_set_up(struct runner *r, struct status *st)
{
	const struct run_request *q = r->request;
	struct record_run before = {0};
	uint64_t seed = draw_seed();
	int result = -1;
	if (plan_load(&q->from, q->machine, &r->spec, st) ||
	    (q->quick && plan_quick(&q->from, q->machine, &r->spec, st)) ||
	    (q->resume &&
	     (folder_hold(q->resume, &r->folder, st) || resume_load(q->resume, &before, st))))
		return -1;
	r->begun = q->resume ? record_begun(&before) : 0;
	r->first_block = record_next_block(&before) - (r->begun > 0);
	if (q->resume)
		seed = strtoull(json_string_value(json_object_get(before.environment, "seed")),
		                NULL, 16);
	if (!r->spec.search.nkeys)
		r->spec.blocks += r->first_block;
	r->spec.first_plan =
	    (unsigned)json_integer_value(json_object_get(before.environment, "blocks"));
	/* The order and data of all blocks come from one seed, so a resumed run must keep it. */
	if (q->resume && r->spec.seed && r->spec.seed != seed) {
		status_set(st,
		           "cannot resume: seed = %" PRIu64 ", but that run's is %" PRIu64
		           "; omit seed",
		           r->spec.seed, seed);
		goto out;
	}
	if (q->resume)
		r->spec.seed = seed;
	if (plan_make(&r->spec, q->machine, seed, &r->plan, st) || allow_files(r->plan.nranks, st))
		goto out;
	r->environment = memory_have(describe_run(&r->plan, q->argc, q->argv, LAUNCHGAP_COMMIT));
	if (q->resume &&
	    (resume_same(before.environment, r->environment, st) || take_before(r, &before, st)))
		goto out;
	if (folder_open(q->results, r->spec.name, plan_scratch_bytes(&r->plan), &r->folder, st))
		goto out;
	if (q->resume ? record_write_resume(r->folder.trials, r->environment, r->first_block,
	                                    r->begun, st)
	              : record_write_environment(r->folder.trials, r->environment, st))
		goto out;
	if (folder_commit(&r->folder, st))
		goto out;
	result = 0;
out:
	record_free(&before);
	return result;
}

/* What is left out, and the names of all that share a reason. */
struct omitted {
	unsigned n;
	struct {
		char why[256], names[800];
	} of[PLAN_MAX_VARIANTS];
};

static void omit(struct omitted *o, const char *name, const char *why)
{
	unsigned i = 0;
	while (i < o->n && strcmp(o->of[i].why, why) != 0)
		i++;
	if (!*why)
		return;
	if (i == o->n)
		snprintf(o->of[o->n++].why, sizeof o->of[i].why, "%s", why);
	status_list(o->of[i].names, sizeof o->of[i].names, name);
}

static void say_omitted(const struct omitted *o, const char *format, run_say_fn *say)
{
	for (unsigned i = 0; i < o->n; i++)
		say(format, o->of[i].names, o->of[i].why);
}

void run_say_plan(const struct plan *plan, run_say_fn *say)
{
	const struct spec *spec = plan->spec;
	if (spec->backend_why[0])
		say("%s", spec->backend_why);
	for (unsigned i = 0; i < plan->nnotes; i++)
		say("%s", plan->notes[i]);
	struct omitted *variants = memory_take(3, sizeof *variants);
	struct omitted *claims = variants + 1, *factors = variants + 2;
	char why[sizeof variants->of->why];
	for (unsigned i = 0; i < plan->nvariants; i++)
		omit(variants, plan->variants[i].name, plan->variants[i].skip);
	for (unsigned i = 0; i < spec->asked.nclaims; i++) {
		plan_claim_why(plan, &spec->asked.claims[i], why, sizeof why);
		omit(claims, spec->asked.claims[i].name, why);
	}
	for (unsigned i = 0; i < spec->asked.nfactors; i++) {
		plan_factor_why(plan, &spec->asked.factors[i], why, sizeof why);
		omit(factors, spec->asked.factors[i].name, why);
	}
	say_omitted(variants, "left out: %s: %s", say);
	/* What the run cannot answer whatever it measures: a slip in the file, or something that
	 * the command line removed. It still runs. */
	say_omitted(claims, "claim %s cannot be tested: %s", say);
	say_omitted(factors, "factor %s cannot be measured: %s", say);
	free(variants);
	if (spec->cell_timeout_s >= spec->timeout_s)
		say("cell_timeout = %us has no effect: timeout = %us ends the trial first",
		    spec->cell_timeout_s, spec->timeout_s);
}

void run_announce(const struct runner *r)
{
	const struct plan *plan = &r->plan;
	char blocks[64];
	run_say_plan(plan, status_say);
	unsigned more = r->spec.blocks - r->first_block;
	snprintf(blocks, sizeof blocks, "%u block%s", more, more == 1 ? "" : "s");
	if (r->plan.search.nkeys)
		snprintf(blocks, sizeof blocks, "a search of %u settings", r->plan.search.nkeys);
	status_say("%s: %u rank%s on %s, %s, into %s", r->spec.name, plan->nranks,
	           plan->nranks == 1 ? "" : "s", plan_main_backend(plan), blocks, r->folder.path);
	if (r->begun)
		status_say("block %u has %u of its %u trials: the missing ones run first",
		           r->first_block + 1, r->begun, plan->ntrials / r->spec.blocks);
}
