/* True and false findings of a search, over many made-up machines: the tables in SIMULATED.md.
 * Fixed seeds. */
#include "searched.h"

#ifndef REPEATS
#define REPEATS 200
#endif

static const struct machine {
	const char *name;
	searched_gain_fn *gain;
	struct search_set best; /* for the last cell; 0 where nothing is */
} machines[] = {
    {"nothing", searched_nothing, {{0}}},
    {"margin", searched_margin, {{0}}},
    {"pair", searched_pair, {.level = {2, 3}}},
    {"poisoned", searched_poisoned, {.level = {2, 3}}},
    {"drawn", searched_drawn, {.level = {2, 3}}},
    {"bottleneck", searched_bottleneck, {.level = {3, 0, 0, 0, 0, 0, 0, 1}}},
};

static const double scatters[] = {0.005, 0.01, 0.02, 0.04};

#define MACHINES (sizeof machines / sizeof *machines)
#define SCATTERS (sizeof scatters / sizeof *scatters)

struct counted {
	unsigned trials, found, confirmed, wrong, erring, needless, all, loses;
	double told;
};

/* Whether there is anything to find. */
static bool is_found(const struct machine *m)
{
	return m->best.level[0];
}

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
	const unsigned last = SEARCHED_CELLS - 1, wrong = t->wrong;
	bool found = false;
	t->trials += r->trials;
	for (unsigned f = 0; f < r->nfinalists; f++) {
		const struct searched_test *tests = r->tests + f * SEARCHED_CELLS;
		bool any = false, no_loss = true, loses = false;
		for (unsigned c = 0; c < SEARCHED_CELLS; c++) {
			double truth = m->gain(&r->finalists[f], c);
			no_loss = no_loss && tests[c].no_loss;
			loses = loses || truth < -SEARCHED_MARGIN;
			if (!tests[c].confirmed)
				continue;
			any = true;
			t->confirmed++;
			t->wrong += truth <= SEARCHED_MARGIN;
			t->told += log(tests[c].expect) - truth;
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
	t->erring += t->wrong > wrong;
}

static void print_row(const struct machine *m, double scatter, const struct counted *t)
{
	char found[16] = "–", told[16] = "–", needless_each[16] = "–";
	if (is_found(m)) {
		snprintf(found, sizeof found, "%.3g %%", 100.0 * t->found / REPEATS);
		snprintf(needless_each, sizeof needless_each, "%.2f",
		         (double)t->needless / REPEATS);
	}
	if (t->confirmed)
		snprintf(told, sizeof told, "%+.2f %%", 100 * t->told / t->confirmed);
	printf("| %s | %.1f %% | %.0f | %s | %u of %u | %.2g %% | %s | %s | %u of %u |\n", m->name,
	       100 * scatter, (double)t->trials / REPEATS, found, t->wrong, t->confirmed,
	       100.0 * t->erring / REPEATS, told, needless_each, t->loses, t->all);
}

/* What the table comes to. */
static void print_summary(struct counted all[MACHINES][SCATTERS])
{
	struct counted sum = {0};
	double least = 100, most = 0, loud = 100, erring = 0;
	for (unsigned i = 0; i < MACHINES; i++)
		for (unsigned k = 0; k < SCATTERS; k++) {
			const double found = 100.0 * all[i][k].found / REPEATS;
			sum.confirmed += all[i][k].confirmed;
			sum.wrong += all[i][k].wrong;
			erring = fmax(erring, 100.0 * all[i][k].erring / REPEATS);
			if (is_found(&machines[i]) && scatters[k] < 0.03) {
				least = fmin(least, found);
				most = fmax(most, found);
			} else if (is_found(&machines[i])) {
				loud = fmin(loud, found);
			}
		}
	printf(
	    "**Of %u gains that were reported %u were wrong, in at most %.2g %% of the searches of "
	    "any row.** What there is to be found is found in %.3g to %.3g %% of the searches, "
	    "at a scatter of a job of up to 2 %%, and in %.3g %% or more at 4 %%.\n\n",
	    sum.confirmed, sum.wrong, erring, least, most, loud);
}

int main(void)
{
	static struct counted all[MACHINES][SCATTERS];
	for (unsigned i = 0; i < MACHINES; i++)
		for (unsigned k = 0; k < SCATTERS; k++)
			for (unsigned n = 0; n < REPEATS; n++) {
				searched_draw(n + 1);
				struct searched r =
				    searched_run(machines[i].gain, expm1(SEARCHED_MARGIN),
				                 scatters[k], 1000 * k + n + 1);
				count(&machines[i], &r, &all[i][k]);
			}
	print_summary(all);
	printf("| machine | scatter of a job | trials | found | wrong of gains reported | searches "
	       "that err | reported − true | needless settings | \"no loss\" wrong "
	       "|\n|---|---:|---:|---:|---:|---:|---:|---:|---:|\n");
	for (unsigned i = 0; i < MACHINES; i++)
		for (unsigned k = 0; k < SCATTERS; k++)
			print_row(&machines[i], scatters[k], &all[i][k]);
	return 0;
}
