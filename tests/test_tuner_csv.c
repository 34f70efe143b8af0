/* tuner.csv of a made search: rows of the collectives that NCCL's example of a tuner plugin knows, with
 * what NCCL's log named. */
#include "made.h"

#include "../harness/config/search.h"

enum { SEARCHED = 2, CONFIRMED = 10, SETS = 2 };

static const struct made_variant variants[MADE_VARIANTS] = {
    {.name = "set-1", .mode = "single"},    {.name = "default", .role = "reference"},
    {.name = "set-2", .mode = "processes"}, {.name = "default-again", .role = "again"},
    {.name = "limit", .role = "limit"},
};

enum { SMALL_SUM, LARGE_SUM, GATHER, EXCHANGE, CALLS };
static const struct made_call calls[CALLS] = {
    [SMALL_SUM] = {.collective = "all_reduce", .bytes = 65536},
    [LARGE_SUM] = {.collective = "all_reduce", .bytes = 1048576},
    [GATHER] = {.collective = "all_gather", .bytes = 1048576},
    [EXCHANGE] = {.collective = "alltoall", .bytes = 1048576}};
/* set-1 forces an algorithm, set-2 a protocol and the size of the buffers. */
static const double gains[SETS][CALLS] = {
    [0] = {[SMALL_SUM] = 0.2, [LARGE_SUM] = -0.1}, [1] = {[GATHER] = 0.2, [EXCHANGE] = 0.2}};
static const char *second_key = "env.NCCL_PROTO", *log_of_set = "TREE";

static bool is_stream(const struct made_place *p)
{
	return !p->isolated;
}

static void stamps(const struct made_place *p, int64_t out[6])
{
	const bool set = p->variant == MADE_SINGLE || p->variant == MADE_PROCESSES;
	const double gain = set ? gains[p->variant == MADE_PROCESSES][p->size] : 0;
	out[1] = 5000;
	out[2] = (int64_t)(1e6 * exp(0.002 * made_noise(p->variant, p->block, p->size) - gain));
	out[3] = 10;
}

static json_t *sets[SETS];

static void environment(json_t *env)
{
	json_t *list = json_object_get(env, "variants");
	for (unsigned i = 0; i < SETS; i++) {
		sets[i] = json_deep_copy(made_variant_of(env, 2 * i));
		json_object_set_new(sets[i], "role", json_string("search"));
		json_object_set_new(sets[i], "levels", json_pack("[i, i, i]", !i, i, i));
	}
	json_array_remove(list, 2);
	json_array_remove(list, 0);
	json_object_set_new(env, "blocks", json_integer(CONFIRMED));
	json_object_set_new(
	    env, "search",
	    json_pack("{s:[{s:s, s:[s, s]}, {s:s, s:[s, s]}, {s:s, s:[s, s]}], s:i}", "keys", "key",
	              "env.NCCL_ALGO", "values", "", "Tree", "key", second_key, "values", "",
	              "LL128", "key", "env.NCCL_BUFFSIZE", "values", "", "8388608", "finalists",
	              SETS));
}

static void searches(FILE *out)
{
	for (unsigned b = 0; b < SEARCHED + CONFIRMED; b++) {
		json_t *new = json_array();
		for (unsigned i = 0; i < SETS && !b; i++)
			json_array_append_new(new, sets[i]);
		made_line(out, json_pack("{s:i, s:s, s:i, s:i, s:b, s:o, s:[s, s]}", "schema", 1,
		                         "kind", "search", "block", (int)b, "round",
		                         b < SEARCHED ? (int)b : SEARCH_ROUNDS, "confirms",
		                         b >= SEARCHED, "sets", new, "measures", "set-1", "set-2"));
	}
}

static json_t *choice(const char *collective, int bytes, const char *algorithm,
                      const char *protocol, int channels)
{
	return json_pack("{s:s, s:i, s:s, s:s, s:i}", "collective", collective, "bytes", bytes,
	                 "algorithm", algorithm, "protocol", protocol, "channels", channels);
}

/* Bytes are those of a call's count: of all_gather one rank's. */
static void paths(FILE *out)
{
	static const char *const names[] = {"default", "set-1", "set-2"};
	for (unsigned i = 0; i < 3; i++)
		made_data_path(
		    out, names[i], "staged", NULL,
		    json_pack(
		        "{s:[o, o, o]}", "choices",
		        choice("AllReduce", 65536, i == 1 ? log_of_set : "RING", "LL", 8),
		        choice("AllReduce", 1048576, "RING", "SIMPLE", 24),
		        choice("AllGather", 524288, "RING", i == 2 ? "LL128" : "SIMPLE", 24)));
}

static const struct made made = {.blocks = SEARCHED + CONFIRMED,
                                 .sizes = CALLS,
                                 .calls = calls,
                                 .no_limit = true,
                                 .variants = variants,
                                 .has = is_stream,
                                 .environment = environment,
                                 .first = searches,
                                 .more = paths,
                                 .stamps = stamps};

/* The lines that the plugin takes for rows, and the others if it is not to. */
static char *lines_of(bool rows)
{
	static char out[4096];
	char *copy = strdup(made_read("tuner.csv")), *rest = copy;
	out[0] = '\0';
	for (char *line; (line = strsep(&rest, "\n"));) {
		assert_in_range(strlen(line), 0, 254); /* a longer one is two to the plugin */
		if (*line && (*line != '#') == rows) {
			strcat(out, line);
			strcat(out, "\n");
		}
	}
	free(copy);
	return out;
}

TEST(rows_are_those_of_the_log)
{
	const json_t *report = made_report(&made);
	assert_string_equal(lines_of(true), "allgather,1048576,1048576,ring,simple,24,1,2\n"
	                                    "allreduce,65536,262144,tree,ll,8,1,2\n"
	                                    "allreduce,262145,1048576,ring,simple,24,1,2\n");
	/* What a row cannot say was set too, so that this one is a comment. */
	assert_says(lines_of(false), "# only with NCCL_BUFFSIZE=8388608:\n"
	                             "# allgather,1048576,1048576,ring,ll128,24,1,2\n");
	assert_says(lines_of(false), "# all_reduce, 64 KiB: 1.2");
	json_assert_one_says(json_section(report, "tuning"), "NCCL_TUNER_CONFIG_FILE=");
	assert_int_equal(json_rows(json_table(report, "tuner"), JSON_ALL), 4);
}

/* An algorithm that the plugin does not know is Ring to it. */
TEST(what_the_plugin_does_not_know_has_no_row)
{
	log_of_set = "NEWTREE";
	made_report(&made);
	log_of_set = "TREE";
	assert_string_equal(lines_of(true), "allgather,1048576,1048576,ring,simple,24,1,2\n"
	                                    "allreduce,65536,262144,ring,ll,8,1,2\n"
	                                    "allreduce,262145,1048576,ring,simple,24,1,2\n");
}

/* Of sets without algorithm, protocol and channels there is nothing to tell it. */
TEST(other_settings_make_no_file)
{
	remove(made_path("tuner.csv")); /* of a test before */
	second_key = "env.NCCL_NTHREADS";
	log_of_set = "NEWTREE";
	made_report(&made);
	assert_false(made_has("tuner.csv"));
	assert_true(made_has("nccl.conf"));
}

TESTS(.begin = made_begin, .end = made_end);
