/* One table as an nccl-tests program has it: what it says of its options and devices, its lines, its
 * footer. The names and counts are nccl-tests' 2.19.6 (src/common.cu, src/util.cu). nccl_format.c
 * writes it as text, nccl_json.c as JSON. */
#ifndef LAUNCHGAP_NCCL_TABLE_H
#define LAUNCHGAP_NCCL_TABLE_H

#include "../analysis/summary.h"

#define NCCL_TESTS_VERSION "2.19.6+launchgap" /* of its columns */

/* The time of a line: the workers' own, in the order of nccl-tests' -a; ours, from the earliest
 * start to the latest end over all; or that of launching alone, as its -C 1. Bandwidths follow it. */
enum nccl_average {
	NCCL_AVERAGE_RANK0,
	NCCL_AVERAGE_MEAN, /* nccl-tests' default */
	NCCL_AVERAGE_MIN,
	NCCL_AVERAGE_MAX,
	NCCL_AVERAGE_SPAN,
	NCCL_AVERAGE_LAUNCH,
	NCCL_AVERAGE_KINDS
};

/* 0, 1, 2, 3, span or launch; -1 with the sentence for anything else. */
int nccl_average_find(const char *name, enum nccl_average *out, struct status *st);
const char *nccl_average_name(enum nccl_average average);

/* A variant's figures of a collective, whatever the datatype, operation and root. */
struct nccl_table {
	const struct summary *s;
	unsigned variant;
	unsigned first; /* group */
	enum nccl_average average;
	bool per_call; /* with the times of single calls, of the isolated ones, as its -I 1 */
};

/* Every table of a summary, one per variant and collective, in order; a table without a line is
 * omitted, and so are limits and the reference's twin. Of stream calls; of isolated ones where the run
 * has no other, as with nccl-tests' -z 1. `use` NULL: only counts. */
unsigned nccl_tables(const struct summary *summary, enum nccl_average average, bool per_call,
                     void (*use)(const struct nccl_table *table, void *arg), void *arg);

const struct summary_group *nccl_table_group(const struct nccl_table *table);
/* Whether a group's rows are in the table. */
bool nccl_table_holds(const struct nccl_table *table, unsigned group);

/* The program's options, as nccl-tests counts them. */
struct nccl_options {
	unsigned processes, threads, gpus; /* a process', a thread's */
	size_t least, most;                /* bytes */
	size_t step, factor;               /* 0: not that */
	unsigned warmup, iters, together, graph;
	size_t unalign;
	bool checked, waits; /* waits: -z 1 */
	bool parallel_init;
	unsigned registers; /* -R */
	int cta_policy;     /* -x; -1: not set */
};
struct nccl_options nccl_table_options(const struct nccl_table *table);

/* A rank's device. Texts are as the record has them; lengths, as some end earlier. */
struct nccl_device {
	int group, number;
	const char *host, *pci, *name;
	int pci_bytes, name_bytes;
};
struct nccl_device nccl_table_device(const struct nccl_table *table, unsigned rank);

/* A line: its two halves are out of place and in place, NULL: not measured. */
struct nccl_line {
	const struct summary_row *halves[2];
	size_t bytes, count;
	const char *type, *redop;
	int root;
};
/* The lines, one by one; *at begins as {0}. */
struct nccl_place {
	unsigned groups; /* that are done */
	size_t bytes;    /* of the group's last line */
};
bool nccl_table_next(const struct nccl_table *table, struct nccl_place *at, struct nccl_line *line);

/* Figures that are not there are NaN. */
struct nccl_half {
	double time_us, algbw, busbw;
	bool checked;
	double wrong;
};
struct nccl_half nccl_table_half(const struct nccl_table *table, const struct summary_row *row);
/* The isolated calls that belong to a half: its row of pace isolated, or NULL. */
const struct summary_row *nccl_table_calls(const struct nccl_table *table,
                                           const struct summary_row *row);

/* The root that it prints; -1: the collective has none there. */
int nccl_cell_root(const struct cell *cell);

/* The footer's sums over halves. */
struct nccl_totals {
	unsigned wrong; /* with wrong elements */
	double busbw;   /* the mean; NaN: none has one */
};
struct nccl_totals nccl_table_totals(const struct nccl_table *table);

/* The library's version as nccl-tests prints it: 22803 is 2.28.3, 2804 is 2.8.4; 0: none. */
unsigned nccl_table_library(const struct nccl_table *table);
/* The collective of a program of nccl-tests: "all_reduce" of "all_reduce_perf"; NULL: it has none of
 * that name. */
const char *nccl_program(const char *name);

#endif
