/* The verbs of the command line, one file each. */
#ifndef LAUNCHGAP_VERBS_H
#define LAUNCHGAP_VERBS_H

#include <limits.h>

#include "../config/plan.h"
#include "../status.h"

/* The folders of experiments and plots: beside the build folder, or installed. "" if neither exists:
 * then an experiment needs --file, and there are no pictures. */
struct home {
	char self[PATH_MAX];
	char experiments[PATH_MAX + 32];
	char plot[PATH_MAX + 32];
};

/* Calls `use` with the name of each experiment, in order. */
void home_each_experiment(const struct home *home, void (*use)(const char *name, void *arg),
                          void *arg);
/* The path of an experiment's file by its name. -1: there is none. */
int home_find_experiment(const struct home *home, const char *name, char *file, size_t bytes,
                         struct status *st);
/* A `use` that offers each to a struct suggestion. */
void suggest_offer_to(const char *name, void *guess);

struct run_request;

/* Each takes the whole command line, prints its output on stdout and leaves a sentence in st if there
 * is an error. 0: done. 1: done, with errors. -1: not done. */
int verb_run(int argc, char *argv[], const struct home *home, struct status *st);
int verb_resume(int argc, char *argv[], const struct home *home, struct status *st);
int verb_join(int argc, char *argv[], const struct home *home, struct status *st);
int verb_worker(int argc, char *argv[], const struct home *home, struct status *st);
int verb_new(int argc, char *argv[], const struct home *home, struct status *st);
int verb_ask(int argc, char *argv[], const struct home *home, struct status *st);
int verb_report(int argc, char *argv[], const struct home *home, struct status *st);
int verb_tour(int argc, char *argv[], const struct home *home, struct status *st);
int verb_list(int argc, char *argv[], const struct home *home, struct status *st);
int verb_selftest(int argc, char *argv[], const struct home *home, struct status *st);
int verb_doctor(int argc, char *argv[], const struct home *home, struct status *st);
int verb_counters(int argc, char *argv[], const struct home *home, struct status *st);
/* argv[1] is the name of a program of nccl-tests (nccl_program). */
int verb_perf(int argc, char *argv[], const struct home *home, struct status *st);
void verb_perf_help(const char *program);

/* An experiment as a dry run plans it. */
struct dry_plan {
	struct spec spec;
	struct plan plan;                         /* borrows spec; plan_free */
	char backend[TRIAL_NAME_BYTES], why[512]; /* why not the first one; "": it is */
	struct status why_not;                    /* it has devices here; "": it has */
};
/* If the backend has no devices here, `machine` is made to imagine some. */
int dry_plan(const struct plan_source *from, bool quick, struct plan_machine *machine,
             struct dry_plan *out, struct status *st);
/* Prints what run would measure, and what that takes; works without the backend's devices too.
 * no_jobs: none is started for it. */
int dry_run(const struct run_request *request, bool no_jobs, struct status *st);

#endif
