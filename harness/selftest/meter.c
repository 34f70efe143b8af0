#include "meter.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "../backend/device/nvml.h"
#include "../clock.h"

#define GPM_BYTES COUNTERS_GPM_NVLINK_BYTES
#define LINKS     18 /* of NVLink 4 and 5; a GPU with fewer refuses the others */

enum scope { OF_ALL_LINKS, LINK_BY_LINK, ALL_OR_EACH, OF_THE_GPU };

/* Names and units are those of nvmlFieldValue's ids in NVML's API reference. */
// clang-format off
static const struct {
	struct meter_info info;
	unsigned tx, rx; /* field ids; 0: GPM */
	enum scope scope;
} sources[METER_SOURCES] = {
    [METER_DATA]       = {{"DATA", "KiB", 1024, 1000}, 138, 139, OF_ALL_LINKS},
    [METER_DATA_LINKS] = {{"DATA, by link", "KiB", 1024, 1000}, 138, 139, LINK_BY_LINK},
    [METER_RAW]        = {{"RAW", "KiB", 1024, 1000}, 140, 141, OF_ALL_LINKS},
    [METER_RAW_LINKS]  = {{"RAW, by link", "KiB", 1024, 1000}, 140, 141, LINK_BY_LINK},
    [METER_BYTES]      = {{"COUNT, bytes", "bytes", 1, NAN}, 202, 204, ALL_OR_EACH},
    [METER_PACKETS]    = {{"COUNT, packets", "packets", NAN, NAN}, 201, 203, ALL_OR_EACH},
    [METER_PCIE]       = {{"PCIe", "bytes", 1, NAN}, 197, 198, OF_THE_GPU},
    [METER_GPM]        = {{"GPM NVLink", "1000 KiB", GPM_BYTES, 1 << 20}, 0, 0, OF_THE_GPU},
    [METER_GPM_DRAM]   = {{"GPM DRAM", "bytes", 1, NAN}, 0, 0, OF_THE_GPU},
};
// clang-format on

/* One source at one moment. */
struct reading {
	int64_t clock_ns;
	int result; /* nvmlReturn_t */
	unsigned long long tx, rx;
};

struct meter {
	struct nvml_watch *watch; /* owned; its GPU is asked for more */
	struct reading at[2][METER_SOURCES];
	struct counters counters; /* of GPM */
	unsigned taken;
};

const struct meter_info *meter_info(enum meter_source source)
{
	return &sources[source].info;
}

int meter_open(const char *library, const char *pci, struct meter **out, struct status *st)
{
	struct meter *meter = calloc(1, sizeof *meter);
	if (!meter)
		return status_set(st, "no memory is left for GPU counters");
	if (nvml_watch_open(library, pci, &meter->watch, st)) {
		free(meter);
		return -1;
	}
	*out = meter;
	return 0;
}

void meter_close(struct meter *meter)
{
	if (!meter)
		return;
	nvml_watch_close(meter->watch);
	free(meter);
}

/* Adds up what the links say; a link that a GPU does not have is no error, none at all is. */
static int add_links(const struct nvml_api_field *fields, unsigned n, unsigned long long *out)
{
	int first = 0;
	unsigned good = 0;
	*out = 0;
	for (unsigned i = 0; i < n; i++) {
		unsigned long long value = 0;
		int result = nvml_field_value(&fields[i], &value);
		first = first ? first : result;
		good += !result;
		*out += value;
	}
	return good ? 0 : first;
}

static void take_scope(struct meter *meter, enum meter_source source, enum scope scope,
                       struct reading *out)
{
	unsigned links = scope == LINK_BY_LINK ? LINKS : 1;
	unsigned all = scope == OF_ALL_LINKS ? NVML_API_ALL_LINKS : 0;
	struct nvml_api_field fields[2 * LINKS] = {{0}};
	for (unsigned i = 0; i < links; i++) {
		fields[i] = (struct nvml_api_field){.id = sources[source].tx, .scope = all + i};
		fields[links + i] =
		    (struct nvml_api_field){.id = sources[source].rx, .scope = all + i};
	}
	int64_t before = clock_now_ns();
	out->result = nvml_watch_fields(meter->watch, fields, 2 * links);
	out->clock_ns = before + (clock_now_ns() - before) / 2;
	if (!out->result)
		out->result = add_links(fields, links, &out->tx);
	if (!out->result)
		out->result = add_links(fields + links, links, &out->rx);
}

static void take_source(struct meter *meter, enum meter_source source, struct reading *out)
{
	enum scope scope = sources[source].scope;
	take_scope(meter, source, scope == ALL_OR_EACH ? OF_ALL_LINKS : scope, out);
	if (scope == ALL_OR_EACH && out->result)
		take_scope(meter, source, LINK_BY_LINK, out);
}

static void take(struct meter *meter, unsigned moment)
{
	for (unsigned i = 0; i < METER_SOURCES; i++)
		if (sources[i].tx)
			take_source(meter, i, &meter->at[moment][i]);
	meter->taken = moment + 1;
}

void meter_begin(struct meter *meter)
{
	nvml_watch_begin(meter->watch);
	take(meter, 0);
}

void meter_end(struct meter *meter)
{
	if (!meter->taken)
		return;
	nvml_watch_end(meter->watch);
	take(meter, 1);
	nvml_watch_read(meter->watch, &meter->counters);
}

static void count_gpm(const struct meter *meter, enum meter_source source, struct meter_count *out)
{
	const struct counters *c = &meter->counters;
	bool dram = source == METER_GPM_DRAM;
	double unit = sources[source].info.unit_bytes;
	out->seconds = c->seconds;
	out->tx = (dram ? c->dram_gbs : c->nvlink_tx_gbs) * 1e9 / unit * c->seconds;
	out->rx = dram ? NAN : c->nvlink_rx_gbs * 1e9 / unit * c->seconds;
	/* Without GPM's, `counters` has those of the byte counters. */
	if (isnan(out->tx) || (!dram && c->nvlink_unit_bytes != GPM_BYTES)) {
		out->tx = out->rx = NAN;
		snprintf(out->why, sizeof out->why, "%.47s",
		         c->missing[0] ? c->missing : "GPM: no figure");
	}
}

void meter_count(struct meter *meter, enum meter_source source, struct meter_count *out)
{
	const struct reading *a = &meter->at[0][source], *b = &meter->at[1][source];
	*out = (struct meter_count){.tx = NAN, .rx = NAN};
	if (meter->taken < 2) {
		snprintf(out->why, sizeof out->why, "not begun and ended");
	} else if (!sources[source].tx) {
		count_gpm(meter, source, out);
	} else if (a->result || b->result) {
		nvml_explain(a->result ? a->result : b->result, out->why, sizeof out->why);
	} else if (b->tx < a->tx || b->rx < a->rx) {
		snprintf(out->why, sizeof out->why, "the counter went back");
	} else {
		out->tx = (double)(b->tx - a->tx);
		out->rx = (double)(b->rx - a->rx);
		out->seconds = (double)(b->clock_ns - a->clock_ns) / 1e9;
	}
}
