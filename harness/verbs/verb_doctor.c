/* doctor: what launchgap can use of this machine: it is there, or what cannot be measured without
 * it and the command that mends it. For people a line, for programs a row of JSON. */
#include <sys/statvfs.h>

#include "../backend/device/nvml.h"
#include "../backend/table.h"
#include "../core/isolation.h"
#include "../machine.h"
#include "../mpi/mpi_load.h"
#include "../report/page.h"
#include "../sanitize.h"
#include "verbs.h"

#define SHM_MIB 256 /* NCCL's host path wants more than Docker's 64 */

/* Something that may be missing. look: whether it is there; what was found, or why it is not. */
struct need {
	const char *group, *name, *costs, *mend;
	bool (*look)(const char *name, char *found, size_t bytes);
};

static bool look_backend(const char *name, char *found, size_t bytes)
{
	struct status why = {""};
	const unsigned ranks = backend_capacity(name, &why);
	if (!ranks)
		snprintf(found, bytes, "%s", why.text);
	else if (ranks == UINT_MAX)
		snprintf(found, bytes, "runs on any machine");
	else
		snprintf(found, bytes, "%u GPU%s", ranks, ranks == 1 ? "" : "s");
	return ranks;
}

static bool look_program(const char *name, char *found, size_t bytes)
{
	const bool ok = machine_has_program(name);
	snprintf(found, bytes, "%son the PATH", ok ? "" : "not ");
	return ok;
}

static bool look_mpi(const char *name, char *found, size_t bytes)
{
	struct status why = {""};
	(void)name;
	const bool ok = !mpi_find(found, bytes, &why);
	if (!ok)
		snprintf(found, bytes, "%s", why.text);
	return ok;
}

static bool look_cores(const char *name, char *found, size_t bytes)
{
	(void)name;
	snprintf(found, bytes, "%u usable (affinity and cgroup quota)", machine_cores());
	return machine_cores() > 1;
}

static bool look_shared_memory(const char *name, char *found, size_t bytes)
{
	struct statvfs fs;
	if (statvfs(name, &fs)) {
		snprintf(found, bytes, "there is none; mpirun's files go to /tmp");
		return false;
	}
	const double mib = (double)fs.f_bavail * (double)fs.f_frsize / (1 << 20);
	snprintf(found, bytes, "%.0f MiB free", mib);
	return mib >= SHM_MIB;
}

static bool look_counters(const char *name, char *found, size_t bytes)
{
	json_t *links = nvml_links_read(NVML_LIBRARY);
	const size_t n = json_array_size(json_object_get(links, "gpus"));
	(void)name;
	json_decref(links);
	if (n)
		snprintf(found, bytes, "%zu GPU%s by " NVML_LIBRARY, n, n == 1 ? "" : "s");
	else
		snprintf(found, bytes, "no GPU answers by " NVML_LIBRARY);
	return n;
}

static bool look_isolation(const char *name, char *found, size_t bytes)
{
	struct status why = {""};
	(void)name;
	const bool ok =
	    !isolation_possible(ISOLATE_BIT(ISOLATE_UTS) | ISOLATE_BIT(ISOLATE_SHM), &why);
	snprintf(found, bytes, "%s", ok ? "this user may create them" : why.text);
	return ok;
}

static bool look_variable(const char *name, char *found, size_t bytes)
{
	const char *value = machine_env(name);
	const bool ok = value && *value;
	snprintf(found, bytes, "%s", ok ? value : "not set");
	return ok;
}

// clang-format off
static const struct need needs[] = {
    {"programs", "mpirun", "the launcher mpirun, which reaches other hosts; exec starts processes here without it", "apt-get install openmpi-bin", look_program},
    {"programs", "MPI", "the backend mpi, and the launchers mpirun and srun", "apt-get install libopenmpi-dev openmpi-bin && make", look_mpi},
    {"programs", "srun", "the launcher srun, for hosts of a Slurm job", "apt-get install slurm-client", look_program},
    {"programs", "gnuplot", "the pictures of reports", "apt-get install gnuplot-nox", look_program},
    {"machine", "cores", "latency: with more ranks than cores waiting yields, and the modes cannot be distinguished", "docker run --cpus=8 --cpuset-cpus=0-7", look_cores},
    {"machine", "/dev/shm", "NCCL's path through CPU memory, where GPUs cannot reach each other", "docker run --shm-size=1g", look_shared_memory},
    {"machine", "GPU counters", "claims on NVLink's and DRAM's bytes, clocks, and the links between GPUs", "docker run --gpus all -e NVIDIA_DRIVER_CAPABILITIES=all", look_counters},
    {"machine", "namespaces", "what containers cost (isolation.exp)", "sysctl kernel.unprivileged_userns_clone=1", look_isolation},
    {"machine", "NCCL_LEGACY", "an NCCL before 2.23 beside this one (h800_alltoall): whether threads have lost their direct path", "export $(make -s nccl-legacy)", look_variable},
};
// clang-format on

/* For people, group by group, or into `rows`. */
static void say(const struct need *need, const char **group, json_t *rows)
{
	char found[1100], lead[64];
	const bool ok = need->look(need->name, found, sizeof found);
	sanitize_text(found); /* what a library or a variable says */
	if (rows) {
		json_array_append_new(
		    rows, json_pack("{s:s, s:s, s:b, s:s, s:s?, s:s?}", "group", need->group,
		                    "name", need->name, "ok", ok, "found", found, "costs",
		                    ok ? NULL : need->costs, "mend", ok ? NULL : need->mend));
		return;
	}
	if (!*group || strcmp(*group, need->group))
		printf("%s\n", need->group);
	*group = need->group;
	snprintf(lead, sizeof lead, "  %-3s %-13.40s ", ok ? "ok" : "--", need->name);
	page_wrap(stdout, lead, 20, found);
	if (!ok && need->costs)
		page_wrap(stdout, "      without: ", 15, need->costs);
	if (!ok && need->mend)
		page_wrap(stdout, "      mend:    ", 15, need->mend);
}

static void examine(json_t *rows)
{
	const char *group = NULL;
	for (const struct backend *const *b = backend_table; *b; b++) {
		const struct need need = {"backends", (*b)->name, (*b)->costs, (*b)->mend,
		                          look_backend};
		say(&need, &group, rows);
	}
	for (size_t i = 0; i < sizeof needs / sizeof *needs; i++)
		say(&needs[i], &group, rows);
}

static int print_json(struct status *st)
{
	json_t *rows = json_array();
	examine(rows);
	json_t *all =
	    json_pack("{s:i, s:s, s:o}", "schema", 1, "launchgap", LAUNCHGAP_COMMIT, "needs", rows);
	const int rc = all ? json_dumpf(all, stdout, JSON_INDENT(1)) : -1;
	json_decref(all);
	putchar('\n');
	return rc ? status_set(st, "doctor: out of memory") : 0;
}

static const struct field rows[] = {
    {"--json", FIELD_FLAG, 0, .help = "the same for programs (results/README.md)"},
};

const struct fields doctor_options = FIELDS_OF(rows, bool);

/* 0 even when something is missing: a machine without GPUs is a machine too. */
int verb_doctor(int argc, char *argv[], const struct home *home, struct status *st)
{
	bool json = false;
	(void)home;
	if (verb_take(argc, argv, &json, NULL, 0, st))
		return -1;
	if (json)
		return print_json(st);
	printf("launchgap " LAUNCHGAP_COMMIT "\n");
	examine(NULL);
	return 0;
}
