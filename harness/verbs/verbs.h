/* The verbs of the command line, one file each. */
#pragma once

#include "../config/options.h"

/* The folders of experiments and plots: beside the build folder, or installed; or "". */
struct home {
	char self[PATH_MAX];
	char experiments[PATH_MAX + 32];
	char plot[PATH_MAX + 32];
};

void home_each_experiment(const struct home *home, void (*use)(const char *name, void *arg),
                          void *arg);
/* The path of an experiment's file by its name. -1: there is none. */
int home_find_experiment(const struct home *home, const char *name, char *file, size_t bytes,
                         struct status *st);
/* A `use` that offers each to a struct suggestion. */
void suggest_offer_to(const char *name, void *guess);

/* One row each (verbs.c): the command line and help are made of it. */
struct verb {
	const char *name,
	    *form; /* form: the arguments; "" if there are none; NULL: not for people */
	const char *summary, *about;     /* about: paragraphs, or NULL */
	const struct fields *options[3]; /* its own; NULL: none */
	const char *as;                  /* the verb whose options it takes too, or NULL */
	const char *exits;               /* its exit statuses, if not 0 and 1 */
	/* Of the whole command line. 0: done. 1: done, with errors. -1: not done. */
	int (*call)(int argc, char *argv[], const struct home *home, struct status *st);
};

const struct verb *verb_at(size_t i);
/* By its name, or a program's of nccl-tests; NULL: there is none. */
const struct verb *verb_find(const char *name);
/* Those of nccl-tests are made rows. */
void verb_each_option(const struct verb *verb, void (*use)(const struct field *row, void *arg),
                      void *arg);
/* Takes arguments of argv[1] into `base`; others are up to `most` operands. How many, or -1. */
int verb_take(int argc, char *argv[], void *base, char *operands[], int most, struct status *st);
int verb_not_understood(const char *name, const char *argument, struct status *st);
/* Names no verb. 2, the program's exit status. */
int verb_unknown(const char *name, struct status *st);

typedef int verb_fn(int argc, char *argv[], const struct home *home, struct status *st);
/* verb_perf's argv[1] is the name of a program of nccl-tests (perf_program). */
verb_fn verb_run, verb_resume, verb_join, verb_worker, verb_ask, verb_report, verb_compare,
    verb_tour, verb_list, verb_doctor, verb_perf, verb_help, verb_version, verb_new, verb_sql;
extern const struct fields run_options, join_options, ask_options, compare_options, tour_options,
    doctor_options;

/* What it is comes in a second column after `columns`, or below if the name is longer. */
void help_entry(FILE *out, unsigned columns, const char *name, const char *what);
void help_print_all(FILE *out);
/* The tables of experiments/README.md, each between its marks. */
void key_tables_print(FILE *out);

struct run_request;

/* Prints what run would measure, and what that takes; works without the backend's devices too. */
int dry_run(const struct run_request *request, struct status *st);
