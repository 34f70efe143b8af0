/* The record's object of counters. */

#include "../harness/core/counters.h"
#include "test.h"

/* Within rounding. */
#define near(IS, WANTED) assert_close(IS, WANTED, 1e-12)

TEST(the_record_gives_back_what_it_got)
{
	const struct counters c = {
	    .seconds = 0.5,
	    .nvlink_tx_gbs = 1.1,
	    .nvlink_rx_gbs = 2.2,
	    .dram_gbs = NAN,
	    .dram_limit_gbs = 4.4,
	    .sm_percent = 5.5,
	    .busy_percent = 93,
	    .memory_busy_percent = NAN,
	    .pcie_tx_gbs = NAN,
	    .pcie_rx_gbs = 7.7,
	    .copied_bytes = 1e15,
	    .delivered_bytes = 0,
	    .nvlink_unit_bytes = 1024000,
	    .missing = "no DRAM (GPM: not supported)",
	};
	struct counters back;
	struct status st = {0};
	json_t *object = test_keep(counters_to_json(&c));
	assert_non_null(object);
	assert_int_equal(json_object_size(object), 14);
	assert_true(json_is_null(json_object_get(object, "dram_gbs")));
	near(json_real_value(json_object_get(object, "dram_limit_gbs")), 4.4);
	assert_works(counters_from_json(object, &back, &st), st);
	assert_true(json_equal(test_keep(counters_to_json(&back)), object));
	near(back.seconds, 0.5);
	assert_true(isnan(back.dram_gbs));
}

/* The figures of a record that has no unit. */
static struct counters old_record(const struct counters *c)
{
	struct counters back;
	struct status st = {0};
	json_t *object = counters_to_json(c);
	json_object_del(object, "nvlink_unit_bytes");
	json_object_del(object, "busy_percent");
	json_object_del(object, "memory_busy_percent");
	assert_works(counters_from_json(object, &back, &st), st);
	json_decref(object);
	return back;
}

TEST(an_old_record_took_gpms_unit_as_a_mib)
{
	struct counters c, back;
	counters_clear(&c);
	c.nvlink_tx_gbs = 250000 * 1048576.0 / 1e9;
	c.nvlink_rx_gbs = 300000 * 1048576.0 / 1e9;
	/* Byte counters alone: they were right. */
	back = old_record(&c);
	near(back.nvlink_tx_gbs, c.nvlink_tx_gbs);
	near(back.nvlink_rx_gbs, c.nvlink_rx_gbs);
	near(back.nvlink_unit_bytes, 1024);
	c.dram_gbs = 512;
	back = old_record(&c);
	near(back.nvlink_tx_gbs, 256);
	near(back.nvlink_rx_gbs, 307.2);
	near(back.nvlink_unit_bytes, 1024000);
	near(back.dram_gbs, 512);
	/* Whoever reads again does not correct again. */
	json_t *object = counters_to_json(&back);
	assert_int_equal(counters_from_json(object, &c, &(struct status){0}), 0);
	json_decref(object);
	near(c.nvlink_tx_gbs, 256);
	/* Without NVLink there is no unit. */
	counters_clear(&c);
	c.dram_gbs = 512;
	assert_true(isnan(old_record(&c).nvlink_unit_bytes));
}

TEST(a_bad_object_is_refused)
{
	static const char *const members[] = {"seconds", "delivered_bytes", "missing"};
	struct counters blank, back = {.seconds = 7};
	json_t *object;
	char text[sizeof blank.missing + 1];
	memset(text, 'x', sizeof text - 1);
	text[sizeof text - 1] = '\0';
	counters_clear(&blank);
	for (unsigned i = 0; i < 3; i++) {
		struct status absent = {0}, wrong = {0};
		object = counters_to_json(&blank);
		json_object_del(object, members[i]);
		assert_int_equal(counters_from_json(object, &back, &absent), -1);
		assert_says(absent.text, members[i]);
		/* Too long a text, or no number; a negative one below. */
		json_object_set_new(object, members[i], json_string(text));
		assert_int_equal(counters_from_json(object, &back, &wrong), -1);
		assert_says(wrong.text, members[i]);
		json_object_set_new(object, members[i], json_integer(-1));
		assert_int_equal(counters_from_json(object, &back, &wrong), -1);
		json_decref(object);
	}
	assert_int_equal(counters_from_json(NULL, &back, &(struct status){0}), -1);
	near(back.seconds, 7);
}
