#include "describe.h"

#include "../coll/counts.h"
#include "../config/search.h"
#include "../machine.h"
#include "../record/record.h"
#include "../backend/device/nvml.h"

/* Of a set of a search with the place of each key's value. */
json_t *describe_variant(const struct plan *plan, const struct plan_variant *v)
{
	json_t *one =
	    json_pack("{s:s, s:s, s:s}", "name", v->name, "role", v->role, "skip", v->skip);
	json_t *settings = settings_to_json(&v->settings);
	if (!one || json_object_update(one, settings)) {
		json_decref(one);
		one = NULL;
	}
	json_decref(settings);
	if (v < plan->variants + plan->nfile)
		return one;
	json_t *levels = json_array();
	for (unsigned k = 0; k < plan->search.nkeys; k++)
		json_array_append_new(levels, json_integer(v->set.level[k]));
	json_object_set_new(one, "levels", levels);
	return one;
}

/* Which files the libraries are, with checksums: names alone would not identify them later. */
static json_t *describe_libraries(const struct plan *plan)
{
	json_t *list = json_array();
	for (unsigned i = 0; i < plan->nlibraries; i++) {
		const struct plan_library *l = &plan->libraries[i];
		char sum[17];
		backend_library_sum(l->library.file, sum);
		json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:s}", "nccl", l->nccl,
		                                      "file", l->library.file, "version",
		                                      l->library.version, "xxh3", sum));
	}
	return list;
}

/* What is called, each as its key's list; and the notes on what is not. */
static void describe_what(const struct plan *plan, json_t *run)
{
	const struct spec *spec = plan->spec;
	json_t *notes = json_array();
	json_t *dtypes = json_array(), *ops = json_array(), *roots = json_array();
	json_t *places = json_array(), *paces = json_array();
	for (unsigned i = 0; i < spec->ndtypes; i++)
		json_array_append_new(dtypes, json_string(coll_dtype_name(spec->dtypes[i])));
	for (unsigned i = 0; i < spec->nops; i++)
		json_array_append_new(ops, json_string(coll_op_name(spec->ops[i])));
	for (unsigned i = 0; i < spec->nroots; i++)
		json_array_append_new(roots, json_integer(spec->roots[i]));
	for (int i = 0; i < 2; i++)
		if (spec->in_place == PLACES_BOTH || i == (spec->in_place == PLACES_IN))
			json_array_append_new(places, json_boolean(i));
	for (int i = 0; i < PACE_KINDS; i++)
		if (spec->paces[i])
			json_array_append_new(paces, json_string(coll_pace_name(i)));
	for (unsigned i = 0; i < plan->nnotes; i++)
		json_array_append_new(notes, json_string(plan->notes[i]));
	json_object_set_new(run, "notes", notes);
	json_object_set_new(run, "dtypes", dtypes);
	json_object_set_new(run, "ops", ops);
	json_object_set_new(run, "roots", roots);
	json_object_set_new(run, "counts", counts_to_json(&spec->weights));
	json_object_set_new(run, "parts", json_string("by rank"));
	const struct network *n = &plan->network;
	const struct network_sums sums = network_sums(n);
	if (n->n)
		json_object_set_new(run, "model",
		                    json_pack("{s:s, s:I, s:I, s:I}", "name", n->name, "parameters",
		                              (json_int_t)sums.parameters, "elements",
		                              (json_int_t)sums.elements, "flops",
		                              (json_int_t)sums.flops));
	json_object_set_new(run, "in_place", places);
	json_object_set_new(run, "paces", paces);
	json_object_set_new(run, "counters", json_boolean(spec->counters));
	if (spec->leads[0])
		json_object_set_new(run, "leads", json_string(spec->leads));
	if (spec->quick.claim[0])
		json_object_set_new(
		    run, "quick",
		    json_pack("{s:s, s:i, s:i, s:i, s:f, s:f}", "claim", spec->quick.claim,
		              "variants", (int)spec->quick.variants, "claims",
		              (int)spec->quick.claims, "sizes", (int)spec->quick.sizes, "seconds",
		              spec->quick.seconds, "trial_seconds", spec->quick.trial_seconds));
	if (spec->needs_gpus)
		json_object_set_new(run, "needs_gpus", json_true());
	json_object_set_new(run, "cycles", json_integer(spec->cycles));
	json_object_set_new(run, "connections", json_integer(spec->connections));
	json_object_set_new(run, "allocations", json_integer(spec->allocations));
	if (spec->connection_bytes.hi)
		json_object_set_new(run, "connection_bytes",
		                    json_pack("[I, I]", (json_int_t)spec->connection_bytes.lo,
		                              (json_int_t)spec->connection_bytes.hi));
	if (plan->turns.hi)
		json_object_set_new(
		    run, "turns",
		    json_pack("[I, I]", (json_int_t)plan->turns.lo, (json_int_t)plan->turns.hi));
}

json_t *describe_run(const struct plan *plan, int argc, char *const argv[], const char *commit)
{
	const struct spec *spec = plan->spec;
	json_t *command = json_array(), *bytes = json_array(), *colls = json_array();
	json_t *variants = json_array(), *backends = json_object();
	char created[32], seed[32];
	status_utc(STATUS_UTC, created);
	snprintf(seed, sizeof seed, "%llx", (unsigned long long)plan->seed);
	for (int i = 0; i < argc; i++)
		json_array_append_new(command, json_string(argv[i]));
	for (unsigned i = 0; i < spec->nsizes; i++)
		json_array_append_new(bytes, json_integer((json_int_t)spec->sizes[i]));
	for (unsigned i = 0; i < spec->ncolls; i++)
		json_array_append_new(colls, json_string(coll_info(spec->colls[i])->name));
	for (unsigned i = 0; i < plan->nvariants; i++) {
		const char *backend = plan->variants[i].settings.backend;
		json_array_append_new(variants, describe_variant(plan, &plan->variants[i]));
		json_object_set_new(backends, backend, traits_to_json(traits_find(backend)));
	}
	json_t *run =
	    json_pack("{s:s, s:s, s:s, s:o, s:s, s:s, s:s, s:s, s:i, s:s, s:s, s:i, s:i, s:i, s:i, "
	              "s:i, s:o, s:o, s:I, s:o, s:o}",
	              "experiment", spec->name, "title", spec->title, "question", spec->question,
	              "command", command, "created", created, "launchgap", commit, "backend",
	              plan_main_backend(plan), "backend_why", plan->spec->backend_why, "ranks",
	              (int)plan->nranks, "seed", seed, "reference", spec->reference, "blocks",
	              plan->search.nkeys ? (int)search_blocks(plan) : (int)spec->blocks, "warmup",
	              (int)spec->warmup, "stretches", (int)spec->stretches, "calls",
	              (int)spec->calls, "isolated_calls", (int)spec->isolated_calls, "collectives",
	              colls, "bytes", bytes, "arena_bytes", (json_int_t)plan->arena_bytes,
	              "variants", variants, "machine", machine_describe());
	if (run) {
		json_object_set_new(run, "backends", backends);
		json_object_set_new(run, "topology", machine_places(nvml_links_read(NVML_LIBRARY)));
		json_object_set_new(run, "libraries", describe_libraries(plan));
		describe_what(plan, run);
	}
	if (run && plan->search.nkeys)
		json_object_set_new(run, "search", search_space_json(&plan->search));
	if (run && !claim_list_put(&plan->asked, run))
		return run;
	json_decref(run);
	return NULL;
}

/* --- a run that goes on --- */

int resume_load(const char *folder, struct record_run *out, struct status *st)
{
	if (record_load(folder, out, st))
		return -1;
	const unsigned next = record_next_block(out);
	/* What is added is read again. */
	if (next + SPEC_MAX_BLOCKS <= RECORD_MAX_BLOCKS && out->nresumes < RECORD_MAX_RESUMES)
		return 0;
	status_set(st,
	           "cannot resume: a record has at most %d blocks and %d sessions, and this one "
	           "has %u and %u; begin another run",
	           RECORD_MAX_BLOCKS, RECORD_MAX_RESUMES + 1, next, out->nresumes + 1);
	record_free(out);
	return -1;
}

/* Equal: both have it, or neither, if it is one that a run may lack. */
static bool same_key(const json_t *before, const json_t *now, const char *key)
{
	const json_t *a = json_object_get(before, key), *b = json_object_get(now, key);
	const bool perhaps =
	    !strcmp(key, "search") || !strcmp(key, "connection_bytes") || !strcmp(key, "turns");
	return (perhaps && !a && !b) || json_equal(a, b);
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
	// clang-format off
	static const char *const plan[] = {
	    "experiment", "backend", "ranks", "reference", "warmup", "stretches", "calls", "isolated_calls",
	    "collectives", "bytes", "arena_bytes", "dtypes", "ops", "roots", "counts", "in_place", "paces", "cycles",
	    "connections", "allocations", "variants", "search", "connection_bytes", "turns", NULL};
	// clang-format on
	static const char *const machine[] = {"host", "cpu", "cores", "driver", NULL};
	const char *other =
	    !json_object_get(before, "quick") != !json_object_get(now, "quick") ? "quick" : NULL;
	for (unsigned i = 0; plan[i] && !other; i++)
		other = same_key(before, now, plan[i]) ? NULL : plan[i];
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
