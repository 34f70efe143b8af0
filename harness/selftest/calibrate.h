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

/* What a source counted of a copy. Forth and back are relative to the order: the sender's TX, the
 * receiver's RX, and the receiver's TX at the same time (requests, acknowledgements). */
enum calibrate_side { CALIBRATE_SENT, CALIBRATE_RECEIVED, CALIBRATE_RETURNED };

/* Median, least and most over the repeats; NaN if none has a value. */
struct calibrate_figure {
	double median, least, most;
};

/* The cells, repeats and times of `launchgap counters`. */
void calibrate_default(struct calibrate *c);

/* Blocks until it is done; calls `say`, if not NULL, before each cell. */
int calibrate_run(struct calibrate *c, struct meter *const meter[2], struct copier copier,
                  void (*say)(unsigned done, unsigned total), struct status *st);

/* In the source's own unit. */
struct calibrate_figure calibrate_count(const struct calibrate *c, unsigned cell,
                                        enum meter_source source, enum calibrate_side side);
/* The count times unit_bytes, over the bytes copied. */
struct calibrate_figure calibrate_ratio(const struct calibrate *c, unsigned cell,
                                        enum meter_source source, enum calibrate_side side,
                                        double unit_bytes);
/* Of what RAW counts, the share that DATA does not. */
struct calibrate_figure calibrate_overhead(const struct calibrate *c, unsigned cell);
/* Bytes of payload in a packet. */
struct calibrate_figure calibrate_packet(const struct calibrate *c, unsigned cell);
/* The first reason why a source has no value anywhere; "" if it has one. */
const char *calibrate_missing(const struct calibrate *c, enum meter_source source);

/* calibrate_print.c: what a calibration found, for people in 80 columns, and as one JSON object of the
 * same tables with every single reading. json may be NULL. -1 only if memory is out. */
int calibrate_show(const struct calibrate *c, FILE *out, FILE *json, struct status *st);

#endif
