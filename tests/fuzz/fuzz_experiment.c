/* An experiment file, followed by the command line, and the plan that they give. */
#include <stdlib.h>
#include <string.h>

#include "../../harness/config/plan.h"
#include "fuzz.h"

#define MOST_OVERRIDES 4

static const char *lookup(const char *name)
{
	return !strcmp(name, "SET") ? "/nowhere/libnccl.so.2" : NULL;
}

static unsigned capacity(const char *backend, struct status *st)
{
	(void)backend, (void)st;
	return 8;
}

/* No library is asked for its version: that takes a child, which the target has not. */
static void make_plan(const struct spec *spec)
{
	struct plan_machine machine = {.cores = 2,
	                               .capacity = capacity,
	                               .imagined = spec->backend,
	                               .imagined_ranks = spec->ranks ? spec->ranks : 8};
	static struct plan plan;
	struct status st = {""};
	if (plan_make(spec, &machine, 1, &plan, &st)) {
		fuzz_promise(st.text[0], "plan: a refusal has a sentence");
		return;
	}
	for (unsigned i = 0; i < plan.ntrials && i < plan.nvariants; i++)
		trial_free(plan_trial(&plan, i));
	plan_free(&plan);
}

static void run(const uint8_t *data, size_t bytes)
{
	static struct spec spec; /* large */
	char *rest, *text = fuzz_text(data, bytes, &rest), *overrides[MOST_OVERRIDES];
	char chosen[TRIAL_NAME_BYTES], why[512];
	struct status st = {""};
	unsigned n = 0;
	for (char *next = rest; next && n < MOST_OVERRIDES;) {
		char *end = next + strlen(next);
		overrides[n++] = next;
		next = end < text + bytes ? end + 1 : NULL;
	}
	struct plan_machine machine = {.cores = 2, .capacity = capacity};
	const char *file = fuzz_file("x.exp", text, rest ? (size_t)(rest - text) - 1 : bytes);
	struct spec_source from = {file, n, overrides, lookup, NULL, false};
	if (n && !strncmp(*overrides, "--only=", 7)) {
		from.only = *from.overrides++ + 7;
		from.noverrides--;
	}
	int rc = spec_load(&from, NULL, &spec, &st);
	if (!rc) {
		snprintf(chosen, sizeof chosen, "%s",
		         plan_backend(&spec, &machine, why, sizeof why));
		rc = spec_load(&from, chosen, &spec, &st);
	}
	if (!rc) {
		strcpy(spec.backend, chosen);
		make_plan(&spec);
	}
	fuzz_promise(!rc || st.text[0], "experiment: a refusal has a sentence");
	free(text);
}

const struct fuzz_target fuzz_experiment = {run, NULL};
