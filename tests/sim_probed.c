/* Should intervals of small messages be adjusted for the speed of the cores, and what do more
 * connections and blocks give? `make simulate` prints the tables of harness/analysis/SIMULATED.md;
 * fixed seeds. tests/test_simulated.c has a part. */
#include <stdio.h>

#include "probed.h"

#define REPEATS 10000

static const struct {
	enum probed_way way;
	unsigned connections;
	const char *name;
} ways[] = {
    {PROBED_RAW, 1, "1 connection"},           {PROBED_RAW, 3, "3 connections"},
    {PROBED_RAW, 8, "8 connections"},          {PROBED_RAW, 16, "16 connections"},
    {PROBED_ADJUSTED, 8, "8, adjusted"},       {PROBED_STRATA, 8, "8, in strata"},
    {PROBED_CENTRED, 8, "8, within variants"},
};

/* Intervals that miss the effect, and half their width; both in percent. */
static double missed(const struct probed *p, double *half)
{
	const double truth = exp(probed_truth(p->world));
	uint64_t seed = 5000 + p->world;
	unsigned held = 0, n = 0;
	*half = 0;
	for (unsigned k = 0; k < REPEATS; k++) {
		const struct stats_ratio r = probed_ratio(p, &seed);
		if (isnan(r.lo))
			continue;
		n++;
		held += r.lo <= truth && truth <= r.hi;
		*half += log(r.hi / r.lo) / 2;
	}
	*half *= 100.0 / n;
	return 100.0 * (n - held) / n;
}

static void print_ways(void)
{
	printf("\n| |");
	for (int world = 0; world < PROBED_WORLDS; world++)
		printf(" %s |", probed_world_name((enum probed_world)world));
	printf("\n|---|");
	for (int world = 0; world < PROBED_WORLDS; world++)
		printf("---:|");
	for (unsigned row = 0; row < sizeof ways / sizeof *ways; row++) {
		printf("\n| %s |", ways[row].name);
		for (int world = 0; world < PROBED_WORLDS; world++) {
			const struct probed p = {ways[row].way, (enum probed_world)world, 10,
			                         ways[row].connections};
			double half, misses = missed(&p, &half);
			printf(" %.1f / %.1f |", misses, half);
			fflush(stdout);
		}
	}
	printf("\n");
}

static void print_blocks(void)
{
	static const unsigned connections[] = {1, 3, 8, 16, 64};
	static const unsigned blocks[] = {6, 10, 16, 20, 24, 28, 32, 40};
	printf("\nHalf the width of an A/A line, in per cent, by blocks and by connections in each "
	       "job; "
	       "cores alone:\n\n| blocks |");
	for (unsigned c = 0; c < 5; c++)
		printf(" %u connection%s |", connections[c], connections[c] > 1 ? "s" : "");
	printf("\n|---:|---:|---:|---:|---:|---:|");
	for (unsigned b = 0; b < sizeof blocks / sizeof *blocks; b++) {
		printf("\n| %u |", blocks[b]);
		for (unsigned c = 0; c < 5; c++) {
			const struct probed p = {PROBED_RAW, PROBED_CORES, blocks[b],
			                         connections[c]};
			double half;
			missed(&p, &half);
			printf(" %.1f |", half);
			fflush(stdout);
		}
	}
	printf("\n");
}

int main(void)
{
	print_ways();
	print_blocks();
	return 0;
}
