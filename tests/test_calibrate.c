/* Counters are checked with known copies: a stand-in for NVML counts them in a known way. */
#include <dlfcn.h>

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

FIXTURE(open_all)
{
	static const char *const pci[] = {"0000:09:00.0", "0000:0a:00.0"};
	struct status st = {0};
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

FIXTURE(close_all)
{
	int (*left_open)(void);
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

/* In percent: some units are cut off by each of 8 links. */
#define CUT 1e-2

static const struct calibrate_cell between[] = {
    {.order = {.piece_bytes = 0}},
    {.order = {.piece_bytes = 16 * MIB, .pieces = 64}},
    {.order = {.sm = true, .piece_bytes = 1001, .pieces = 1000000, .direction = COPIES_BACK}},
    {.order = {.pull = true, .piece_bytes = 16 * MIB, .pieces = 64, .direction = COPIES_BOTH}},
};

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

/* A figure of a table's row. */
static void near(const json_t *t, json_keys row, const char *key, double value)
{
	json_assert_number(json_cell(t, row, key), "", value, CUT);
}

TEST(each_counter_is_held_against_what_was_copied)
{
	static const char *const ways[] = {"CE push", "SM push", "CE pull"};
	struct status st = {0};
	char *text;
	assert_int_equal(run(4, between, &st), 0);
	json_t *shown = show(&text);
	const json_t *t = json_table(shown, "pieces");
	assert_int_equal(json_count(shown, "pieces"), 3);
	for (unsigned i = 0; i < 3; i++) {
		json_keys way = {"way", ways[i], NULL};
		near(t, way, "data", 2.4);
		near(t, way, "packet", 128);
		/* Where the other direction sends too, its answers are on top. */
		near(t, way, "raw", i < 2 ? 28 : 28 + 6.4);
		near(t, way, "raw_back", i < 2 ? 6.4 : 128 + 6.4);
		near(t, way, "data_back", i < 2 ? 0 : 102.4);
	}
	near(t, JSON_IS("way", "CE push"), "overhead", 20);
	t = json_table(shown, "sources");
	near(t, JSON_IS("source", "DATA, by link", "unit_bytes", "1000"), "ce_push", 0);
	near(t, JSON_IS("source", "RAW, by link", "unit_bytes", "1000"), "ce_push", 25);
	near(t, JSON_IS("source", "COUNT, bytes"), "ce_push", 0);
	/* Without a copy nothing is counted. */
	t = json_table(shown, "control");
	near(t, JSON_IS("source", "DATA"), "sent", 0);
	/* What the receiver read is there too. */
	t = json_table(shown, "readings");
	json_keys back = {"way", "SM push", "source", "RAW", "repeat", "1", NULL};
	near(t, back, "rx_0", 1001e6 * 1.25 / 1000);
	json_decref(shown);
	free(text);
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
	char *text;
	json_t *shown = show(&text);
	const json_t *t = json_table(shown, "steady");
	json_keys way = {"way", "CE push", NULL};
	near(t, way, "copied", 250000 * GPM_UNIT / 1e9);
	near(t, way, "gpm", 0);
	near(t, way, "gpm_mib", 2.4);
	/* 40 % of 3352.32 GB/s, on both GPUs. */
	near(t, way, "dram_sender", 0.4 * 3352.32e9 / (250000 * GPM_UNIT));
	near(t, way, "dram_receiver", 0.4 * 3352.32e9 / (250000 * GPM_UNIT));
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
	char *text;
	json_t *shown = show(&text);
	json_assert_null(json_cell(json_table(shown, "steady"), JSON_IS("way", "CE push"), "gpm"),
	                 "");
	assert_says(text, "GPM NVLink: not known here (the copies ended too early)");
	json_decref(shown);
	free(text);
	/* A source's own sentence comes before it. */
	const struct calibrate_cell both[] = {between[0], steady[0]};
	assert_int_equal(run(2, both, &st), 0);
	shown = show(&text);
	json_assert_text(
	    json_cell(json_table(shown, "control"), JSON_IS("source", "PCIe"), "missing"), "",
	    "not supported");
	json_decref(shown);
	free(text);
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
	assert_int_equal(json_rows(t, JSON_IS("source", "PCIe")), 0);
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
