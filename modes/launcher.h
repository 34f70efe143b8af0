/* A launcher starts a job's processes, and in each finds the others. */
#pragma once

#include "../harness/core/team.h"
#include "../harness/exchange/peers.h"
#include "../harness/trial/settings.h"

#define LAUNCHER_MAX_ARGS 160 /* of mpirun two for each variable, and some 40 */
#define LAUNCHER_AUTO     "auto"

struct launch {
	const struct settings *set;
	bool yield;          /* ranks are more than cores */
	bool messages;       /* the measured data goes in MPI's own messages */
	const char *self;    /* this program's file */
	const char *order;   /* the trial's file */
	const char *scratch; /* a folder of this run for the launcher's files; removed later */
};

struct launcher_argv {
	unsigned count;
	char *args[LAUNCHER_MAX_ARGS + 1]; /* NULL-terminated; owned, launcher_argv_free */
};

/* A job's process by its command line: `launchgap worker LAUNCHER ORDER PROCESSES WAIT [RANK]`. */
struct launched {
	const struct launcher *by;
	const char *self, *order;
	unsigned processes; /* of the whole job */
	bool yield;
	const char *rank; /* of one that a launcher without MPI started; NULL: it is none */
};

/* Suffixes of the order's name: a pipe to the runner; one from it, a byte for each turn. */
#define LAUNCHER_PIPE ".said"
#define LAUNCHER_GATE ".gate"
enum launcher_word {
	LAUNCHER_MEASURED = 1, /* what is timed, counted and checked is over: it only closes */
	LAUNCHER_ENDED =
	    2, /* all processes completed their part, whatever their launcher reports then */
	LAUNCHER_FAILED = 4, /* the launcher may wait for hosts that are lost */
	LAUNCHER_GIVES = 8,  /* others may have their turn */
};
/* In a job's first process. A runner that is gone hears nothing. */
void launcher_say(const char *order, enum launcher_word word);

struct launcher {
	const char *name;
	const char *summary;
	bool mpi;      /* its processes are one MPI_COMM_WORLD */
	bool pretends; /* its hosts are this machine, whose cores they share */
	bool several;  /* starts several processes; else one */
	bool queues;   /* starts a job when the one before has left, and not beside it */
	/* Of settings with as many processes as it starts. NULL: it can. */
	int (*supports)(const struct settings *set, struct status *st);
	/* Whether `auto` takes none that comes after it. NULL: never. */
	bool (*reigns)(void);
	/* The most bytes that it puts into the scratch folder. NULL: none. */
	size_t (*scratch_bytes)(struct layout layout);
	/* Appended before the program. NULL: the runner starts it. */
	int (*command)(const struct launch *launch, struct launcher_argv *out, struct status *st);
	/* In a process of the job: finds the others. NULL: by MPI. */
	int (*find)(const struct launched *as, struct peers *out, struct status *st);
	/* NULL: peers_close. team: of this host, or NULL; process: its place there. */
	void (*leave)(const struct launched *as, struct peers *rendezvous, struct team *team,
	              unsigned process);
};

extern const struct launcher launcher_alone, launcher_join, launcher_mpirun, launcher_srun,
    launcher_exec;
extern const struct launcher *const launcher_table[];
const struct launcher *launcher_find(const char *name);
/* The one that they name, or the first that supports them, as for one process. NULL, with why. */
const struct launcher *launcher_pick(const struct settings *set, struct status *st);

/* 0, or -1 with a sentence why it cannot start a job with these settings here. */
int launcher_supports(const struct launcher *l, const struct settings *set, struct status *st);

/* Appends copies of texts. */
void launcher_add_each(struct launcher_argv *argv, const char *const texts[]);
#define launcher_add(argv, ...) launcher_add_each(argv, (const char *const[]){__VA_ARGS__, NULL})
/* The launcher's, then self worker LAUNCHER ORDER PROCESSES WAIT. Freed after an error too. */
int launcher_command(const struct launcher *by, const struct launch *launch,
                     struct launcher_argv *out, struct status *st);
void launcher_argv_free(struct launcher_argv *argv);

/* Without MPI: finds the others over TCP by its rank; or, without one, starts them (starter.c). */
int launcher_meet(const struct launched *as, struct peers *out, struct status *st);
