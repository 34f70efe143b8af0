/* Known copies between two GPUs, on stand-ins for them: every path delivers all data, and a failing
 * call is reported in CUDA's own words. */
#include <sys/wait.h>

#include "../../harness/backend/device/copies.h"
#include "../test.h"

/* The stand-ins read their settings once in a process. */
static int in_a_child(int (*does)(const void *), const void *arg)
{
	int status;
	pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0)
		_exit(does(arg));
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static int copy_all_ways(const void *arg)
{
	const unsigned gpus[2] = {0, 1};
	char pci[2][COPIES_PCI_BYTES];
	struct copies *copies;
	struct status st = {""};
	(void)arg;
	if (copies_open(gpus, &copies, pci, &st)) {
		print_error("%s\n", st.text);
		return 1;
	}
	struct copier copier = copies_copier(copies);
	for (unsigned way = 0; way < 12; way++) {
		struct copies_order order = {.sm = way & 1,
		                             .pull = way & 2,
		                             .direction = (enum copies_direction)(way / 4),
		                             .piece_bytes = 1000,
		                             .pieces = 3};
		double seconds = -1;
		if (copier.begin(copier.of, &order, &st) || copier.end(copier.of, &seconds, &st) ||
		    seconds < 0 || copier.busy(copier.of))
			return 2;
	}
	/* An arena may be one piece. */
	struct copies_order whole = {.piece_bytes = COPIES_ARENA_BYTES, .pieces = 0};
	int result = copier.begin(copier.of, &whole, &st) || copier.end(copier.of, NULL, &st);
	copies_close(copies);
	return result || !strcmp(pci[0], pci[1]) ? 3 : 0;
}

TEST(every_way_arrives)
{
	assert_int_equal(in_a_child(copy_all_ways, NULL), 0);
}

struct refusal {
	const char *variable, *value;
	unsigned gpus[2];
	const char *words;
};

static int is_refused(const void *arg)
{
	const struct refusal *r = arg;
	char pci[2][COPIES_PCI_BYTES];
	struct copies *copies;
	struct status st = {""};
	if (r->variable)
		setenv(r->variable, r->value, 1);
	if (!copies_open(r->gpus, &copies, pci, &st))
		return 1;
	if (!strstr(st.text, r->words))
		print_error("\"%s\" is not in: %s\n", r->words, st.text);
	return strstr(st.text, r->words) ? 0 : 2;
}

TEST(what_cannot_be_had_is_said)
{
	static const struct refusal refusals[] = {
	    {NULL, NULL, {1, 1}, "two GPUs are needed: 1 and 1 of"},
	    {NULL, NULL, {0, 99}, "two GPUs are needed: 0 and 99 of"},
	    {"STANDIN_NO_PEERS", "1", {0, 1}, "GPU 0 cannot reach the memory of GPU 1"},
	    {"STANDIN_CUDART", "cudaDeviceCanAccessPeer:719", {0, 1}, "cudaDeviceCanAccessPeer: "},
	    {"STANDIN_CUDART",
	     "cudaDeviceEnablePeerAccess:719",
	     {0, 1},
	     "cudaDeviceEnablePeerAccess: "},
	    {"STANDIN_CUDART", "cudaMalloc:2:2", {0, 1}, "cudaMalloc: "},
	    {"STANDIN_CUDART",
	     "cudaStreamCreateWithFlags:719",
	     {0, 1},
	     "cudaStreamCreateWithFlags: "},
	    {"STANDIN_CUDART", "cudaEventCreate:719:2", {0, 1}, "cudaEventCreate: "},
	    {"STANDIN_CUDART", "cudaDeviceGetPCIBusId:719", {0, 1}, "cudaDeviceGetPCIBusId: "},
	    {"STANDIN_CUDART", "cudaMemset:719", {0, 1}, "writing: "},
	    {"STANDIN_CUDART", "cudaMemcpyPeerAsync:719:3", {0, 1}, "copying: "},
	    {"STANDIN_CUDART", "cudaEventRecord:719:2", {0, 1}, "cudaEventRecord: "},
	    {"STANDIN_CUDART", "cudaStreamSynchronize:719:2", {0, 1}, "unspecified launch failure"},
	    {"STANDIN_CUDART", "cudaEventElapsedTime:719:3", {0, 1}, "cudaEventElapsedTime: "},
	    {"STANDIN_CUDART", "cudaMemcpy:719:2", {0, 1}, "reading back: "},
	};
	for (unsigned i = 0; i < LENGTH(refusals); i++) {
		print_message("%s\n", refusals[i].value ? refusals[i].value : refusals[i].words);
		assert_int_equal(in_a_child(is_refused, &refusals[i]), 0);
	}
}
