/* Whether a requested setting acted, by NCCL's log: reported setting by setting, kept in the
 * record, and printed with the factor that it belongs to. */
#include "made.h"

#include "../harness/backend/table.h"
#include "../harness/trial/path.h"

#define HEAD "node1:4242:4243 [0] NCCL INFO "

static char logs[] = "/tmp/launchgap-acted-XXXXXX";

static struct settings asked;
static struct path path; /* of the last log */

FIXTURE(drop)
{
	path_free(&path);
	path = (struct path){0};
}

/* What the backend makes of a log of these lines, with the settings "KEY=value …". */
static void read_log(const char *env, const char *text)
{
	char *rest = test_text("%s", env), *one;
	drop();
	settings_default(&asked);
	while ((one = strsep(&rest, " ")) && *one)
		strcpy(asked.env[asked.nenv++], one);
	cli_write(logs, "path.x", test_text(HEAD "NCCL version 2.28.3+cuda13.0\n%s", text));
	assert_works(backend_find("nccl")->log_path(&asked, logs, "path.", &path, WHY));
	unlink(test_text("%s/path.x", logs));
}

#define CHUNK HEAD "P2P Chunksize set to 524288\n"
#define CHANNELS                                                                                   \
	HEAD "16 coll channels, 16 collnet channels, 0 nvls channels, 32 p2p channels, 16 "        \
	     "p2p channels per peer\n"
#define SET(NAME, VALUE) HEAD NAME " set by environment to " VALUE ".\n"

TEST(each_setting_says_what_became_of_it)
{
	static const struct {
		const char *env, *log, *text;
		enum path_act act;
	} cases[] = {
	    {"NCCL_P2P_NVL_CHUNKSIZE=2097152", SET("NCCL_P2P_NVL_CHUNKSIZE", "2097152") CHUNK,
	     "asked 2097152, used 524288: capped to NCCL_BUFFSIZE / 8", PATH_CAPPED},
	    {"NCCL_P2P_NVL_CHUNKSIZE=524288", SET("NCCL_P2P_NVL_CHUNKSIZE", "524288") CHUNK,
	     "asked 524288, used 524288", PATH_ACTED},
	    {"NCCL_MIN_P2P_NCHANNELS=32", SET("NCCL_MIN_P2P_NCHANNELS", "32") CHANNELS,
	     "asked 32, used 32", PATH_ACTED},
	    {"NCCL_MIN_P2P_NCHANNELS=64", SET("NCCL_MIN_P2P_NCHANNELS", "64") CHANNELS,
	     "asked 64, used 32: capped to what NCCL can launch", PATH_CAPPED},
	    {"NCCL_MAX_P2P_NCHANNELS=24", SET("NCCL_MAX_P2P_NCHANNELS", "24") CHANNELS,
	     "asked 24, used 32: rounded up", PATH_CAPPED},
	    {"NCCL_MAX_NCHANNELS=16", SET("NCCL_MAX_NCHANNELS", "16") CHANNELS, "asked 16, used 16",
	     PATH_ACTED},
	    /* The name that its log once had for NCCL_P2P_MAX_PEERS. */
	    {"NCCL_MAX_P2P_PEERS=4", SET("NCCL_NVLS_ENABLE", "0") CHUNK,
	     "asked 4: NCCL 2.28.3 did not read it in this job", PATH_IGNORED},
	    {"NCCL_BUFFSIZE=16777216", SET("NCCL_BUFFSIZE", "16777216"),
	     "asked 16777216, used as asked", PATH_ACTED},
	    {"NCCL_BUFFSIZE=4M", SET("NCCL_BUFFSIZE", "4"),
	     "asked 4M, used 4: NCCL takes a whole number, without a unit", PATH_CAPPED},
	    {"NCCL_BUFFSIZE=0x400000", SET("NCCL_BUFFSIZE", "4194304"),
	     "asked 0x400000, used as asked", PATH_ACTED},
	    {"NCCL_P2P_NVL_CHUNKSIZE=1K", SET("NCCL_P2P_NVL_CHUNKSIZE", "1") CHUNK,
	     "asked 1K, used 1: NCCL takes", PATH_CAPPED},
	    {"NCCL_LAUNCH_MODE=1", HEAD "NCCL_LAUNCH_MODE set by environment to GROUP\n",
	     "asked 1, used as asked", PATH_ACTED},
	    {"NCCL_BUFFSIZE=99999999999999999999",
	     HEAD "Invalid value 99999999999999999999 for NCCL_BUFFSIZE, using default -2.\n",
	     "asked 99999999999999999999, used NCCL's default: NCCL takes", PATH_CAPPED},
	    {"NCCL_ALGO=Tree",
	     HEAD "NCCL_ALGO set by environment to Tree\n" HEAD
	          "AllReduce: 67108864 Bytes -> Algo RING proto SIMPLE channel{Lo..Hi}={0..15}\n",
	     "asked Tree, used AllReduce RING SIMPLE, 16 channels: not taken", PATH_CAPPED},
	    {"NCCL_PROTO=ll,Simple",
	     HEAD "NCCL_PROTO set by environment to ll,Simple\n" HEAD
	          "AllReduce: 4096 Bytes -> Algo TREE proto LL channel{Lo..Hi}={0..0}\n" HEAD
	          "AllReduce: 67108864 Bytes -> Algo RING proto SIMPLE channel{Lo..Hi}={0..15}\n",
	     "asked ll,Simple, used AllReduce RING SIMPLE, 16 channels", PATH_ACTED},
	};
	for (unsigned i = 0; i < LENGTH(cases); i++) {
		char text[512];
		struct path again;
		read_log(cases[i].env, cases[i].log);
		assert_int_equal(path.nsettings, 1);
		path_setting_text(&path.settings[0], text, sizeof text);
		assert_says(text, cases[i].text);
		assert_int_equal(path.settings[0].act, cases[i].act);
		/* And the same out of the record. */
		json_t *json = path_to_json(&path);
		assert_non_null(json);
		assert_int_equal(path_from_json(json, &again, WHY), 0);
		assert_int_equal(again.nsettings, 1);
		assert_memory_equal(again.settings, path.settings, sizeof *path.settings);
		assert_int_equal(again.p2p_chunk_bytes, path.p2p_chunk_bytes);
		json_decref(json);
		path_free(&again);
	}
}

/* Of a shell, or of /etc/nccl.conf. */
TEST(what_no_variant_asks_for_is_named)
{
	read_log("NCCL_BUFFSIZE=1048576",
	         SET("NCCL_BUFFSIZE", "1048576") SET("NCCL_P2P_DISABLE", "1")
	             SET("NCCL_DEBUG_TIMESTAMP_LEVELS", "ALL") HEAD
	         "NCCL_ALGO set by environment to Ring\n");
	assert_string_equal(path.inherited, "NCCL_P2P_DISABLE=1, NCCL_ALGO=Ring");
}

/* If the log lacks the line, nothing is reported. */
TEST(silence_proves_nothing)
{
	read_log("NCCL_CTA_POLICY=2 NCCL_P2P_DISABLE=0 CUDA_MODULE_LOADING=EAGER NCCL_DEBUG=INFO",
	         CHUNK);
	assert_int_equal(path.nsettings, 0);
}

TEST(figures_are_those_of_the_log)
{
	read_log("", CHUNK CHANNELS HEAD
	         "AllReduce: 16777216 Bytes -> Algo RING proto LL128 channel{Lo..Hi}={0..7}\n" HEAD
	         "AllGather: 16777216 Bytes -> Algo RING proto SIMPLE channel{Lo..Hi}={4..7}\n" HEAD
	         "AllReduce: 67108864 Bytes -> Algo TREE proto SIMPLE channel{Lo..Hi}={0..15}\n");
	assert_int_equal(path.p2p_chunk_bytes, 524288);
	assert_prints("16, 32, 16 a peer", "%u, %u, %u a peer", (unsigned)path.coll_channels,
	              (unsigned)path.p2p_channels, (unsigned)path.p2p_channels_per_peer);
	assert_string_equal(
	    path.algorithms,
	    "AllGather RING SIMPLE, 4 channels; AllReduce TREE SIMPLE, 16 channels");
	/* As 2.19 words it, and a line that is torn. */
	read_log("", HEAD "24 coll channels, 0 nvls channels, 32 p2p channels, 32 p2p "
	                  "channels per peer\n" HEAD "P2P Chunksize set to 5242x\n");
	assert_int_equal(path.p2p_channels_per_peer, 32);
	assert_int_equal(path.p2p_chunk_bytes, 0);
}

/* --- in a report --- */

static void stamps(const struct made_place *p, int64_t out[6])
{
	out[1] = 5000;
	out[2] = 50000 + (int64_t)(100 * made_noise(p->variant, p->block, p->row));
}

/* Only the setting of the chunk distinguishes the two. */
static void environment_of_chunks(json_t *env)
{
	made_set(made_variant_of(env, MADE_PROCESSES),
	         "{'mode':'threads','layout':'1x2x1','env':['NCCL_P2P_NVL_CHUNKSIZE=2097152']}");
}

static void with_library(json_t *line, const struct made_place *p)
{
	(void)p;
	made_fact(line, "library", "2.28.3");
}

static const struct claim_list chunk_factor = {.nfactors = 1,
                                               .factors = {{.name = "chunk",
                                                            .text = "larger chunks",
                                                            .from = "threads",
                                                            .to = "processes",
                                                            .setting = "env.NCCL_P2P_NVL_CHUNKSIZE",
                                                            .bytes = {4096, 65536}}}};

static const struct made made = {.blocks = 8, .sizes = 2, .asked = &chunk_factor, .stamps = stamps};

static const json_t *report_of(const struct made *m, const char *what, const char *here,
                               const char *there)
{
	struct made with = *m;
	with.logs = test_text(
	    "{'threads':{'p2p_chunk_bytes':%s},'processes':{'p2p_chunk_bytes':%s,'settings':["
	    "{'key':'env.NCCL_P2P_NVL_CHUNKSIZE','asked':'2097152','used':'%s','act':'%s',"
	    "'fact':'p2p_chunk_bytes','why':'the reason'}]}}",
	    there, here, here, what);
	return made_report(&with);
}

static struct claim_list asked_of;

/* Of the factor, with its verdict; in the answer, and in the variant's row of the results: 'as fast
 * as' alone says that it acted. A placebo that does nothing is no answer. */
TEST(a_setting_that_did_nothing_is_called_so)
{
	static const struct {
		const char *act, *here, *factor, *variant;
		bool placebo;
	} cases[] = {
	    {"capped", "524288",
	     "env.NCCL_P2P_NVL_CHUNKSIZE changes nothing: asked 2097152, used 524288: the reason; "
	     "without it the same",
	     "NCCL_P2P_NVL_CHUNKSIZE is capped to 524288, as by default", false},
	    {"capped", "1048576", "is not as asked: asked 2097152, used 1048576", NULL, false},
	    {"as asked", "524288", "changes nothing", "NCCL_P2P_NVL_CHUNKSIZE is 524288 anyhow",
	     false},
	    {"ignored", "0", "changes nothing: asked 2097152: the reason",
	     "NCCL_P2P_NVL_CHUNKSIZE is ignored (NCCL 2.28.3 did not read it)", false},
	    {"as asked", "2097152", NULL, NULL, false},
	    {"ignored", "0", "changes nothing", NULL, true},
	};
	for (unsigned i = 0; i < LENGTH(cases); i++) {
		struct made of = made;
		asked_of = chunk_factor;
		asked_of.factors[0].placebo = cases[i].placebo;
		of.asked = &asked_of;
		of.environment = environment_of_chunks;
		of.line = with_library;
		const json_t *r = report_of(&of, cases[i].act, cases[i].here, "524288"),
		             *answer = json_object_get(r, "answer"),
		             *effects = json_table(r, "effects"),
		             *not_acted =
		                 json_cell(effects, JSON_IS("factor", "chunk"), "not_acted"),
		             *verdict = json_cell(effects, JSON_IS("factor", "chunk"), "verdict"),
		             *row = json_cell(json_table(r, "verdicts_small"),
		                              JSON_IS("variant", "processes"), "verdict");
		if (cases[i].factor)
			json_assert_says(not_acted, "", cases[i].factor);
		else
			json_assert_null(not_acted, "");
		assert_says_if(cases[i].factor != NULL, json_string_value(verdict),
		               "NVL_CHUNKSIZE");
		assert_int_equal(json_one_says(answer, "processes is the same as threads: "),
		                 cases[i].variant != NULL);
		if (!cases[i].variant)
			continue;
		json_assert_one_says(answer, cases[i].variant);
		json_assert_says(row, "", cases[i].variant);
		assert_false(json_one_says(answer, "within 2 %: single and processes"));
	}
	/* More than asked is not capped. */
	const json_t *up = report_of(&made, "capped", "4194304", "524288");
	json_assert_text(json_cell(json_table(up, "acted"), JSON_IS("variant", "processes"), "act"),
	                 "", "raised");
}

static const char *launched[2]; /* thread blocks of processes, and of the others */
static bool each_its_own;       /* the larger size is another collective's */

static void says_launched(json_t *line, const struct made_place *p)
{
	made_fact(line, "launched_ctas", launched[p->variant != MADE_PROCESSES]);
	if (each_its_own && p->size && p->variant != MADE_LIMIT)
		json_object_set_new(line, "collective", json_string("sendrecv"));
}

/* NCCL's log does not report settings of each call. The launched kernels do, if calls larger than
 * the smallest of each collective were looked at. */
TEST(what_was_launched_proves_a_setting)
{
	static const struct {
		const char *setting, *here, *there;
		unsigned sizes;
		bool each_its_own, said;
	} cases[] = {
	    {"call_ctas", "alltoall 32", "alltoall 32", 2, false, true},
	    {"cta_policy", "alltoall 32", "alltoall 32", 2, false, true},
	    {"register", "alltoall 32", "alltoall 32", 2, false, false},
	    {"call_ctas", "alltoall 8", "alltoall 32", 2, false, false},
	    {"call_ctas", "alltoall 2", "alltoall 2", 1, false, false},
	    {"call_ctas", "alltoall 2, sendrecv 2", "alltoall 2, sendrecv 2", 2, true, false},
	};
	static struct claim_list of_each_call;
	for (unsigned i = 0; i < LENGTH(cases); i++) {
		struct made of = made;
		of_each_call = chunk_factor;
		strcpy(of_each_call.factors[0].setting, cases[i].setting);
		of_each_call.factors[0].bytes.hi = SIZE_MAX;
		of.asked = &of_each_call;
		of.line = says_launched;
		of.timeline = true;
		of.sizes = cases[i].sizes;
		each_its_own = cases[i].each_its_own;
		launched[0] = cases[i].here;
		launched[1] = cases[i].there;
		const json_t *not_acted =
		    json_cell(json_table(made_report(&of), "effects"),
		              (const char *const[]){"factor", "chunk", NULL}, "not_acted");
		if (cases[i].said)
			json_assert_text(not_acted, "",
			                 test_text("%s changes nothing: thread blocks launched, "
			                           "%s; without it the same",
			                           cases[i].setting, launched[0]));
		else
			json_assert_null(not_acted, "");
	}
}

FIXTURE(begin)
{
	made_begin();
	assert_non_null(mkdtemp(logs));
}

FIXTURE(end)
{
	rmdir(logs);
	made_end();
}

TESTS(.begin = begin, .after = drop, .end = end);
