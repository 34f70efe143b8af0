/* From records to the gap by version of the library: which variants are held against each
 * other, the figures, and that no half of the sentence stands without its verdict. What is true
 * of the made-up records is decided here. */
#include "made.h"

#include <math.h>

#include "../harness/report/findings.h"
#include "../harness/report/report.h"
#include "../harness/report/versions_table.h"

#define MOST 12

/* The variants of a record, in this order; the fifth is the limit of made.h, never measured. */
static struct variant {
	const char *name, *role, *mode, *version, *path;
	double gbs, dram; /* dram 0: no counters */
	const char *env;  /* NULL: none */
} variants[MOST];
static const char *names[MOST];
static unsigned nvariants;
static double noise;
static unsigned lacks_block; /* of the last variant; UINT_MAX: none */
static bool small;           /* 4 KiB to 64 KiB in place of 16 MiB to 256 MiB */
static const char *coll;     /* of the cells that are written now */
static bool two_colls;
static struct gap gap;

static size_t bytes_of(unsigned size)
{
	return (size_t)(small ? 4 << 10 : 16 << 20) << 2 * size;
}

/* alltoall: 7 of 8 parts of the buffer leave each of 8 ranks. */
static void stamps(const struct made_place *p, int64_t out[6])
{
	double ns = (double)bytes_of(p->size) * 7 / 8 / variants[p->variant].gbs;
	ns *= 1 + noise * made_noise(p->variant, p->block, p->size);
	out[1] = 5000;
	out[2] = llround(ns * (p->isolated ? 1 : 10));
	out[3] = 10;
}

static void add_counters(json_t *cell, double dram)
{
	json_t *list = json_array();
	for (unsigned r = 0; r < 8; r++) {
		struct counters c;
		counters_clear(&c);
		c.seconds = 1;
		c.nvlink_tx_gbs = 300;
		c.dram_gbs = 300 * dram;
		json_array_append_new(list, counters_to_json(&c));
	}
	json_object_set_new(cell, "counters", list);
}

static void line(json_t *cell, const struct made_place *p)
{
	const struct variant *v = &variants[p->variant];
	json_t *facts = json_array_get(json_object_get(cell, "facts"), 0);
	json_object_set_new(facts, "library", json_string(v->version));
	json_object_set_new(cell, "mode", json_string(v->mode));
	json_object_set_new(cell, "bytes", json_integer((json_int_t)bytes_of(p->size)));
	json_object_set_new(cell, "asked_bytes", json_integer((json_int_t)bytes_of(p->size)));
	json_object_set_new(cell, "collective", json_string(coll));
	if (p->counters && v->dram > 0)
		add_counters(cell, v->dram);
	if (p->variant + 1 == nvariants && p->block == lacks_block)
		json_object_set_new(cell, "error", json_string("it failed"));
}

static json_t *describe(const struct variant *v)
{
	char library[64] = "";
	if (strcmp(v->version, "2.28.3"))
		snprintf(library, sizeof library, "/opt/%s/libnccl.so.2", v->version);
	json_t *env = v->env ? json_pack("[s]", v->env) : json_array();
	return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:o, s:s}", "name", v->name,
	                 "role", v->role, "mode", v->mode, "layout",
	                 strcmp(v->mode, "threads") ? "8x1x1" : "1x8x1", "backend", "nccl",
	                 "nccl", library, "path", "auto", "bind", "none", "env", env, "skip",
	                 "");
}

static void environment(json_t *env)
{
	static struct claim_list asked;
	json_t *list = json_array();
	asked.gap = gap;
	assert_int_equal(claim_list_put(&asked, env), 0);
	for (unsigned i = 0; i < nvariants; i++)
		if (i != MADE_LIMIT)
			json_array_append_new(list, describe(&variants[i]));
	json_object_set_new(env, "variants", list);
	json_object_set_new(env, "machine",
	                    json_pack("{s:i, s:s, s:[{s:s}, {s:s}]}", "cores", 64, "cpu",
	                              "a CPU", "gpus", "name", "GPU", "name", "GPU"));
}

static struct made made;

static void cells(FILE *out, unsigned variant)
{
	for (unsigned b = 0; b < made.blocks; b++)
		for (unsigned size = 0; size < made.sizes; size++) {
			struct made_place place = {
			    .variant = (enum made_variant)variant, .block = b, .size = size};
			made_cell(out, &made, place);
			place.counters = true;
			made_cell(out, &made, place);
		}
}

static void path_line(FILE *out, const struct variant *v)
{
	made_line(out, json_pack("{s:i, s:s, s:s, s:s, s:i, s:i, s:s, s:b, s:{s:s, s:[], s:b, "
	                         "s:s, s:b, s:s, s:s}}",
	                         "schema", 1, "kind", "path", "experiment", "x", "variant",
	                         v->name, "block", 0, "order", 99, "expect", "", "as_expected",
	                         1, "path", "transport", "P2P/CUMEM", "links", "registered", 0,
	                         "registered_why", "", "copy_engine", 0, "data_path", v->path,
	                         "why", "the log says so"));
}

/* Behind what made.h writes: the other variants, the other collective, the paths. */
static void more(FILE *out)
{
	for (unsigned i = MADE_LIMIT + 1; i < nvariants; i++)
		cells(out, i);
	coll = "sendrecv";
	for (unsigned i = 0; i < nvariants && two_colls; i++)
		if (i != MADE_LIMIT)
			cells(out, i);
	coll = "alltoall";
	for (unsigned i = 0; i < nvariants; i++)
		if (i != MADE_LIMIT && *variants[i].path)
			path_line(out, &variants[i]);
}

static struct made_loaded loaded;
static struct findings *found;
static const struct versions *v;

static void put(const char *name, const char *mode, const char *version, const char *path,
                double gbs, double dram)
{
	static const struct variant no_limit = {"limit", "limit", "threads", "", "", 1, 0, ""};
	if (nvariants == MADE_LIMIT)
		variants[nvariants++] = no_limit;
	variants[nvariants++] =
	    (struct variant){name, "variant", mode, version, path, gbs, dram, NULL};
}

/* What is known of H200s: up to 2.22 threads are direct, later on staged as processes are. */
static void story(void)
{
	put("processes", "processes", "2.28.3", "staged", 315, 4.01);
	put("threads", "threads", "2.28.3", "staged", 317, 4.02);
	put("threads-old", "threads", "2.21.5", "direct", 340, 2.15);
	put("processes-old", "processes", "2.21.5", "staged", 316, 4.01);
}

static int fresh(void **state)
{
	(void)state;
	nvariants = 0;
	memset(variants, 0, sizeof variants);
	noise = 0.001;
	lacks_block = UINT_MAX;
	small = two_colls = false;
	coll = "alltoall";
	gap = (struct gap){.bytes = {0, SIZE_MAX}};
	made = (struct made){.backend = "nccl",
	                     .ranks = 8,
	                     .blocks = 10,
	                     .sizes = 3,
	                     .rows = 3,
	                     .cores = 64,
	                     .no_limit = true,
	                     .counters = true,
	                     .names = names,
	                     .environment = environment,
	                     .line = line,
	                     .more = more,
	                     .stamps = stamps};
	return 0;
}

static void find(void)
{
	struct status st = {""};
	while (nvariants < MADE_LIMIT) /* made.h writes four in any case */
		put("filler", "single", "2.28.3", "", 100, 0);
	for (unsigned i = 0; i < nvariants; i++)
		names[i] = variants[i].name;
	variants[MADE_THREADS].role = "reference"; /* as made.h has it */
	made_load(&made, &loaded);
	found = calloc(1, sizeof *found);
	assert_non_null(found);
	if (findings_make(&loaded.summary, NULL, 0, found, &st))
		fail_msg("%s", st.text);
	v = &found->versions;
}

static int done(void **state)
{
	(void)state;
	if (found) {
		findings_free(found);
		made_unload(&loaded);
	}
	free(found);
	found = NULL;
	return 0;
}

static void try_it(void **state)
{
	char text[VERSIONS_TEXT_BYTES];
	(void)state;
	story();
	find();
	versions_say(v, 0, text, sizeof text);
	print_message("%s\n", text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(try_it, fresh, done),
	};
	return cmocka_run_group_tests_name("versions", tests, made_begin, made_end);
}
