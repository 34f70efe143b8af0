#include "perf_options.h"

#include <string.h>

// clang-format off
static const struct perf_option options[] = {
    {'t', "nthreads", "N", "1", "mode", {NULL}, "threads of each process; with -g and mpirun -np it says the layout"},
    {'g', "ngpus", "N", "1", "ranks", {NULL}, "GPUs of each thread"},
    {'b', "minbytes", "SIZE", "32M", "bytes", {NULL}, "the smallest size; K, M, G are powers of 1024"},
    {'e', "maxbytes", "SIZE", "32M", "bytes", {NULL}, "the largest size"},
    {'i', "stepbytes", "SIZE", "1M", "bytes", {NULL}, "from one size to the next"},
    {'f', "stepfactor", "N", "1", "bytes", {NULL}, "from one size to the next, in place of -i"},
    {'n', "iters", "N", "20", "calls", {NULL}, "calls of a stretch, of which there are five; with -z 1 single calls"},
    {'w', "warmup_iters", "N", "1", "warmup", {NULL}, "calls before the timed ones of each size"},
    {'m', "agg_iters", "N", "1", "aggregate", {NULL}, "calls that are issued in one group"},
    {'N', "run_cycles", "N", "1", "cycles", {NULL}, "all sizes again, so often; one line for all"},
    {'a', "average", "0|1|2|3", "1", NULL, {NULL}, "time of rank 0's worker, or mean, least or most of all workers'"},
    {'p', "parallel_init", "0|1", "0", "init", {"grouped", "parallel"}, "1: each thread makes its own communicators"},
    {'c', "check", "N", "1", NULL, {NULL}, "every byte is checked, whatever it says: a time of wrong data is none"},
    {'o', "op", "OP", "sum", "op", {NULL}, "sum, prod, min, max, avg, mulsum, all"},
    {'d', "datatype", "TYPE", "float", "dtype", {NULL}, "int8, uint8, int32, uint32, int64, uint64, half, float, double, bfloat16, f8e4m3, f8e5m2, all"},
    {'r', "root", "RANK", "0", "root", {NULL}, "-1 or all: each rank in turn"},
    {'z', "blocking", "0|1|3", "0", "pace", {NULL}, "1, 3: ranks wait for a call's end and meet before the next"},
    {'y', "stream_null", "0|1", "0", NULL, {NULL}, "its own streams, always: the null stream's implicit order would be measured too"},
    {'T', "timeout", "SECONDS", "0", "cell_timeout", {NULL}, "of one size; 0: no limit"},
    {'G', "cudagraph", "N", "0", "graph", {NULL}, "calls are captured in a CUDA graph, launched so often"},
    {'C', "report_cputime", "0|1", "0", NULL, {NULL}, "1: the time of launching alone"},
    {'S', "report_timestamps", "0|1", "0", NULL, {NULL}, "no timestamps: a line is a median over stretches; the record says when it began"},
    {'J', "output_file", "FILE", NULL, NULL, {NULL}, "writes nccl-tests' JSON there"},
    {'R', "local_register", "0|1|2", "0", "register", {"none", "local", "window"}, "buffers are registered: 1 ncclCommRegister, 2 symmetric windows"},
    {'x', "cta_policy", "0|1|2", NULL, "cta_policy", {"default", "efficiency", "zero"}, "the communicator's policy for thread blocks: 1 efficiency, 2 zero (copy engines)"},
    {'D', "device_implementation", "N", "0", "api", {NULL}, "1 or more: launchgap's own kernel for the collective in place of the library's"},
    {'V', "device_cta_count", "N", NULL, "call_ctas", {NULL}, "thread blocks of -D; those of the library's kernels are the keys min_ctas and max_ctas"},
    {'M', "memory", "0|1", "0", NULL, {NULL}, "memory is in the report, always: report.md of the record, section Memory"},
    {'u', "unalign", "N", "0", "offset", {NULL}, "elements by which buffers are off an aligned address"},
    {'I', "per_iter_timing", "0|1", "0", "pace", {NULL}, "single calls are measured too: their p50, p95 and p99 are in the record's summary.csv"},
    {'K', "per_iter_skip", "N", "0", NULL, {NULL}, "none is skipped: -w are before the times, and a slow beginning is a warning of the report"},
    {1, "results", "DIR", "results", NULL, {NULL}, "launchgap's: where DIR/nccl_tests/<UTC stamp>/ goes"},
    {2, "dry-run", NULL, NULL, NULL, {NULL}, "launchgap's: say what would be measured"},
    {4, "wait", "SECONDS", "300", NULL, {NULL}, "launchgap's, for several processes: how long for all to come"},
    {'h', "help", NULL, NULL, NULL, {NULL}, "this"},
    {0, "NCCL_TESTS_SPLIT", "OP", NULL, "split", {NULL}, "groups of ranks that work in parallel: MOD:2, AND:7 …"},
    {0, "NCCL_TESTS_SPLIT_MASK", "HEX", NULL, "split", {NULL}, "groups of ranks by a mask: AND with it"},
    {0, "NCCL_TESTS_ALLTOALLV_SPREAD", "0|1", NULL, "counts", {"even", "skewed"}, "of alltoallv_perf"},
    {0, "NCCL_TESTS_DEVICE", NULL, NULL, NULL, {NULL}, "is not read: CUDA_VISIBLE_DEVICES says which GPUs, and their order"},
    {0, "NCCL_TESTS_MIN_BW", NULL, NULL, NULL, {NULL}, "is not read: `launchgap compare` fails against an earlier result, by verdict"},
    {0, "NCCL_TESTS_ALLTOALLV_MATRIX_FILE", NULL, NULL, NULL, {NULL}, "is not read: say counts=./FILE and bytes=SIZE"},
};
// clang-format on
#define NOPTIONS (sizeof options / sizeof *options)

/* Its word, and ours; of two of its words for one of ours it prints the first. */
static const char *const words[][2] = {
    {"float", "float32"},        {"half", "float16"},         {"double", "float64"},
    {"f8e4m3", "float8_e4m3"},   {"f8e5m2", "float8_e5m2"},   {"mulsum", "premulsum"},
    {"fp8_e4m3", "float8_e4m3"}, {"fp8_e5m2", "float8_e5m2"},
};

static const char *reworded(const char *word, int from)
{
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (!strcmp(words[i][from], word))
			return words[i][!from];
	return word;
}

const char *perf_word_ours(const char *theirs)
{
	return reworded(theirs, 0);
}

const char *perf_word_theirs(const char *ours)
{
	return reworded(ours, 1);
}

const struct perf_option *perf_option_at(size_t i)
{
	return i < NOPTIONS ? &options[i] : NULL;
}

const struct perf_option *perf_option_find(char letter)
{
	for (size_t i = 0; i < NOPTIONS && letter; i++)
		if (options[i].letter == letter)
			return &options[i];
	return NULL;
}

const struct perf_option *perf_option_named(const char *name, size_t bytes)
{
	for (size_t i = 0; i < NOPTIONS; i++)
		if (options[i].letter > ' ' && strlen(options[i].name) == bytes &&
		    !strncmp(options[i].name, name, bytes))
			return &options[i];
	return NULL;
}

const char *perf_program(const char *name)
{
	static const char *const all[] = {"all_reduce",     "all_gather", "alltoall",  "alltoallv",
	                                  "broadcast",      "gather",     "hypercube", "reduce",
	                                  "reduce_scatter", "scatter",    "sendrecv"};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		const size_t n = strlen(all[i]);
		if (!strncmp(name, all[i], n) && !strcmp(name + n, "_perf"))
			return all[i];
	}
	return NULL;
}
