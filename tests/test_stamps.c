/* Stamps read from a line's text are those that its JSON has, and the rest of the line is the same JSON,
 * or none just as the line is: lines that are right, and such with a few bytes changed. */
#include <jansson.h>

#include "../harness/record/stamps.h"
#include "test.h"

static struct stamps stamps;

static void compare_lists(const json_t *ranks, enum stamp stamp)
{
	assert_int_equal(json_array_size(ranks), stamps.nranks);
	for (unsigned r = 0; r < stamps.nranks; r++) {
		const json_t *rows = json_array_get(ranks, r);
		assert_int_equal(json_array_size(rows), stamps.rows);
		for (unsigned i = 0; i < stamps.rows; i++) {
			assert_true(json_is_integer(json_array_get(rows, i)));
			assert_true(json_integer_value(json_array_get(rows, i)) ==
			            stamps.values[stamps.first[stamp] + r * stamps.rows + i]);
		}
	}
}

/* Whether stamps were read. */
static bool compare(const char *text, size_t bytes)
{
	assert_true(stamps_take(&stamps, text, bytes));
	json_t *whole = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, NULL),
	       *rest = json_loadb(stamps.rest, stamps.rest_bytes, JSON_REJECT_DUPLICATES, NULL);
	if (!whole != !rest)
		fail_msg("%.*s", (int)bytes, text);
	for (unsigned i = 0; i < STAMPS && whole; i++) {
		if (!stamps.has[i])
			continue;
		compare_lists(json_object_get(whole, stamp_key(i)), i);
		json_object_set_new(whole, stamp_key(i), json_array());
	}
	assert_true(!whole || json_equal(whole, rest));
	json_decref(whole);
	json_decref(rest);
	return stamps.nranks > 0;
}

TEST(they_are_those_of_the_json)
{
	static const struct {
		const char *line;
		bool read;
	} cases[] = {
	    {"{\"start_ns\":[[10,-110],[11,0]],\"poll_ns\":[[1,2],[3,999999999999999999]]}", true},
	    {"{\"device_end_ns\":null,\"idle_ns\":[[1]]}", true},
	    {"{\"x\":{\"start_ns\":[[1]]},\"y\":[{\"idle_ns\":[[1]]}]}", false},
	    {"{\"x\":\"\\\\\",\"y\":\"\\\"start_ns\\\":[[1]],{\"}", false},
	    {"{\"start_ns\" :[[1]]}", false},
	    {"{\"start_ns\":[ [1]]}", false},
	    {"{\"start\\u005fns\":[[1]]}", false},
	    {"{\"start_ns\":[[1],[2,3]]}", false},
	    {"{\"start_ns\":[[1]],\"idle_ns\":[[1],[2]]}", false},
	    {"{\"start_ns\":[[]]}", false},
	    {"{\"start_ns\":[[1.5]]}", false},
	    {"{\"start_ns\":[[01]]}", false},
	    {"{\"start_ns\":[[1000000000000000000]]}", false},
	    {"{\"start_ns\":[[1]],\"start_ns\":[[1]]}", false},
	    {"{\"start_ns\":[[1]],\"start\\u005fns\":[[1]]}", true},
	    {"{\"start_ns\":[[1]]]}", true},
	    {"{\"start_ns", false},
	    {"", false},
	};
	for (unsigned i = 0; i < LENGTH(cases); i++)
		if (compare(cases[i].line, strlen(cases[i].line)) != cases[i].read)
			fail_msg("%s", cases[i].line);
	stamps_free(&stamps);
}

#define CHANGES 3

TEST(changed_lines_are_read_as_json_reads_them)
{
	static const char line[] =
	    "{\"x\":{\"start_ns\":[[1,2]]},\"s\":\"a\\\"start_ns\\\":[[1]]\","
	    "\"start_ns\":[[10,-110],[11,0]],\"issued_ns\":[[1,2],[3,4]],"
	    "\"device_end_ns\":null,\"idle_ns\":[[5,6],[7,8]],\"z\":[1,{}]}";
	static const char marks[] = "\"\\[]{},:-0123 startns_";
	unsigned read = 0;
	srand(7);
	for (unsigned round = 0; round < 30000; round++) {
		char text[sizeof line + CHANGES];
		size_t n = strlen(line);
		memcpy(text, line, n);
		for (unsigned k = 0; k < round % (CHANGES + 1); k++) {
			const size_t at = (size_t)rand() % n;
			const unsigned how = (unsigned)rand() % 3;
			memmove(text + at + (how == 1), text + at + (how == 2),
			        n - at - (how == 2));
			n = n + (how == 1) - (how == 2);
			if (how < 2)
				text[at] = marks[(size_t)rand() % (sizeof marks - 1)];
		}
		read += compare(text, n);
	}
	assert_in_range(read, 10000, 29999);
	stamps_free(&stamps);
}

TESTS();
