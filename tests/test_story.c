/* The sentences that a story makes of rows and templates, and that no sentence can say more than
 * its rows. */
#include <glob.h>

#include "../harness/report/section.h"
#include "../harness/story/story.h"
#include "../harness/texts.h"
#include "test.h"
#include "told.h"

enum { SLOW = 1, FAST = 2 };

struct row {
	const char *name;
	double gbs;
	struct stats_ratio speed;
	size_t bytes;
	unsigned when, calls;
	const char *note;
};

static const struct column columns[] = {
    COLUMN(struct row, name, "name", "", TEXT),
    COLUMN(struct row, gbs, "bandwidth", "GB/s", NUMBER),
    COLUMN(struct row, speed, "speed", "", RATIO),
    COLUMN_AS(struct row, bytes, "size", "size", "", BYTES, ONLY_FILES),
    COLUMN_AS(struct row, calls, "calls", "calls", "", COUNT, ONLY_FILES),
    COLUMN(struct row, note, "note", "", TEXT),
};
static const struct story_form form = STORY_FORM(struct row, columns, .name = "t", .title = "T");
static const struct row rows[] = {
    {"a", 2.29, {0.0094, 0.0090, 0.0098, 6, 0.97}, 64 << 20, SLOW, 1, NULL},
    {"b", 243, {1.002, 0.998, 1.006, 6, 0.97}, 64 << 20, FAST, 2, "direct"},
    {"c", 2.55, {0.0105, NAN, NAN, 6, NAN}, 64 << 20, SLOW, 1, NULL},
};

/* A chapter whose parts are made by code. */
struct teller {
	struct chapter chapter;
	void (*tell)(struct story *story);
};

static void tell_each(const struct teller *const *all, unsigned n, struct arena *arena,
                      struct story *out)
{
	*out =
	    (struct story){.arena = arena, .chapters = ARENA_ARRAY(arena, struct story_chapter, n)};
	for (unsigned i = 0; i < n; i++) {
		struct story_chapter *now = &out->chapters[out->nchapters];
		now->chapter = &all[i]->chapter;
		all[i]->tell(out);
		out->nchapters += now->nblocks > 0;
	}
}

/* One template's sentences about rows, as a chapter would print them. */
static struct {
	unsigned when; /* 0: of all rows */
	const char *text;
} asked;

static void tell(struct story *story)
{
	const struct story_table *t = story_table(story, &form, rows, 3);
	unsigned some[3], n = 0;
	for (unsigned i = 0; i < 3; i++)
		if (!asked.when || rows[i].when == asked.when)
			some[n++] = i;
	story_tell(story, STORY_ITEM, t, some, n, asked.text);
}

static const struct teller chapter = {{"c", "C", CHAPTER_BODY}, tell};

static void make(struct arena *arena, void *of)
{
	const struct teller *const all[] = {&chapter};
	tell_each(all, 1, arena, of);
}

/* The texts of all sentences, a line each. */
static const char *says_one(unsigned when, const char *said)
{
	static char text[4096];
	struct story story;
	struct arena *arena;
	asked.when = when;
	asked.text = said;
	text[0] = '\0';
	assert_int_equal(arena_run(make, &story, &arena), 0);
	for (unsigned i = 0; i < story.chapters[0].nblocks; i++)
		if (story.chapters[0].blocks[i].kind == STORY_SENTENCE) {
			const size_t used = strlen(text);
			snprintf(text + used, sizeof text - used, "%s\n",
			         story.chapters[0].blocks[i].sentence->text);
		}
	arena_free(arena);
	return text;
}

TEST(a_template_has_its_rows_entries)
{
	assert_string_equal(says_one(FAST, "{name} has {gbs} GB/s: {speed:full}, {size}."),
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
	assert_string_equal(says_one(SLOW, "{name:list} reach {gbs:range} GB/s at {size}."),
	                    "a and c reach 2.29 to 2.55 GB/s at 64 MiB.\n");
	assert_string_equal(says_one(SLOW, "{name:list}: {speed:range percent}."),
	                    "a and c: 0.9 to 1.1 %.\n");
	assert_string_equal(says_one(FAST, "{name:list}: {speed:range percent}."), "b: 100.2 %.\n");
	/* One ratio is no range, and has its interval. */
	assert_string_equal(says_one(FAST, "{name:list}: {speed:range}."),
	                    "b: 1.002 (0.998 to 1.006).\n");
	/* What is neither listed nor a range parts them. */
	assert_string_equal(says_one(SLOW, "{name:list} has {gbs}."), "a has 2.29.\nc has 2.55.\n");
	assert_string_equal(says_one(0, "{name:list}."), "a, b and c.\n");
}

TEST(a_part_is_said_of_each_row_with_its_values)
{
	assert_string_equal(says_one(0, "Bandwidth: [{name} {gbs} GB/s]."),
	                    "Bandwidth: a 2.29 GB/s, b 243 GB/s, c 2.55 GB/s.\n");
	assert_string_equal(says_one(0, "[At {size} {name} has {gbs} GB/s|; {name} {gbs}]."),
	                    "At 64 MiB a has 2.29 GB/s; b 243; c 2.55.\n");
	/* Without a value in the row it is left out; a part within a part too. */
	assert_string_equal(says_one(0, "[{name} is {note}]."), "b is direct.\n");
	assert_string_equal(says_one(0, "[{name}[ ({note})]]"), "a, b (direct), c\n");
	assert_string_equal(says_one(0, "[{speed}[ ({speed:interval})]]."),
	                    "0.00940 (0.00900 to 0.00980), 1.002 (0.998 to 1.006), 0.0105.\n");
	/* What is outside of it parts the rows. */
	assert_string_equal(says_one(0, "{calls}: [{name}]."), "1: a, c.\n2: b.\n");
	assert_string_equal(says_one(FAST, "[{nome}] ["), "<<nome:>> [\n");
}

TEST(a_sentence_is_of_the_rows_that_it_names)
{
	assert_string_equal(says_one(SLOW, "{name} is slow."), "a is slow.\nc is slow.\n");
	assert_string_equal(says_one(SLOW | FAST, "never"), "");
}

TEST(a_key_without_a_column_is_seen)
{
	assert_string_equal(says_one(FAST, "{nome} {gbs:loudly} {name:percent}"),
	                    "<<nome:>> <<gbs:loudly>> <<name:percent>>\n");
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
	const bool right = told_right(report, why, sizeof why);
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

/* All that a chapter may hold, in its order. */
static void tell_all(struct story *story)
{
	const struct story_table *t = story_table(story, &form, rows, 3);
	story_text(story, STORY_PART, "Part");
	story_say(story, STORY_CAPTION, t, (const unsigned[]){1}, 1, "{name}");
	story_note(story, STORY_BODY, "A note.");
	story_note(story, STORY_BODY, "");
	story_text(story, STORY_FILES, "As a file");
	story_pivot(story, t, (const unsigned[]){0, 1}, 2, "name", "size", "gbs");
	story_table(story, &form, NULL, 0);
}

static const struct teller whole = {{"whole", "Whole", CHAPTER_BODY}, tell_all};

static void tell_nothing(struct story *story)
{
	(void)story;
}

static const struct teller empty = {{"empty", "Empty", CHAPTER_BODY}, tell_nothing};

static void make_all(struct arena *arena, void *of)
{
	const struct teller *const all[] = {&empty, &whole};
	tell_each(all, 2, arena, of);
}

TEST(a_chapter_keeps_what_it_told_in_its_order)
{
	static const enum story_block_kind kinds[] = {STORY_TABLE,    STORY_PART,  STORY_SENTENCE,
	                                              STORY_SENTENCE, STORY_FILES, STORY_PIVOT};
	struct story story;
	struct arena *arena;
	assert_int_equal(arena_run(make_all, &story, &arena), 0);
	const struct story_chapter *c = story_find(&story, "whole");
	assert_null(story_find(&story, "empty"));
	assert_int_equal(story.nchapters, 1);
	assert_int_equal(c->nblocks, 6);
	for (unsigned i = 0; i < 6; i++)
		assert_int_equal(c->blocks[i].kind, kinds[i]);
	assert_string_equal(story_said(&story, STORY_BODY, 0)->text, "A note.");
	assert_null(story_said(&story, STORY_BODY, 1));
	assert_ptr_equal(story_find_table(&story, "t")->rows, rows);
	assert_null(story_find_table(&story, "x"));
	arena_free(arena);
}

/* --- the first page --- */

static void tell_many(struct story *story)
{
	static struct row many[20];
	for (unsigned i = 0; i < 20; i++)
		many[i] = (struct row){"n", 100 + i, {1, 1, 1, 6, 0.97}, 1024, 0, 1, NULL};
	story_lead(story, story_table(story, &form, many, 20), "gbs size");
}

static void tell_unasked(struct story *story)
{
	tell_many(story);
	story->chapters[story->nchapters].unasked = true;
}

static const struct teller waits = {{"waits", "Waits", CHAPTER_BODY}, tell_many},
                           leads = {{"leads", "Leads", CHAPTER_BODY}, tell_unasked},
                           also = {{"also", "Also", CHAPTER_BODY}, tell_unasked};

static void make_leads(struct arena *arena, void *of)
{
	const struct teller *const all[] = {&whole, &waits, &leads, &also};
	tell_each(all, 4, arena, of);
}

TEST(one_chapter_leads)
{
	struct story story;
	struct arena *arena;
	assert_int_equal(arena_run(make_leads, &story, &arena), 0);
	story_choose_lead(&story, "waits");
	assert_string_equal(story.lead->chapter->name, "waits");
	story_choose_lead(&story, "also");
	assert_string_equal(story.lead->chapter->name, "also");
	story_choose_lead(&story, "whole");
	assert_string_equal(story.lead->chapter->name, "leads");
	story_choose_lead(&story, "");
	assert_string_equal(story.lead->chapter->name, "leads");
	char *text;
	size_t bytes;
	struct page page = {.kind = PAGE_MARKDOWN, .out = open_memstream(&text, &bytes)};
	section_write_strip(&page, story.lead);
	fclose(page.out);
	assert_says(text, "| bandwidth, GB/s | size |\n");
	assert_says(text, "| 105 | 1 KiB |\n");
	assert_lacks(text, "106");
	free(text);
	arena_free(arena);
	assert_int_equal(arena_run(make_all, &story, &arena), 0);
	story_choose_lead(&story, "whole");
	assert_null(story.lead);
	arena_free(arena);
}

/* --- the answer --- */

static void tell_first(struct story *story)
{
	story_note(story, STORY_OPEN, "first is open");
	story_note(story, STORY_ANSWER | STORY_MORE, "first");
	story_note(story, STORY_ANSWER | STORY_MORE, "and more");
	story_note(story, STORY_ANSWER, "first again");
}

static void tell_leader(struct story *story)
{
	tell_unasked(story);
	story_note(story, STORY_ANSWER, "leader");
	story_note(story, STORY_CAVEAT, "caveat");
}

static void tell_instead(struct story *story)
{
	story_note(story, STORY_INSTEAD, "instead");
}

static const struct teller first = {{"first", "First", CHAPTER_BODY}, tell_first},
                           leader = {{"leader", "Leader", CHAPTER_BODY}, tell_leader},
                           instead = {{"instead", "Instead", CHAPTER_BODY}, tell_instead};

/* The names of pictures, in the order in which they were named. */
static void tell_pictures(struct story *story)
{
	story_picture(story, "ratio", true);
	story_picture(story, "latency", false);
}

static const struct teller shows = {{"shows", "Shows", CHAPTER_BODY}, tell_pictures};

static void make_pictures(struct arena *arena, void *of)
{
	const struct teller *const all[] = {&empty, &shows};
	tell_each(all, 2, arena, of);
}

TEST(a_chapter_names_its_pictures)
{
	struct story story;
	struct arena *arena;
	assert_int_equal(arena_run(make_pictures, &story, &arena), 0);
	assert_int_equal(story.npictures, 2);
	assert_string_equal(story.pictures[1].name, "latency");
	assert_true(story.pictures[0].front && !story.pictures[1].front);
	arena_free(arena);
}

static void make_answer(struct arena *arena, void *of)
{
	const struct teller *const all[] = {&first, &leader, &instead};
	struct story *story = of;
	tell_each(all, story->nchapters, arena, story);
	story_choose_lead(story, "");
}

static void assert_answer(unsigned nchapters, const char *const *texts)
{
	struct story story = {.nchapters = nchapters};
	struct arena *arena;
	unsigned n = 0;
	assert_int_equal(arena_run(make_answer, &story, &arena), 0);
	for (; texts[n]; n++) {
		assert_non_null(story_answer(&story, n));
		assert_string_equal(story_answer(&story, n)->text, texts[n]);
	}
	assert_null(story_answer(&story, n));
	arena_free(arena);
}

/* Caveats, the fastest, all others with their verdicts, open questions; or what replaces them. */
TEST(answers_have_one_order)
{
	assert_answer(2, (const char *const[]){"caveat", "leader", "first and more", "first again",
	                                       "first is open", NULL});
	assert_answer(3, (const char *const[]){"instead", NULL});
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

TEST(people_read_an_entry_as_its_kind_says)
{
	char text[64];
	struct entry e = column_entry(&columns[2], &rows[1]);
	entry_write(&e, text, sizeof text);
	assert_string_equal(text, "1.002 (0.998 to 1.006)");
	e.has = false;
	entry_write(&e, text, sizeof text);
	assert_string_equal(text, "-");
}
