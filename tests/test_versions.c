/* From records to the gap by version of the library: which variants are held against each
 * other, the figures, and that no half of the sentence stands without its verdict. What is true
 * of the made-up records is decided here. */
#include "made.h"

#include <math.h>

#include "../harness/analysis/captions.h"
#include "../harness/analysis/findings.h"
#include "../harness/analysis/words.h"

#define MOST 12

/* The variants of a record, in this order; the fifth is the limit of made.h, never measured. */
static struct variant {
	const char *name, *role, *mode, *version, *path;
	double gbs, dram; /* dram 0: no counters */
	const char *env;  /* NULL: none */
	const char *expect;
	bool force, given_up; /* given_up: no trial of it went through */
} variants[MOST];
static const char *names[MOST];
static unsigned nvariants;
static double noise;
static unsigned lacks_block; /* of the last variant; UINT_MAX: none */
static bool small;           /* 4 KiB to 64 KiB in place of 16 MiB to 256 MiB */
static bool both;            /* 64 KiB in place of 16 MiB, and isolated calls of all */
static const char *coll;     /* of the cells that are written now */
static unsigned further;     /* collectives beside alltoall, 3 at most */
static struct gap gap;

static size_t bytes_of(unsigned size)
{
	if (both && !size)
		return 64 << 10;
	return (size_t)(small ? 4 << 10 : 16 << 20) << 2 * size;
}

/* alltoall: 7 of 8 parts of the buffer leave each of 8 ranks. */
static void stamps(const struct made_place *p, int64_t out[6])
{
	double ns = (double)bytes_of(p->size) * 7 / 8 / variants[p->variant].gbs;
	ns *= 1 + noise * made_noise(p->variant, p->block, p->size);
	out[1] = 10;
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
	if (v->given_up || (p->variant + 1 == nvariants && p->block == lacks_block))
		json_object_set_new(cell, "error", json_string("it failed"));
}

static json_t *describe(const struct variant *v)
{
	char library[64] = "";
	if (strcmp(v->version, "2.28.3"))
		snprintf(library, sizeof library, "/opt/%s/libnccl.so.2", v->version);
	json_t *env = v->env ? json_pack("[s]", v->env) : json_array();
	return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:o, s:s, s:s, s:b, s:s}",
	                 "name", v->name, "role", v->role, "mode", v->mode, "layout",
	                 made_layout(v->mode), "backend", "nccl",
	                 "nccl", library, "path", "auto", "bind", "none", "env", env, "skip",
	                 "", "expect", v->expect ? v->expect : "", "force", (int)v->force,
	                 "nccl_below", *library ? "2.28" : "");
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
			place.counters = false;
			place.isolated = true;
			if (both)
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
	static const char *const others[] = {"sendrecv", "all_reduce", "all_gather"};
	for (unsigned k = 0; k < further; k++)
		for (unsigned i = 0; i < nvariants; i++) {
			coll = others[k];
			if (i != MADE_LIMIT)
				cells(out, i);
		}
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
	static const struct variant no_limit = {.name = "limit",
	                                        .role = "limit",
	                                        .mode = "threads",
	                                        .version = "",
	                                        .path = "",
	                                        .gbs = 1,
	                                        .env = ""};
	if (nvariants == MADE_LIMIT)
		variants[nvariants++] = no_limit;
	variants[nvariants++] = (struct variant){.name = name,
	                                         .role = "variant",
	                                         .mode = mode,
	                                         .version = version,
	                                         .path = path,
	                                         .gbs = gbs,
	                                         .dram = dram};
}

/* What is known of H200s: up to 2.22 threads are direct, later on staged as processes are. */
static void story(void)
{
	put("processes", "processes", "2.28.3", "staged", 315, 4.01);
	put("threads", "threads", "2.28.3", "staged", 317, 4.02);
	put("threads-old", "threads", "2.21.5", "direct", 340, 2.15);
	put("processes-old", "processes", "2.21.5", "staged", 316, 4.01);
}

/* The reference a second time, without which no regime tells variants apart. */
static void put_again(void)
{
	put("threads-again", "threads", "2.28.3", "staged", 317, 4.02);
	variants[nvariants - 1].role = "again";
}

static int fresh(void **state)
{
	(void)state;
	nvariants = 0;
	memset(variants, 0, sizeof variants);
	noise = 0.001;
	lacks_block = UINT_MAX;
	small = both = false;
	further = 0;
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
	if (findings_make(&loaded.summary, NULL, found, &st))
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

/* What the report says of versions. */
static const json_t *said(void)
{
	return json_section(made_report(&made), "versions");
}

/* All that is said of the first collective. */
static const char *told(void)
{
	static char text[VERSIONS_SENTENCES * VERSIONS_SAY_BYTES];
	char sentences[VERSIONS_SENTENCES][VERSIONS_SAY_BYTES];
	assert_true(v->ncolls > 0);
	unsigned n = versions_say(v, 0, sentences);
	text[0] = '\0';
	for (unsigned i = 0; i < n; i++)
		words_add(text, sizeof text, "%s%s", i ? " " : "", sentences[i]);
	return text;
}

static void says(const char *right)
{
	find();
	assert_string_equal(told(), right);
}

static void near(double x, double right)
{
	if (!(fabs(x - right) <= 1e-3 * fabs(right)))
		fail_msg("%g is not %g", x, right);
}

static void versions_are_numbers(void **state)
{
	static const char *const order[] = {"2.9.8",  "2.9.9",   "2.10.3", "2.21.5",
	                                    "2.28.3", "2.28.10", "3.0.1"};
	(void)state;
	for (unsigned i = 0; i < 7; i++)
		for (unsigned k = 0; k < 7; k++)
			assert_int_equal((versions_order(order[i], order[k]) > 0) -
			                     (versions_order(order[i], order[k]) < 0),
			                 (i > k) - (i < k));
}

static void figures_of_two_versions(void **state)
{
	(void)state;
	story();
	find();
	assert_int_equal(v->nrows, 2);
	assert_int_equal(v->nmodes, 2);
	assert_int_equal(v->ncolls, 1);
	const struct versions_coll *c = &v->colls[0];
	assert_int_equal(c->coll, COLL_ALLTOALL);
	assert_int_equal(c->ncells, 3);
	assert_int_equal(c->nblocks, 10);
	assert_int_equal(c->nranks, 8);
	assert_int_equal(c->sizes.lo, 16 << 20);
	assert_int_equal(c->sizes.hi, 256 << 20);
	const struct versions_row *old = &c->rows[0], *new = &c->rows[1];
	assert_string_equal(old->version, "2.21.5");
	assert_string_equal(new->version, "2.28.3");
	near(old->sides[VERSIONS_THREADS].value, 340);
	near(old->sides[VERSIONS_PROCESSES].value, 316);
	near(new->sides[VERSIONS_THREADS].value, 317);
	near(old->verdict.ratio.estimate, 316.0 / 340);
	assert_true(old->verdict.ratio.lo < old->verdict.ratio.estimate);
	assert_int_equal(old->verdict.kind, VERDICT_SLOWER);
	assert_int_equal(new->verdict.kind, VERDICT_LITTLE_SLOWER);
	near(new->sides[VERSIONS_THREADS].change.ratio.estimate, 317.0 / 340);
	assert_int_equal(old->sides[VERSIONS_THREADS].change.kind, VERDICT_UNDECIDED);
	assert_true(old->sides[VERSIONS_THREADS].lo < old->sides[VERSIONS_THREADS].value);
	assert_true(old->sides[VERSIONS_THREADS].hi > old->sides[VERSIONS_THREADS].value);
	assert_string_equal(old->sides[VERSIONS_THREADS].data_path, "direct");
	near(old->sides[VERSIONS_THREADS].dram_per_nvlink, 2.15);
	near(new->sides[VERSIONS_PROCESSES].dram_per_nvlink, 4.01);
}

/* One quantity has one value in a report: a claim's, however the blocks scatter. */
static void bandwidths_are_those_of_claims(void **state)
{
	const struct claim claim = {.name = "slower",
	                            .left = "processes",
	                            .right = "threads",
	                            .test = CLAIM_LESS,
	                            .metric = METRIC_BUSBW,
	                            .by = 0.02,
	                            .bytes = {0, SIZE_MAX},
	                            .regime = CLAIM_ANY_REGIME,
	                            .pace = CLAIM_ANY_PACE,
	                            .coll = CLAIM_ANY_COLL};
	struct claims_result r;
	struct status st = {""};
	(void)state;
	story();
	noise = 0.4;
	find();
	assert_int_equal(claims_judge(&loaded.summary, &claim, &r, &st), 0);
	const struct versions_side *sides = v->colls[0].rows[1].sides;
	assert_string_equal(sides[VERSIONS_THREADS].name, "threads");
	assert_true(fabs(sides[VERSIONS_PROCESSES].value / r.contrast.left_side.value - 1) <
	            1e-9);
	assert_true(fabs(sides[VERSIONS_THREADS].value / r.contrast.right_side.value - 1) <
	            1e-9);
}

static void three_versions_in_order(void **state)
{
	static const char *const order[] = {"2.9.8", "2.21.5", "2.28.3"};
	(void)state;
	story();
	put("threads-oldest", "threads", "2.9.8", "unknown", 300, 0);
	put("processes-oldest", "processes", "2.9.8", "staged", 270, 4);
	find();
	assert_int_equal(v->nrows, 3);
	for (unsigned i = 0; i < 3; i++)
		assert_string_equal(v->colls[0].rows[i].version, order[i]);
	near(v->colls[0].rows[0].verdict.ratio.estimate, 0.9);
	assert_true(isnan(v->colls[0].rows[0].sides[VERSIONS_THREADS].dram_per_nvlink));
}

static void put_nodirect(void)
{
	unsigned first = nvariants + (nvariants == MADE_LIMIT); /* behind the limit's place */
	put("threads-old-nodirect", "threads", "2.21.5", "staged", 200, 4);
	put("processes-old-nodirect", "processes", "2.21.5", "staged", 100, 4);
	put("threads-nodirect", "threads", "2.28.3", "staged", 200, 4);
	put("processes-nodirect", "processes", "2.28.3", "staged", 150, 4);
	for (unsigned i = first; i < nvariants; i++)
		variants[i].env = "NCCL_P2P_DIRECT_DISABLE=1";
}

/* h800_alltoall: several settings on both versions, of which the reference's count. */
static void only_what_differs_in_mode_alone(void **state)
{
	(void)state;
	story();
	put_nodirect();
	find();
	assert_int_equal(v->nrows, 2);
	assert_string_equal(v->missing, "");
	near(v->colls[0].rows[0].verdict.ratio.estimate, 316.0 / 340);
	assert_string_equal(v->colls[0].rows[0].sides[VERSIONS_THREADS].name, "threads-old");
	assert_string_equal(v->colls[0].rows[0].sides[VERSIONS_PROCESSES].name,
	                    "processes-old");
	done(NULL);
	/* Where no version has two modes with the reference's settings, others' do not count.
	 */
	variants[0].env = variants[3].env = "NCCL_X=1";
	find();
	assert_int_equal(v->nrows, 0);
	assert_int_equal(v->ncolls, 0);
	assert_string_equal(v->missing, "");
}

/* What is checked of a variant makes no other variant of it. */
static void what_is_checked_is_no_setting(void **state)
{
	(void)state;
	story();
	put_nodirect();
	variants[0].expect = "staged";
	variants[2].expect = "direct";
	variants[3].force = true;
	find();
	assert_int_equal(v->nrows, 2);
	near(v->colls[0].rows[0].verdict.ratio.estimate, 316.0 / 340);
	near(v->colls[0].rows[1].verdict.ratio.estimate, 315.0 / 317);
}

/* Where the reference's pair lacks a version, that is said: another pair is another question.
 */
static void no_other_pair_takes_its_place(void **state)
{
	(void)state;
	story();
	put_nodirect();
	variants[2].given_up = true;
	find();
	assert_int_equal(v->nrows, 0);
	assert_int_equal(v->ncolls, 0);
	assert_string_equal(v->missing,
	                    "NCCL 2.21.5 is left out: threads-old has no trial that "
	                    "went through.");
	const json_t *sentences = said();
	assert_int_equal(json_array_size(sentences), 1);
	json_assert_text(json_array_get(sentences, 0), "",
	                 "Threads and processes are not compared by version. NCCL 2.21.5 is "
	                 "left out: threads-old has no trial that went through.");
	done(NULL);
	/* Never asked for. */
	variants[2].given_up = false;
	variants[2].env = variants[3].env = "NCCL_X=1";
	find();
	assert_int_equal(v->nrows, 0);
	assert_string_equal(v->missing,
	                    "NCCL 2.21.5 is left out: no variant of threads is like "
	                    "threads there; no variant of processes is like threads "
	                    "there.");
	done(NULL);
	/* Two are enough for a table; the third is named. */
	variants[2].env = variants[3].env = NULL;
	put("threads-oldest", "threads", "2.9.8", "staged", 300, 4);
	put("processes-oldest", "processes", "2.9.8", "staged", 300, 4);
	variants[nvariants - 1].given_up = true;
	put_again();
	find();
	assert_int_equal(v->nrows, 2);
	assert_string_equal(v->missing, "NCCL 2.9.8 is left out: processes-oldest has no trial "
	                                "that went through.");
	sentences = said();
	json_assert_text(json_array_get(sentences, 0), "", v->missing);
	json_assert_one_says(sentences, "With NCCL 2.21.5 processes reach");
}

static void one_version_says_nothing(void **state)
{
	(void)state;
	story();
	variants[2].version = variants[3].version = "2.28.3";
	find();
	assert_int_equal(v->nrows, 0);
	assert_string_equal(v->missing, "");
	done(NULL);
	/* A mode alone is no pair. */
	variants[2].version = variants[3].version = "2.21.5";
	variants[3].mode = "single";
	find();
	assert_int_equal(v->nrows, 0);
	assert_string_equal(v->missing,
	                    "NCCL 2.21.5 is left out: no variant of processes is like "
	                    "threads there.");
}

static void single_where_all_versions_have_it(void **state)
{
	(void)state;
	story();
	put("single-old", "single", "2.21.5", "direct", 338, 0);
	find();
	assert_int_equal(v->nmodes, 2);
	done(NULL);
	put("single", "single", "2.28.3", "staged", 311, 0);
	find();
	assert_int_equal(v->nmodes, 3);
	near(v->colls[0].rows[0].sides[VERSIONS_SINGLE].value, 338);
	near(v->colls[0].rows[1].sides[VERSIONS_SINGLE].value, 311);
	/* What a variant lacks, all are without. */
	done(NULL);
	lacks_block = 3;
	find();
	assert_int_equal(v->colls[0].nblocks, 9);
}

static void sizes_are_the_gaps(void **state)
{
	(void)state;
	story();
	strcpy(gap.from, "processes");
	strcpy(gap.to, "threads");
	gap.bytes = (struct claim_range){64 << 20, SIZE_MAX};
	find();
	assert_int_equal(v->colls[0].ncells, 2);
	assert_int_equal(v->colls[0].sizes.lo, 64 << 20);
	done(NULL);
	gap = (struct gap){.bytes = {0, SIZE_MAX}};
	small = true;
	find();
	assert_int_equal(v->colls[0].ncells, 3);
	assert_int_equal(v->colls[0].sizes.lo, 4 << 10);
	done(NULL);
	strcpy(gap.from, "processes");
	strcpy(gap.to, "threads");
	gap.bytes = (struct claim_range){1 << 20, SIZE_MAX};
	says("Nothing can be said by version: no cell of it was measured here (from "
	     "1 MiB up).");
}

#define OLD_SLOWER                                                                             \
	"With NCCL 2.21.5 processes reach 92.9 % of threads' bandwidth (92.9 to 93.0 %). "
#define NEW_ALIKE                                                                              \
	"With NCCL 2.28.3 processes and threads have the same bandwidth within "               \
	"2 % (0.994, 0.993 to "                                                                \
	"0.994). "

static void sentence_of_threads_that_lost_the_direct_way(void **state)
{
	(void)state;
	story();
	says(OLD_SLOWER NEW_ALIKE
	     "From 2.21.5 to 2.28.3 threads lost bandwidth: from 340 to 317 GB/s; their data "
	     "path went from direct to staged (DRAM bytes per NVLink byte from 2.15 to 4.02); "
	     "processes gained none (316 to 315 GB/s).");
	done(NULL);
	/* Counters that are not there are not spoken of. */
	for (unsigned i = 0; i < nvariants; i++)
		variants[i].dram = 0;
	says(OLD_SLOWER NEW_ALIKE
	     "From 2.21.5 to 2.28.3 threads lost bandwidth: from 340 to 317 GB/s; their data "
	     "path went from direct to staged; processes gained none (316 to 315 GB/s).");
	done(NULL);
	/* Counters that deny it take the path out of the sentence, and so does a log that does
	 * not say it. */
	variants[1].dram = 2.1;
	variants[2].dram = 2.15;
	says(OLD_SLOWER NEW_ALIKE
	     "From 2.21.5 to 2.28.3 threads lost bandwidth: from 340 to 317 GB/s; processes "
	     "gained none (316 to 315 GB/s).");
	done(NULL);
	variants[1].dram = 4;
	variants[2].path = "unknown";
	says(OLD_SLOWER NEW_ALIKE
	     "From 2.21.5 to 2.28.3 threads lost bandwidth: from 340 to 317 GB/s; processes "
	     "gained none (316 to 315 GB/s).");
}

static void sentence_of_processes_that_gained_it(void **state)
{
	(void)state;
	put("processes", "processes", "2.28.3", "direct", 339, 2.14);
	put("threads", "threads", "2.28.3", "direct", 340, 2.15);
	put("threads-old", "threads", "2.21.5", "direct", 340, 2.15);
	put("processes-old", "processes", "2.21.5", "staged", 306, 4.01);
	says("With NCCL 2.21.5 processes reach 90.0 % of threads' bandwidth (90.0 to 90.0 %). "
	     "With NCCL 2.28.3 processes and threads have the same bandwidth within "
	     "2 % (0.997, 0.997 to "
	     "0.997). From 2.21.5 to 2.28.3 processes gained bandwidth: from 306 to 339 GB/s; "
	     "their data path went from staged to direct (DRAM bytes per NVLink byte from "
	     "4.01 to 2.14); threads lost none (340 to 340 GB/s).");
	done(NULL);
	/* Both did something: neither is denied. */
	variants[0].gbs = 323;
	variants[1].gbs = 323;
	variants[1].path = "staged";
	variants[1].dram = 4;
	says("With NCCL 2.21.5 processes reach 90.0 % of threads' bandwidth (90.0 to 90.0 %). "
	     "With NCCL 2.28.3 processes and threads have the same bandwidth within "
	     "2 % (1.000, 1.000 to "
	     "1.000). From 2.21.5 to 2.28.3 threads lost bandwidth: from 340 to 323 GB/s; "
	     "their data path went from direct to staged (DRAM bytes per NVLink byte from "
	     "2.15 to 4.00). From 2.21.5 to 2.28.3 processes gained bandwidth: from 306 to "
	     "323 GB/s; their data path went from staged to direct (DRAM bytes per NVLink "
	     "byte from 4.01 to 2.14).");
}

/* Within the margin nobody is to blame, and nothing is explained. */
static void sentence_without_a_cause(void **state)
{
	(void)state;
	put("processes", "processes", "2.28.3", "staged", 317, 4.01);
	put("threads", "threads", "2.28.3", "staged", 320, 4.02);
	put("threads-old", "threads", "2.21.5", "direct", 325, 2.15);
	put("processes-old", "processes", "2.21.5", "staged", 312, 4.01);
	says("With NCCL 2.21.5 processes reach 96.0 % of threads' bandwidth (96.0 to 96.0 %). "
	     "With NCCL 2.28.3 processes and threads have the same bandwidth within "
	     "2 % (0.991, 0.990 to "
	     "0.991).");
}

/* A mode is cleared by the blamed side of its interval alone, be its verdict undecided. */
static void sentence_clears_whom_the_interval_clears(void **state)
{
	static const struct {
		bool opens; /* the gap: then processes are asked whether they lost bandwidth */
		double lo, hi;
		bool innocent;
	} rows[] = {
	    {false, 0.97, 0.996, true}, {false, 0.97, 1.011, true}, {false, 0.99, 1.021, false},
	    {false, 0.97, 1.03, false}, {false, NAN, NAN, false},   {true, 1.004, 1.03, true},
	    {true, 0.985, 1.03, true},  {true, 0.979, 1.01, false}, {true, 0.97, 1.03, false},
	    {true, NAN, NAN, false},
	};
	(void)state;
	story();
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		for (unsigned k = 0; k < 4; k++)
			variants[k].version = (k < 2) == rows[i].opens ? "2.21.5" : "2.28.3";
		find();
		struct verdict *change =
		    &found->versions.colls[0].rows[1].sides[VERSIONS_PROCESSES].change;
		*change = verdict_of((struct stats_ratio){sqrt(rows[i].lo * rows[i].hi),
		                                          rows[i].lo, rows[i].hi, 10, 0.95},
		                     0.02);
		assert_int_equal(change->kind, VERDICT_UNDECIDED);
		made_says(told(), rows[i].opens ? " threads gained bandwidth: "
		                                : " threads lost bandwidth: ");
		if (!!strstr(told(), rows[i].opens
		                         ? "; processes lost none ("
		                         : "; processes gained none (") != rows[i].innocent)
			fail_msg("row %zu: %s", i, told());
		done(NULL);
	}
}

static void sentence_of_a_gap_that_opens(void **state)
{
	(void)state;
	story();
	for (unsigned i = 0; i < 4; i++)
		variants[i].version = i < 2 ? "2.21.5" : "2.28.3";
	says("With NCCL 2.21.5 processes and threads have the same bandwidth within "
	     "2 % (0.994, 0.993 to "
	     "0.994). With NCCL 2.28.3 processes reach 92.9 % of threads' bandwidth (92.9 to "
	     "93.0 %). From 2.21.5 to 2.28.3 threads gained bandwidth: from 317 to 340 GB/s; "
	     "their data path went from staged to direct (DRAM bytes per NVLink byte from "
	     "4.02 to 2.15); processes lost none (315 to 316 GB/s).");
}

/* Neighbours of one verdict stand together: all of their ratios, and an interval that holds all
 * of theirs. */
static void sentence_takes_neighbours_together(void **state)
{
	(void)state;
	story();
	put("threads-a", "threads", "2.19.3", "direct", 338, 2.1);
	put("processes-a", "processes", "2.19.3", "staged", 304.2, 4);
	put("threads-b", "threads", "2.18.6", "direct", 338, 2.1);
	put("processes-b", "processes", "2.18.6", "staged", 311, 4);
	put("threads-c", "threads", "2.23.4", "staged", 315, 4);
	put("processes-c", "processes", "2.23.4", "staged", 315, 4);
	says("With NCCL 2.18.6 to 2.21.5 processes reach 90.0 to 92.9 % of threads' bandwidth "
	     "(intervals within 90.0 to 93.0 %). With NCCL 2.23.4 to 2.28.3 processes and "
	     "threads have the same bandwidth within 2 % (0.994 to 1.000, intervals within "
	     "0.993 to 1.000). From 2.21.5 to 2.23.4 threads lost "
	     "bandwidth: from 340 to 315 GB/s; their data path went from direct to staged "
	     "(DRAM bytes per NVLink byte from 2.15 to 4.00); processes gained none (316 to "
	     "315 GB/s).");
}

static void sentence_of_what_is_undecided(void **state)
{
	(void)state;
	story();
	made.blocks = 5;
	says("Processes reach 0.929 times threads' bandwidth with NCCL 2.21.5, 0.993 with NCCL "
	     "2.28.3: too few blocks for a verdict.");
	char caption[512];
	caption_versions(v, 0, caption, sizeof caption);
	assert_string_equal(caption,
	                    "With 2.21.5 processes against threads are undecided; with "
	                    "2.28.3 it is undecided");
	done(NULL);
	made.blocks = 10;
	noise = 0.2;
	find();
	made_says(told(), "it is undecided whether processes and threads differ (");
	assert_null(strstr(told(), "too few blocks"));
	assert_null(strstr(told(), "lost"));
	assert_null(strstr(told(), "gained"));
}

static void a_table_for_each_collective(void **state)
{
	(void)state;
	story();
	further = 1;
	find();
	assert_int_equal(v->ncolls, 2);
	assert_int_equal(v->colls[1].coll, COLL_SENDRECV);
	assert_int_equal(v->colls[1].ncells, 3);
}

/* Four collectives have three sentences each; none is cut off. */
static void the_answer_has_all_collectives(void **state)
{
	static const char *const last[] = {"alltoall: From 2.21.5", "sendrecv: From 2.21.5",
	                                   "all_reduce: From 2.21.5",
	                                   "all_gather: From 2.21.5"};
	(void)state;
	story();
	put_again();
	further = 3;
	find();
	const json_t *answer = json_object_get(made_report(&made), "answer");
	for (unsigned i = 0; i < 4; i++)
		json_assert_one_says(answer, last[i]);
}

/* The finding of a version; there is one collective. */
static const json_t *version_finding(const json_t *report, const char *version)
{
	const json_t *findings = json_object_get(report, "findings");
	for (size_t i = 0; i < json_array_size(findings); i++) {
		const json_t *finding = json_array_get(findings, i),
		             *of = json_object_get(finding, "version");
		if (of && !strcmp(json_string_value(of), version))
			return finding;
	}
	fail_msg("no finding of version %s", version);
	return NULL;
}

static void the_report_shows_it(void **state)
{
	(void)state;
	story();
	put_again();
	find();
	const json_t *report = made_report_with(&made, "plot", 0),
	             *old = version_finding(report, "2.21.5"),
	             *new = version_finding(report, "2.28.3");
	json_assert_number(old, "ratio.estimate", 0.929, 1e-3);
	json_assert_number(old, "ratio.blocks", 10, 0);
	json_assert_text(old, "verdict", "slower");
	json_assert_text(old, "collective", "alltoall");
	json_assert_text(new, "verdict", "slower, by under 2 %");
	/* First of all, and again where it is explained. */
	json_assert_one_says(json_object_get(report, "answer"), "With NCCL 2.21.5 ");
	json_assert_one_says(json_section(report, "versions"), "; processes gained none (");
	const json_t *table = json_table(report, "version_alltoall");
	json_keys row = {"version", "2.21.5",         "verdict", "slower", "threads_path",
	                 "direct",  "processes_path", "staged",  NULL};
	json_assert_number(json_cell(table, row, "threads_gbs"), "", 340, 0.5);
	json_assert_number(json_cell(table, row, "processes_gbs"), "", 316, 0.5);
	json_assert_number(json_cell(table, row, "ratio"), "estimate", 0.929, 1e-3);
	json_assert_number(json_cell(table, row, "threads_dram_per_nvlink"), "", 2.15, 1e-5);
	json_assert_number(json_cell(table, row, "processes_dram_per_nvlink"), "", 4.01, 1e-5);
	json_keys later = {"version", "2.28.3", NULL};
	json_assert_number(json_cell(table, later, "threads_gbs"), "", 317, 0.5);
	json_assert_number(json_cell(table, later, "processes_gbs"), "", 315, 0.5);
	const char *text = made_read("report.md");
	if (strstr(text, "there is no gnuplot here"))
		print_message("no gnuplot: the picture is not looked for\n");
	else
		made_says(text,
		          "![With 2.21.5 processes reach 0.929 of threads' bandwidth; "
		          "with 2.28.3 they are as fast](plots/nccl_alltoall_versions.png)");
	text = made_read("plots/run.gp");
	made_says(text, "$versions <<EOD\ncollective,nth,mode,gbs,gbs_lo,gbs_hi,path,ratio");
	made_says(text, "\nalltoall,1,threads,339.9");
	made_says(text, "\nalltoall,1,processes,31");
	made_says(text, ",staged,0.92");
	made_says(text, "\nalltoall,2,threads,31");
	made_says(text, "\nversions = 2\n");
	made_says(text, "N_version[1] = '2.21.5'");
	made_says(text, "N_coll[1] = 'alltoall'");
}

/* Small sizes are judged by latency, beside the bandwidth of large ones; where the A/A line is
 * wider than the margin, neither has a verdict. */
static void each_regime_has_its_own(void **state)
{
	(void)state;
	story();
	put_again();
	both = true;
	find();
	const double us = 65536 * 7 / 8 / 340. / 1000; /* of threads with 2.21.5 */
	const json_t *report = made_report(&made);
	const json_t *table = json_table(report, "version_alltoall_latency");
	json_keys old = {"version", "2.21.5", "verdict", "slower", NULL};
	json_assert_number(json_cell(table, old, "threads_us"), "", us, 0.01 * us);
	json_assert_number(json_cell(table, old, "processes_us"), "", us * 340 / 316,
	                   0.01 * us);
	json_assert_one_says(json_object_get(report, "answer"),
	                     "alltoall, latency: With NCCL 2.21.5 processes take 1.0");
	json_assert_one_says(json_object_get(report, "answer"),
	                     "With NCCL 2.21.5 processes reach ");
	json_assert_one_says(json_section(report, "versions"), "Latency (p50 of isolated");
	assert_null(strstr(made_read("plots/run.gp"), "N_coll[2]"));
	done(NULL);
	noise = 0.2;
	find();
	report = made_report(&made);
	assert_false(json_one_says(json_object_get(report, "answer"), "processes take"));
	assert_false(json_one_says(json_object_get(report, "answer"), "processes reach"));
}

/* One version: neither section nor picture. */
static void the_report_does_without(void **state)
{
	(void)state;
	story();
	variants[2].version = variants[3].version = "2.28.3";
	find();
	const json_t *report = made_report_with(&made, "plot", 0);
	assert_null(json_section(report, "versions"));
	assert_false(json_has_table(report, "version_alltoall"));
	const char *text = made_read("report.md");
	assert_null(strstr(text, "_versions.png"));
	assert_null(strstr(text, "was not drawn"));
	made_says(made_read("plots/run.gp"), "\nversions = 0\n");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fresh, done)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(versions_are_numbers),
	    TEST(figures_of_two_versions),
	    TEST(bandwidths_are_those_of_claims),
	    TEST(three_versions_in_order),
	    TEST(only_what_differs_in_mode_alone),
	    TEST(what_is_checked_is_no_setting),
	    TEST(no_other_pair_takes_its_place),
	    TEST(one_version_says_nothing),
	    TEST(single_where_all_versions_have_it),
	    TEST(sizes_are_the_gaps),
	    TEST(sentence_of_threads_that_lost_the_direct_way),
	    TEST(sentence_of_processes_that_gained_it),
	    TEST(sentence_without_a_cause),
	    TEST(sentence_clears_whom_the_interval_clears),
	    TEST(sentence_of_a_gap_that_opens),
	    TEST(sentence_takes_neighbours_together),
	    TEST(sentence_of_what_is_undecided),
	    TEST(a_table_for_each_collective),
	    TEST(the_answer_has_all_collectives),
	    TEST(each_regime_has_its_own),
	    TEST(the_report_shows_it),
	    TEST(the_report_does_without),
	};
	return cmocka_run_group_tests_name("versions", tests, made_begin, made_end);
}
