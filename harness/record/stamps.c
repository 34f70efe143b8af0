#include "stamps.h"

#include <stdlib.h>
#include <string.h>

static const char *const keys[STAMPS] = {
    [STAMP_START] = "start_ns",
    [STAMP_ISSUED] = "issued_ns",
    [STAMP_IDLE] = "idle_ns",
    [STAMP_POLL] = "poll_ns",
    [STAMP_DEVICE_START] = "device_start_ns",
    [STAMP_DEVICE_END] = "device_end_ns",
};

const char *stamp_key(enum stamp stamp)
{
	return keys[stamp];
}

void stamps_free(struct stamps *s)
{
	free(s->values);
	free(s->rest);
	*s = (struct stamps){0};
}

/* Room for n more elements. False: out of memory. */
static bool grow(void **list, size_t *room, size_t n, size_t more, size_t each)
{
	if (n + more <= *room)
		return true;
	const size_t wanted = 2 * (n + more);
	void *grown = realloc(*list, wanted * each);
	if (!grown)
		return false;
	*list = grown;
	*room = wanted;
	return true;
}

/* --- the lists --- */

/* What is left of a line. */
struct reader {
	const char *at, *end;
	bool room; /* false: memory is out */
};

static bool is_next(struct reader *r, char c)
{
	const bool is = r->at < r->end && *r->at == c;
	r->at += is;
	return is;
}

/* At most 18 digits, which always fit. */
static bool take_number(struct reader *r, int64_t *out)
{
	const bool minus = is_next(r, '-');
	const char *first = r->at;
	int64_t value = 0;
	while (r->at < r->end && *r->at >= '0' && *r->at <= '9' && r->at - first < 19)
		value = r->at - first < 18 ? 10 * value + (*r->at++ - '0') : (r->at++, value);
	const size_t digits = (size_t)(r->at - first);
	*out = minus ? -value : value;
	return digits && digits < 19 && (*first != '0' || (digits == 1 && !minus));
}

/* One rank's; its number of rows is the first one's. */
static bool take_rows(struct reader *r, struct stamps *s)
{
	unsigned rows = 0;
	if (!is_next(r, '['))
		return false;
	do {
		void *values = s->values;
		r->room = grow(&values, &s->room, s->nvalues, 1, sizeof *s->values);
		s->values = values;
		if (!r->room || !take_number(r, &s->values[s->nvalues]))
			return false;
		s->nvalues++;
		rows++;
	} while (is_next(r, ','));
	s->rows = s->rows ? s->rows : rows;
	return rows == s->rows && is_next(r, ']');
}

static bool take_ranks(struct reader *r, struct stamps *s)
{
	unsigned nranks = 0;
	if (!is_next(r, '['))
		return false;
	do {
		if (!take_rows(r, s))
			return false;
		nranks++;
	} while (is_next(r, ','));
	s->nranks = s->nranks ? s->nranks : nranks;
	return nranks == s->nranks && is_next(r, ']');
}

/* --- the line --- */

static int find(const char *key, size_t bytes)
{
	for (int i = 0; i < STAMPS; i++)
		if (strlen(keys[i]) == bytes && !memcmp(keys[i], key, bytes))
			return i;
	return -1;
}

/* Behind a string, of which `at` is the quote that opens it. */
static const char *behind(const char *at, const char *end)
{
	for (at++; at < end && *at != '"'; at++)
		at += *at == '\\' && at + 1 < end;
	return at < end ? at + 1 : end;
}

static bool keep(struct stamps *s, const char *text, size_t bytes)
{
	void *rest = s->rest;
	const bool room = grow(&rest, &s->rest_room, s->rest_bytes, bytes, 1);
	s->rest = rest;
	if (room && bytes)
		memcpy(s->rest + s->rest_bytes, text, bytes);
	s->rest_bytes += room ? bytes : 0;
	return room;
}

/* All lists of the line's own object. False: memory is out, or a list is not as it has to be. */
static bool take_all(struct reader *r, struct stamps *s)
{
	const char *kept = r->at;
	int depth = 0;
	while (r->at < r->end) {
		const char *from = r->at;
		if (*from != '"') {
			depth += (*from == '{' || *from == '[') - (*from == '}' || *from == ']');
			r->at++;
			continue;
		}
		r->at = behind(from, r->end);
		const int key = depth == 1 ? find(from + 1, (size_t)(r->at - from) - 2) : -1;
		if (key < 0 || !is_next(r, ':') || r->at == r->end || *r->at != '[')
			continue;
		if (s->has[key])
			return false;
		s->has[key] = true;
		s->first[key] = s->nvalues;
		r->room = keep(s, kept, (size_t)(r->at - kept)) && keep(s, "[]", 2);
		if (!r->room || !take_ranks(r, s))
			return false;
		kept = r->at;
	}
	r->room = keep(s, kept, (size_t)(r->end - kept));
	return r->room;
}

bool stamps_take(struct stamps *s, const char *text, size_t bytes)
{
	struct reader r = {text, text + bytes, true};
	s->nranks = s->rows = 0;
	s->nvalues = s->rest_bytes = 0;
	memset(s->has, 0, sizeof s->has);
	if (take_all(&r, s) || !r.room)
		return r.room;
	s->nranks = s->rows = 0;
	memset(s->has, 0, sizeof s->has);
	s->rest_bytes = 0;
	return keep(s, text, bytes);
}
