/* A mode places the workers. It knows no backend, clock or record, and never touches a GPU. */
#ifndef LAUNCHGAP_MODE_H
#define LAUNCHGAP_MODE_H

#include "../harness/core/isolation.h"
#include "../harness/core/team.h"

#define MODE_MAX_ARGS 64

struct run {
	struct layout layout;
	struct team_shape shape;
	const char *order; /* the trial's file, last argument of the job */
	const char
	    *scratch; /* a folder of this run for what the launcher leaves; removed later */
	bool messages; /* the launcher's own messages are what is measured */
	bool isolates; /* each process is set apart, */
	struct isolation isolation; /* so; which process and which GPUs, its mode says */
};

struct mode_argv {
	unsigned count;
	char *args[MODE_MAX_ARGS + 1]; /* NULL-terminated; owned, mode_argv_free */
};

/* index: 0 … layout_workers − 1, in rank order. process: 0 … processes − 1. */
typedef void mode_worker_fn(struct team *team, unsigned index, unsigned process, void *arg);
/* Called once in the first process after all workers are through and before the block goes. */
typedef int mode_lead_fn(struct team *team, void *arg, struct status *st);

/* Behind the order's name: the file that says that all processes have done their part, whatever
 * their launcher says then. A mode without a launcher writes none. */
#define MODE_ENDED ".ended"

/* What a mode is, by fields, so that nobody has to ask for its name. How its workers are placed is
 * the layout's to say (layout_placing). */
struct mode_traits {
	bool mpi; /* its processes are one MPI_COMM_WORLD */
};

struct mode {
	const char *name;
	const char *summary;
	struct mode_traits is;
	/* Whether this mode can place its workers so. A layout alone, without a mode's name,
	 * implies the first row that owns it. */
	bool (*owns)(struct layout layout);
	/* The layout that `nranks` ranks have in this mode when none is given. */
	struct layout (*spread)(unsigned nranks);
	/* The most that the launcher of so many processes puts into the scratch folder, bytes.
	 * NULL: it has no launcher. */
	size_t (*scratch_bytes)(struct layout layout);
	/* NULL, or a sentence why it cannot run here. */
	const char *(*unsupported)(void);
	/* The argv that starts a fresh job. */
	int (*command)(const struct run *run, const char *self, struct mode_argv *out,
	               struct status *st);
	/* In the job: makes the block, calls worker once per host thread, waits for all, then
	 * lead. */
	int (*enter)(const struct run *run, mode_worker_fn *worker, mode_lead_fn *lead,
	             void *arg, struct status *st);
};

/* NULL-terminated. */
extern const struct mode *const mode_table[];
const struct mode *mode_find(const char *name);
const struct mode *mode_for_layout(struct layout layout);
/* A job's mode: by name, or by its layout where the name is "". NULL: there is none, or it
 * cannot place its workers so. */
const struct mode *mode_pick(const char *name, struct layout layout);

/* Appends a copy; -1 when full or out of memory. */
int mode_argv_add(struct mode_argv *argv, const char *arg);
void mode_argv_free(struct mode_argv *argv);

/* Runs this process's worker threads, the calling thread being the first; used by every mode.
 */
int mode_run_threads(const struct run *run, struct team *team, unsigned process,
                     mode_worker_fn *worker, void *arg, struct status *st);

/* enter and command of the modes that need one process and no launcher. */
int mode_run_alone(const struct run *run, mode_worker_fn *worker, mode_lead_fn *lead, void *arg,
                   struct status *st);
int mode_command_alone(const struct run *run, const char *self, struct mode_argv *out,
                       struct status *st);

/* The same of the modes whose processes mpirun starts, any number of threads each
 * (processes.c). */
const char *mode_unsupported_mpirun(void);
size_t mode_scratch_mpirun(struct layout layout);
int mode_command_mpirun(const struct run *run, const char *self, struct mode_argv *out,
                        struct status *st);
int mode_run_mpirun(const struct run *run, mode_worker_fn *worker, mode_lead_fn *lead,
                    void *arg, struct status *st);

#endif
