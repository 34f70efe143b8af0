/* The sentences that a story makes of rows and templates, and that no sentence can say more than
 * its rows. */
#include <glob.h>

#include "../harness/report/section.h"
#include "../harness/texts.h"
#include "made_story.h"
#include "sentences.h"

enum { SLOW = 1, FAST = 2 };

#define TABLE                                                                                      \
	"table t | T\n"                                                                            \
	"  name\n"                                                                                 \
	"  gbs:number | bandwidth | GB/s\n"                                                        \
	"  speed:ratio\n"                                                                          \
	"  bytes:bytes | size | | files\n"                                                         \
	"  calls:count | | | files\n"                                                              \
	"  note\n"                                                                                 \
	"  SELECT column1 name, column2 gbs, column3 speed, column4 speed_lo, column5 speed_hi,\n" \
	"         67108864 bytes, column6 \"when\", column6 calls, column7 note\n"                 \
	"  FROM (VALUES ('a', 2.29, 0.0094, 0.0090, 0.0098, 1, NULL),\n"                           \
	"               ('b', 243, 1.002, 0.998, 1.006, 2, 'direct'),\n"                           \
	"               ('c', 2.55, 0.0105, NULL, NULL, 1, NULL))\n"

/* The texts of all sentences of one template about rows, a line each. when 0: about all rows. */
static const char *says_one(unsigned when, const char *said)
{
	const struct story *story = story_of(test_text(
	    "chapter c | C\n" TABLE "item t where %u IN (0, \"when\")\n  %s\n", when, said));
	const char *text = "";
	for (unsigned i = 0; story_said(story, STORY_ITEM, i); i++)
		text =
		    arena_text(scratch(), "%s%s\n", text, story_said(story, STORY_ITEM, i)->text);
	return text;
}

TEST(a_template_has_its_rows_entries)
{
	assert_string_equal(says_one(FAST, "{name} has {gbs} GB/s: {speed:full}, {bytes}."),
	                    "b has 243 GB/s: 1.002 (0.998 to 1.006), 64 MiB.\n");
	assert_string_equal(says_one(FAST, "{speed} {speed:percents} {speed:interval} {{x}"),
	                    "1.002 100.2 % (99.8 to 100.6 %) 0.998 to 1.006 {x}\n");
}

TEST(what_follows_a_count_is_of_its_number)
{
	assert_string_equal(
	    says_one(FAST, "{calls} call{calls:s}, {calls} stretch{calls:es} {calls:was} late"),
	    "2 calls, 2 stretches were late\n");
	assert_string_equal(says_one(SLOW, "{calls} call{calls:s} {calls:is} {name:list}."),
	                    "1 call is a and c.\n");
}

TEST(rows_that_say_the_same_share_a_sentence)
{
	assert_string_equal(says_one(SLOW, "{name:list} reach {gbs:range} GB/s at {bytes}."),
	                    "a and c reach 2.29 to 2.55 GB/s at 64 MiB.\n");
	assert_string_equal(says_one(SLOW, "{name:list}: {speed:range percent}."),
	                    "a and c: 0.9 to 1.1 %.\n");
	assert_string_equal(says_one(FAST, "{name:list}: {speed:range percent}."), "b: 100.2 %.\n");
	/* One ratio is no range, and has its interval. */
	assert_string_equal(says_one(FAST, "{name:list}: {speed:range}."),
	                    "b: 1.002 (0.998 to 1.006).\n");
	/* Of a spread the ends, of three digits each, and nothing after them. */
	const struct story *story =
	    story_of("chapter c | C\ntable t | T\n  x:spread | x (quartiles)\n"
	             "  SELECT 0.11 x, 0.09803 x_lo, 0.12995 x_hi\nitem t\n  {x:range}.\n");
	assert_string_equal(story_said(story, STORY_ITEM, 0)->text, "1/10.2 to 0.130.");
	story = story_of("chapter c | C\ntable t | T\n  x:spread | x (quartiles) | GB/s\n"
	                 "  SELECT 0.11 x, 0.05 x_lo, 0.13 x_hi\nitem t\n  {x:range} GB/s.\n");
	assert_string_equal(story_said(story, STORY_ITEM, 0)->text, "0.050 to 0.130 GB/s.");
	/* What is neither listed nor a range parts them. */
	assert_string_equal(says_one(SLOW, "{name:list} has {gbs}."), "a has 2.29.\nc has 2.55.\n");
	assert_string_equal(says_one(0, "{name:list}."), "a, b and c.\n");
}

TEST(a_part_is_said_of_each_row_with_its_values)
{
	assert_string_equal(says_one(0, "Bandwidth: [{name} {gbs} GB/s]."),
	                    "Bandwidth: a 2.29 GB/s, b 243 GB/s, c 2.55 GB/s.\n");
	assert_string_equal(says_one(0, "[At {bytes} {name} has {gbs} GB/s|; {name} {gbs}]."),
	                    "At 64 MiB a has 2.29 GB/s; b 243; c 2.55.\n");
	/* Without a value in the row it is left out; a part within a part too. */
	assert_string_equal(says_one(0, "[{name} is {note}]."), "b is direct.\n");
	assert_string_equal(says_one(0, "[{name}[ ({note})]]"), "a, b (direct), c\n");
	assert_string_equal(says_one(0, "[{speed}[ ({speed:interval})]]."),
	                    "1/106 (1/111 to 1/102), 1.002 (0.998 to 1.006), 1/95.2.\n");
	/* What is outside of it parts the rows. */
	assert_string_equal(says_one(0, "{calls}: [{name}]."), "1: a, c.\n2: b.\n");
}

TEST(a_sentence_is_of_the_rows_that_it_names)
{
	assert_string_equal(says_one(SLOW, "{name} is slow."), "a is slow.\nc is slow.\n");
	assert_string_equal(says_one(SLOW | FAST, "never"), "");
}

/* A report of one table and one sentence. */
static bool is_right_of(double gbs, const char *text, const char *verdict)
{
	char why[1024] = "";
	json_t *report = json_pack("{s:[{s:[{s:s,s:[{s:s,s:s},{s:s,s:s},{s:s,s:s}],s:[[s,f,s]]}"
	                           "],s:[{s:s,s:[{s:s,s:[i]}]}]}]}",
	                           "chapters", "tables", "name", "t", "columns", "key", "name",
	                           "kind", "text", "key", "gbs", "kind", "number", "key", "v",
	                           "kind", "verdict", "rows", "threads-2", gbs, verdict,
	                           "sentences", "text", text, "of", "table", "t", "rows", 0);
	assert_non_null(report);
	const bool right = sentences_right(report, why, sizeof why);
	json_decref(report);
	return right;
}

static bool is_right(const char *text, const char *verdict)
{
	return is_right_of(243.2, text, verdict);
}

/* 35006.51 is written with six digits, and the sentence rounds the number itself. */
TEST(a_sentence_and_its_row_may_round_the_same_number_apart)
{
	assert_true(is_right_of(35006.5, "35007 µs", ""));
	assert_true(is_right_of(35006.5, "35006 µs", ""));
	assert_false(is_right_of(35006.5, "35008 µs", ""));
	assert_false(is_right_of(35006.4, "35007 µs", ""));
}

TEST(a_sentence_says_only_what_its_rows_have)
{
	assert_true(is_right("threads-2 reach 243 GB/s (95 % interval) at p95", ""));
	assert_false(is_right("threads-2 reach 244 GB/s", ""));
	assert_false(is_right("43 GB/s", ""));
	assert_true(is_right("it is slower", "slower, by under 2 %"));
	assert_false(is_right("it is faster", "slower"));
	assert_false(is_right("<<gbs>>", ""));
}

/* All that a chapter may hold. */
#define WHOLE                                                                                      \
	"chapter whole | Whole\n" TABLE "heading t\n  Part\n"                                      \
	"caption t where name = 'b'\n  {name}\n"                                                   \
	"say t\n  A note.\n"                                                                       \
	"files t\n  As a file\n"                                                                   \
	"pivot t: name by bytes show gbs where name < 'c'\n"                                       \
	"table none | None\n  x\n  SELECT 1 x WHERE 0\n"
#define EMPTY "chapter empty | Empty\ntable none | None\n  x\n  SELECT 1 x WHERE 0\n"

/* --- the first page --- */

#define MANY(name)                                                                                 \
	"chapter " name " | C\n"                                                                   \
	"table t | T\n  name\n  gbs:number | bandwidth | GB/s\n  size:bytes\n"                     \
	"  WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 19)\n"         \
	"  SELECT 'n' name, 100 + i gbs, 1024 size FROM n\n"                                       \
	"lead t\n  gbs size\n"
#define UNASKED(name) MANY(name) "unasked t\n"

TEST(one_chapter_leads)
{
	struct story *story = stories_of(
	    4, (const char *[]){WHOLE, MANY("waits"), UNASKED("leads"), UNASKED("also")});
	story_choose_lead(story, "waits");
	assert_string_equal(story->lead->chapter->name, "waits");
	story_choose_lead(story, "also");
	assert_string_equal(story->lead->chapter->name, "also");
	story_choose_lead(story, "whole");
	assert_string_equal(story->lead->chapter->name, "leads");
	story_choose_lead(story, "");
	assert_string_equal(story->lead->chapter->name, "leads");
	char *text;
	size_t bytes;
	struct page page = {
	    .kind = PAGE_MARKDOWN, .out = open_memstream(&text, &bytes), .arena = scratch()};
	section_write_strip(&page, story->lead);
	fclose(page.out);
	assert_says(text, "| bandwidth, GB/s | size |\n");
	assert_says(text, "| 105 | 1 KiB |\n");
	assert_lacks(text, "106");
	free(text);
	story = story_of(WHOLE);
	story_choose_lead(story, "whole");
	assert_null(story->lead);
}

/* --- the answer --- */

/* Caveats, the fastest, all others with their verdicts, open questions; or what replaces them. */
TEST(answers_have_one_order)
{
	static const char *const texts[] = {"caveat", "leader", "first And more", "first again",
	                                    "first is open"};
	const char *chapters[] = {"chapter first | First\n" TABLE "open t\n  first is open\n"
	                          "answer, more t\n  first\nanswer, more t\n  And more\n"
	                          "answer t\n  first again\n",
	                          UNASKED("leader") "answer t\n  leader\ncaveat t\n  caveat\n",
	                          "chapter instead | I\n" TABLE "instead t\n  instead\n"};
	struct story *story = stories_of(2, chapters);
	story_choose_lead(story, "");
	for (unsigned i = 0; i < LENGTH(texts); i++)
		assert_string_equal(story_answer(story, i)->text, texts[i]);
	assert_null(story_answer(story, LENGTH(texts)));
	story = stories_of(3, chapters);
	assert_string_equal(story_answer(story, 0)->text, "instead");
	assert_null(story_answer(story, 1));
}

/* What our experiments let lead is there. */
TEST(experiments_name_chapters)
{
	glob_t files;
	unsigned n = 0;
	assert_int_equal(glob("experiments/*.exp", 0, NULL, &files), 0);
	for (size_t i = 0; i < files.gl_pathc; i++) {
		char line[512], name[64], text[128];
		FILE *in = fopen(files.gl_pathv[i], "r");
		while (fgets(line, sizeof line, in))
			if (sscanf(line, "leads = %63s", name) == 1) {
				n++;
				snprintf(text, sizeof text, "harness/chapters/%s.chapter", name);
				if (!texts_find(text))
					fail_msg("%s: there is no chapter %s", files.gl_pathv[i],
					         name);
			}
		fclose(in);
	}
	globfree(&files);
	assert_true(n > 5);
}
