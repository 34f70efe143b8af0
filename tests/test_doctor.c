/* doctor: text and JSON of the same findings, and what each missing thing costs. */
#include "here.h"
#include "json.h"

/* The needs of a machine; `before`: what stands before the program. */
static const json_t *needs_of(const char *before, json_t **all)
{
	struct cli cli = here_shell("%s $LAUNCHGAP doctor --json", before);
	json_error_t why;
	assert_int_equal(cli.code, 0);
	*all = json_loads(cli.out, 0, &why);
	if (!*all)
		fail_msg("%s: %s", why.text, cli.out);
	assert_int_equal(json_integer_value(json_object_get(*all, "schema")), 1);
	assert_true(json_is_string(json_object_get(*all, "launchgap")));
	return json_object_get(*all, "needs");
}

static const json_t *need(const json_t *needs, const char *name)
{
	const json_t *found = NULL, *one;
	size_t i;
	json_array_foreach((json_t *)(size_t)needs, i,
	                   one) if (!strcmp(json_string_value(json_object_get(one, "name")), name))
	    found = one;
	assert_non_null(found);
	return found;
}

static bool is_there(const json_t *needs, const char *name)
{
	return json_is_true(json_object_get(need(needs, name), "ok"));
}

static const char *text_of(const json_t *needs, const char *name, const char *key)
{
	const char *text = json_string_value(json_object_get(need(needs, name), key));
	return text ? text : "";
}

/* Six keys a row, as results/README.md names them; what costs something says what, and what does not is
 * there. */
static void rows_are_whole(const json_t *needs)
{
	static const char *const keys[] = {"group", "name", "ok", "found", "costs", "mend"};
	char *page = cli_read("results/README.md");
	const json_t *one;
	size_t i;
	assert_non_null(page);
	assert_true(json_array_size(needs) > 10);
	json_array_foreach((json_t *)(size_t)needs, i, one)
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
	json_t *all;
	const json_t *needs = needs_of("PATH=/nonexistent", &all), *one;
	struct cli cli = here_shell("PATH=/nonexistent $LAUNCHGAP doctor");
	size_t i;
	rows_are_whole(needs);
	json_array_foreach((json_t *)(size_t)needs, i, one)
	{
		const char *name = json_string_value(json_object_get(one, "name"));
		char *line = test_text("%s %-13s ", is_there(needs, name) ? "ok " : "-- ", name);
		assert_says(cli.out, line);
		if (strcmp(name, "/dev/shm")) /* its free room changes */
			assert_says(cli.out, text_of(needs, name, "found"));
		assert_says(cli.out, text_of(needs, name, "costs"));
		assert_says(cli.out, text_of(needs, name, "mend"));
	}
	assert_false(is_there(needs, "gnuplot"));
	assert_string_equal(text_of(needs, "gnuplot", "costs"), "the pictures of reports");
	assert_says(text_of(needs, "gnuplot", "mend"), "apt-get install");
	assert_true(is_there(needs, "host"));
	json_decref(all);
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
	json_t *all;
	const json_t *needs = needs_of("NCCL_LEGACY=$(printf '/\\377\\033[2Jx')", &all);
	assert_true(is_there(needs, "NCCL_LEGACY"));
	assert_null(strchr(text_of(needs, "NCCL_LEGACY", "found"), '\033'));
	json_decref(all);
	needs = needs_of("NCCL_LEGACY=", &all);
	assert_false(is_there(needs, "NCCL_LEGACY"));
	json_decref(all);
	cli_expect(here_call("doctor --jsno"), 1, "did you mean '--json'?");
}

/* On stand-ins for CUDA, NCCL and NVML GPUs are there; else what a machine without them cannot measure is
 * said. */
TEST(gpus_are_found)
{
	json_t *all;
	const json_t *needs = needs_of("", &all);
	rows_are_whole(needs);
	if (getenv("STANDINS")) {
		assert_string_equal(text_of(needs, "nccl", "found"), "4 GPUs");
		assert_says(text_of(needs, "GPU counters", "found"), "GPUs by ");
	} else if (!is_there(needs, "nccl")) {
		assert_says(text_of(needs, "nccl", "costs"), "which says nothing about GPUs");
		/* CUDA's own words for a missing driver. */
		if (access("/proc/driver/nvidia/version", F_OK))
			assert_null(strstr(text_of(needs, "nccl", "found"), "insufficient"));
	}
	json_decref(all);
}

TESTS(.before = set_up, .after = tear_down);
