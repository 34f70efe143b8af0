/* How often equal variants are called different, and differences found, by how the reference's two
 * trials of a block are used. `make simulate` prints tables of harness/analysis/SIMULATED.md; fixed
 * seeds. tests/test_simulated.c has a part of it. */

#include "twinned.h"

#define LENGTH(a) (sizeof(a) / sizeof *(a))
#define RUNS      10000

static const unsigned blocks[] = {5, 6, 8, 10, 20, 40};

static void errors(void)
{
	printf("\n| of equal variants, %% | blocks | to their mean | to one, by lot | to each |\n"
	       "|---|---:|---:|---:|---:|\n");
	for (unsigned i = 0; i < TWINNED_NOISES; i++)
		for (unsigned b = 0; b < LENGTH(blocks); b++) {
			printf("| %s | %u |", twinned_noises[i].name, blocks[b]);
			for (int way = 0; way < TWINNED_WAYS; way++) {
				const struct twinned_calls c =
				    twinned_count((enum twinned_way)way, &twinned_noises[i],
				                  blocks[b], 1, 0, RUNS);
				printf(" %.1f / %.1f / %.1f |", 100.0 * c.differ / RUNS,
				       100.0 * c.less / RUNS, 100.0 * c.more / RUNS);
			}
			printf("\n");
			fflush(stdout);
		}
}

static void power(void)
{
	static const struct {
		const char *sizes;
		double scatter, effect;
	} of[] = {{"large", 0.01, 0.01}, {"large", 0.01, 0.02}, {"large", 0.01, 0.03},
	          {"small", 0.07, 0.05}, {"small", 0.07, 0.1},  {"small", 0.07, 0.2}};
	static const unsigned noises[] = {0, 2};
	printf("\n| found, %% | slower by | blocks |");
	for (unsigned i = 0; i < LENGTH(noises); i++)
		printf(" %s: to their mean | to one | to each |", twinned_noises[noises[i]].name);
	printf("\n|---|---:|---:|---:|---:|---:|---:|---:|---:|\n");
	for (unsigned k = 0; k < LENGTH(of); k++)
		for (unsigned b = 1; b < LENGTH(blocks); b++) {
			printf("| %s | %.0f %% | %u |", of[k].sizes, 100 * of[k].effect, blocks[b]);
			for (unsigned i = 0; i < LENGTH(noises) * TWINNED_WAYS; i++) {
				const struct twinned_calls c = twinned_count(
				    (enum twinned_way)(i % TWINNED_WAYS),
				    &twinned_noises[noises[i / TWINNED_WAYS]], blocks[b],
				    of[k].scatter, log1p(of[k].effect), RUNS / 5);
				printf(" %.0f |", 500.0 * c.differ / RUNS);
			}
			printf("\n");
			fflush(stdout);
		}
}

int main(void)
{
	errors();
	power();
	return 0;
}
