#include "../../machine.h"
#include "nccl.h"

/* Launches that a held stream can queue: CUDA queues about 1000, and NCCL adds to each. */
#define GATE_ROOM 256

#define SHARED_GPU "NCCL_MULTI_RANK_GPU_ENABLE"
#define MULTICAST  "NCCL_NVLS_ENABLE"

#define SYMBOL(NAME) offsetof(struct nccl_api, NAME)
#define NO_SYMBOL    SYMBOL(handle) /* the version alone decides */

static int refuse_version(const char *what, int first, const struct nccl_api *api,
                          struct status *st)
{
	return status_set(st, "%s needs NCCL %d.%d.%d or later; this is %s", what, first / 10000,
	                  first / 100 % 100, first % 100, api->version);
}

/* api = native needs a release with a native call for the collective. */
static int refuse_native(const struct trial *trial, const struct nccl_api *api, struct status *st)
{
	if (strcmp(trial->settings.api, "native"))
		return 0;
	for (int c = 0; c < COLL_KINDS; c++) {
		const struct nccl_coll *row = nccl_coll((enum coll_kind)c);
		char what[64];
		if (!row->native || !trial_has(trial, (enum coll_kind)c) ||
		    nccl_has_native(api, (enum coll_kind)c))
			continue;
		snprintf(what, sizeof what, "api = native (%s)", row->native);
		return refuse_version(what, row->since, api, st);
	}
	return 0;
}

/* With multicast, copy engines hang or fail on two ranks (NVIDIA/nccl#2241). */
static int refuse_copy_engines(const struct trial *trial, const struct nccl_api *api,
                               unsigned compute, struct status *st)
{
	const char *multicast = settings_env(&trial->settings, MULTICAST);
	multicast = multicast ? multicast : machine_env(MULTICAST);
	if (trial->settings.cta_policy != CTA_ZERO || trial_comm_ranks(trial) != 2 ||
	    compute < 90 || api->at >= NCCL_AT(2, 31, 2) || (multicast && !strcmp(multicast, "0")))
		return 0;
	return status_set(st,
	                  "cta_policy = zero: with multicast NCCL %s may hang on two ranks "
	                  "(nccl#2241, mended in 2.31.2); allowed is env." MULTICAST " = 0",
	                  api->version);
}

/* A feature, the first release that has it (src/nccl.h.in; of graph its notes, of variables
 * NVIDIA's first wheel with the name), and the function that it needs. */
static int refuse_features(const struct trial *trial, const struct nccl_api *api, struct status *st)
{
	const struct settings *set = &trial->settings;
	const bool moves = nccl_moves(set);
	bool dtypes[DTYPE_KINDS] = {false}, reduces_by[OP_KINDS] = {false};
	for (const struct cell *c = trial->cells; c < trial->cells + trial->ncells; c++) {
		dtypes[c->dtype] = true;
		if (coll_info(c->coll)->is & COLL_REDUCES)
			reduces_by[c->op] = true;
	}
	// clang-format off
#define VARIABLE(NAME, AT) {settings_env(set, NAME), "env." NAME, AT, NO_SYMBOL}
	const struct {
		bool asked;
		const char *what;
		int first;
		size_t symbol;
	} features[] = {
	    {dtypes[DTYPE_BFLOAT16], "dtype = bfloat16", NCCL_AT(2, 10, 3), NO_SYMBOL},
	    {reduces_by[OP_AVG], "op = avg", NCCL_AT(2, 10, 3), NO_SYMBOL},
	    {reduces_by[OP_PREMULSUM], "op = premulsum", NCCL_AT(2, 11, 4), SYMBOL(RedOpCreatePreMulSum)},
	    {dtypes[DTYPE_FLOAT8_E4M3] || dtypes[DTYPE_FLOAT8_E5M2], "a dtype of 8-bit floats",
	     NCCL_AT(2, 24, 3), NO_SYMBOL},
	    {set->graph, "graph", NCCL_AT(2, 9, 6), NO_SYMBOL},
	    {set->min_ctas || set->max_ctas, "min_ctas or max_ctas", NCCL_AT(2, 17, 1), SYMBOL(CommInitRankConfig)},
	    {set->split.op != SPLIT_NONE, "split", NCCL_AT(2, 18, 1), SYMBOL(CommSplit)},
	    {set->allocator == ALLOCATOR_NCCL, "allocator = nccl", NCCL_AT(2, 19, 1), SYMBOL(MemAlloc)},
	    {set->registration == REGISTER_LOCAL, "register = local", NCCL_AT(2, 19, 1), SYMBOL(CommRegister)},
	    {set->registration == REGISTER_WINDOW, "register = window", NCCL_AT(2, 27, 3), SYMBOL(CommWindowRegister)},
	    /* Older releases can register it, but no call uses it. */
	    {set->registration == REGISTER_RECV_WINDOW, "register = recv-window", NCCL_AT(2, 29, 2), SYMBOL(CommWindowRegister)},
	    {set->cta_policy != CTA_LIBRARY, "cta_policy", NCCL_AT(2, 27, 3), SYMBOL(CommInitRankConfig)},
	    {set->cta_policy == CTA_ZERO, "cta_policy = zero", NCCL_AT(2, 28, 3), SYMBOL(CommInitRankConfig)},
	    {set->call_ctas && !moves, "call_ctas", NCCL_AT(2, 31, 2), SYMBOL(AlltoAllConfig)},
	    {set->ranks_per_gpu > 1, "ranks_per_gpu", NCCL_AT(2, 30, 3), NO_SYMBOL},
	    {moves, "api = device", NCCL_AT(2, 28, 3), SYMBOL(TeamLsa)},
	    VARIABLE("NCCL_SINGLE_PROC_MEM_REG_ENABLE", NCCL_AT(2, 28, 3)),
	    VARIABLE("NCCL_SYM_NOWIN_ENABLE", NCCL_AT(2, 29, 2)),
	    VARIABLE(SHARED_GPU, NCCL_AT(2, 30, 3)),
	    VARIABLE("NCCL_ENQUEUE_REARCH_ENABLE", NCCL_AT(2, 31, 2)),
	};
	// clang-format on
	for (unsigned i = 0; i < sizeof features / sizeof *features; i++) {
		void *symbol = NULL;
		memcpy(&symbol, (const char *)api + features[i].symbol, sizeof symbol);
		if (features[i].asked && (api->at < features[i].first || !symbol))
			return refuse_version(features[i].what, features[i].first, api, st);
	}
	return 0;
}

static int refuse_library(const struct trial *trial, const struct nccl_api *api, struct status *st)
{
	const struct settings *set = &trial->settings;
	int part[3] = {0}; /* of "2.23" or "2.22.3" */
	sscanf(set->nccl_below, "%2d.%2d.%2d", &part[0], &part[1], &part[2]);
	if (set->nccl_below[0] && api->at >= NCCL_AT(part[0], part[1], part[2]))
		return status_set(st, "nccl_below = %s needs an older library; this is %s: %s",
		                  set->nccl_below, api->version, api->file);
	return refuse_features(trial, api, st) || refuse_native(trial, api, st) ? -1 : 0;
}

static int refuse_settings(const struct settings *set, struct status *st)
{
	unsigned each = set->layout.ranks_per_thread;
	const char *shared = settings_env(set, SHARED_GPU);
	if (set->graph && set->start == START_GATED)
		return status_set(st, "graph cannot be combined with start = gated: a replay is "
		                      "launched when the gate opens");
	if (set->graph && each > 1 && !set->force)
		return status_set(st,
		                  "graph with %u GPUs in one thread: NVIDIA advises against it; "
		                  "force = yes measures it anyway",
		                  each);
	if (set->registration >= REGISTER_WINDOW && set->allocator == ALLOCATOR_CUDA)
		return status_set(
		    st, "register = %s needs memory of ncclMemAlloc; allowed is allocator = nccl",
		    settings_words("register")[set->registration]);
	if (set->ranks_per_gpu > 1 && (!shared || strcmp(shared, "1")))
		return status_set(st,
		                  "ranks_per_gpu = %u: NCCL needs env." SHARED_GPU " = 1 for it",
		                  set->ranks_per_gpu);
	if (set->ranks_per_gpu > 1 &&
	    (set->visible == VISIBLE_OWN || set->isolate & ISOLATE_BIT(ISOLATE_DEVICES)))
		return status_set(st,
		                  "ranks_per_gpu = %u cannot be combined with a GPU that only one "
		                  "process sees (visible, isolate)",
		                  set->ranks_per_gpu);
	const char *slots = settings_env(set, "NCCL_BUFFSIZE"),
	           *channels = settings_env(set, "NCCL_MIN_P2P_NCHANNELS");
	if (slots && channels && strtod(slots, NULL) * strtod(channels, NULL) >= 0x1p31)
		return status_set(st,
		                  "NCCL_BUFFSIZE = %.20s × NCCL_MIN_P2P_NCHANNELS = %.20s is 2 GiB "
		                  "or more, which NCCL counts in 32 bits; allowed is less",
		                  slots, channels);
	if (set->max_ctas && set->min_ctas > set->max_ctas)
		return status_set(st, "min_ctas = %u is more than max_ctas = %u", set->min_ctas,
		                  set->max_ctas);
	return 0;
}

/* Launches of one call. In rounds: maybe a copy first, then one per round. */
static unsigned launches(const struct trial *trial, const struct cell *c)
{
	const struct steps_call call = steps_call(trial, c);
	return coll_info(c->coll)->is & COLL_ROUNDS
	           ? steps_phases(&call) + (c->coll == COLL_HYPERCUBE)
	           : 1;
}

static int refuse_cell(const struct trial *trial, const struct cell *c, unsigned compute,
                       struct status *st)
{
	const struct settings *set = &trial->settings;
	const struct coll_info *info = coll_info(c->coll);
	const struct nccl_coll *row = nccl_coll(c->coll);
	if (!row->call && !row->moves && !row->put && !row->connects)
		return status_set(st, "nccl has no %s", info->name);
	if (!row->connects && steps_supports("nccl", trial, c, st))
		return -1;
	if (nccl_move_refuse(trial, c, compute, st))
		return -1;
	if (set->call_ctas && !nccl_moves(set) &&
	    (!row->configured || (row->moves && strcmp(set->api, "native"))))
		return status_set(
		    st,
		    "call_ctas: %s consists of sends and receives%s; allowed are all_reduce, "
		    "all_gather, reduce_scatter, and alltoall with api = native",
		    info->name, row->configured ? " with api = grouped" : "");
	unsigned room = GATE_ROOM / launches(trial, c);
	if (set->start == START_GATED && trial_calls(trial, c) > room)
		return status_set(st,
		                  "start = gated with %u calls of %s at once: a held stream has "
		                  "room for %u; allowed are calls up to that",
		                  trial_calls(trial, c), info->name, room);
	if (row->trains && set->start == START_GATED)
		return status_set(st,
		                  "%s cannot be combined with start = gated: a held stream has no "
		                  "room for all of its launches",
		                  info->name);
	if (row->one_process && set->layout.processes > 1)
		return status_set(st, "%s needs all GPUs in one process", info->name);
	if ((info->is & COLL_ROUNDS || row->trains) && set->aggregate > 1)
		return status_set(
		    st,
		    "aggregate = %u cannot be combined with %s: each of its %s needs its own group",
		    set->aggregate, info->name, row->trains ? "buckets" : "rounds");
	if (nccl_links_refuse(trial, c, st))
		return -1;
	if ((info->is & COLL_REDUCES) && compute < 90 &&
	    (c->dtype == DTYPE_FLOAT8_E4M3 || c->dtype == DTYPE_FLOAT8_E5M2))
		return status_set(st,
		                  "NCCL reduces %s on GPUs of compute capability 9.0 or later; one "
		                  "here has %u.%u",
		                  coll_dtype_name(c->dtype), compute / 10, compute % 10);
	return 0;
}

int nccl_refuse(const struct trial *trial, const struct nccl_api *api, unsigned compute,
                struct status *st)
{
	const struct settings *set = &trial->settings;
	if (refuse_settings(set, st))
		return -1;
	for (unsigned i = 0; i < trial->ncells; i++)
		if (refuse_cell(trial, &trial->cells[i], compute, st))
			return -1;
	return refuse_library(trial, api, st) || refuse_copy_engines(trial, api, compute, st) ? -1
	                                                                                      : 0;
}
