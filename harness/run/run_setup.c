/* Before the first trial: the plan, what the run is made with, and its folder. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

typedef void why_fn(const struct plan *plan, unsigned i, char *why, size_t bytes);

static void why_claim(const struct plan *plan, unsigned i, char *why, size_t bytes)
{
	plan_claim_why(plan, &plan->spec->asked.claims[i], why, bytes);
}

static void why_factor(const struct plan *plan, unsigned i, char *why, size_t bytes)
{
	plan_factor_why(plan, &plan->spec->asked.factors[i], why, bytes);
}

/* The names from the ith on that share its reason; false where it has none, or one of those
 * before has the same. */
static bool names_of_reason(const struct plan *plan, why_fn *why_of, bool claims, unsigned i,
                            char why[256], char names[800])
{
	const struct claim_list *asked = &plan->spec->asked;
	unsigned n = claims ? asked->nclaims : asked->nfactors;
	char other[256];
	size_t used = 0;
	why_of(plan, i, why, 256);
	for (unsigned k = 0; why[0] && k < n; k++) {
		why_of(plan, k, other, sizeof other);
		if (strcmp(other, why))
			continue;
		if (k < i)
			return false;
		if (used < 800)
			used += (size_t)snprintf(
			    names + used, 800 - used, "%s%s", used ? ", " : "",
			    claims ? asked->claims[k].name : asked->factors[k].name);
	}
	return why[0];
}

/* What the run cannot answer whatever comes out: a slip of the file's, or what the command line
 * left away. It runs all the same. */
static void say_unanswered(const struct runner *r)
{
	const struct plan *plan = &r->plan;
	char why[256], names[800];
	for (unsigned i = 0; i < r->spec.asked.nclaims; i++)
		if (names_of_reason(plan, why_claim, true, i, why, names))
			status_say("claim %s cannot be tested: %s", names, why);
	for (unsigned i = 0; i < r->spec.asked.nfactors; i++)
		if (names_of_reason(plan, why_factor, false, i, why, names))
			status_say("factor %s cannot be told: %s", names, why);
	if (r->spec.cell_timeout_s >= r->spec.timeout_s)
		status_say("cell_timeout = %us ends nothing, as timeout = %us ends the trial",
		           r->spec.cell_timeout_s, r->spec.timeout_s);
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
	say_unanswered(r);
	char blocks[64];
	snprintf(blocks, sizeof blocks, "%u blocks", r->spec.blocks - r->first_block);
	if (r->spec.blocks_auto)
		snprintf(blocks, sizeof blocks, "blocks until ±%.3g %% or %u s",
		         100 * r->spec.precision, r->spec.budget_s);
	status_say("%s: %u ranks on %s, %s, into %s", r->spec.name, plan->nranks,
	           plan->variants[0].settings.backend, blocks, r->folder.path);
}
