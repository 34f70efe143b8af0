/* How the run went, and how far its results can be trusted: the tables cell_rows, making, went,
 * session. */
#include <math.h>

#include "../analysis/sessions.h"
#include "../config/plan.h"
#include "figures.h"
#include "run.h"

static void put_rows(const struct figures *f, unsigned cell)
{
	const struct arena_mark mark = arena_mark(f->arena);
	const struct record_cell *c = &f->s->run->cells[cell];
	const struct timing_view view = {c->nranks, c->rows, c->calls, c->samples};
	double *logs = ARENA_ARRAY(f->arena, double, c->rows + 1);
	int64_t until_ns = 0;
	for (unsigned i = 0; i < c->rows; i++)
		logs[i] = log(timing_row_ns(&view, i));
	for (unsigned r = 1; r <= c->nranks; r++) {
		const int64_t idle_ns = c->samples[(size_t)r * c->rows - 1].idle_ns;
		until_ns = idle_ns > until_ns ? idle_ns : until_ns;
	}
	const double log = stats_median(logs, c->rows), wide = stats_quantile(logs, c->rows, 0.75) -
	                                                       stats_quantile(logs, c->rows, 0.25);
	db_add(f->db, "cell_rows", "iddd", cell, isfinite(log) ? log : NAN, wide / 1.349,
	       (double)until_ns);
	arena_release(f->arena, mark);
}

static void put_scatter(const struct figures *f)
{
	for (unsigned i = 0; i < f->s->run->ncells; i++)
		if (index_counts(&f->s->run->cells[i]))
			put_rows(f, i);
	for (unsigned v = 0; v < f->s->nvariants; v++) {
		const struct backend_traits *of = f->s->variants[v].traits;
		db_add(f->db, "making", "iiddd", v, of->connects,
		       of->gpus ? COST_DEVICE_START_S : COST_CORE_START_S,
		       of->gpus ? COST_CONNECT_S : 0.0, of->gpus ? COST_ALLOCATE_S : 0.0);
	}
}

static void put_went(const struct figures *f)
{
	const struct summary *s = f->s;
	const struct record_run *run = s->run;
	db_add(f->db, "went", "iiiliittttiiii", run->nlines, run->unsummed, run->torn,
	       (int64_t)record_blocks_asked(run), record_begun(run), record_block_trials(run),
	       run->end.reason, run->end.text, run->folder, run_command(s, f->arena),
	       record_next_block(run), s->ncores, s->oversubscribed, s->loaded);
	for (unsigned i = 0; i < run->nresumes; i++) {
		const struct record_resume *r = &run->resumes[i];
		struct session_pause p = {.pause_s = NAN};
		const bool paused = session_paused(run, i, &p);
		db_add(f->db, "session", "tttjjiiiidi", r->json ? r->created : NULL,
		       r->json ? r->launchgap : NULL,
		       json_string_value(json_object_get(r->machine, "boot")), r->command,
		       json_object_get(r->json, "counters"), looks_adds(run, i), r->first_block,
		       paused ? p.begun : DB_NONE, paused ? p.trials : DB_NONE, p.pause_s, p.far);
	}
}

void figures_of_trust(const struct figures *f)
{
	put_scatter(f);
	put_went(f);
}
