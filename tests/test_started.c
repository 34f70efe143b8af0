/* Who started this process, by the variables that launchers set. */
#include "../harness/exchange/started.h"
#include "test.h"

/* In place of the environment: name, value, …, NULL. */
static const char *const *variables;

static const char *env(const char *name)
{
	for (const char *const *v = variables; *v; v += 2)
		if (!strcmp(v[0], name))
			return v[1];
	return NULL;
}

/* clang-format off */
static const struct {
	const char *variables[24], *by; /* NULL: nobody */
	unsigned rank, size;
	bool has_size;
	unsigned hosts;
} jobs[] = {
	{{"HOME", "/root"}, NULL, 0, 0, false, 0},
	{{"LAUNCHGAP_RANK", "2", "LAUNCHGAP_SIZE", "4", "LAUNCHGAP_LOCAL_RANK", "0"}, "launchgap", 2, 4, true, 0},
	{{"LAUNCHGAP_RANK", "0", "LAUNCHGAP_SIZE", "1"}, "launchgap", 0, 1, true, 0},
	{{"OMPI_COMM_WORLD_RANK", "3", "OMPI_COMM_WORLD_SIZE", "8", "OMPI_COMM_WORLD_LOCAL_RANK", "1", "PMIX_RANK", "3"}, "Open MPI", 3, 8, true, 0},
	{{"PMI_RANK", "5", "PMI_SIZE", "6", "MPI_LOCALRANKID", "2"}, "PMI", 5, 6, true, 0},
	{{"PMI_RANK", "5", "PMI_SIZE", "6", "PMI_LOCAL_RANK", "1", "MPI_LOCALRANKID", "1"}, "PMI", 5, 6, true, 0},
	{{"FLUX_TASK_RANK", "1", "FLUX_JOB_SIZE", "2", "FLUX_TASK_LOCAL_ID", "0", "PMI_RANK", "1", "PMI_SIZE", "2"}, "Flux", 1, 2, true, 0},
	{{"PALS_RANKID", "7", "PALS_LOCAL_RANKID", "3", "PMI_RANK", "7", "PMI_SIZE", "16"}, "PALS", 7, 16, true, 0},
	{{"PALS_RANKID", "7", "PALS_LOCAL_RANKID", "3"}, "PALS", 7, 0, false, 0},
	{{"JSM_NAMESPACE_RANK", "1", "JSM_NAMESPACE_SIZE", "2", "JSM_NAMESPACE_LOCAL_RANK", "1"}, "JSM", 1, 2, true, 0},
	{{"PMIX_RANK", "9"}, "PMIx", 9, 0, false, 0},
	/* srun, plain and with PMIx; salloc's shell, which has a size and no rank. */
	{{"SLURM_PROCID", "4", "SLURM_NTASKS", "8", "SLURM_LOCALID", "0", "SLURM_STEP_ID", "0"}, "Slurm", 4, 8, true, 0},
	{{"SLURM_PROCID", "4", "SLURM_NTASKS", "8", "SLURM_LOCALID", "0", "SLURM_STEP_ID", "0", "PMIX_RANK", "4"}, "Slurm", 4, 8, true, 0},
	{{"SLURM_NTASKS", "8"}, NULL, 0, 0, false, 0},
	/* A batch script. */
	{{"SLURM_PROCID", "0", "SLURM_NTASKS", "8", "SLURM_LOCALID", "0"}, NULL, 0, 0, false, 0},
	/* A step in a larger allocation; salloc's shell, which is an interactive step, with a size and without. */
	{{"SLURM_PROCID", "1", "SLURM_NTASKS", "16", "SLURM_STEP_NUM_TASKS", "2", "SLURM_STEP_ID", "3", "SLURM_STEP_NUM_NODES", "1"}, "Slurm", 1, 2, true, 1},
	{{"SLURM_JOB_ID", "9", "SLURM_PROCID", "0", "SLURM_NTASKS", "16", "SLURM_STEP_ID", "4294967290"}, NULL, 0, 0, false, 0},
	{{"SLURM_JOB_ID", "9", "SLURM_PROCID", "0", "SLURM_STEP_ID", "4294967290", "SLURM_STEP_NUM_TASKS", "1"}, NULL, 0, 0, false, 0},
	/* srun --mpi=pmi2: Slurm knows the hosts. Not those of PMI's daemons. */
	{{"PMI_RANK", "1", "PMI_SIZE", "2", "SLURM_PROCID", "1", "SLURM_NTASKS", "2", "SLURM_STEP_ID", "0", "SLURM_STEP_NUM_NODES", "1"}, "PMI", 1, 2, true, 1},
	{{"PMI_RANK", "1", "PMI_SIZE", "4", "SLURM_PROCID", "1", "SLURM_NTASKS", "2", "SLURM_STEP_ID", "0", "SLURM_STEP_NUM_NODES", "2"}, "PMI", 1, 4, true, 0},
	/* torchrun in each of srun's tasks; srun in a pod of PyTorch's; mpirun by srun; PMI's daemons by srun. */
	{{"RANK", "12", "WORLD_SIZE", "16", "LOCAL_RANK", "4", "TORCHELASTIC_RUN_ID", "none", "SLURM_PROCID", "1", "SLURM_NTASKS", "2"}, "torchrun", 12, 16, true, 0},
	{{"RANK", "1", "WORLD_SIZE", "2", "SLURM_PROCID", "3", "SLURM_NTASKS", "4", "SLURM_STEP_ID", "1"}, "Slurm", 3, 4, true, 0},
	{{"RANK", "1", "WORLD_SIZE", "2"}, "RANK and WORLD_SIZE", 1, 2, true, 0},
	{{"OMPI_COMM_WORLD_RANK", "3", "OMPI_COMM_WORLD_SIZE", "8", "SLURM_PROCID", "0", "SLURM_NTASKS", "1"}, "Open MPI", 3, 8, true, 0},
	{{"PMI_RANK", "3", "PMI_SIZE", "8", "SLURM_PROCID", "0", "SLURM_NTASKS", "1"}, "PMI", 3, 8, true, 0},
};

static const struct {
	const char *variables[8], *said;
} mistakes[] = {
	{{"OMPI_COMM_WORLD_RANK", "x"}, "OMPI_COMM_WORLD_RANK is \"x\"; allowed are numbers from 0 to 1000000"},
	{{"PMIX_RANK", ""}, "PMIX_RANK is \"\"; allowed are"},
	{{"PMIX_RANK", "-1"}, "PMIX_RANK is \"-1\"; allowed are"},
	{{"PMIX_RANK", "1e3"}, "PMIX_RANK is \"1e3\"; allowed are"},
	{{"PMIX_RANK", " 1"}, "PMIX_RANK is \" 1\"; allowed are"},
	{{"PMIX_RANK", "4294967297"}, "PMIX_RANK is \"4294967297\"; allowed are"},
	{{"PMIX_RANK", "1000001"}, "PMIX_RANK is \"1000001\"; allowed are"},
	{{"SLURM_STEP_ID", "0", "SLURM_PROCID", "1", "SLURM_NTASKS", "two"}, "SLURM_NTASKS is \"two\"; allowed are"},
	{{"SLURM_STEP_ID", "0", "SLURM_PROCID", "1", "SLURM_NTASKS", "2", "SLURM_STEP_NUM_NODES", "?"}, "SLURM_STEP_NUM_NODES is \"?\"; allowed are"},
	{{"SLURM_STEP_ID", "0", "SLURM_PROCID", "1"}, "SLURM_PROCID is 1, but SLURM_STEP_NUM_TASKS is not set: whoever sets one sets both"},
	{{"LAUNCHGAP_RANK", "0"}, "LAUNCHGAP_RANK is 0, but LAUNCHGAP_SIZE is not set: whoever sets one sets both"},
	{{"RANK", "0"}, "RANK is 0, but WORLD_SIZE is not set: whoever sets one sets both"},
	{{"PMI_RANK", "0", "PMI_SIZE", "0"}, "PMI_SIZE is 0: a job has at least one process"},
	{{"RANK", "2", "WORLD_SIZE", "2"}, "RANK is 2, but WORLD_SIZE is 2: ranks are 0 to 1"},
};
/* clang-format on */

TEST(each_launcher_is_known_by_its_variables)
{
	for (size_t i = 0; i < LENGTH(jobs); i++) {
		struct started s;
		variables = jobs[i].variables;
		assert_works(started_find(env, &s, WHY));
		assert_int_equal(!s.by, !jobs[i].by);
		if (s.by)
			assert_string_equal(s.by, jobs[i].by);
		assert_int_equal(s.rank, jobs[i].rank);
		assert_int_equal(s.has_size, jobs[i].has_size);
		assert_int_equal(s.size, jobs[i].size);
		assert_int_equal(s.hosts, jobs[i].hosts);
	}
}

TEST(a_mistake_names_its_variable)
{
	for (size_t i = 0; i < LENGTH(mistakes); i++) {
		struct started s = {.by = "untouched"};
		variables = mistakes[i].variables;
		assert_int_equal(started_find(env, &s, WHY), -1);
		assert_begins(because(), mistakes[i].said);
		assert_string_equal(s.by, "untouched");
	}
}

TESTS();
