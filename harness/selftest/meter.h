/* What each counter of NVML's says that a GPU sent and received between two moments: for
 * finding out what it counts. nvml.h reads the few that a run needs; this reads all there are.
 */
#ifndef LAUNCHGAP_METER_H
#define LAUNCHGAP_METER_H

#include "../status.h"

#define METER_WHY_BYTES 48

enum meter_source {
	METER_DATA,       /* fields NVLINK_THROUGHPUT_DATA_TX and _RX, of all links at once */
	METER_DATA_LINKS, /* the same, asked link by link and added */
	METER_RAW,        /* fields NVLINK_THROUGHPUT_RAW_*: with the protocol's overhead */
	METER_RAW_LINKS,
	/* Fields NVLINK_COUNT_XMIT_BYTES and _RCV_BYTES. NVLink 5 alone has them; NVIDIA's DCGM
	 * asks for all links at once, so that is tried first, then link by link. */
	METER_BYTES,
	METER_PACKETS,  /* fields NVLINK_COUNT_XMIT_PACKETS and _RCV_PACKETS, likewise */
	METER_PCIE,     /* fields PCIE_COUNT_TX_BYTES and _RX_BYTES */
	METER_GPM,      /* GPM's NVLink rates, times the seconds between its samples */
	METER_GPM_DRAM, /* GPM's share of the DRAM's peak, times peak and seconds; all is "tx"
	                 */
	METER_SOURCES
};

/* Units as NVML documents them; GPM's as measured (core/counters.h): what is left of its
 * rates after times seconds. */
struct meter_info {
	const char *name, *unit;
	double unit_bytes;  /* 1024 for KiB; NaN where the unit is not bytes */
	double other_bytes; /* what else it may be, a KB or a MiB; NaN: there is no doubt */
};

struct meter_count {
	double tx, rx;             /* in the source's unit; NaN where missing */
	double seconds;            /* between the two readings */
	char why[METER_WHY_BYTES]; /* it is missing; "" where it is not */
};

struct meter;

const struct meter_info *meter_info(enum meter_source source);

/* As nvml_watch_open; the caller closes. */
int meter_open(const char *library, const char *pci, struct meter **out, struct status *st);
/* Reads all sources; milliseconds. `end` belongs to the last `begin`. */
void meter_begin(struct meter *meter);
void meter_end(struct meter *meter);
/* After end. GPM's are missing where begin and end lie closer than NVML_WATCH_NS. */
void meter_count(struct meter *meter, enum meter_source source, struct meter_count *out);
/* NULL is allowed. */
void meter_close(struct meter *meter);

#endif
