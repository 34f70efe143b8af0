/* Chapters that are texts: what a reader refuses, with its place, and what is told of one. */
#include "../harness/story/chapter_file.h"
#include "made.h"
#include "scratch.h"

static struct chapter_file chapter;

static const char *refused(const char *text)
{
	struct status st = {0};
	return chapter_read("x.chapter", text, scratch(), &chapter, &st)
	           ? arena_copy(scratch(), st.text)
	           : "read";
}

TEST(a_chapter_is_parts_with_lines)
{
	assert_string_equal(refused("chapter x | The title\n"
	                            "place appendix\n"
	                            "-- What it answers.\n"
	                            "\n"
	                            "table t | Words | hidden | file=t.csv | common=All of it\n"
	                            "  name | | | filled\n"
	                            "  speed:ratio | speed | GB/s | files\n"
	                            "  part | - | | files people\n"
	                            "  SELECT name,\n"
	                            "         1 speed FROM variant\n"
	                            "say, answer t where name = 'a'\n"
	                            "  Where {name} is\n"
	                            "  fast\n"
	                            "and t by name where speed > 1\n"
	                            "  , and more.\n"),
	                    "read");
	assert_string_equal(chapter.chapter.name, "x");
	assert_string_equal(chapter.chapter.title, "The title");
	assert_int_equal(chapter.chapter.place, CHAPTER_APPENDIX);
	assert_int_equal(chapter.nparts, 3);
	const struct chapter_part *t = chapter.parts, *say = &chapter.parts[1], *more = say + 1;
	assert_string_equal(t->query.sql, "  SELECT name,\n         1 speed FROM variant");
	assert_int_equal(t->query.line, 9);
	assert_int_equal(t->form.ncolumns, 3);
	assert_string_equal(t->form.file, "t.csv");
	assert_string_equal(t->form.common, "All of it");
	assert_string_equal(t->form.columns[0].head, "name");
	assert_true(t->form.hidden && t->form.columns[1].kind == KIND_RATIO);
	assert_int_equal(t->form.columns[0].only, ONLY_FILLED);
	assert_int_equal(t->form.columns[1].only, ONLY_FILES);
	assert_string_equal(t->form.columns[2].head, "");
	assert_int_equal(t->form.columns[2].only, ONLY_FILES | ONLY_PEOPLE);
	assert_int_equal(say->roles, STORY_BODY | STORY_ANSWER);
	assert_string_equal(say->query.sql, "where name = 'a'");
	assert_string_equal(say->text, "Where {name} is fast");
	assert_int_equal(more->kind, PART_AND);
	assert_string_equal(more->by, "name");
	assert_string_equal(more->query.sql, "where speed > 1");
	assert_string_equal(more->text, ", and more.");
}

TEST(what_a_sentence_is_told_of_stands_after_its_table)
{
	assert_string_equal(refused("chapter x\n"
	                            "table t | T\n"
	                            "  a\n"
	                            "  SELECT 1 a\n"
	                            "say t together where a\n"
	                            "  {a}\n"
	                            "say t\n"
	                            "  {a}\n"
	                            "say t where together\n"
	                            "  {a}\n"
	                            "unasked t\n"
	                            "answer t where 0\n"),
	                    "read");
	const struct chapter_part *part = chapter.parts + 1;
	assert_true(part[0].together);
	assert_string_equal(part[0].query.sql, "where a");
	assert_true(!part[1].together && !*part[1].query.sql);
	assert_true(!part[2].together);
	assert_int_equal(part[4].roles, STORY_ANSWER);
	assert_string_equal(part[4].text, "{a}");
}

TEST(what_is_wrong_has_its_line)
{
	static const char *const texts[][2] = {
	    {"", "x.chapter:1: a chapter begins with: chapter NAME | title"},
	    {"chapter x\nplace attic\n", "x.chapter:2: there is no place attic"},
	    {"  SELECT 1\n", "x.chapter:1: this line belongs to no part"},
	    {"chapter x\nshout t\n", "x.chapter:2: no part begins with shout"},
	    {"chapter x\nsay\n", "x.chapter:2: of which table?"},
	    {"chapter x\nand t\n", "x.chapter:2: only a sentence goes on with: and"},
	    {"chapter x\nheading t\n  T\nand t\n",
	     "x.chapter:4: only a sentence goes on with: and"},
	    {"chapter x\ntable t\n", "x.chapter:2: a table is: table NAME | title"},
	    {"chapter x\ntable t | T | like=u\n", "x.chapter:2: no table above is u"},
	    {"chapter x\ntable t | T\n  a\n  SELECT 1 a\nheading t\n  {b}\n",
	     "x.chapter:5: table t has no column b"},
	    {"chapter x\ntable t | T | wide\n", "x.chapter:2: a table has no option wide"},
	    {"chapter x\ntable t | T | file=../t.csv\n",
	     "x.chapter:2: a chapter writes NAME.csv and NAME.conf, not ../t.csv"},
	    {"chapter x\ntable t | T\n  a:sum\n", "x.chapter:3: no column is of kind sum"},
	    {"chapter x\ntable t | T\n  a | a | | files all\n",
	     "x.chapter:3: what a column is for is files, people or filled, not all"},
	    {"chapter x\nfill t\n", "x.chapter:2: a text is: fill TABLE KEY"},
	    {"chapter x\ntable t | T\n  a\n  SELECT 1 a\nfill t b\n  x\n",
	     "x.chapter:5: table t has no column of text b"},
	    {"chapter x\npivot t: a\n",
	     "x.chapter:2: a pivot is: pivot TABLE: DOWN by ACROSS show VALUE"},
	    {"chapter x\neach t\nend\n", "x.chapter:2: each is: each TABLE by KEY"},
	    {"chapter x\nend\n", "x.chapter:2: an end belongs to one each"},
	    {"chapter x\neach t by a\neach t by b\nend\nend\n",
	     "x.chapter:3: an end belongs to one each"},
	    {"chapter x\neach t by a\n", "x.chapter:2: an end belongs to one each"},
	};
	for (size_t i = 0; i < LENGTH(texts); i++)
		assert_string_equal(refused(texts[i][0]), texts[i][1]);
}

TESTS(.begin = made_begin, .end = made_end);
