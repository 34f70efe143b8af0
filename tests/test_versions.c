/* From records to the gap by version of the library: which variants are compared, the figures, and
 * that no half of the sentence is printed without its verdict. The truth in the made-up records is
 * set here. */
#include "made.h"
#include "sentences.h"

#include "query.h"
#include "../harness/data/format.h"
#include "../harness/report/section.h"

#define MOST  12
#define SIZES 3

/* The variants of a record, in this order, and their true values. */
static struct made_variant variants[MOST];
static struct {
	double gbs, dram; /* dram 0: no counters */
} truth[MOST];
static unsigned nvariants;
static double noise;
static unsigned lacks_block; /* of the last variant; UINT_MAX: none */
static bool small;           /* 4 KiB to 64 KiB in place of 16 MiB to 256 MiB */
static bool both;            /* 64 KiB in place of 16 MiB, and isolated calls of all */
static struct made_call calls[SIZES];
static struct made made;
static struct claim_list asked; /* a gap, or nothing */
/* Of the later version's variants all blocks change by as much, from the first to the last. */
static double change_lo, change_hi;
static const char *changes; /* that version; NULL: none */
static double unlike;       /* at the first size variant 0 takes so many times that; 0: once */

/* alltoall: 7 of 8 parts of the buffer leave each of 8 ranks. */
static void stamps(const struct made_place *p, int64_t out[6])
{
	/* The reference does not differ from itself: no regime withholds verdicts. */
	const char *role = variants[p->variant].role;
	const unsigned v = role && !strcmp(role, "again") ? 1 : p->variant;
	double ns = (double)calls[p->size].bytes * 7 / 8 / truth[v].gbs;
	if (changes && !strcmp(variants[v].library, changes))
		ns /= change_lo * pow(change_hi / change_lo, p->block / (made.blocks - 1.));
	if (unlike > 0 && !p->variant && !p->size)
		ns *= unlike;
	ns *= 1 + noise * made_noise(v, p->block, p->size);
	out[1] = 10;
	out[2] = llround(ns * (p->isolated ? 1 : 10));
	out[3] = 10;
}

static bool has(const struct made_place *p)
{
	return both || !p->isolated;
}

static void line(json_t *cell, const struct made_place *p)
{
	if (p->counters && truth[p->variant].dram > 0) {
		struct counters ranks[8];
		for (unsigned r = 0; r < 8; r++) {
			counters_clear(&ranks[r]);
			ranks[r].seconds = 1;
			ranks[r].nvlink_tx_gbs = 300;
			ranks[r].dram_gbs = 300 * truth[p->variant].dram;
		}
		made_counters(cell, ranks, 8);
	}
	if (p->variant + 1 == nvariants && p->block == lacks_block)
		made_error(cell);
}

static void environment(json_t *env)
{
	for (unsigned i = 0; i < nvariants; i++)
		if (variants[i].nccl)
			made_set(made_variant_of(env, i), "{'nccl_below':'2.28'}");
	made_set(env,
	         "{'machine':{'cores':64,'cpu':'a CPU','gpus':[{'name':'GPU'},{'name':'GPU'}]}}");
}

static struct made_loaded loaded;
static bool made_loaded_once;
static struct arena *arena;
static struct db *db;
static json_t *report; /* of the chapter alone */

static void set_version(unsigned variant, const char *version)
{
	static char files[MOST][64];
	snprintf(files[variant], sizeof files[variant], "/opt/%s/libnccl.so.2", version);
	variants[variant].library = version;
	variants[variant].nccl = strcmp(version, "2.28.3") ? files[variant] : NULL;
}

/* Without a path no log was read. */
static void put(const char *name, const char *mode, const char *version, const char *path,
                double gbs, double dram)
{
	assert_true(nvariants < MOST);
	variants[nvariants] = (struct made_variant){.name = name, .mode = mode, .data_path = path};
	truth[nvariants].gbs = gbs;
	truth[nvariants].dram = dram;
	set_version(nvariants++, version);
}

/* Known of H200s: up to 2.22 threads are direct, later on staged as processes are. */
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

static bool has_again(void)
{
	for (unsigned i = 0; i < nvariants; i++)
		if (variants[i].role && !strcmp(variants[i].role, "again"))
			return true;
	return false;
}

FIXTURE(fresh)
{
	nvariants = 0;
	memset(variants, 0, sizeof variants);
	noise = 0.001;
	lacks_block = UINT_MAX;
	small = both = false;
	changes = NULL;
	unlike = 0;
	asked = (struct claim_list){.gap = {.bytes = {0, SIZE_MAX}}};
	made = (struct made){.ranks = 8,
	                     .blocks = 10,
	                     .cores = 64,
	                     .counters = true,
	                     .variants = variants,
	                     .calls = calls,
	                     .asked = &asked,
	                     .has = has,
	                     .environment = environment,
	                     .line = line,
	                     .stamps = stamps};
}

static size_t bytes_of(unsigned size)
{
	if (both && !size)
		return 64 << 10;
	return (size_t)(small ? 4 << 10 : 16 << 20) << 2 * size;
}

static void tell(struct arena *in, void *of)
{
	const char *const versions = "versions";
	struct story told;
	(void)of;
	db = figures_load(&loaded.run, NULL, in, WHY);
	assert_non_null(db);
	story_make(db, &versions, 1, in, &told);
	report = json_pack("{s:[]}", "chapters");
	if (told.nchapters)
		json_array_append_new(json_object_get(report, "chapters"),
		                      section_to_json(told.chapters));
}

static void find(void)
{
	char why[4096];
	variants[1].role = "reference";
	if (!has_again())
		put_again();
	made.nvariants = nvariants;
	made.sizes = SIZES;
	for (unsigned i = 0; i < SIZES; i++)
		calls[i] = (struct made_call){.bytes = bytes_of(i)};
	made_load(&made, &loaded);
	made_loaded_once = true;
	assert_int_equal(arena_run(tell, NULL, &arena), 0);
	if (report && !sentences_right(report, why, sizeof why))
		fail_msg("%s", why);
}

FIXTURE(done)
{
	if (made_loaded_once) {
		made_unload(&loaded);
		arena_free(arena);
		json_decref(report);
	}
	made_loaded_once = false;
}

/* The i-th text of the chapter's section, or "". */
static const char *said(unsigned i)
{
	const json_t *sentences =
	    json_object_get(json_array_get(json_object_get(report, "chapters"), 0), "sentences");
	for (size_t k = 0; k < json_array_size(sentences); k++) {
		const json_t *one = json_array_get(sentences, k);
		const char *role =
		    json_string_value(json_array_get(json_object_get(one, "roles"), 0));
		if (!strcmp(role, "body") && !i--)
			return json_string_value(json_object_get(one, "text"));
	}
	return "";
}

/* All sentences about the first collective. */
static const char *told(void)
{
	return said(strstr(said(0), "is left out") ? 1 : 0);
}

static const json_t *figure(const char *version, const char *column)
{
	return json_cell(json_table(report, "version_alltoall"), JSON_IS("version", version),
	                 column);
}

static double ratio(const char *version)
{
	return json_number_value(json_at(figure(version, "ratio"), "estimate"));
}

static const json_t *side(const char *version, const char *mode, const char *column)
{
	return json_cell(json_table(report, "versions"), JSON_IS("version", version, "mode", mode),
	                 column);
}

static double value(const char *version, const char *mode)
{
	return json_number_value(json_at(side(version, mode, "value"), "value"));
}

static const json_t *about(const char *column)
{
	return json_cell(json_table(report, "versions_of"), JSON_IS("collective", "alltoall"),
	                 column);
}

static void says(const char *right)
{
	find();
	assert_string_equal(told(), right);
}

/* Within a thousandth. */
#define near(IS, WANTED) assert_close(IS, WANTED, 1e-3)

/* One quantity has one value in a report: a claim's, however the blocks scatter. */
TEST(bandwidths_are_those_of_claims)
{
	made_claim(&asked, METRIC_BUSBW, CLAIM_LESS, "processes", "threads");
	story();
	noise = 0.4;
	find();
	json_assert_text(side("2.28.3", "threads", "variant"), "", "threads");
	assert_true(
	    fabs(value("2.28.3", "processes") / query_number(db, "SELECT left_value FROM claimed") -
	         1) < 1e-5);
	assert_true(
	    fabs(value("2.28.3", "threads") / query_number(db, "SELECT right_value FROM claimed") -
	         1) < 1e-5);
}

/* Number by number: 2.9 is below 2.21. */
TEST(versions_in_order)
{
	story();
	put("threads-oldest", "threads", "2.9.8", "unknown", 300, 0);
	put("processes-oldest", "processes", "2.9.8", "staged", 270, 4);
	put("threads-new", "threads", "2.28.10", "staged", 300, 4);
	put("processes-new", "processes", "2.28.10", "staged", 300, 4);
	find();
	json_assert_text(about("versions"), "", "2.9.8 2.21.5 2.28.3 2.28.10");
	near(ratio("2.9.8"), 0.9);
	json_assert_null(side("2.9.8", "threads", "dram"), "");
}

static void put_nodirect(void)
{
	unsigned first = nvariants;
	put("threads-old-nodirect", "threads", "2.21.5", "staged", 200, 4);
	put("processes-old-nodirect", "processes", "2.21.5", "staged", 100, 4);
	put("threads-nodirect", "threads", "2.28.3", "staged", 200, 4);
	put("processes-nodirect", "processes", "2.28.3", "staged", 150, 4);
	for (unsigned i = first; i < nvariants; i++)
		variants[i].env = "NCCL_P2P_DIRECT_DISABLE=1";
}

/* h800_alltoall: several settings on both versions, of which the reference's count. */
TEST(only_what_differs_in_mode_alone)
{
	story();
	put_nodirect();
	find();
	assert_int_equal(json_count(report, "version_alltoall"), 2);
	assert_int_equal(json_count(report, "versions_remarks"), 0);
	near(ratio("2.21.5"), 316.0 / 340);
	json_assert_text(side("2.21.5", "threads", "variant"), "", "threads-old");
	json_assert_text(side("2.21.5", "processes", "variant"), "", "processes-old");
	done();
	/* Where no version has two modes with the reference's settings, others' do not count.
	 */
	variants[0].env = variants[3].env = "NCCL_X=1";
	find();
	assert_int_equal(json_array_size(json_object_get(report, "chapters")), 0);
}

/* What is checked of a variant makes no other variant of it. */
TEST(what_is_checked_is_no_setting)
{
	story();
	put_nodirect();
	variants[3].force = true;
	find();
	near(ratio("2.21.5"), 316.0 / 340);
	near(ratio("2.28.3"), 315.0 / 317);
}

/* The text says which of several variants represents a mode. */
TEST(of_several_the_first_is_named)
{
	story();
	put("processes-by-2", "processes", "2.28.3", "staged", 200, 4);
	put("processes-by-4", "processes", "2.28.3", "staged", 200, 4);
	find();
	near(ratio("2.28.3"), 315.0 / 317);
	assert_says(said(2), "Of several variants of processes with NCCL 2.28.3 the first is "
	                     "compared, processes, and not processes-by-2, processes-by-4. Data");
}

/* If the reference's pair lacks a version, that is reported: another pair is another question. */
TEST(no_other_pair_takes_its_place)
{
	story();
	put_nodirect();
	variants[2].fails = true;
	find();
	assert_int_equal(json_count(report, "versions_of"), 0);
	assert_string_equal(said(0),
	                    "Threads and processes are not compared by version. NCCL 2.21.5 is "
	                    "left out: threads-old has no trial that went through.");
	assert_string_equal(said(1), "");
	done();
	/* Never asked for. */
	variants[2].fails = false;
	variants[2].env = variants[3].env = "NCCL_X=1";
	find();
	assert_string_equal(said(0), "Threads and processes are not compared by version. "
	                             "NCCL 2.21.5 is left out: no variant of threads is like "
	                             "threads there; no variant of processes is like threads "
	                             "there.");
	done();
	/* Two are enough for a table; the third is named. */
	variants[2].env = variants[3].env = NULL;
	put("threads-oldest", "threads", "2.9.8", "staged", 300, 4);
	put("processes-oldest", "processes", "2.9.8", "staged", 300, 4);
	variants[nvariants - 1].fails = true;
	find();
	assert_int_equal(json_count(report, "version_alltoall"), 2);
	assert_string_equal(said(0), "NCCL 2.9.8 is left out: processes-oldest has no trial "
	                             "that went through.");
	assert_says(said(1), "With NCCL 2.21.5 at 16 MiB to 256 MiB processes reach");
}

/* A mode alone is no pair. */
TEST(one_mode_says_nothing)
{
	story();
	variants[3].mode = "single";
	find();
	assert_string_equal(said(0), "Threads and processes are not compared by version. NCCL "
	                             "2.21.5 is left out: no variant of processes is like "
	                             "threads there.");
}

TEST(single_where_all_versions_have_it)
{
	story();
	put("single-old", "single", "2.21.5", "direct", 338, 0);
	find();
	json_assert_text(about("modes"), "", "threads processes");
	done();
	put("single", "single", "2.28.3", "staged", 311, 0);
	find();
	json_assert_text(about("modes"), "", "threads single processes");
	near(value("2.21.5", "single"), 338);
	near(value("2.28.3", "single"), 311);
	/* What a variant lacks, all are without. */
	done();
	lacks_block = 3;
	find();
	json_assert_number(about("blocks"), "", 9, 0);
}

TEST(sizes_are_the_gaps)
{
	story();
	made_gap(&asked, "processes", "threads", 64 << 20);
	find();
	json_assert_text(about("sizes"), "", "64 MiB to 256 MiB");
	done();
	asked.gap = (struct gap){.bytes = {0, SIZE_MAX}};
	small = true;
	find();
	json_assert_text(about("sizes"), "", "4 KiB to 64 KiB");
	done();
	made_gap(&asked, "processes", "threads", 1 << 20);
	says("Nothing can be said by version: no cell of it was measured here (from "
	     "1 MiB up).");
}

TEST(sentence_of_processes_that_gained_it)
{
	static const char gained[] =
	    " From 2.21.5 to 2.28.3 processes gained bandwidth: from 306 to %u GB/s at 64 MiB; "
	    "their data path went from staged to direct (DRAM bytes per NVLink byte from 4.01 to "
	    "2.14)%s.";
	put("processes", "processes", "2.28.3", "direct", 339, 2.14);
	put("threads", "threads", "2.28.3", "direct", 340, 2.15);
	put("threads-old", "threads", "2.21.5", "direct", 340, 2.15);
	put("processes-old", "processes", "2.21.5", "staged", 306, 4.01);
	find();
	assert_says(told(), test_text(gained, 339, "; threads went from 340 to 340 GB/s"));
	done();
	/* Both did something: neither is denied. */
	truth[0].gbs = truth[1].gbs = 323;
	variants[1].data_path = "staged";
	truth[1].dram = 4;
	find();
	assert_says(told(), test_text(gained, 323, ""));
	assert_says(told(), " threads lost bandwidth: from 340 to 323 GB/s");
	assert_lacks(told(), " went from 340");
}

/* A ratio above 1 is times, not per cent. */
TEST(sentence_of_faster_processes)
{
	story();
	truth[0].gbs = 1.25 * truth[1].gbs;
	find();
	assert_says(
	    told(),
	    "With NCCL 2.28.3 at 16 MiB to 256 MiB processes reach 1.250 times threads' bandwidth "
	    "(1.250 to 1.250). From 2.21.5 to 2.28.3 threads lost bandwidth: ");
	done();
	/* Where one size is on the other side there is no mean. */
	unlike = 1.25 / 0.99;
	find();
	assert_says(told(),
	            "With NCCL 2.28.3 at 16 MiB to 256 MiB processes reach 0.990 to 1.250 times "
	            "threads' bandwidth, by size.");
}

/* A mode is cleared by the blamed side of its interval alone, be its verdict undecided. Six
 * blocks have the interval from the least to the most. */
TEST(sentence_clears_whom_the_interval_clears)
{
	static const struct {
		bool opens; /* the gap: then processes are asked whether they lost bandwidth */
		double lo, hi;
		bool innocent;
	} rows[] = {
	    {false, 0.97, 0.996, true}, {false, 0.97, 1.011, true}, {false, 0.99, 1.021, false},
	    {false, 0.97, 1.03, false}, {true, 1.004, 1.03, true},  {true, 0.985, 1.03, true},
	    {true, 0.979, 1.01, false}, {true, 0.97, 1.03, false},
	};
	story();
	truth[0].gbs = truth[3].gbs;
	made.blocks = 6;
	noise = 0;
	changes = "2.28.3";
	for (size_t i = 0; i < LENGTH(rows); i++) {
		for (unsigned k = 0; k < 4; k++)
			set_version(k, (k < 2) == rows[i].opens ? "2.21.5" : "2.28.3");
		change_lo = rows[i].lo;
		change_hi = rows[i].hi;
		find();
		const json_t *change = side("2.28.3", "processes", "change");
		json_assert_number(change, "lo", rows[i].lo, 1e-5);
		json_assert_number(change, "hi", rows[i].hi, 1e-5);
		assert_says(told(), rows[i].opens ? " threads gained bandwidth: "
		                                  : " threads lost bandwidth: ");
		if (!!strstr(told(), "; processes went from ") != rows[i].innocent)
			fail_msg("row %zu: %s", i, told());
		done();
	}
}

TEST(sentence_of_what_is_undecided)
{
	story();
	made.blocks = 5;
	says("With NCCL 2.21.5 and 2.28.3 at 16 MiB to 256 MiB processes reach 0.929 to 0.993 "
	     "times threads' bandwidth by version: too few blocks for a verdict.");
	json_assert_text(about("caption"), "",
	                 "16 MiB to 256 MiB: with 2.21.5 and 2.28.3 processes reach 0.929 to 0.993 "
	                 "times threads' bandwidth by version: too few blocks for a verdict");
	done();
	made.blocks = 10;
	noise = 0.2;
	find();
	assert_says(told(), "it is undecided whether processes and threads differ (");
	assert_lacks(told(), "too few blocks");
	assert_lacks(told(), "lost");
	assert_lacks(told(), "gained");
}

/* Small sizes are judged by latency, and large ones by bandwidth; if the A/A line is wider than the
 * margin, neither has a verdict. */
TEST(each_regime_has_its_own)
{
	story();
	put_again();
	both = true;
	find();
	const double us = 65536 * 7 / 8 / 340. / 1000; /* of threads with 2.21.5 */
	const json_t *page = made_report(&made);
	const json_t *table = json_table(page, "version_alltoall_latency");
	json_keys old = {"version", "2.21.5", "verdict", "slower", NULL};
	json_assert_number(json_cell(table, old, "threads_us"), "", us, 0.01 * us);
	json_assert_number(json_cell(table, old, "processes_us"), "", us * 340 / 316, 0.01 * us);
	json_says(page, "answer",
	          "alltoall, latency: With NCCL 2.21.5 at 64 KiB processes take 1.0");
	json_says(page, "answer", "With NCCL 2.21.5 at 64 MiB to 256 MiB processes reach ");
	json_says(page, "versions", "Latency (p50 of isolated");
	json_says(
	    page, "versions",
	    "From 2.21.5 to 2.28.3 latency of threads rose: from 0.169 to 0.181 µs at 64 KiB; "
	    "that of processes went from 0.181 to 0.182 µs.");
	json_keys latency = {"metric", "latency", NULL};
	json_assert_null(json_cell(json_table(page, "versions_of"), latency, "caption"), "");
	done();
	noise = 0.2;
	find();
	page = made_report(&made);
	json_lacks(page, "answer", "processes take");
	json_lacks(page, "answer", "processes reach");
}

TESTS(.begin = made_begin, .end = made_end, .before = fresh, .after = done);
