/* What counters count: known copies between two GPUs, each between two readings of all NVML sources
 * (meter.h) on both GPUs. */
#ifndef LAUNCHGAP_CALIBRATE_H
#define LAUNCHGAP_CALIBRATE_H

#include <stdio.h>

#include "../backend/device/copies.h"
#include "meter.h"

#define CALIBRATE_CELLS   64
#define CALIBRATE_REPEATS 9

/* One question. `pieces` of 0: nothing is copied, as a control.
 *
 * Otherwise the GPUs rest, are read, copy, rest and are read again: exact for cumulative counters.
 * Steady: they copy from before the first reading until after the second, and rates are compared,
 * which is the only way to check GPM. */
struct calibrate_cell {
	struct copies_order order; /* steady: pieces is set when it runs */
	bool steady;
};

struct calibrate_reading {
	struct meter_count at[2]; /* the two GPUs */
	double bytes[2]; /* copied in each direction of the order, between these readings */
};

struct calibrate {
	struct calibrate_cell cells[CALIBRATE_CELLS];
	unsigned ncells, repeats;
	unsigned settle_ms, steady_ms; /* of rest; of a steady stretch between its readings */
	struct calibrate_reading readings[CALIBRATE_CELLS][CALIBRATE_REPEATS][METER_SOURCES];
};

/* The cells, repeats and times of `launchgap counters`. */
void calibrate_default(struct calibrate *c);

/* Blocks until it is done; calls `say`, if not NULL, before each cell. */
int calibrate_run(struct calibrate *c, struct meter *const meter[2], struct copier copier,
                  void (*say)(unsigned done, unsigned total), struct status *st);

/* calibrate_print.c: what a calibration found, for people in 80 columns, and as one JSON object of the
 * same tables with every single reading. json may be NULL. -1 only if memory is out. */
int calibrate_show(const struct calibrate *c, FILE *out, FILE *json, struct status *st);

#endif
