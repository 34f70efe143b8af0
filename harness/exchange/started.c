#include "started.h"

#include <stdlib.h>
#include <string.h>

#define MOST_RANKS 1000000
#define COLUMNS    6 /* of names in a row */

struct row {
	const char *by, *rank, *size, *local[2];
	const char *on_host, *hosts; /* processes of this host; hosts of the job */
	bool has_size;               /* always: a rank without it is a mistake */
	const char *marker;          /* has to be set too; NULL: none */
};

/* clang-format off */
/* Those that others start come before them: torchrun in each of srun's tasks, mpirun's processes by srun or by PMI's
 * daemons. RANK alone may be of a pod that runs another launcher. PMIx, which says no size, is of others' use too. A batch
 * script has Slurm's rank and size, and is in no step: srun has not started it. */
static const struct row rows[] = {
	{"launchgap", "LAUNCHGAP_RANK", "LAUNCHGAP_SIZE", {"LAUNCHGAP_LOCAL_RANK"}, NULL, NULL, true, NULL},
	{"torchrun", "RANK", "WORLD_SIZE", {"LOCAL_RANK"}, "LOCAL_WORLD_SIZE", NULL, true, "TORCHELASTIC_RUN_ID"},
	{"Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", {"OMPI_COMM_WORLD_LOCAL_RANK"}, "OMPI_COMM_WORLD_LOCAL_SIZE", NULL, true, NULL},
	{"Flux", "FLUX_TASK_RANK", "FLUX_JOB_SIZE", {"FLUX_TASK_LOCAL_ID"}, NULL, NULL, true, NULL},
	{"PALS", "PALS_RANKID", "PMI_SIZE", {"PALS_LOCAL_RANKID"}, NULL, NULL, false, NULL},
	{"JSM", "JSM_NAMESPACE_RANK", "JSM_NAMESPACE_SIZE", {"JSM_NAMESPACE_LOCAL_RANK"}, "JSM_NAMESPACE_LOCAL_SIZE", NULL, true, NULL},
	{"PMI", "PMI_RANK", "PMI_SIZE", {"PMI_LOCAL_RANK", "MPI_LOCALRANKID"}, "MPI_LOCALNRANKS", NULL, true, NULL},
	{"Slurm", "SLURM_PROCID", "SLURM_NTASKS", {"SLURM_LOCALID"}, NULL, "SLURM_STEP_NUM_NODES", true, "SLURM_STEP_ID"},
	{"RANK and WORLD_SIZE", "RANK", "WORLD_SIZE", {"LOCAL_RANK"}, NULL, NULL, true, NULL},
	{"PMIx", "PMIX_RANK", NULL, {NULL}, NULL, NULL, false, NULL},
};
/* clang-format on */
static const char *const places[] = {"LAUNCHGAP_RENDEZVOUS", "MASTER_ADDR", "LAUNCHGAP_SECRET"};

/* A variable's number, if it is set. */
static int read_number(const char *name, const char *value, unsigned *out, bool *has,
                       struct status *st)
{
	*has = value;
	if (!value)
		return 0;
	const size_t digits = strspn(value, "0123456789");
	if (!digits || value[digits] || digits > 7 || atoi(value) > MOST_RANKS)
		return status_set(st, "%s is \"%.40s\": a number from 0 to %d is wanted", name,
		                  value, MOST_RANKS);
	*out = (unsigned)atoi(value);
	return 0;
}

/* The numbers agree with each other. */
static int check_row(const struct row *row, const struct started *s, struct status *st)
{
	if (!s->has_size && row->has_size)
		return status_set(st, "%s is %u, but %s is not set: whoever sets one sets both",
		                  row->rank, s->rank, row->size);
	if (s->has_size && !s->size)
		return status_set(st, "%s is 0: a job has at least one process", row->size);
	if (s->has_size && s->rank >= s->size)
		return status_set(st, "%s is %u, but %s is %u: ranks are 0 to %u", row->rank,
		                  s->rank, row->size, s->size, s->size - 1);
	return 0;
}

/* On how many hosts the job is, if as many processes are on each. */
static int read_hosts(const char *(*env)(const char *name), const struct row *row,
                      struct started *s, struct status *st)
{
	unsigned on_host = 0;
	bool has = false;
	if (row->hosts && read_number(row->hosts, env(row->hosts), &s->hosts, &has, st))
		return -1;
	if (row->on_host && read_number(row->on_host, env(row->on_host), &on_host, &has, st))
		return -1;
	if (on_host)
		s->hosts = s->size / on_host;
	if (s->hosts && (s->size % s->hosts || (on_host && s->size % on_host)))
		s->hosts = 0;
	return 0;
}

static int read_row(const char *(*env)(const char *name), const struct row *row,
                    struct started *out, struct status *st)
{
	bool has_rank;
	if (read_number(row->rank, env(row->rank), &out->rank, &has_rank, st) ||
	    (row->size && read_number(row->size, env(row->size), &out->size, &out->has_size, st)) ||
	    check_row(row, out, st) || read_hosts(env, row, out, st))
		return -1;
	for (unsigned i = 0; i < 2 && row->local[i] && !out->has_local_rank; i++) {
		const char *name = row->local[i];
		if (read_number(name, env(name), &out->local_rank, &out->has_local_rank, st))
			return -1;
		if (out->has_local_rank && out->has_size && out->local_rank >= out->size)
			return status_set(st,
			                  "%s is %u, but %s is %u: a host has no more processes "
			                  "than the job",
			                  name, out->local_rank, row->size, out->size);
	}
	out->by = row->by;
	return 0;
}

int started_find(const char *(*env)(const char *name), struct started *out, struct status *st)
{
	struct started found = {.by = NULL};
	for (size_t i = 0; i < sizeof rows / sizeof *rows && !found.by; i++) {
		if (!env(rows[i].rank) || (rows[i].marker && !env(rows[i].marker)))
			continue;
		if (read_row(env, &rows[i], &found, st))
			return -1;
	}
	found.address = env(places[0]);
	if (!found.address)
		found.address = env(places[1]);
	found.secret = env(places[2]);
	*out = found;
	return 0;
}

const char *started_variable(unsigned i)
{
	const unsigned nrows = sizeof rows / sizeof *rows, nplaces = sizeof places / sizeof *places;
	const unsigned of = i / COLUMNS;
	if (of >= nrows)
		return i - COLUMNS * nrows < nplaces ? places[i - COLUMNS * nrows] : NULL;
	/* A column that a row has not is another's. */
	const char *const all[COLUMNS] = {rows[of].rank,     rows[of].size,    rows[of].local[0],
	                                  rows[of].local[1], rows[of].on_host, rows[of].hosts};
	return all[i % COLUMNS] ? all[i % COLUMNS] : rows[of].rank;
}
