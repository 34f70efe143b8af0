/* For github-action-benchmark: [{"name", "unit", "value", "range", "extra"}], an array for what is
 * better the bigger it is, and one for what is better the smaller it is. */
#include <jansson.h>
#include <math.h>

#include "../chapters/run.h"
#include "../story/format.h"
#include "export.h"
#include "json.h"

/* The name finds the same cell of the next run again: it has nothing that a run changes. */
static const char *name_of(const struct model *m, const struct summary_row *row)
{
	return arena_text(m->arena, "%s: %s, %s of %s, %s", run_text(&m->run, "experiment"),
	                  m->analysis->s->variants[row->variant].name,
	                  coll_word(&row->cell, row->nranks).text,
	                  format_size(row->cell.asked_bytes).text, coll_pace_name(row->cell.pace));
}

static const char *extra_of(const struct model *m, const struct summary_row *row)
{
	const struct summary_variant *v = &m->analysis->s->variants[row->variant];
	char machine[512];
	run_machine(m->analysis->s, machine, sizeof machine);
	return arena_text(m->arena,
	                  "median of %u block%s; range: quartiles\n%s; %u ranks; backend %s%s%s\n"
	                  "launchgap %s, %s",
	                  row->ntrials, format_plural(row->ntrials), machine, row->nranks,
	                  v->backend, *v->library ? ", library " : "", v->library,
	                  run_text(&m->run, "launchgap"), run_text(&m->run, "created"));
}

static void add(const struct model *m, json_t *list, const struct summary_row *row,
                const char *unit, struct stats_interval x)
{
	const char *range = isfinite(x.lo) && isfinite(x.hi)
	                        ? arena_text(m->arena, "%s to %s", format_number(x.lo).text,
	                                     format_number(x.hi).text)
	                        : NULL;
	json_array_append_new(list, json_pack("{s:s, s:s, s:f, s:s*, s:s}", "name", name_of(m, row),
	                                      "unit", unit, "value", x.estimate, "range", range,
	                                      "extra", extra_of(m, row)));
}

typedef struct stats_interval figure_fn(const struct summary_row *row);

static void write(const struct model *m, const char *unit, figure_fn *of, FILE *out)
{
	const struct summary *s = m->analysis->s;
	json_t *list = json_keep(m->arena, json_array());
	arena_need(m->arena, list);
	for (unsigned i = 0; i < s->nrows && !s->trouble.kind; i++) {
		const struct stats_interval x = of(&s->rows[i]);
		if (isfinite(x.estimate) && summary_is_asked(s, s->rows[i].variant))
			add(m, list, &s->rows[i], unit, x);
	}
	json_dumpf(list, out, JSON_INDENT(1) | JSON_REAL_PRECISION(6));
	fputc('\n', out);
	arena_undo(m->arena, list);
}

static struct stats_interval time_of(const struct summary_row *row)
{
	return (struct stats_interval){row->time_us, row->time_us_lo, row->time_us_hi};
}

static struct stats_interval bandwidth_of(const struct summary_row *row)
{
	return row->cell.pace == PACE_STREAM ? summary_busbw(row) : STATS_NO_INTERVAL;
}

void benchmark_write_bandwidths(const struct model *m, FILE *out)
{
	write(m, "GB/s", bandwidth_of, out);
}

void benchmark_write_times(const struct model *m, FILE *out)
{
	write(m, "µs", time_of, out);
}
