/* doctor: text and JSON of the same findings, and what each missing thing costs. */
#include "here.h"
#include "json.h"

static json_t *needs; /* of a machine */

/* `before`: what stands before the program. */
static void ask(const char *before)
{
	struct cli cli = here_shell("%s $LAUNCHGAP doctor --json", before);
	json_error_t why;
	assert_int_equal(cli.code, 0);
	const json_t *all = test_keep(json_loads(cli.out, 0, &why));
	if (!all)
		fail_msg("%s: %s", why.text, cli.out);
	assert_int_equal(json_integer_value(json_object_get(all, "schema")), 1);
	assert_true(json_is_string(json_object_get(all, "launchgap")));
	needs = json_object_get(all, "needs");
}

static const json_t *need(const char *name)
{
	const json_t *found = NULL, *one;
	size_t i;
	json_array_foreach(needs, i,
	                   one) if (!strcmp(json_string_value(json_object_get(one, "name")), name))
	    found = one;
	assert_non_null(found);
	return found;
}

static bool is_there(const char *name)
{
	return json_is_true(json_object_get(need(name), "ok"));
}

static const char *text_of(const char *name, const char *key)
{
	const char *text = json_string_value(json_object_get(need(name), key));
	return text ? text : "";
}

/* Six keys a row, as results/README.md names them; what costs something says what, and what does
 * not is there. */
static void rows_are_whole(void)
{
	static const char *const keys[] = {"group", "name", "ok", "found", "costs", "mend"};
	char *page = cli_read("results/README.md");
	const json_t *one;
	size_t i;
	assert_non_null(page);
	assert_true(json_array_size(needs) > 10);
	json_array_foreach(needs, i, one)
	{
		const bool ok = json_is_true(json_object_get(one, "ok"));
		assert_int_equal(json_object_size(one), LENGTH(keys));
		for (size_t k = 0; k < LENGTH(keys); k++) {
			char *row = test_text("\n| `%s` |", keys[k]);
			assert_non_null(json_object_get(one, keys[k]));
			assert_says(page, row);
		}
		assert_true(json_is_null(json_object_get(one, "costs")) == ok);
		assert_true(json_is_null(json_object_get(one, "mend")) == ok);
	}
}

/* Each row of JSON is in the text, with what it costs and what mends it. */
TEST(text_and_json_say_the_same)
{
	const json_t *one;
	ask("PATH=/nonexistent");
	struct cli cli = here_shell("PATH=/nonexistent $LAUNCHGAP doctor");
	size_t i;
	rows_are_whole();
	json_array_foreach(needs, i, one)
	{
		const char *name = json_string_value(json_object_get(one, "name"));
		char *line = test_text("%s %-13s ", is_there(name) ? "ok " : "-- ", name);
		assert_says(cli.out, line);
		if (strcmp(name, "/dev/shm")) /* its free room changes */
			assert_says(cli.out, text_of(name, "found"));
		assert_says(cli.out, text_of(name, "costs"));
		assert_says(cli.out, text_of(name, "mend"));
	}
	assert_false(is_there("gnuplot"));
	assert_string_equal(text_of("gnuplot", "costs"), "the pictures of reports");
	assert_says(text_of("gnuplot", "mend"), "apt-get install");
	assert_true(is_there("host"));
}

/* Where there is no room for it beside the name, what was found is below it as a whole. */
TEST(a_narrow_terminal_breaks_no_finding_in_two)
{
	cli_expect(here_shell("COLUMNS=40 $LAUNCHGAP doctor | sed -n '/ok  host/p; /cores/{N;p}'"),
	           0, "  ok  host          runs on any machine\n", "cores\n      ");
}

/* Bytes that are no UTF-8 come from a variable; a wrong option gets a suggestion. */
TEST(odd_input_is_no_odd_output)
{
	ask("NCCL_LEGACY=$(printf '/\\377\\033[2Jx')");
	assert_true(is_there("NCCL_LEGACY"));
	assert_null(strchr(text_of("NCCL_LEGACY", "found"), '\033'));
	ask("NCCL_LEGACY=");
	assert_false(is_there("NCCL_LEGACY"));
	cli_expect(here_call("doctor --jsno"), 1, "did you mean '--json'?");
}

/* On stand-ins for CUDA, NCCL and NVML GPUs are there; else what a machine without them cannot
 * measure is said. */
TEST(gpus_are_found)
{
	ask("");
	rows_are_whole();
	if (getenv("STANDINS")) {
		assert_string_equal(text_of("nccl", "found"), "4 GPUs");
		assert_says(text_of("GPU counters", "found"), "GPUs by ");
	} else if (!is_there("nccl")) {
		assert_says(text_of("nccl", "costs"), "which says nothing about GPUs");
		/* CUDA's own words for a missing driver. */
		if (access("/proc/driver/nvidia/version", F_OK))
			assert_null(strstr(text_of("nccl", "found"), "insufficient"));
	}
}

TESTS(.before = set_up, .after = tear_down);
