/* True and false findings of a search, over many made-up machines: the tables in SIMULATED.md.
 * Fixed seeds. */
#include "searched.h"

#ifndef REPEATS
#define REPEATS 200
#endif
#define MARGIN 0.02

static const struct machine {
	const char *name;
	searched_gain_fn *gain;
	struct search_set best; /* for the last cell; 0 where nothing is */
} machines[] = {
    {"nothing", searched_nothing, {{0}}},
    {"pair", searched_pair, {.level = {2, 3}}},
    {"bottleneck", searched_bottleneck, {.level = {3, 0, 0, 0, 0, 0, 0, 1}}},
};

struct counted {
	unsigned trials, found, confirmed, wrong, needless, all, loses;
	double told;
};

/* Settings of a finalist that do nothing in any cell. */
static unsigned needless(const struct machine *m, const struct search_set *set)
{
	unsigned n = 0;
	for (unsigned k = 0; k < SEARCHED_KEYS; k++) {
		struct search_set less = *set;
		bool alike = set->level[k] > 0;
		less.level[k] = 0;
		for (unsigned c = 0; c < SEARCHED_CELLS; c++)
			alike = alike && m->gain(set, c) == m->gain(&less, c);
		n += alike;
	}
	return n;
}

static void count(const struct machine *m, const struct searched *r, struct counted *t)
{
	const unsigned last = SEARCHED_CELLS - 1;
	bool found = false;
	t->trials += r->trials;
	for (unsigned f = 0; f < r->nfinalists; f++) {
		const struct tuned_test *tests = r->tests + f * SEARCHED_CELLS;
		bool any = false, no_loss = true, loses = false;
		for (unsigned c = 0; c < SEARCHED_CELLS; c++) {
			double truth = m->gain(&r->finalists[f], c);
			no_loss = no_loss && tests[c].no_loss;
			loses = loses || truth < -log1p(MARGIN);
			if (!tests[c].confirmed)
				continue;
			any = true;
			t->confirmed++;
			t->wrong += truth <= log1p(MARGIN);
			t->told += log(tests[c].expect.estimate) - truth;
			found = found || (c == last && truth > 0.9 * m->gain(&m->best, c));
		}
		if (any)
			t->needless += needless(m, &r->finalists[f]);
		if (any && no_loss) {
			t->all++;
			t->loses += loses;
		}
	}
	t->found += found;
}

static void print_row(const struct machine *m, double scatter, const struct counted *t)
{
	char found[16] = "–", told[16] = "–", needless_each[16] = "–";
	if (m->gain != searched_nothing) {
		snprintf(found, sizeof found, "%.3g %%", 100.0 * t->found / REPEATS);
		snprintf(needless_each, sizeof needless_each, "%.2f",
		         (double)t->needless / REPEATS);
	}
	if (t->confirmed)
		snprintf(told, sizeof told, "%+.2f %%", 100 * t->told / t->confirmed);
	printf("| %s | %.1f %% | %.0f | %s | %u of %u | %s | %s | %u of %u |\n", m->name,
	       100 * scatter, (double)t->trials / REPEATS, found, t->wrong, t->confirmed, told,
	       needless_each, t->loses, t->all);
	fflush(stdout);
}

int main(void)
{
	static const double scatters[] = {0.005, 0.01, 0.02, 0.04};
	printf("| machine | scatter of a job | trials | found | wrong of gains told | told − "
	       "true | "
	       "needless settings | \"no loss\" wrong "
	       "|\n|---|---:|---:|---:|---:|---:|---:|---:|\n");
	for (unsigned i = 0; i < sizeof machines / sizeof *machines; i++)
		for (unsigned k = 0; k < 4; k++) {
			struct counted t = {0};
			for (unsigned n = 0; n < REPEATS; n++) {
				struct searched r = searched_run(machines[i].gain, MARGIN,
				                                 scatters[k], 1000 * k + n + 1);
				count(&machines[i], &r, &t);
			}
			print_row(&machines[i], scatters[k], &t);
		}
	return 0;
}
