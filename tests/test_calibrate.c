/* Counters are checked with known copies: a stand-in for NVML counts them in a known way. */
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../harness/selftest/calibrate.h"
#include "json.h"
#include "standin.h"
#include "test.h"

#define MIB ((size_t)1 << 20)

/* A copier that sends in the stand-in, at the rate that its GPM reports: 250000 units of 1024000
 * bytes a second. */
#define GPM_UNIT 1024000.0

struct sender {
	void *library;
	void (*send)(unsigned from, unsigned to, unsigned long long bytes);
	double bytes; /* of the last order, in one direction */
	unsigned begun;
	bool early; /* is never busy when asked */
};

static struct sender sender;
static struct meter *meter[2];
static struct calibrate calibration;
static char standin[STANDIN_BYTES];

static int send_begin(void *of, const struct copies_order *order, struct status *st)
{
	struct sender *s = of;
	(void)st;
	s->bytes = (double)order->pieces * (double)order->piece_bytes;
	s->begun++;
	if (order->direction != COPIES_BACK)
		s->send(9, 10, (unsigned long long)s->bytes);
	if (order->direction != COPIES_FORTH)
		s->send(10, 9, (unsigned long long)s->bytes);
	return 0;
}

static bool send_busy(void *of)
{
	return !((struct sender *)of)->early;
}

static int send_end(void *of, double *seconds, struct status *st)
{
	(void)st;
	if (seconds)
		*seconds = ((struct sender *)of)->bytes / (250000 * GPM_UNIT);
	return 0;
}

static int open_all(void **state)
{
	static const char *const pci[] = {"0000:09:00.0", "0000:0a:00.0"};
	struct status st = {0};
	(void)state;
	if (standin_find_named("standin_nvml.so", standin))
		return -1;
	sender.library = dlopen(standin, RTLD_NOW | RTLD_LOCAL);
	if (!sender.library)
		return -1;
	*(void **)&sender.send = dlsym(sender.library, "standin_send");
	for (unsigned i = 0; i < 2; i++)
		if (meter_open(standin, pci[i], &meter[i], &st))
			return -1;
	return 0;
}

static int close_all(void **state)
{
	int (*left_open)(void);
	(void)state;
	for (unsigned i = 0; i < 2; i++)
		meter_close(meter[i]);
	*(void **)&left_open = dlsym(sender.library, "standin_left_open");
	int left = left_open();
	dlclose(sender.library);
	return left;
}

static int run(unsigned n, const struct calibrate_cell *cells, struct status *st)
{
	calibration =
	    (struct calibrate){.ncells = n, .repeats = 3, .settle_ms = 120, .steady_ms = 120};
	memcpy(calibration.cells, cells, n * sizeof *cells);
	return calibrate_run(&calibration, meter,
	                     (struct copier){&sender, send_begin, send_busy, send_end}, NULL, st);
}

static void near(struct calibrate_figure f, double value, double within)
{
	if (!(fabs(f.median - value) <= within && f.least <= f.median && f.median <= f.most))
		fail_msg("%g (%g to %g) is not %g", f.median, f.least, f.most, value);
}

static struct calibrate_figure ratio(unsigned cell, enum meter_source source,
                                     enum calibrate_side side, double unit)
{
	return calibrate_ratio(&calibration, cell, source, side, unit);
}

/* Some units are cut off by each of 8 links. */
#define CUT 1e-4

static const struct calibrate_cell between[] = {
    {.order = {.piece_bytes = 0}},
    {.order = {.piece_bytes = 16 * MIB, .pieces = 64}},
    {.order = {.sm = true, .piece_bytes = 1001, .pieces = 1000000, .direction = COPIES_BACK}},
    {.order = {.pull = true, .piece_bytes = 16 * MIB, .pieces = 64, .direction = COPIES_BOTH}},
};

TEST(each_counter_is_held_against_what_was_copied)
{
	struct status st = {0};
	assert_int_equal(run(4, between, &st), 0);
	for (unsigned cell = 1; cell < 4; cell++) {
		for (unsigned s = METER_DATA; s <= METER_DATA_LINKS; s++) {
			near(ratio(cell, s, CALIBRATE_SENT, 1000), 1, CUT);
			near(ratio(cell, s, CALIBRATE_SENT, 1024), 1.024, CUT);
			near(ratio(cell, s, CALIBRATE_RECEIVED, 1000), 1, CUT);
		}
		near(ratio(cell, METER_BYTES, CALIBRATE_SENT, 1), 1, CUT);
		near(ratio(cell, METER_RAW, CALIBRATE_RECEIVED, 1000), 1.25, CUT);
		near(calibrate_packet(&calibration, cell), 128, CUT * 128);
	}
	/* Where the other direction sends too, its answers are on top. */
	near(ratio(1, METER_RAW, CALIBRATE_SENT, 1000), 1.25, CUT);
	near(ratio(3, METER_RAW_LINKS, CALIBRATE_SENT, 1000), 1.25 + 1 / 16., CUT);
	near(calibrate_overhead(&calibration, 1), 0.2, CUT);
	near(ratio(1, METER_DATA, CALIBRATE_RETURNED, 1000), 0, CUT);
	near(ratio(1, METER_RAW, CALIBRATE_RETURNED, 1000), 1 / 16., CUT);
	near(ratio(3, METER_DATA, CALIBRATE_RETURNED, 1000), 1, CUT);
	/* Without a copy nothing is counted. */
	near(calibrate_count(&calibration, 0, METER_DATA, CALIBRATE_SENT), 0, 0);
	assert_true(isnan(ratio(0, METER_DATA, CALIBRATE_SENT, 1000).median));
	assert_string_equal(calibrate_missing(&calibration, METER_DATA), "");
	assert_string_equal(calibrate_missing(&calibration, METER_PCIE), "not supported");
}

/* The object that is written, and the text. */
static json_t *show(char **text)
{
	char *json = NULL;
	size_t bytes, json_bytes;
	struct status st = {0};
	FILE *out = open_memstream(text, &bytes), *to = open_memstream(&json, &json_bytes);
	assert_true(out && to);
	assert_works(calibrate_show(&calibration, out, to, &st), st);
	fclose(out);
	fclose(to);
	json_t *object = json_loads(json, 0, NULL);
	free(json);
	assert_non_null(object);
	return object;
}

static const struct calibrate_cell steady[] = {
    {.order = {.piece_bytes = MIB}, .steady = true},
};

TEST(rates_are_held_against_the_copies_rate)
{
	struct status st = {0};
	sender.begun = 0;
	assert_int_equal(run(1, steady, &st), 0);
	assert_int_equal(sender.begun, 3 * 2);
	near(ratio(0, METER_GPM, CALIBRATE_SENT, GPM_UNIT), 1, 1e-6);
	near(ratio(0, METER_GPM, CALIBRATE_SENT, 1048576), 1.024, 1e-6);
	near(ratio(0, METER_GPM, CALIBRATE_RECEIVED, GPM_UNIT), 1.2, 1e-6);
	/* 40 % of 3352.32 GB/s, on both GPUs. */
	near(ratio(0, METER_GPM_DRAM, CALIBRATE_SENT, 1), 0.4 * 3352.32e9 / (250000 * GPM_UNIT),
	     1e-6);
	near(ratio(0, METER_GPM_DRAM, CALIBRATE_RETURNED, 1), 0.4 * 3352.32e9 / (250000 * GPM_UNIT),
	     1e-6);
	char *text;
	json_t *shown = show(&text);
	json_assert_number(
	    json_cell(json_table(shown, "steady"), (json_keys){"way", "CE push", NULL}, "gpm_mib"),
	    "", 2.4, 0.01);
	assert_says(text, "GPM NVLink counts payload: 1.0000 to 1.0000 times what was "
	                  "sent,\n  its unit 1024000 bytes");
	json_decref(shown);
	free(text);
}

TEST(copies_that_end_early_are_no_rate)
{
	struct status st = {0};
	sender.early = true;
	assert_int_equal(run(1, steady, &st), 0);
	assert_true(isnan(ratio(0, METER_GPM, CALIBRATE_SENT, 1048576).median));
	assert_string_equal(calibrate_missing(&calibration, METER_GPM),
	                    "the copies ended too early");
	/* A source's own sentence comes before it. */
	const struct calibrate_cell both[] = {between[0], steady[0]};
	assert_int_equal(run(2, both, &st), 0);
	assert_string_equal(calibrate_missing(&calibration, METER_PCIE), "not supported");
	sender.early = false;
}

TEST(the_tables_say_it)
{
	struct status st = {0};
	char *text;
	assert_int_equal(run(4, between, &st), 0);
	json_t *shown = show(&text);
	const json_t *t = json_table(shown, "sources");
	json_keys binary = {"source", "DATA", "unit_bytes", "1024", NULL};
	json_keys decimal = {"source", "DATA", "unit_bytes", "1000", NULL};
	json_assert_number(json_cell(t, binary, "ce_push"), "", 2.4, 0.01);
	json_assert_number(json_cell(t, decimal, "ce_push"), "", 0, 0.01);
	json_assert_null(json_cell(t, binary, "sm_pull"), "");
	json_assert_text(json_cell(t, binary, "unit"), "", "KiB");
	assert_int_equal(json_rows(t, (json_keys){"source", "PCIe", NULL}), 0);
	t = json_table(shown, "pieces");
	json_keys odd = {"way", "SM push", "piece", "1001", "direction", "back", NULL};
	json_assert_number(json_cell(t, odd, "overhead"), "", 20, 0.01);
	json_assert_number(json_cell(t, odd, "packet"), "", 128, 0.1);
	t = json_table(shown, "control");
	json_keys pcie = {"source", "PCIe", NULL};
	json_assert_text(json_cell(t, pcie, "missing"), "", "not supported");
	assert_int_equal(json_count(shown, "readings"), 4 * 3 * METER_SOURCES);
	assert_says(text, "DATA counts payload: 1.0000 to 1.0000 times what was "
	                  "sent,\n  its unit 1000 bytes");
	assert_says(text, "RAW counts more than payload: 1.28");
	assert_says(text, "GPM NVLink: not known here");
	json_decref(shown);
	free(text);
}

TEST(small_pieces_do_not_touch)
{
	assert_int_equal(copies_stride(16 * MIB), 16 * MIB);
	assert_int_equal(copies_stride(16 * MIB - 1), 16 * MIB);
	assert_int_equal(copies_stride(256), 512);
	assert_int_equal(copies_stride(1001), 1280);
}

TEST(the_default_fits_and_has_every_way)
{
	bool seen[2][2] = {{false}};
	calibrate_default(&calibration);
	assert_true(calibration.ncells <= CALIBRATE_CELLS);
	assert_int_equal(calibration.cells[0].order.pieces, 0);
	for (unsigned i = 0; i < calibration.ncells; i++) {
		const struct copies_order *order = &calibration.cells[i].order;
		assert_true(order->piece_bytes <= COPIES_ARENA_BYTES);
		assert_true(i == 0 || order->pieces > 0);
		seen[order->sm][order->pull] = true;
	}
	assert_true(seen[0][0] && seen[0][1] && seen[1][0] && seen[1][1]);
}

TESTS(.begin = open_all, .end = close_all);
