#include "calibrate_shown.h"

#include <math.h>

#include "../report/table.h"

#define WIDTH       80
#define COUNT(list) (sizeof(list) / sizeof *(list))

struct shown {
	const struct calibrate *c;
	FILE *out;
	json_t *tables; /* NULL: for people alone */
	bool failed;
};

static const char *const directions[] = {"forth", "back", "both"};

static const char *const ways[] = {"CE push", "SM push", "CE pull", "SM pull"};

static unsigned way_number(const struct copies_order *order)
{
	return order->sm + 2u * order->pull;
}

static const char *way_of(const struct copies_order *order)
{
	return order->pieces ? ways[way_number(order)] : "none";
}

/* What a ratio lies above 1, in percent. */
static double above(struct calibrate_figure f)
{
	return (f.median - 1) * 100;
}

static double percent(struct calibrate_figure f)
{
	return f.median * 100;
}

/* Of the repeats, in percent of the median. */
static double spread(struct calibrate_figure f)
{
	return (f.most - f.least) / f.median * 100;
}

/* Shows and frees. */
static void put_table(struct shown *s, struct table *t, bool for_people)
{
	if (for_people && table_rows(t)) {
		fprintf(s->out, "\n%s\n", table_title(t));
		table_write_text(t, s->out, WIDTH);
	}
	s->failed = s->failed || table_failed(t);
	if (s->tables)
		json_array_append_new(s->tables, table_to_json(t));
	table_free(t);
}

static bool is_control(const struct calibrate_cell *cell)
{
	return !cell->order.pieces;
}

static struct calibrate_figure ratio_of(const struct calibrate *c, unsigned cell,
                                        enum nvml_meter_source source, enum calibrate_side side)
{
	return calibrate_ratio(c, cell, source, side, nvml_meter_info(source)->unit_bytes);
}

/* The cells that the answer rests on: the largest pieces, forth. */
static bool is_plain(const struct calibrate *c, unsigned cell, bool steady)
{
	const struct calibrate_cell *of = &c->cells[cell];
	size_t largest = 0;
	for (unsigned i = 0; i < c->ncells; i++)
		if (c->cells[i].steady == steady && c->cells[i].order.piece_bytes > largest)
			largest = c->cells[i].order.piece_bytes;
	return of->steady == steady && !is_control(of) && of->order.piece_bytes == largest &&
	       of->order.direction == COPIES_FORTH;
}

/* Least and most of what those read of the bytes sent. */
struct range {
	double least, most;
};

static struct range range_of(const struct calibrate *c, enum nvml_meter_source source,
                             bool steady, double unit_bytes)
{
	struct range range = {NAN, NAN};
	for (unsigned i = 0; i < c->ncells; i++) {
		struct calibrate_figure f =
		    calibrate_ratio(c, i, source, CALIBRATE_SENT, unit_bytes);
		if (!is_plain(c, i, steady))
			continue;
		range.least = fmin(range.least, f.least);
		range.most = fmax(range.most, f.most);
	}
	return range;
}

/* Far less than the 2.4 % that units differ by, and the 6 % that headers take. */
static bool is_payload(struct range r)
{
	return r.least > 0.995 && r.most < 1.005;
}

static void say_answer(struct shown *s, enum nvml_meter_source source, bool steady)
{
	const struct nvml_meter_info *info = nvml_meter_info(source);
	double unit = info->unit_bytes;
	struct range range = range_of(s->c, source, steady, unit);
	struct range other = range_of(s->c, source, steady, info->other_bytes);
	if (!is_payload(range) && is_payload(other)) {
		range = other;
		unit = info->other_bytes;
	}
	if (isfinite(range.least))
		fprintf(s->out,
		        "%s counts %s: %.4f to %.4f times what was sent,\n  its unit %.0f "
		        "bytes.\n",
		        info->name,
		        is_payload(range)     ? "payload"
		        : range.least > 1.005 ? "more than payload"
		                              : "something else",
		        range.least, range.most, unit);
	else
		fprintf(s->out, "%s: not known here (%s).\n", info->name,
		        calibrate_missing(s->c, source));
}

/* A row: one counter, its unit taken as so many bytes. */
static void put_source(struct shown *s, struct table *t, enum nvml_meter_source source,
                       double unit_bytes)
{
	const struct calibrate *c = s->c;
	double by_way[4] = {NAN, NAN, NAN, NAN}, widest = NAN;
	for (unsigned i = 0; i < c->ncells; i++) {
		struct calibrate_figure f =
		    calibrate_ratio(c, i, source, CALIBRATE_SENT, unit_bytes);
		if (!is_plain(c, i, false))
			continue;
		by_way[way_number(&c->cells[i].order)] = above(f);
		widest = fmax(widest, spread(f));
	}
	TABLE_ROW(t, CELL(nvml_meter_info(source)->name), CELL(nvml_meter_info(source)->unit),
	          CELL(unit_bytes));
	for (unsigned way = 0; way < 4; way++)
		TABLE_PUT(t, CELL(by_way[way]));
	TABLE_PUT(t, CELL(widest));
}

static void put_sources(struct shown *s)
{
	struct table *t = TABLE_NEW(
	    "sources", "What each counter reads above what was copied, in %",
	    {"source", "counter", "", TABLE_TEXT}, {"unit", "unit", "", TABLE_TEXT},
	    {"unit_bytes", "of B", "", TABLE_NUMBER}, {"ce_push", "CE push", "", TABLE_NUMBER},
	    {"sm_push", "SM push", "", TABLE_NUMBER}, {"ce_pull", "CE pull", "", TABLE_NUMBER},
	    {"sm_pull", "SM pull", "", TABLE_NUMBER}, {"spread", "spread", "", TABLE_NUMBER});
	for (unsigned source = 0; source <= METER_PCIE; source++) {
		const struct nvml_meter_info *info = nvml_meter_info(source);
		if (calibrate_missing(s->c, source)[0] || isnan(info->unit_bytes))
			continue;
		put_source(s, t, source, info->unit_bytes);
		if (isfinite(info->other_bytes))
			put_source(s, t, source, info->other_bytes);
	}
	put_table(s, t, true);
}

static void put_pieces(struct shown *s)
{
	const struct calibrate *c = s->c;
	struct table *t = TABLE_NEW(
	    "pieces",
	    "By the size of a piece, in bytes: DATA and RAW above what was "
	    "copied, and what of\nthem came back, in % of it; extra: "
	    "the share of RAW that is not DATA, in %;\npacket: bytes "
	    "copied per packet",
	    {"way", "way", "", TABLE_TEXT}, {"piece", "piece", "", TABLE_COUNT},
	    {"direction", "to", "", TABLE_TEXT}, {"data", "DATA", "", TABLE_NUMBER},
	    {"spread", "spread", "", TABLE_NUMBER}, {"raw", "RAW", "", TABLE_NUMBER},
	    {"overhead", "extra", "", TABLE_NUMBER}, {"packet", "packet", "", TABLE_NUMBER},
	    {"data_back", "DATA back", "", TABLE_NUMBER},
	    {"raw_back", "RAW back", "", TABLE_NUMBER});
	for (unsigned i = 0; i < c->ncells; i++) {
		const struct copies_order *order = &c->cells[i].order;
		struct calibrate_figure data = ratio_of(c, i, METER_DATA, CALIBRATE_SENT);
		if (c->cells[i].steady || is_control(&c->cells[i]))
			continue;
		TABLE_ROW(t, CELL(way_of(order)), CELL(order->piece_bytes),
		          CELL(directions[order->direction]), CELL(above(data)),
		          CELL(spread(data)),
		          CELL(above(ratio_of(c, i, METER_RAW, CALIBRATE_SENT))),
		          CELL(percent(calibrate_overhead(c, i))),
		          CELL(calibrate_packet(c, i).median),
		          CELL(percent(ratio_of(c, i, METER_DATA, CALIBRATE_RETURNED))),
		          CELL(percent(ratio_of(c, i, METER_RAW, CALIBRATE_RETURNED))));
	}
	table_drop_empty(t);
	put_table(s, t, true);
}

static void put_steady(struct shown *s)
{
	const struct calibrate *c = s->c;
	struct table *t = TABLE_NEW(
	    "steady",
	    "Rates while copies go on, above theirs in %; DRAM bytes per byte "
	    "copied, and the peer's",
	    {"way", "way", "", TABLE_TEXT}, {"direction", "to", "", TABLE_TEXT},
	    {"copied", "GB/s", "", TABLE_NUMBER}, {"gpm", "GPM", "", TABLE_NUMBER},
	    {"spread", "spread", "", TABLE_NUMBER}, {"gpm_mib", "in MiB", "", TABLE_NUMBER},
	    {"data", "DATA", "", TABLE_NUMBER}, {"raw", "RAW", "", TABLE_NUMBER},
	    {"dram_sender", "DRAM", "", TABLE_NUMBER},
	    {"dram_receiver", "peer's", "", TABLE_NUMBER});
	for (unsigned i = 0; i < c->ncells; i++) {
		const struct calibrate_reading *first = &c->readings[i][0][METER_DATA];
		struct calibrate_figure gpm = ratio_of(c, i, METER_GPM, CALIBRATE_SENT);
		double mib = nvml_meter_info(METER_GPM)->other_bytes;
		if (!c->cells[i].steady)
			continue;
		TABLE_ROW(t, CELL(way_of(&c->cells[i].order)),
		          CELL(directions[c->cells[i].order.direction]),
		          CELL(first->bytes[0] / first->at[0].seconds / 1e9), CELL(above(gpm)),
		          CELL(spread(gpm)),
		          CELL(above(calibrate_ratio(c, i, METER_GPM, CALIBRATE_SENT, mib))),
		          CELL(above(ratio_of(c, i, METER_DATA, CALIBRATE_SENT))),
		          CELL(above(ratio_of(c, i, METER_RAW, CALIBRATE_SENT))),
		          CELL(ratio_of(c, i, METER_GPM_DRAM, CALIBRATE_SENT).median),
		          CELL(ratio_of(c, i, METER_GPM_DRAM, CALIBRATE_RETURNED).median));
	}
	table_drop_empty(t);
	put_table(s, t, true);
}

static void put_control(struct shown *s)
{
	const struct calibrate *c = s->c;
	struct table *t =
	    TABLE_NEW("control", "Counted while nothing was copied",
	              {"source", "counter", "", TABLE_TEXT}, {"unit", "unit", "", TABLE_TEXT},
	              {"sent", "first GPU sent", "", TABLE_NUMBER},
	              {"received", "second received", "", TABLE_NUMBER},
	              {"missing", "missing", "", TABLE_TEXT});
	for (unsigned i = 0; i < c->ncells; i++)
		for (unsigned source = 0; source < METER_SOURCES && is_control(&c->cells[i]);
		     source++) {
			TABLE_ROW(
			    t, CELL(nvml_meter_info(source)->name),
			    CELL(nvml_meter_info(source)->unit),
			    CELL(calibrate_count(c, i, source, CALIBRATE_SENT).median),
			    CELL(calibrate_count(c, i, source, CALIBRATE_RECEIVED).median),
			    CELL(calibrate_missing(c, source)));
		}
	table_drop_empty(t);
	put_table(s, t, true);
}

static void put_readings(struct shown *s)
{
	const struct calibrate *c = s->c;
	struct table *t = TABLE_NEW(
	    "readings", "Every reading", {"way", "way", "", TABLE_TEXT},
	    {"steady", "steady", "", TABLE_FLAG}, {"piece", "piece", "", TABLE_BYTES},
	    {"direction", "direction", "", TABLE_TEXT}, {"repeat", "repeat", "", TABLE_COUNT},
	    {"source", "counter", "", TABLE_TEXT}, {"unit", "unit", "", TABLE_TEXT},
	    {"copied_0", "copied", "bytes", TABLE_NUMBER},
	    {"seconds_0", "seconds", "s", TABLE_NUMBER},
	    {"tx_0", "first GPU, TX", "", TABLE_NUMBER},
	    {"rx_0", "first GPU, RX", "", TABLE_NUMBER},
	    {"copied_1", "copied", "bytes", TABLE_NUMBER},
	    {"seconds_1", "seconds", "s", TABLE_NUMBER},
	    {"tx_1", "second GPU, TX", "", TABLE_NUMBER},
	    {"rx_1", "second GPU, RX", "", TABLE_NUMBER});
	for (unsigned k = 0; k < c->ncells * c->repeats * METER_SOURCES; k++) {
		unsigned source = k % METER_SOURCES, repeat = k / METER_SOURCES % c->repeats;
		unsigned cell = k / METER_SOURCES / c->repeats;
		const struct calibrate_reading *r = &c->readings[cell][repeat][source];
		const struct copies_order *order = &c->cells[cell].order;
		TABLE_ROW(t, CELL(way_of(order)), CELL(c->cells[cell].steady),
		          CELL(order->piece_bytes), CELL(directions[order->direction]),
		          CELL(repeat + 1), CELL(nvml_meter_info(source)->name),
		          CELL(nvml_meter_info(source)->unit));
		for (unsigned gpu = 0; gpu < 2; gpu++) {
			TABLE_PUT(t, CELL(r->bytes[gpu]), CELL(r->at[gpu].seconds),
			          CELL(r->at[gpu].tx), CELL(r->at[gpu].rx));
		}
	}
	put_table(s, t, false);
}

int calibrate_show(const struct calibrate *c, FILE *out, FILE *json, struct status *st)
{
	struct shown s = {.c = c, .out = out, .tables = json ? json_array() : NULL};
	json_t *object;
	say_answer(&s, METER_DATA, false);
	say_answer(&s, METER_RAW, false);
	say_answer(&s, METER_GPM, true);
	fprintf(
	    out,
	    "DATA and RAW are NVML's fields NVLINK_THROUGHPUT_*, COUNT its NVLINK_COUNT_*.\n"
	    "CE: copy engine; SM: a kernel; push: the sender copies; pull: the receiver "
	    "does.\nMedians of %u repeats; the spread is from the least of them to the "
	    "most.\n",
	    c->repeats);
	put_sources(&s);
	put_pieces(&s);
	put_steady(&s);
	put_control(&s);
	if (!json)
		return s.failed ? status_set(st, "out of memory for the tables") : 0;
	put_readings(&s);
	object = json_pack("{s:i, s:o}", "schema", 1, "tables", s.tables);
	if (!object || s.failed || json_dumpf(object, json, JSON_INDENT(1)))
		status_set(st, "the tables could not be written as JSON");
	json_decref(object);
	return st->text[0] ? -1 : 0;
}
