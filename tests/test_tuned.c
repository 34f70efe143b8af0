/* A search in a record: what is reported of it and of its confirmation: a real gain, no false one,
 * and nccl.conf. */
#include "made.h"

#include "../harness/run/tuned.h"
#include "../harness/config/family.h"
#include "scratch.h"

enum { SEARCHED = 6, CONFIRMED = 10 };

static const struct made_variant four[MADE_VARIANTS] = {
    {.name = "set-1", .mode = "single"},    {.name = "default", .role = "reference"},
    {.name = "set-2", .mode = "processes"}, {.name = "default-again", .role = "again"},
    {.name = "limit", .role = "limit"},
};
static unsigned confirmed;

/* Log gains of the two sets, small size and large: set-1 gains at one and loses at the other,
 * in the search both seem to gain far more. set-2's is as loud at the small one. */
static double gains[2][2], loud;

static bool is_set(const struct made_place *p)
{
	return p->variant == MADE_SINGLE || p->variant == MADE_PROCESSES;
}

static double gain_usual(const struct made_place *p)
{
	if (!is_set(p))
		return 0;
	return gains[p->variant == MADE_PROCESSES][p->size] + (p->block < SEARCHED ? 0.5 : 0);
}

static double (*gain)(const struct made_place *place);

static void stamps(const struct made_place *p, int64_t out[6])
{
	double noise = (p->variant == MADE_PROCESSES && !p->size ? loud : 0.002) *
	               made_noise(p->variant, p->block, p->size);
	out[1] = 5000;
	out[2] = (int64_t)(1e6 * exp(noise - gain(p)));
}

static json_t *set_json(const json_t *variant, const char *levels)
{
	json_t *set = json_deep_copy(variant);
	made_set(set, "{'role':'search','levels':%s}", levels);
	return set;
}

static const json_t *sets[2];
static const char *levels[2], *keys; /* "KEY VALUE …" */

/* The sets are not variants of the environment; it knows the searched keys. */
static void environment(json_t *env)
{
	json_t *variants = json_object_get(env, "variants");
	sets[0] = set_json(made_variant_of(env, 0), levels[0]);
	sets[1] = set_json(made_variant_of(env, 2), levels[1]);
	json_array_remove(variants, 2);
	json_array_remove(variants, 0);
	json_object_set_new(env, "blocks", json_integer(CONFIRMED));
	json_t *list = json_array();
	char *copy = strdup(keys), *rest = copy, *key;
	while ((key = strsep(&rest, " ")))
		json_array_append_new(list, json_pack("{s:s, s:[s, s]}", "key", key, "values", "",
		                                      strsep(&rest, " ")));
	free(copy);
	json_object_set_new(env, "search", json_pack("{s:o, s:i}", "keys", list, "finalists", 2));
}

static void line(json_t *cell, const struct made_place *p)
{
	if (p->block >= SEARCHED + confirmed)
		made_error(cell);
}

static struct made made;

/* A line of the search for each block, with the sets in the first. */
static void searches(FILE *out)
{
	for (unsigned b = 0; b < made.blocks; b++) {
		json_t *new = json_array();
		for (unsigned i = 0; i < 2 && !b; i++)
			json_array_append(new, (json_t *)(size_t)sets[i]);
		made_line(out, json_pack("{s:i, s:s, s:i, s:i, s:b, s:o, s:[s, s]}", "schema", 1,
		                         "kind", "search", "block", (int)b, "round",
		                         b < SEARCHED ? (int)b : SEARCH_ROUNDS, "confirms",
		                         b >= SEARCHED, "sets", new, "measures", "set-1", "set-2"));
	}
	for (unsigned i = 0; i < 2; i++)
		json_decref((json_t *)(size_t)sets[i]);
}

/* Before each test, which may change any of it. */
FIXTURE(fresh)
{
	static const double usual[2][2] = {{0.30, -0.10}, {0.05, 0.05}};
	made = (struct made){.sizes = 2,
	                     .no_limit = true,
	                     .variants = four,
	                     .environment = environment,
	                     .line = line,
	                     .first = searches,
	                     .stamps = stamps};
	memcpy(gains, usual, sizeof gains);
	loud = 0.002;
	gain = gain_usual;
	levels[0] = "[1, 0]";
	levels[1] = "[0, 1]";
	keys = "env.NCCL_BUFFSIZE 8388608 register local";
}

static void write_record(unsigned confirms)
{
	confirmed = confirms;
	made.blocks = SEARCHED + confirms;
	made_write(&made);
}

static json_t *reported(unsigned confirms)
{
	write_record(confirms);
	assert_works(report_make(made_folder, "/nowhere", NULL, WHY));
	return json_report(made_path("report.json"));
}

static bool confirms_the_first(json_t *line, const char *kind)
{
	if (!strcmp(kind, "search") && json_is_true(json_object_get(line, "confirms")))
		json_array_remove(json_object_get(line, "measures"), 1);
	return true;
}

/* What reads a run finds the variant of each of its cells: it ended by a signal. */
TEST(a_set_that_is_no_finalist_is_the_searchs)
{
	write_record(CONFIRMED);
	cli_edit(made_path("trials.jsonl"), confirms_the_first);
	struct record_run run = cli_record(made_folder);
	assert_int_equal(run.nvariants, 4);
	for (unsigned i = 0; i < run.ncells; i++)
		assert_string_not_equal(run.cells[i].variant, "set-2");
}

/* There are two values of its setting: 0 and 1. */
TEST(a_set_of_what_is_not_searched_is_refused)
{
	struct record_run run;
	levels[0] = "[2, 0]";
	write_record(CONFIRMED);
	assert_refused(record_load(made_folder, &run, WHY), "set-1: \"levels\" is not a place");
}

TEST(what_the_search_saw_is_in_logs_over_the_default)
{
	struct record_run run;
	for (unsigned confirms = 0; confirms <= CONFIRMED; confirms += CONFIRMED) {
		write_record(confirms);
		run = cli_record(made_folder);
		const struct candidates_seen seen = tuned_seen(&run, scratch());
		assert_int_equal(seen.nsets, 2);
		assert_int_equal(seen.ntrials, 2 * SEARCHED);
		for (unsigned t = 0; t < seen.ntrials; t++) {
			const double *g = seen.gains + t * seen.ncells;
			bool first = seen.set_of[t] == 0;
			assert_float_equal(g[0], first ? 0.80 : 0.55, 0.01);
			assert_float_equal(g[1], first ? 0.40 : 0.55, 0.01);
		}
	}
}

static void answer_says(const char *text)
{
	json_says(reported(CONFIRMED), "answer", text);
	assert_says(made_read("nccl.conf"), "# Empty: no set that gains is shown to lose nowhere");
}

/* A cell that the interval leaves open is no loss, and is named; so is a loss. */
TEST(an_open_cell_is_called_no_loss)
{
	loud = 0.2;
	gains[1][1] = 0.3; /* promised more, so tested first */
	answer_says("; undecided in alltoall");
	loud = 0.002;
	gains[1][0] = -0.1;
	answer_says("; slower, 0.905 (");
}

/* What NCCL's log reports of a setting of set-1. */
static const char *logs(const char *act, const char *used, const char *key)
{
	return test_text("{'default':{'p2p_chunk_bytes':524288},'set-1':{'p2p_chunk_bytes':%s,"
	                 "'settings':[{'key':'%s','asked':'8388608','used':'%s','act':'%s',"
	                 "'fact':'p2p_chunk_bytes','why':'never read'}]}}",
	                 used, key, used, act);
}

/* A user need not set a line that did nothing. */
TEST(what_did_nothing_is_left_out_of_the_file)
{
	static const char *const acts[][3] = {
	    {"ignored", "524288", "never read"},
	    {"capped", "524288", "used 524288, as by default"},
	    {"capped", "131072", "used 131072: never read, and so would be the default's 524288"},
	    {"capped", "1048576", NULL}, /* less than asked, and more than the default */
	};
	static struct made_variant own[MADE_VARIANTS];
	memcpy(own, four, sizeof four);
	own[0].env = "NCCL_BUFFSIZE=8388608";
	made.variants = own;
	for (unsigned i = 0; i < LENGTH(acts); i++) {
		made.logs = logs(acts[i][0], acts[i][1], "env.NCCL_BUFFSIZE");
		reported(CONFIRMED);
		char *line = test_text("\n#   left out: NCCL_BUFFSIZE=8388608: %s\n",
		                       acts[i][2] ? acts[i][2] : "");
		const char *conf = made_read("nccl.most.conf");
		assert_says_if(acts[i][2] != NULL, conf, line);
		assert_says_if(acts[i][2] != NULL, conf, "left out");
		/* Page 1 names what was asked with what became of it. */
		assert_says_if(i > 0, made_read("report.md"),
		               test_text("(NCCL used %s)", acts[i][1]));
	}
}

/* Nor is one of the program's named that did nothing. */
TEST(what_did_nothing_is_no_setting_of_the_answer)
{
	made.logs = logs("ignored", "524288", "max_ctas");
	levels[0] = "[1, 1]";
	keys = "env.NCCL_BUFFSIZE 8388608 max_ctas 4";
	json_t *r = reported(CONFIRMED);
	json_says(r, "answer", "NCCL_BUFFSIZE=8388608: up to 1.35");
	assert_says(made_read("nccl.most.conf"), "# and, which no file can say: max_ctas = 4\n");
}

TEST(nothing_is_told_of_the_search_alone)
{
	json_t *r = reported(0);
	assert_false(json_has_table(r, "confirmation"));
	json_says(r, "answer", "Nothing is confirmed");
	assert_lacks(made_read("nccl.conf"), "\nNCCL_");
	assert_says(made_read("report.md"), "No line for NCCL_CONF_FILE came of it");
}

/* Two sets need 6 blocks before any gain can be confirmed: cut off before, the report
 * does not say that there is none. */
TEST(an_unfinished_confirmation_is_called_so)
{
	const unsigned least = family_blocks(2, FAMILY_ALPHA);
	assert_in_range(least, 3, CONFIRMED);
	for (unsigned n = least - 1; n <= least; n++) {
		const bool cut = n < least;
		json_t *r = reported(n);
		json_says(r, "answer", cut ? "Nothing is confirmed yet" : "register=local");
		const char *conf = made_read("nccl.conf");
		assert_says_if(cut, conf, "# Not finished");
		assert_lacks(conf, "defaults stand");
	}
}

/* --- a set with its price, as four GPUs have one --- */

/* Of set-1 and set-2: sendrecv's speed, GPU memory, channels. alltoall loses 14 %. */
static struct {
	double times, memory_mib;
	int channels;
} priced[2];

static bool is_stream(const struct made_place *p)
{
	return !p->isolated;
}

static double gain_priced(const struct made_place *p)
{
	return is_set(p) ? log(p->size ? priced[p->variant == MADE_PROCESSES].times : 0.86) : 0;
}

static void line_priced(json_t *cell, const struct made_place *p)
{
	char *bytes = test_text(
	    "%.0f",
	    (1000 + (is_set(p) ? priced[p->variant == MADE_PROCESSES].memory_mib : 0)) * (1 << 20));
	made_fact(cell, "memory_comm_bytes", bytes);
	made_fact(cell, "memory_calls_bytes", "0");
}

static const char *logs_priced(void)
{
	static const char one[] =
	    "{'p2p_channels':%d,'p2p_channels_per_peer':%d,'coll_channels':24}";
	const char *of[2], *by_default = test_text(one, 32, 32);
	for (unsigned i = 0; i < 2; i++)
		of[i] = test_text(one, priced[i].channels, priced[i].channels);
	return test_text("{'set-1':%s,'set-2':%s,'default':%s}", of[0], of[1], by_default);
}

static json_t *report_priced(void)
{
	static const struct made_call calls[] = {{.collective = "alltoall", .bytes = 4 << 20},
	                                         {.collective = "sendrecv", .bytes = 64 << 20}};
	made.calls = calls;
	made.has = is_stream;
	made.line = line_priced;
	made.logs = logs_priced();
	gain = gain_priced;
	levels[0] = "[1, 1, 0]";
	levels[1] = "[1, 1, 1]";
	keys = "env.NCCL_MIN_P2P_NCHANNELS 64 env.NCCL_P2P_NVL_CHUNKSIZE 65536 "
	       "env.NCCL_CGA_CLUSTER_SIZE 0";
	return reported(CONFIRMED);
}

/* Of sets within 2 % the one that takes less memory, then fewer channels. */
TEST(of_equal_sets_the_cheaper_one_has_the_files)
{
	static const struct {
		double times, memory_mib;
		int channels;
		bool second;
	} rows[] = {{2.09, 2000, 16, false}, {2.05, 500, 64, true},  {2.05, 1000, 16, true},
	            {2.09, 1000, 64, false}, {2.09, 1000, 32, true}, {1.95, 500, 16, false}};
	for (unsigned i = 0; i < LENGTH(rows); i++) {
		priced[0].times = 2.07;
		priced[0].memory_mib = 1000;
		priced[0].channels = 32;
		priced[1].times = rows[i].times;
		priced[1].memory_mib = rows[i].memory_mib;
		priced[1].channels = rows[i].channels;
		report_priced();
		assert_says_if(rows[i].second, made_read("nccl.sendrecv.conf"),
		               "\nNCCL_CGA_CLUSTER_SIZE=0\n");
	}
}

/* --- tuner.csv: rows of the collectives that NCCL's example of a tuner plugin knows, with what
 * NCCL's log named --- */

enum { SMALL_SUM, LARGE_SUM, GATHER, EXCHANGE, CALLS };
static const struct made_call calls[CALLS] = {
    [SMALL_SUM] = {.collective = "all_reduce", .bytes = 65536},
    [LARGE_SUM] = {.collective = "all_reduce", .bytes = 1048576},
    [GATHER] = {.collective = "all_gather", .bytes = 1048576},
    [EXCHANGE] = {.collective = "alltoall", .bytes = 1048576}};
/* set-1 forces an algorithm, set-2 a protocol and the size of the buffers. */
static const double tuner_gains[2][CALLS] = {
    [0] = {[SMALL_SUM] = 0.2, [LARGE_SUM] = -0.1}, [1] = {[GATHER] = 0.2, [EXCHANGE] = 0.2}};

static double gain_tuner(const struct made_place *p)
{
	return is_set(p) ? tuner_gains[p->variant == MADE_PROCESSES][p->size] : 0;
}

/* Bytes are those of a call's count: of all_gather one rank's. */
static char *choices(const char *algorithm, const char *protocol)
{
	return test_text("{'choices':[%s,%s,%s]}",
	                 made_choice("AllReduce", 65536, algorithm, "LL", 8),
	                 made_choice("AllReduce", 1048576, "RING", "SIMPLE", 24),
	                 made_choice("AllGather", 524288, "RING", protocol, 24));
}

static json_t *report_tuner(const char *algorithm, const char *second_key)
{
	made.sizes = CALLS;
	made.calls = calls;
	made.has = is_stream;
	made.logs = test_text("{'default':%s,'set-1':%s,'set-2':%s}", choices("RING", "SIMPLE"),
	                      choices(algorithm, "SIMPLE"), choices("RING", "LL128"));
	gain = gain_tuner;
	levels[0] = "[1, 0, 0]";
	levels[1] = "[0, 1, 1]";
	keys = test_text("env.NCCL_ALGO Tree %s LL128 env.NCCL_BUFFSIZE 8388608", second_key);
	return reported(CONFIRMED);
}

/* The lines that the plugin takes for rows, and the others if it is not to. */
static char *lines_of(bool rows)
{
	static char out[4096];
	char *copy = strdup(made_read("tuner.csv")), *rest = copy;
	out[0] = '\0';
	for (char *line; (line = strsep(&rest, "\n"));) {
		assert_in_range(strlen(line), 0, 254); /* a longer one is two to the plugin */
		if (*line && (*line != '#') == rows) {
			strcat(out, line);
			strcat(out, "\n");
		}
	}
	free(copy);
	return out;
}

TEST(rows_are_those_of_the_log)
{
	const json_t *report = report_tuner("TREE", "env.NCCL_PROTO");
	assert_string_equal(lines_of(true), "allgather,1048576,1048576,ring,simple,24,1,2\n"
	                                    "allreduce,65536,262144,tree,ll,8,1,2\n"
	                                    "allreduce,262145,1048576,ring,simple,24,1,2\n");
	/* What a row cannot say was set too, so that this one is a comment. */
	assert_says(lines_of(false), "# only with NCCL_BUFFSIZE=8388608:\n"
	                             "# allgather,1048576,1048576,ring,ll128,24,1,2\n");
	assert_says(lines_of(false), "# all_reduce, 64 KiB: 1.2");
	json_says(report, "tuning", "NCCL_TUNER_CONFIG_FILE=");
	assert_int_equal(json_rows(json_table(report, "tuner"), JSON_ALL), 4);
}

/* An algorithm that the plugin does not know is Ring to it. */
TEST(what_the_plugin_does_not_know_has_no_row)
{
	report_tuner("NEWTREE", "env.NCCL_PROTO");
	assert_string_equal(lines_of(true), "allgather,1048576,1048576,ring,simple,24,1,2\n"
	                                    "allreduce,65536,262144,ring,ll,8,1,2\n"
	                                    "allreduce,262145,1048576,ring,simple,24,1,2\n");
}

/* Of sets without algorithm, protocol and channels there is nothing to tell it. */
TEST(other_settings_make_no_file)
{
	remove(made_path("tuner.csv")); /* of a test before */
	report_tuner("NEWTREE", "env.NCCL_NTHREADS");
	assert_false(made_has("tuner.csv"));
	assert_true(made_has("nccl.conf"));
}

TESTS(.begin = made_begin, .before = fresh, .end = made_end);
