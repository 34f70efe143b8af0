#include "describe.h"

#include <stdio.h>
#include <time.h>

#include "../machine.h"

static json_t *describe_variants(const struct plan *plan)
{
	json_t *list = json_array();
	for (unsigned i = 0; i < plan->nvariants; i++) {
		const struct plan_variant *v = &plan->variants[i];
		const struct settings *s = &v->settings;
		char layout[48];
		json_t *env = json_array();
		for (unsigned e = 0; e < s->nenv; e++)
			json_array_append_new(env, json_string(s->env[e]));
		snprintf(layout, sizeof layout, "%ux%ux%u", s->layout.processes,
		         s->layout.threads, s->layout.ranks_per_thread);
		json_array_append_new(
		    list,
		    json_pack(
		        "{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:I, s:I, s:i, "
		        "s:o, s:s}",
		        "name", v->name, "role", v->role, "mode", s->mode, "layout", layout,
		        "backend", s->backend, "nccl", s->nccl, "path", s->path, "api", s->api,
		        "bind", trial_bind_name(s->bind), "start", trial_start_name(s->start),
		        "delay_ns", (json_int_t)s->delay_ns, "extra_ns",
		        (json_int_t)s->extra_ns, "delay_rank", s->delay_rank, "env", env,
		        "skip", v->skip));
	}
	return list;
}

json_t *describe_run(const struct plan *plan, int argc, char *const argv[], const char *why,
                     const char *commit)
{
	const struct spec *spec = plan->spec;
	json_t *command = json_array(), *bytes = json_array(), *colls = json_array();
	char created[32], seed[32];
	time_t now = time(NULL);
	struct tm utc;
	gmtime_r(&now, &utc);
	strftime(created, sizeof created, "%Y-%m-%dT%H:%M:%SZ", &utc);
	snprintf(seed, sizeof seed, "%llx", (unsigned long long)plan->seed);
	for (int i = 0; i < argc; i++)
		json_array_append_new(command, json_string(argv[i]));
	for (unsigned i = 0; i < spec->nsizes; i++)
		json_array_append_new(bytes, json_integer((json_int_t)spec->sizes[i]));
	for (unsigned i = 0; i < spec->ncolls; i++)
		json_array_append_new(colls, json_string(coll_info(spec->colls[i])->name));
	json_t *run = json_pack(
	    "{s:s, s:s, s:s, s:o, s:s, s:s, s:s, s:s, s:i, s:s, s:s, s:i, s:i, s:i, s:i, "
	    "s:i, s:o, s:o, s:I, s:o, s:o}",
	    "experiment", spec->name, "title", spec->title, "question", spec->question,
	    "command", command, "created", created, "launchgap", commit, "backend",
	    plan->variants[0].settings.backend, "backend_why", why, "ranks", (int)plan->nranks,
	    "seed", seed, "reference", spec->reference, "blocks",
	    spec->blocks_auto ? 0 : (int)spec->blocks, "warmup", (int)spec->warmup, "stretches",
	    (int)spec->stretches, "calls", (int)spec->calls, "isolated_calls",
	    (int)spec->isolated_calls, "collectives", colls, "bytes", bytes, "arena_bytes",
	    (json_int_t)plan->arena_bytes, "variants", describe_variants(plan), "machine",
	    machine_describe());
	if (run && spec->blocks_auto) {
		json_object_set_new(run, "precision", json_real(spec->precision));
		json_object_set_new(run, "budget_s", json_integer(spec->budget_s));
	}
	return run;
}
