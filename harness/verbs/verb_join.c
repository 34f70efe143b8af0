/* join: an experiment in processes that somebody else started. */
#include "../../modes/agent.h"
#include "../exchange/started.h"
#include "../memory.h"
#include "verbs.h"

#define OWN_PORTS 2048 /* from ours on; below those that kernels give by themselves */

/* Which are equal for all processes of one job, and differ between jobs. */
static const char *const jobs[] = {
    "TORCHELASTIC_RUN_ID", "MASTER_ADDR", "MASTER_PORT", "SLURM_JOB_ID", "SLURM_STEP_ID",
    "FLUX_JOB_ID",         "PBS_JOBID",   "LSB_JOBID",   "JOB_ID",       "PMIX_NAMESPACE",
    "PMI_JOBID",           "PALS_APID",   "JOBSET_NAME", "LWS_NAME",     "LWS_GROUP_INDEX",
};

/* Keeps other jobs' processes out that come by mistake. Who knows the job can make it. */
static void make_secret(const struct started *own, char out[CONNECTION_SECRET_BYTES])
{
	char all[4096];
	snprintf(all, sizeof all, "%u", own->size);
	for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
		const char *value = machine_env(jobs[i]);
		status_add(all, sizeof all, "\n%s", value ? value : "");
	}
	connection_derive("", all, out);
}

static int find(struct started *own, struct status *st)
{
	if (started_find(machine_env, own, st))
		return -1;
	if (!own->by)
		return status_set(
		    st, "join: no launcher has said which process this is: none of RANK, "
		        "SLURM_PROCID … is set. Start it by torchrun, srun, mpirun, or set "
		        "LAUNCHGAP_RANK and LAUNCHGAP_SIZE (`launchgap run` needs none)");
	if (!own->has_size)
		return status_set(st,
		                  "join: %s says rank %u and not of how many; set LAUNCHGAP_RANK "
		                  "and LAUNCHGAP_SIZE",
		                  own->by, own->rank);
	if (own->address && own->size > 1 && address_check(own->address, st))
		return -1;
	if (!own->address && own->size > 1 && own->hosts != 1)
		return status_set(st, "join: where do all meet? LAUNCHGAP_RENDEZVOUS=HOST of rank "
		                      "0, or HOST:PORT, says it");
	return 0;
}

// clang-format off
static const struct field rows[] = {
    {"--wait", FIELD_SECONDS, .lo = FIELD_SECOND_NS, .hi = FIELD_DAY_NS, .initial = "300", .value = "SECONDS", .help = "for all to come"},
    {"LAUNCHGAP_RENDEZVOUS", FIELD_OWN, .otherwise = "MASTER_ADDR, and the port 29417", .help = "HOST or HOST:PORT of rank 0"},
    {"LAUNCHGAP_SECRET", FIELD_OWN, .help = "32 digits, 0-9 and a-f, the same for all. Without it one is made of the job's number and size: it keeps other jobs out, but nobody who wants in"},
    {"LAUNCHGAP_RANK, LAUNCHGAP_SIZE", FIELD_OWN, .help = "where no launcher sets its own: which process this is, of how many"},
};
// clang-format on

const struct fields join_options = FIELDS_OF(rows, unsigned);

struct joined {
	int argc; /* of run, as it was said; or of resume, without --wait */
	char **argv;
	const struct home *home;
};

static int take(int argc, char *argv[], struct joined *run, unsigned *wait_s, struct status *st)
{
	int n = 2;
	field_defaults(&join_options, wait_s);
	run->argv[0] = argv[0];
	run->argv[1] = (char *)(size_t) "join";
	for (int i = 2, taken; i < argc; i += taken) {
		taken = options_take(&join_options, argv, i, wait_s, st);
		if (taken < 0)
			return -1;
		if (taken)
			continue;
		taken = 1;
		if (n == 2 && !strcmp(argv[i], "resume"))
			run->argv[1] = argv[i];
		else
			run->argv[n++] = argv[i];
	}
	if (n == 2)
		return status_set(st, "join: which experiment? (`launchgap list` names them)");
	run->argc = n;
	if (strcmp(run->argv[1], "resume") != 0) {
		memcpy(run->argv, argv, (size_t)argc * sizeof *argv);
		run->argc = argc;
	}
	return 0;
}

/* Rank 0's, when all are there. */
static int carry_out(void *of, struct status *st)
{
	const struct joined *run = of;
	return strcmp(run->argv[1], "resume") ? verb_run(run->argc, run->argv, run->home, st)
	                                      : verb_resume(run->argc, run->argv, run->home, st);
}

int verb_join(int argc, char *argv[], const struct home *home, struct status *st)
{
	struct started own;
	struct joined run = {.argv = memory_take((size_t)argc + 1, sizeof *run.argv), .home = home};
	char secret[CONNECTION_SECRET_BYTES], room[ADDRESS_BYTES], why[256];
	unsigned wait_s;
	int result = -1;
	if (!take(argc, argv, &run, &wait_s, st) && !find(&own, st)) {
		unsigned number = 0;
		make_secret(&own, secret);
		/* If it is not said: this host, a port that two jobs of it do not share. */
		sscanf(secret, "%4x", &number);
		snprintf(room, sizeof room, "127.0.0.1:%u", ADDRESS_PORT + number % OWN_PORTS);
		snprintf(why, sizeof why,
		         "%s and %s say that this is one of %u processes; alone it runs after "
		         "`unset %s`",
		         own.rank_by, own.size_by, own.size, own.rank_by);
		const struct agent as = {.seat = {.rank = own.rank,
		                                  .size = own.size,
		                                  .door = -1,
		                                  .address = own.address ? own.address : room,
		                                  .secret = own.secret ? own.secret : secret,
		                                  .timeout_s = wait_s,
		                                  .why = why},
		                         .self = home->self};
		result = agent_run(&as, carry_out, &run, st);
	}
	free(run.argv);
	return result;
}
