/* Changes to lines of JSON that leave them JSON: bytes alone hardly ever get through the
 * parser, and never past a checksum. */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "../../harness/coll/value.h"
#include "../../harness/record/record_file.h"
#include "fuzz.h"

#define SUM_BYTES 18 /* digits, quote and brace */

struct dice {
	uint64_t state;
};

static unsigned roll(struct dice *dice, unsigned sides)
{
	dice->state = value_mix(dice->state);
	return (unsigned)(dice->state >> 32) % (sides ? sides : 1);
}

/* --- values --- */

/* Texts that are something to a terminal, a page, a shell, gnuplot, a path or the record. */
static json_t *odd_text(struct dice *dice)
{
	static const char *const texts[] = {"",
	                                    "\x1b[31m\xc2\x9b",
	                                    "<script>alert(1)</script>",
	                                    "|`a`| [b](javascript:c) ![d](e)",
	                                    "%s%n%5000d",
	                                    "'; system \"touch evil\" #",
	                                    "../../../../etc/passwd",
	                                    "\xe2\x80\xae\xf0\x9f\x92\xa9,\"\t\n",
	                                    "threads",
	                                    "threads-again",
	                                    "isolated",
	                                    "alltoallv",
	                                    "float8e4m3",
	                                    "nan",
	                                    "0x7fffffffffffffff",
	                                    "P2P/CUMEM+reg+direct"};
	unsigned i = roll(dice, sizeof texts / sizeof *texts + 1);
	char longest[700];
	if (i < sizeof texts / sizeof *texts)
		return json_string(texts[i]);
	memset(longest, 'x', sizeof longest - 1);
	longest[sizeof longest - 1] = '\0';
	return json_string(longest + roll(dice, sizeof longest));
}

static json_t *odd_value(struct dice *dice)
{
	static const json_int_t numbers[] = {
	    -1,      0,        1,         2,         3,       8,         255,
	    256,     4095,     4096,      99999,     100000,  65536,     INT_MAX,
	    INT_MIN, UINT_MAX, LLONG_MAX, LLONG_MIN, 1 << 30, 1ll << 53, 1000000000000};
	static const double reals[] = {0, -0.0, 1e-300, 1e300, 0.5, -1, 1e18};
	switch (roll(dice, 8)) {
	case 0:
		return json_null();
	case 1:
		return json_boolean(roll(dice, 2));
	case 2:
		return json_array();
	case 3:
		return json_object();
	case 4:
		return json_real(reals[roll(dice, sizeof reals / sizeof *reals)]);
	case 5:
		return odd_text(dice);
	default:
		return json_integer(numbers[roll(dice, sizeof numbers / sizeof *numbers)]);
	}
}

/* Near the present value: most checks pass, and the numbers differ. */
static json_t *near_value(struct dice *dice, const json_t *of)
{
	json_int_t n = json_integer_value(of);
	if (json_is_integer(of) && n > -(1ll << 50) && n < 1ll << 50)
		return json_integer(roll(dice, 4) ? n + (json_int_t)roll(dice, 9) - 4
		                                  : n * roll(dice, 1000));
	if (json_is_real(of))
		return json_real(json_real_value(of) * roll(dice, 100) / 10);
	if (json_is_boolean(of))
		return json_boolean(!json_is_true(of));
	return json_is_string(of) ? odd_text(dice) : odd_value(dice);
}

static const char *key_at(json_t *object, unsigned at)
{
	void *it = json_object_iter(object);
	while (at--)
		it = json_object_iter_next(object, it);
	return json_object_iter_key(it);
}

/* --- places --- */

static unsigned size_of(const json_t *in)
{
	return (unsigned)(json_is_array(in) ? json_array_size(in) : json_object_size(in));
}

static json_t *child_of(json_t *in, unsigned at)
{
	return json_is_array(in) ? json_array_get(in, at) : json_object_get(in, key_at(in, at));
}

/* A value somewhere within, borrowed. */
static json_t *somewhere(struct dice *dice, json_t *in)
{
	while (size_of(in) && roll(dice, 4))
		in = child_of(in, roll(dice, size_of(in)));
	return in;
}

static void child_set(json_t *in, unsigned at, json_t *value)
{
	if (json_is_array(in))
		json_array_set_new(in, at, value);
	else
		json_object_set_new(in, key_at(in, at), value);
}

static void child_remove(json_t *in, unsigned at)
{
	if (json_is_array(in))
		json_array_remove(in, at);
	else
		json_object_del(in, key_at(in, at));
}

/* One value of `root`: near, odd, one from elsewhere, gone, or there twice. */
static void change(struct dice *dice, json_t *root)
{
	json_t *in = root, *child;
	unsigned at = 0;
	do {
		at = roll(dice, size_of(in));
		child = child_of(in, at);
		if (!size_of(child) || !roll(dice, 3))
			break;
		in = child;
	} while (true);
	switch (roll(dice, 8)) {
	case 0:
		child_remove(in, at);
		break;
	case 1:
		child_set(in, at, odd_value(dice));
		break;
	case 2:
		child_set(in, at, json_deep_copy(somewhere(dice, root)));
		break;
	case 3:
		if (json_is_array(in))
			json_array_insert_new(in, at, json_deep_copy(child));
		else
			json_object_set_new(in, "path", json_deep_copy(child));
		break;
	default:
		child_set(in, at, near_value(dice, child));
	}
}

/* --- lines --- */

struct span {
	size_t at, bytes; /* the newline, if there is one, included */
};

static struct span line_at(const uint8_t *data, size_t bytes, size_t at)
{
	const uint8_t *before = data && at ? memrchr(data, '\n', at) : NULL;
	struct span line = {before ? (size_t)(before + 1 - data) : 0, 0};
	const uint8_t *end = memchr(data + line.at, '\n', bytes - line.at);
	line.bytes = end ? (size_t)(end + 1 - data) - line.at : bytes - line.at;
	return line;
}

/* Every line is as likely as any other, however long the first one is. */
static struct span some_line(struct dice *dice, const uint8_t *data, size_t bytes)
{
	unsigned lines = 0;
	size_t at = 0;
	for (size_t i = 0; i < bytes; i++)
		lines += data[i] == '\n';
	for (unsigned skip = roll(dice, lines); skip; skip--)
		at += line_at(data, bytes, at).bytes;
	return line_at(data, bytes, at);
}

/* Replaces a line with a text; the new length, or 0 if there is no room. */
static size_t splice(uint8_t *data, size_t bytes, size_t room, struct span line, const void *text,
                     size_t length)
{
	if (bytes - line.bytes + length > room)
		return 0;
	memmove(data + line.at + length, data + line.at + line.bytes, bytes - line.at - line.bytes);
	if (length)
		memcpy(data + line.at, text, length);
	return bytes - line.bytes + length;
}

/* A line twice, gone, or at another's place. */
static size_t change_lines(struct dice *dice, uint8_t *data, size_t bytes, size_t room)
{
	struct span from = some_line(dice, data, bytes);
	struct span to = some_line(dice, data, bytes);
	unsigned what = roll(dice, 3);
	if (what == 0)
		return splice(data, bytes, room, from, NULL, 0);
	if (what == 1)
		to.bytes = 0;
	void *copy = malloc(from.bytes);
	fuzz_promise(copy, "memory");
	memcpy(copy, data + from.at, from.bytes);
	size_t now = splice(data, bytes, room, to, copy, from.bytes);
	free(copy);
	return now;
}

static size_t change_value(struct dice *dice, uint8_t *data, size_t bytes, size_t room)
{
	struct span line = some_line(dice, data, bytes);
	json_t *json = json_loadb((const char *)data + line.at, line.bytes, 0, NULL);
	size_t now = 0;
	if (size_of(json)) {
		change(dice, json);
		char *text = json_dumps(json, JSON_COMPACT);
		bool ends = data[line.at + line.bytes - 1] == '\n';
		if (text) {
			line.bytes -= ends;
			now = splice(data, bytes, room, line, text, strlen(text));
		}
		free(text);
	}
	json_decref(json);
	return now;
}

/* Wrong checksums made right. */
static void mend(uint8_t *data, size_t bytes)
{
	char sum[SUM_BYTES + 1];
	for (size_t at = 0; at < bytes;) {
		struct span line = line_at(data, bytes, at);
		const char *text = (const char *)data + line.at;
		size_t length = line.bytes - (text[line.bytes - 1] == '\n');
		at += line.bytes;
		if (record_line_sum(text, length) != RECORD_SUM_WRONG)
			continue;
		snprintf(sum, sizeof sum, "%016" PRIx64 "\"}",
		         (uint64_t)XXH3_64bits(text, length - SUM_BYTES - 9));
		memcpy(data + line.at + length - SUM_BYTES, sum, SUM_BYTES);
	}
}

size_t fuzz_mutate_json(uint8_t *data, size_t bytes, size_t room, unsigned seed)
{
	struct dice dice = {value_mix(seed)};
	size_t now = 0;
	unsigned how = roll(&dice, 16); /* libFuzzer makes some changes, one after the other */
	if (bytes && how < 13)
		now = change_value(&dice, data, bytes, room);
	else if (bytes && how < 15)
		now = change_lines(&dice, data, bytes, room);
	if (!now)
		now = LLVMFuzzerMutate(data, bytes, room);
	if (roll(&dice, 2))
		mend(data, now);
	return now;
}
