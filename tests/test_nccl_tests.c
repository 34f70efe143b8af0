/* JSON of nccl-tests: the values that are read from it, and that no damaged file is believed. */

#include "../harness/compare/side.h"
#include "here.h"
#include "query.h"

/* A run of alltoall over 4 GPUs, in the form of version 2.19.6. */
static const char *plain;

FIXTURE(begin)
{
	plain = test_quotes(
	    "{'version':3,'start_time':'2026-11-21 08:57:58','args':['./build/alltoall_perf',"
	    "'-t','1','-g','4','-a','3','-J','x.json'],'env':['TOKEN=SECRET','HOME=\\/SECRET'],"
	    "'nccl_version':22803,'config':{'nthreads':1,'ngpus':4,'minimum_bytes':4096,"
	    "'maximum_bytes':16384,'step_factor':4,'warmup_iters':5,'iterations':20,"
	    "'aggregated_iterations':1,'validation':1,'graph':0,'blocking_collectives':'false',"
	    "'per_iter_timing':'false','devices':[{'rank':0,'group':0,'pid':1236,"
	    "'hostname':'node','device':0,'device_hex':'0000:00:06',"
	    "'device_info':'NVIDIA H200'}]},'results':[{'size':4096,'count':256,'type':'float',"
	    "'redop':'none','root':'    -1','out_of_place':{'time':21.5,'alg_bw':0.1,"
	    "'bus_bw':0.1,'nwrong':0},'in_place':{'time':20.5,'alg_bw':0.1,'bus_bw':0.1,"
	    "'nwrong':null},'actual_iterations':20,'experiment_name':''},{'size':16384,"
	    "'count':1024,'type':'float','redop':'none','root':'    -1',"
	    "'out_of_place':{'time':22,'alg_bw':0.7,'bus_bw':0.5,'nwrong':0},'in_place':null,"
	    "'actual_iterations':20,'experiment_name':''}],'out_of_bounds':{'count':0,"
	    "'okay':'true'},'errors':[''],'end_time':'x'}");
	set_up();
}

/* The plain file with one piece of it replaced; both have ' for ". */
static const char *with(const char *what, const char *by)
{
	const char *at = strstr(plain, test_quotes(what));
	assert_non_null(at);
	return test_text("%.*s%s%s", (int)(at - plain), plain, test_quotes(by), at + strlen(what));
}

static const char *path_of(const char *name)
{
	return test_text("%s/%s", folder, name);
}

static struct side side; /* the last one */

/* Loads; "" or its message. The environment must never be in it. */
static const char *load(const char *path, const char *variant)
{
	side = (struct side){
	    .arena = scratch(), .db = db_open(scratch()), .letter = "A", .path = path};
	assert_false(db_run_text(side.db, "harness/compare/sides.sql", WHY) ||
	             db_run_text(side.db, "harness/compare/compared.sql", WHY));
	const int result = source_load(&side, variant, WHY);
	assert_int_equal(result, because()[0] ? -1 : 0);
	assert_lacks(because(), "SECRET");
	return because();
}

static void loads(const char *path, const char *variant)
{
	assert_string_equal(load(path, variant), "");
}

static void refuses(const char *path, const char *variant, const char *words)
{
	assert_says(load(path, variant), words);
}

/* A file with this text. */
static void given(const char *name, const char *text)
{
	cli_write(folder, name, text);
	loads(path_of(name), NULL);
}

static void misgiven(const char *name, const char *text, const char *words)
{
	cli_write(folder, name, text);
	refuses(path_of(name), NULL, words);
}

/* Two files as one side. */
static const char *both(const char *one, const char *other)
{
	return test_text("%s/%s,%s/%s", folder, one, folder, other);
}

/* Of a variant at a size the time in each trial, µs. */
static const char *us(const char *variant, unsigned bytes, bool in_place)
{
	return query(side.db, test_text("SELECT median(us) FROM time JOIN series "
	                                "USING (kind, variant, size) WHERE collective = "
	                                "'alltoall' AND dtype = 'float32' AND variant = '%s' AND "
	                                "size = %u AND in_place = %d GROUP BY block",
	                                variant, bytes, in_place));
}

/* What its last file says of a column of nccl_run. */
static const char *told(const char *column)
{
	return query(side.db,
	             test_text("SELECT %s FROM nccl_run ORDER BY rowid DESC LIMIT 1", column));
}

static void has(unsigned series)
{
	assert_near(query_number(side.db, "SELECT count(*) FROM series"), series, 0);
}

static void says(const char *fact, const char *text)
{
	const char *sql = test_text("SELECT value FROM stated WHERE name = '%s'", fact);
	query_gives(side.db, sql, text);
}

/* Of its first cell. */
static void begins(const char *columns, const char *values)
{
	const char *sql = test_text("SELECT %s FROM series WHERE id = 1", columns);
	query_gives(side.db, sql, values);
}

TEST(rows_become_series)
{
	given("one.json", plain);
	has(3);
	assert_string_equal(us("single", 4096, false), "21.5");
	assert_string_equal(us("single", 4096, true), "20.5");
	assert_string_equal(us("single", 16384, false), "22.0");
	assert_string_equal(us("single", 16384, true), "");
	says("program", "nccl-tests");
	says("library", "2.28.3");
	says("ranks", "4");
	says("backend", "nccl");
	says("machine", "node: NVIDIA H200");
	says("measured", "2026-11-21 08:57:58");
	assert_string_equal(told("average"), "3");
	assert_string_equal(told("manner"), "");
	assert_string_equal(told("unchecked"), "0");
	assert_false(side.torn);
	/* A run that ended early closes its file too. */
	given("one.json", with(",'end_time':'x'", ""));
	assert_true(side.torn);
}

/* Without PyTorch: only what saves a run is called. */
TEST(what_our_own_pytorch_program_saves_is_whole)
{
	cli_write(
	    folder, "save.py",
	    "import sys\nfrom unittest.mock import MagicMock as M\n"
	    "torch = M(__version__='2')\n"
	    "sys.modules.update({'torch': torch, 'torch.distributed': torch})\n"
	    "to, sys.argv, own = sys.argv[1], ['x', '--help'], {}\n"
	    "try:\n    exec(open('experiments/torch_p2p.py').read(), own)\n"
	    "except SystemExit:\n    pass\n"
	    "row = {'size': 4096, 'count': 1024, 'type': 'float', 'redop': 'none', 'root': -1,\n"
	    "       'out_of_place': {'time': 2.0, 'alg_bw': 2.0, 'bus_bw': 1.0, 'nwrong': 0},\n"
	    "       'in_place': None}\n"
	    "ranks = [{'rank': r, 'group': 0, 'hostname': 'h', 'device_info': 'CPU'} for r in (0, "
	    "1)]\n"
	    "own['save'](to, 'alltoall', [row], ranks, M(backend='gloo', calls=1, warmup=1))\n");
	cli_expect(here_shell("python3 $HERE/save.py $HERE/saved"), 0, "usage: x");
	loads(path_of("saved"), NULL);
	has(1);
	assert_false(side.torn);
}

TEST(what_it_says_of_itself)
{
	static const char *const programs[] = {"C:\\\\x\\\\alltoall_perf.exe",
	                                       "./nccl_alltoall_perf"};
	for (unsigned i = 0; i < 2; i++) {
		given("one.json", with("./build/alltoall_perf", programs[i]));
		has(3);
	}
	given("own.json", with("'version':3", "'launchgap':{'backend':'host'}"));
	says("program", "launchgap");
	says("backend", "host");
	given("env.json", with("TOKEN=SECRET", "NCCL_P2P_DISABLE=1"));
	says("layout", "1x1x4");
	assert_near(query_number(side.db, "SELECT count(*) FROM variable"), 1, 0);
	misgiven("failed.json", with("'errors':['']", "'errors':['it broke']"),
	         "is of a run that failed: it broke");
}

#define HEAD(tag)                                                                                  \
	tag "# nThread 1 nGpus 2 minBytes 4096 warmup iters: 5 iters: 20 validation: 1\n" tag      \
	    "#   Rank  0 Pid   1001 on      hosta device  0 [0x07] NVIDIA A100\n" tag              \
	    "#   Rank  1 Pid   1001 on      hosta device  1 [0x0a] NVIDIA A100\n"
#define OLD(tag, end)                                                                              \
	HEAD(tag)                                                                                  \
	tag "#   size  count  type  time  algbw  busbw  error  time  algbw  busbw  error\n" tag    \
	    "    4096   1024 float 21.5   0.10   0.10  0e+00  20,5   0.10   0.10  0e+00" end
#define NEW(wrong)                                                                                 \
	HEAD("")                                                                                   \
	"#   size  count  type  redop  root  time  algbw  busbw #wrong  time  algbw  busbw "       \
	"#wrong\n"                                                                                 \
	"    4096   1024 float   none    -1  21.5   0.10   0.10      " wrong                       \
	"  20.5   0.10   0.10    N/A\n"

/* Most of what people publish. */
TEST(text_is_read_into_the_same_rows)
{
	static const char *const texts[] = {OLD("", "\n"),
	                                    OLD("", "\r\n"),
	                                    OLD("[1,0]<stdout>:", "\n"),
	                                    OLD("2026-11-28T10:00:01 ", "\n    81"),
	                                    OLD("\033[32m", "\033[0m\n"),
	                                    NEW("0")};
	for (unsigned i = 0; i < LENGTH(texts); i++) {
		given("alltoall_perf.txt", texts[i]);
		has(2);
		assert_string_equal(us("single", 4096, false), "21.5");
		assert_string_equal(us("single", 4096, true), "20.5");
		says("machine", "hosta: NVIDIA A100");
		assert_string_equal(told("others"), "-w 5"); /* 20 iterations are its default */
	}
	cli_write(folder, "x.txt", texts[0]);
	cli_expect(
	    here_shell("cd $HERE && { cat alltoall_perf.txt; echo '# Avg bus bandwidth : 1'; } "
	               ">alltoall_perf && $LAUNCHGAP compare alltoall_perf alltoall_perf.txt"),
	    0, "- B: a file without its end: the run did not end, or it was cut off.");
	refuses(path_of("x.txt"), NULL, "may be called all_reduce_perf.txt");
	misgiven("alltoall_perf.txt", HEAD("") "    40", "no whole row of times: was it cut off?");
	misgiven("alltoall_perf.txt", NEW("3"), "3 wrong elements");
	misgiven("alltoall_perf.txt", NEW("0") "# Out of bounds values : 3 FAILED\n",
	         "its check says FAILED");
	misgiven("alltoall_perf.csv", "size,count,type\n4096,1024,float\n", "option -J FILE");
}

/* A file's times of 4 KiB are of this variant; what it says of the program. */
static void reads(const char *name, const char *text, const char *variant, const char *program)
{
	given(name, test_quotes(text));
	has(2);
	assert_string_equal(us(variant, 4096, false), "21.5");
	assert_string_equal(us(variant, 4096, true), "20.5");
	says("ranks", "2");
	says("program", program);
	assert_string_equal(told("unchecked"), "0"); /* what is not said, too */
}

#define COLUMNS "# size count type redop root time algbw busbw #wrong time algbw busbw #wrong "
#define VALUES  "4096 1024 float none -1 21.5 0.1 0.1 0 20.5 0.1 0.1 N/A "

/* rccl-tests has a column more; the first versions of nccl-tests had other columns, milliseconds,
 * and no layout. A layout that is not known has no mode's name. */
TEST(text_of_others_is_read)
{
	static const char text[] = "alltoall_perf.txt";
	reads(text, HEAD("") "rccl-tests: Version develop:1\n" COLUMNS "algo\n" VALUES "Ring\n",
	      "single", "rccl-tests");
	reads(text,
	      "#   Rank  0 on  hosta device  0 [0x07] P100\n#   Rank  1 on  hosta device  1 [0x08] "
	      "P100\n#  bytes  N  type  time  algbw busbw res  time  algbw busbw res\n"
	      "4096 1024 float 0.0215 0.1 0.1 0e+00 0.0205 0.1 0.1 0e+00\n",
	      "2-ranks", "nccl-tests");
	cli_write(folder, text, HEAD("") HEAD("") COLUMNS "\n" VALUES "\n");
	refuses(path_of(text), NULL, "rank 0 twice");
	cli_write(folder, text, COLUMNS "\n" VALUES "\n");
	refuses(path_of(text), NULL, "of text: the lines # Rank");
}

/* A file that cannot be read says whose it is, and what to give in its place. */
TEST(what_is_not_read_is_named)
{
	// clang-format off
	static const char *const files[][3] = {
	    {"x.csv", "size,seconds\n8,2\n", "neither JSON nor text of nccl-tests"},
	    {"x.json", "[{'size':8}]", "JSON of another program"},
	    {"x.json", "{'a':1}", "JSON of another program"},
	    {"x.txt", "hello\n", "neither JSON nor text of nccl-tests"},
	    {"x.json", "{'schema':2,'launchgap':'1'}", "launchgap's report.json; give the folder of its run"},
	};
	// clang-format on
	for (size_t i = 0; i < LENGTH(files); i++) {
		misgiven(files[i][0], test_quotes(files[i][1]), files[i][2]);
		if (!strstr(files[i][2], "launchgap"))
			refuses(path_of(files[i][0]), NULL, "option -J FILE");
	}
}

/* Of a folder its JSON is read; its text, if there is none. */
TEST(a_folder_of_text_is_read)
{
	assert_int_equal(mkdir(path_of("texts"), 0777), 0);
	cli_write(folder, "texts/alltoall_perf.1.txt", NEW("0"));
	cli_write(folder, "texts/alltoall_perf.2.log", NEW("0"));
	loads(path_of("texts"), NULL);
	assert_string_equal(us("single", 4096, false), "21.5; 21.5");
	cli_write(folder, "texts/x.json", plain);
	loads(path_of("texts"), NULL);
	assert_string_equal(us("single", 4096, false), "21.5");
}

#define DEVICE "{'rank':0,'group':0,'hostname':'node','device_info':'NVIDIA H200'}"

TEST(the_layout_names_the_variant)
{
	static const struct {
		const char *devices, *name;
		unsigned threads, gpus;
	} layouts[] = {{DEVICE, "single", 1, 4},
	               {DEVICE, "threads", 4, 1},
	               {DEVICE "," DEVICE, "processes", 1, 1},
	               {DEVICE, "single", 1, 1},
	               {DEVICE "," DEVICE, "2x3x2", 3, 2}};
	for (size_t i = 0; i < LENGTH(layouts); i++) {
		char *text =
		    test_text("{'args':['alltoall_perf_mpi'],'config':{'nthreads':%u,'ngpus':%u,"
		              "'devices':[%s]},%s",
		              layouts[i].threads, layouts[i].gpus, layouts[i].devices,
		              strstr(plain, "\"results\""));
		given("l.json", test_quotes(text));
		begins("variant", layouts[i].name);
		/* Neither -a nor -c are there. */
		assert_string_equal(told("average"), "1");
		assert_string_equal(told("unchecked"), "1");
		loads(path_of("l.json"), "mine");
		begins("variant", "mine");
	}
}

TEST(a_file_is_a_trial)
{
	assert_int_equal(mkdir(path_of("many"), 0777), 0);
	cli_write(folder, "many/a.json", plain);
	cli_write(folder, "many/b.json.0", with("'time':21.5", "'time':23.5"));
	cli_write(folder, "many/c.json", with("'time':21.5", "'time':22.5"));
	cli_write(folder, "many/d.txt", "not this one");
	cli_write(folder, "many/e.jsonl", "nor this one");
	loads(path_of("many"), NULL);
	assert_int_equal(side.nfiles, 3);
	assert_string_equal(us("single", 4096, false), "21.5; 23.5; 22.5");

	loads(both("many/a.json", "many/b.json.0"), NULL);
	assert_string_equal(us("single", 4096, false), "21.5; 23.5");

	loads(path_of("many/a.json,"), NULL);
	refuses(path_of("many/a.json,,x.json"), NULL, "empty");
	refuses(both("many/a.json", "many/d.txt"), NULL, "d.txt");
	refuses(",", NULL, "empty");
}

/* Two layouts are two variants, and may not be made one by their name. */
TEST(layouts_are_not_mixed)
{
	cli_write(folder, "p.json", plain);
	cli_write(folder, "q.json", with("'nthreads':1,'ngpus':4", "'nthreads':4,'ngpus':1"));
	cli_write(folder, "r.json", with("'ngpus':4", "'ngpus':2"));
	loads(both("p.json", "q.json"), NULL);
	assert_string_equal(us("single", 4096, false), "21.5");
	assert_string_equal(us("threads", 4096, false), "21.5");
	says("ranks", "4");
	refuses(both("p.json", "q.json"), "mine", "its layout is 1x4x1");
	refuses(both("p.json", "r.json"), NULL, "before it have 1x1x4");
}

/* -N measures the sizes again in the same job: not as separate trials. */
TEST(cycles_are_one_trial)
{
	static const char row[] = "%s{'size':4096,'type':'float','redop':'none','root':-1,"
	                          "'out_of_place':{'time':%d}}%s";
	const char *rows = "";
	for (int i = 0; i < 5; i++)
		rows = test_text(row, rows, 10 + i * i, i < 4 ? "," : "]}");
	given("n.json", with(strchr(strstr(plain, "\"results\""), '{'), rows));
	has(1);
	begins("(SELECT median(us) FROM time GROUP BY block)", "14.0");
}

/* Options, wherever the file has them; those that make it another measurement than the plain file,
 * and say so, are no repetition of it. */
TEST(options_are_seen)
{
	static const struct {
		const char *what, *by;
		int average;
		const char *manner, *others;
	} cases[] = {
	    {"'-a','3'", "'-a0'", 0, "", "-w 5"},
	    {"'-a','3'", "'--average','2'", 2, "", "-w 5"},
	    {"'-a','3'", "'--average=3'", 3, "", "-w 5"},
	    {"'-a','3'", "'-c','1'", 1, "", "-w 5"},
	    {"'-a','3'", "'-a',7", 1, "", "-w 5"},
	    {"'aggregated_iterations':1", "'aggregated_iterations':4", 3, " -m (calls grouped)",
	     "-m 4 -w 5"},
	    {"'blocking_collectives':'false'", "'blocking_collectives':'true'", 3, " -z (blocking)",
	     "-z 1 -w 5"},
	    {"'blocking_collectives':'false'", "'blocking_collectives':1", 3, " -z (blocking)",
	     "-z 1 -w 5"},
	    {"'graph':0", "'graph':2", 3, " -G (graphs)", "-G 2 -w 5"},
	    {"'per_iter_timing':'false'", "'per_iter_timing':'true'", 3, " -I", "-I 1 -w 5"},
	    {"'-a','3'", "'-R','2','-a3'", 3, "", "-R 2 -w 5"},
	    {"'-a','3'", "'-a3','--local_register=1'", 3, "", "-R 1 -w 5"},
	    {"'-a','3'", "'-a3','--local','1'", 3, "", "-R 1 -w 5"},
	    {"'-a','3'", "'-a3','-x2'", 3, "", "-x 2 -w 5"},
	    {"'-a','3'", "'-a3','-u','1'", 3, "", "-u 1 -w 5"},
	    {"'graph':0", "'graph':0,'unalign':4", 3, "", "-u 4 -w 5"},
	    {"'iterations':20", "'iterations':100", 3, "", "-n 100 -w 5"},
	    {"'iterations':20", "'its':20", 3, "", "-w 5"},
	    {"'warmup_iters':5", "'warmup_iters':1", 3, "", ""},
	    {"'-a','3'", "'-a3','-D','1'", 3, "", "-D 1 -w 5"},
	    /* -r's value is not an option, and a repeated option counts once */
	    {"'-a','3'", "'-a3','-r','-R1','-R','2','-R0'", 3, "", "-w 5"},
	};
	cli_write(folder, "plain.json", plain);
	for (size_t i = 0; i < LENGTH(cases); i++) {
		given("o.json", with(cases[i].what, cases[i].by));
		assert_int_equal(atoi(told("average")), cases[i].average);
		assert_string_equal(told("manner"), cases[i].manner);
		assert_string_equal(told("others"), cases[i].others);
		const bool same = cases[i].average == 3 && !cases[i].manner[0] &&
		                  !strcmp(cases[i].others, "-w 5");
		const char *said = load(both("plain.json", "o.json"), NULL);
		if (same)
			assert_string_equal(said, "");
		else
			assert_says(said, "other options than the files before it");
		if (strlen(cases[i].others) > 4)
			assert_says(said, test_text("%.*s", (int)strlen(cases[i].others) - 5,
			                            cases[i].others));
	}
}

TEST(what_is_not_believed_is_said)
{
	static const struct {
		const char *what, *by, *said;
	} cases[] = {
	    {"alltoall_perf", "alltoallw_perf", "no collective that is known"},
	    {"alltoall_perf", "alltoall", "no collective that is known"},
	    {"'./build/alltoall_perf'", "7", "does not name the program"},
	    {"'args'", "'argv'", "does not name the program"},
	    {"'config'", "'confetti'", "like that of nccl-tests, without"},
	    {"'results'", "'result'", "is JSON of another program"},
	    {"'results':[", "'results':[7,", "something else than objects"},
	    {"'nthreads':1", "'nthreads':0", "'nthreads' is 0"},
	    {"'nthreads':1", "'nthreads':'1'", "'nthreads' has to be a whole number or null"},
	    {"'nthreads':1", "'nthreads':2000000000", "are believed"},
	    {"'ngpus':4", "'ngpus':2147483647", "are believed"},
	    {"'devices':[", "'devices':[],'x':[", "'devices' in 'config'"},
	    {"'devices':[", "'devices':[{'group':1},", "several groups"},
	    {"'size':4096", "'size':-4096", "'size' is -4096"},
	    {"'size':4096", "'size':4096.5", "'size' has to be a whole number"},
	    {"'size':4096", "'size':99999999999999999999", "not JSON"},
	    {"'type':'float'", "'type':null", "'type' has to be text"},
	    {"'redop':'none'", "'op':'none'", "'redop' is missing"},
	    {"'time':21.5", "'time':0", "is no time"},
	    {"'time':21.5", "'time':-1", "is no time"},
	    {"'time':21.5", "'time':'nan'", "is no time"},
	    {"'time':21.5", "'time':1e300", "is no time"},
	    {"'time':21.5", "'time':1e999", "not JSON"},
	    {"'time':21.5", "'cpu_time':21.5", "-C 1"},
	    {"'nwrong':0", "'nwrong':3", "3 wrong elements"},
	    {"'nwrong':0", "'nwrong':'no'", "'nwrong' of 'out_of_place'"},
	    {"'in_place':{", "'in_place':[{}],'x':{", "'time' of 'in_place'"},
	    {"'TOKEN=SECRET'", "'TOKEN=SECRET", "not JSON"},
	    {"'TOKEN=SECRET'", "SECRET", "not JSON"},
	};
	for (size_t i = 0; i < LENGTH(cases); i++) {
		misgiven("bad.json", with(cases[i].what, cases[i].by), test_quotes(cases[i].said));
		refuses(path_of("bad.json"), NULL, "bad.json");
	}
	for (unsigned i = 0; i < 4; i++) {
		static const char *const texts[] = {"", "[]", "7", "{}"};
		misgiven("bad.json", texts[i], "bad.json");
	}
	refuses(path_of("none.json"), NULL, "No such file");
}

TEST(types_that_are_not_ours_are_passed_over)
{
	given("t.json", with("'type':'float'", "'type':'int4'"));
	has(1);
	char *text = test_text("%s", plain);
	for (char *at = text; (at = strstr(at, "\"float\""));)
		memcpy(at, "\"flaot\"", 7);
	misgiven("t.json", text, "holds no row");
}

/* Its words for terms that have other names here. */
TEST(its_names_are_ours)
{
	static const struct {
		const char *type, *redop, *ours;
	} rows[] = {{"half", "mulsum", "float16 premulsum"},
	            {"f8e4m3", "sum", "float8_e4m3 sum"},
	            {"double", "avg", "float64 avg"}};
	for (size_t i = 0; i < LENGTH(rows); i++) {
		char *text = test_text("{'args':['all_reduce_perf'],'config':{'nthreads':4,"
		                       "'ngpus':1,'devices':[" DEVICE "]},'results':[{'size':4096,"
		                       "'type':'%s','redop':'%s','root':-1,'out_of_place':"
		                       "{'time':7}}]}",
		                       rows[i].type, rows[i].redop);
		given("w.json", test_quotes(text));
		has(1);
		begins("dtype || ' ' || op", rows[i].ours);
	}
}

/* Sizes are the sums of parts there, each rounded down; counts are in the environment. */
TEST(alltoallv_meets_its_counts)
{
	static const char *const env[][2] = {
	    {"'TOKEN=SECRET'", "0:1:2:3"},
	    {"'NCCL_TESTS_ALLTOALLV_SPREAD=1.0'", "0:1:2:3"},
	    {"'NCCL_TESTS_ALLTOALLV_SPREAD=0'", "even"},
	    {"'NCCL_TESTS_ALLTOALLV_SPREAD=0.5'", "3:5:7:9"},
	    {"'NCCL_TESTS_ALLTOALLV_MATRIX_FILE=SECRET'", "its own matrix"},
	};
	for (unsigned i = 0; i < LENGTH(env); i++) {
		const char *by = test_text("alltoallv_perf','-a','3'],'env':[%s", env[i][0]);
		char *text = (char *)(uintptr_t)with(
		    "alltoall_perf','-t','1','-g','4','-a','3','-J','x.json'],"
		    "'env':['TOKEN=SECRET'",
		    by);
		memcpy(strstr(text, "\"size\":4096"), "\"size\":4049", 11);
		given("v.json", text);
		says("counts", env[i][1]);
		begins("collective || ' ' || size",
		       strstr(env[i][0], "MATRIX") ? "alltoallv 4032" : "alltoallv 4096");
	}
}

TESTS(.begin = begin, .end = tear_down);
