/* How the run went, and how far its results can be trusted: the tables cell_rows, making, went,
 * session. */

#include "../analysis/cells.h"
#include "../analysis/looks.h"
#include "../analysis/stats.h"
#include "../config/plan.h"
#include "figures.h"
#include "run.h"

static void put_rows(const struct figures *f, unsigned cell)
{
	const struct arena_mark mark = arena_mark(f->arena);
	const struct record_cell *c = &f->run->cells[cell];
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
	const struct cells_own own = cells_own_of(f->arena, c);
	db_add(f->db, "cell_rows", "iddddddddd", cell, isfinite(log) ? log : NAN, wide / 1.349,
	       (double)until_ns, own.workers.rank0_ns, own.workers.mean_ns, own.workers.min_ns,
	       own.workers.max_ns, own.early, own.step_ns);
	arena_release(f->arena, mark);
}

static void put_scatter(const struct figures *f)
{
	for (unsigned i = 0; i < f->run->ncells; i++)
		if (!f->run->cells[i].error[0] && f->run->cells[i].cell.pass == PASS_TIMED)
			put_rows(f, i);
	for (unsigned v = 0; v < f->run->nvariants; v++) {
		const struct backend_traits *of = record_traits(f->run, f->run->variants[v].name);
		db_add(f->db, "making", "iiddd", v, of->connects,
		       of->gpus ? COST_DEVICE_START_S : COST_CORE_START_S,
		       of->gpus ? COST_CONNECT_S : 0.0, of->gpus ? COST_ALLOCATE_S : 0.0);
	}
}

static void put_went(const struct figures *f)
{
	const struct record_run *run = f->run;
	const json_t *machine = json_object_get(run->environment, "machine");
	const unsigned cores = (unsigned)json_integer_value(json_object_get(machine, "cores"));
	const double load = json_number_value(json_object_get(machine, "load1")),
	             ranks = figures_number(f, "SELECT max(ranks) FROM place");
	db_add(f->db, "went", "iiiliittttdiiii", run->nlines, run->unsummed, run->torn,
	       (int64_t)record_blocks_asked(run), record_begun(run), record_block_trials(run),
	       run->end.reason, run->end.text, run->folder, (const char *)NULL, NAN,
	       record_next_block(run), cores, ranks > 0 && run_shares_cores(run, (unsigned)ranks),
	       cores && load > 1 && load > 0.1 * cores);
	for (unsigned i = 0; i < run->nresumes; i++) {
		const struct record_resume *r = &run->resumes[i];
		const unsigned trials = record_block_trials(run);
		const bool paused = r->begun && r->begun < trials;
		db_add(f->db, "session", "ttttjjiiiidi", r->json ? r->created : NULL,
		       r->json ? r->launchgap : NULL,
		       json_string_value(json_object_get(r->machine, "host")),
		       json_string_value(json_object_get(r->machine, "boot")), r->command,
		       json_object_get(r->json, "counters"), looks_adds(run, i), r->first_block,
		       paused ? r->begun : DB_NONE, paused ? trials : DB_NONE, NAN, 0);
	}
}

void figures_of_trust(const struct figures *f)
{
	put_scatter(f);
	put_went(f);
}
