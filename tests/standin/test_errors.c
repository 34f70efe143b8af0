/* Each call that the nccl backend makes of CUDA and of NCCL fails once, in all steps of a trial:
 * the sentence is the library's own, and nothing is left over. The stand-ins list the calls, so
 * that a new one is included by itself. */
#include <sched.h>
#include <sys/mman.h>

#include "../../harness/backend/table.h"
#include "../../harness/core/buffers.h"
#include "../cli.h"
#include "../settings_text.h"

#define RANKS       4
#define CASE_S      30
#define CUDA_ERROR  719 /* "unspecified launch failure" */
#define NCCL_ERROR  3   /* "internal error" */
#define ARENA_BYTES (64 << 10)

extern const struct backend backend_nccl;

enum {
	GRAPH = 1,
	AGAIN = 2,
	HELD = 4,
	TURNED = 8,
	WATCHED = 16,
	SLEEPS = 32,
	SLOW = 64,
	TOLD = 128
};

struct scene {
	const char *name;
	enum coll_kind coll;
	enum op op;
	unsigned does;
	const char *set;
};

// clang-format off
static const struct scene scenes[] = {
    {"plain",       COLL_ALL_REDUCE, OP_SUM, AGAIN | TURNED | WATCHED, ""},
    {"asked",       COLL_ALL_REDUCE, OP_SUM, AGAIN, "wait=query"},
    {"registered",  COLL_ALLTOALL, OP_NONE, AGAIN, "register=local"},
    {"windows",     COLL_ALL_GATHER, OP_NONE, AGAIN, "register=window cta_policy=zero"},
    {"split",       COLL_BROADCAST, OP_NONE, AGAIN, "split=MOD:2"},
    {"scaled",      COLL_REDUCE, OP_PREMULSUM, AGAIN, "allocator=cuda"},
    {"grouped",     COLL_ALLTOALLV, OP_NONE, 0, "init=grouped"},
    {"held",        COLL_REDUCE_SCATTER, OP_MAX, HELD, "start=gated extra=1us"},
    {"native",      COLL_ALLTOALL, OP_NONE, SLEEPS, "api=native wait=block"},
    {"device",      COLL_ALLTOALL, OP_NONE, AGAIN | SLOW, "api=device"},
    {"device kept", COLL_SENDRECV, OP_NONE, GRAPH, "api=device"},
    {"gather",      COLL_GATHER, OP_NONE, 0, "api=native wait=block"},
    {"scatter",     COLL_SCATTER, OP_NONE, 0, "api=native wait=block"},
    {"graph",       COLL_SENDRECV_BOTH, OP_NONE, GRAPH, ""},
    {"hypercube",   COLL_HYPERCUBE, OP_NONE, 0, ""},
    {"pingpong",    COLL_PINGPONG, OP_NONE, 0, ""},
    {"to_device",   COLL_TO_DEVICE, OP_NONE, 0, ""},
    {"to_host",     COLL_TO_HOST, OP_NONE, 0, ""},
    {"pair_copy",   COLL_PAIR_COPY, OP_NONE, 0, ""},
    {"pair_staged", COLL_PAIR_STAGED, OP_NONE, 0, ""},
    {"staged kept", COLL_PAIR_STAGED, OP_NONE, GRAPH, ""},
    {"limit",       COLL_COPY, OP_NONE, 0, ""},
    {"limit kept",  COLL_COPY, OP_NONE, GRAPH, ""},
};
// clang-format on

/* Calls that may fail without output: those that only report more of a trial, those that release,
 * and those with an alternative. */
static const char *const quiet[] = {
    "cudaGetLastError",     "cudaDeviceCanAccessPeer",  "cudaDeviceEnablePeerAccess",
    "cudaMemGetInfo",       "cudaDeviceGetPCIBusId",    "cudaRuntimeGetVersion",
    "cudaDriverGetVersion", "cudaGetDeviceProperties",  "cudaFree",
    "cudaFreeHost",         "cudaStreamDestroy",        "cudaGraphDestroy",
    "cudaGraphExecDestroy", "ncclGetVersion",           "ncclCommDestroy",
    "ncclCommAbort",        "ncclCommDeregister",       "ncclMemFree",
    "ncclRedOpDestroy",     "ncclCommWindowDeregister", "cudaStreamIsCapturing",
    "cudaGetDevice",        "cudaDeviceGetAttribute",   "cudaEventDestroy",
};

/* The last of these are part of closing, which prints nothing. The first words that the driver
 * writes are a trial of whether it can. */
static const char *const mixed[] = {"cuStreamWriteValue32_v2", "cudaSetDevice",
                                    "ncclGroupStart",          "ncclGroupEnd",
                                    "ncclCommGetAsyncError",   "async"};

static bool is_among(const char *const list[], size_t n, const char *function)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(list[i], function))
			return true;
	return false;
}

/* The result of a case, written by the process that tried it. */
struct outcome {
	bool ended;
	int result;
	struct status st;
};

/* --- a trial, as in the worker --- */

static struct team *team;

/* What another process says of its rank, once a kernel here has given up. */
static void *tell(void *arg)
{
	(void)arg;
	team_fail(team, 1, "its own words");
	return NULL;
}

static int wait_for(struct backend_ctx *ctx, unsigned does, struct status *st)
{
	for (unsigned i = 0; i < RANKS; i++) {
		int done = 0;
		if (does & SLEEPS)
			backend_nccl.block(ctx, i);
		while (!(done = backend_nccl.poll(ctx, i)))
			sched_yield(); /* to its streams, which are threads */
		if (done < 0) {
			if (does &
			    SLOW) /* kernels that wait for the failed rank give up meanwhile */
				usleep(20000);
			pthread_t other;
			if (does & TOLD)
				pthread_create(&other, NULL, tell, NULL);
			backend_nccl.error(ctx, st);
			if (does & TOLD) {
				team_fail(team, 0, st->text);
				pthread_join(other, NULL);
				st->text[0] = '\0';
				status_set(st, "%s", team_failure(team));
			}
			return -1;
		}
	}
	return 0;
}

static void issue(struct backend_ctx *ctx)
{
	backend_nccl.begin(ctx);
	for (unsigned i = 0; i < RANKS; i++)
		backend_nccl.issue(ctx, i, 0);
	backend_nccl.end(ctx);
}

static int calls(struct backend_ctx *ctx, unsigned does, struct status *st)
{
	if (does & HELD)
		backend_nccl.hold(ctx);
	if (does & GRAPH) {
		int result = backend_nccl.capture(ctx, true, st);
		if (!result)
			issue(ctx);
		if (result || backend_nccl.capture(ctx, false, st))
			return -1;
		backend_nccl.replay(ctx);
	} else {
		issue(ctx);
	}
	if (does & HELD)
		backend_nccl.release(ctx);
	return wait_for(ctx, does, st);
}

static int look(struct backend_ctx *ctx, unsigned does, struct status *st)
{
	for (unsigned i = 0; i < RANKS; i++) {
		struct buffers of;
		struct backend_verdict v = {0};
		backend_nccl.buffers(ctx, i, &of);
		if ((does & TURNED && buffers_corrupt(&of, SIZE_MAX, 5, st)) ||
		    buffers_check(&of, &v, st))
			return -1;
		if (v.wrong != !!(does & TURNED))
			return status_set(st, "%d elements are wrong", (int)v.wrong);
	}
	return 0;
}

static void watch(struct backend_ctx *ctx)
{
	struct counters counters;
	backend_nccl.watch(ctx, true);
	backend_nccl.watch(ctx, false);
	backend_nccl.watch_read(ctx, 0, &counters);
}

static int cell(struct backend_ctx *ctx, const struct trial *trial, unsigned does,
                struct status *st)
{
	if (buffers_prepare(&backend_nccl, ctx, RANKS, &trial->cells[0], 42, 1, st) ||
	    calls(ctx, does, st))
		return -1;
	return look(ctx, does, st);
}

static int work(struct backend_ctx **ctx, const struct trial *trial, unsigned does,
                struct status *st)
{
	char text[TEAM_FACTS_BYTES];
	if (cell(*ctx, trial, does, st))
		return -1;
	if (does & WATCHED)
		watch(*ctx);
	backend_nccl.describe(*ctx, text, sizeof text);
	if (!(does & AGAIN))
		return 0;
	if (backend_nccl.reallocate(*ctx, st) || cell(*ctx, trial, does, st) ||
	    backend_nccl.renew(ctx, st) || cell(*ctx, trial, does, st))
		return -1;
	backend_nccl.disconnect(*ctx);
	return backend_nccl.connect(*ctx, st) ? -1 : cell(*ctx, trial, does, st);
}

static int run(const struct scene *scene, struct status *st)
{
	struct cell one = {.coll = scene->coll,
	                   .dtype = DTYPE_FLOAT32,
	                   .op = scene->op,
	                   .asked_bytes = 4096,
	                   .bytes = 4096};
	/* After half of the time a kernel gives up whose peer could not be launched. */
	struct trial trial = {.arena_bytes = ARENA_BYTES,
	                      .ncells = 1,
	                      .cells = &one,
	                      .cell_timeout_s = !(scene->does & TOLD)};
	struct team_shape shape = {.nranks = RANKS, .nworkers = 1, .yield = true};
	struct backend_place place = {
	    .trial = &trial, .nranks = RANKS, .count = RANKS, .processes = 1};
	struct backend_ctx *ctx = NULL;
	char way_in[64];
	int result;
	settings_default(&trial.settings);
	trial.settings.layout = (struct layout){1, 1, RANKS};
	settings_of_text(&trial.settings, scene->set);
	if (backend_nccl.supports(&trial, st) ||
	    team_create(&shape, way_in, sizeof way_in, &place.team, st))
		return -1;
	team = place.team;
	result =
	    backend_nccl.open(&place, &ctx, st) || work(&ctx, &trial, scene->does, st) ? -1 : 0;
	if (result)
		team_fail(place.team, 0, st->text);
	backend_nccl.close(ctx);
	team_leave(place.team);
	return result;
}

/* --- in a separate process, with or without an error --- */

static char folder[64], counted[80];
static struct outcome *outcome;

FIXTURE(set_up)
{
	cli_folder(folder);
	snprintf(counted, sizeof counted, "%s/calls", folder);
	outcome =
	    mmap(NULL, sizeof *outcome, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(outcome, MAP_FAILED);
	setenv("STANDIN_CALLS", counted, 1);
}

FIXTURE(tear_down)
{
	munmap(outcome, sizeof *outcome);
	cli_clean(folder);
}

/* What the stand-ins counted. */
static char *try_one(const struct scene *scene, const char *variable, const char *asks)
{
	int status;
	memset(outcome, 0, sizeof *outcome);
	unlink(counted);
	fflush(NULL);
	pid_t child = fork();
	if (child == 0) {
		if (variable)
			setenv(variable, asks, 1);
		alarm(CASE_S);
		outcome->result = run(scene, &outcome->st);
		outcome->ended = true;
		exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	if (!outcome->ended || status)
		fail_msg("%s, %s: ends with status %d: %s", scene->name, asks, status,
		         outcome->st.text);
	char *text = cli_read(counted);
	assert_non_null(text);
	const char *left = strstr(text, "left:");
	/* A group of communicators that cannot be made stays open, and with it the operations that
	 * were begun. */
	bool open = left && !strncmp(left, "left:communicators", 18) && asks &&
	            !strncmp(asks, "cudaSetDevice:", 14) && outcome->result;
	if (left && !open)
		fail_msg("%s, %s: %s", scene->name, asks, left);
	return text;
}

/* Whether the failure of call `nth` of a function was reported. */
static bool fail_one(const struct scene *scene, const char *function, unsigned nth)
{
	bool nccl = !strncmp(function, "nccl", 4) || !strcmp(function, "async");
	char *asks = test_text("%s:%d:%u", function, nccl ? NCCL_ERROR : CUDA_ERROR, nth);
	try_one(scene, nccl ? "STANDIN_NCCL" : "STANDIN_CUDART", asks);
	if (!outcome->result) {
		assert_string_equal(outcome->st.text, "");
		return false;
	}
	const char *words = nccl ? "internal error - please" : "unspecified launch failure";
	/* What NCCL asks of CUDA fails in NCCL's words. */
	if (!strstr(outcome->st.text, words) &&
	    (nccl || !strstr(outcome->st.text, "unhandled cuda error")))
		fail_msg("%s, %s: %s", scene->name, asks, outcome->st.text);
	return true;
}

/* Calls of streams and of polling differ from run to run: the first few of them. In the short form,
 * the first few of all calls that have to be reported, and every other one before each step. */
static unsigned enough(const char *function, unsigned calls)
{
	static const char *const varying[] = {"cudaStreamQuery", "ncclCommGetAsyncError", "async",
	                                      "kernel"};
	bool varies = is_among(varying, LENGTH(varying), function);
	bool is_mixed = is_among(mixed, LENGTH(mixed), function);
	unsigned most = varies ? 3 : !getenv("STANDINS") ? calls : is_mixed ? 24 : 2;
	return calls < most ? calls : most;
}

static void fail_each(const struct scene *scene, char *counts, unsigned *cases)
{
	for (char *line = strtok(counts, "\n"); line; line = strtok(NULL, "\n")) {
		char function[64];
		unsigned calls, told = 0;
		assert_int_equal(sscanf(line, "%63s %u", function, &calls), 2);
		if (!strcmp(function, "data")) /* no function */
			continue;
		calls = enough(function, calls);
		unsigned step = calls > 3 && getenv("STANDINS") ? 2 : 1;
		for (unsigned nth = 1; nth <= calls; nth += step)
			told += fail_one(scene, function, nth);
		*cases += calls;
		if (is_among(quiet, LENGTH(quiet), function))
			continue;
		/* Sleeping reports nothing: polling does, if the error persists. */
		bool sleeps = scene->does & SLEEPS && !strcmp(function, "cudaStreamSynchronize");
		/* A blocking library is asked only if a call takes long. */
		if (!strcmp(function, "async") || !strcmp(function, "ncclCommGetAsyncError"))
			continue;
		/* CUDA too, where the streams write words. */
		if (strcmp(scene->set, "wait=query") && !strcmp(function, "cudaStreamQuery"))
			continue;
		if (sleeps || is_among(mixed, LENGTH(mixed), function))
			assert_true(told > 0);
		else if (told < calls)
			fail_msg("%s: of %u calls of %s that failed %u were told", scene->name,
			         calls, function, told);
	}
}

TEST(every_call_that_fails_is_told_and_nothing_is_left)
{
	unsigned cases = 0;
	for (unsigned i = 0; i < LENGTH(scenes); i++) {
		char *counts = try_one(&scenes[i], NULL, "no error");
		if (outcome->result)
			fail_msg("%s: %s", scenes[i].name, outcome->st.text);
		fail_each(&scenes[i], counts, &cases);
	}
	print_message("%u calls failed, one after the other\n", cases);
}

/* Between processes, where the one that failed had no core. Without a time limit a kernel waits for
 * 20 s, which pass at once, and the other's words may take 10. */
TEST(a_failure_is_told_and_not_that_a_kernel_waited_for_it)
{
	static const struct scene scene = {"device", COLL_ALLTOALL, OP_NONE, TOLD, "api=device"};
	free(try_one(&scene, "STANDIN_ABSENT", "1"));
	assert_int_equal(outcome->result, -1);
	assert_string_equal(outcome->st.text, "rank 1: its own words");
}

TESTS(.before = set_up, .after = tear_down);
