/* run --dry-run: what would be measured, and what it takes; assumes devices if there are none. */
#include <stdarg.h>

#include "../config/search.h"
#include "../machine.h"
#include "../memory.h"
#include "../report/page.h"
#include "../run/runner.h"
#include "../data/format.h"
#include "verbs.h"

#define IMAGINED_RANKS 8 /* for a backend without devices here */

#define REPORT_S 3.0 /* with its pictures; a run's trials: plan_cost */

static struct formatted size_text(double bytes)
{
	return format_range((struct claim_range){(size_t)bytes, (size_t)bytes});
}

static void say_variants(const struct plan *plan)
{
	printf("variants\n");
	for (unsigned i = 0; i < plan->nvariants; i++) {
		const struct plan_variant *v = &plan->variants[i];
		const struct layout l = v->settings.layout;
		char set[1024], lead[80], text[256];
		const char *role = !strcmp(v->role, "again")     ? "the reference again"
		                   : !strcmp(v->role, "variant") ? ""
		                   : !strcmp(v->role, "limit")   ? "what plain copies reach"
		                                                 : "the reference";
		if (v->skip[0])
			continue;
		snprintf(lead, sizeof lead, "  %-28.40s ", v->name);
		snprintf(text, sizeof text, "%ux%ux%u %s on %s%s%s", l.processes, l.threads,
		         l.ranks_per_thread, v->settings.mode, v->settings.backend,
		         role[0] ? ", " : "", role);
		page_wrap(stdout, lead, 31, text);
		settings_text(&v->settings, set, sizeof set);
		if (set[0])
			page_line(6, "%s", set);
	}
}

static void say_cells(const struct plan *plan)
{
	const struct spec *spec = plan->spec;
	char colls[512] = "", paces[64] = "", lo[32], hi[32];
	for (unsigned i = 0; i < spec->ncolls; i++)
		status_list(colls, sizeof colls, coll_info(spec->colls[i])->name);
	for (unsigned i = 0; i < PACE_KINDS; i++)
		if (spec->paces[i])
			status_list(paces, sizeof paces, coll_pace_name((enum pace)i));
	coll_size_label(spec->sizes[0], lo, sizeof lo);
	coll_size_label(spec->sizes[spec->nsizes - 1], hi, sizeof hi);
	printf("cells\n");
	page_line(2, "%u in each job: %s; %u size%s from %s to %s; %s", plan->ncells, colls,
	          spec->nsizes, format_plural(spec->nsizes), lo, hi, paces);
	coll_size_label(plan->p99_bytes, hi, sizeof hi);
	if (plan->p99_bytes)
		page_line(2, "isolated: %u calls up to %s, for p99; %u of others", TRIAL_P99_CALLS,
		          hi, PLAN_ISOLATED_CALLS);
	if (spec_times(spec) > 1)
		page_line(2, "each %u times: connections = %u, allocations = %u, cycles = %u",
		          spec_times(spec), spec->connections, spec->allocations, spec->cycles);
	if (spec->connections > 1 && spec->connection_bytes.hi)
		page_line(2, "connections after the first: %s alone%s",
		          format_range(spec->connection_bytes).text,
		          spec->asked.nclaims ? ", of variants that claims compare there" : "");
}

/* In how many blocks, of the variant with the fewest to that with the most. */
static void say_counters(const struct plan *plan)
{
	unsigned least = plan->spec->blocks, most = 0;
	for (unsigned v = 0; v < plan->nvariants; v++) {
		unsigned n = 0;
		for (unsigned b = 0; b < plan->spec->blocks; b++)
			n += plan_counts(plan, v, b);
		if (plan->variants[v].skip[0] || !strcmp(plan->variants[v].role, "limit"))
			continue;
		least = n < least ? n : least;
		most = n > most ? n : most;
	}
	if (most && least < most)
		page_line(2, "counters in %u to %u blocks", least, most);
	else if (most)
		page_line(2, "counters in %u block%s", most, format_plural(most));
}

/* Each variant runs once per round of a search, and sets as often as rounds allow. */
static void plan_whole_search(struct plan *plan)
{
	const unsigned all = search_trials(plan).all;
	unsigned here[PLAN_MAX_VARIANTS], n = 0;
	for (unsigned v = 0; v < plan->nvariants; v++)
		if (!plan->variants[v].skip[0])
			here[n++] = v;
	for (unsigned block = 0; plan->ntrials + n <= all; block++)
		plan_add_block(plan, block, plan->ntrials, here, n);
}

static void say_search(const struct plan *plan)
{
	if (!plan->search.nkeys)
		return;
	printf("search\n");
	for (unsigned k = 0; k < plan->search.nkeys; k++) {
		const struct search_key *key = &plan->search.keys[k];
		char lead[64], values[1024] = "";
		snprintf(lead, sizeof lead, "  %-28.40s ", key->key);
		for (unsigned v = 1; v < key->nvalues; v++)
			status_list(values, sizeof values, key->values[v]);
		page_wrap(stdout, lead, 31, values);
	}
	const struct search_trials n = search_trials(plan);
	page_line(2,
	          "about %u trials: %u to screen, %u to narrow down, %u to confirm %u finalist%s",
	          n.all, n.screen, n.narrow, n.confirm, plan->search.finalists,
	          format_plural(plan->search.finalists));
}

static void say_cost(const struct plan *plan)
{
	const struct spec *spec = plan->spec;
	struct status ignored = {""};
	const bool cores = backend_capacity(plan_main_backend(plan), &ignored) == UINT_MAX;
	const struct plan_cost cost = plan_cost(plan);
	const double seconds = REPORT_S + cost.seconds;
	if (!plan->search.nkeys) {
		printf("jobs\n");
		page_line(2, "%u: %u in each of %u blocks", plan->ntrials,
		          plan->ntrials / spec->blocks, spec->blocks);
	}
	const bool twice = !cores && spec->allocations > 1;
	printf("%s\n", cores ? "memory" : "GPU memory");
	page_line(2, "%s for each of %u ranks: what it sends and what it receives%s%s",
	          size_text((twice ? 4.0 : 2.0) * (double)plan->arena_bytes).text, plan->nranks,
	          twice ? ", twice during reallocation" : "",
	          cores ? "" : "; the library's own buffers come on top");
	printf("disk\n");
	page_line(2, "about %s of records, before they are packed", size_text(cost.bytes).text);
	const bool ends = spec->search.budget_said && spec->budget_s < seconds;
	printf("time\n");
	page_line(2, "estimate: %s%s; from %s", ends ? "at most " : "",
	          format_duration(ends ? spec->budget_s : seconds).text,
	          ends ? "the budget" : "typical figures");
	page_line(2, "a job that takes longer than %u s (timeout) is ended", spec->timeout_s);
}

static void say_note(const char *format, ...)
{
	char text[1600];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	page_wrap(stdout, "", 2, text);
}

int dry_run(const struct run_request *q, struct status *st)
{
	struct spec *spec = memory_take(1, sizeof *spec);
	struct plan *plan = memory_take(1, sizeof *plan);
	struct plan_machine machine = *q->machine;
	struct status why_not = {""};
	int result = -1;
	if (plan_load(&q->from, &machine, spec, st))
		goto out;
	if (!plan_capacity(&machine, spec->backend, 1, &why_not)) {
		machine.imagined = spec->backend;
		machine.imagined_ranks = spec->ranks ? spec->ranks : IMAGINED_RANKS;
	}
	if ((q->quick && plan_quick(&q->from, &machine, spec, st)) ||
	    plan_make(spec, &machine, 1, plan, st))
		goto out;
	page_line(0, "%s: %s", spec->name, spec->question);
	page_line(0, "%u rank%s on %s, %u cores", plan->nranks, format_plural(plan->nranks),
	          spec->backend, machine.cores);
	if (machine.imagined)
		page_line(0,
		          "%s has no devices here (%.1000s): %u ranks are assumed, and its library "
		          "is not checked",
		          spec->backend, why_not.text, machine.imagined_ranks);
	say_variants(plan);
	say_cells(plan);
	if (!plan->search.nkeys)
		say_counters(plan);
	say_search(plan);
	if (plan->search.nkeys)
		plan_whole_search(plan);
	fflush(stdout);
	say_cost(plan);
	run_say_plan(plan, say_note);
	result = 0;
	plan_free(plan);
out:
	free(plan);
	free(spec);
	return result;
}
