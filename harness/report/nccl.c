#include "nccl.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "../perf_options.h"
#include "../record/member.h"
#include "../record/record_cell.h"
#include "json.h"

#define MOST_FILES 1000 /* of one name */

const char *const nccl_averages[] = {"0", "1", "2", "3", "span", "launch", NULL};
static const char *const halves[] = {"out_of_place", "in_place"};

/* --- the tables -------------------------------------------------------------------------- */

/* nccl-tests' words for ours. */
static void finish_line(json_t *line)
{
	static const char *const words[] = {"type", "redop"};
	for (unsigned i = 0; i < 2; i++) {
		const char *ours = json_string_value(json_object_get(line, words[i]));
		json_object_set_new(line, words[i], json_string(perf_word_theirs(ours)));
	}
}

json_t *nccl_tables(const struct model *m, const char *average, struct status *st)
{
	static const struct db_source query = {
	    "nccl.sql", "SELECT document FROM document ORDER BY variant, first", 1, 0};
	json_t *tables = json_keep(m->arena, json_array()), *line;
	const char *wanted = arena_text(m->arena, "SELECT '%s' average", average);
	struct db_rows *rows = model_ask(m, "wanted", wanted, "harness/report/nccl.sql", st)
	                           ? NULL
	                           : db_ask(m->db, &query, st);
	size_t i;
	while (rows && db_next(rows)) {
		json_t *table = json_loads(db_text(rows, 0), 0, NULL);
		arena_need(m->arena, !json_array_append_new(tables, table));
		json_array_foreach(json_object_get(table, "results"), i, line) finish_line(line);
	}
	return rows && !db_end(rows, st) ? tables : NULL;
}

/* --- as text ----------------------------------------------------------------------------- */

/* Two decimals, or as many fewer as the width requires. What is not a number reads nan, as in
 * nccl-tests' own output, which callers that convert the field accept. */
static void put_number(FILE *out, const json_t *number, int width)
{
	const double x = json_number_value(number);
	char text[400];
	int digits = 2;
	if (!json_is_number(number)) {
		fprintf(out, "  %*s", width, "nan");
		return;
	}
	while (snprintf(text, sizeof text, "%*.*f", width, digits, x) > width && digits > 0)
		digits--;
	if ((int)strlen(text) > width)
		snprintf(text, sizeof text, "%*.*e", width, width >= 7 ? 1 : 0, x);
	fprintf(out, "  %s", text);
}

/* The time, or that of launching, algbw, busbw, #wrong. */
static void put_half(FILE *out, const json_t *half)
{
	const json_t *us = json_object_get(half, "time"), *wrong = json_object_get(half, "nwrong");
	put_number(out, us ? us : json_object_get(half, "cpu_time"), 7);
	put_number(out, json_object_get(half, "alg_bw"), 6);
	put_number(out, json_object_get(half, "bus_bw"), 6);
	if (json_is_number(wrong))
		fprintf(out, "  %6g", json_number_value(wrong));
	else
		fprintf(out, "    N/A"); /* a column narrower, as there */
}

static void put_line(FILE *out, const json_t *line)
{
	fprintf(out, "%12" JSON_INTEGER_FORMAT "  %12" JSON_INTEGER_FORMAT "  %8s  %6s  %s",
	        json_integer_value(json_object_get(line, "size")),
	        json_integer_value(json_object_get(line, "count")), member_or_empty(line, "type"),
	        member_or_empty(line, "redop"), member_or_empty(line, "root"));
	for (unsigned i = 0; i < 2; i++)
		put_half(out, json_object_get(line, halves[i]));
	fputc('\n', out);
}

/* A line has to stay a comment: records come from anywhere. */
static void put_comments(FILE *out, const json_t *lines)
{
	const json_t *line;
	size_t i;
	json_array_foreach(lines, i, line)
	{
		for (const char *c = json_string_value(line); *c; c++)
			fputc((unsigned char)*c < ' ' || *c == 0x7F ? '_' : *c, out);
		fputc('\n', out);
	}
}

void nccl_print(const json_t *tables, FILE *out)
{
	const json_t *table, *line;
	size_t i, k;
	json_array_foreach(tables, i, table)
	{
		const json_t *bounds = json_object_get(table, "out_of_bounds");
		const json_t *busbw =
		    json_object_get(json_object_get(table, "average_bus_bandwidth"), "bandwidth");
		const json_int_t wrong = json_integer_value(json_object_get(bounds, "count"));
		const json_t *program = json_array_get(json_object_get(table, "args"), 0);
		json_array_foreach(json_object_get(table, "printed"), k, line)
		    put_comments(out, line);
		json_array_foreach(json_object_get(table, "results"), k, line) put_line(out, line);
		fprintf(out, "# Out of bounds values : %" JSON_INTEGER_FORMAT " %s\n", wrong,
		        wrong ? "FAILED" : "OK");
		if (json_is_number(busbw))
			fprintf(out, "# Avg bus bandwidth    : %g \n", json_number_value(busbw));
		else
			fprintf(out, "# Avg bus bandwidth    : nan \n");
		fprintf(out, "#\n# Collective test concluded: %s\n#\n\n",
		        json_string_value(program));
	}
}

/* --- as files ---------------------------------------------------------------------------- */

/* The first name of file, file.0, … that is free. NULL: none, with errno. */
static FILE *open_free(const char *file, char *name, size_t bytes)
{
	snprintf(name, bytes, "%s", file);
	FILE *out = fopen(name, "wxe");
	for (int i = 0; !out && errno == EEXIST && i < MOST_FILES; i++) {
		snprintf(name, bytes, "%s.%d", file, i);
		out = fopen(name, "wxe");
	}
	return out;
}

int nccl_write(const json_t *tables, const char *dir, const char *file, FILE *out,
               struct status *st)
{
	json_t *table;
	size_t i;
	json_array_foreach((json_t *)(size_t)tables, i, table)
	{
		char name[PATH_MAX];
		json_object_del(table, "printed");
		json_object_set_new(json_object_get(table, "launchgap"), "record",
		                    record_text(dir, strlen(dir)));
		FILE *to = open_free(file, name, sizeof name);
		int rc = to ? json_dumpf(table, to, JSON_COMPACT | JSON_REAL_PRECISION(12)) : -1;
		rc = (to && fclose(to)) || rc;
		if (rc)
			return status_set(st, "cannot write %s: %s", name, strerror(errno));
		fprintf(out, "# Writing JSON output to %s\n", name);
	}
	return 0;
}
