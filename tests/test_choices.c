/* NCCL's choice of algorithm and protocol by size: from the log's lines in the record to the table,
 * and by the rule in which bytes NCCL counts them. */
#include "made.h"

/* 4 ranks: of all_gather NCCL logs the part of one. */
#define RANKS   4
#define LARGEST "AllReduce TREE SIMPLE, 16 channels"
static const struct made_call calls[] = {
    {.collective = "all_reduce", .bytes = 4096},     {.collective = "all_reduce", .bytes = 65536},
    {.collective = "all_reduce", .bytes = 1 << 20},  {.collective = "all_gather", .bytes = 4096},
    {.collective = "all_gather", .bytes = 1 << 20},  {.collective = "alltoall", .bytes = 4096},
    {.collective = "reduce_scatter", .bytes = 4096},
};
static const struct made_variant variants[] = {
    {.name = "default", .role = "reference"},
    {.name = "same", .env = "NCCL_ALGO=allreduce:tree"},
    {.name = "tree", .env = "NCCL_ALGO=allreduce:tree"},
};

#define SETTING                                                                                    \
	"'settings':[{'key':'env.NCCL_ALGO','asked':'allreduce:tree','used':'" LARGEST             \
	"','act':'as asked','fact':'algorithms','why':''}],"
#define ALGORITHMS "'algorithms':'" LARGEST "','choices':["

/* Of tree's middle size the log has no line; of 512 bytes the run has no size. */
static const char *logs(void)
{
	const char *by_default =
	    test_text("%s,%s,%s,%s,%s,%s]}", made_choice("AllReduce", 512, "RING", "LL", 1),
	              made_choice("AllReduce", 4096, "RING", "LL", 2),
	              made_choice("AllReduce", 65536, "RING", "LL", 4),
	              made_choice("AllReduce", 1 << 20, "TREE", "SIMPLE", 16),
	              made_choice("AllGather", 4096 / RANKS, "RING", "LL", 1),
	              made_choice("AllGather", (1 << 20) / RANKS, "RING", "LL128", 8));
	return test_text("{'default':{" ALGORITHMS "%s,'same':{" SETTING ALGORITHMS
	                 "%s,'tree':{" SETTING ALGORITHMS "%s,%s]}}",
	                 by_default, by_default, made_choice("AllReduce", 4096, "TREE", "LL", 2),
	                 made_choice("AllReduce", 1 << 20, "TREE", "SIMPLE", 16));
}

static struct made made = {
    .ranks = RANKS,
    .blocks = 6,
    .sizes = LENGTH(calls),
    .calls = calls,
    .variants = variants,
    .nvariants = 3,
    .no_limit = true,
};

static const json_t *report;

FIXTURE(begin)
{
	made_begin();
	made.logs = logs();
	report = made_report(&made);
}

/* Both take TREE for the largest size, but not for others. */
TEST(a_setting_that_acts_at_other_sizes_is_not_idle)
{
	const json_t *answer = json_object_get(report, "answer");
	assert_false(json_one_says(answer, "tree is the same"));
	assert_true(json_one_says(answer, "same is the same as default"));
}

TEST(the_curves_show_where_it_changes)
{
	const json_t *marks = json_table(report, "choice_marks");
	json_keys of = {"what", "all_reduce", NULL};
	assert_int_equal(json_rows(marks, of), 1);
	json_assert_text(json_cell(marks, of, "after"), "", "TREE SIMPLE");
	json_assert_number(json_cell(marks, of, "at"), "", 262144, 1);
}

/* Only an experiment that asks for it is answered by it. */
TEST(it_answers_if_it_leads)
{
	for (unsigned i = 0; i < 2; i++) {
		made.more_of_run = i ? "{'leads':'choices'}" : NULL;
		const json_t *answer = json_object_get(i ? made_report(&made) : report, "answer");
		unsigned said = 0;
		for (size_t k = 0; k < json_array_size(answer); k++)
			said += strstr(json_string_value(json_array_get(answer, k)),
			               "NCCL takes") != NULL;
		assert_int_equal(said, 2 * i);
	}
}

TESTS(.begin = begin, .end = made_end);
