#include "keys.h"

#include <ctype.h>
#include <math.h>

#include "../backend/table.h"
#include "../coll/counts.h"
#include "../coll/routing.h"
#include "../suggest.h"
#include "../texts.h"

static const char *word_op(unsigned i)
{
	return i < OP_NONE ? coll_op_name(i) : NULL;
}

static const char *word_backend(unsigned i)
{
	return i ? backend_name(i - 1) : "auto";
}

static const char *const places[] = {"no", "yes", "both", NULL};

static bool names_path(const char *text), names_library(const char *text);
static int expand(const char *text, spec_lookup_fn *lookup, char *out, size_t bytes,
                  char name[TRIAL_NAME_BYTES], struct status *st);
static field_read_fn list_read, sizes_read, roots_read, counts_read, skews_read, paces_read,
    leads_read, library_read;

#define AT(FIELD)   offsetof(struct spec, FIELD)
#define TEXT(FIELD) AT(FIELD), sizeof(((struct spec *)0)->FIELD)
#define LIST(FIELD) AT(FIELD), AT(n##FIELD)

/* Bounds keep a typo from asking for days. A seed fits a double, as JSON's readers want. */
// clang-format off
static const struct field experiment[] = {
    {"title", FIELD_TEXT, TEXT(title), .otherwise = "the file's name", .help = "of tables and pictures"},
    {"collective", FIELD_OWN, LIST(colls), .read = list_read, .word = coll_name, .otherwise = "required", .help = "a list"},
    {"bytes", FIELD_OWN, .read = sizes_read, .otherwise = "required", .help = "sizes: 4K, 64K or 4K..1G x4 or 4K..64K +4K"},
    {"tokens", FIELD_OWN, .read = sizes_read, .otherwise = "from bytes", .help = "of a mixture of experts, in place of bytes: what each rank sends, as 128 or 1K..8K x2"},
    {"dtype", FIELD_OWN, LIST(dtypes), .read = list_read, .words = coll_dtype_names, .initial = "float32", .help = "a list, or all"},
    {"op", FIELD_OWN, LIST(ops), .read = list_read, .word = word_op, .initial = "sum", .help = "a list, or all; of collectives that reduce"},
    {"root", FIELD_OWN, .hi = SPEC_MAX_RANKS - 1, .read = roots_read, .initial = "0", .help = "a rank, a list, or all; of collectives with a root"},
    {"in_place", FIELD_WORD, AT(in_place), .words = places, .initial = "no", .help = "whether the result replaces what is sent"},
    {"counts", FIELD_OWN, .read = counts_read, .names = names_path, .initial = "even", .help = "of alltoallv: even, skewed, weights or ./FILE"},
    {"model", FIELD_TEXT, TEXT(model), .names = names_path, .otherwise = "none", .help = "of a training step: gpt2_xl (experiments/models), or a path"},
    {"experts", FIELD_AUTO, AT(experts), .lo = 1, .hi = ROUTING_MOST_EXPERTS, .initial = "auto", .help = "of a mixture of experts; auto: one on each rank"},
    {"skew", FIELD_OWN, .read = skews_read, .initial = "0", .help = "skew of the experts' load: exponents of Zipf's law, as in 0, 0.8, 1.2"},
    {"ranks", FIELD_AUTO, AT(ranks), .lo = 1, .hi = SPEC_MAX_RANKS, .initial = "auto", .help = "auto: every GPU; else the cores, 2 to 8"},
    {"ranks_per_core", FIELD_NUMBER, AT(ranks_per_core), .lo = 1, .hi = SPEC_MAX_RANKS, .initial = "8", .help = "the most, where cores carry them"},
    {"backend", FIELD_CHOICE, TEXT(backend), .word = word_backend, .initial = "auto", .help = "auto: the first that two ranks fit on"},
    {"pace", FIELD_OWN, AT(paces), .read = paces_read, .words = coll_pace_names, .initial = "stream, isolated", .help = "a list: bandwidth, latency"},
    {"blocks", FIELD_NUMBER, AT(blocks), .lo = 1, .hi = SPEC_MAX_BLOCKS, .initial = "10", .help = "trials of each variant"},
    {"budget", FIELD_SECONDS, AT(budget_s), .lo = FIELD_SECOND_NS, .hi = FIELD_DAY_NS, .initial = "10m", .help = "of a search: time for all of it"},
    {"warmup", FIELD_NUMBER, AT(warmup), .hi = 100000, .initial = "5", .help = "calls before the timed ones"},
    {"stretches", FIELD_NUMBER, AT(stretches), .lo = 1, .hi = 1000, .initial = "5", .help = "stream: their median is the trial's value"},
    {"calls", FIELD_NUMBER, AT(calls), .lo = 1, .hi = 100000, .initial = "20", .help = "stream: in a stretch, back to back"},
    {"isolated_calls", FIELD_AUTO, AT(isolated_calls), .lo = 1, .hi = 100000, .initial = "auto", .help = "isolated: each timed by itself; auto: 500 of sizes up to 1 MiB, else 100"},
    {"timeout", FIELD_SECONDS, AT(timeout_s), .lo = FIELD_SECOND_NS, .hi = FIELD_DAY_NS, .otherwise = "300s a cycle or allocation", .help = "for one trial, its start included"},
    {"cell_timeout", FIELD_SECONDS, AT(cell_timeout_s), .lo = FIELD_SECOND_NS, .hi = FIELD_DAY_NS, .otherwise = "none", .help = "for one cell"},
    {"cycles", FIELD_NUMBER, AT(cycles), .lo = 1, .hi = SPEC_MAX_CYCLES, .initial = "1", .help = "all cells again and again in a trial: a soak"},
    {"connections", FIELD_NUMBER, AT(connections), .lo = 1, .hi = SPEC_MAX_NESTED, .initial = "1", .help = "communicators made again within a trial, so many times"},
    {"connection_bytes", FIELD_RANGE, AT(connection_bytes), .otherwise = "all", .help = "LO..HI: sizes that communicators after the first measure"},
    {"turns", FIELD_RANGE, AT(turns), .otherwise = "none", .help = "LO..HI: sizes at which a block's jobs, side by side, take turns of some ms"},
    {"allocations", FIELD_NUMBER, AT(allocations), .lo = 1, .hi = SPEC_MAX_NESTED, .initial = "1", .help = "buffers allocated again in a connection, so many times"},
    {"seed", FIELD_WIDE, AT(seed), .hi = ((uint64_t)1 << 53) - 1, .initial = "0", .help = "of order and data; 0: drawn, and recorded"},
    {"limit", FIELD_FLAG, AT(limit), .initial = "yes", .help = "measure what plain copies reach too"},
    {"twin", FIELD_FLAG, AT(twin), .initial = "yes", .help = "measure the reference twice in each block, so that the report knows its noise"},
    {"overlap", FIELD_FLAG, AT(overlap), .initial = "yes", .help = "start a job while the one before closes"},
    {"counters", FIELD_FLAG, AT(counters), .initial = "no", .help = "read the hardware's counters, in their own pass"},
    {"needs_gpus", FIELD_FLAG, AT(needs_gpus), .initial = "no", .help = "the question is about GPUs: on a backend without them the answer says so"},
    {"leads", FIELD_OWN, .read = leads_read, .otherwise = "the first that has a table for it", .help = "the chapter of the report's first page: tuning, containers"},
    {"reference", FIELD_NAME, TEXT(reference), .otherwise = "the first", .help = "the variant that all are compared with"},
    {"gap", FIELD_OWN, AT(gaps), .lo = 2, .read = claim_names_read, .otherwise = "none", .help = "FROM, TO: what the factors explain"},
    {"primary", FIELD_OWN, AT(primaries), .lo = 1, .read = claim_names_read, .otherwise = "none", .help = "the claim that the experiment is about"},
};

/* Rows of a variant that are not plain settings: they come before those of the settings. */
static const struct field variant[] = {
    {"backend", FIELD_CHOICE, offsetof(struct spec_variant, settings.backend), TRIAL_NAME_BYTES, .word = word_backend},
    {"nccl", FIELD_OWN, .read = library_read, .names = names_library},
    {"each", FIELD_OWN, .read = library_read, .names = names_library, .otherwise = "none", .help = "paths of libraries with ':' between: one variant each (nccl)"},
    /* Of a variant's own section alone: in [experiment] and on the command line the key is the run's. */
    {"ranks", FIELD_AUTO, offsetof(struct spec_variant, ranks), .lo = 1, .hi = SPEC_MAX_RANKS, .initial = "auto", .help = "of this variant; auto: as many as the run has, which are the most"},
};
// clang-format on

#define NVARIANT (sizeof variant / sizeof *variant - 1)

const struct fields keys_fields = FIELDS_OF(experiment, struct spec);
const struct fields keys_variant_fields = FIELDS_OF(variant, struct spec_variant);
/* In [experiment] and on the command line: all but the last. */
static const struct fields variants = {variant, NVARIANT, sizeof(struct spec_variant)};

/* It would replace the measured program. A final _ is of every name that begins so. */
static const char *const env_refused[] = {"LD_", "PATH", "LAUNCHGAP_", NULL};

/* With --no-libraries: these tune, and name no file, host or program, whatever their value. */
// clang-format off
static const char *const env_tunes[] = {
    "CUDA_CACHE_DISABLE", "CUDA_DEVICE_MAX_CONNECTIONS", "CUDA_DEVICE_ORDER", "CUDA_LAUNCH_BLOCKING", "CUDA_MODULE_LOADING",
    "CUDA_SCALE_LAUNCH_QUEUES", "CUDA_VISIBLE_DEVICES", "FI_EFA_USE_DEVICE_RDMA", "FI_MR_CACHE_MONITOR", "FI_PROVIDER", "GLOO_SOCKET_IFNAME",
    "NCCL_ALGO", "NCCL_BUFFSIZE", "NCCL_CGA_CLUSTER_SIZE", "NCCL_CHECKS_DISABLE", "NCCL_COLLNET_ENABLE", "NCCL_CROSS_NIC", "NCCL_CTA_POLICY",
    "NCCL_CUMEM_ENABLE", "NCCL_CUMEM_HOST_ENABLE", "NCCL_DEBUG", "NCCL_DEBUG_SUBSYS", "NCCL_DMABUF_ENABLE", "NCCL_ENQUEUE_REARCH_ENABLE",
    "NCCL_GRAPH_MIXING_SUPPORT", "NCCL_GRAPH_REGISTER", "NCCL_HOSTID", "NCCL_IB_ADAPTIVE_ROUTING", "NCCL_IB_DISABLE", "NCCL_IB_GID_INDEX",
    "NCCL_IB_HCA", "NCCL_IB_PCI_RELAXED_ORDERING", "NCCL_IB_QPS_PER_CONNECTION", "NCCL_IB_SL", "NCCL_IB_SPLIT_DATA_ON_QPS", "NCCL_IB_TC",
    "NCCL_IB_TIMEOUT", "NCCL_IGNORE_CPU_AFFINITY", "NCCL_LAUNCH_MODE", "NCCL_LAUNCH_ORDER_IMPLICIT", "NCCL_LEGACY_CUDA_REGISTER",
    "NCCL_LL128_BUFFSIZE", "NCCL_LL_BUFFSIZE", "NCCL_LOCAL_REGISTER", "NCCL_MAX_CTAS", "NCCL_MAX_NCHANNELS", "NCCL_MAX_P2P_NCHANNELS",
    "NCCL_MIN_CTAS", "NCCL_MIN_NCHANNELS", "NCCL_MIN_P2P_NCHANNELS", "NCCL_MNNVL_ENABLE", "NCCL_MULTI_RANK_GPU_ENABLE",
    "NCCL_NCHANNELS_PER_NET_PEER", "NCCL_NCHANNELS_PER_PEER", "NCCL_NET_GDR_LEVEL", "NCCL_NET_GDR_READ", "NCCL_NSOCKS_PERTHREAD",
    "NCCL_NTHREADS", "NCCL_NVB_DISABLE", "NCCL_NVLS_CHUNKSIZE", "NCCL_NVLS_ENABLE", "NCCL_NVLS_NCHANNELS", "NCCL_P2P_DIRECT_DISABLE",
    "NCCL_P2P_DISABLE", "NCCL_P2P_LEVEL", "NCCL_P2P_LL_THRESHOLD", "NCCL_P2P_NET_CHUNKSIZE", "NCCL_P2P_NVL_CHUNKSIZE",
    "NCCL_P2P_PCI_CHUNKSIZE", "NCCL_P2P_READ_ENABLE", "NCCL_P2P_USE_CUDA_MEMCPY", "NCCL_PROTO", "NCCL_PXN_DISABLE", "NCCL_RUNTIME_CONNECT",
    "NCCL_SHM_DISABLE", "NCCL_SHM_MEMCPY_MODE", "NCCL_SHM_USE_CUDA_MEMCPY", "NCCL_SINGLE_PROC_MEM_REG_ENABLE", "NCCL_SOCKET_FAMILY",
    "NCCL_SOCKET_IFNAME", "NCCL_SOCKET_NTHREADS", "NCCL_SYM_NOWIN_ENABLE", "NCCL_WIN_ENABLE", "NCCL_WORK_FIFO_BYTES", "OMPI_MCA_btl",
    "OMPI_MCA_btl_base_verbose", "OMPI_MCA_btl_tcp_if_include", "OMPI_MCA_btl_vader_segment_size", "OMPI_MCA_mpi_leave_pinned",
    "OMPI_MCA_mpi_yield_when_idle", "OMPI_MCA_oob_tcp_if_include", "OMPI_MCA_orte_base_help_aggregate", "OMPI_MCA_pml", "UCX_IB_SL",
    "UCX_LOG_LEVEL", "UCX_NET_DEVICES", "UCX_RNDV_SCHEME", "UCX_RNDV_THRESH", "UCX_TLS", "UCX_ZCOPY_THRESH", NULL};
// clang-format on

static const char env_prefix[] = "env.";

static bool is_env(const char *key)
{
	return !strncmp(key, env_prefix, sizeof env_prefix - 1);
}

bool keys_of_variant(const char *key)
{
	return is_env(key) || field_find(&variants, key) || field_find(&settings_fields, key);
}

static bool env_is_of(const char *const list[], const char *name)
{
	for (unsigned i = 0; list[i]; i++) {
		const size_t n = strlen(list[i]);
		if (list[i][n - 1] == '_' ? !strncmp(name, list[i], n) : !strcmp(name, list[i]))
			return true;
	}
	return false;
}

static bool env_is_name(const char *name)
{
	size_t n = 0;
	while (isalnum((unsigned char)name[n]) || name[n] == '_')
		n++;
	return n && !name[n] && !isdigit((unsigned char)*name);
}

/* For a variable that a job may get: NCCL_ALGO is the key env.NCCL_ALGO. */
static void offer_env(struct suggestion *guess)
{
	/* Keys begin with small letters. */
	if (env_is_name(guess->word) && isupper((unsigned char)*guess->word) &&
	    strchr(guess->word, '_') && !env_is_of(env_refused, guess->word))
		snprintf(guess->best, sizeof guess->best, "env.%s", guess->word);
}

static int env_set(struct settings *settings, const char *name, const char *value,
                   struct status *st)
{
	if (!env_is_name(name) || env_is_of(env_refused, name))
		return status_set(
		    st,
		    "env.%s is not allowed; allowed are names of letters, digits and _ but for "
		    "PATH, LD_… and LAUNCHGAP_…, which would replace what is measured",
		    name);
	if (strlen(name) + 1 + strlen(value) >= TRIAL_ENV_BYTES)
		return status_set(st, "env.%s is too long; allowed are %d bytes with its value",
		                  name, TRIAL_ENV_BYTES - 2);
	if (settings_env_set(settings, name, value, SPEC_MAX_ENV))
		return status_set(st, "env.%s is one too many; allowed are %d", name, SPEC_MAX_ENV);
	return 0;
}

static bool names_path(const char *text)
{
	return strchr(text, '/') != NULL;
}

static bool names_library(const char *text)
{
	return text[0] != '\0';
}

static bool names(const struct field *row, const char *value)
{
	return row && row->names && row->names(value);
}

/* Offers each allowed key; they are too many to say. */
static int unknown_key(const struct keys_target *target, const char *key, struct status *st)
{
	const struct fields *tables[] = {&keys_fields, &keys_variant_fields, &settings_fields};
	const char *section = target->spec ? "experiment" : "variant NAME";
	struct suggestion guess = suggest_for(key);
	for (unsigned t = !target->spec; t < (target->variant ? 3 : 1); t++)
		for (size_t i = 0; i < tables[t]->n; i++)
			suggest_offer(&guess, tables[t]->rows[i].key);
	if (target->variant)
		offer_env(&guess);
	return status_set(
	    st,
	    "unknown key '%s'%s; allowed are those of [%s] that `launchgap list keys` names, "
	    "env.NAME, and like in [variant NAME]; for one backend alone in [%s on host]",
	    key, suggestion_text(&guess).text, section, section);
}

int keys_apply(const struct keys_target *target, const char *key, const char *value,
               struct status *st)
{
	const char *env = is_env(key) && target->variant ? key + sizeof env_prefix - 1 : NULL;
	const struct fields *owns = target->spec ? &variants : &keys_variant_fields;
	const struct field *of_spec = target->spec ? field_find(&keys_fields, key) : NULL;
	const struct field *own = target->variant ? field_find(owns, key) : NULL;
	const struct field *setting =
	    target->variant && !own ? field_find(&settings_fields, key) : NULL;
	if (!env && !of_spec && !own && !setting)
		return unknown_key(target, key, st);
	/* Before the value is read, which may open it. An unset ${NAME} names no library. */
	char path[PATH_MAX], name[TRIAL_NAME_BYTES];
	struct status ignored = {""};
	const bool library = names(own, value) &&
	                     expand(value, target->lookup, path, sizeof path, name, &ignored) <= 0;
	if (target->closed && (env ? !env_is_of(env_tunes, env)
	                           : names(of_spec, value) || names(setting, value) || library))
		return status_set(st,
		                  "%s = '%.100s' may name a library, a file, a host or a program, "
		                  "which --no-libraries refuses",
		                  key, value);
	if (env)
		return env_set(&target->variant->settings, env, value, st);
	if (target->variant)
		target->variant->lookup = target->lookup;
	if ((of_spec && field_read(of_spec, value, target->spec, st)) ||
	    (own && field_read(own, value, target->variant, st)) ||
	    (setting && field_read(setting, value, &target->variant->settings, st)))
		return -1;
	return 0;
}

static int paces_read(const struct field *f, const char *text, void *base, struct status *st)
{
	struct spec *spec = base;
	unsigned list[PACE_KINDS], n;
	if (field_word_list(f, text, list, &n, st))
		return -1;
	memset(spec->paces, 0, sizeof spec->paces);
	for (unsigned i = 0; i < n; i++)
		spec->paces[list[i]] = true;
	return 0;
}

static int sizes_read(const struct field *f, const char *text, void *base, struct status *st)
{
	struct spec *spec = base;
	struct status why = {""};
	spec->in_tokens = !strcmp(f->key, "tokens");
	if (!sizes_parse(text, spec->sizes, &spec->nsizes, &why))
		return 0;
	return spec->in_tokens
	           ? status_set(st, "%s = '%.60s' is not allowed: %s", f->key, text, why.text)
	           : status_set(st, "%s", why.text);
}

/* The words of a row as the list at its offset; `bytes` is the offset of how many they are. Rows
 * with a default may be all. */
static int list_read(const struct field *f, const char *text, void *base, struct status *st)
{
	unsigned *list = (unsigned *)(void *)((char *)base + f->at);
	unsigned *n = (unsigned *)(void *)((char *)base + f->bytes);
	unsigned words[COLL_KINDS + DTYPE_KINDS + OP_KINDS], count = 0; /* of any row */
	struct status why = {""};
	if (f->initial && !strcmp(text, "all"))
		for (; f->word ? f->word(count) : f->words[count]; count++)
			words[count] = count;
	else if (field_word_list(f, text, words, &count, &why))
		return status_set(st, "%s%s", why.text, f->initial ? ", or all" : "");
	memcpy(list, words, count * sizeof *words);
	*n = count;
	return 0;
}

/* Up to `most` numbers with commas between: each times `by` is a whole one from 0 to hi. */
static bool numbers(const char *text, unsigned by, unsigned hi, unsigned most, unsigned *list,
                    unsigned *n)
{
	for (*n = 0; *n < most; text++) {
		char *end;
		text += strspn(text, " \t");
		const double x = by * strtod(text, &end);
		if (!isdigit((unsigned char)*text) || x > hi || fabs(x - round(x)) > 1e-6)
			return false;
		list[(*n)++] = (unsigned)lround(x);
		text = end + strspn(end, " \t");
		if (*text != ',')
			return !*text;
	}
	return false;
}

static int roots_read(const struct field *key, const char *text, void *base, struct status *st)
{
	struct spec *spec = base;
	if (!strcmp(text, "all")) {
		spec->nroots = 0;
		return 0;
	}
	bool good = numbers(text, 1, (unsigned)key->hi, SPEC_MAX_ROOTS, spec->roots, &spec->nroots);
	for (unsigned i = 0; good && i < spec->nroots; i++)
		for (unsigned k = 0; k < i; k++)
			if (spec->roots[i] == spec->roots[k])
				return status_set(st, "root names %u twice; allowed is once",
				                  spec->roots[i]);
	if (good)
		return 0;
	return status_set(
	    st, "root = '%s' is not allowed; allowed is a rank, a list of at most %d ranks, or all",
	    text, SPEC_MAX_ROOTS);
}

static int counts_read(const struct field *key, const char *text, void *base, struct status *st)
{
	struct spec *spec = base;
	(void)key;
	return counts_parse(text, &spec->weights, st);
}

static int skews_read(const struct field *key, const char *text, void *base, struct status *st)
{
	struct spec *spec = base;
	if (numbers(text, 10, ROUTING_MOST_SKEW, SPEC_MAX_SKEWS, spec->skews, &spec->nskews))
		return 0;
	return status_set(st,
	                  "%s = '%s' is not allowed; allowed are up to %d numbers from 0 to %u "
	                  "with one decimal and commas between",
	                  key->key, text, SPEC_MAX_SKEWS, ROUTING_MOST_SKEW / 10);
}

/* A chapter that says what leads the first page with it. */
static int leads_read(const struct field *f, const char *text, void *base, struct status *st)
{
	struct spec *spec = base;
	struct suggestion guess = suggest_for(text);
	for (unsigned i = 0; texts_path(i); i++) {
		char name[TRIAL_NAME_BYTES], end[9];
		if (sscanf(texts_path(i), "harness/chapters/%63[^.].%8s", name, end) != 2 ||
		    strcmp(end, "chapter") || !strstr(texts_find(texts_path(i)), "\nlead "))
			continue;
		suggest_offer(&guess, name);
		if (!strcmp(name, text)) {
			strcpy(spec->leads, name);
			return 0;
		}
	}
	return status_set(st, "%s = '%.60s' is no chapter of the first page%s; allowed is %s",
	                  f->key, text, suggestion_text(&guess).text, guess.allowed);
}

/* With every ${NAME} looked up; `name`: the last of them. 1: it is unset or empty. */
static int expand(const char *text, spec_lookup_fn *lookup, char *out, size_t bytes,
                  char name[TRIAL_NAME_BYTES], struct status *st)
{
	size_t used = 0;
	while (*text) {
		const char *piece = text;
		size_t n = 1;
		if (text[0] == '$' && text[1] == '{') {
			size_t length = strcspn(text + 2, "}");
			if (length == 0 || length >= TRIAL_NAME_BYTES || text[2 + length] != '}')
				return status_set(st,
				                  "'%s' is no ${NAME}; allowed is the name of a "
				                  "variable in braces",
				                  text);
			memcpy(name, text + 2, length);
			name[length] = '\0';
			text += length + 2;
			piece = lookup ? lookup(name) : NULL;
			if (!piece || !*piece)
				return 1;
			n = strlen(piece);
		}
		if (used + n >= bytes)
			return status_set(st, "longer than a path may be; allowed are %zu bytes",
			                  bytes - 1);
		memcpy(out + used, piece, n);
		used += n;
		text++;
	}
	out[used] = '\0';
	return 0;
}

/* Paths. An unset ${NAME} skips the variant: some machines alone have such libraries. */
static int library_read(const struct field *f, const char *text, void *base, struct status *st)
{
	struct spec_variant *v = base;
	const bool each = !strcmp(f->key, "each");
	char *out = each ? v->each : v->settings.nccl, name[TRIAL_NAME_BYTES] = "";
	char read[PATH_MAX];
	struct status why = {""};
	int unset = expand(text, v->lookup, read, each ? sizeof v->each : sizeof read, name, &why);
	if (unset < 0)
		return status_set(st, "%s: %s", f->key, why.text);
	if (!text[0])
		return status_set(st, "%s is empty; allowed %s", f->key,
		                  each ? "are paths with ':' between"
		                       : "is a path, or no such line for the system's library");
	v->several |= each;
	v->skip[0] = '\0';
	if (unset)
		snprintf(v->skip, sizeof v->skip, "%s is not set: it names the %s", name,
		         each ? "libraries of this variant, with ':' between"
		              : "library of this variant");
	strcpy(v->variable, name);
	strcpy(out, unset ? "" : read);
	return 0;
}
