/* How often claims are called wrongly, alone and as families, and from how many blocks a family can be
 * confirmed. `make simulate` prints tables of harness/analysis/SIMULATED.md; fixed seeds.
 * tests/test_simulated.c has a part of it. */

#include "judged.h"

#define LENGTH(a) (sizeof(a) / sizeof *(a))
#define REPEATS   20000
#define JUDGED    40000 /* in families */

static const unsigned blocks[] = {6, 8, 10, 20};

static void head(const char *first)
{
	printf("\n| %s | blocks |", first);
	for (int noise = 0; noise < NOISE_KINDS; noise++)
		printf(" %s |", noise_name((enum noise)noise));
	printf("\n|---|---:|");
	for (int noise = 0; noise < NOISE_KINDS; noise++)
		printf("---:|");
	printf("\n");
}

/* One claim, with a scatter of the blocks that is small or large beside its margin. wrong: a bit of each
 * outcome that is. */
static void alone(const char *what, enum claim_test test, double truth, double scatter,
                  unsigned wrong)
{
	for (unsigned b = 0; b < LENGTH(blocks); b++) {
		printf("| %s | %u |", what, blocks[b]);
		for (int noise = 0; noise < NOISE_KINDS; noise++) {
			uint64_t seed = 4000 + blocks[b];
			unsigned n = 0;
			for (unsigned k = 0; k < REPEATS; k++)
				n += wrong >> judged_one(test, truth, scatter, (enum noise)noise,
				                         blocks[b], &seed)
				                  .outcome &
				     1;
			printf(" %.1f |", 100.0 * n / REPEATS);
		}
		printf("\n");
	}
}

/* What a family's row counts, of so many. */
typedef void count_fn(const struct judged_family *f, unsigned *n, unsigned *of);

static void wrong(const struct judged_family *f, unsigned *n, unsigned *of)
{
	*n += f->wrong;
	*of += 1;
}

static void confirmed(const struct judged_family *f, unsigned *n, unsigned *of)
{
	*n += f->confirmed;
	*of += f->large;
}

static void families(const char *what, unsigned claims, bool mixed, count_fn *count)
{
	for (unsigned b = 0; b < LENGTH(blocks); b++) {
		printf("| %s | %u |", what, blocks[b]);
		for (int noise = 0; noise < NOISE_KINDS; noise++) {
			uint64_t seed = 5000 + blocks[b];
			unsigned n = 0, of = 0;
			for (unsigned k = 0; k < JUDGED / claims; k++) {
				const struct judged_family f = judged_family_of(
				    claims, mixed, (enum noise)noise, blocks[b], &seed);
				count(&f, &n, &of);
			}
			printf(" %.1f |", 100.0 * n / of);
			fflush(stdout);
		}
		printf("\n");
	}
}

int main(void)
{
	head("one claim is wrong, %");
	alone("less, on its bound: holds", CLAIM_LESS, -JUDGED_EDGE, 0.01, 1 << CLAIMS_HOLD);
	alone("less, just true: by under, does not hold", CLAIM_LESS, -JUDGED_EDGE, 0.01,
	      1 << CLAIMS_FAIL | 1 << CLAIMS_LITTLE);
	alone("within, on an end: holds", CLAIM_WITHIN, JUDGED_EDGE, 0.01, 1 << CLAIMS_HOLD);
	alone("within, equal: does not hold", CLAIM_WITHIN, 0, 0.2, 1 << CLAIMS_FAIL);
	head("families, %");
	families("2 on their bounds: a wrong one", 2, false, wrong);
	families("9 on their bounds: a wrong one", 9, false, wrong);
	families("4 on their bounds, 5 far beyond: a wrong one", 9, true, wrong);
	families("of the 5 confirmed", 9, true, confirmed);
	return 0;
}
