#include "resume.h"

#include <stdlib.h>

#include "../record/record.h"

int resume_read(const char *folder, struct resume *out, struct status *st)
{
	struct record_run run;
	bool torn;
	if (record_load(folder, &run, &torn, st))
		return -1;
	json_t *paths = json_object();
	for (unsigned i = 0; i < run.npaths; i++)
		json_object_set_new(paths, run.paths[i].variant,
		                    json_boolean(run.paths[i].as_expected));
	const unsigned begun = record_begun(&run);
	*out = (struct resume){
	    .environment = json_incref(run.environment),
	    .paths = paths,
	    .first_block = record_next_block(&run) - (begun > 0),
	    .begun = begun,
	    .seed =
	        strtoull(json_string_value(json_object_get(run.environment, "seed")), NULL, 16),
	};
	record_free(&run);
	return 0;
}

bool resume_has_path(const struct resume *resume, const char *variant)
{
	return json_object_get(resume->paths, variant) != NULL;
}

bool resume_is_unexpected(const struct resume *resume, const char *variant)
{
	return json_is_false(json_object_get(resume->paths, variant));
}

/* Those that the file asks for: behind them stand the finalists of a search. */
static bool same_variants(const json_t *before, const json_t *now)
{
	const size_t n = json_array_size(now);
	bool same = json_array_size(before) >= n;
	for (size_t i = 0; same && i < json_array_size(before); i++) {
		const json_t *variant = json_array_get(before, i);
		same = i < n ? json_equal(variant, json_array_get(now, i))
		             : json_object_get(variant, "levels") != NULL;
	}
	return same;
}

/* GPUs of the same kind in the same places; which ones they are tells the report. */
static bool same_gpus(const json_t *before, const json_t *now)
{
	static const char *const keys[] = {"name", "pci"};
	bool same = json_array_size(before) == json_array_size(now);
	for (size_t i = 0; same && i < json_array_size(now); i++)
		for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
			same &= json_equal(json_object_get(json_array_get(before, i), keys[k]),
			                   json_object_get(json_array_get(now, i), keys[k]));
	return same;
}

int resume_same(const json_t *before, const json_t *now, struct status *st)
{
	static const char *const plan[] = {
	    "experiment",  "backend",  "ranks",          "reference",   "warmup",
	    "stretches",   "calls",    "isolated_calls", "collectives", "bytes",
	    "arena_bytes", "dtypes",         "ops",         "roots",
	    "counts",      "in_place", "paces",          "cycles",      "connections",
	    "allocations", NULL};
	static const char *const machine[] = {"host", "cpu", "cores", "driver", NULL};
	for (unsigned i = 0; plan[i]; i++)
		if (!json_equal(json_object_get(before, plan[i]),
		                json_object_get(now, plan[i])))
			return status_set(
			    st, "cannot resume: `%s` is not what that run was made with",
			    plan[i]);
	const json_t *space = json_object_get(before, "search");
	if ((space || json_object_get(now, "search")) &&
	    !json_equal(space, json_object_get(now, "search")))
		return status_set(st, "cannot resume: `search` is not what that run was made with");
	if (!same_variants(json_object_get(before, "variants"),
	                   json_object_get(now, "variants")))
		return status_set(
		    st, "cannot resume: `variants` is not what that run was made with");
	/* Older records do not say. */
	const json_t *libraries = json_object_get(before, "libraries");
	if (libraries && !json_equal(libraries, json_object_get(now, "libraries")))
		return status_set(st,
		                  "cannot resume: a library is not the file that that run was "
		                  "made with (`libraries` in its record)");
	before = json_object_get(before, "machine");
	now = json_object_get(now, "machine");
	for (unsigned i = 0; machine[i]; i++)
		if (!json_equal(json_object_get(before, machine[i]),
		                json_object_get(now, machine[i])))
			return status_set(
			    st, "cannot resume: that run comes from another machine (%s)",
			    machine[i]);
	if (!same_gpus(json_object_get(before, "gpus"), json_object_get(now, "gpus")))
		return status_set(st,
		                  "cannot resume: that run comes from another machine (gpus)");
	return 0;
}
