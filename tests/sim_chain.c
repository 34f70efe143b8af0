/* How often whole reports err, and how often they find an effect: from made-up jobs to the final
 * words (chain.h). Prints tables of harness/analysis/SIMULATED.md (`make simulate`); fixed seeds.
 * tests/test_simulated.c has a part of it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "chain.h"

#define LENGTH(a) (sizeof(a) / sizeof *(a))

static const struct {
	const char *name;
	enum chain_way way;
	unsigned blocks;
	unsigned scale; /* of the repeats: 1 ÷ this, as it takes longer */
} ways[] = {
    {"6 blocks", CHAIN_FIXED, 6, 1},
    {"10 blocks", CHAIN_FIXED, 10, 1},
    {"20 blocks", CHAIN_FIXED, 20, 1},
    {"invited", CHAIN_INVITED, 10, 2},
};
static const double effects[] = {0, 0.02, 0.03, 0.1};

static struct chain_sums all[LENGTH(ways)][LENGTH(effects)][CHAIN_NOISES];

static struct chain_sums simulate(unsigned way, double effect, enum chain_noise noise,
                                  unsigned runs)
{
	const struct chain first = {.noise = noise,
	                            .way = ways[way].way,
	                            .blocks = ways[way].blocks,
	                            .effect = effect,
	                            .seed = CHAIN_SEED(noise)};
	return chain_sum(first, runs / ways[way].scale);
}

static const char *number(double x, char out[16])
{
	snprintf(out, 16, x > 0 && x < 9.95 ? "%.1f" : "%.0f", x);
	return out;
}

enum table { WRONG, FOUND, BLOCKS };

/* A cell of a table: verdicts / reports that are wrong; verdicts that are decided / reports
 * that find the difference at large and at small sizes; blocks. */
static void print_cell(enum table table, const struct chain_sums *s)
{
	const double runs = s->runs, verdicts = s->verdicts;
	char first[16], second[16];
	if (table == BLOCKS)
		printf(" %.0f |", s->blocks / runs);
	else if (table == WRONG)
		printf(" %s / %s |", number(100 * s->wrong / verdicts, first),
		       number(100 * s->wrong_runs / runs, second));
	else
		printf(" %.0f / %.0f / %.0f |", 100 * s->decided / verdicts, 100 * s->found / runs,
		       100 * s->found_small / runs);
}

static void print_table(enum table table)
{
	static const char *const titles[] = {
	    "Wrong words: per cent of the verdicts / of the reports that have one or more.",
	    "Decided, and found: per cent of the verdicts that are decided / of the reports that "
	    "call processes slower\nat large sizes, in any degree / of those that do at small "
	    "ones.",
	    "Mean blocks of the ways that choose them."};
	printf("\n%s\n\n| | |", titles[table]);
	for (int noise = 0; noise < CHAIN_NOISES; noise++)
		printf(" %s |", chain_noise_name((enum chain_noise)noise));
	printf("\n|---|---:|");
	for (int noise = 0; noise < CHAIN_NOISES; noise++)
		printf("---:|");
	for (unsigned w = 0; w < LENGTH(ways); w++)
		for (unsigned e = 0; e < LENGTH(effects); e++) {
			if (table == BLOCKS && ways[w].way == CHAIN_FIXED)
				continue;
			printf("\n| %s | %.0f %% |", ways[w].name, 100 * effects[e]);
			for (int noise = 0; noise < CHAIN_NOISES; noise++)
				print_cell(table, &all[w][e][noise]);
		}
	printf("\n");
}

/* A per cent of a way's reports, from the noise with the fewest to that with the most. */
static void print_range(unsigned way, unsigned effect, bool small)
{
	double least = 100, most = 0;
	for (int noise = 0; noise < CHAIN_NOISES; noise++) {
		const struct chain_sums *s = &all[way][effect][noise];
		const double share = 100.0 * (small ? s->found_small : s->found) / s->runs;
		least = fmin(least, share);
		most = fmax(most, share);
	}
	printf(least < most ? "%.0f to %.0f %%" : "%.0f %%", least, most);
}

/* What the tables show, in sentences. */
static void print_said(void)
{
	double wrong = 0, wrong_runs = 0;
	for (unsigned w = 0; w < LENGTH(ways); w++)
		for (unsigned e = 0; e < LENGTH(effects); e++)
			for (int noise = 0; noise < CHAIN_NOISES; noise++) {
				const struct chain_sums *s = &all[w][e][noise];
				wrong = fmax(wrong, 100.0 * s->wrong / s->verdicts);
				wrong_runs = fmax(wrong_runs, 100.0 * s->wrong_runs / s->runs);
			}
	printf("**Of a report's %u verdicts at most %.1f %% are wrong in every case that was "
	       "simulated.** At most %.0f %% of the reports have a wrong verdict.\n",
	       all[0][0][0].verdicts / all[0][0][0].runs, wrong, wrong_runs);
	for (unsigned small = 0; small < 2; small++) {
		printf("- At %s sizes", small ? "small" : "large");
		for (unsigned w = 1; w < 3; w++)
			for (unsigned e = 2 + small; e < LENGTH(effects); e++) {
				printf("%s %s find a difference of %.0f %% in ",
				       e > 2 + small || w > 1 ? ";" : "", ways[w].name,
				       100 * effects[e]);
				print_range(w, e, small);
			}
		printf(" of the reports.\n");
	}
}

int main(int argc, char **argv)
{
	unsigned runs = argc > 1 ? (unsigned)atoi(argv[1]) : CHAIN_RUNS;
	for (unsigned w = 0; w < LENGTH(ways); w++)
		for (unsigned e = 0; e < LENGTH(effects); e++)
			for (int noise = 0; noise < CHAIN_NOISES; noise++)
				all[w][e][noise] =
				    simulate(w, effects[e], (enum chain_noise)noise, runs);
	print_said();
	for (enum table table = WRONG; table <= BLOCKS; table++)
		print_table(table);
	return 0;
}
