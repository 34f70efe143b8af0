/* How often the interval of several runs together holds the truth, and the next run's interval that
 * run. `make simulate` prints the table of harness/analysis/SIMULATED.md; fixed seeds.
 * tests/test_pooled.c has a part of it. */

#include "repeated.h"

#define REPEATS 4000

static const enum noise noises[] = {NOISE_NORMAL, NOISE_T3, NOISE_LOPSIDED};
static const double scatters[] = {0, 0.5, 1, 3};

#define LENGTH(a) (sizeof(a) / sizeof *(a))

int main(void)
{
	printf("\n| runs | scatter between runs |");
	for (unsigned i = 0; i < LENGTH(noises); i++)
		printf(" %s: all | DerSimonian, Laird | next run |", noise_name(noises[i]));
	printf("\n|---:|---:|");
	for (unsigned i = 0; i < 3 * LENGTH(noises); i++)
		printf("---:|");
	printf("\n");
	for (unsigned runs = 2; runs <= 6; runs++)
		for (unsigned s = 0; s < LENGTH(scatters); s++) {
			printf("| %u | %g |", runs, scatters[s]);
			for (unsigned i = 0; i < LENGTH(noises); i++) {
				const struct repeated_covers c =
				    repeated_cover(noises[i], runs, scatters[s], REPEATS, 6000);
				printf(" %.1f | %.1f |", 100.0 * c.all / REPEATS,
				       100.0 * c.normal / REPEATS);
				if (runs > 2)
					printf(" %.1f |", 100.0 * c.next / REPEATS);
				else
					printf(" – |");
				fflush(stdout);
			}
			printf("\n");
		}
	return 0;
}
