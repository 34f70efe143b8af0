/* A mode places the workers. It knows no backend, clock or record, and never touches a GPU. */
#ifndef LAUNCHGAP_MODE_H
#define LAUNCHGAP_MODE_H

#include "../harness/core/isolation.h"
#include "../harness/core/team.h"

#define MODE_MAX_ARGS 64

struct run {
	struct layout layout;
	struct team_shape shape;
	const char *order;   /* the trial's file, last argument of the job */
	const char *scratch; /* a folder of this run for the launcher's files; removed later */
	bool messages;       /* the measured data goes in MPI's own messages */
	bool isolates;       /* each process is isolated, */
	struct isolation isolation; /* like this; the mode sets the process and its GPUs */
};

struct mode_argv {
	unsigned count;
	char *args[MODE_MAX_ARGS + 1]; /* NULL-terminated; owned, mode_argv_free */
};

/* index: 0 … layout_workers − 1, in rank order. process: 0 … processes − 1. */
typedef void mode_worker_fn(struct team *team, unsigned index, unsigned process, void *arg);
/* Called once in the first process, after all workers are done and before the block is freed. */
typedef int mode_lead_fn(struct team *team, void *arg, struct status *st);

/* Suffix of the order's name: a file that says that all processes completed their part, whatever
 * their launcher reports then. A mode without a launcher writes none. */
#define MODE_ENDED ".ended"

/* The properties of a mode, so that no code has to test its name. The layout says how its workers
 * are placed (layout_placing). */
struct mode_traits {
	bool mpi; /* its processes are one MPI_COMM_WORLD */
};

struct mode {
	const char *name;
	const char *summary;
	struct mode_traits is;
	/* Whether this mode can place workers in this layout. A layout without a mode's name implies
	 * the first row that owns it. */
	bool (*owns)(struct layout layout);
	/* The layout of `nranks` ranks in this mode if none is given. */
	struct layout (*spread)(unsigned nranks);
	/* The most bytes that the launcher of so many processes puts into the scratch folder. NULL:
	 * it has no launcher. */
	size_t (*scratch_bytes)(struct layout layout);
	/* NULL, or a sentence why it cannot run here. */
	const char *(*unsupported)(void);
	/* The argv that starts a fresh job. */
	int (*command)(const struct run *run, const char *self, struct mode_argv *out,
	               struct status *st);
	/* In the job: makes the block, calls worker once per host thread, waits for all, then
	 * lead. */
	int (*enter)(const struct run *run, mode_worker_fn *worker, mode_lead_fn *lead, void *arg,
	             struct status *st);
};

/* NULL-terminated. */
extern const struct mode *const mode_table[];
const struct mode *mode_find(const char *name);
const struct mode *mode_for_layout(struct layout layout);
/* A job's mode: by name, or by its layout if the name is "". NULL: there is none, or it cannot
 * place workers in this layout. */
const struct mode *mode_pick(const char *name, struct layout layout);

/* Appends a copy; -1 when full or out of memory. */
int mode_argv_add(struct mode_argv *argv, const char *arg);
void mode_argv_free(struct mode_argv *argv);

/* Runs this process's worker threads; the calling thread is the first. Every mode uses it. */
int mode_run_threads(const struct run *run, struct team *team, unsigned process,
                     mode_worker_fn *worker, void *arg, struct status *st);

/* enter and command of modes with one process and no launcher. */
int mode_run_alone(const struct run *run, mode_worker_fn *worker, mode_lead_fn *lead, void *arg,
                   struct status *st);
int mode_command_alone(const struct run *run, const char *self, struct mode_argv *out,
                       struct status *st);

/* The same for modes whose processes mpirun starts, with any number of threads each
 * (processes.c). */
const char *mode_unsupported_mpirun(void);
size_t mode_scratch_mpirun(struct layout layout);
int mode_command_mpirun(const struct run *run, const char *self, struct mode_argv *out,
                        struct status *st);
int mode_run_mpirun(const struct run *run, mode_worker_fn *worker, mode_lead_fn *lead, void *arg,
                    struct status *st);

#endif
