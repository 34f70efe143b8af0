#include "counts.h"

#include <float.h>
#include <math.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "../sanitize.h"

#define COUNTS_MAX_BYTES (1 << 20) /* of a file, many times the largest matrix */

/* How rows of numbers are written: between two, after a row, in one; the most that it may be. */
struct form {
	const char *between, *after, *digits;
	double most;
};
static const struct form in_key = {":", ",", "0123456789 \t", UINT16_MAX},
                         in_file = {" \t\r", "\n", "0123456789.eE+-", DBL_MAX};

/* Returns their number, or -1. */
static int row_parse(char *row, const struct form *form, double to[VALUE_MAX_WEIGHTS])
{
	int n = 0;
	for (char *word; (word = strsep(&row, form->between));) {
		char *end;
		if (form == &in_file && !*word) /* several blanks */
			continue;
		to[n] = strtod(word, &end);
		if (end == word || word[strspn(word, form->digits)] || end[strspn(end, " \t")] ||
		    !(to[n] >= 0 && to[n] <= form->most) || ++n == VALUE_MAX_WEIGHTS + 1)
			return -1;
	}
	return n;
}

/* Rows of equal length, as many as that length, or one in a key; a file may have empty ones.
 * Returns 0, or the wrong one. */
static unsigned rows_parse(char *text, const struct form *form, double of[],
                           struct value_weights *w)
{
	unsigned at = 0, last = 1;
	for (char *line; (line = strsep(&text, form->after));) {
		double row[VALUE_MAX_WEIGHTS + 1];
		const int n = row_parse(line, form, row);
		at++;
		if (n == 0 && form == &in_file)
			continue;
		last = at;
		if (n <= 0 || w->rows == VALUE_MAX_WEIGHTS || (w->rows && (unsigned)n != w->n))
			return at;
		w->n = (unsigned)n;
		memcpy(&of[w->rows++ * w->n], row, w->n * sizeof *row);
	}
	return w->rows && (w->rows == w->n || (w->rows == 1 && form == &in_key)) ? 0 : last;
}

/* To whole numbers, of which one is the largest, if they are not small ones already. */
static void scale(const double of[], struct value_weights *w)
{
	double most = 0;
	bool whole = true;
	for (unsigned i = 0; i < w->rows * w->n; i++) {
		most = fmax(most, of[i]);
		whole = whole && of[i] == floor(of[i]);
	}
	double by = whole && most <= UINT16_MAX ? 1 : UINT16_MAX / most;
	for (unsigned i = 0; i < w->rows * w->n; i++)
		w->of[i] = of[i] > 0 ? (uint16_t)fmax(1, round(of[i] * by)) : 0;
}

/* Takes the text. Returns 0, or the row that is wrong, 1 if all are 0. */
static unsigned weights_parse(char *text, const struct form *form, struct value_weights *w)
{
	double of[VALUE_MAX_WEIGHTS * VALUE_MAX_WEIGHTS];
	const unsigned wrong = text ? rows_parse(text, form, of, w) : 1;
	bool some = false;
	free(text);
	if (wrong)
		return wrong;
	scale(of, w);
	for (unsigned i = 0; i < w->rows * w->n; i++)
		some = some || w->of[i];
	return some ? 0 : 1;
}

static int counts_read(const char *path, struct value_weights *w, struct status *st)
{
	const char *why;
	char *text = NULL;
	size_t bytes = 0;
	FILE *in = sanitize_stream(path, COUNTS_MAX_BYTES, &why);
	if (!in)
		return status_set(st, "counts: cannot read %s: %s", path, why);
	const ssize_t n = getdelim(&text, &bytes, '\0', in);
	fclose(in);
	if (n < 0)
		*text = '\0';
	const unsigned wrong = weights_parse(text, &in_file, w);
	return wrong ? status_set(st,
	                          "%s:%u: not a matrix of counts: allowed is a line for each of at "
	                          "most %d ranks, with as many numbers from 0 on and spaces "
	                          "between, not all of them 0",
	                          path, wrong, VALUE_MAX_WEIGHTS)
	             : 0;
}

int counts_parse(const char *text, struct value_weights *out, struct status *st)
{
	struct value_weights w = {0};
	if (strchr(text, '/')) {
		if (counts_read(text, &w, st))
			return -1;
	} else if (!strcmp(text, "skewed")) {
		w.rows = 1;
		for (w.n = 0; w.n < VALUE_MAX_WEIGHTS; w.n++)
			w.of[w.n] = (uint16_t)w.n;
	} else if (strcmp(text, "even") && weights_parse(strdup(text), &in_key, &w)) {
		return status_set(
		    st,
		    "counts = '%s' is not allowed; allowed is even, skewed, at most %d weights "
		    "from 0 to %d by distance, as in 1:2:4, or a row of weights for each of at "
		    "most %d ranks, as in 0:9:1, 1:0:1, 1:9:0, or a file of such rows, whose path "
		    "has a slash; not all of them 0",
		    text, VALUE_MAX_WEIGHTS, UINT16_MAX, VALUE_MAX_WEIGHTS);
	}
	*out = w;
	return 0;
}

int counts_check(const struct value_weights *w, unsigned nranks, struct status *st)
{
	struct value_parts parts = value_parts(w, nranks, 0, DTYPE_INT8);
	if (w->rows > 1 && w->rows < nranks)
		return status_set(st, "counts has rows for %u ranks, and there are %u", w->rows,
		                  nranks);
	if (w->n && !parts.weights.n && nranks > 1)
		return status_set(st, "counts: none of %u ranks sends anything", nranks);
	return 0;
}

static unsigned divisor(unsigned a, unsigned b)
{
	return b ? divisor(b, a % b) : a;
}

/* For the first ranks alone, divided by their common divisor; n is 0 if all are equal. */
static struct value_weights reduced(const struct value_weights *w, unsigned nranks)
{
	struct value_weights r = {.n = w->n < nranks ? w->n : nranks};
	unsigned by = 0;
	bool even = true;
	r.rows = w->rows > 1 ? r.n : w->rows;
	for (unsigned i = 0; i < r.rows * r.n; i++) {
		r.of[i] = w->of[i / r.n * w->n + i % r.n];
		by = divisor(r.of[i], by);
		even = even && r.of[i] == r.of[0];
	}
	if (even || !by)
		return (struct value_weights){0};
	for (unsigned i = 0; i < r.rows * r.n; i++)
		r.of[i] = (uint16_t)(r.of[i] / by);
	return r;
}

void counts_text(const struct value_weights *weights, unsigned nranks, char text[COUNTS_TEXT_BYTES])
{
	const struct value_weights w = reduced(weights, nranks);
	size_t used = (size_t)snprintf(text, COUNTS_TEXT_BYTES, "%s", w.n ? "" : "even");
	for (unsigned i = 0; i < w.rows * w.n && used < COUNTS_TEXT_BYTES; i++) {
		const char *before = i == 0 ? "" : i % w.n ? ":" : ", ";
		used += (size_t)snprintf(text + used, COUNTS_TEXT_BYTES - used, "%s%u", before,
		                         (unsigned)w.of[i]);
	}
	if (used >= COUNTS_TEXT_BYTES)
		snprintf(text, COUNTS_TEXT_BYTES, "%u x %u weights, %016llx", w.rows, w.n,
		         (unsigned long long)XXH3_64bits(w.of, w.rows * w.n * sizeof w.of[0]));
}

static json_t *row_to_json(const struct value_weights *w, unsigned row)
{
	json_t *list = json_array();
	for (unsigned i = 0; i < w->n; i++)
		json_array_append_new(list, json_integer(w->of[row * w->n + i]));
	return list;
}

json_t *counts_to_json(const struct value_weights *w)
{
	if (w->rows <= 1)
		return row_to_json(w, 0);
	json_t *rows = json_array();
	for (unsigned r = 0; r < w->rows; r++)
		json_array_append_new(rows, row_to_json(w, r));
	return rows;
}

static bool row_from_json(const json_t *list, struct value_weights *w)
{
	const size_t n = json_array_size(list);
	if (!json_is_array(list) || n > VALUE_MAX_WEIGHTS || (w->rows && n != w->n))
		return false;
	w->n = (unsigned)n;
	for (unsigned i = 0; i < n; i++) {
		const json_t *weight = json_array_get(list, i);
		const json_int_t of = json_integer_value(weight);
		if (!json_is_integer(weight) || of < 0 || of > UINT16_MAX)
			return false;
		w->of[w->rows * n + i] = (uint16_t)of;
	}
	w->rows += n > 0;
	return true;
}

int counts_from_json(const json_t *json, struct value_weights *out, struct status *st)
{
	struct value_weights w = {0};
	const bool square = json_is_array(json_array_get(json, 0));
	const size_t rows = json_array_size(json);
	bool well =
	    square ? rows == json_array_size(json_array_get(json, 0)) : row_from_json(json, &w);
	for (size_t r = 0; well && square && r < rows; r++)
		well = row_from_json(json_array_get(json, r), &w);
	if (!well)
		return status_set(st, "counts are not a list of weights, nor a square of them");
	*out = w;
	return 0;
}
