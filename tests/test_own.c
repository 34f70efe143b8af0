/* Chapters of a person's own: the one that a page teaches, and ones that are wrong. */
#include "../harness/chapters/chapters.h"
#include "made.h"
#include "made_story.h"

static void stamps(const struct made_place *p, int64_t out[6])
{
	out[2] = 1000 + (p->variant == MADE_PROCESSES ? 100 * p->block : 0);
}

static const struct made made = {.blocks = 3, .sizes = 2, .rows = 3, .cores = 8, .stamps = stamps};

FIXTURE(begin)
{
	made_begin();
	made_write(&made);
}

/* The report with this chapter, and what it is called; NULL: it warns. */
static const struct model *told(const char *text, const char **warning)
{
	cli_write(made_folder, "own.chapter", text);
	const struct model *m = model_make(scratch(), made_folder, made_folder, WHY);
	if (!m)
		fail_msg("%s", because());
	*warning = NULL;
	for (unsigned i = 0; model_warning(m, i); i++)
		if (strstr(model_warning(m, i), "own.chapter:"))
			*warning = strstr(model_warning(m, i), "own.chapter:");
	return m;
}

/* The fence after the mark. */
static const char *taught(void)
{
	char *page = cli_read("harness/chapters/README.md");
	const char *text = strchr(strstr(strstr(page, "<!-- chapter -->"), "```"), '\n') + 1;
	text = arena_text(scratch(), "%.*s", (int)(strstr(text, "```") - text), text);
	return text;
}

/* Of processes a block takes 100 ns longer than the one before, from 1000 ns on. */
TEST(the_chapter_that_a_page_teaches_is_told)
{
	const char *warning;
	const struct model *m = told(taught(), &warning);
	if (warning)
		fail_msg("%s", warning);
	const struct story_chapter *chapter = story_find(&m->story, "steady");
	assert_non_null(chapter);
	assert_string_equal(chapter->chapter->title, "How steady is each variant?");
	const struct story_table *t = story_find_table(&m->story, "steady");
	assert_int_equal(t->nrows, 5);
	assert_string_equal(chapter->blocks[chapter->nblocks - 1].sentence->text,
	                    "processes varies most from block to block: by 20 %.");
}

TEST(what_is_wrong_is_a_warning_with_its_place)
{
	static const char *const texts[][2] = {
	    {"chapter x | X\ntable a | a\n  a\n  SELECT\n  1 b\n",
	     "x.chapter:3:3: the query has no column a"},
	    {"chapter x | X\ntable t | T\n  a | {b}\n  SELECT 1 a\n",
	     "x.chapter:3:8: the query has no column b"},
	    {"chapter x | X\ntable t | T\n  a\n  SELECT\n  nam a\n",
	     "x.chapter:5:3: no such column: nam"},
	    {"chapter x | X\ntable t | T\n  a:number\n  SELECT 'threads' a\n",
	     "x.chapter:3:3: no number, as its kind says, is in column a"},
	    {"chapter x | X\ntable t | T\n  aa\n  a\n  SELECT 1 aa, 1.23456789 a\n",
	     "x.chapter:4:3: a number, but no kind of number, is in column a"},
	    {"chapter x | X\ntable t | T\n  a:wrong\n  SELECT 1 a\n",
	     "x.chapter:3:5: no column is of kind wrong"},
	    {"chapter x | X\ntable t | T\n  a\n  SELECT 1 a FROM variants\n",
	     "x.chapter:4:19: no such table: variants"},
	    {"chapter x | X\ntable t | T\n  a\n  SELECT 1 a\nsay t where a <> 'b'\n  It: {a},\n"
	     "  {b}.\n",
	     "x.chapter:7:4: table t has no column b"},
	    {"chapter x | X\ntable t | T\n  a\n  SELECT 1 a\nsay t\n  {a} [is {0.a:nokind}].\n",
	     "x.chapter:6:14: column a cannot be said as nokind"},
	    {"chapter x | X\ntable t | T\n  a\n  SELECT 1 a\nsay t\n  {a:range percent}\n",
	     "x.chapter:6:4: column a cannot be said as range percent"},
	    {"chapter x | X\ntable t | T\n  a\n  SELECT 't' a\nsay t\n  {a}\nand {a}\n  {a:s}\n",
	     "x.chapter:8:4: column a cannot be said as s"},
	    {"chapter x | X\ntable t | T\n  a\n  SELECT 1 a\npivot t: a by no show a\n",
	     "x.chapter:5:15: the table has no column no"},
	    {"table t | T\n  a\n  SELECT 1 a\n",
	     "x.chapter:4:1: a chapter begins with: chapter NAME | title"},
	    {"chapter x | X\ntable t | T\n  a\n  SELECT zeroblob(100000000) a\n",
	     "x.chapter:4:1: string or blob too big"},
	    {"chapter x | X\ntable t | T\n  a\n  SELECT instr(zeroblob(60000000), 'a') a\n",
	     "x.chapter:4:1: string or blob too big"},
	    {"chapter x | X\ntable t | T\n  a\n"
	     "  WITH RECURSIVE n(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM n LIMIT 100001)\n"
	     "  SELECT a FROM n\n",
	     "x.chapter:4:3: more rows than a table may have: 100000"},
	    {"chapter x | X\nsay t\n  {b} is.\n", "x.chapter:2:5: the chapter has no table t"},
	    {"chapter x | X\ntable t | T\n  a:count\n  SELECT 1 a\nfill t a\n  {a}\n",
	     "x.chapter:5:8: table t has no column of text a"},
	    {"chapter x | X\ntable t | T\n  a\n  SELECT 1 a\nsay t where c\n  {a} is.\n",
	     "x.chapter:5:13: no such column: c"},
	    {"chapter x | X\ntable t | T\n  a\n  SELECT 1 a; DROP TABLE t\n",
	     "x.chapter:4:15: one SELECT is allowed, and nothing else"},
	    {"chapter x | X\ntable t | T\n  a\n  SELECT readfile('/etc/passwd') a\n",
	     "x.chapter:4:10: no such function: readfile"},
	};
	for (size_t i = 0; i < LENGTH(texts); i++)
		assert_string_equal(story_warning(texts[i][0]), texts[i][1]);
}

TEST(what_is_wrong_is_said_to_who_asked_for_it)
{
	cli_write(made_folder, "own.chapter", "chapter x | X\nsay t\n  {b} is.\n");
	struct cli cli = cli_call(made_folder, "report", made_folder, "--quiet", "--chapters",
	                          made_folder, NULL);
	cli_expect(cli, 0, "\nwarning: ", "/own.chapter:2:5: the chapter has no table t\n");
}

/* What a query takes is its own error, and the report is made. */
TEST(memory_of_a_query_is_its_own)
{
	const char *warning;
	told("chapter x | X\ntable t | T\n  a\n"
	     "  WITH RECURSIVE n(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM n LIMIT 9000)\n"
	     "  SELECT hex(zeroblob(100000)) a FROM n\n",
	     &warning);
	assert_string_equal(warning, "own.chapter:4:1: out of memory");
}

/* Also if it tells nothing, but not if it is wrong. */
TEST(a_chapter_takes_the_place_of_the_one_of_its_name)
{
	static const char *const texts[] = {"", "say t\n  It is {a}.\n"};
	const char *warning;
	const struct model *m = model_make(scratch(), made_folder, NULL, WHY);
	assert_non_null(story_find(&m->story, "variants"));
	const unsigned n = m->story.nchapters;
	for (unsigned i = 0; i < 2; i++) {
		m = told(arena_text(scratch(),
		                    "chapter variants | Mine\n"
		                    "table t | T | hidden\n  a\n  SELECT 1 a WHERE %u\n%s",
		                    i, texts[i]),
		         &warning);
		const struct story_chapter *mine = story_find(&m->story, "variants");
		assert_null(warning);
		assert_int_equal(m->story.nchapters, n - 1 + i);
		assert_int_equal(mine != NULL, i);
		if (mine)
			assert_string_equal(mine->chapter->title, "Mine");
	}
	m = told("chapter variants | Mine\nsay t\n  {b} is.\n", &warning);
	assert_non_null(warning);
	assert_string_not_equal(story_find(&m->story, "variants")->chapter->title, "Mine");
}

TEST(what_is_no_row_of_a_table_is_not_told)
{
	const struct story *story = story_of("chapter x | X\ntable t | T\n  a\n  SELECT 7 a\n"
	                                     "say t union select 99999\n  It is {a}.\n");
	const struct story_chapter *x = story_find(story, "x");
	assert_int_equal(x->nblocks, 2);
	assert_string_equal(x->blocks[1].sentence->text, "It is 7.");
}

/* Of each row the table that it names, whose title and head are its own rows'. */
TEST(a_sentence_goes_on_over_the_tables_of_its_row)
{
	const char *chapters[] = {
	    "chapter a | A\ntable t | T\n  a\n  SELECT 1 a\nanswer t\n  It is {a}.\n",
	    "chapter x | X\n"
	    "table sizes | Sizes | hidden\n  size\n  lines:count\n"
	    "  SELECT 'large' size, 1 lines UNION ALL SELECT 'small', 3\n"
	    "heading sizes where lines > 1\n  {size}: {lines}\n"
	    "table of_small | {title} | bars=speed\n  name\n  speed:number | {unit}\n"
	    "  SELECT 'a' name, 1 speed, 'GB/s' unit, 'Few' title\n"
	    "  UNION ALL SELECT 'b', 2, NULL, NULL UNION ALL SELECT 'c', 3, NULL, NULL\n"
	    "table of_large | Large | like=of_small\n  SELECT 'd' name, 0.5 speed, 'µs' unit\n"
	    "say sizes order by rowid desc\n  At {size}\n"
	    "also of_{size} where speed < 1\n  slow: [{name} by {speed:effect}]\n"
	    "also of_{size} where speed >= 1\n  fast: [{name}|, | and ]\n"
	    "also of_{size} where speed > 1\n  best: [{name}| or ]\n"
	    "and sizes by size\n  , with {lines}.\n"
	    "table parts | Parts | arrays\n  name\n  said\n  SELECT 'a' name, NULL said, 1 kind\n"
	    "  UNION ALL SELECT 'b', NULL, 2 UNION ALL SELECT 'c', NULL, 1\n"
	    "fill parts said where rowid IN (SELECT min(rowid) FROM parts GROUP BY kind)\n"
	    "and parts by kind\n  [{name}| + ]\n"
	    "say sizes where lines > 1 AND (SELECT answered FROM story)\n  {size} too\n"
	    "code sizes where lines > 1\n  run {size}\n"};
	const struct story *story = stories_of(2, chapters);
	const struct story_chapter *x = story_find(story, "x");
	const struct story_table *small = story_find_table(story, "of_small"),
	                         *large = story_find_table(story, "of_large");
	const struct story_table *parts = story_find_table(story, "parts");
	assert_int_equal(x->nblocks, 11);
	assert_string_equal(x->blocks[1].text, "small: 3");
	assert_string_equal(small->form->title, "Few");
	assert_string_equal(story_column(small, "speed")->head, "GB/s");
	assert_string_equal(story_column(large, "speed")->head, "µs");
	assert_string_equal(large->form->bars, "speed");
	assert_string_equal(x->blocks[4].sentence->text,
	                    "At small fast: a, b and c; best: b or c, with 3.");
	assert_string_equal(x->blocks[5].sentence->text, "At large slow: d by 50 %, with 1.");
	assert_string_equal(x->blocks[9].sentence->text, "small too");
	assert_int_equal(x->blocks[10].kind, STORY_CODE);
	assert_string_equal(x->blocks[10].text, "run small");
	assert_string_equal(parts->rows[1].text, "a + c");
	for (unsigned i = 0; i < story->npictures; i++)
		assert_string_not_equal(story->pictures[i].name, "{size}");
}

TEST(a_sentence_fills_the_rows_of_a_table)
{
	const struct story *story =
	    story_of("chapter x | X\ntable t | T\n  a:count\n  b\n"
	             "  SELECT 1 a, NULL b UNION ALL SELECT 2, NULL UNION ALL SELECT 3, 'c'\n"
	             "fill t b where a < 3\nand t by a where a = 2\n  It is {a}\n");
	const struct story_table *t = story_find_table(story, "t");
	static const char *const texts[] = {"", "It is 2", "c"};
	for (unsigned i = 0; i < 3; i++)
		assert_string_equal(story_entry(t, i, "b")->text, texts[i]);
}

/* A file's lines are row after row; what a query names is no way out of the folder. */
TEST(a_chapter_writes_files_beside_the_report)
{
	static const char *const names[] = {"../x.conf", "trials.jsonl", "conf"};
	const struct story *story =
	    story_of("chapter x | X\ntable t | T\n  a\n  n:count\n"
	             "  SELECT 'p' a, 1 n UNION ALL SELECT 'q', 2\n"
	             "write t x.csv where n = 1\n  # {a} \\\n  and more\n  [|]\n"
	             "write t x.csv\nand t by a\n  {a},{n}\nand t\n  [{n}|\n  ]\n"
	             "write t {a}.conf\n  {n}\n");
	const struct story_chapter *x = story_find(story, "x");
	assert_int_equal(x->nblocks, 4);
	assert_string_equal(x->blocks[1].name, "x.csv");
	assert_string_equal(x->blocks[1].text, "# p and more\n\np,1\n1\n2\nq,2\n1\n2\n");
	assert_string_equal(x->blocks[2].name, "p.conf");
	assert_string_equal(x->blocks[3].text, "2\n");
	for (size_t i = 0; i < LENGTH(names); i++) {
		const char *text = arena_text(scratch(),
		                              "chapter x | X\ntable t | T\n  a\n  SELECT '%s' a\n"
		                              "write t {a}\n  {a}\n",
		                              names[i]);
		assert_string_equal(story_warning(text),
		                    arena_text(scratch(),
		                               "x.chapter:5:1: a chapter writes NAME.csv and "
		                               "NAME.conf, not %s",
		                               names[i]));
	}
}

/* What another chapter writes; its own file is one that has its name. */
TEST(a_chapter_replaces_no_file_of_another)
{
	const char *warning;
	told("chapter x | X\ntable t | T\n  a\n  SELECT 'summary' a\nwrite t {a}.csv\n  {a}\n",
	     &warning);
	assert_string_equal(warning, "own.chapter:5:1: another chapter writes summary.csv");
	told("chapter x | X\ntable t | T | file=summary.csv\n  a\n  SELECT 1 a\n", &warning);
	assert_string_equal(warning, "own.chapter:2:20: another chapter writes summary.csv");
	told("chapter sizes | X\ntable t | T | file=summary.csv\n  a\n  SELECT 1 a\n", &warning);
	assert_null(warning);
}

/* All that are texts can be asked of a run that has nothing, and tell nothing that warns. */
TEST(every_chapter_fits_the_tables)
{
	static const char *const files[] = {
	    "harness/data/schema.sql",       "harness/analysis/spent.sql",
	    "harness/chapters/figures.sql",  "harness/analysis/results.sql",
	    "harness/analysis/drawn.sql",    "harness/chapters/experiment.sql",
	    "harness/chapters/factors.sql",  "harness/chapters/gap.sql",
	    "harness/chapters/versions.sql", "harness/chapters/contrast.sql",
	    "harness/chapters/verdicts.sql", "harness/chapters/gap_found.sql",
	    "harness/chapters/evidence.sql", "harness/chapters/bandwidth.sql",
	    "harness/chapters/tuned.sql",    "harness/chapters/shared.sql"};
	static const struct record_run none;
	struct db *db = db_open(scratch());
	struct story story;
	unsigned n, asked = 0;
	const char *const *all = chapters_all(&n);
	db_stamps(db, &none);
	for (unsigned i = 0; i < LENGTH(files); i++)
		assert_works(db_run_text(db, files[i], WHY));
	db_seal(db);
	for (unsigned i = 0; i < n; i++) {
		story_make(db, &all[i], 1, scratch(), &story);
		if (story_said(&story, STORY_WARNING, 0))
			fail_msg("%s", story_said(&story, STORY_WARNING, 0)->text);
		asked++;
	}
	assert_true(asked > 5);
}

TEST(a_folder_without_chapters_is_refused)
{
	assert_null(model_make(scratch(), made_folder, "/nothing", WHY));
	assert_string_equal(because(), "/nothing has no file NAME.chapter");
}

TESTS(.begin = begin, .end = made_end);
