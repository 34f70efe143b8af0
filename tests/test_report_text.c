/* The text of report.md around its figures. */
#include "made.h"

static struct made made;

FIXTURE(fresh)
{
	made = (struct made){.blocks = 6, .sizes = 2};
}

/* report.json of the record; the last one is freed. */
static const json_t *report(void)
{
	return made_report(&made);
}

/* The entry of one variant in the table of variants; "" for none. */
static void setting_is(const json_t *report, const char *variant, const char *settings)
{
	const json_t *cell =
	    json_cell(json_table(report, "variants"), JSON_IS("variant", variant), "settings");
	if (*settings)
		json_assert_text(cell, "", settings);
	else
		json_assert_null(cell, "");
}

static void several(json_t *env)
{
	made_set(made_variant_of(env, 0), "{'register':'local','aggregate':4,'offset':0}");
}

/* Whether people see a column of the table of variants. */
static bool people_see(const json_t *text, const char *key)
{
	const json_t *tables = json_object_get(text, "tables"), *table;
	size_t i;
	json_array_foreach(tables, i, table)
	{
		if (!strcmp(json_string_value(json_object_get(table, "name")), "variants"))
			return json_has_column(table, key);
	}
	fail_msg("people see no table of variants");
	return false;
}

TEST(a_variant_has_its_settings)
{
	made.environment = several;
	setting_is(report(), "single", "aggregate = 4, register = local");
}

/* As in records from before the default was auto, and as in later ones. */
static void allocators(json_t *env, const char *first, const char *others)
{
	json_t *variants = json_object_get(env, "variants");
	for (size_t i = 0; i < json_array_size(variants); i++)
		made_set(json_array_get(variants, i), "{'allocator':'%s'}", i ? others : first);
}

static void old_default(json_t *env)
{
	allocators(env, "nccl", "nccl");
}
static void old_other(json_t *env)
{
	allocators(env, "cuda", "nccl");
}
static void new_other(json_t *env)
{
	allocators(env, "nccl", "auto");
}

TEST(an_allocator_is_told_from_the_default_of_its_time)
{
	made.environment = old_default;
	assert_false(people_see(report(), "settings"));
	made.environment = old_other;
	const json_t *text = report();
	setting_is(text, "single", "allocator = cuda");
	setting_is(text, "threads", "");
	made.environment = new_other;
	text = report();
	setting_is(text, "single", "allocator = nccl");
	setting_is(text, "threads", "");
}

TEST(what_was_measured_is_said)
{
	made.more_of_run = "{'isolated_calls':1,'stretches':1,'calls':1,'warmup':1}";
	made.rows = 1;
	const json_t *method = json_section(report(), "method");
	json_assert_one_says(method, "Each cell: 1 call to warm up, then");
	json_assert_one_says(method, "stream (bandwidth): 1 stretch of 1 call back to back");
	json_assert_one_says(method, "isolated (latency): 1 call, the team meeting before each");
	made.more_of_run = "{'cycles':12}";
	json_says(report(), "method", "A soak: every trial goes through all of its cells 12 times");
}

/* Elements count from the arena's start, as the record says. */
static void one_wrong(json_t *cell, const struct made_place *place)
{
	if (place->variant != MADE_PROCESSES || place->isolated || place->block != 2)
		return;
	made_set(cell, "{'wrong':1,'wrong_at':{'rank':1,'element':17,'byte':68,"
	               "'expected':'0x3f800000','got':'0x3f800004'}}");
}

TEST(wrong_data_is_located)
{
	made.line = one_wrong;
	json_says(made_report_with(&made, "/nowhere", -1), "answer",
	          "processes (block 3) delivered 1 wrong element, the first on rank 1 at element "
	          "17 (byte 68): expected 0x3f800000, got 0x3f800004");
}

#define END "{'schema':1,'kind':'end','reason':'blocks','text':'done'}\n"
#define FAILURE(BLOCK)                                                                             \
	"{'schema':1,'kind':'failure','experiment':'x','variant':'threads','block':" #BLOCK        \
	",'order':10" #BLOCK ",'error':'none'}\n"
#define RESUME(FIRST, COMMIT, COUNTERS)                                                            \
	"{'schema':1,'kind':'resume','first_block':" #FIRST ",'command':['launchgap','run','a b']" \
	",'created':'later','launchgap':'" COMMIT "','counters':" COUNTERS ",'blocks':3,"          \
	"'machine':{'host':'h','boot':'" COMMIT "'}}\n"

/* After the six blocks of the first session: three asked for, two tried, and one more later that
 * was stopped at once. */
static void two_more(FILE *out)
{
	fputs(test_quotes(END RESUME(6, "abc", "false") FAILURE(6) FAILURE(7)
	                      END RESUME(8, "def", "true")),
	      out);
}

TEST(every_sessions_command_is_said)
{
	const json_t *method = json_section(report(), "method");
	json_assert_one_says(method, "Blocks 1 to 6, 2026-11-21T08:00:00Z, launchgap abc:");
	json_assert_one_says(method, "seed ff. A block is");
	assert_false(json_one_says(method, "sessions"));
	made.more = two_more;
	const json_t *text = report();
	method = json_section(text, "method");
	static const char *const sessions[] = {
	    "In 3 sessions.", "Blocks 1 to 6, 2026-11-21T08:00:00Z, launchgap abc:",
	    "Blocks 7 to 8, added, later, launchgap abc, without counters:",
	    "No block, added, later, launchgap def, with counters:"};
	for (size_t i = 0; i < 4; i++)
		json_assert_text(json_array_get(method, i), "", sessions[i]);
	json_assert_one_says(method, "Blocks measured: 6 of 11; seed ");
	/* Each with its command, as a shell takes it. */
	const char *page = made_read("report.md");
	for (unsigned i = 0; i < 3; i++) {
		page =
		    strstr(page, i ? "```\nlaunchgap run 'a b'\n```\n" : "```\nlaunchgap\n```\n");
		assert_non_null(page++);
	}
	const json_t *warnings = json_object_get(text, "warnings");
	json_assert_one_says(warnings, "6 of the 11 blocks asked for were measured");
	json_assert_one_says(warnings, "The run was not made by one build: launchgap abc began "
	                               "it, and from block 9 on it was def.");
	/* The first one does not say where it was made: nothing is reported of it. */
	assert_false(json_one_says(warnings, "another machine"));
	assert_int_equal(json_integer_value(json_at(text, "looks.first_blocks")), 6);
	assert_int_equal(json_integer_value(json_at(text, "looks.added_blocks")), 2);
	assert_int_equal(json_integer_value(json_at(text, "looks.n")), 2);
	const json_t *second = json_array_get(json_object_get(text, "sessions"), 1);
	assert_int_equal(json_integer_value(json_object_get(second, "first_block")), 6);
	assert_int_equal(json_integer_value(json_object_get(second, "blocks")), 2);
	assert_true(json_is_false(json_object_get(second, "planned")));
	json_assert_text(json_object_get(second, "host"), "", "h");
	json_says(text, "measured", "2 blocks were added after a look at 6");
}

static void begun_on_abc(json_t *environment)
{
	made_set(json_object_get(environment, "machine"), "{'boot':'abc'}");
}

/* The second session is the first one's machine, the third is not. */
TEST(another_machine_is_told)
{
	made.more = two_more;
	made.environment = begun_on_abc;
	const json_t *warnings = json_object_get(report(), "warnings");
	json_assert_one_says(warnings, "From block 9 on the run was made on another machine");
}

TESTS(.begin = made_begin, .end = made_end, .before = fresh);
