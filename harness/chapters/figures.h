/* A run's tables with what the analysis found: data/schema.sql, figures.sql and the views of
 * shared.sql. */
#ifndef LAUNCHGAP_FIGURES_H
#define LAUNCHGAP_FIGURES_H

#include "../config/claim.h"
#include "../data/db.h"

/* Sealed; the run has to live as long. looks: in place of the run's own, or NULL. NULL: a defect of
 * these files, with a sentence. */
struct db *figures_load(const struct record_run *run, const struct looks *looks,
                        struct arena *arena, struct status *st);
/* Of all that only results.sql and what is before it, not sealed: no verdict, nothing that is asked. */
struct db *figures_results(const struct record_run *run, struct arena *arena, struct status *st);

/* --- its parts, a file each --- */

/* A source of figures: the run, and where they go. */
struct figures {
	const struct record_run *run;
	struct arena *arena;
	struct db *db;
};

/* The first value of a query; NaN: there is none. */
double figures_number(const struct figures *figures, const char *sql);
/* What the experiment's file asks. -1: the record's questions cannot be read. */
int figures_of_asked(const struct figures *figures, struct status *st);
/* After evidence.sql, which it asks. */
int figures_of_bandwidth(const struct figures *figures, struct status *st);
/* What joins the ranks (ranks_joined). */
struct figures_joined {
	const char *kind; /* that of all links, those of PCIe as PCIe; "": there are several */
	double all_gbs, next_gbs, pcie_gbs; /* of the narrowest rank; NaN: not known */
	const char *text;   /* "18 NVLinks of 25 GB/s to NVSwitches", "PCIe 5 ×16"; or "" */
	const char *memory; /* "PCIe 5 ×16 to the host's memory", or "" */
};
struct figures_joined figures_joined_of(struct db *db, struct arena *arena, struct status *st);
/* The line rate that busbw is compared with, GB/s; NaN: not known, or some ranks are joined by NVLink
 * and others not. busbw's factors (coll_info) are those by which each collective's data crosses a
 * GPU's link, so that none exceeds it (nccl-tests, doc/PERFORMANCE.md). Sends go to one rank, and take
 * the links to that one. Only switches that add (NVLS) let all_reduce exceed it: each GPU then sends and
 * receives its data once, algbw is at most the line rate, and busbw at most 2 (n − 1) ÷ n times it. */
double figures_line_gbs(const struct figures_joined *joined, enum coll_kind coll, unsigned nranks,
                        bool adds);
void figures_of_trust(const struct figures *figures);
int figures_of_tuning(const struct figures *figures, struct status *st);

/* The last of sizes; without an end the largest number of SQL. */
size_t figures_end(struct claim_range sizes);
#endif
