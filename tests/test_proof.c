/* evidence.csv: counters rank by rank, in the columns that results/README.md names. */
#include "made.h"

#include <math.h>

static bool blind, copies; /* no counters at all; those of host */

/* Block 2's counters are off, which a median does not see. */
static struct counters counters_of(const struct made_place *p, unsigned rank)
{
	struct counters c;
	counters_clear(&c);
	c.seconds = 0.5;
	if (blind) {
		strcpy(c.missing, "no NVML, no counters");
		return c;
	}
	if (copies) {
		c.copied_bytes = rank ? 2000 : 3000;
		c.delivered_bytes = 1000;
		return c;
	}
	c.nvlink_tx_gbs = (p->block == 2 ? 900 : 100) + 50 * rank + p->block;
	c.nvlink_rx_gbs = 70 + 10 * rank;
	c.dram_gbs = 4 * c.nvlink_tx_gbs;
	c.dram_limit_gbs = 4800;
	c.sm_percent = 12.5;
	c.pcie_tx_gbs = 0.25;
	c.pcie_rx_gbs = rank ? NAN : 0.75;
	return c;
}

/* Of the large size alone; one block of processes was not measured. */
static void line(json_t *cell, const struct made_place *p)
{
	if (copies)
		made_fact(cell, "path", "fifo");
	if (!p->counters)
		return;
	if (p->size == 0) {
		json_object_set_new(cell, "pass", json_string("timeline"));
		return;
	}
	made_counters(cell, (struct counters[]){counters_of(p, 0), counters_of(p, 1)}, 2);
	json_object_set_new(cell, "issue_cpu_ns", json_pack("[i, i]", 90000, 45000));
	if (p->variant == MADE_PROCESSES && p->block == 0)
		json_object_set_new(cell, "error", json_string("the GPU is gone"));
}

static void stamps(const struct made_place *p, int64_t out[6])
{
	(void)p;
	out[1] = 50000;
	out[2] = 60000;
	out[3] = 10;
}

/* A log that a comma would break the columns with. */
static void path(FILE *out)
{
	made_data_path(out, "threads", "staged", NULL,
	               json_pack("{s:s}", "transport", "P2P/CUMEM, \"odd\""));
}

static struct made made = {
    .blocks = 3, .sizes = 2, .counters = true, .line = line, .more = path, .stamps = stamps};

static const char head[] =
    "variant,mode,transport,data_path,ranks,what,bytes,asked_bytes,rank,nvlink_tx_gbs,"
    "nvlink_rx_gbs,dram_gbs,dram_limit_gbs,dram_per_nvlink,sm_percent,busy_percent,memory_busy_"
    "percent,pcie_tx_gbs,pcie_rx_gbs,"
    "copied_bytes,delivered_bytes,copies_per_byte,issue_cores,seconds,blocks\n";

static int fresh(void **state)
{
	(void)state;
	made.backend = "nccl";
	made.counters = true;
	blind = copies = false;
	unlink(made_path("evidence.csv"));
	return 0;
}

static unsigned lines_of(const char *text)
{
	unsigned n = 0;
	for (; *text; text++)
		n += *text == '\n';
	return n;
}

/* The row that begins so, without its end of line. */
static const char *row(const char *begins)
{
	static char text[512];
	char *all = made_read("evidence.csv"), *at = strstr(all, begins);
	if (!at || (at > all && at[-1] != '\n')) {
		print_error("%s\n", all);
		fail_msg("no row begins with %s", begins);
	}
	snprintf(text, sizeof text, "%.*s", (int)strcspn(at, "\n"), at);
	return text;
}

/* 90 µs of CPU time for rank 0 and 45 µs for rank 1, in 3 rows of 50 µs. */
TEST(each_rank_has_its_medians)
{
	made_report(&made);
	const char *text = made_read("evidence.csv");
	assert_memory_equal(text, head, sizeof head - 1);
	assert_int_equal(lines_of(text), 1 + 5 * 2);
	assert_string_equal(row("single,single,,,2,alltoall,16384,16384,0,"),
	                    "single,single,,,2,alltoall,16384,16384,0,101,70,404,4800,4,12.5,"
	                    ",,0.25,0.75,,,,0.6,0.5,3");
	assert_string_equal(row("single,single,,,2,alltoall,16384,16384,1,"),
	                    "single,single,,,2,alltoall,16384,16384,1,151,80,604,4800,4,12.5,"
	                    ",,0.25,,,,,0.3,0.5,3");
	/* Between the two that are left: 101 and 902. */
	assert_string_equal(row("processes,processes,,,2,alltoall,16384,16384,0,"),
	                    "processes,processes,,,2,alltoall,16384,16384,0,501.5,70,2006,4800,"
	                    "4,12.5,,,0.25,0.75,,,,0.6,0.5,2");
	assert_says(made_read("report.md"), "[evidence.csv](evidence.csv)");
}

TEST(hosts_copies_stand_in_it)
{
	made.backend = "host";
	copies = true;
	made_report(&made);
	assert_string_equal(row("single,single,,fifo,2,alltoall,16384,16384,0,"),
	                    "single,single,,fifo,2,alltoall,16384,16384,0,,,,,,,,,,,3000,1000,3,"
	                    ",0.5,3");
	assert_string_equal(row("single,single,,fifo,2,alltoall,16384,16384,1,"),
	                    "single,single,,fifo,2,alltoall,16384,16384,1,,,,,,,,,,,2000,1000,2,"
	                    ",0.5,3");
}

TEST(a_run_without_counters_has_no_such_file)
{
	made.counters = false;
	made_report(&made);
	assert_int_not_equal(access(made_path("evidence.csv"), F_OK), 0);
	assert_lacks(made_read("report.md"), "evidence.csv");
}

/* Every column is explained, and by its name. */
TEST_WITH(the_columns_are_those_of_the_readme, NULL, NULL)
{
	static char text[1 << 17];
	char names[sizeof head], *rest = names;
	FILE *in = fopen("results/README.md", "r");
	assert_non_null(in);
	text[fread(text, 1, sizeof text - 1, in)] = 0;
	fclose(in);
	char *from = strstr(text, "\n## evidence.csv\n"),
	     *to = from ? strstr(from + 1, "\n## ") : 0;
	assert_non_null(to);
	*to = 0;
	snprintf(names, sizeof names, "%.*s", (int)sizeof head - 2, head);
	for (char *name; (name = strsep(&rest, ","));) {
		char word[64];
		snprintf(word, sizeof word, "`%s`", name);
		assert_says(from, word);
	}
}

TESTS(.begin = made_begin, .end = made_end, .before = fresh);
