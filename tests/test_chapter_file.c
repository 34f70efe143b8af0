/* Chapters that are texts: what a reader refuses, with its place. test_own tells of one. */
#include "../harness/story/chapter_file.h"
#include "made.h"
#include "scratch.h"

static const char *refused(const char *text)
{
	struct chapter_file chapter;
	return chapter_read("x.chapter", text, scratch(), &chapter, WHY)
	           ? arena_copy(scratch(), because())
	           : "read";
}

TEST(what_is_wrong_has_its_place)
{
	static const char *const texts[][2] = {
	    {"", "x.chapter:1:1: a chapter begins with: chapter NAME | title"},
	    {"chapter x\nplace attic\n", "x.chapter:2:7: there is no place attic"},
	    {"  SELECT 1\n", "x.chapter:1:3: this line belongs to no part"},
	    {"chapter x\nshout t\n", "x.chapter:2:1: no part begins with shout"},
	    {"chapter x\nsay\n", "x.chapter:2:1: of which table?"},
	    {"chapter x\nand t\n", "x.chapter:2:1: only a sentence goes on with: and"},
	    {"chapter x\nheading t\n  T\nand t\n",
	     "x.chapter:4:1: only a sentence goes on with: and"},
	    {"chapter x\ntable t\n", "x.chapter:2:1: a table is: table NAME | title"},
	    {"chapter x\ntable t | T | like=u\n", "x.chapter:2:20: no table above is u"},
	    {"chapter x\ntable t | T\n  a\n  SELECT 1 a\nheading t\n  {b}\n",
	     "x.chapter:6:4: table t has no column b"},
	    {"chapter x\ntable t | T | wide\n", "x.chapter:2:15: a table has no option wide"},
	    {"chapter x\ntable t | T | file=../t.csv\n",
	     "x.chapter:2:20: a chapter writes NAME.csv and NAME.conf, not ../t.csv"},
	    {"chapter x\ntable t | T\n  a:sum\n", "x.chapter:3:5: no column is of kind sum"},
	    {"chapter x\ntable t | T\n  a | a | | files all\n",
	     "x.chapter:3:19: what a column is for is files, people or filled, not all"},
	    {"chapter x\nfill t\n", "x.chapter:2:1: a text is: fill TABLE KEY"},
	    {"chapter x\ntable t | T\n  a\n  SELECT 1 a\nfill t b\n  x\n",
	     "x.chapter:5:8: table t has no column of text b"},
	    {"chapter x\npivot t: a\n",
	     "x.chapter:2:1: a pivot is: pivot TABLE: DOWN by ACROSS show VALUE"},
	    {"chapter x\neach t\nend\n", "x.chapter:2:1: each is: each TABLE by KEY"},
	    {"chapter x\nend\n", "x.chapter:2:1: an end belongs to one each"},
	    {"chapter x\neach t by a\neach t by b\nend\nend\n",
	     "x.chapter:3:1: an end belongs to one each"},
	    {"chapter x\neach t by a\n", "x.chapter:2:1: an end belongs to one each"},
	};
	for (size_t i = 0; i < LENGTH(texts); i++)
		assert_string_equal(refused(texts[i][0]), texts[i][1]);
}

TESTS(.begin = made_begin, .end = made_end);
