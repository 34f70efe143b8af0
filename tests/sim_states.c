/* How often one cluster is taken for two, and two are found. `make simulate` prints the table
 * that stands in harness/analysis/states.h. Not a test. */
#include <stdio.h>
#include <stdlib.h>

#include "../harness/analysis/states.h"
#include "noise.h"

#define SIMULATIONS 300
#define WORKERS     2
#define SIZES       3
#define DEPTH       6
#define MOST        (20 * WORKERS * 12 * SIZES)

enum drawn { PER_JOB, PER_CONNECTION, PER_ALLOCATION };

struct design {
	unsigned jobs, connections, allocations;
};

static const struct design designs[] = {{6, 1, 1}, {10, 1, 1}, {20, 1, 1}, {10, 4, 3}};

static double values[MOST];
static unsigned keys[MOST * DEPTH];

/* One value of each size, worker, allocation, connection and job; `level` gives the common
 * part. */
static unsigned make(const struct design *d, enum drawn drawn, double within,
                     double (*common)(uint64_t *, int), int kind, uint64_t *seed)
{
	unsigned n = 0;
	double state = 0;
	for (unsigned job = 0; job < d->jobs; job++)
		for (unsigned w = 0; w < WORKERS; w++)
			for (unsigned i = 0; i < d->connections * d->allocations * SIZES; i++) {
				unsigned c = i / SIZES / d->allocations, a = i / SIZES;
				if (!i ||
				    (drawn == PER_CONNECTION &&
				     i % (SIZES * d->allocations) == 0) ||
				    (drawn == PER_ALLOCATION && i % SIZES == 0))
					state = common(seed, kind);
				const unsigned key[DEPTH] = {job, w, c, a, 0, i};
				for (unsigned k = 0; k < DEPTH; k++)
					keys[n * DEPTH + k] = key[k];
				double noise = kind < 0 ? noise_normal(seed)
				                        : noise_side((enum noise)kind, seed);
				values[n++] = state + within * noise;
			}
	return n;
}

static double one(uint64_t *seed, int kind)
{
	return 0.15 * noise_side((enum noise)kind, seed);
}

/* As flat as one peak can be. */
static double even(uint64_t *seed, int kind)
{
	(void)kind;
	return 0.15 * sqrt(12) * (noise_uniform(seed) - 0.5);
}

static double none(uint64_t *seed, int kind)
{
	(void)seed, (void)kind;
	return 0;
}

static double two(uint64_t *seed, int kind)
{
	(void)kind;
	return noise_uniform(seed) < 1 / 3.0 ? 0 : log(1.4);
}

static double found(const struct design *d, enum drawn drawn, double within,
                    double (*common)(uint64_t *, int), int kind)
{
	unsigned yes = 0;
	for (uint64_t i = 0; i < SIMULATIONS; i++) {
		uint64_t seed = i * 7919 + 1;
		unsigned n = make(d, drawn, within, common, kind, &seed);
		struct states_halves halves;
		yes += !states_halve(values, keys, n, DEPTH, &halves) && halves.two;
	}
	return 100.0 * yes / SIMULATIONS;
}

static void row(const char *name, enum drawn drawn, double within,
                double (*common)(uint64_t *, int), int kind)
{
	printf(" * %-34s", name);
	for (unsigned d = 0; d < sizeof designs / sizeof *designs; d++)
		printf(" %8.1f", found(&designs[d], drawn, within, common, kind));
	printf("\n");
	fflush(stdout);
}

int main(void)
{
	char name[64];
	printf(" * jobs × connections × allocations   ");
	for (unsigned d = 0; d < sizeof designs / sizeof *designs; d++)
		printf(" %4u×%u×%u", designs[d].jobs, designs[d].connections,
		       designs[d].allocations);
	printf("\n");
	for (int kind = NOISE_NORMAL; kind <= NOISE_T3; kind++) {
		snprintf(name, sizeof name, "one, %s, between values", noise_name(kind));
		row(name, PER_JOB, 0.15, none, kind);
		snprintf(name, sizeof name, "one, %s, between jobs", noise_name(kind));
		row(name, PER_JOB, 0.05, one, kind);
		snprintf(name, sizeof name, "one, %s, between connections", noise_name(kind));
		row(name, PER_CONNECTION, 0.05, one, kind);
	}
	row("one, even, between jobs", PER_JOB, 0.05, even, NOISE_NORMAL);
	row("one, even, between connections", PER_CONNECTION, 0.05, even, NOISE_NORMAL);
	row("two, per job", PER_JOB, 0.08, two, -1);
	row("two, per connection", PER_CONNECTION, 0.08, two, -1);
	row("two, per allocation", PER_ALLOCATION, 0.08, two, -1);
	return 0;
}
