/* all_reduce_perf …: the front door for those who come from nccl-tests. A program's options become
 * the keys of experiments/nccl_tests.exp on the command line of `run`; in processes that somebody
 * else started, as by mpirun, on that of `join`. */
#include <ctype.h>
#include <getopt.h>
#include <stdarg.h>
#include <strings.h>
#include <unistd.h>

#include "../arena.h"
#include "../backend/table.h"
#include "../exchange/started.h"
#include "../machine.h"
#include "../perf_options.h"
#include "../trial/sizes.h"
#include "verbs.h"

#define EXPERIMENT   "nccl_tests"
#define MOST_RUN     96
#define OTHER_BYTES  ((size_t)1 << 30)
#define WAIT         4     /* --wait, which a process alone does not do */
#define NATIVE_SINCE 22803 /* ncclAlltoAll, ncclGather, ncclScatter, which nccl-tests then calls */

struct door {
	int argc;
	char **argv;
	const struct home *home;
	struct arena *arena;
	struct status *st;
	const char *collective;
	const char *given[128]; /* by an option's letter; NULL: it is not there */
	char *const *keys;      /* key=value of the command line, which win */
	int nkeys;
	struct started own;
	const struct backend *backend;
	size_t most; /* bytes of a size that devices hold; 0: not known */
	const char *run[MOST_RUN + 1];
	int n;
};

/* --- what it says and adds --------------------------------------------------------------- */

/* A comment line; of several processes the first one says it. */
static void say(const struct door *d, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void say(const struct door *d, const char *format, ...)
{
	va_list args;
	if (d->own.rank)
		return;
	va_start(args, format);
	fputs("# ", stdout);
	vprintf(format, args);
	putchar('\n');
	va_end(args);
}

static void add(struct door *d, const char *text)
{
	if (d->n < MOST_RUN)
		d->run[d->n++] = text;
	else
		status_set(d->st, "%d arguments are too many", d->n);
}

static const char *user_key(const struct door *d, const char *key)
{
	const size_t n = strlen(key);
	for (int i = 0; i < d->nkeys; i++)
		if (!strncmp(d->keys[i], key, n) && d->keys[i][n] == '=')
			return d->keys[i] + n + 1;
	return NULL;
}

/* Whether a key's value changes anything on the backend: other backends refuse it. */
static bool has_effect(const struct door *d, const char *key, const char *value)
{
	const struct field *f = field_find(&settings_fields, key);
	struct settings *set = ARENA_NEW(d->arena, struct settings);
	struct status ignored = {""};
	char unused[TRIAL_NAME_BYTES];
	settings_default(set);
	return !f || field_read(f, value, set, &ignored) ||
	       !settings_unused(set, d->backend->uses, unused, sizeof unused);
}

/* A key of the run, for an option (0: for none), unless the command line has its own. */
static void key(struct door *d, int letter, const char *name, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static void key(struct door *d, int letter, const char *name, const char *format, ...)
{
	va_list args;
	char value[256];
	va_start(args, format);
	vsnprintf(value, sizeof value, format, args);
	va_end(args);
	if (user_key(d, name))
		return;
	if (has_effect(d, name, value))
		add(d, arena_text(d->arena, "%s=%s", name, value));
	else if (letter)
		say(d, "-%c %s: %s = %s has no meaning on backend %s", letter, d->given[letter],
		    name, value, d->backend->name);
}

/* --- the values of options --------------------------------------------------------------- */

static const char *value_of(const struct door *d, char letter)
{
	const char *given = d->given[(int)letter];
	return given ? given : perf_option_find(letter)->usual;
}

/* Of an option that is given or has a default; an error sets the status. */
static unsigned number_of(struct door *d, char letter, unsigned lo, unsigned hi)
{
	const char *text = value_of(d, letter);
	char *end;
	const unsigned long number = strtoul(text, &end, 0);
	if (!isdigit((unsigned char)*text) || *end || number < lo || number > hi)
		status_set(d->st, "-%c %s: allowed are %u to %u (%s)", letter, text, lo, hi,
		           perf_option_find(letter)->help);
	return (unsigned)number;
}

/* A number with K, M or G, as nccl-tests reads it: what follows the letter does not count. */
static size_t size_of(struct door *d, char letter)
{
	static const char units[] = "KMG";
	const char *text = value_of(d, letter);
	char *end;
	double bytes = strtod(text, &end);
	end += strspn(end, " ");
	const char *unit = *end ? strchr(units, toupper((unsigned char)*end)) : NULL;
	for (const char *u = units; unit && u <= unit; u++)
		bytes *= 1024;
	if (end == text || (*end && !unit) ||
	    !(bytes >= 0 && (d->most || bytes <= (double)SIZES_MAX_BYTES))) {
		status_set(d->st,
		           "-%c %s is no size; allowed are numbers with K, M or G, up to 64G",
		           letter, text);
		return 0;
	}
	if (!d->most || bytes <= (double)d->most)
		return (size_t)bytes;
	if (letter == 'e')
		say(d, "Reducing maxBytes to %zu %s", d->most,
		    d->most < SIZES_MAX_BYTES ? "due to memory limitation"
		                              : "(64G), the largest size");
	return d->most;
}

/* --- options that become keys ------------------------------------------------------------ */

static void sizes(struct door *d)
{
	size_t lo = size_of(d, 'b'), hi = size_of(d, 'e'), step = size_of(d, 'i');
	const unsigned factor = number_of(d, 'f', 0, INT_MAX);
	if (lo > hi)
		status_set(d->st, "-b %s is more than -e %s", value_of(d, 'b'), value_of(d, 'e'));
	if (!lo && hi && factor > 1)
		status_set(
		    d->st,
		    "-b 0 never grows by a factor (-f); allowed are -i, or -b of a byte or more");
	if (!lo && !d->st->text[0]) {
		say(d, "-b 0: a size of 0 has no line");
		lo = step;
	}
	if (lo > hi && !d->st->text[0])
		status_set(d->st, "-b 0 -e %s: a size of 0 has no line, and no other one is left",
		           value_of(d, 'e'));
	const size_t steps = factor > 1 || !step || lo > hi ? 0 : (hi - lo) / step + 1;
	if (steps > SIZES_MAX && !user_key(d, "bytes"))
		status_set(d->st,
		           "-b %s -e %s with -i %s%s are %zu sizes; allowed are %d: say -f 2",
		           value_of(d, 'b'), value_of(d, 'e'), value_of(d, 'i'),
		           d->given['i'] ? "" : " (the default)", steps, SIZES_MAX);
	if (lo == hi || (factor < 2 && !step))
		key(d, 0, "bytes", "%zu", lo);
	else if (factor > 1)
		key(d, 0, "bytes", "%zu..%zu x%u", lo, hi, factor);
	else
		key(d, 0, "bytes", "%zu..%zu +%zu", lo, hi, step);
}

/* Options with a number that is the key's value, or its word's; others are in the experiment's
 * file. */
static void simple_keys(struct door *d)
{
	static const char numbers[] = "wmNG";
	const struct perf_option *o;
	for (size_t i = 0; (o = perf_option_at(i)); i++) {
		const char c = o->letter;
		if (!c || !d->given[(int)c])
			continue;
		unsigned words = 0;
		while (o->words[words])
			words++;
		if (words) /* an error, which is said, may be of a number beyond them */
			key(d, c, o->key, "%s", o->words[number_of(d, c, 0, words - 1) % words]);
		else if (strchr(numbers, c))
			key(d, c, o->key, "%u", number_of(d, c, strchr("mN", c) != NULL, 100000));
	}
}

/* Calls back to back, or one by one, or both. */
static void calls(struct door *d)
{
	const unsigned waits = number_of(d, 'z', 0, 3), single = number_of(d, 'I', 0, 1);
	const unsigned given = number_of(d, 'n', 0, 100000), together = number_of(d, 'm', 1, 1024);
	const unsigned iters = given ? given : 1;
	if (!given)
		say(d, "-n 0: data is checked, and a time is that of single calls, no measurement");
	if (waits == 2)
		status_set(d->st, "-z 2 lets ranks drift apart, and a call then waits for the "
		                  "slowest; allowed are 0, 1 and 3");
	if (waits || single)
		key(d, 0, "pace", "%s", waits ? "isolated" : "stream, isolated");
	if (d->given['n'] || together > 1)
		key(d, 'n', "calls", "%u", iters * together);
	if (waits || single)
		key(d, 0, "isolated_calls", "%u", iters);
	/* nccl-tests does so too where NVIDIA advises against it. */
	if (number_of(d, 'G', 0, 100000) && has_effect(d, "graph", d->given['G']))
		key(d, 0, "force", "yes");
}

/* Of -d or -o, in our words; an error names those of nccl-tests, also for what others say. */
static const char *word_known(struct door *d, char letter, int (*find)(const char *name))
{
	static const char *const others[][2] = {
	    {"fp16", "half"}, {"bf16", "bfloat16"}, {"fp32", "float"}, {"fp64", "double"}};
	const char *word = value_of(d, letter), *ours = perf_word_ours(word);
	const char *allowed = perf_option_find(letter)->help;
	struct suggestion guess = suggest_for(word);
	if (find(ours) >= 0 || !strcmp(ours, "all"))
		return ours;
	for (const char *at = allowed; *at; at += strcspn(at, ","), at += strspn(at, ", "))
		suggest_offer(&guess, arena_text(d->arena, "%.*s", (int)strcspn(at, ","), at));
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (!strcasecmp(word, others[i][0]))
			strcpy(guess.best, others[i][1]);
	status_set(d->st, "-%c %s is not known%s; allowed are %s", letter, word,
	           suggestion_text(&guess).text, allowed);
	return ours;
}

static void data(struct door *d)
{
	const struct coll_info *coll = coll_info((enum coll_kind)coll_find(d->collective));
	const char *type = word_known(d, 'd', coll_find_dtype), *root = d->given['r'];
	const char *op = word_known(d, 'o', coll_find_op);
	const unsigned unalign = number_of(d, 'u', 0, 4096);
	const int dtype = coll_find_dtype(type);
	if (d->given['d'])
		key(d, 'd', "dtype", "%s", type);
	if (unalign && dtype < 0)
		status_set(d->st, "-u counts elements, so that it needs one datatype (-d)");
	if (unalign && dtype >= 0)
		key(d, 'u', "offset", "%zu", unalign * coll_dtype_bytes((enum dtype)dtype));
	if (d->given['o'] && coll->is & COLL_REDUCES)
		key(d, 'o', "op", "%s", op);
	else if (d->given['o'])
		say(d, "-o %s: %s reduces nothing", d->given['o'], d->collective);
	if (root && coll->is & COLL_ROOTED)
		key(d, 'r', "root", "%s", strcmp(root, "-1") ? root : "all");
	else if (root)
		say(d, "-r %s: %s has no root", root, d->collective);
	if (number_of(d, 'T', 0, 86400))
		key(d, 'T', "cell_timeout", "%ss", d->given['T']);
}

/* The library's own call where it has one, as nccl-tests takes it. */
static void native_calls(struct door *d)
{
	static const char *const native[] = {"alltoall", "gather", "scatter"};
	const char *nccl = user_key(d, "nccl");
	struct library library = {.version = ""};
	struct status ignored = {""};
	unsigned major, minor, patch;
	for (size_t i = 0; i < sizeof native / sizeof *native && d->backend->is.library; i++)
		if (!strcmp(d->collective, native[i]) &&
		    !backend_library(nccl ? nccl : "", &library, &ignored) &&
		    sscanf(library.version, "%u.%u.%u", &major, &minor, &patch) == 3 &&
		    major * 10000 + minor * 100 + patch >= NATIVE_SINCE)
			key(d, 0, "api", "native");
}

static void device_calls(struct door *d)
{
	const bool own = number_of(d, 'D', 0, 100);
	if (own)
		key(d, 'D', "api", "device");
	if (own && d->given['V'])
		key(d, 'V', "call_ctas", "%u", number_of(d, 'V', 1, 1024));
	else if (d->given['V'])
		say(d, "-V %s: %s", d->given['V'], perf_option_find('V')->help);
}

static void variables(struct door *d)
{
	const char *split = machine_env("NCCL_TESTS_SPLIT");
	const char *mask = machine_env("NCCL_TESTS_SPLIT_MASK");
	const char *spread = machine_env("NCCL_TESTS_ALLTOALLV_SPREAD");
	const struct perf_option *o;
	for (size_t i = 0; (o = perf_option_at(i)); i++)
		if (!o->letter && !o->key && machine_env(o->name))
			say(d, "%s %s", o->name, o->help);
	if (mask)
		key(d, 0, "split", "AND:%lu", strtoul(mask, NULL, 16));
	else if (split)
		key(d, 0, "split", "%s", split);
	if (spread && !strcmp(spread, "0"))
		key(d, 0, "counts", "even");
	else if (spread && strcmp(spread, "1") != 0)
		say(d,
		    "NCCL_TESTS_ALLTOALLV_SPREAD=%s is taken as 1; others are weights of the key "
		    "counts",
		    spread);
}

/* --- its ranks --------------------------------------------------------------------------- */

/* The first backend that moves data and has something to run on, or the one that is named. */
static void pick_backend(struct door *d)
{
	const char *name = user_key(d, "backend");
	struct status why = {""};
	d->backend = name ? backend_find(name) : NULL;
	for (unsigned i = 0; !name && !d->backend && backend_table[i]; i++) {
		const struct backend *b = backend_table[i];
		/* Another process decides it. */
		if (d->own.rank || (b->is.carries_data && backend_capacity(b->name, &why)))
			d->backend = b;
	}
	if (!d->backend) {
		status_set(d->st, "backend=%s is not known (`launchgap list backends`)",
		           name ? name : "");
		return;
	}
	/* As nccl-tests counts: two buffers, and 1 GiB for all else, of little memory half. Another
	 * process decides it too. */
	const size_t memory = d->own.rank          ? SIZE_MAX
	                      : d->backend->memory ? d->backend->memory()
	                                           : 0;
	d->most = (memory - (memory / 2 < OTHER_BYTES ? memory / 2 : OTHER_BYTES)) / 2;
	if (d->most > SIZES_MAX_BYTES)
		d->most = SIZES_MAX_BYTES;
	if (!name)
		add(d, arena_text(d->arena, "backend=%s", d->backend->name));
	if (!d->backend->is.gpus)
		say(d, "backend %s: %s; no GPU has a part in these figures%s%s", d->backend->name,
		    d->backend->summary, why.text[0] ? ": " : "", why.text);
}

static void place(struct door *d)
{
	const unsigned processes = d->own.size > 1 ? d->own.size : 1;
	const unsigned threads = number_of(d, 't', 1, SETTINGS_MAX_RANKS);
	const unsigned gpus = number_of(d, 'g', 1, SETTINGS_MAX_RANKS);
	if (!user_key(d, "mode"))
		key(d, 0, "layout", "%ux%ux%u", processes, threads, gpus);
	key(d, 0, "ranks", "%u", processes * threads * gpus);
	if (processes * threads * gpus == 1 && !user_key(d, "ranks"))
		say(d, "one rank sends nothing, and its busbw is 0: take more by -g, -t or mpirun "
		       "-np");
	if (processes > 1 && d->own.hosts > 1)
		key(d, 0, "hosts", "%u", d->own.hosts);
	/* Several processes of a host share what they were given. */
	const unsigned cores = machine_cores();
	const long online = sysconf(_SC_NPROCESSORS_ONLN);
	if (d->own.by && cores < threads && cores < online)
		say(d,
		    "%s has bound this process to %u of %ld CPUs; with %s launchgap binds its "
		    "workers by itself",
		    d->own.by, cores, online,
		    strcmp(d->own.by, "Slurm") ? "--bind-to none" : "srun --cpu-bind=none");
}

/* --- its command line -------------------------------------------------------------------- */

static const struct option *long_options(struct door *d, char letters[300])
{
	struct option *list = ARENA_ARRAY(d->arena, struct option, 64);
	const struct perf_option *o;
	unsigned n = 0;
	char *at = letters;
	*at++ = ':';
	for (size_t i = 0; (o = perf_option_at(i)); i++) {
		if (!o->letter)
			continue;
		list[n++] = (struct option){o->name, o->value ? required_argument : no_argument,
		                            NULL, o->letter};
		if (o->letter < ' ')
			continue; /* an option of ours has no letter */
		*at++ = o->letter;
		if (o->value)
			*at++ = ':';
	}
	*at = '\0';
	return list;
}

static int parse(struct door *d, int argc, char *argv[])
{
	char letters[300];
	const struct option *options = long_options(d, letters);
	int c;
	opterr = 0;
	optind = 1;
	while ((c = getopt_long(argc, argv, letters, options, NULL)) != -1) {
		if (c == '?' || c == ':') {
			const char letter[] = {'-', (char)optopt, '\0'}; /* of -qt the first */
			const char *typed = argv[optind - 1];
			const bool is_long = !strncmp(typed, "--", 2);
			return status_set(d->st, "%s: '%s' %s (`launchgap %s --help`)", argv[0],
			                  isgraph(optopt) && !is_long ? letter : typed,
			                  c == ':' ? "needs a value" : "is no option of nccl-tests",
			                  argv[0]);
		}
		d->given[c] = optarg;
		/* Ours, as of run and of join. */
		const bool taken = c < ' ' && (d->own.size > 1 || c != WAIT);
		if (taken)
			add(d, arena_text(d->arena, "--%s", perf_option_find((char)c)->name));
		if (taken && optarg)
			add(d, optarg);
	}
	d->keys = argv + optind;
	d->nkeys = argc - optind;
	for (int i = 0; i < d->nkeys; i++)
		if (!strchr(d->keys[i], '='))
			return status_set(d->st,
			                  "%s: '%s' is no option of nccl-tests; allowed are those "
			                  "and key=value (`launchgap %s --help`)",
			                  argv[0], d->keys[i], argv[0]);
	return d->st->text[0] ? -1 : 0;
}

/* Options that no key answers. */
static void answers(struct door *d)
{
	static const char sentences[] = "cySMIK";
	for (const char *c = sentences; *c; c++) {
		const struct perf_option *o = perf_option_find(*c);
		const char *given = d->given[(int)*c];
		if (given && (!o->usual || strcmp(given, o->usual) != 0))
			say(d, "-%c %s: %s", *c, given, o->help);
	}
	add(d, "--format");
	add(d, "nccl-tests");
	add(d, "--average");
	const unsigned average = number_of(d, 'a', 0, 3);
	add(d, number_of(d, 'C', 0, 1) ? "launch" : arena_text(d->arena, "%u", average));
	if (d->given['J'])
		add(d, "--json");
	if (d->given['J'])
		add(d, d->given['J']);
}

static void say_run(const struct door *d)
{
	char *line = ARENA_ARRAY(d->arena, char, 4096);
	for (int i = 1; i < d->n; i++) {
		const bool quoted = strpbrk(d->run[i], " \t") != NULL;
		status_add(line, 4096, " %s%s%s", quoted ? "'" : "", d->run[i], quoted ? "'" : "");
	}
	say(d, "as: launchgap%s", line);
	fflush(stdout);
}

static int enter(struct arena *arena, void *of)
{
	struct door *d = of;
	d->arena = arena;
	if (started_find(machine_env, &d->own, d->st))
		return -1;
	const bool joins = d->own.size > 1;
	if (!joins)
		d->own = (struct started){.by = d->own.by};
	add(d, d->argv[0]);
	add(d, joins ? "join" : "run");
	add(d, EXPERIMENT);
	if (parse(d, d->argc - 1, d->argv + 1))
		return -1;
	pick_backend(d);
	if (d->st->text[0])
		return -1;
	key(d, 0, "collective", "%s", d->collective);
	place(d);
	sizes(d);
	calls(d);
	data(d);
	simple_keys(d);
	native_calls(d);
	device_calls(d);
	variables(d);
	answers(d);
	for (int i = 0; i < d->nkeys; i++)
		add(d, d->keys[i]);
	if (d->st->text[0])
		return -1;
	say_run(d);
	char **run = ARENA_ARRAY(arena, char *, (size_t)d->n + 1);
	for (int i = 0; i < d->n; i++)
		run[i] = (char *)(size_t)d->run[i];
	return joins ? verb_join(d->n, run, d->home, d->st) : verb_run(d->n, run, d->home, d->st);
}

int verb_perf(int argc, char *argv[], const struct home *home, struct status *st)
{
	struct door door = {.argc = argc,
	                    .argv = argv,
	                    .home = home,
	                    .st = st,
	                    .collective = perf_program(argv[1])};
	return arena_work(enter, &door, argv[1], st);
}
