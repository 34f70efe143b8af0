/* alltoallv's counts, as they are written, printed and kept. */
#include "../harness/coll/counts.h"
#include "here.h"

static struct value_weights parsed(const char *text)
{
	struct value_weights w;
	memset(&w, 0xff, sizeof w);
	assert_works(counts_parse(text, &w, WHY));
	return w;
}

TEST(each_form_is_read)
{
	struct value_weights w = parsed("even");
	assert_int_equal(w.n, 0);
	w = parsed("skewed");
	assert_prints("1 x 16", "%u x %u", w.rows, w.n);
	for (unsigned d = 0; d < 16; d++)
		assert_int_equal(w.of[d], d);
	w = parsed(" 1 :2: 65535");
	assert_prints("1 x 3: 65535", "%u x %u: %u", w.rows, w.n, w.of[2]);
	w = parsed("0:9:1 , 1:0:1,2:0:3");
	assert_prints("3 x 3: 9 1 3", "%u x %u: %u %u %u", w.rows, w.n, w.of[1], w.of[3], w.of[8]);
}

TEST(slips_are_refused)
{
	static const char *const slips[] = {
	    "",         "1:2,",          "1,2",
	    "1:2, 3",   "1:2, 3:4, 5:6", "1:2:3, 4:5:6",
	    "1:-2",     "1:65536",       "1:2:",
	    "0:0, 0:0", "odd",           "1:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1"};
	for (unsigned i = 0; i < LENGTH(slips); i++) {
		struct value_weights w;
		assert_refused(counts_parse(slips[i], &w, WHY), "counts = '");
	}
}

/* What is the same work for these ranks is the same text. */
TEST(equal_counts_are_equal_texts)
{
	static const char *const same[][3] = {
	    {"skewed", "0:2:4:6", "0:1:2:3"},
	    {"1:1:1", "5", "even"},
	    {"2:4:6:8:1", "1:2:3:4", "1:2:3:4"},
	    {"0:2:0:2:9, 2:2:2:2:9, 0:0:0:4:9, 2:0:0:0:9, 9:9:9:9:9",
	     "0:3:0:3, 3:3:3:3, 0:0:0:6, 3:0:0:0", "0:1:0:1, 1:1:1:1, 0:0:0:2, 1:0:0:0"},
	};
	char text[COUNTS_TEXT_BYTES];
	for (unsigned i = 0; i < LENGTH(same); i++)
		for (unsigned k = 0; k < 2; k++) {
			struct value_weights w = parsed(same[i][k]);
			counts_text(&w, 4, text);
			assert_string_equal(text, same[i][2]);
		}
}

TEST(counts_have_to_fit_the_ranks)
{
	struct value_weights w = parsed("0:0:5");
	assert_int_equal(counts_check(&w, 3, WHY), 0);
	assert_refused(counts_check(&w, 2, WHY), "none of 2 ranks sends anything");
	w = parsed("0:9:1, 1:0:1, 1:9:0");
	assert_int_equal(counts_check(&w, 2, WHY), 0);
	assert_refused(counts_check(&w, 4, WHY), "rows for 3 ranks, and there are 4");
	w = parsed("skewed");
	assert_int_equal(counts_check(&w, 1, WHY), 0);
}

/* A file as nccl-tests reads it: bytes, which are brought to scale. */
TEST_WITH(a_file_is_read, set_up, tear_down)
{
	struct value_weights w;
	char *path = test_text("%s/matrix", folder);
	static const char *const good[][2] = {
	    {"  0 9\t1 \n\n1 0 1\r\n1 9 0", "0:9:1, 1:0:1, 1:9:0"},
	    {"0 33554432\n16777216 16\n", "0:65535, 32768:1"},
	    {"0.5 0.25\n0 0\n", "65535:32768, 0:0"}};
	for (unsigned i = 0; i < LENGTH(good); i++) {
		cli_write(folder, "matrix", good[i][0]);
		w = parsed(path);
		const struct value_weights same = parsed(good[i][1]);
		assert_memory_equal(&w, &same, sizeof w);
	}
	static const char *const bad[] = {
	    "",           "1 2\n",     "1 2\n3\n",   "1 2\n3 4\n5 6\n",
	    "1 x\n2 3\n", "-1 2\n3 4", "0 0\n0 0\n", "inf 1\n1 1\n"};
	for (unsigned i = 0; i < LENGTH(bad); i++) {
		cli_write(folder, "matrix", bad[i]);
		assert_refused(counts_parse(path, &w, WHY), "not a matrix of counts");
	}
	assert_refused(counts_parse("./there/is/none", &w, WHY), "cannot read");
}

TEST(other_json_is_refused)
{
	static const char *const bad[] = {
	    "{}",        "[1, \"2\"]",      "[-1]", "[65536]", "[[1,2]]",
	    "[[1],[2]]", "[[1,2],[3,4,5]]", "[[]]"};
	for (unsigned i = 0; i < LENGTH(bad); i++) {
		struct value_weights w;
		json_t *json = json_loads(bad[i], 0, NULL);
		assert_non_null(json);
		assert_int_equal(counts_from_json(json, &w, WHY), -1);
		json_decref(json);
	}
}
