/* How often equal variants are called different, and differences found, where the reference has two
 * trials in a block (twinned.h). `make simulate` writes the tables into
 * harness/analysis/SIMULATED.md; fixed seeds. tests/test_simulated.c makes a row again. */
#include <math.h>
#include <stdio.h>

#include "twinned.h"

#define LENGTH(a) (sizeof(a) / sizeof *(a))
#define FOUND     2000 /* runs of each number of the tables of what is found */

static const unsigned blocks[] = {6, 10, 20, 40};

static char rows[TWINNED_NOISES * LENGTH(blocks)][200];
static double differ, one_sided, said;

static void errors(void)
{
	struct twinned_calls calls[2];
	for (unsigned i = 0; i < TWINNED_NOISES * LENGTH(blocks); i++) {
		const struct twinned_noise *noise = &twinned_noises[i / LENGTH(blocks)];
		twinned_row(noise, blocks[i % LENGTH(blocks)], rows[i], calls);
		for (unsigned small = 0; small < 2; small++) {
			const struct twinned_calls *c = &calls[small];
			differ = fmax(differ, c->differ);
			one_sided = fmax(one_sided, fmax(c->slower, c->faster));
			said = fmax(said, c->said_slower + c->said_faster);
		}
	}
}

/* To the mean of the reference's two trials. */
static void print_mean(void)
{
	double both = 0, one = 0;
	for (unsigned i = 0; i < TWINNED_NOISES * LENGTH(blocks); i++) {
		const struct twinned of = {TWINNED_MEAN, &twinned_noises[i / LENGTH(blocks)],
		                           blocks[i % LENGTH(blocks)], 1, 0};
		const struct twinned_calls c = twinned_count(&of, TWINNED_RUNS);
		both = fmax(both, c.differ);
		one = fmax(one, fmax(c.slower, c.faster));
	}
	printf("Compared with the mean of the reference's two trials it would be up to %.1f %%, "
	       "and %.1f %% on one side.\n",
	       100 * both / TWINNED_RUNS, 100 * one / TWINNED_RUNS);
}

/* What is found of three effects, at large sizes and at small ones, by kind of noise and blocks. */
static const double effects[2][3] = {{0.01, 0.03, 0.05}, {0.05, 0.1, 0.2}};
static struct twinned_calls found[2][TWINNED_EQUAL * LENGTH(blocks)][3];

static void power(void)
{
	for (unsigned small = 0; small < 2; small++)
		for (unsigned i = 0; i < TWINNED_EQUAL * LENGTH(blocks); i++)
			for (unsigned e = 0; e < 3; e++)
				found[small][i][e] = twinned_count(
				    &(struct twinned){TWINNED_EACH,
				                      &twinned_noises[i / LENGTH(blocks)],
				                      blocks[i % LENGTH(blocks)],
				                      twinned_scatter[small], effects[small][e]},
				    FOUND);
}

/* With 10 blocks. */
static void print_found(unsigned small)
{
	const double *of = effects[small];
	printf("- Of variants slower by %.0f, %.0f and %.0f %% at %s sizes a report of 10 "
	       "blocks calls *slower*",
	       100 * of[0], 100 * of[1], 100 * of[2], small ? "small" : "large");
	for (unsigned i = 0; i < TWINNED_EQUAL; i++) {
		const struct twinned_calls *c = found[small][i * LENGTH(blocks) + 1];
		printf("%s %.0f, %.0f and %.0f %% where noise is %s (A/A line ±%.2g %%)",
		       i ? ";" : ":", 100.0 * c[0].said_slower / FOUND,
		       100.0 * c[1].said_slower / FOUND, 100.0 * c[2].said_slower / FOUND,
		       twinned_noises[i].name, 100 * c[0].line);
	}
	printf(".\n");
}

static void print_power(unsigned small)
{
	printf("\n| %s sizes, found, %% | blocks | A/A line |", small ? "small" : "large");
	for (unsigned e = 0; e < 3; e++)
		printf(" by %.0f %% |", 100 * effects[small][e]);
	printf("\n|---|---:|---:|---:|---:|---:|\n");
	for (unsigned i = 0; i < TWINNED_EQUAL * LENGTH(blocks); i++) {
		const struct twinned_calls *c = found[small][i];
		printf("| %s | %u | ±%.2g %% |", twinned_noises[i / LENGTH(blocks)].name,
		       blocks[i % LENGTH(blocks)], 100 * c->line);
		for (unsigned e = 0; e < 3; e++)
			printf(" %.0f / %.0f / %.0f |", 100.0 * c[e].differ / FOUND,
			       100.0 * c[e].slower / FOUND, 100.0 * c[e].said_slower / FOUND);
		printf("\n");
	}
}

int main(void)
{
	errors();
	power();
	printf(
	    "**Of equal variants at most %.1f %% are called different, and at most %.1f %% on one "
	    "side; a report calls at most %.2f %% *faster* or *slower*.** ",
	    100 * differ / TWINNED_RUNS, 100 * one_sided / TWINNED_RUNS, 100 * said / TWINNED_RUNS);
	print_mean();
	print_found(0);
	print_found(1);
	printf("\n| of equal variants, %% | blocks | interval without 1 | claimed slower | claimed "
	       "faster | said: large sizes | said: small sizes |\n"
	       "|---|---:|---:|---:|---:|---:|---:|\n");
	for (unsigned i = 0; i < LENGTH(rows); i++)
		printf("%s\n", rows[i]);
	print_power(0);
	print_power(1);
	return 0;
}
