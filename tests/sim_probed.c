/* Should intervals of small messages be adjusted for the speed of the cores? `make simulate` prints
 * the table of harness/analysis/SIMULATED.md; fixed seeds. tests/test_simulated.c has a part. */
#include <stdio.h>

#include "probed.h"

#define REPEATS 10000

static const struct {
	enum probed_way way;
	unsigned connections;
	const char *name;
} rows[] = {
    {PROBED_RAW, 1, "1 connection"},           {PROBED_RAW, 3, "3 connections"},
    {PROBED_RAW, 8, "8 connections"},          {PROBED_RAW, 16, "16 connections"},
    {PROBED_ADJUSTED, 8, "8, adjusted"},       {PROBED_STRATA, 8, "8, in strata"},
    {PROBED_CENTRED, 8, "8, within variants"},
};

static void print_cell(unsigned row, enum probed_world world)
{
	const double truth = exp(probed_truth(world));
	uint64_t seed = 5000 + world;
	unsigned held = 0, n = 0;
	double half = 0;
	for (unsigned k = 0; k < REPEATS; k++) {
		const struct stats_ratio r =
		    probed_ratio(rows[row].way, world, rows[row].connections, &seed);
		if (isnan(r.lo))
			continue;
		n++;
		held += r.lo <= truth && truth <= r.hi;
		half += log(r.hi / r.lo) / 2;
	}
	printf(" %.1f / %.1f |", 100.0 * (n - held) / n, 100 * half / n);
	fflush(stdout);
}

int main(void)
{
	printf("\n| |");
	for (int world = 0; world < PROBED_WORLDS; world++)
		printf(" %s |", probed_world_name((enum probed_world)world));
	printf("\n|---|");
	for (int world = 0; world < PROBED_WORLDS; world++)
		printf("---:|");
	for (unsigned row = 0; row < sizeof rows / sizeof *rows; row++) {
		printf("\n| %s |", rows[row].name);
		for (int world = 0; world < PROBED_WORLDS; world++)
			print_cell(row, (enum probed_world)world);
	}
	printf("\n");
	return 0;
}
