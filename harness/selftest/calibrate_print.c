#include "calibrate.h"

#include <math.h>
#include <stdlib.h>

#include "../report/json.h"
#include "../report/table.h"
#include "../terminal.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))

struct shown {
	const struct calibrate *c;
	struct arena *arena;
	FILE *out, *json; /* json: NULL: for people alone; else the tables go there too */
	json_t *tables;
	struct status *st;
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

static void put_table(struct shown *s, const struct story_form *form, const void *rows, unsigned n)
{
	const struct story_table told = {form, rows, n};
	struct table shown;
	table_less(&told, 0, &shown);
	table_drop_empty(&shown);
	if (!form->hidden && n) {
		fprintf(s->out, "\n%s\n", form->title);
		table_write_text(s->arena, &shown.told, s->out, 0, terminal_columns());
	}
	if (s->tables)
		json_array_append_new(s->tables, table_to_json(&told));
}

static bool is_control(const struct calibrate_cell *cell)
{
	return !cell->order.pieces;
}

static struct calibrate_figure ratio_of(const struct calibrate *c, unsigned cell,
                                        enum meter_source source, enum calibrate_side side)
{
	return calibrate_ratio(c, cell, source, side, meter_info(source)->unit_bytes);
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

static struct range range_of(const struct calibrate *c, enum meter_source source, bool steady,
                             double unit_bytes)
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

static void say_answer(struct shown *s, enum meter_source source, bool steady)
{
	const struct meter_info *info = meter_info(source);
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

// clang-format off
struct source {
	const char *source, *unit;
	double unit_bytes, by_way[4], spread;
};
static const struct column source_columns[] = {
    COLUMN(struct source, source, "counter", "", TEXT),
    COLUMN(struct source, unit, "unit", "", TEXT),
    COLUMN(struct source, unit_bytes, "of B", "", NUMBER),
    COLUMN_AS(struct source, by_way[0], "ce_push", "CE push", "", NUMBER, 0),
    COLUMN_AS(struct source, by_way[1], "sm_push", "SM push", "", NUMBER, 0),
    COLUMN_AS(struct source, by_way[2], "ce_pull", "CE pull", "", NUMBER, 0),
    COLUMN_AS(struct source, by_way[3], "sm_pull", "SM pull", "", NUMBER, 0),
    COLUMN(struct source, spread, "spread", "", NUMBER)};
static const struct story_form source_form =
    STORY_FORM(struct source, source_columns, .name = "sources", .title = "What each counter reads above what was copied, in %", .when = STORY_NO_WHEN);

struct piece {
	const char *way, *direction;
	unsigned piece;
	double data, spread, raw, overhead, packet, data_back, raw_back;
};
static const struct column piece_columns[] = {
    COLUMN(struct piece, way, "way", "", TEXT),
    COLUMN(struct piece, piece, "piece", "", COUNT),
    COLUMN(struct piece, direction, "to", "", TEXT),
    COLUMN(struct piece, data, "DATA", "", NUMBER),
    COLUMN(struct piece, spread, "spread", "", NUMBER),
    COLUMN(struct piece, raw, "RAW", "", NUMBER),
    COLUMN(struct piece, overhead, "extra", "", NUMBER),
    COLUMN(struct piece, packet, "packet", "", NUMBER),
    COLUMN(struct piece, data_back, "DATA back", "", NUMBER),
    COLUMN(struct piece, raw_back, "RAW back", "", NUMBER)};
static const struct story_form piece_form =
    STORY_FORM(struct piece, piece_columns, .name = "pieces", .title = "By the size of a piece, in bytes: DATA and RAW above what was copied, and what of\nthem came back, in % of it; extra: the share of RAW that is not DATA, in %;\npacket: bytes copied per packet", .when = STORY_NO_WHEN);

struct steady {
	const char *way, *direction;
	double copied, gpm, spread, gpm_mib, data, raw, dram_sender, dram_receiver;
};
static const struct column steady_columns[] = {
    COLUMN(struct steady, way, "way", "", TEXT),
    COLUMN(struct steady, direction, "to", "", TEXT),
    COLUMN(struct steady, copied, "GB/s", "", NUMBER),
    COLUMN(struct steady, gpm, "GPM", "", NUMBER),
    COLUMN(struct steady, spread, "spread", "", NUMBER),
    COLUMN(struct steady, gpm_mib, "in MiB", "", NUMBER),
    COLUMN(struct steady, data, "DATA", "", NUMBER),
    COLUMN(struct steady, raw, "RAW", "", NUMBER),
    COLUMN(struct steady, dram_sender, "DRAM", "", NUMBER),
    COLUMN(struct steady, dram_receiver, "peer's", "", NUMBER)};
static const struct story_form steady_form =
    STORY_FORM(struct steady, steady_columns, .name = "steady", .title = "Rates while copies go on, above theirs in %; DRAM bytes per byte copied, and the peer's", .when = STORY_NO_WHEN);

struct control {
	const char *source, *unit;
	double sent, received;
	const char *missing;
};
static const struct column control_columns[] = {
    COLUMN(struct control, source, "counter", "", TEXT),
    COLUMN(struct control, unit, "unit", "", TEXT),
    COLUMN(struct control, sent, "first GPU sent", "", NUMBER),
    COLUMN(struct control, received, "second received", "", NUMBER),
    COLUMN(struct control, missing, "missing", "", TEXT)};
static const struct story_form control_form =
    STORY_FORM(struct control, control_columns, .name = "control", .title = "Counted while nothing was copied", .when = STORY_NO_WHEN);

struct reading {
	const char *way, *direction, *source, *unit;
	int steady;
	size_t piece;
	unsigned repeat;
	struct {
		double copied, seconds, tx, rx;
	} gpu[2];
};
static const struct column reading_columns[] = {
    COLUMN(struct reading, way, "way", "", TEXT),
    COLUMN(struct reading, steady, "steady", "", FLAG),
    COLUMN(struct reading, piece, "piece", "", BYTES),
    COLUMN(struct reading, direction, "direction", "", TEXT),
    COLUMN(struct reading, repeat, "repeat", "", COUNT),
    COLUMN(struct reading, source, "counter", "", TEXT),
    COLUMN(struct reading, unit, "unit", "", TEXT),
    COLUMN_AS(struct reading, gpu[0].copied, "copied_0", "copied", "bytes", NUMBER, 0),
    COLUMN_AS(struct reading, gpu[0].seconds, "seconds_0", "seconds", "s", NUMBER, 0),
    COLUMN_AS(struct reading, gpu[0].tx, "tx_0", "first GPU, TX", "", NUMBER, 0),
    COLUMN_AS(struct reading, gpu[0].rx, "rx_0", "first GPU, RX", "", NUMBER, 0),
    COLUMN_AS(struct reading, gpu[1].copied, "copied_1", "copied", "bytes", NUMBER, 0),
    COLUMN_AS(struct reading, gpu[1].seconds, "seconds_1", "seconds", "s", NUMBER, 0),
    COLUMN_AS(struct reading, gpu[1].tx, "tx_1", "second GPU, TX", "", NUMBER, 0),
    COLUMN_AS(struct reading, gpu[1].rx, "rx_1", "second GPU, RX", "", NUMBER, 0)};
static const struct story_form reading_form =
    STORY_FORM(struct reading, reading_columns, .name = "readings", .title = "Every reading", .when = STORY_NO_WHEN, .hidden = true);
// clang-format on

/* One counter, its unit taken as so many bytes. */
static struct source source_of(const struct calibrate *c, enum meter_source source,
                               double unit_bytes)
{
	const struct meter_info *info = meter_info(source);
	struct source row = {info->name, info->unit, unit_bytes, {NAN, NAN, NAN, NAN}, NAN};
	for (unsigned i = 0; i < c->ncells; i++) {
		struct calibrate_figure f =
		    calibrate_ratio(c, i, source, CALIBRATE_SENT, unit_bytes);
		if (!is_plain(c, i, false))
			continue;
		row.by_way[way_number(&c->cells[i].order)] = above(f);
		row.spread = fmax(row.spread, spread(f));
	}
	return row;
}

static void put_sources(struct shown *s)
{
	struct source rows[2 * METER_SOURCES];
	unsigned n = 0;
	for (unsigned source = 0; source <= METER_PCIE; source++) {
		const struct meter_info *info = meter_info(source);
		if (calibrate_missing(s->c, source)[0] || isnan(info->unit_bytes))
			continue;
		rows[n++] = source_of(s->c, source, info->unit_bytes);
		if (isfinite(info->other_bytes))
			rows[n++] = source_of(s->c, source, info->other_bytes);
	}
	put_table(s, &source_form, rows, n);
}

static void put_pieces(struct shown *s)
{
	const struct calibrate *c = s->c;
	struct piece rows[CALIBRATE_CELLS];
	unsigned n = 0;
	for (unsigned i = 0; i < c->ncells; i++) {
		const struct copies_order *order = &c->cells[i].order;
		struct calibrate_figure data = ratio_of(c, i, METER_DATA, CALIBRATE_SENT);
		if (c->cells[i].steady || is_control(&c->cells[i]))
			continue;
		rows[n++] = (struct piece){
		    .way = way_of(order),
		    .piece = (unsigned)order->piece_bytes,
		    .direction = directions[order->direction],
		    .data = above(data),
		    .spread = spread(data),
		    .raw = above(ratio_of(c, i, METER_RAW, CALIBRATE_SENT)),
		    .overhead = percent(calibrate_overhead(c, i)),
		    .packet = calibrate_packet(c, i).median,
		    .data_back = percent(ratio_of(c, i, METER_DATA, CALIBRATE_RETURNED)),
		    .raw_back = percent(ratio_of(c, i, METER_RAW, CALIBRATE_RETURNED))};
	}
	put_table(s, &piece_form, rows, n);
}

static void put_steady(struct shown *s)
{
	const struct calibrate *c = s->c;
	const double mib = meter_info(METER_GPM)->other_bytes;
	struct steady rows[CALIBRATE_CELLS];
	unsigned n = 0;
	for (unsigned i = 0; i < c->ncells; i++) {
		const struct calibrate_reading *first = &c->readings[i][0][METER_DATA];
		struct calibrate_figure gpm = ratio_of(c, i, METER_GPM, CALIBRATE_SENT);
		if (!c->cells[i].steady)
			continue;
		rows[n++] = (struct steady){
		    .way = way_of(&c->cells[i].order),
		    .direction = directions[c->cells[i].order.direction],
		    .copied = first->bytes[0] / first->at[0].seconds / 1e9,
		    .gpm = above(gpm),
		    .spread = spread(gpm),
		    .gpm_mib = above(calibrate_ratio(c, i, METER_GPM, CALIBRATE_SENT, mib)),
		    .data = above(ratio_of(c, i, METER_DATA, CALIBRATE_SENT)),
		    .raw = above(ratio_of(c, i, METER_RAW, CALIBRATE_SENT)),
		    .dram_sender = ratio_of(c, i, METER_GPM_DRAM, CALIBRATE_SENT).median,
		    .dram_receiver = ratio_of(c, i, METER_GPM_DRAM, CALIBRATE_RETURNED).median};
	}
	put_table(s, &steady_form, rows, n);
}

static void put_control(struct shown *s)
{
	const struct calibrate *c = s->c;
	struct control rows[CALIBRATE_CELLS * METER_SOURCES];
	unsigned n = 0;
	for (unsigned i = 0; i < c->ncells; i++)
		for (unsigned source = 0; source < METER_SOURCES && is_control(&c->cells[i]);
		     source++)
			rows[n++] = (struct control){
			    meter_info(source)->name, meter_info(source)->unit,
			    calibrate_count(c, i, source, CALIBRATE_SENT).median,
			    calibrate_count(c, i, source, CALIBRATE_RECEIVED).median,
			    calibrate_missing(c, source)};
	put_table(s, &control_form, rows, n);
}

static void put_readings(struct shown *s)
{
	const struct calibrate *c = s->c;
	const unsigned n = c->ncells * c->repeats * METER_SOURCES;
	struct reading *rows = ARENA_ARRAY(s->arena, struct reading, n);
	for (unsigned k = 0; k < n; k++) {
		const unsigned source = k % METER_SOURCES, repeat = k / METER_SOURCES % c->repeats,
		               cell = k / METER_SOURCES / c->repeats;
		const struct calibrate_reading *r = &c->readings[cell][repeat][source];
		const struct copies_order *order = &c->cells[cell].order;
		rows[k] = (struct reading){.way = way_of(order),
		                           .steady = c->cells[cell].steady,
		                           .piece = order->piece_bytes,
		                           .direction = directions[order->direction],
		                           .repeat = repeat + 1,
		                           .source = meter_info(source)->name,
		                           .unit = meter_info(source)->unit};
		for (unsigned gpu = 0; gpu < 2; gpu++) {
			rows[k].gpu[gpu].copied = r->bytes[gpu];
			rows[k].gpu[gpu].seconds = r->at[gpu].seconds;
			rows[k].gpu[gpu].tx = r->at[gpu].tx;
			rows[k].gpu[gpu].rx = r->at[gpu].rx;
		}
	}
	put_table(s, &reading_form, rows, n);
}

static int show(struct arena *arena, void *of)
{
	struct shown *s = of;
	s->arena = arena;
	s->tables = json_keep(arena, s->json ? json_array() : NULL);
	say_answer(s, METER_DATA, false);
	say_answer(s, METER_RAW, false);
	say_answer(s, METER_GPM, true);
	fprintf(s->out,
	        "DATA and RAW are NVML's fields NVLINK_THROUGHPUT_*, COUNT its NVLINK_COUNT_*.\n"
	        "CE: copy engine; SM: a kernel; push: the sender copies; pull: the receiver "
	        "does.\nMedians of %u repeats; the spread is from the least of them to the "
	        "most.\n",
	        s->c->repeats);
	put_sources(s);
	put_pieces(s);
	put_steady(s);
	put_control(s);
	if (!s->json)
		return 0;
	put_readings(s);
	json_t *object = json_pack("{s:i, s:O}", "schema", 1, "tables", s->tables);
	const bool failed = !object || json_dumpf(object, s->json, JSON_INDENT(1));
	json_decref(object);
	return failed ? status_set(s->st, "the tables could not be written as JSON") : 0;
}

int calibrate_show(const struct calibrate *c, FILE *out, FILE *json, struct status *st)
{
	struct shown s = {.c = c, .out = out, .json = json, .st = st};
	return arena_work(show, &s, "the tables", st);
}
