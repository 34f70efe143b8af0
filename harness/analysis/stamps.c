#include "stamps.h"

#include <math.h>
#include <sqlite3.h>

#include "timing.h"

/* NULL: nothing was measured there. */
static const struct record_cell *cell_of(sqlite3_context *context, sqlite3_value *value)
{
	const struct record_run *run = sqlite3_user_data(context);
	const int64_t i = sqlite3_value_int64(value);
	const struct record_cell *c = i >= 0 && i < run->ncells ? &run->cells[i] : NULL;
	return c && c->samples && !c->error[0] ? c : NULL;
}

static void finish(sqlite3_context *context, sqlite3_str *list)
{
	sqlite3_str_appendall(list, "]");
	sqlite3_result_text(context, sqlite3_str_finish(list), -1, sqlite3_free);
}

static void calls(sqlite3_context *context, int n, sqlite3_value **values)
{
	const struct record_cell *c = cell_of(context, values[0]);
	(void)n;
	if (!c)
		return;
	const struct timing_view view = {c->nranks, c->rows, c->calls, c->samples};
	sqlite3_str *list = sqlite3_str_new(NULL);
	for (unsigned i = 0; i < c->rows; i++)
		sqlite3_str_appendf(list, "%s%!.17g", i ? "," : "[", timing_row_ns(&view, i));
	finish(context, list);
}

/* null: there is none. */
static void add_error(sqlite3_str *list, const struct record_cell *c)
{
	double most = NAN;
	size_t i;
	json_t *value;
	json_array_foreach(json_object_get(c->json, "clock_residual_ns"), i, value)
	{
		if (json_is_number(value))
			most = fmax(most, fabs(json_number_value(value)));
	}
	if (isnan(most) || !c->device_clock)
		sqlite3_str_appendall(list, ",null]");
	else
		sqlite3_str_appendf(list, ",%!.17g]", most);
}

static void stamps(sqlite3_context *context, int n, sqlite3_value **values)
{
	const struct record_cell *c = cell_of(context, values[0]);
	const int64_t row = sqlite3_value_int64(values[1]);
	int64_t from = INT64_MAX;
	(void)n;
	if (!c || row < 0 || row >= c->rows)
		return;
	for (unsigned r = 0; r < c->nranks; r++) {
		const int64_t start = c->samples[(size_t)r * c->rows + row].start_ns;
		from = start < from ? start : from;
	}
	sqlite3_str *list = sqlite3_str_new(NULL);
	for (unsigned r = 0; r < c->nranks; r++) {
		const struct sample *s = &c->samples[(size_t)r * c->rows + row];
		sqlite3_str_appendf(
		    list, "%s[%lld,%lld,%lld", r ? "," : "[", (long long)(s->start_ns - from),
		    (long long)(s->issued_ns - from), (long long)(s->idle_ns - from));
		if (c->device_clock)
			sqlite3_str_appendf(list, ",%lld,%lld",
			                    (long long)(s->device_start_ns - from),
			                    (long long)(s->device_end_ns - from));
		else
			sqlite3_str_appendall(list, ",null,null");
		add_error(list, c);
	}
	finish(context, list);
}

bool stamps_add(struct sqlite3 *lite, const struct record_run *run)
{
	const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC;
	void *of = (void *)(uintptr_t)run;
	return !sqlite3_create_function(lite, "calls", 1, flags, of, calls, NULL, NULL) &&
	       !sqlite3_create_function(lite, "stamps", 2, flags, of, stamps, NULL, NULL);
}
