/* Records that are made: a test says which variants, cells and blocks a run had and how long each
 * call took; the rest is as the program writes it. */
#pragma once

#include "../harness/report/report.h"
#include "../harness/analysis/stats.h"
#include "../harness/report/model.h"
#include "../harness/record/record.h"
#include "cli.h"
#include "json.h"
#include "test.h"

/* Fields that are NULL or 0 are those of a plain variant. */
struct made_variant {
	const char *name;
	const char *role;    /* NULL: "variant" */
	const char *mode;    /* NULL: "threads" */
	const char *layout;  /* and with it the ranks; NULL: of two, by mode */
	const char *backend; /* NULL: the record's */
	const char *nccl;    /* the library's file */
	const char *library; /* its version, a fact of each cell */
	const char *env;     /* one NAME=VALUE */
	const char *skip;
	const char *data_path; /* that the library's log proves; NULL: as `logs` says */
	const char *more;      /* JSON of more of its keys, with ' for " */
	bool force;
	bool fails; /* none of its cells completes */
};

/* A record that names no variants has these, the last a copy. */
enum { MADE_SINGLE, MADE_THREADS, MADE_PROCESSES, MADE_AGAIN, MADE_LIMIT, MADE_VARIANTS };

/* What is called. Where a record names none, its cells are alltoalls of 4 KiB, 16 KiB, … */
struct made_call {
	const char *collective; /* NULL: "alltoall" */
	size_t bytes;           /* 0: by the place in the list, 4 KiB << 2 × size */
	const char *dtype, *op; /* NULL: "float32", "sum" */
	unsigned root;
	bool in_place;
};

/* Adds a question to a list: of all sizes, regimes and paces, beyond 2 %; a claim of two variants,
 * named c1, c2, …; a factor; the gap. */
struct claim *made_claim(struct claim_list *to, enum metric metric, enum claim_test test,
                         const char *left, const char *right);
struct factor *made_factor(struct claim_list *to, const char *name, const char *from,
                           const char *with);
void made_gap(struct claim_list *to, const char *from, const char *with, size_t least_bytes);

/* One stamp's place. */
struct made_place {
	unsigned variant, block, size, row, rank;
	unsigned connection, allocation;
	bool isolated, timeline, counters;
};

struct made {
	const char *folder;                /* NULL: made_folder */
	const char *backend;               /* NULL: "nccl" */
	unsigned ranks, rows, cores;       /* 0: 2, 3, 16 */
	unsigned blocks, sizes;            /* sizes: how many calls */
	unsigned isolated_rows;            /* 0: as many as rows */
	unsigned connections, allocations; /* 0: one, and not in the record */
	double load1;                      /* 0: not recorded */
	bool timeline; /* cells of that pass too, with device stamps where `device` */
	bool device, no_limit;
	bool sums;                          /* lines have checksums, as those of runs do */
	const char *clock, *may, *throttle; /* facts, NULL: none */
	bool counters;                      /* cells of that pass too; `line` says what they hold */
	const struct made_variant *variants; /* NULL: the five */
	unsigned nvariants;                  /* 0: as many as those */
	const struct made_call *calls;       /* as many as sizes; NULL: alltoalls */
	const struct claim_list *asked;      /* claims, factors and gap; or NULL */
	const char
	    *logs; /* what the library's log proves of variants: {'threads': {}, …}: staged, and
	                   * the path's keys that are otherwise; JSON as below, or NULL */
	const char *more_of_run,
	    *more_of_cells; /* JSON of more keys of the environment; of each cell
	                                          * but the limit's; with ' for ", or NULL */
	bool (*has)(const struct made_place *place);                /* a cell; NULL: all */
	void (*environment)(json_t *environment);                   /* changes it; or NULL */
	void (*line)(json_t *line, const struct made_place *place); /* of cells; or NULL */
	void (*first)(FILE *out); /* lines between the environment and the cells; or NULL */
	void (*more)(FILE *out);  /* lines after all others; or NULL */
	/* Start, issued, idle and poll, device start and end, from 0 on, as 0, 100, 0, 10, 0 and 0;
	 * rows follow each other at a distance. NULL: times do not matter. */
	void (*stamps)(const struct made_place *place, int64_t out[6]);
};

/* The folder of the program's records. */
extern const char *const made_folder;
void made_begin(void);
void made_end(void);
/* A file in it; the path of the call before the last is no longer valid. */
const char *made_path(const char *name);
/* The text of a file in it; the last one's is freed. */
char *made_read(const char *name);
bool made_has(const char *name);

/* Noise that is the same in every run and has no trend: −1 to 1. */
double made_noise(unsigned a, unsigned b, unsigned c);
bool made_no_gnuplot(void);
/* What gnuplot prints of the lines, with the style of the pictures of the last report; without it
 * the test is skipped. */
char *made_gnuplot(const char *lines);

/* For `first` and `more`. `line` is freed. */
void made_line(FILE *out, json_t *line);
/* Of `logs`: a choice for a collective at a size. */
char *made_choice(const char *collective, unsigned bytes, const char *algorithm,
                  const char *protocol, unsigned channels);
/* For `environment` and `line`. made_set: the keys of a JSON text, with ' for ". */
void made_set(json_t *object, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* In place of sizes another collective each time, of 4 KiB, in all datatypes; not of the limit. */
void made_by_collective(json_t *cell, const struct made_place *place);
json_t *made_variant_of(json_t *environment, unsigned variant);
void made_set_mode(json_t *variant, const char *mode);
void made_fact(json_t *cell, const char *key, const char *value);
/* The topology of a file in tests/topology, by its name without the ending. The caller owns it. */
json_t *made_topology(const char *name);
/* The fact of each rank's GPU: the one of that number in a topology. */
void made_gpus(json_t *cell, const char *topology, unsigned ranks);
void made_error(json_t *cell);
void made_counters(json_t *cell, const struct counters *of, unsigned ranks);

/* The environment's line of its record, which the caller frees. */
json_t *made_environment(const struct made *m);
/* Writes trials.jsonl. */
void made_write(const struct made *m);

struct made_loaded {
	struct record_run run;
};

/* Written and read. */
void made_load(const struct made *m, struct made_loaded *out);
void made_unload(struct made_loaded *l);
/* Written, and its tables, in scratch(). looks: NULL: as the record has them. */
struct db *made_tables(const struct made *m, const struct looks *looks);

/* report.json of the record, written and reported on with the pictures of `plot`; the last one's is
 * freed. */
const json_t *made_report_with(const struct made *m, const char *plot, int rc);
/* With pictures, of those files of `plot` alone ("busbw.gp ranks.gp"; "*.gp": all); without gnuplot
 * the test is skipped. */
const json_t *made_drawn(const struct made *m, const char *files);
/* A folder with these files and what they need, until the next call. */
const char *made_plots(const char *files);
/* Without pictures. */
const json_t *made_report(const struct made *m);
/* Of a record that has no results: with what report_make says. */
const json_t *made_refused(const struct made *m, const char *plot, struct status *why);
/* The printed report of the record; the last one's text is freed. */
char *made_print(const struct report_options *options);
