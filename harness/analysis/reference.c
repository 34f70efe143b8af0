#include "reference.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats.h"

enum column {
	GPU,
	LAYOUT,
	WHAT,
	SETTINGS,
	BYTES,
	LIBRARY,
	CREATED,
	RECORD,
	BOOT,
	LINK,
	DATA_PATH,
	BLOCKS,
	GBS,
	LEAST,
	MOST,
	COLUMNS
};

/* The line's cells, cut in place. */
static bool cut(char *line, char *cell[COLUMNS])
{
	for (unsigned i = 0; i < COLUMNS; i++) {
		cell[i] = line;
		char *end = strchr(line, ',');
		if (!end != (i == COLUMNS - 1))
			return false;
		if (end) {
			*end = '\0';
			line = end + 1;
		}
		/* Within a cell a semicolon stands for a comma. */
		for (char *at = cell[i]; (at = strchr(at, ';'));)
			*at = ',';
	}
	return true;
}

struct reference_table reference_read(const char *text, struct arena *arena)
{
	struct reference_table table = {NULL, 0};
	char *cell[COLUMNS];
	while (*text) {
		const size_t n = strcspn(text, "\n");
		char *line = ARENA_ARRAY(arena, char, n + 1);
		memcpy(line, text, n);
		text += n + (text[n] == '\n');
		if (!cut(line, cell) || !(strtod(cell[GBS], NULL) > 0))
			continue;
		table.rows = arena_more(arena, table.rows, table.n, sizeof *table.rows);
		table.rows[table.n++] =
		    (struct reference_row){.key = {.gpu = cell[GPU],
		                                   .layout = cell[LAYOUT],
		                                   .what = cell[WHAT],
		                                   .settings = cell[SETTINGS],
		                                   .bytes = strtoull(cell[BYTES], NULL, 10),
		                                   .library = cell[LIBRARY],
		                                   .data_path = cell[DATA_PATH],
		                                   .created = cell[CREATED]},
		                           .record = cell[RECORD],
		                           .boot = cell[BOOT],
		                           .link = cell[LINK],
		                           .blocks = (unsigned)strtoul(cell[BLOCKS], NULL, 10),
		                           .gbs = strtod(cell[GBS], NULL),
		                           .least = strtod(cell[LEAST], NULL),
		                           .most = strtod(cell[MOST], NULL)};
	}
	return table;
}

/* 2.28.3 as 22803; 0: not known. */
static int number_of(const char *library)
{
	unsigned major = 0, minor = 0, patch = 0;
	sscanf(library, "%2u.%2u.%2u", &major, &minor, &patch);
	return (int)(major * 10000 + minor * 100 + patch);
}

static bool fits(const struct reference_row *row, const struct reference_key *key)
{
	const bool cell = row->key.bytes == key->bytes && !strcmp(row->key.what, key->what) &&
	                  !strcmp(row->key.layout, key->layout) &&
	                  !strcmp(row->key.gpu, key->gpu) &&
	                  !strcmp(row->key.settings, key->settings) &&
	                  strcmp(row->key.created, key->created) != 0;
	return cell && (!strcmp(row->key.library, key->library) || !*key->data_path ||
	                !*row->key.data_path || !strcmp(row->key.data_path, key->data_path));
}

/* The version of the rows that fit which is nearest to the run's; of two the newer. */
static const char *nearest(const struct reference_table *table, const struct reference_key *key)
{
	const int own = number_of(key->library);
	const char *best = NULL;
	int least = INT_MAX;
	for (unsigned i = 0; i < table->n; i++) {
		const struct reference_row *row = &table->rows[i];
		const int other = number_of(row->key.library), far = abs(other - own);
		if (!fits(row, key) || !other || far > least ||
		    (far == least && other <= number_of(best)))
			continue;
		best = row->key.library;
		least = far;
	}
	return best;
}

/* Of one record a cell may be there in two variants that do not differ: the first counts. */
static unsigned take(const struct reference_table *table, const struct reference_key *key,
                     const char *library, const struct reference_row **out)
{
	unsigned n = 0;
	for (unsigned i = 0; i < table->n; i++) {
		const struct reference_row *row = &table->rows[i];
		bool known = !fits(row, key) || strcmp(row->key.library, library);
		for (unsigned k = 0; k < n && !known; k++)
			known = !strcmp(out[k]->key.created, row->key.created);
		if (!known)
			out[n++] = row;
	}
	return n;
}

/* By how much two records of one cell differ at most, among sizes that are large as the key's is, or
 * not; NaN: no cell has two. */
static double spread_of(const struct reference_table *table, const struct reference_key *of)
{
	const bool large = of->bytes >= REFERENCE_LARGE;
	double most = NAN;
	for (unsigned i = 0; i < table->n; i++) {
		const struct reference_row *a = &table->rows[i];
		if (strcmp(a->key.gpu, of->gpu) || !strcmp(a->key.created, of->created) ||
		    (a->key.bytes >= REFERENCE_LARGE) != large)
			continue;
		for (unsigned k = 0; k < table->n; k++) {
			const struct reference_row *b = &table->rows[k];
			if (fits(b, &a->key) && !strcmp(a->key.library, b->key.library) &&
			    strcmp(b->key.created, of->created) != 0)
				most = fmax(isnan(most) ? 0 : most, a->gbs / b->gbs - 1);
		}
	}
	return most;
}

static void set_range(const struct reference_table *table, const struct reference_key *key,
                      const struct reference_row **rows, struct reference *out)
{
	const unsigned n = out->records;
	double sum = 0, squares = 0;
	for (unsigned i = 0; i < n; i++)
		sum += log(rows[i]->gbs);
	out->gbs = exp(sum / n);
	for (unsigned i = 0; i < n; i++)
		squares += pow(log(rows[i]->gbs) - sum / n, 2);
	out->predicted = n >= REFERENCE_RECORDS;
	out->spread = spread_of(table, key);
	const double half = out->predicted ? stats_student_quantile(0.025, n - 1) *
	                                         sqrt(1 + 1.0 / n) * sqrt(squares / (n - 1))
	                                   : log1p(isnan(out->spread) ? 0 : out->spread);
	out->lo = out->gbs * exp(-half);
	out->hi = out->gbs * exp(half);
}

struct reference reference_find(const struct reference_table *table,
                                const struct reference_key *key, struct arena *arena)
{
	struct reference out = {.link = "", .data_path = "", .least = INFINITY};
	const struct reference_row **rows =
	    ARENA_ARRAY(arena, const struct reference_row *, (size_t)table->n + 1);
	char names[1024] = "";
	out.library = nearest(table, key);
	if (!out.library)
		return out;
	out.records = take(table, key, out.library, rows);
	for (unsigned i = 0; i < out.records; i++) {
		bool known = false;
		for (unsigned k = 0; k < i; k++)
			known = known || !strcmp(rows[k]->boot, rows[i]->boot);
		out.boots += !known;
		out.least = fmin(out.least, rows[i]->least);
		out.most = fmax(out.most, rows[i]->most);
		out.link = *rows[i]->link ? rows[i]->link : out.link;
		out.data_path = *rows[i]->key.data_path ? rows[i]->key.data_path : out.data_path;
		status_list(names, sizeof names, rows[i]->record);
	}
	out.names = arena_copy(arena, names);
	set_range(table, key, rows, &out);
	return out;
}
