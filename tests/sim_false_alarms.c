/* How often the method calls two equal things different. `make simulate` prints the table of
 * harness/analysis/verdict.h. Not a test: tests/test_verdict.c and test_simulated.c check the same
 * on a small scale. */

#include "following.h"

/* Of the log ratios, one a block. */
static struct verdict judged(const double *logs, unsigned n, double margin)
{
	return verdict_of(stats_ratio_of_logs(scratch(), logs, n, VERDICT_CONFIDENCE), margin);
}

#define REPEATS  40000
#define FOLLOWED 4000
#define MOST     30 /* blocks */

static const unsigned fixed[] = {6, 8, 10, 15, 20, 30};

#define LENGTH(a) (sizeof(a) / sizeof *(a))

/* With margin 0 the verdict is faster or slower as soon as the interval excludes 1: the most
 * alarms that any margin gives. */
static bool alarms(const double *logs, unsigned n)
{
	struct verdict v = judged(logs, n, 0);
	return verdict_effect(&v);
}

static void print_fixed(unsigned n)
{
	double logs[MOST];
	uint64_t seed = 1000 + n;
	for (unsigned i = 0; i < n; i++)
		logs[i] = i;
	printf(" * %-28u %5.2f", n, 100 * (1 - judged(logs, n, 0).ratio.confidence));
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

/* Someone adds the blocks that the verdict asks for, up to 60. */
static void print_following(const char *what, enum following_goal goal, unsigned from,
                            bool corrected)
{
	char label[48];
	snprintf(label, sizeof label, "%s, from %u%s", what, from,
	         corrected ? "" : ", uncorrected");
	printf(" * %-34s", label);
	for (int noise = 0; noise < NOISE_KINDS; noise++) {
		unsigned wrong = 0;
		uint64_t seed = 3000;
		for (unsigned k = 0; k < FOLLOWED; k++)
			wrong += following_errs((enum noise)noise, goal, from, corrected, &seed);
		printf(" %8.1f", 100.0 * wrong / FOLLOWED);
		fflush(stdout);
	}
	printf("\n");
}

int main(void)
{
	printf(" * %-28s %5s", "blocks", "says");
	for (int noise = 0; noise < NOISE_KINDS; noise++)
		printf(" %8s", noise_name((enum noise)noise));
	printf("\n");
	for (unsigned i = 0; i < LENGTH(fixed); i++)
		print_fixed(fixed[i]);
	for (unsigned corrected = 0; corrected < 2; corrected++)
		for (unsigned from = 6; from <= 10; from += 4) {
			print_following("equal", FOLLOWING_EFFECT, from, corrected);
			print_following("margin", FOLLOWING_VERDICT, from, corrected);
		}
	return 0;
}
