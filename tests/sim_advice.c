/* Printed recommendations compared with the truth. `make simulate` writes the table of
 * harness/analysis/SIMULATED.md. Not a test. */

#include "../harness/analysis/verdict.h"
#include "noise.h"
#include "scratch.h"

#define REPEATS    20000
#define CANDIDATES 30
#define MOST       20
#define MARGIN     0.02

#define LENGTH(a) (sizeof(a) / sizeof *(a))

static const double truths[] = {0, 0.01, 0.025, 0.05, 0.10}, scatters[] = {0.01, 0.02, 0.04};
static const unsigned blocks[] = {6, 10, 20};

/* A candidate's ratio. The scatter is the block's own. */
static struct stats_ratio draw(double truth, double scatter, unsigned n, uint64_t *seed)
{
	double logs[MOST];
	for (unsigned i = 0; i < n; i++)
		logs[i] = log1p(truth) + scatter * noise_normal(seed);
	return stats_ratio_of_logs(scratch(), logs, n, VERDICT_CONFIDENCE);
}

/* What was printed so far. */
struct printed {
	unsigned n, held;
	double sum, width;
};

static void count(struct printed *p, const struct stats_ratio *r, double truth)
{
	p->n++;
	p->held += r->lo <= 1 + truth && 1 + truth <= r->hi;
	p->sum += r->estimate - 1;
	p->width += log(r->hi / r->lo) / 2;
}

static void print_row(double truth, double scatter, unsigned n)
{
	struct printed measured = {0}, expected = {0}, first[2] = {{0}, {0}};
	uint64_t seed = 4000 + n + (uint64_t)(1000 * scatter) + (uint64_t)(1e6 * truth);
	struct stats_ratio best = {.estimate = 0};
	for (unsigned k = 0; k < REPEATS; k++) {
		struct stats_ratio r = draw(truth, scatter, n, &seed);
		if (verdict_of(r, MARGIN).kind == VERDICT_FASTER) {
			const struct stats_ratio e = stats_chosen(&r, log1p(MARGIN));
			count(&measured, &r, truth);
			count(&expected, &e, truth);
			if (r.estimate > best.estimate)
				best = r;
		}
		if (k % CANDIDATES == CANDIDATES - 1 && best.estimate > 0) {
			const struct stats_ratio e = stats_chosen(&best, log1p(MARGIN));
			count(&first[0], &best, truth);
			count(&first[1], &e, truth);
		}
		if (k % CANDIDATES == CANDIDATES - 1)
			best.estimate = 0;
	}
	if (measured.n < 10)
		return;
	printf("| %.1f %% | %.0f %% | %u | %.2f |", 100 * truth, 100 * scatter, n,
	       100.0 * measured.n / REPEATS);
	const struct printed *all[] = {&measured, &expected};
	for (int i = 0; i < 2; i++)
		printf(" %.2f, %.1f, ±%.2f |", 100 * all[i]->sum / all[i]->n,
		       100.0 * all[i]->held / all[i]->n, 100 * all[i]->width / all[i]->n);
	printf(" %.2f, %.2f |\n", 100 * first[0].sum / first[0].n, 100 * first[1].sum / first[1].n);
	fflush(stdout);
}

int main(void)
{
	printf(
	    "\n| true | scatter | blocks | chosen | as measured | as expected | largest of 30 |\n"
	    "|---:|---:|---:|---:|---:|---:|---:|\n");
	for (unsigned i = 0; i < LENGTH(truths); i++)
		for (unsigned k = 0; k < LENGTH(scatters); k++)
			for (unsigned b = 0; b < LENGTH(blocks); b++)
				print_row(truths[i], scatters[k], blocks[b]);
	printf("\n");
	return 0;
}
