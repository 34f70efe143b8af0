/* Before the first trial: the plan, what the run is made with, and its folder. */
#include <stdlib.h>
#include <time.h>

#include "../machine.h"
#include "describe.h"
#include "resume.h"
#include "run_parts.h"

static int load_spec(struct runner *r, struct status *st)
{
	const struct run_request *q = r->request;
	const char *backend;
	if (spec_load(q->file, q->noverrides, q->overrides, NULL, machine_env, &r->spec, st))
		return -1;
	backend = plan_backend(&r->spec, q->machine, r->why, sizeof r->why);
	return spec_load(q->file, q->noverrides, q->overrides, backend, machine_env, &r->spec,
	                 st);
}

static uint64_t draw_seed(void)
{
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	return value_mix((uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec);
}

int run_set_up(struct runner *r, struct status *st)
{
	const struct run_request *q = r->request;
	struct resume before = {.seed = draw_seed()};
	int result = -1;
	if (load_spec(r, st) || (q->resume && resume_read(q->resume, &before, st)))
		return -1;
	r->first_block = before.first_block;
	r->spec.blocks += before.first_block;
	if (q->resume)
		r->spec.seed = before.seed;
	if (plan_make(&r->spec, q->machine, before.seed, &r->plan, st))
		goto out;
	for (unsigned v = 0; v < r->plan.nvariants; v++)
		r->has_path[v] = resume_has_path(&before, r->plan.variants[v].name);
	r->environment = describe_run(&r->plan, q->argc, q->argv, r->why, LAUNCHGAP_COMMIT);
	if (!r->environment) {
		status_set(st, "out of memory for the record");
		goto out;
	}
	if (q->resume && resume_same(before.environment, r->environment, st))
		goto out;
	if (folder_open(q->results, r->spec.name, q->resume, &r->folder, st))
		goto out;
	if (!q->resume && (record_write_environment(r->folder.trials, r->environment, st) ||
	                   folder_commit(&r->folder, st)))
		goto out;
	result = 0;
out:
	json_decref(before.environment);
	json_decref(before.paths);
	return result;
}

void run_announce(const struct runner *r)
{
	const struct plan *plan = &r->plan;
	if (r->why[0])
		status_say("%s", r->why);
	for (unsigned i = 0; i < plan->nvariants; i++)
		if (plan->variants[i].skip[0])
			status_say("%s is left out: %s", plan->variants[i].name,
			           plan->variants[i].skip);
	char blocks[64];
	snprintf(blocks, sizeof blocks, "%u blocks", r->spec.blocks - r->first_block);
	if (r->spec.blocks_auto)
		snprintf(blocks, sizeof blocks, "blocks until ±%.3g %% or %u s",
		         100 * r->spec.precision, r->spec.budget_s);
	status_say("%s: %u ranks on %s, %s, into %s", r->spec.name, plan->nranks,
	           plan->variants[0].settings.backend, blocks, r->folder.path);
}
