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

static bool leads;

static json_t *choice(const char *collective, int bytes, const char *algorithm,
                      const char *protocol, int channels)
{
	return json_pack("{s:s, s:i, s:s, s:s, s:i}", "collective", collective, "bytes", bytes,
	                 "algorithm", algorithm, "protocol", protocol, "channels", channels);
}

static json_t *with_setting(json_t *path)
{
	json_object_set_new(path, "settings",
	                    json_pack("[{s:s, s:s, s:s, s:s, s:s, s:s}]", "key", "env.NCCL_ALGO",
	                              "asked", "allreduce:tree", "used", LARGEST, "act", "as asked",
	                              "fact", "algorithms", "why", ""));
	return path;
}

static json_t *by_default(void)
{
	return json_pack("{s:s, s:[o, o, o, o, o, o]}", "algorithms", LARGEST, "choices",
	                 choice("AllReduce", 512, "RING", "LL", 1),
	                 choice("AllReduce", 4096, "RING", "LL", 2),
	                 choice("AllReduce", 65536, "RING", "LL", 4),
	                 choice("AllReduce", 1 << 20, "TREE", "SIMPLE", 16),
	                 choice("AllGather", 4096 / RANKS, "RING", "LL", 1),
	                 choice("AllGather", (1 << 20) / RANKS, "RING", "LL128", 8));
}

/* Of tree's middle size the log has no line; of 512 bytes the run has no size. */
static void paths(FILE *out)
{
	made_data_path(out, "default", "staged", by_default());
	made_data_path(out, "same", "staged", with_setting(by_default()));
	made_data_path(out, "tree", "staged",
	               with_setting(json_pack("{s:s, s:[o, o]}", "algorithms", LARGEST, "choices",
	                                      choice("AllReduce", 4096, "TREE", "LL", 2),
	                                      choice("AllReduce", 1 << 20, "TREE", "SIMPLE", 16))));
}

static void environment(json_t *env)
{
	if (leads)
		json_object_set_new(env, "leads", json_string("choices"));
}

static const struct made made = {.ranks = RANKS,
                                 .blocks = 6,
                                 .sizes = LENGTH(calls),
                                 .calls = calls,
                                 .variants = variants,
                                 .nvariants = 3,
                                 .no_limit = true,
                                 .environment = environment,
                                 .more = paths};

static const json_t *report;

FIXTURE(begin)
{
	made_begin();
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
		leads = i;
		const json_t *answer =
		    json_object_get(leads ? made_report(&made) : report, "answer");
		unsigned said = 0;
		for (size_t k = 0; k < json_array_size(answer); k++)
			said += strstr(json_string_value(json_array_get(answer, k)),
			               "NCCL takes") != NULL;
		assert_int_equal(said, 2 * i);
	}
}

TESTS(.begin = begin, .end = made_end);
