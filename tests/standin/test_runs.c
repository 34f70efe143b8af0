/* Whole runs of the nccl backend. */
#include "gpus.h"

/* Its only run. */
static json_t *report_of(const char *experiment)
{
	cli_expect(cli_call(folder, "report", here_in(experiment, ""), NULL), 0, "");
	return json_report(here_in(experiment, "report.json"));
}

static struct record_run record_of(const char *experiment)
{
	return cli_record(here_in(experiment, "trials.jsonl"));
}

static const json_t *path_of(const struct record_run *record, const char *variant)
{
	for (unsigned i = 0; i < record->npaths; i++)
		if (!strcmp(record->paths[i].variant, variant))
			return record->paths[i].path;
	fail_msg("no path of %s", variant);
	return NULL;
}

/* Jobs in turns have a path too, by a job that is alone. As the real ones do: up to 2.22 threads
 * write into each other's buffers, later only if these were registered. */
TEST(the_path_is_proved_by_version_and_mode)
{
	static const struct {
		const char *variant, *transport, *data, *version;
	} rows[] = {
	    {"threads", "P2P/direct pointer", "staged", "2.28.3"},
	    {"processes", "P2P/CUMEM", "staged", "2.28.3"},
	    {"registered", "P2P/CUMEM", "direct", "2.28.3"},
	    {"threads-old", "P2P/direct pointer", "direct", "2.21.5"},
	    {"processes-old", "P2P/CUMEM", "staged", "2.21.5"},
	    {"nodirect-old", "P2P/CUMEM", "staged", "2.21.5"},
	    {"pull-old", "P2P/direct pointer/read", "staged", "2.21.5"},
	    {"shm", "SHM/direct/direct", "staged", "2.28.3"},
	};
	static const char text[] =
	    "collective = alltoall\nbytes = 4K\npace = isolated\nturns = 4K..4K\n"
	    "[variant threads]\nmode = threads\n[variant processes]\nmode = processes\n"
	    "[variant registered]\nmode = processes\nregister = local\n"
	    "[variant threads-old]\nmode = threads\nnccl = ${NCCL_LEGACY}\n"
	    "[variant processes-old]\nlike = threads-old\nmode = processes\n"
	    "[variant nodirect-old]\nlike = threads-old\nenv.NCCL_P2P_DIRECT_DISABLE = 1\n"
	    "[variant pull-old]\nlike = threads-old\nenv.NCCL_P2P_READ_ENABLE = 1\n"
	    "[variant shm]\nmode = processes\nenv.NCCL_P2P_DISABLE = 1\n";
	cli_expect(run(text), 0, "");
	struct record_run record = record_of("t");
	for (unsigned i = 0; i < LENGTH(rows); i++) {
		const json_t *path = path_of(&record, rows[i].variant);
		json_assert_text(path, "transport", rows[i].transport);
		json_assert_text(path, "data_path", rows[i].data);
		json_assert_text(path, "version", rows[i].version);
		assert_int_equal(json_integer_value(json_object_get(path, "unread")), 0);
	}
}

/* The report's own experiment, with an old NCCL beside the system's, including its claims. */
/* At every size, in the bytes of NCCL's counts, which the report gives as asked. An older one does
 * not say; what has no such algorithm is refused. */
TEST(choices_of_each_size_are_those_of_the_log)
{
	static const char text[] = "collective = all_reduce, all_gather\nbytes = 4K, 64K, 1M\n"
	                           "pace = isolated\n[variant default]\nmode = threads\n"
	                           "[variant ll]\nmode = processes\nenv.NCCL_PROTO = LL\n"
	                           "[variant old]\nmode = threads\nnccl = ${NCCL_LEGACY}\n"
	                           "[variant tree]\nmode = threads\nenv.NCCL_ALGO = Tree\n";
	cli_expect(run(text), 1, "tree");
	json_t *report = report_of("t");
	const json_t *rows = json_table(report, "choices");
	json_keys small = {"variant",  "default", "collective", "all_reduce",
	                   "protocol", "LL",      NULL};
	json_keys part = {"variant",  "default", "collective", "all_gather",
	                  "protocol", "LL128",   NULL};
	assert_int_equal(json_rows(rows, JSON_IS("variant", "default")), 6);
	json_assert_text(json_cell(rows, small, "algorithm"), "", "TREE");
	json_assert_number(json_cell(rows, small, "asked_bytes"), "", 4096, 0);
	json_assert_number(json_cell(rows, part, "asked_bytes"), "", 1 << 20, 0);
	assert_int_equal(json_rows(rows, JSON_IS("variant", "ll", "protocol", "LL")), 6);
	assert_int_equal(json_rows(rows, JSON_IS("variant", "old")), 0);
	assert_int_equal(json_rows(rows, JSON_IS("variant", "tree")), 0);
}

/* Between simulated hosts NCCL takes its network, and within one the direct way; data is right, and
 * a GPU is counted once for each host. */
TEST(several_hosts_are_one_communicator)
{
	static const char text[] = "collective = alltoall\nbytes = 4K\npace = isolated\n"
	                           "hosts = 2\n[variant processes]\n"
	                           "mode = processes\n[variant threads]\nmode = threads\n";
	cli_expect(run_with(text, "ranks=4"), 0, "");
	json_t *report = report_of("t");
	const json_t *paths = json_table(report, "paths");
	json_assert_text(json_cell(paths, JSON_IS("variant", "processes"), "mixed"), "",
	                 "P2P/CUMEM 0-1, 2-3; NET/Socket 0-2, 0-3, 1-2, 1-3");
	json_assert_text(json_cell(paths, JSON_IS("variant", "threads"), "mixed"), "",
	                 "P2P/direct pointer 0-1, 2-3; NET/Socket 0-2, 0-3, 1-2, 1-3");
}

TEST(the_h800_report_is_asked_of_both_libraries)
{
	cli_expect(cli_call(folder, "run", "--file", "experiments/h800_alltoall.exp", "--results",
	                    results, "--only",
	                    "threads,processes,threads-old,processes-old,"
	                    "processes-registered",
	                    "ranks=2", "blocks=1", "bytes=16K", "pace=isolated", "warmup=1",
	                    "isolated_calls=2", "connections=1", "counters=no", NULL),
	           0, "2.21.5");
	struct record_run record = record_of("h800_alltoall");
	json_assert_text(path_of(&record, "threads-old"), "data_path", "direct");
	json_assert_text(path_of(&record, "processes-old"), "data_path", "staged");
	json_assert_text(path_of(&record, "processes-registered"), "data_path", "direct");
	assert_int_equal(record.nfailures, 0);
	json_t *report = report_of("h800_alltoall");
	json_assert_says(json_claim(report, "threads-within-node-old"), "verdict", "undecided");
	assert_true(json_one_says(json_object_get(report, "warnings"), "1 block"));
}

/* The stand-in for NVML's answers for its third and fourth GPU (standin_nvml.c): the one has GPM,
 * the other only NVLink's own counters. */
TEST(counters_are_those_of_nvml)
{
	cli_expect(run("collective = alltoall\nbytes = 4K\npace = stream\ncounters = yes\n"
	               "[variant threads]\nmode = threads\n"),
	           0, "");
	json_t *report = report_of("t");
	const json_t *table = json_table(report, "evidence");
	json_keys first = {"variant", "threads", "rank", "0", NULL};
	json_keys second = {"variant", "threads", "rank", "1", NULL};
	json_assert_number(json_cell(table, first, "sm_percent"), "", 12.5, 0.01);
	json_assert_number(json_cell(table, first, "nvlink_tx_gbs"), "", 256, 0.01);
	json_assert_null(json_cell(table, second, "sm_percent"), "");
}

/* Else Ctrl-C would end the run at oncewhenever it comes to such a thread. */
TEST(a_thread_of_the_driver_takes_no_signal_of_the_run)
{
	setenv("STANDIN_NVML_MASK", test_text("%s/mask", folder), 1);
	cli_expect(run("collective = alltoall\nbytes = 4K\npace = stream\n[variant threads]\n"
	               "mode = threads\n"),
	           0, "");
	unsetenv("STANDIN_NVML_MASK");
	const char *said = cli_read(test_text("%s/mask", folder));
	assert_int_equal(strncmp(said, "held\n", 5), 0); /* its workers' follow */
}

/* How often the jobs of a run called a function. */
static unsigned calls_of(const char *function)
{
	unsigned calls = 0, one;
	char *name = test_text("%s/calls", folder);
	char *text = cli_read(name), *rest = text, *line;
	assert_non_null(text);
	while ((line = strsep(&rest, "\n"))) {
		const size_t n = strlen(function);
		if (!strncmp(line, function, n) && sscanf(line + n, " %u", &one) == 1)
			calls += one;
	}
	return calls;
}

/* Each connection has its own communicators and buffers, made while the old ones exist. The old
 * communicators are not destroyed; where a GPU has no room for both, they are destroyed first. The
 * last ones are left to the exit. 64K: two arenas are 512 MiB. */
TEST(a_new_connection_is_made_beside_the_old_one)
{
	static const struct {
		const char *mib, *variant;
		unsigned destroyed;
	} rows[] = {
	    {"65536", "mode = threads\n", 0},
	    {"65536", "mode = processes\nregister = local\n", 0},
	    {"65536", "mode = single\nnccl = ${NCCL_LEGACY}\n", 0},
	    {"1100", "mode = threads\n", 2},
	    {"1100", "mode = processes\n", 2},
	};
	for (unsigned i = 0; i < LENGTH(rows); i++) {
		again();
		char *calls = test_text("%s/calls", folder);
		setenv("STANDIN_CALLS", calls, 1);
		setenv("STANDIN_MIB", rows[i].mib, 1);
		char *text =
		    test_text("collective = alltoall\nbytes = 64K\npace = stream\nconnections = 3\n"
		              "[variant v]\n%s",
		              rows[i].variant);
		cli_expect(run(text), 0, "");
		struct record_run record = record_of("t");
		unsigned seen = 0;
		for (unsigned c = 0; c < record.ncells; c++)
			seen |= 1u << record.cells[c].cell.connection;
		assert_int_equal(seen, 7);
		/* Of two ranks: the variant's job, and the path's with one connection. */
		assert_int_equal(calls_of("ncclCommInitRank"), 2 * (3 + 1));
		assert_int_equal(calls_of("ncclCommDestroy"), 2 * rows[i].destroyed);
	}
}

/* What a library does wrong, and the sentence for it; each call that fails is test_errors'. */
TEST(a_library_that_fails_is_told)
{
	static const struct {
		const char *variable, *asks, *says;
	} rows[] = {
	    {"STANDIN_NCCL", "data:wrong:9",
	     "wrong data in all_reduce of 4096 bytes, stream: rank "},
	    {"STANDIN_NCCL", "data:700:3", "CUDA: an illegal memory access was encountered"},
	    {"STANDIN_NCCL", "async:6:1", "NCCL: remote process exited"},
	    {"STANDIN_NCCL", "ncclAllReduce:3:2",
	     "NCCL: internal error - please report this issue to the NCCL developers: as the "
	     "test asked"},
	    {"STANDIN_NCCL", "data:hang:4",
	     "a cell took longer than cell_timeout = 1s: all_reduce"},
	    {"STANDIN_CUDART", "device_launch_check:719:1", "checking: unspecified launch failure"},
	};
	for (unsigned i = 0; i < LENGTH(rows); i++) {
		again();
		setenv(rows[i].variable, rows[i].asks, 1);
		cli_expect(run("collective = all_reduce\nbytes = 4K\npace = stream\n"
		               "cell_timeout = 1\n[variant threads]\nmode = threads\n"),
		           CLI_FAILS, rows[i].says);
		assert_int_equal(cli_processes(folder), 0);
	}
}

/* What one worker's thread begins and ends, in order, up to the end of a cell: a range for the
 * cell and in it one for each part, so that none begins or ends between two timed calls. *line
 * is where it goes on. */
static const char *cell_of_thread(char *const lines[], unsigned n, const char *thread,
                                  unsigned *line)
{
	static const char *const parts[] = {"", "warm-up", "-", "", "-", "check", "-", "-"};
	const char *pass = NULL;
	unsigned part = 0;
	size_t length = strlen(thread);
	for (; *line < n && part < LENGTH(parts); ++*line) {
		const char *text = lines[*line];
		if (strncmp(text, thread, length))
			continue;
		if (part == 0)
			assert_true(!strcmp(text + length, "all_reduce 4 KiB, stream") ||
			            !strcmp(text + length, "all_reduce 4 KiB, isolated"));
		else if (part == 3)
			pass = text + length;
		else
			assert_string_equal(text + length, parts[part]);
		part++;
	}
	assert_true(part == 0 || part == LENGTH(parts));
	return pass;
}

/* By a tool that NVTX takes along. */
TEST(profilers_see_cells_and_passes)
{
	char tool[STANDIN_BYTES], thread[64], *lines[512], *rest;
	unsigned n = 0, threads = 0, timed = 0, timelines = 0;
	standin_find_named("libtool.so", tool);
	char *seen = test_text("%s/seen", folder);
	setenv("NVTX_INJECTION64_PATH", tool, 1);
	setenv("NVTX_SEEN", seen, 1);
	cli_expect(run_with("collective = all_reduce\nbytes = 4K\n"
	                    "[variant processes]\nmode = processes\n",
	                    "--no-report"),
	           0, "");
	unsetenv("NVTX_INJECTION64_PATH");
	unsetenv("NVTX_SEEN");
	char *text = cli_read(seen);
	if (!text)
		skip(); /* built without NVTX' headers */
	rest = text;
	for (char *one; (one = strsep(&rest, "\n")) && *one;) {
		assert_true(n < LENGTH(lines));
		lines[n++] = one;
	}
	for (unsigned i = 0; i < n; i++) {
		int pid, tid;
		bool first = true;
		assert_int_equal(sscanf(lines[i], "%d %d", &pid, &tid), 2);
		snprintf(thread, sizeof thread, "%d %d ", pid, tid);
		for (unsigned k = 0; k < i; k++)
			first = first && strncmp(lines[k], thread, strlen(thread));
		threads += first;
		for (unsigned at = first ? 0 : n; at < n;) {
			const char *pass = cell_of_thread(lines, n, thread, &at);
			timed += pass && !strcmp(pass, "timed");
			timelines += pass && !strcmp(pass, "timeline");
		}
	}
	/* A trial of two workers, each with a cell of either pace; and the path's job. */
	assert_true(threads >= 2);
	assert_int_equal(timed, 2 * 2);
	assert_true(timelines > 0);
}

static const char training[] =
    "collective = ddp_step\nmodel = %s/experiments/models/lenet5.csv\nop = avg\n"
    "dtype = bfloat16\nbytes = 16K\nfirst_bucket = 4K\npace = isolated\n%s";

/* Streams that wait for each other, also in a graph, leave the exact averages. */
TEST(a_training_step_is_right_however_it_is_launched)
{
	char here[256];
	assert_non_null(getcwd(here, sizeof here));
	char *text =
	    test_text(training, here,
	              "[variant threads]\nmode = threads\n[variant single]\nmode = single\n"
	              "bucket_view = no\n[variant processes]\nmode = processes\naccumulation = 2\n"
	              "[variant graph]\nmode = threads\ngraph = 2\nbucket_view = no\n");
	cli_expect(run(text), 0, "");
}

/* 40 GB of gradients, and as much for their buckets, are more than a stand-in's 64 GiB. */
TEST(a_model_that_does_not_fit_is_told_with_the_room_there_is)
{
	cli_write(folder, "large.csv", "all,20000000000,1\n");
	char *text =
	    test_text("collective = ddp_step\nmodel = %s/large.csv\ndtype = bfloat16\nbytes = 25M\n"
	              "pace = isolated\n[variant threads]\nmode = threads\n",
	              folder);
	cli_expect(run(text), 1, "two buffers take 76293 MiB, and GPU 0 has 65536 MiB");
}

/* And tokens come back from their experts. */
TEST(experts_give_back_what_was_sent)
{
	cli_expect(run("collective = moe_step, moe_dispatch\nskew = 1.2\nexperts = 3\nbytes = 2K\n"
	               "dtype = bfloat16\npace = isolated\nhidden = 32\n"
	               "[variant threads]\nmode = threads\n[variant single]\nmode = single\n"
	               "[variant processes]\nmode = processes\ngraph = 2\n"),
	           0, "");
}

TEST(without_its_library_a_training_step_says_so)
{
	static const struct {
		const char *asks, *says;
	} rows[] = {{"cublasCreate_v2:1:1", "cublasCreate: cuBLAS says 1"},
	            {"cublasGemmEx:13:1", "a layer's product: unspecified launch failure"}};
	char text[1024], here[256];
	assert_non_null(getcwd(here, sizeof here));
	for (unsigned i = 0; i < LENGTH(rows); i++) {
		again();
		setenv("STANDIN_CUBLAS", rows[i].asks, 1);
		snprintf(text, sizeof text, training, here, "[variant threads]\nmode = threads\n");
		cli_expect(run(text), 1, rows[i].says);
	}
}

/* From a variant's first cell, the facts that rank 0's worker reports. */
static const char *fact_of(const struct record_run *record, const char *variant, const char *fact)
{
	for (unsigned i = 0; i < record->ncells; i++) {
		const struct record_cell *c = &record->cells[i];
		const json_t *facts = json_array_get(json_object_get(c->json, "facts"), 0);
		if (facts && !strcmp(c->variant, variant))
			return json_string_value(json_object_get(facts, fact));
	}
	fail_msg("no facts of %s", variant);
	return NULL;
}

/* Of each worker's GPUs, in every mode and form of issuing, without the driver's words too. */
TEST(the_end_of_calls_is_seen_by_a_word_or_by_asking)
{
	static const char text[] =
	    "collective = alltoall\nbytes = 4K\n[variant single]\nmode = single\n"
	    "[variant threads]\nmode = threads\n[variant processes]\nmode = processes\n"
	    "[variant graph]\nlike = threads\ngraph = 2\n"
	    "[variant kernel]\nlike = single\napi = device\n"
	    "[variant sleeps]\nlike = threads\nwait = block\n"
	    "[variant asks]\nlike = single\nwait = query\n";
	static const char *const variants[] = {"single", "threads", "processes", "graph",
	                                       "kernel", "sleeps",  "asks"};
	for (unsigned older = 0; older < 2; older++) {
		cli_expect(run(text), 0, "");
		struct record_run record = record_of("t");
		for (unsigned i = 0; i < LENGTH(variants); i++)
			assert_string_equal(fact_of(&record, variants[i], "end_seen"),
			                    older || i == 6 ? "query" : "word");
		again();
		setenv("STANDIN_CUDART", "cuStreamWriteValue32_v2:801:0", 1);
	}
}

static const char newest[] =
    "collective = alltoall, all_reduce\nbytes = 64K\npace = isolated\napi = native\n"
    "nccl = ${NCCL_NEW}\n"
    "[variant recv-processes]\nmode = processes\nregister = recv-window\n"
    "[variant recv-single]\nlike = recv-processes\nmode = single\n"
    "[variant ctas-processes]\nmode = processes\ncall_ctas = 4\n"
    "[variant ctas-single]\nlike = ctas-processes\nmode = single\n"
    "[variant ctas-least]\nmode = threads\nmin_ctas = 32\n";

/* Additions of 2.29 and 2.31, in one process and in several. The stand-in refuses a configuration
 * that is not filled in as NCCL's header says, or with a minimum of thread blocks and no maximum,
 * as NCCL does. */
TEST(the_newest_librarys_settings_run)
{
	static const struct {
		const char *variant, *fact, *says;
	} rows[] = {
	    {"recv-processes", "registered", "recv-window, 1 of 1 buffers"},
	    {"recv-single", "registered", "recv-window, 2 of 2 buffers"},
	    {"ctas-single", "library", "2.32.3"},
	};
	cli_expect(run(newest), 0, "");
	struct record_run record = record_of("t");
	for (unsigned i = 0; i < LENGTH(rows); i++)
		assert_string_equal(fact_of(&record, rows[i].variant, rows[i].fact), rows[i].says);
}

TEST(a_call_of_its_own_configuration_is_that_call)
{
	static const char *const calls[] = {"ncclAlltoAllConfig", "ncclAllReduceConfig",
	                                    "ncclAllGatherConfig", "ncclReduceScatterConfig"};
	static const char *const names[] = {"alltoall", "all_reduce", "all_gather",
	                                    "reduce_scatter"};
	char text[512], asks[64];
	for (unsigned i = 0; i < LENGTH(calls); i++) {
		again();
		snprintf(asks, sizeof asks, "%s:5:1", calls[i]);
		setenv("STANDIN_NCCL", asks, 1);
		snprintf(text, sizeof text,
		         "collective = %s\nbytes = 4K\npace = stream\napi = native\n"
		         "nccl = ${NCCL_NEW}\n[variant v]\nmode = threads\ncall_ctas = 2\n",
		         names[i]);
		cli_expect(run(text), 1, "invalid usage");
	}
}

/* Every way of a plain copy, by each engine and either GPU, in both modes of one process. */
static const char plain_copies[] =
    "collective = to_device, to_host, pair_copy, pair_staged\nbytes = 20, 8K\n"
    "reference = ce\n"
    "[variant ce]\nmode = threads\n[variant sm]\nlike = ce\nengine = sm\n"
    "[variant read]\nmode = single\npeer = read\n"
    "[variant apart]\nlike = sm\noffset = 16\npeer = read\n"
    "[variant chase]\nlike = ce\nengine = chase\n[variant processes]\nmode = processes\n"
    "[variant gated]\nlike = ce\nstart = gated\n";

TEST(plain_copies_are_right_by_each_engine)
{
	struct cli done = run_with(plain_copies, "ranks=3");
	assert_says(done.out, "chase: engine = chase waits for loads over a link, and");
	assert_says(done.out, "needs all GPUs in one process");
	assert_says(done.out, "gated: pair_staged cannot be combined with start = gated");
	cli_expect(done, 0, "");
	json_t *report = report_of("t");
	const json_t *table = json_table(report, "copies");
	assert_int_equal(json_rows(table, JSON_IS("variant", "ce")), 4);
	json_assert_number(
	    json_cell(table, JSON_IS("way", "GPU to GPU", "variant", "read"), "pairs"), "", 6, 0);
}

/* More than one piece, and the last one is shorter. */
TEST(a_staged_copy_of_several_pieces_is_right)
{
	cli_expect(run("collective = pair_staged\nbytes = 5M\ndtype = float64\npace = stream\n"
	               "[variant v]\nmode = threads\n"),
	           0, "");
}

/* One GPU has its own memory and the CPU's. */
TEST(plain_copies_need_one_gpu)
{
	setenv("STANDIN_GPUS", "1", 1);
	cli_expect(run_with("collective = to_device, to_host, pair_copy\nbytes = 4K\n"
	                    "reference = chase\n[variant chase]\nmode = single\n"
	                    "[variant read]\nmode = single\npeer = read\n",
	                    "ranks=1"),
	           0, "read: peer = read is of pair_copy, which has no two ranks here");
	again();
	setenv("STANDIN_GPUS", "1", 1);
	cli_expect(run_with("collective = to_device\nbytes = 4K, 128K\n[variant load]\n"
	                    "mode = single\nengine = chase\n",
	                    "ranks=1"),
	           1, "allowed are 64 KiB at most");
	again();
	setenv("STANDIN_GPUS", "1", 1);
	cli_expect(run_with("collective = to_device\nbytes = 4K\n[variant load]\n"
	                    "mode = single\nengine = chase\n",
	                    "ranks=1"),
	           0, "");
	cli_expect(cli_call(folder, "report", here_path(""), NULL), 0, "ns by one thread");
}

TEST(a_gpu_that_reaches_no_other_copies_through_the_host)
{
	setenv("STANDIN_NO_PEERS", "1", 1);
	cli_expect(run("collective = pair_copy\nbytes = 4K\n[variant v]\nmode = threads\n"), 1,
	           "pair_copy: GPU 0 cannot reach the memory of GPU 1; pair_staged goes through");
	again();
	setenv("STANDIN_NO_PEERS", "1", 1);
	cli_expect(run("collective = pair_staged\nbytes = 4K\n[variant v]\nmode = threads\n"), 0,
	           "");
}

/* A bit that is wrong in CPU memory is found there. */
TEST(a_wrong_bit_in_cpu_memory_is_found)
{
	cli_expect(run("collective = to_host\nbytes = 4K\n[variant v]\nmode = threads\n"
	               "flip = 1:9\n"),
	           1, "wrong data in to_host");
}

/* The shipped experiment, on a machine with one GPU. Two ranks on a GPU are a reported error
 * without NCCL's permission, and with a library that does not know the permission. */
TEST(ranks_share_a_gpu_in_all_modes)
{
	static const char *const variants[] = {"single", "threads", "processes"};
	setenv("STANDIN_GPUS", "1", 1);
	cli_expect(cli_call(folder, "run", "--file", "experiments/one_gpu.exp", "--results",
	                    results, "backend=nccl", test_text("nccl=%s", new),
	                    "collective=all_reduce,alltoall,sendrecv", "bytes=4K", NULL),
	           0, "delivered was right");
	struct record_run record = record_of("one_gpu");
	for (unsigned i = 0; i < LENGTH(variants); i++) {
		assert_string_equal(fact_of(&record, variants[i], "device_0"),
		                    "Stand-in GPU at 0000:03:00.0");
		assert_non_null(path_of(&record, variants[i]));
	}
	again();
	setenv("STANDIN_GPUS", "1", 1);
	cli_expect(cli_call(folder, "run", "--file", "experiments/one_gpu.exp", "--results",
	                    results, "backend=nccl", NULL),
	           1, "ranks_per_gpu needs NCCL 2.30.3");
	/* It is not measured on another backend in its place. */
	cli_expect(cli_call(folder, "run", "--file", "experiments/one_gpu.exp", "--results",
	                    results, NULL),
	           1, "ranks_per_gpu needs NCCL 2.30.3");
}

/* --- a search that goes on --- */

/* Of a record: as many blocks of the confirmation are kept, the last without its trials, and the
 * finalists that they are given; NULL: as it is. */
static unsigned kept, seen;
static const char *finalist;

static bool keep(json_t *line, const char *kind)
{
	const bool keeps = seen < kept;
	(void)kind;
	seen += json_is_true(json_object_get(line, "confirms"));
	if (finalist && seen)
		json_object_set_new(line, "measures", json_pack("[s]", finalist));
	return keeps;
}

static void cut_search(const char *path, unsigned blocks, const char *given)
{
	kept = blocks;
	finalist = given;
	seen = 0;
	cli_edit(path, keep);
	assert_true(seen >= kept && kept > 0);
}

/* The set that has this value of the second key. */
static const char *set_with(const struct record_run *record, char name[32])
{
	for (unsigned i = 0; i < record->search->nsets; i++)
		if (record->search->sets[i].level[1] == 1) {
			snprintf(name, 32, "%s", record->search->variants[i].name);
			return name;
		}
	fail_msg("no set with it");
	return NULL;
}

static unsigned confirms_of(const struct record_run *record)
{
	unsigned n = 0;
	for (unsigned i = 0; i < record->search->nblocks; i++)
		n += record->search->blocks[i].confirms;
	return n;
}

/* A finalist's known data path is not asked for again; a finalist that fails for good is given up,
 * so that the search still ends. */
TEST(a_search_goes_on_and_ends)
{
	char path[512], of[512], registers[32];
	cli_expect(run_with("collective = alltoall\nbytes = 4K\npace = stream\n"
	                    "[variant default]\nmode = single\nextra = 4ms\n"
	                    "[search]\nfinalists = 1\nextra = 1ms\nregister = local\n",
	                    "blocks=3"),
	           0, "Ended by search.");
	struct record_run record = record_of("t");
	const unsigned confirms = confirms_of(&record);
	assert_true(confirms > 1);
	assert_int_equal(record.npaths, 2);
	set_with(&record, registers);
	const char *again[] = {"resume", of, "--no-report", NULL};
	strcpy(of, here_path(""));
	strcpy(path, here_path("trials.jsonl"));

	cut_search(path, confirms, NULL);
	cli_expect(cli_run(folder, again), 0, "Ended by search.");
	record = record_of("t");
	assert_int_equal(record.npaths, 2);
	/* The one without its trials, and one in its place. */
	assert_int_equal(confirms_of(&record), confirms + 1);

	cut_search(path, 1, registers);
	setenv("STANDIN_NCCL", "ncclCommRegister:2", 1);
	cli_expect(cli_run(folder, again), 1, "not tried again");
	record = record_of("t");
	assert_int_equal(confirms_of(&record), confirms + 1);
	assert_string_equal(record.end.reason, "search");
}

TESTS(.slow = true, .undrawn = true, .begin = find_all, .before = begin, .after = tear_down);
