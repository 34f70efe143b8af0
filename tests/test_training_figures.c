/* Exposed communication and overlap, of records that are made up: what a record lacks. */
#include "../harness/coll/routing.h"
#include "made.h"

static struct {
	double step, compute, communication;
} planted[3] = {
    [MADE_SINGLE] = {160, 80, 50},    /* exposed 80: they slow each other down */
    [MADE_THREADS] = {100, 80, 50},   /* exposed 20: 60 % are hidden */
    [MADE_PROCESSES] = {130, 80, 50}, /* exposed 50: nothing is */
};
static unsigned without; /* a part that has no cells, or 0 */
static bool routed;      /* of a mixture of experts */

/* A block is up to 10 % faster or slower than the others, equally in all of its cells. */
static void stamps(const struct made_place *p, int64_t out[6])
{
	unsigned v = p->variant > MADE_PROCESSES ? MADE_THREADS : p->variant;
	double us[] = {planted[v].step, planted[v].compute, planted[v].communication};
	double scale = 1 + 0.1 * made_noise(p->block, 7, 1);
	out[0] = 0;
	out[1] = 500;
	out[2] = (int64_t)(1000 * us[p->size % 3] * scale) + (p->isolated ? 0 : 9000);
	out[3] = 20;
}

static void line(json_t *json, const struct made_place *p)
{
	static const char *const parts[][3] = {{"ddp_step", "ddp_compute", "ddp_communication"},
	                                       {"moe_step", "moe_compute", "moe_communication"}};
	unsigned part = p->size % 3;
	json_int_t bucket = (json_int_t)26214400 << p->size / 3;
	bool none = without && part == without;
	made_set(json,
	         "{'collective':'%s','op':'%s','in_place':%s,'root':%u,'asked_bytes':%lld,"
	         "'bytes':%lld}",
	         none ? "all_reduce" : parts[routed][part],
	         routed || (part == 1 && !none) ? "none" : "avg", routed ? "false" : "true",
	         routed ? routing_root(12, 16) : 0, bucket, bucket);
}

static struct made world(void)
{
	return (struct made){.backend = "null",
	                     .blocks = 8,
	                     .sizes = 3,
	                     .cores = 8,
	                     .no_limit = true,
	                     .more_of_run = "{'model':{'name':'tiny','parameters':100000,"
	                                    "'elements':100032,'flops':2000000}}",
	                     .line = line,
	                     .stamps = stamps};
}

/* Without one of its parts a step has a time, and nothing is made up. */
TEST(a_step_alone_has_no_exposed_communication)
{
	for (without = 1; without <= 2; without++) {
		struct made m = world();
		const json_t *table = json_table(made_report(&m), "training");
		json_keys is = {"size", "25 MiB threads", NULL};
		json_assert_number(json_cell(table, is, "step_ms"), "value", 0.1, 0.01);
		json_assert_null(json_cell(table, is, "exposed_ms"), "");
		json_assert_null(json_cell(table, is, "overlap_percent"), "");
	}
}

/* Their picture has time against imbalance. */
TEST(experts_have_bars_by_imbalance)
{
	struct made m = world();
	without = 0;
	routed = true;
	made_report_with(&m, "plot", 0);
	routed = false;
	assert_says(made_read("plots/run.gp"),
	            "steps_panel[1] = 'MoE step in float32, 25 MiB from each rank'");
	assert_says(made_read("plots/run.gp"), "steps_bars[1] = '1.26'");
}

/* A size is that at which a bucket is full, not that of all gradients: in the picture each variant
 * has its point at each of three. */
TEST(a_step_stands_at_its_bucket)
{
	struct made m = world();
	unsigned points = 0;
	without = 0;
	m.sizes = 9;
	if (access("/usr/bin/gnuplot", X_OK))
		skip();
	made_report_with(&m, "plot", 0);
	const char *at = made_read("plots/null_ddp_step_avg_latency.svg");
	for (; (at = strstr(at, "<use xlink:href='#gpPt")); at++)
		points += strstr(at, "translate") && strstr(at, "translate") < strchr(at, '>');
	/* The key has each once, a whisker another of its point. */
	assert_int_equal(points, 3 + 2 * 3 * 3);
}

TESTS(.begin = made_begin, .end = made_end);
