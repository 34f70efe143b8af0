#include "started.h"

#define MOST_RANKS 1000000
#define COLUMNS    5 /* of names in a row */

struct row {
	const char *by, *rank, *size[2]; /* size: the first that is set */
	const char *on_host, *hosts;     /* processes of this host; hosts of the job */
	bool has_size;                   /* always: a rank without it is a mistake */
	const char *marker;              /* has to be set too; NULL: none */
	unsigned long marker_most;       /* its number; 0: any text */
};

/* clang-format off */
/* Those that others start come before them: torchrun in each of srun's tasks, mpirun's processes by srun or PMI's daemons.
 * RANK alone may be of a pod. PMIx says no size. salloc's shell is in a step whose number says that it is none. */
static const struct row rows[] = {
	{"launchgap", "LAUNCHGAP_RANK", {"LAUNCHGAP_SIZE"}, NULL, NULL, true, NULL, 0},
	{"torchrun", "RANK", {"WORLD_SIZE"}, "LOCAL_WORLD_SIZE", NULL, true, "TORCHELASTIC_RUN_ID", 0},
	{"Open MPI", "OMPI_COMM_WORLD_RANK", {"OMPI_COMM_WORLD_SIZE"}, "OMPI_COMM_WORLD_LOCAL_SIZE", NULL, true, NULL, 0},
	{"Flux", "FLUX_TASK_RANK", {"FLUX_JOB_SIZE"}, NULL, NULL, true, NULL, 0},
	{"PALS", "PALS_RANKID", {"PMI_SIZE"}, NULL, NULL, false, NULL, 0},
	{"JSM", "JSM_NAMESPACE_RANK", {"JSM_NAMESPACE_SIZE"}, "JSM_NAMESPACE_LOCAL_SIZE", NULL, true, NULL, 0},
	{"PMI", "PMI_RANK", {"PMI_SIZE"}, "MPI_LOCALNRANKS", NULL, true, NULL, 0},
	{"Slurm", "SLURM_PROCID", {"SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"}, NULL, "SLURM_STEP_NUM_NODES", true, "SLURM_STEP_ID", 0xfffffff0},
	{"RANK and WORLD_SIZE", "RANK", {"WORLD_SIZE"}, NULL, NULL, true, NULL, 0},
	{"PMIx", "PMIX_RANK", {NULL}, NULL, NULL, false, NULL, 0},
};
/* clang-format on */
#define NROWS (sizeof rows / sizeof *rows)
static const char *const places[] = {"LAUNCHGAP_RENDEZVOUS", "MASTER_ADDR", "LAUNCHGAP_SECRET"};

static int read_number(const char *name, const char *value, unsigned *out, bool *has,
                       struct status *st)
{
	*has = value;
	if (!value)
		return 0;
	const size_t digits = strspn(value, "0123456789");
	if (!digits || value[digits] || digits > 7 || atoi(value) > MOST_RANKS)
		return status_set(st, "%s is \"%.40s\"; allowed are numbers from 0 to %d", name,
		                  value, MOST_RANKS);
	*out = (unsigned)atoi(value);
	return 0;
}

/* The numbers agree with each other. */
static int check_row(const struct row *row, const struct started *s, struct status *st)
{
	if (!s->has_size && row->has_size)
		return status_set(st, "%s is %u, but %s is not set: whoever sets one sets both",
		                  row->rank, s->rank, s->size_by);
	if (s->has_size && !s->size)
		return status_set(st, "%s is 0: a job has at least one process", s->size_by);
	if (s->has_size && s->rank >= s->size)
		return status_set(st, "%s is %u, but %s is %u: ranks are 0 to %u", row->rank,
		                  s->rank, s->size_by, s->size, s->size - 1);
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
	const unsigned second = row->size[1] && (env(row->size[1]) && !env(row->size[0]));
	bool has_rank;
	*out = (struct started){.by = row->by, .rank_by = row->rank, .size_by = row->size[second]};
	if (read_number(row->rank, env(row->rank), &out->rank, &has_rank, st) ||
	    (out->size_by &&
	     read_number(out->size_by, env(out->size_by), &out->size, &out->has_size, st)))
		return -1;
	return check_row(row, out, st) || read_hosts(env, row, out, st) ? -1 : 0;
}

static bool is_of(const char *(*env)(const char *name), const struct row *row)
{
	const char *marker = row->marker ? env(row->marker) : "";
	return env(row->rank) && marker &&
	       (!row->marker_most || strtoul(marker, NULL, 10) <= row->marker_most);
}

/* The hosts that another launcher (srun) knows of the same processes, which have PMI's
 * variables. */
static void add_hosts(const char *(*env)(const char *name), struct started *s)
{
	for (size_t i = 0; i < NROWS && s->by && !s->hosts; i++) {
		struct started other;
		struct status ignored = {""};
		if (is_of(env, &rows[i]) && !read_row(env, &rows[i], &other, &ignored) &&
		    other.rank == s->rank && other.size == s->size)
			s->hosts = other.hosts;
	}
}

int started_find(const char *(*env)(const char *name), struct started *out, struct status *st)
{
	struct started found = {.by = NULL};
	for (size_t i = 0; i < NROWS && !found.by; i++)
		if (is_of(env, &rows[i]) && read_row(env, &rows[i], &found, st))
			return -1;
	add_hosts(env, &found);
	found.address = env(places[0]);
	if (!found.address)
		found.address = env(places[1]);
	found.secret = env(places[2]);
	*out = found;
	return 0;
}

const char *started_variable(unsigned i)
{
	const unsigned nplaces = sizeof places / sizeof *places, of = i / COLUMNS;
	if (of >= NROWS)
		return i - COLUMNS * NROWS < nplaces ? places[i - COLUMNS * NROWS] : NULL;
	/* A column that a row has not is another's. */
	const char *const all[COLUMNS] = {rows[of].rank, rows[of].size[0], rows[of].size[1],
	                                  rows[of].on_host, rows[of].hosts};
	return all[i % COLUMNS] ? all[i % COLUMNS] : rows[of].rank;
}
