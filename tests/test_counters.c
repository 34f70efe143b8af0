/* Counters of older records. Damaged ones are test_rests_on's. */

#include "../harness/core/counters.h"
#include "test.h"

/* Within rounding. */
#define near(IS, WANTED) assert_close(IS, WANTED, 1e-12)

/* The figures of a record that has no unit. */
static struct counters old_record(const struct counters *c)
{
	struct counters back;
	json_t *object = counters_to_json(c);
	json_object_del(object, "nvlink_unit_bytes");
	json_object_del(object, "busy_percent");
	json_object_del(object, "memory_busy_percent");
	assert_works(counters_from_json(object, &back, WHY));
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
