#include "plan.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

unsigned plan_capacity(const struct plan_machine *machine, const char *backend,
                       unsigned ranks_per_gpu, struct status *st)
{
	const struct backend *b = backend_find(backend);
	if (machine->imagined && !strcmp(machine->imagined, backend))
		return machine->imagined_ranks;
	unsigned devices = machine->capacity(backend, st);
	return b && b->is.gpus ? devices * ranks_per_gpu : devices;
}

unsigned plan_sharing(const struct spec *spec)
{
	unsigned most = 1;
	for (unsigned i = 0; i < spec->nvariants; i++)
		if (spec->variants[i].settings.ranks_per_gpu > most)
			most = spec->variants[i].settings.ranks_per_gpu;
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
		const struct mode *mode = mode_pick(s->mode, s->layout);
		size_t bytes = mode && mode->scratch_bytes && !plan->variants[i].skip[0]
		                   ? mode->scratch_bytes(s->layout)
		                   : 0;
		most = bytes > most ? bytes : most;
	}
	return most;
}

int plan_command(const struct trial *trial, const char *self, const char *order_file,
                 const char *scratch, struct mode_argv *out, struct status *st)
{
	const struct mode *mode = mode_pick(trial->settings.mode, trial->settings.layout);
	if (!mode)
		return status_set(st, "mode '%s' is not known, or has no such layout",
		                  trial->settings.mode);
	const struct run run = {
	    .layout = trial->settings.layout,
	    .shape = {.nranks = layout_ranks(trial->settings.layout),
	              .nworkers = layout_workers(trial->settings.layout),
	              .yield = trial->yield},
	    .order = order_file,
	    .scratch = scratch,
	    .messages = traits_find(trial->settings.backend)->messages,
	};
	return mode->command(&run, self, out, st);
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

const struct plan_variant *plan_reference(const struct plan *plan)
{
	for (unsigned i = 0; i < plan->nvariants; i++)
		if (!strcmp(plan->variants[i].role, "reference"))
			return &plan->variants[i];
	return NULL;
}

const char *plan_main_backend(const struct plan *plan)
{
	const struct plan_variant *reference = plan_reference(plan);
	return (reference ? reference : plan->variants)->settings.backend;
}
