/* Comparisons with a reference that has two trials in a block, made up and judged as a report does:
 * for test_simulated.c and sim_twinned.c. */
#pragma once

/* EACH is the method's (stats_walsh): one trial with one, and both count. */
enum twinned_way { TWINNED_MEAN, TWINNED_EACH };

/* A side's log time: lognormal with this sigma, and the interquartile range of a normal one; 0:
 * normal. `wide`: the variant's scatter, in the reference's. */
struct twinned_noise {
	const char *name;
	double sigma, wide;
};

#define TWINNED_NOISES 4
#define TWINNED_EQUAL  3  /* of them: the first have variants that are as noisy as the reference */
#define TWINNED_MOST   40 /* blocks */

extern const struct twinned_noise twinned_noises[TWINNED_NOISES];

/* A side scatters by `scatter`; the variant takes 1 + effect times as long. */
struct twinned {
	enum twinned_way way;
	const struct twinned_noise *noise;
	unsigned blocks;
	double scatter, effect;
};

/* `differ`: the interval of 95 % excludes 1; slower, faster: an end that is a bound of 95 % by
 * itself does, as a claim's; said_slower, said_faster: by a report's words, beyond its margin and
 * its A/A line. line: half of the A/A line's interval, in the mean. */
struct twinned_calls {
	unsigned differ, slower, faster, said_slower, said_faster;
	double line;
};

/* Of so many runs. All ways and effects see the same ones. */
struct twinned_calls twinned_count(const struct twinned *of, unsigned runs);

#define TWINNED_RUNS 10000 /* of a row */

/* A row of SIMULATED.md about equal variants; its calls, at large sizes and at small ones, too. */
void twinned_row(const struct twinned_noise *noise, unsigned blocks, char row[200],
                 struct twinned_calls calls[2]);
/* The scatter of a job at large and at small sizes. */
extern const double twinned_scatter[2];
