#include "resume.h"

#include <stdlib.h>

#include "../record/record.h"

int resume_read(const char *folder, struct resume *out, struct status *st)
{
	struct record_run run;
	if (record_load(folder, &run, st))
		return -1;
	const unsigned next = record_next_block(&run);
	/* What is added is read again. */
	if (next + SPEC_MAX_BLOCKS > RECORD_MAX_BLOCKS || run.nresumes == RECORD_MAX_RESUMES) {
		status_set(
		    st,
		    "cannot resume: a record has at most %d blocks and %d sessions, and this "
		    "one has %u and %u; begin another run",
		    RECORD_MAX_BLOCKS, RECORD_MAX_RESUMES + 1, next, run.nresumes + 1);
		record_free(&run);
		return -1;
	}
	json_t *paths = json_object();
	for (unsigned i = 0; i < run.npaths; i++)
		json_object_set_new(paths, run.paths[i].variant,
		                    json_boolean(run.paths[i].as_expected));
	const unsigned begun = record_begun(&run);
	*out = (struct resume){
	    .environment = json_incref(run.environment),
	    .paths = paths,
	    .first_block = next - (begun > 0),
	    .begun = begun,
	    .seed = strtoull(json_string_value(json_object_get(run.environment, "seed")), NULL, 16),
	};
	record_free(&run);
	return 0;
}

/* Both have it, and it is equal. */
static bool same_key(const json_t *before, const json_t *now, const char *key)
{
	return json_equal(json_object_get(before, key), json_object_get(now, key));
}

/* GPUs of the same kind in the same places; the report says which ones they are. */
static bool same_gpus(const json_t *before, const json_t *now)
{
	static const char *const keys[] = {"name", "pci"};
	bool same = json_array_size(before) == json_array_size(now);
	for (size_t i = 0; same && i < json_array_size(now); i++)
		for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
			same &=
			    same_key(json_array_get(before, i), json_array_get(now, i), keys[k]);
	return same;
}

int resume_same(const json_t *before, const json_t *now, struct status *st)
{
	static const char *const plan[] = {
	    "experiment",  "backend",        "ranks",       "reference", "warmup",      "stretches",
	    "calls",       "isolated_calls", "collectives", "bytes",     "arena_bytes", "dtypes",
	    "ops",         "roots",          "counts",      "in_place",  "paces",       "cycles",
	    "connections", "allocations",    "variants",    NULL};
	static const char *const perhaps[] = {"search", "connection_bytes", NULL};
	static const char *const machine[] = {"host", "cpu", "cores", "driver", NULL};
	const char *other =
	    !json_object_get(before, "quick") != !json_object_get(now, "quick") ? "quick" : NULL;
	for (unsigned i = 0; plan[i] && !other; i++)
		other = same_key(before, now, plan[i]) ? NULL : plan[i];
	for (unsigned i = 0; perhaps[i] && !other; i++)
		if ((json_object_get(before, perhaps[i]) || json_object_get(now, perhaps[i])) &&
		    !same_key(before, now, perhaps[i]))
			other = perhaps[i];
	if (other)
		return status_set(st, "cannot resume: `%s` is not what that run was made with",
		                  other);
	/* Older records have none. */
	const json_t *libraries = json_object_get(before, "libraries");
	if (libraries && !json_equal(libraries, json_object_get(now, "libraries")))
		return status_set(st, "cannot resume: a library is not the file that that run was "
		                      "made with (`libraries` in its record)");
	before = json_object_get(before, "machine");
	now = json_object_get(now, "machine");
	for (unsigned i = 0; machine[i] && !other; i++)
		other = same_key(before, now, machine[i]) ? NULL : machine[i];
	if (!other && !same_gpus(json_object_get(before, "gpus"), json_object_get(now, "gpus")))
		other = "gpus";
	return other ? status_set(st, "cannot resume: that run comes from another machine (%s)",
	                          other)
	             : 0;
}
