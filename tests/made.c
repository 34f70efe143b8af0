#include "made.h"

#include "../harness/chapters/figures.h"
#include "../harness/record/record_file.h"
#include "scratch.h"

static char folder[64];
const char *const made_folder = folder;

void made_begin(void)
{
	cli_folder(folder);
}

void made_end(void)
{
	if (!getenv("KEEP"))
		cli_clean(folder);
}

const char *made_path(const char *name)
{
	static char path[2][256];
	static unsigned turn;
	turn = !turn;
	snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
	return path[turn];
}

char *made_read(const char *name)
{
	static char *text;
	free(text);
	text = cli_read(made_path(name));
	if (!text)
		fail_msg("%s is missing", name);
	return text;
}

bool made_has(const char *name)
{
	return !access(made_path(name), F_OK);
}

double made_noise(unsigned a, unsigned b, unsigned c)
{
	uint64_t x = value_mix(((uint64_t)a << 40) ^ ((uint64_t)b << 20) ^ c ^ 0x9E3779B9);
	return (double)(x >> 11) / (double)(1ull << 52) - 1;
}

bool made_no_gnuplot(void)
{
	return access("/usr/bin/gnuplot", X_OK) && access("/usr/local/bin/gnuplot", X_OK);
}

char *made_gnuplot(const char *lines)
{
	char text[4096];
	if (made_no_gnuplot())
		skip();
	int n = snprintf(text, sizeof text,
	                 "dir = '%s'\nplot_dir = 'plot'\nformat = 'svg'\nload 'plot/style.gp'\n"
	                 "set print '%s/said'\n%s",
	                 folder, folder, lines);
	assert_true(n < (int)sizeof text);
	cli_write(folder, "q.gp", text);
	snprintf(text, sizeof text, "gnuplot -d %s 2>&1", made_path("q.gp"));
	assert_int_equal(system(text), 0);
	return made_read("said");
}

struct claim *made_claim(struct claim_list *to, enum metric metric, enum claim_test test,
                         const char *left, const char *right)
{
	struct claim *c = &to->claims[to->nclaims++];
	*c = (struct claim){.metric = metric,
	                    .test = test,
	                    .by = 0.02,
	                    .text = "It is | so.",
	                    .bytes = {1, SIZE_MAX},
	                    .regime = CLAIM_ANY_REGIME,
	                    .pace = CLAIM_ANY_PACE,
	                    .coll = CLAIM_ANY_COLL};
	snprintf(c->name, sizeof c->name, "c%u", to->nclaims);
	snprintf(c->left, sizeof c->left, "%s", left);
	snprintf(c->right, sizeof c->right, "%s", right);
	return c;
}

struct factor *made_factor(struct claim_list *to, const char *name, const char *from,
                           const char *with)
{
	struct factor *f = &to->factors[to->nfactors++];
	*f = (struct factor){.setting = "mode", .bytes = {1, SIZE_MAX}};
	snprintf(f->name, sizeof f->name, "%s", name);
	snprintf(f->from, sizeof f->from, "%s", from);
	snprintf(f->to, sizeof f->to, "%s", with);
	return f;
}

void made_gap(struct claim_list *to, const char *from, const char *with, size_t least_bytes)
{
	to->gap = (struct gap){.bytes = {least_bytes, SIZE_MAX}};
	snprintf(to->gap.from, sizeof to->gap.from, "%s", from);
	snprintf(to->gap.to, sizeof to->gap.to, "%s", with);
}

/* --- variants and the environment --- */

static const struct made_variant five[MADE_VARIANTS] = {
    {.name = "single", .mode = "single"},       {.name = "threads", .role = "reference"},
    {.name = "processes", .mode = "processes"}, {.name = "threads-again", .role = "again"},
    {.name = "limit", .role = "limit"},
};

static const struct made_variant *variant_of(const struct made *m, unsigned i)
{
	return m->variants ? &m->variants[i] : &five[i];
}

static unsigned variants_of(const struct made *m)
{
	return m->nvariants ? m->nvariants : MADE_VARIANTS;
}

static bool is_limit(const struct made_variant *v)
{
	return v->role && !strcmp(v->role, "limit");
}

static const char *text_or(const char *text, const char *other)
{
	return text ? text : other;
}

/* As the mode's name says. */
static json_t *layout_of(const char *mode, unsigned ranks)
{
	return json_sprintf(!strcmp(mode, "single")    ? "1x1x%u"
	                    : !strcmp(mode, "threads") ? "1x%ux1"
	                                               : "%ux1x1",
	                    ranks);
}

/* Of a text with ' for ". */
static json_t *json_of(const char *text)
{
	json_t *json = json_loads(test_quotes(text), JSON_ALLOW_NUL, NULL);
	if (!json)
		fail_msg("not JSON: %s", text);
	return json;
}

void made_set(json_t *object, const char *format, ...)
{
	char *text;
	va_list list;
	va_start(list, format);
	assert_true(vasprintf(&text, format, list) >= 0);
	va_end(list);
	assert_int_equal(json_object_update_new(object, json_of(test_keep(text))), 0);
}

static json_t *variant_json(const struct made *m, const struct made_variant *v)
{
	json_t *json = json_pack(
	    "{s:s, s:s, s:s, s:s, s:s, s:s, s:o, s:s}", "name", v->name, "role",
	    text_or(v->role, "variant"), "backend", text_or(v->backend, m->backend), "nccl",
	    text_or(v->nccl, ""), "path", "auto", "bind", "none", "env",
	    v->env ? json_pack("[s]", v->env) : json_array(), "skip", text_or(v->skip, ""));
	json_object_set_new(json, "layout", layout_of("threads", m->ranks));
	made_set_mode(json, text_or(v->mode, "threads"));
	if (v->layout)
		json_object_set_new(json, "layout", json_string(v->layout));
	if (v->force)
		json_object_set_new(json, "force", json_true());
	if (v->more)
		made_set(json, "%s", v->more);
	return json;
}

/* The ranks of a variant's cells. */
static unsigned ranks_of(const struct made *m, unsigned variant)
{
	struct layout l = {1, 1, m->ranks};
	if (variant_of(m, variant)->layout)
		assert_int_equal(sscanf(variant_of(m, variant)->layout, "%ux%ux%u", &l.processes,
		                        &l.threads, &l.ranks_per_thread),
		                 3);
	return layout_ranks(l);
}

static const char *reference_of(const struct made *m)
{
	for (unsigned v = 0; v < variants_of(m); v++) {
		const struct made_variant *variant = variant_of(m, v);
		if (variant->role && !strcmp(variant->role, "reference"))
			return variant->name;
	}
	fail_msg("no variant is the reference");
	return NULL;
}

static json_t *environment_json(const struct made *m)
{
	json_t *variants = json_array();
	for (unsigned v = 0; v < variants_of(m); v++)
		json_array_append_new(variants, variant_json(m, variant_of(m, v)));
	json_t *machine = json_pack("{s:i, s:s}", "cores", (int)m->cores, "cpu", "a CPU");
	if (m->load1 > 0)
		json_object_set_new(machine, "load1", json_real(m->load1));
	json_t *env = json_pack(
	    "{s:i, s:s, s:s, s:s, s:s, s:[s], s:s, s:s, s:s, s:s, s:i, s:s, s:s, s:i, s:i, "
	    "s:i, s:i, s:i, s:o, s:o}",
	    "schema", 1, "kind", "environment", "experiment", "x", "title", "t", "question", "Why?",
	    "command", "launchgap", "created", "2026-11-21T08:00:00Z", "launchgap", "abc",
	    "backend", m->backend, "backend_why", "", "ranks", (int)m->ranks, "seed", "ff",
	    "reference", reference_of(m), "blocks", (int)m->blocks, "warmup", 5, "stretches",
	    (int)m->rows, "calls", 10, "isolated_calls",
	    (int)(m->isolated_rows ? m->isolated_rows : m->rows), "variants", variants, "machine",
	    machine);
	if (m->connections)
		made_set(env, "{'connections':%u,'allocations':%u}", m->connections,
		         m->allocations);
	if (m->asked)
		assert_int_equal(claim_list_put(m->asked, env), 0);
	if (m->more_of_run)
		made_set(env, "%s", m->more_of_run);
	if (m->environment)
		m->environment(env);
	return env;
}

json_t *made_variant_of(json_t *environment, unsigned variant)
{
	json_t *json = json_array_get(json_object_get(environment, "variants"), variant);
	assert_non_null(json);
	return json;
}

void made_set_mode(json_t *variant, const char *mode)
{
	struct layout l = {0};
	const char *layout = json_string_value(json_object_get(variant, "layout"));
	assert_int_equal(sscanf(layout, "%ux%ux%u", &l.processes, &l.threads, &l.ranks_per_thread),
	                 3);
	json_object_set_new(variant, "mode", json_string(mode));
	json_object_set_new(variant, "layout", layout_of(mode, layout_ranks(l)));
}

/* --- cells --- */

/* What is being written. */
struct writing {
	const struct made *m;
	FILE *out;
	json_t *environment;
};

static void put_line(FILE *out, json_t *line, bool sum)
{
	char *text = line ? json_dumps(line, JSON_COMPACT) : NULL;
	assert_non_null(text);
	if (sum)
		assert_int_equal(record_line_put(out, text), 0);
	else if (text)
		assert_true(fputs(text, out) >= 0 && fputc('\n', out) >= 0);
	free(text);
	json_decref(line);
}

void made_line(FILE *out, json_t *line)
{
	put_line(out, line, false);
}

static unsigned number_of(const json_t *of, const char *key)
{
	return (unsigned)json_integer_value(json_object_get(of, key));
}

/* As the environment and the variant of that name have it. */
static int calls_of(const json_t *environment, const char *name, bool isolated)
{
	const struct cell cell = {.pace = isolated ? PACE_ISOLATED : PACE_STREAM};
	const json_t *each, *own = NULL;
	size_t i;
	json_array_foreach(json_object_get(environment, "variants"), i, each) own =
	    strcmp(json_string_value(json_object_get(each, "name")), name) ? own : each;
	return (int)trial_calls_of(&cell, number_of(environment, "calls"),
	                           number_of(own, "aggregate"), number_of(own, "graph"));
}

/* Of a record whose times do not matter: 10 µs and as much more for each size. */
static void plain_stamps(const struct made_place *p, int64_t out[6])
{
	out[2] = (int64_t)(10000.0 * (p->size + 1) * (1 + 0.01 * (p->block % 3)) *
	                   (p->isolated ? 1 : 10));
}

static void put_stamps(json_t *line, const struct made *m, struct made_place place)
{
	static const char *const fields[] = {"start_ns", "issued_ns",       "idle_ns",
	                                     "poll_ns",  "device_start_ns", "device_end_ns"};
	unsigned nfields = place.timeline && m->device ? 6 : 4;
	unsigned rows = place.isolated && m->isolated_rows ? m->isolated_rows : m->rows;
	for (unsigned f = 0; f < nfields; f++) {
		json_t *ranks = json_array();
		for (place.rank = 0; place.rank < ranks_of(m, place.variant); place.rank++) {
			json_t *list = json_array();
			for (place.row = 0; place.row < rows; place.row++) {
				int64_t stamps[6] = {[1] = 100, [3] = 10},
				        base = 1000000000LL * place.row + 1;
				(m->stamps ? m->stamps : plain_stamps)(&place, stamps);
				json_array_append_new(
				    list, json_integer(stamps[f] + (f == 3 ? 0 : base)));
			}
			json_array_append_new(ranks, list);
		}
		json_object_set_new(line, fields[f], ranks);
	}
	if (place.timeline || place.counters)
		json_object_set_new(line, "pass",
		                    json_string(place.counters ? "counters" : "timeline"));
	if (place.timeline && m->device)
		json_object_set_new(line, "clock_residual_ns", json_pack("[i, i]", 300, -500));
}

static json_t *cell_json(const struct writing *w, const struct made_place *place)
{
	const struct made *m = w->m;
	const struct made_variant *v = variant_of(m, place->variant);
	const struct made_call call = m->calls ? m->calls[place->size] : (struct made_call){0};
	const json_int_t bytes =
	    call.bytes ? (json_int_t)call.bytes : (json_int_t)4096 << 2 * place->size;
	const unsigned n = variants_of(m);
	json_t *line = json_pack(
	    "{s:i, s:s, s:s, s:s, s:i, s:s, s:I, s:I, s:s, s:s, s:i, s:b, s:s, s:i, s:i, s:i, "
	    "s:i, s:i, s:n, s:n}",
	    "schema", 1, "kind", "cell", "experiment",
	    json_string_value(json_object_get(w->environment, "experiment")), "variant", v->name,
	    "ranks", (int)ranks_of(m, place->variant), "collective",
	    is_limit(v) ? "copy" : text_or(call.collective, "alltoall"), "asked_bytes", bytes,
	    "bytes", bytes, "dtype", text_or(call.dtype, "float32"), "op", text_or(call.op, "sum"),
	    "root", (int)call.root, "in_place", (int)call.in_place, "pace",
	    place->isolated ? "isolated" : "stream", "block", (int)place->block, "order",
	    (int)(n * place->block + (place->variant + 2 * place->block) % n), "calls",
	    calls_of(w->environment, v->name, place->isolated), "warmup",
	    (int)number_of(w->environment, "warmup"), "wrong", 0, "wrong_at", "error");
	assert_non_null(line);
	return line;
}

static void put_facts(json_t *line, const struct made *m, const struct made_variant *v)
{
	const char *const facts[][2] = {{"clock_sm_mhz", m->clock},
	                                {"clock_sm_max_mhz", m->may},
	                                {"throttle", m->throttle},
	                                {"library", v->library}};
	json_object_set_new(line, "facts", json_pack("[{s:s}]", "bind", "none"));
	for (size_t i = 0; i < LENGTH(facts); i++)
		if (facts[i][1])
			made_fact(line, facts[i][0], facts[i][1]);
}

/* No two cells begin at one time, whatever their stamps. */
static json_int_t begun_ns(const struct made_place *p)
{
	const unsigned places[] = {p->variant, p->size, p->connection, p->allocation};
	json_int_t ns = p->block + 1;
	for (size_t i = 0; i < LENGTH(places); i++)
		ns = 128 * ns + places[i];
	return 8 * ns + 4 * p->isolated + 2 * p->timeline + p->counters;
}

static void put_cell(const struct writing *w, const struct made_place *place)
{
	static const char *const lists[] = {"faults", "switches", "first_ns"};
	const struct made *m = w->m;
	json_t *line = cell_json(w, place);
	for (unsigned i = 0; i < 3; i++) {
		json_t *list = json_array();
		for (unsigned r = 0; r < ranks_of(m, place->variant); r++)
			json_array_append_new(list, json_integer(0));
		json_object_set_new(line, lists[i], list);
	}
	put_facts(line, m, variant_of(m, place->variant));
	if (m->connections)
		made_set(line, "{'connection':%u,'allocation':%u}", place->connection,
		         place->allocation);
	if (variant_of(m, place->variant)->fails)
		made_error(line);
	put_stamps(line, m, *place);
	json_object_set_new(line, "spent", json_pack("{s:I}", "from_ns", begun_ns(place)));
	if (m->more_of_cells && !is_limit(variant_of(m, place->variant)))
		made_set(line, "%s", m->more_of_cells);
	if (m->line)
		m->line(line, place);
	put_line(w->out, line, m->sums);
}

/* A cell once in each allocation of each connection. */
static void put_cells(const struct writing *w, struct made_place place)
{
	const struct made *m = w->m;
	unsigned nested = m->connections * m->allocations;
	if (m->has && !m->has(&place))
		return;
	for (unsigned i = 0; i < (nested ? nested : 1); i++) {
		place.connection = nested ? i / m->allocations : 0;
		place.allocation = nested ? i % m->allocations : 0;
		put_cell(w, &place);
	}
}

/* Both paces, and the passes that the record has. */
static void put_passes(const struct writing *w, struct made_place place, bool limit)
{
	put_cells(w, place);
	place.counters = true;
	if (w->m->counters)
		put_cells(w, place);
	place.counters = false;
	place.isolated = true;
	if (!limit)
		put_cells(w, place);
	place.timeline = true;
	if (!limit && w->m->timeline)
		put_cells(w, place);
}

void made_fact(json_t *cell, const char *key, const char *value)
{
	json_t *facts = json_array_get(json_object_get(cell, "facts"), 0);
	assert_int_equal(json_object_set_new(facts, key, json_string(value)), 0);
}

json_t *made_topology(const char *name)
{
	json_t *json = json_load_file(test_text("tests/topology/%s.json", name), 0, NULL);
	assert_non_null(json);
	return json;
}

void made_gpus(json_t *cell, const char *topology, unsigned ranks)
{
	json_t *all = made_topology(topology);
	for (unsigned r = 0; r < ranks; r++) {
		const json_t *gpu = json_array_get(json_object_get(all, "gpus"), r);
		char *key = test_text("device_%u", r);
		char *device =
		    test_text("%s at %s", json_string_value(json_object_get(gpu, "name")),
		              json_string_value(json_object_get(gpu, "pci")));
		made_fact(cell, key, device);
	}
	json_decref(all);
}

void made_by_collective(json_t *cell, const struct made_place *p)
{
	static const enum coll_kind kinds[] = {COLL_ALL_REDUCE, COLL_ALL_GATHER, COLL_BROADCAST,
	                                       COLL_REDUCE, COLL_GATHER};
	static const char *const dtypes[] = {"float32", "int8", "float16", "float64"};
	if (strcmp(json_string_value(json_object_get(cell, "variant")), "limit"))
		made_set(cell, "{'collective':'%s','dtype':'%s','bytes':4096,'asked_bytes':4096}",
		         coll_info(kinds[p->size % 5])->name, dtypes[p->size / 5 % 4]);
}

void made_error(json_t *cell)
{
	json_object_set_new(cell, "error", json_string("it failed"));
}

void made_counters(json_t *cell, const struct counters *of, unsigned ranks)
{
	json_t *list = json_array();
	for (unsigned r = 0; r < ranks; r++)
		json_array_append_new(list, counters_to_json(&of[r]));
	json_object_set_new(cell, "counters", list);
}

char *made_choice(const char *collective, unsigned bytes, const char *algorithm,
                  const char *protocol, unsigned channels)
{
	return test_text(
	    "{'collective':'%s','bytes':%u,'algorithm':'%s','protocol':'%s','channels':%u}",
	    collective, bytes, algorithm, protocol, channels);
}

static void put_log(FILE *out, const char *variant, const json_t *more)
{
	json_t *path = json_of("{'transport':'P2P/CUMEM','links':[],'registered':false,"
	                       "'registered_why':'','copy_engine':false,'symmetric':false,"
	                       "'data_path':'staged','why':'the log says so','version':'2.28.3',"
	                       "'unread':0}");
	assert_int_equal(json_object_update(path, (json_t *)(size_t)more), 0);
	made_line(out, json_pack("{s:i, s:s, s:s, s:s, s:i, s:i, s:o}", "schema", 1, "kind", "path",
	                         "experiment", "x", "variant", variant, "block", 0, "order", 99,
	                         "path", path));
}

/* With the fields that were left to the builder. */
static struct made completed(const struct made *m)
{
	struct made whole = *m;
	whole.backend = text_or(m->backend, "nccl");
	whole.ranks = m->ranks ? m->ranks : 2;
	whole.rows = m->rows ? m->rows : 3;
	whole.cores = m->cores ? m->cores : 16;
	return whole;
}

json_t *made_environment(const struct made *m)
{
	const struct made whole = completed(m);
	return environment_json(&whole);
}

/* --- the record --- */

void made_write(const struct made *given)
{
	const struct made whole = completed(given), *const m = &whole;
	char *path = test_text("%s/trials.jsonl", text_or(m->folder, folder));
	struct writing w = {m, fopen(path, "w"), environment_json(m)};
	assert_non_null(w.out);
	put_line(w.out, json_incref(w.environment), m->sums);
	if (m->first)
		m->first(w.out);
	for (unsigned b = 0; b < m->blocks; b++)
		for (unsigned v = 0; v < variants_of(m); v++) {
			bool limit = is_limit(variant_of(m, v));
			for (unsigned s = 0; s < (limit && m->no_limit ? 0 : m->sizes); s++)
				put_passes(&w,
				           (struct made_place){.variant = v, .block = b, .size = s},
				           limit);
		}
	for (unsigned v = 0; v < variants_of(m); v++)
		if (variant_of(m, v)->data_path) {
			json_t *log = json_of(
			    test_text("{'data_path':'%s'}", variant_of(m, v)->data_path));
			put_log(w.out, variant_of(m, v)->name, log);
			json_decref(log);
		}
	if (m->logs) {
		json_t *logs = json_of(m->logs), *log;
		const char *variant;
		json_object_foreach(logs, variant, log) put_log(w.out, variant, log);
		json_decref(logs);
	}
	if (m->more)
		m->more(w.out);
	assert_int_equal(fclose(w.out), 0);
	json_decref(w.environment);
}

void made_load(const struct made *m, struct made_loaded *out)
{
	made_write(m);
	out->run = cli_record(folder);
}

void made_unload(struct made_loaded *l)
{
	record_free(&l->run);
}

struct db *made_tables(const struct made *m, const struct looks *looks)
{
	struct made_loaded loaded;
	made_load(m, &loaded);
	struct db *db = figures_load(&loaded.run, looks, scratch(), WHY);
	if (!db)
		fail_msg("%s", because());
	made_unload(&loaded);
	return db;
}

/* --- its report --- */

static const json_t *report_on(const char *plot, int rc, struct status *st)
{
	static json_t *report;
	if (report_make(folder, plot, NULL, st) != rc)
		fail_msg("%s", st->text);
	if (!rc)
		assert_string_equal(st->text, "");
	json_decref(report);
	report = json_report(made_path("report.json"));
	return report;
}

const json_t *made_report_with(const struct made *m, const char *plot, int rc)
{
	made_write(m);
	return report_on(plot, rc, WHY);
}

const char *made_plots(const char *files)
{
	const char *drawn = test_text("%s/drawn", folder);
	assert_int_equal(
	    system(test_text("rm -rf %s; mkdir %s; cd plot && ln -sf $(realpath style*.gp %s) %s",
	                     drawn, drawn, files, drawn)),
	    0);
	return drawn;
}

const json_t *made_drawn(const struct made *m, const char *files)
{
	if (made_no_gnuplot())
		skip();
	return made_report_with(m, made_plots(files), 0);
}

const json_t *made_report(const struct made *m)
{
	return made_report_with(m, "/nowhere", 0);
}

const json_t *made_refused(const struct made *m, const char *plot, struct status *why)
{
	why->text[0] = '\0';
	made_write(m);
	return report_on(plot, -1, why);
}

char *made_print(const struct report_options *options)
{
	fflush(stdout);
	int kept = dup(1);
	assert_non_null(freopen(made_path("stdout"), "w", stdout));
	int rc = report_make(folder, "/nowhere", options, WHY);
	fflush(stdout);
	dup2(kept, 1);
	close(kept);
	if (rc)
		fail_msg("%s", because());
	return made_read("stdout");
}
