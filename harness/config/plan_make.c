/* A spec on a machine becomes a plan: its ranks, the variants that run here, and what is asked of
 * them. */
#include "../memory.h"
#include "plan.h"
#include "search.h"

/* --- its variants --- */

/* A mode's own layout on each host. A mode may have no way to place so few: one thread for 1 rank
 * is single. Of several hosts the variant is left out (variant_try). */
static int layout_spread(const struct spec *spec, const struct spec_variant *from,
                         const struct mode *mode, unsigned nranks, struct settings *s,
                         struct status *st)
{
	const unsigned hosts = settings_hosts(s);
	s->layout = mode->spread(nranks / hosts);
	s->layout.processes *= hosts;
	if (hosts > 1 || (mode_places(mode, s->layout, hosts) && layout_ranks(s->layout) == nranks))
		return 0;
	return spec_variant_error(spec, from, st,
	                          "mode %s cannot place %u rank%s; allowed are 2 ranks or more",
	                          mode->name, nranks, nranks == 1 ? "" : "s");
}

/* Mode from layout, layout from mode, or both compared. */
static int layout_resolve(const struct spec *spec, const struct spec_variant *from, unsigned nranks,
                          struct settings *s, struct status *st)
{
	const unsigned hosts = settings_hosts(s);
	const struct layout l = s->layout;
	const bool given = layout_ranks(l);
	const struct mode *mode = s->mode[0] ? mode_find(s->mode) : mode_for_layout(l, hosts);
	if (!mode) {
		char allowed[256] = "";
		for (unsigned i = 0; mode_table[i]; i++)
			status_list(allowed, sizeof allowed, mode_table[i]->name);
		return spec_variant_error(spec, from, st, "mode = '%s' is not known; allowed is %s",
		                          s->mode, allowed);
	}
	if ((given ? l.processes : nranks) % hosts)
		return spec_variant_error(
		    spec, from, st, "hosts have equal parts: %u %s cannot be divided among %u",
		    given ? l.processes : nranks, given ? "processes of the layout" : "ranks",
		    hosts);
	if (!given)
		return layout_spread(spec, from, mode, nranks, s, st);
	if (!mode_places(mode, l, hosts))
		return spec_variant_error(spec, from, st,
		                          "layout %ux%ux%u is mode %s, not %s; allowed is one of "
		                          "the two keys, or both that agree",
		                          l.processes, l.threads, l.ranks_per_thread,
		                          mode_for_layout(l, hosts)->name, mode->name);
	if (layout_ranks(l) != nranks && from->ranks)
		return spec_variant_error(spec, from, st,
		                          "layout %ux%ux%u has %u ranks, and the variant says "
		                          "ranks = %u; allowed are two that agree",
		                          l.processes, l.threads, l.ranks_per_thread,
		                          layout_ranks(l), from->ranks);
	if (layout_ranks(l) != nranks)
		return spec_variant_error(
		    spec, from, st,
		    "layout %ux%ux%u has %u ranks, the experiment has %u; allowed is a layout of "
		    "%u, or ranks = %u, of the variant too",
		    l.processes, l.threads, l.ranks_per_thread, layout_ranks(l), nranks, nranks,
		    layout_ranks(l));
	strcpy(s->mode, mode->name);
	return 0;
}

/* Whether a setting is not one of the variant's backend, and why. An unset library counts as a
 * library. `from`: NULL if no file asks for the variant. */
static bool is_elsewhere(const struct settings *s, const struct spec_variant *from,
                         struct status *st)
{
	const char *needs[2] = {NULL, NULL};
	char key[TRIAL_ENV_BYTES];
	bool unset = from && from->skip[0];
	if (unset) {
		snprintf(key, sizeof key, "%s", from->several ? "each" : "nccl");
		needs[0] = backend_using(key);
	}
	if (unset ? traits_find(s->backend)->library : !backend_ignores(s, key, sizeof key, needs))
		return false;
	if (from && !strcmp(from->backend, needs[0]))
		status_set(st, "it is for backend %s alone, and the command line says backend = %s",
		           needs[0], s->backend);
	else
		status_set(st,
		           "%.80s is a setting of backend %s%s%s and has no effect on %s (a "
		           "setting for one backend belongs in [variant NAME on %s])",
		           key, needs[0], needs[1] ? " or " : "", needs[1] ? needs[1] : "",
		           s->backend, needs[0]);
	return true;
}

static bool is_imagined(const struct plan_machine *machine, const struct settings *s)
{
	return machine->imagined && !strcmp(machine->imagined, s->backend);
}

/* What no backend decides by itself: its CPUs, how it waits, and how its processes are isolated. */
static int refuses_settings(const struct settings *s, const struct backend *backend,
                            const struct plan_machine *machine, struct status *st)
{
	const unsigned nranks = layout_ranks(settings_on_host(s));
	unsigned ranks, cpus = settings_cpus(s, &ranks);
	cpus *= (nranks + ranks - 1) / ranks;
	if (cpus > machine->cores)
		return status_set(st, "cpus = %s of %u ranks are %u, and this machine has %u",
		                  s->cpus, nranks, cpus, machine->cores);
	if (s->hosts[0] && s->traffic != TRAFFIC_NONE)
		return status_set(st, "traffic beside the calls stops in step through shared "
		                      "memory; allowed is hosts = this");
	if (s->hosts[0] && settings_isolates(s))
		return status_set(st, "isolate and visible = own are of processes on one host; "
		                      "allowed is hosts = this");
	if (s->isolate & ISOLATE_BIT(ISOLATE_DEVICES) && !backend->is.gpus)
		return status_set(
		    st, "isolate = devices closes the files of GPUs, and backend %s has none",
		    backend->name);
	if (s->wait == WAIT_BLOCK && !backend->is.launches)
		return status_set(st,
		                  "wait = block sleeps until a device is through, and backend %s "
		                  "moves data while it waits; allowed are spin and yield",
		                  backend->name);
	return s->isolate && machine->isolates && !is_imagined(machine, s)
	           ? machine->isolates(s->isolate, st)
	           : 0;
}

static int settings_refused(const struct plan *plan, const struct settings *s,
                            const struct spec_variant *from, struct status *st)
{
	const unsigned nranks = layout_ranks(s->layout), hosts = settings_hosts(s);
	struct status why = {""};
	if (is_elsewhere(s, from, st))
		return -1;
	if (!mode_pick(s->mode, s->layout, hosts))
		return status_set(st, "mode %s cannot place %u rank%s on each host", s->mode,
		                  nranks / hosts, nranks / hosts == 1 ? "" : "s");
	if (nranks > plan->nranks)
		return status_set(st, "it has %u ranks, and this run has %u", nranks, plan->nranks);
	unsigned capacity =
	    plan_capacity(plan->machine, s->backend, s->ranks_per_gpu * hosts, &why);
	if (capacity < nranks)
		return status_set(st, "backend %s has room for %u of %u ranks here%s%.150s",
		                  s->backend, capacity, nranks, why.text[0] ? ": " : "", why.text);
	if (from && from->skip[0])
		return status_set(st, "%s", from->skip);
	return launcher_pick(s, st)
	           ? refuses_settings(s, backend_find(s->backend), plan->machine, st)
	           : -1;
}

/* Why it cannot run here, or "". */
static void variant_try(const struct plan *plan, unsigned index, const struct spec_variant *from,
                        char *skip, size_t bytes)
{
	const struct settings *s = &plan->variants[index].settings;
	const struct backend *backend = backend_find(s->backend);
	struct status why = {""};
	int rc = settings_refused(plan, s, from, &why);
	if (!rc && !is_imagined(plan->machine, s)) {
		struct trial *trial = plan_order_trial(plan, index, 0, 0);
		const struct launcher *by = launcher_pick(s, &why);
		if ((rc = backend->supports(trial, &why)))
			status_set(&why, "the backend cannot run it");
		else if (backend->is.messages && !by->mpi)
			rc = status_set(
			    &why, "backend %s sends MPI's messages, and launcher %s starts no MPI",
			    backend->name, by->name);
		trial_free(trial);
	}
	snprintf(skip, bytes, "%.*s", (int)bytes - 1, rc ? why.text : "");
}

/* Removes the cells that the reference cannot run, with notes: each collective and datatype
 * separately; none if it can run none. Whether any went. */
static bool cells_narrow(struct plan *plan, unsigned reference)
{
	struct cell *all = plan->cells;
	const unsigned n = plan->ncells;
	bool gone[COLL_KINDS][DTYPE_KINDS] = {{false}}, some[COLL_KINDS] = {false};
	char why[COLL_KINDS][256] = {""}, names[256] = "";
	const char *because = "";
	unsigned kept = 0, count;
	for (unsigned i = 0; i < n; i += count) {
		const enum coll_kind coll = all[i].coll;
		const enum dtype dtype = all[i].dtype;
		char skip[256];
		for (count = 1;
		     i + count < n && all[i + count].coll == coll && all[i + count].dtype == dtype;)
			count++;
		plan->cells = all + i;
		plan->ncells = count;
		variant_try(plan, reference, &plan->spec->variants[reference], skip, sizeof skip);
		if ((gone[coll][dtype] = skip[0])) {
			strcpy(why[coll], skip);
			continue;
		}
		some[coll] = true;
		memmove(all + kept, all + i, count * sizeof *all);
		kept += count;
	}
	plan->cells = all;
	plan->ncells = kept ? kept : n;
	for (int c = 0; kept && c < COLL_KINDS; c++)
		if (why[c][0] && !some[c])
			plan_note(plan, "left out: %s: %s", coll_info(c)->name, why[c]);
	for (unsigned d = 0; kept && d < DTYPE_KINDS; d++) {
		bool left = false;
		for (int c = 0; c < COLL_KINDS; c++)
			if (some[c] && gone[c][d]) {
				left = true;
				because = why[c];
			}
		if (left)
			status_list(names, sizeof names, coll_dtype_name(d));
	}
	if (names[0])
		plan_note(plan, "left out: %s, where it cannot be: %s", names, because);
	return plan->ncells < n;
}

void plan_variants_add(struct plan *plan, const char *name, const char *role,
                       const struct settings *settings, const struct spec_variant *from)
{
	struct plan_variant *v = &plan->variants[plan->nvariants];
	snprintf(v->name, sizeof v->name, "%s", name);
	snprintf(v->role, sizeof v->role, "%s", role);
	v->settings = *settings;
	variant_try(plan, plan->nvariants++, from, v->skip, sizeof v->skip);
}

/* Mistakes that no machine could measure, as they depend on ranks and calls. */
static int settings_check(const struct plan *plan, const struct spec_variant *from,
                          struct status *st)
{
	const struct spec *spec = plan->spec;
	const struct settings *s = &from->settings;
	const struct {
		const char *key;
		int rank;
	} ranks[] = {{"delay_rank", s->delay_rank}, {"flip: rank", s->flip_rank}};
	bool accesses = false, raw = !strcmp(s->api, "copies") && s->engine != ENGINE_CHASE;
	bool pairs = false;
	char stride[16];
	for (unsigned i = 0; i < 2; i++)
		if (ranks[i].rank >= (int)plan_ranks(plan, from))
			return spec_variant_error(spec, from, st, "%s = %d, but ranks are 0 to %u",
			                          ranks[i].key, ranks[i].rank,
			                          plan_ranks(plan, from) - 1);
	if ((size_t)s->flip_byte >= plan->arena_bytes)
		return spec_variant_error(spec, from, st,
		                          "flip: byte = %lld, but a rank's buffer has %zu bytes",
		                          (long long)s->flip_byte, plan->arena_bytes);
	for (unsigned c = 0; c < spec->ncolls; c++) {
		accesses = accesses || spec->colls[c] == COLL_ACCESS;
		raw = raw || coll_info(spec->colls[c])->is & COLL_RAW;
		pairs = pairs || spec->colls[c] == COLL_PAIR_COPY;
	}
	snprintf(stride, sizeof stride, "%u", s->stride);
	// clang-format off
	const struct {
		bool lacks;
		const char *key, *value, *of;
	} of_some[] = {
	    {s->stride > 1 && !accesses, "stride", stride, "the collective access"},
	    {s->engine != ENGINE_CE && !raw, "engine", settings_words("engine")[s->engine], "plain copies (to_device, to_host, pair_copy, pair_staged, api = copies)"},
	    {s->peer != PEER_WRITE && !pairs, "peer", settings_words("peer")[s->peer], "the collective pair_copy"},
	};
	// clang-format on
	for (unsigned i = 0; i < sizeof of_some / sizeof *of_some; i++)
		if (of_some[i].lacks)
			return spec_variant_error(
			    spec, from, st,
			    "%s = %s is of %s, which the experiment does not measure",
			    of_some[i].key, of_some[i].value, of_some[i].of);
	/* Else a stretch would have more calls than its time is divided by. */
	if (s->aggregate > 1 && spec->calls % s->aggregate)
		return spec_variant_error(spec, from, st,
		                          "calls = %u cannot be issued in groups of aggregate = "
		                          "%u; allowed are multiples of %u",
		                          spec->calls, s->aggregate, s->aggregate);
	return 0;
}

static int variants_add(struct plan *plan, struct status *st)
{
	const struct spec *spec = plan->spec;
	for (unsigned i = 0; i < spec->nvariants; i++) {
		const struct spec_variant *from = &spec->variants[i];
		struct settings s = from->settings;
		bool reference = !strcmp(from->name, spec->reference);
		if (!strcmp(s.backend, "auto"))
			strcpy(s.backend, plan->backend->name);
		if (settings_check(plan, from, st) ||
		    layout_resolve(spec, from, from->ranks ? from->ranks : plan->nranks, &s, st))
			return -1;
		/* A mistake that no machine could measure. */
		if (settings_isolates(&s) && s.layout.processes < 2)
			return spec_variant_error(
			    spec, from, st,
			    "%s sets processes apart from each other, and mode %s has one; allowed "
			    "is mode = processes, or a layout of several",
			    s.isolate ? "isolate" : "visible = own", s.mode);
		plan_variants_add(plan, from->name, reference ? "reference" : "variant", &s, from);
	}
	return 0;
}

/* A variant with keys for another backend may equal another variant. Then it would be measured
 * twice, and compared as if it were different. Of two that are each other's twin the first stays,
 * and the reference. */
static void same_skip(struct plan *plan)
{
	for (unsigned v = 0; v < plan->nvariants; v++) {
		struct plan_variant *own = &plan->variants[v];
		const char *key = plan->spec->variants[v].elsewhere;
		char why[sizeof own->skip] = "", keys[512];
		if (!key[0] || own->skip[0] || !strcmp(own->role, "reference"))
			continue;
		for (unsigned u = 0; u < plan->nvariants && !why[0]; u++) {
			const struct plan_variant *other = &plan->variants[u];
			const bool stays = u < v || !plan->spec->variants[u].elsewhere[0] ||
			                   !strcmp(other->role, "reference");
			if (u != v && stays && !other->skip[0] &&
			    !settings_differ(&other->settings, &own->settings, keys, sizeof keys))
				snprintf(why, sizeof why,
				         "%s has no effect on %s, where it is the same as %s", key,
				         own->settings.backend, other->name);
		}
		memcpy(own->skip, why, sizeof why);
	}
}

/* Each with why it is skipped here; without cells that the reference cannot run, with notes. */
static int variants_make(struct plan *plan, struct status *st)
{
	for (bool narrowed = false;; narrowed = true) {
		plan->nvariants = 0;
		if (variants_add(plan, st))
			return -1;
		same_skip(plan);
		const struct plan_variant *reference = plan_reference(plan);
		if (narrowed || !reference || !reference->skip[0] ||
		    !cells_narrow(plan, (unsigned)(reference - plan->variants)))
			return 0;
	}
}

/* Where MPI's launcher would start processes and cannot, or has not begun the run, another does. */
static void launcher_note(struct plan *plan)
{
	for (unsigned v = 0; v < plan->nvariants; v++) {
		const struct settings *s = &plan->variants[v].settings;
		struct status why = {""}, ignored = {""};
		if (plan->variants[v].skip[0] || s->layout.processes < 2 ||
		    strcmp(s->launcher, LAUNCHER_AUTO) != 0)
			continue;
		const struct launcher *by = launcher_pick(s, &ignored);
		for (const struct launcher *const *l = launcher_table; by && *l != by; l++)
			if (!why.text[0] && (*l)->mpi)
				launcher_supports(*l, s, &why);
		if (by && !by->mpi && (why.text[0] || by->reigns))
			plan_note(plan, "Processes are started by launcher %s, without MPI: %s",
			          by->name,
			          why.text[0] ? why.text : "`launchgap join` began the run");
		return;
	}
}

/* Variants that no file asks for: the reference again (how much two equal things differ), and the
 * limit (how much this machine can copy at all). An error is a reference that cannot run here. */
static int variants_accompany(struct plan *plan, struct status *st)
{
	const struct plan_variant *reference = plan_reference(plan);
	if (reference->skip[0])
		return status_set(
		    st, "%s: the reference '%s' cannot run here, and all is compared with it: %s",
		    plan->spec->file, reference->name, reference->skip);
	launcher_note(plan);
	struct settings s = reference->settings, limit;
	char again[TRIAL_NAME_BYTES];
	snprintf(again, sizeof again, "%.56s-again", reference->name);
	if (plan->spec->twin)
		plan_variants_add(plan, again, "again", &s, NULL);
	if (!plan->spec->limit || !plan->backend->is.carries_data)
		return 0;
	settings_default(&limit);
	/* Of one host: copies go from buffer to buffer of one process. */
	limit.layout = (struct layout){1, plan->nranks / settings_hosts(&s), 1};
	strcpy(limit.mode, mode_for_layout(limit.layout, 1)->name);
	strcpy(limit.backend, plan->backend->name);
	strcpy(limit.nccl, s.nccl);
	limit.bind = s.bind;
	plan_variants_add(plan, "limit", "limit", &limit, NULL);
	return 0;
}

/* --- all of it --- */

#define CORES_MIN_RANKS 16 /* not limited by cores: that many work */
#define AUTO_MAX_RANKS  8  /* where only cores limit: one node's worth, as GPU machines have */

static int ranks_resolve(struct plan *plan, struct status *st)
{
	const struct spec *spec = plan->spec;
	const struct plan_machine *machine = plan->machine;
	const char *backend = plan->backend->name;
	struct status why = {""};
	unsigned capacity = plan_capacity(machine, backend, plan_sharing(spec), &why);
	if (capacity == 0)
		return status_set(st, "%s: backend %s has nothing to run on here: %s", spec->file,
		                  backend, why.text[0] ? why.text : "no device");
	if (spec->ranks > capacity)
		return status_set(st,
		                  "%s: ranks = %u, but backend %s has room for %u here%s%s; "
		                  "allowed is 1 to %u, or auto",
		                  spec->file, spec->ranks, backend, capacity,
		                  why.text[0] ? ": " : "", why.text, capacity);
	unsigned room = machine->cores * spec->ranks_per_core;
	room = room > CORES_MIN_RANKS ? room : CORES_MIN_RANKS;
	if (spec->ranks > room && capacity == UINT_MAX)
		return status_set(st,
		                  "%s: ranks = %u on %u core%s, where each that waits spins; "
		                  "allowed are %u here, ranks_per_core = %u. To measure it all the "
		                  "same, say ranks_per_core = %u",
		                  spec->file, spec->ranks, machine->cores,
		                  machine->cores == 1 ? "" : "s", room, spec->ranks_per_core,
		                  (spec->ranks + machine->cores - 1) / machine->cores);
	if (spec->ranks) {
		plan->nranks = spec->ranks;
		return 0;
	}
	if (capacity == UINT_MAX) {
		capacity = machine->cores < AUTO_MAX_RANKS ? machine->cores : AUTO_MAX_RANKS;
		capacity = capacity > PLAN_MIN_RANKS ? capacity : PLAN_MIN_RANKS;
	}
	if (capacity < plan_min_ranks(spec))
		return status_set(
		    st,
		    "%s: ranks = auto, but backend %s has room for 1 here and a collective needs "
		    "%d%s%s; allowed is another backend, or ranks = 1",
		    spec->file, backend, PLAN_MIN_RANKS, why.text[0] ? ": " : "", why.text);
	plan->nranks = capacity < SPEC_MAX_RANKS ? capacity : SPEC_MAX_RANKS;
	return 0;
}

/* Reading a version starts a child, so that each is asked for once. */
static int library_add(struct plan *plan, const char *name, struct status *why)
{
	struct plan_library *l = &plan->libraries[plan->nlibraries];
	if (plan_library(plan, name))
		return 0;
	if (backend_library(name, &l->library, why))
		return -1;
	snprintf(l->nccl, sizeof l->nccl, "%s", name);
	plan->nlibraries++;
	return 0;
}

/* A library that is named and missing is a mistake, not a reason to skip a variant. */
static int libraries_find(struct plan *plan, struct status *st)
{
	const struct spec *spec = plan->spec;
	for (unsigned i = 0; i < spec->nvariants; i++) {
		const struct spec_variant *v = &spec->variants[i];
		struct status why = {""};
		if (v->settings.nccl[0] && library_add(plan, v->settings.nccl, &why))
			return spec_variant_error(
			    spec, v, st, "nccl%s%s: %s; allowed is a libnccl.so.2's file",
			    v->variable[0] ? ", from the variable " : "", v->variable, why.text);
	}
	return 0;
}

/* If a variant that runs here uses it. The file does not name it, so its absence is no mistake. */
static void library_of_system(struct plan *plan)
{
	struct status ignored = {""};
	for (unsigned i = 0; i < plan->nvariants; i++) {
		const struct plan_variant *v = &plan->variants[i];
		if (v->skip[0] || v->settings.nccl[0] ||
		    !backend_find(v->settings.backend)->library)
			continue;
		library_add(plan, "", &ignored);
		return;
	}
}

/* Of the alternatives the first that is measured here, else the last. A gap of a variant that
 * --only left out does not count; a primary claim keeps its name, for what --quick says. */
static void alternatives_pick(struct plan *plan)
{
	const struct claim_names *gaps = &plan->spec->gaps, *primaries = &plan->spec->primaries;
	struct claim_list *asked = &plan->asked;
	bool here = false;
	for (unsigned i = 0; i < gaps->n && !here; i += 2) {
		const char *from = gaps->names[i], *to = gaps->names[i + 1];
		if (!plan_find(plan, from) || !plan_find(plan, to))
			continue;
		strcpy(asked->gap.from, from);
		strcpy(asked->gap.to, to);
		here = plan_has(plan, from) && plan_has(plan, to);
	}
	here = false;
	for (unsigned i = 0; i < primaries->n && !here; i++) {
		strcpy(asked->primary, primaries->names[i]);
		for (unsigned c = 0; c < asked->nclaims; c++)
			here |= !strcmp(asked->claims[c].name, asked->primary) &&
			        plan_tests(plan, &asked->claims[c]);
	}
}

/* The settings of factors, and what is asked in place of a variant that is not here. */
static int asked_settle(struct plan *plan, struct status *st)
{
	struct claim_list *asked = &plan->asked;
	alternatives_pick(plan);
	for (unsigned i = 0; i < asked->nfactors; i++) {
		struct factor *f = &asked->factors[i];
		const unsigned at = plan->spec->factors_at[i];
		char keys[512];
		unsigned n = plan_factor_differ(plan, f, keys, sizeof keys);
		snprintf(f->setting, sizeof f->setting, "%.127s", keys);
		if (n == 1)
			continue;
		if (n)
			return spec_error(plan->spec, at, st,
			                  "factor %s: %s and %s differ in several: %s; allowed is "
			                  "exactly one setting",
			                  f->name, f->from, f->to, keys);
		const char *backend = plan_main_backend(plan);
		bool first = !strcmp(backend, backend_table[0]->name);
		const char *other = backend_table[first]->name;
		return spec_error(plan->spec, at, st,
		                  "factor %s: %s and %s differ in no setting on backend %s; "
		                  "allowed is exactly one setting. If it is a factor of another "
		                  "backend alone, name its variants in [factor %s on %s]; else "
		                  "give %s a setting that applies to %s, in [variant %s on %s]",
		                  f->name, f->from, f->to, backend, f->name, other, f->to, backend,
		                  f->to, backend);
	}
	return 0;
}

/* What no verdict can confirm, said while blocks can be added. */
static void family_note(struct plan *plan)
{
	const unsigned planned = plan->spec->blocks;
	unsigned wanted;
	const unsigned claims = plan_family(plan, &wanted);
	char what[32] = "a claim needs";
	if (claims > 1)
		snprintf(what, sizeof what, "%u claims need", claims);
	if (wanted > planned)
		plan_note(plan, "%s %u blocks for p < 0.05, and %u %s planned: %s. Say blocks = %u",
		          what, wanted, planned, planned == 1 ? "is" : "are",
		          claims > 1 ? "corrected for their number none can be confirmed"
		                     : "none can be decided",
		          wanted);
}

int plan_make(const struct spec *spec, const struct plan_machine *machine, uint64_t seed,
              struct plan *out, struct status *st)
{
	struct plan *plan = memory_take(1, sizeof *plan);
	plan->spec = spec;
	plan->machine = machine;
	plan->seed = spec->seed ? spec->seed : seed;
	plan->asked = spec->asked;
	plan->turns = spec->turns;
	struct status left_out = {""};
	char why[1];
	const char *backend = plan_backend(spec, machine, why, sizeof why);
	plan->backend = backend_find(backend);
	int rc = -1;
	if (spec->only[0])
		plan_note(plan, "%s", spec->only);
	if (spec->quick.claim[0])
		plan_note(plan, "--quick: the primary claim alone, %s", spec->quick.claim);
	if (libraries_find(plan, st) || ranks_resolve(plan, st) || plan_cells_make(plan, st) ||
	    variants_make(plan, st) || asked_settle(plan, st) || variants_accompany(plan, st) ||
	    search_plan(plan, st)) {
		plan_free(plan);
		goto done;
	}
	plan_order_trials(plan);
	plan_p99_settle(plan);
	library_of_system(plan);
	if (plan->turns.hi && plan_turns(plan, &left_out)) {
		if (!spec->quick.claim[0])
			plan_note(plan, "left out: turns: %s", left_out.text);
		plan->turns.hi = 0;
	}
	if (spec->needs_gpus && !plan->backend->is.gpus)
		plan_note(plan, "the question needs GPUs: what backend %s shows does not answer it",
		          backend);
	family_note(plan);
	memcpy(out, plan,
	       offsetof(struct plan, variants) + plan->nvariants * sizeof plan->variants[0]);
	rc = 0;
done:
	free(plan);
	return rc;
}

int plan_load(const struct spec_source *from, const struct plan_machine *machine, struct spec *out,
              struct status *st)
{
	struct spec_text *text = spec_read(from, st);
	char why[sizeof out->backend_why], backend[TRIAL_NAME_BYTES];
	int rc = -1;
	if (!text || spec_build(text, NULL, out, st))
		goto done;
	snprintf(backend, sizeof backend, "%s", plan_backend(out, machine, why, sizeof why));
	const struct backend *own = backend_find(backend);
	/* Whether sharing GPUs makes room for ranks on a backend that has too few for one rank
	 * each. Its own keys say so, which are not read before it is chosen. */
	for (unsigned i = 0; own && !strcmp(out->backend, "auto") && backend_table[i] != own; i++) {
		const struct backend *b = backend_table[i];
		if (!b->is.gpus || plan_capacity(machine, b->name, 1, st) != 1 ||
		    spec_build(text, b->name, out, st) || plan_sharing(out) < 2)
			continue;
		strcpy(backend, b->name);
		why[0] = '\0';
		break;
	}
	*st = (struct status){""};
	rc = spec_build(text, backend, out, st);
	strcpy(out->backend, backend);
	strcpy(out->backend_why, why);
done:
	spec_text_free(text);
	return rc;
}
