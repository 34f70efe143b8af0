#include "plan.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

unsigned plan_capacity(const struct plan_machine *machine, const char *backend, unsigned sharing,
                       struct status *st)
{
	const struct backend *b = backend_find(backend);
	if (machine->imagined && !strcmp(machine->imagined, backend))
		return machine->imagined_ranks;
	unsigned devices = machine->capacity(backend, st);
	return b && b->is.gpus ? devices * sharing : devices;
}

unsigned plan_sharing(const struct spec *spec)
{
	unsigned most = 1;
	for (unsigned i = 0; i < spec->nvariants; i++) {
		const struct settings *s = &spec->variants[i].settings;
		const unsigned sharing = s->ranks_per_gpu * settings_hosts(s);
		most = sharing > most ? sharing : most;
	}
	return most;
}

const char *plan_backend(const struct spec *spec, const struct plan_machine *machine, char *why,
                         size_t why_bytes)
{
	const char *first = NULL, *last = spec->backend;
	char reason[512] = "";
	snprintf(why, why_bytes, "%s", "");
	if (strcmp(spec->backend, "auto"))
		return spec->backend;
	for (const struct backend *const *b = backend_table; *b; b++) {
		if (!(*b)->is.carries_data)
			continue;
		last = (*b)->name; /* if none fits: the reason */
		struct status st = {""};
		unsigned ranks = plan_capacity(machine, (*b)->name, plan_sharing(spec), &st);
		if (ranks >= PLAN_MIN_RANKS) {
			if (first)
				snprintf(why, why_bytes, "Backend %s is measured, because %s %s",
				         (*b)->name, first, reason);
			return (*b)->name;
		}
		if (first)
			continue;
		first = (*b)->name;
		if (ranks)
			snprintf(reason, sizeof reason,
			         "has room for 1 rank here and a collective needs %d",
			         PLAN_MIN_RANKS);
		else
			snprintf(reason, sizeof reason, "has nothing to run on: %.400s",
			         st.text[0] ? st.text : "no device");
	}
	return last;
}

void plan_free(struct plan *plan)
{
	free(plan->trials);
	free(plan->cells);
	plan->trials = NULL;
	plan->cells = NULL;
	plan->ntrials = plan->ncells = 0;
}

size_t plan_scratch_bytes(const struct plan *plan)
{
	size_t most = 0;
	for (unsigned i = 0; i < plan->nvariants; i++) {
		const struct settings *s = &plan->variants[i].settings;
		struct status ignored = {""};
		const struct launcher *by =
		    plan->variants[i].skip[0] ? NULL : launcher_pick(s, &ignored);
		size_t bytes = by && by->scratch_bytes ? by->scratch_bytes(s->layout) : 0;
		most = bytes > most ? bytes : most;
	}
	return plan->spec->overlap ? 2 * most : most;
}

bool plan_overlaps(const struct plan *plan, const struct trial *trial)
{
	struct status ignored = {""};
	const struct launcher *by = launcher_pick(&trial->settings, &ignored);
	const struct backend *backend = backend_find(trial->settings.backend);
	return plan->spec->overlap && !trial->yield && by && !by->queues &&
	       (!backend->shares || backend->shares(trial));
}

int plan_command(const struct trial *trial, const char *self, const char *order_file,
                 const char *scratch, struct launcher_argv *out, struct status *st)
{
	const struct launcher *by = launcher_pick(&trial->settings, st);
	const struct launch launch = {
	    .set = &trial->settings,
	    .yield = trial->yield,
	    .messages = traits_find(trial->settings.backend)->messages,
	    .self = self,
	    .order = order_file,
	    .scratch = scratch,
	};
	return by ? launcher_command(by, &launch, out, st) : -1;
}

void plan_note(struct plan *plan, const char *format, ...)
{
	va_list args;
	if (plan->nnotes == PLAN_MAX_NOTES)
		return;
	va_start(args, format);
	vsnprintf(plan->notes[plan->nnotes++], sizeof plan->notes[0], format, args);
	va_end(args);
}

const struct library *plan_library(const struct plan *plan, const char *nccl)
{
	for (unsigned i = 0; i < plan->nlibraries; i++)
		if (!strcmp(plan->libraries[i].nccl, nccl))
			return &plan->libraries[i].library;
	return NULL;
}

const struct plan_variant *plan_find(const struct plan *plan, const char *name)
{
	for (unsigned i = 0; i < plan->nvariants; i++)
		if (!strcmp(plan->variants[i].name, name))
			return &plan->variants[i];
	return NULL;
}

const struct plan_variant *plan_reference(const struct plan *plan)
{
	for (unsigned i = 0; i < plan->nvariants; i++)
		if (!strcmp(plan->variants[i].role, "reference"))
			return &plan->variants[i];
	return NULL;
}

unsigned plan_ranks(const struct plan *plan, const struct spec_variant *variant)
{
	const unsigned own = variant->ranks;
	return own && own < plan->nranks ? own : plan->nranks;
}

const char *plan_main_backend(const struct plan *plan)
{
	const struct plan_variant *reference = plan_reference(plan);
	return (reference ? reference : plan->variants)->settings.backend;
}
