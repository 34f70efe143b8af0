/* How often the method calls two equal things different. `make simulate` prints the table that
 * stands in harness/analysis/verdict.h. Not a test: it takes some five minutes, and tests/test_verdict.c
 * checks the same in small. */
#include <stdio.h>
#include <stdlib.h>

#include "../harness/analysis/verdict.h"
#include "noise.h"

#define REPEATS   40000
#define PRECISION 0.01
#define MOST      60 /* blocks that the time budget of the adaptive rows has room for */

static const unsigned fixed[] = {6, 8, 10, 15, 20, 30};
static const double scatters[] = {0.005, 0.01, 0.02, 0.04};

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* With margin 0 the verdict is faster or slower as soon as the interval excludes 1: the most
 * alarms that any margin gives. */
static bool alarms(const double *logs, unsigned n)
{
	enum verdict_kind kind = verdict_make(logs, n, 0).kind;
	return kind == VERDICT_FASTER || kind == VERDICT_SLOWER;
}

static void print_fixed(unsigned n)
{
	double logs[MOST];
	uint64_t seed = 1000 + n;
	for (unsigned i = 0; i < n; i++)
		logs[i] = i;
	printf(" * %-28u %5.2f", n, 100 * (1 - verdict_make(logs, n, 0).ratio.confidence));
	for (int noise = 0; noise < NOISE_KINDS; noise++) {
		unsigned found = 0;
		for (unsigned k = 0; k < REPEATS; k++) {
			for (unsigned i = 0; i < n; i++)
				logs[i] = noise_log_ratio((enum noise)noise, &seed);
			found += alarms(logs, n);
		}
		printf(" %8.2f", 100.0 * found / REPEATS);
	}
	printf("\n");
}

static unsigned blocks_until_precise(enum noise noise, double scatter, double *logs,
                                     uint64_t *seed)
{
	unsigned n = 0;
	while (n < MOST) {
		logs[n++] = scatter * noise_log_ratio(noise, seed);
		if (!verdict_looks_after(n))
			continue;
		struct stats_ratio r = stats_ratio_of_logs(logs, n, VERDICT_CONFIDENCE);
		if (verdict_half_width(&r) < PRECISION)
			break;
	}
	return n;
}

static void print_adaptive(double scatter)
{
	double logs[MOST], blocks[NOISE_KINDS];
	uint64_t seed = 2000 + (uint64_t)(scatter * 10000);
	char label[32];
	snprintf(label, sizeof label, "auto, scatter %3.1f %%", 100 * scatter);
	printf(" * %-28s %5.2f", label, 5.0);
	for (int noise = 0; noise < NOISE_KINDS; noise++) {
		unsigned found = 0;
		uint64_t sum = 0;
		for (unsigned k = 0; k < REPEATS; k++) {
			unsigned n =
			    blocks_until_precise((enum noise)noise, scatter, logs, &seed);
			found += alarms(logs, n);
			sum += n;
		}
		blocks[noise] = (double)sum / REPEATS;
		printf(" %8.2f", 100.0 * found / REPEATS);
		fflush(stdout);
	}
	printf("\n * %-34s", "  blocks, mean");
	for (int noise = 0; noise < NOISE_KINDS; noise++)
		printf(" %8.1f", blocks[noise]);
	printf("\n");
}

int main(void)
{
	printf(" * %-28s %5s", "blocks", "says");
	for (int noise = 0; noise < NOISE_KINDS; noise++)
		printf(" %8s", noise_name((enum noise)noise));
	printf("\n");
	for (unsigned i = 0; i < COUNT(fixed); i++)
		print_fixed(fixed[i]);
	for (unsigned i = 0; i < COUNT(scatters); i++)
		print_adaptive(scatters[i]);
	return 0;
}
