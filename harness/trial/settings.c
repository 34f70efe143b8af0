#include "settings.h"

#include "sizes.h"

static bool of_hosts_names(const char *text);
static field_read_fn below_read, cpus_read, flip_read, of_hosts_read, size_read;

#define AT(FIELD)   offsetof(struct settings, FIELD)
#define TEXT(FIELD) AT(FIELD), sizeof(((struct settings *)0)->FIELD)
#define MINUTE_NS   (60 * FIELD_SECOND_NS)

/* In the order of the record. */
// clang-format off
#define WORDS(...) (const char *const[]){__VA_ARGS__, NULL}
static const struct field rows[] = {
    {"mode", FIELD_NAME, TEXT(mode), .otherwise = "from layout", .help = "single, threads or processes: how workers are placed"},
    {"layout", FIELD_LAYOUT, AT(layout), .lo = 1, .hi = SETTINGS_MAX_RANKS, .otherwise = "from mode", .help = "processes, threads in each, ranks of a thread"},
    {"launcher", FIELD_NAME, TEXT(launcher), .initial = "auto", .help = "what starts processes: mpirun, srun, exec, join"},
    {"hosts", FIELD_TEXT, TEXT(hosts), .read = of_hosts_read, .names = of_hosts_names, .initial = "this", .help = "a number, a list as in a:8,b:8, or @FILE of a host file; each has the same layout"},
    {"backend", FIELD_NAME, TEXT(backend), .initial = "auto", .otherwise = "the experiment's", .help = "what carries collectives out; launchgap list backends"},
    {"bind", FIELD_WORD, AT(bind), .words = WORDS("none", "core", "numa", "near-gpu", "close"), .initial = "near-gpu", .help = "where workers may run"},
    {"cpus", FIELD_TEXT, TEXT(cpus), .read = cpus_read, .hi = 1024, .initial = "all", .help = "of each rank, with its helper threads: 4; or one of several ranks: 1/2"},
    {"wait", FIELD_WORD, AT(wait), .words = WORDS("auto", "spin", "yield", "block", "query"), .initial = "auto", .help = "how a worker waits; auto: spin, or yield where ranks are more than CPUs"},
    {"traffic", FIELD_WORD, AT(traffic), .words = WORDS("none", "links", "cpu"), .initial = "none", .help = "beside timed calls: large sendrecvs on the same links, or a busy thread on each worker's CPUs"},
    {"visible", FIELD_WORD, AT(visible), .words = WORDS("all", "own"), .special = true, .initial = "all", .help = "own: each process sees the GPUs of its ranks alone (CUDA_VISIBLE_DEVICES)"},
    {"isolate", FIELD_WORDS, AT(isolate), .words = WORDS("uts", "ipc", "shm", "pid", "cgroup", "devices"), .initial = "none", .help = "what is isolated for each process, as in a container: names, /dev/shm, GPU files"},
    {"start", FIELD_WORD, AT(start), .words = WORDS("free", "gated"), .initial = "free", .help = "gated: devices hold what is issued until all ranks have issued"},
    {"split", FIELD_SPLIT, AT(split), .special = true, .initial = "none", .help = "AND:7, OR:4, MOD:2, DIV:4: groups of ranks that work in parallel"},
    {"aggregate", FIELD_NUMBER, AT(aggregate), .lo = 1, .hi = 1024, .initial = "1", .help = "calls in one group"},
    {"graph", FIELD_NUMBER, AT(graph), .hi = 10000, .special = true, .initial = "0", .help = "a row's calls are captured in a CUDA graph, launched so often; 0: none"},
    {"force", FIELD_FLAG, AT(force), .check = true, .initial = "no", .help = "also what the vendor advises against"},
    {"offset", FIELD_NUMBER, AT(offset_bytes), .hi = 4096, .special = true, .initial = "0", .help = "bytes by which buffers are off an aligned address"},
    {"stride", FIELD_NUMBER, AT(stride), .lo = 1, .hi = 4096, .special = true, .initial = "1", .help = "of access: elements between two that neighbouring threads take"},
    {"engine", FIELD_WORD, AT(engine), .words = WORDS("ce", "sm", "chase"), .special = true, .initial = "ce", .help = "of plain copies, and the own part of api = copies: ce: copy engine, sm: kernel, chase: one thread, each load waits for the last"},
    {"peer", FIELD_WORD, AT(peer), .words = WORDS("write", "read"), .special = true, .initial = "write", .help = "of pair_copy: write: the source's GPU copies; read: the destination's"},
    {"path", FIELD_CHOICE, TEXT(path), .words = WORDS("auto", "direct", "fifo", "shared", "packets", "stores", "bulk"), .special = true, .initial = "auto", .help = "how data goes from rank to rank"},
    {"memory", FIELD_WORD, AT(memory), .words = WORDS("host", "device"), .special = true, .initial = "host", .help = "device: buffers on GPUs, staged through CPU memory in each call"},
    {"nccl", FIELD_TEXT, TEXT(nccl), .special = true, .otherwise = "the system's", .help = "path of the library; ${NAME} is of the environment"},
    {"nccl_below", FIELD_TEXT, TEXT(nccl_below), .read = below_read, .special = true, .check = true, .initial = "any", .help = "a version, as in 2.23: left out with that one or a later one"},
    {"api", FIELD_CHOICE, TEXT(api), .words = WORDS("grouped", "native", "copies", "device", "device-no-entry"), .special = true, .initial = "grouped", .help = "grouped sends and receives, the library's own call, a kernel of launchgap's own, or plain copies"},
    {"allocator", FIELD_WORD, AT(allocator), .words = WORDS("auto", "nccl", "cuda"), .special = true, .initial = "auto", .help = "ncclMemAlloc, cudaMalloc, or the first where the library has it"},
    {"register", FIELD_WORD, AT(registration), .words = WORDS("none", "local", "window", "recv-window"), .special = true, .initial = "none", .help = "of buffers: ncclCommRegister, a symmetric window, or one of the receive buffer alone"},
    {"cta_policy", FIELD_WORD, AT(cta_policy), .words = WORDS("library", "default", "efficiency", "zero"), .special = true, .initial = "library", .help = "zero: copy engines, with register = window"},
    {"min_ctas", FIELD_NUMBER, AT(min_ctas), .lo = 1, .hi = 1024, .special = true, .otherwise = "the library's", .help = "least thread blocks"},
    {"max_ctas", FIELD_NUMBER, AT(max_ctas), .lo = 1, .hi = 1024, .special = true, .otherwise = "the library's", .help = "most thread blocks"},
    {"call_ctas", FIELD_NUMBER, AT(call_ctas), .lo = 1, .hi = 1024, .special = true, .otherwise = "the communicator's", .help = "most thread blocks of a call, by its own configuration"},
    {"ranks_per_gpu", FIELD_NUMBER, AT(ranks_per_gpu), .lo = 1, .hi = 16, .special = true, .initial = "1", .help = "ranks that share a GPU: for right or wrong, not for speed"},
    {"init", FIELD_WORD, AT(init), .words = WORDS("parallel", "grouped"), .special = true, .initial = "parallel", .help = "each worker makes its communicators, or one of each process all"},
    {"hidden", FIELD_NUMBER, AT(hidden), .lo = 1, .hi = 1 << 20, .special = true, .initial = "4096", .help = "of a mixture of experts: a token's width; experts work in four times as much"},
    {"batch", FIELD_NUMBER, AT(batch), .lo = 1, .hi = 65536, .special = true, .initial = "1", .help = "of a training step: samples of a rank, as the model's file counts them"},
    {"first_bucket", FIELD_WIDE, AT(first_bucket), .hi = SIZES_MAX_BYTES, .read = size_read, .special = true, .initial = "1M", .help = "of a training step: the first bucket's size; 0: as the others'"},
    {"accumulation", FIELD_NUMBER, AT(accumulation), .lo = 1, .hi = 1024, .special = true, .initial = "1", .help = "of a training step: backward passes, of which the last is reduced"},
    {"bucket_view", FIELD_FLAG, AT(bucket_view), .special = true, .initial = "yes", .help = "of a training step: gradients are in their buckets; no: they are copied there and back"},
    {"delay", FIELD_NS, AT(delay_ns), .hi = MINUTE_NS, .json = "delay_ns", .special = true, .initial = "0", .help = "what a call takes on the virtual device"},
    {"delay_rank", FIELD_RANK, AT(delay_rank), .hi = SETTINGS_MAX_RANKS - 1, .initial = "all", .help = "the rank that extra is of"},
    {"extra", FIELD_NS, AT(extra_ns), .hi = MINUTE_NS, .json = "extra_ns", .special = true, .initial = "0", .help = "a known delay on top, to be found again"},
    {"flip", FIELD_RANK, AT(flip_rank), .read = flip_read, .json = "flip_rank", .special = true, .initial = "none", .help = "RANK:BYTE: flip one bit, to test the check"},
    {"flip", FIELD_WIDE, AT(flip_byte), .json = "flip_byte"},
    {"env", FIELD_TEXTS, AT(env), AT(nenv), .lo = TRIAL_ENV_BYTES, .hi = TRIAL_MAX_ENV},
};
// clang-format on

#define NROWS (sizeof rows / sizeof *rows - 1) /* env is of JSON alone */
static const struct fields recorded = FIELDS_OF(rows, struct settings);
const struct fields settings_fields = {rows, NROWS, sizeof(struct settings)};

void settings_default(struct settings *out)
{
	*out = (struct settings){0};
	field_defaults(&settings_fields, out);
}

const char *const *settings_words(const char *key)
{
	const struct field *f = field_find(&settings_fields, key);
	return f && (f->kind == FIELD_WORD || f->kind == FIELD_WORDS) ? f->words : NULL;
}

bool settings_is_check(const char *key)
{
	const struct field *f = field_find(&settings_fields, key);
	return f && f->check;
}

static int flip_read(const struct field *f, const char *text, void *base, struct status *st)
{
	struct settings *settings = base;
	unsigned rank = 0;
	unsigned long long byte = 0;
	char after;
	bool none = !strcmp(text, "none");
	if (!none && (text[strspn(text, "0123456789:")] ||
	              sscanf(text, "%4u:%12llu%c", &rank, &byte, &after) != 2))
		return status_set(
		    st, "%s = '%s' is not allowed; allowed is RANK:BYTE, as in 1:4096, or none",
		    f->key, text);
	settings->flip_rank = none ? -1 : (int)rank;
	settings->flip_byte = (int64_t)byte;
	return 0;
}

static int size_read(const struct field *f, const char *text, void *base, struct status *st)
{
	size_t bytes = 0;
	if (strcmp(text, "0") && !sizes_one(text, &bytes))
		return status_set(st,
		                  "%s = '%s' is not allowed; allowed is one size, as in 1M, or 0",
		                  f->key, text);
	((struct settings *)base)->first_bucket = bytes;
	return 0;
}

unsigned settings_cpus(const struct settings *settings, unsigned *ranks)
{
	unsigned cpus = 0;
	*ranks = 1;
	sscanf(settings->cpus, "%5u/%5u", &cpus, ranks);
	return cpus;
}

/* N for each rank, or 1/M: one for M ranks. all: cancels a value from further out. */
static int cpus_read(const struct field *f, const char *text, void *base, struct status *st)
{
	struct settings *settings = base;
	unsigned cpus = 0, ranks = 1;
	char after;
	bool all = !strcmp(text, "all");
	int n = text[strspn(text, "0123456789/")]
	            ? 0
	            : sscanf(text, "%5u/%5u%c", &cpus, &ranks, &after);
	bool good = n == 2 ? cpus == 1 : n == 1 && !strchr(text, '/');
	if (!all && (!good || !cpus || cpus > f->hi || !ranks || ranks > f->hi))
		return status_set(st,
		                  "%s = '%s' is not allowed; allowed is 1 to %u for each rank, 1/2 "
		                  "to 1/%u (one of so many ranks), or all",
		                  f->key, text, (unsigned)f->hi, (unsigned)f->hi);
	snprintf(settings->cpus, sizeof settings->cpus, ranks > 1 ? "%u/%u" : "%u", cpus, ranks);
	if (all)
		settings->cpus[0] = '\0';
	return 0;
}

static bool of_hosts_names(const char *text)
{
	return strcmp(text, "this") != 0 && hosts_named(text);
}

static int of_hosts_read(const struct field *f, const char *text, void *base, struct status *st)
{
	struct settings *settings = base;
	(void)f;
	return hosts_read(text, settings->hosts, st);
}

/* Each part of up to two digits, as NCCL counts. any: cancels a value from further out. */
static int below_read(const struct field *f, const char *text, void *base, struct status *st)
{
	struct settings *settings = base;
	unsigned part[3];
	int used = 0;
	bool any = !strcmp(text, "any");
	if (!text[strspn(text, "0123456789.")])
		sscanf(text, "%2u.%2u%n.%2u%n", &part[0], &part[1], &used, &part[2], &used);
	bool whole = used && !text[used];
	if (!any && !whole)
		return status_set(st,
		                  "%s = '%.100s' is no version; allowed is MAJOR.MINOR or "
		                  "MAJOR.MINOR.PATCH, as in 2.23, or any",
		                  f->key, text);
	strcpy(settings->nccl_below, any ? "" : text);
	return 0;
}

json_t *settings_to_json(const struct settings *settings)
{
	return field_object(&recorded, settings);
}

int settings_from_json(json_t *json, struct settings *out, struct status *st)
{
	struct settings s = {0};
	if (!json_is_object(json) || json_object_size(json) != recorded.n)
		return status_set(st, "settings have %zu members, not %zu", json_object_size(json),
		                  recorded.n);
	if (field_object_take(&recorded, json, &s, st))
		return -1;
	for (unsigned i = 0; i < s.nenv; i++)
		if (!strchr(s.env[i], '='))
			return status_set(st, "an entry of env is no KEY=value");
	*out = s;
	return 0;
}

static bool row_equal(const struct field *row, const struct settings *a, const struct settings *b)
{
	json_t *x = field_to_json(row, a), *y = field_to_json(row, b);
	bool equal = json_equal(x, y);
	json_decref(x);
	json_decref(y);
	return equal;
}

static bool is_placed(const char *key)
{
	return !strcmp(key, "mode") || !strcmp(key, "layout");
}

/* The place of a variable; nenv if it is not there. */
static unsigned env_place(const struct settings *s, const char *name)
{
	size_t n = strcspn(name, "=");
	unsigned i = 0;
	while (i < s->nenv && (strncmp(s->env[i], name, n) || s->env[i][n] != '='))
		i++;
	return i;
}

const char *settings_env(const struct settings *s, const char *name)
{
	unsigned i = env_place(s, name);
	return i < s->nenv ? strchr(s->env[i], '=') + 1 : NULL;
}

int settings_env_set(struct settings *s, const char *name, const char *value, unsigned most)
{
	unsigned i = env_place(s, name);
	if (i >= most)
		return -1;
	snprintf(s->env[i], sizeof s->env[i], "%s=%s", name, value);
	s->nenv += i == s->nenv;
	return 0;
}

static void name_key(char *keys, size_t bytes, const char *prefix, const char *key, unsigned *n)
{
	status_add(keys, bytes, "%s%s%.*s", *keys ? ", " : "", prefix, (int)strcspn(key, "="), key);
	(*n)++;
}

unsigned settings_differ(const struct settings *a, const struct settings *b, char *keys,
                         size_t bytes)
{
	const struct layout l = a->layout, m = b->layout;
	const bool ranks = layout_ranks(l) != layout_ranks(m);
	const unsigned apart = (l.processes != m.processes) + (l.threads != m.threads) +
	                       (l.ranks_per_thread != m.ranks_per_thread);
	unsigned n = 0;
	keys[0] = '\0';
	for (size_t i = 0; i < NROWS; i++) {
		const char *key = rows[i].key;
		bool told =
		    !strcmp(key, "layout") && (strcmp(a->mode, b->mode) || (ranks && apart == 1));
		/* One process is started as it is. */
		told = told || (!strcmp(key, "launcher") &&
		                (a->layout.processes == 1 || b->layout.processes == 1));
		if (!told && !settings_is_check(key) && !row_equal(&rows[i], a, b))
			name_key(keys, bytes, "", rows[i].key, &n);
		if (!strcmp(key, "layout") && ranks)
			name_key(keys, bytes, "", "ranks", &n);
	}
	for (unsigned i = 0; i < a->nenv; i++) {
		const char *other = settings_env(b, a->env[i]);
		if (!other || strcmp(other, strchr(a->env[i], '=') + 1))
			name_key(keys, bytes, "env.", a->env[i], &n);
	}
	for (unsigned i = 0; i < b->nenv; i++)
		if (!settings_env(a, b->env[i]))
			name_key(keys, bytes, "env.", b->env[i], &n);
	return n;
}

void settings_text(const struct settings *settings, char *text, size_t bytes)
{
	struct settings none;
	settings_default(&none);
	text[0] = '\0';
	for (size_t i = 0; i < NROWS; i++) {
		json_t *value = field_to_json(&rows[i], settings);
		char *own = json_dumps(value, JSON_ENCODE_ANY);
		if (own && !row_equal(&rows[i], settings, &none) &&
		    strcmp(rows[i].key, "backend") && !is_placed(rows[i].key))
			status_add(text, bytes, "%s%s = %s", *text ? ", " : "", rows[i].key,
			           json_is_string(value) ? json_string_value(value)
			           : json_is_boolean(value)
			               ? field_word(&rows[i], json_is_true(value))
			               : own);
		free(own);
		json_decref(value);
	}
	for (unsigned i = 0; i < settings->nenv; i++) {
		const size_t key = strcspn(settings->env[i], "=");
		status_add(text, bytes, "%senv.%.*s = %s", *text ? ", " : "", (int)key,
		           settings->env[i], settings->env[i] + key + 1);
	}
}

bool settings_same(const char *key, const struct settings *a, const struct settings *b)
{
	bool same = true;
	if (!strncmp(key, "env.", 4)) {
		const char *x = settings_env(a, key + 4), *y = settings_env(b, key + 4);
		return x && y ? !strcmp(x, y) : x == y;
	}
	for (size_t i = 0; i < NROWS; i++)
		if (is_placed(key) ? is_placed(rows[i].key) : !strcmp(rows[i].key, key))
			same = same && row_equal(&rows[i], a, b);
	return same;
}

bool settings_unused(const struct settings *settings, const char *const *uses, char *key,
                     size_t bytes)
{
	struct settings none;
	settings_default(&none);
	for (size_t i = 0; i < NROWS; i++) {
		unsigned k = 0;
		while (uses && uses[k] && strcmp(uses[k], rows[i].key))
			k++;
		if (!rows[i].special || (uses && uses[k]) || row_equal(&rows[i], settings, &none))
			continue;
		snprintf(key, bytes, "%s", rows[i].key);
		return true;
	}
	return false;
}
