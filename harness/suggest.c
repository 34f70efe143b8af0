#include "suggest.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define FAR  (SUGGEST_BYTES * 2)
#define PAGE "(experiments/nccl-tests.md)"

/* nccl-tests' options by letter and name, then its values; NULL: no key corresponds. */
// clang-format off
static const struct {
	char letter;
	const char *theirs, *ours;
} nccl_tests[] = {
    {'t', "nthreads", "mode"}, {'g', "ngpus", "ranks"}, {'b', "minbytes", "bytes"}, {'e', "maxbytes", "bytes"},
    {'i', "stepbytes", "bytes"}, {'f', "stepfactor", "bytes"}, {'o', "op", "op"}, {'d', "datatype", "dtype"},
    {'r', "root", "root"}, {'n', "iters", "calls"}, {'m', "agg_iters", "aggregate"},
    {'w', "warmup_iters", "warmup"}, {'N', "run_cycles", "cycles"}, {'p', "parallel_init", "init"},
    {'c', "check", NULL}, {'z', "blocking", "pace"}, {'y', "stream_null", NULL}, {'T', "timeout", "cell_timeout"},
    {'G', "cudagraph", "graph"}, {'C', "report_cputime", NULL}, {'S', "report_timestamps", NULL},
    {'J', "output_file", NULL}, {'a', "average", NULL}, {'R', "local_register", "register"},
    {'x', "cta_policy", "cta_policy"}, {'D', "device_implementation", NULL}, {'V', "device_cta_count", NULL},
    {'M', "memory", NULL}, {'u', "unalign", "offset"}, {'I', "per_iter_timing", NULL}, {'K', "per_iter_skip", NULL},
    {0, "float", "float32"}, {0, "half", "float16"}, {0, "double", "float64"}, {0, "f8e4m3", "float8_e4m3"},
    {0, "f8e5m2", "float8_e5m2"}, {0, "mulsum", "premulsum"},
};
// clang-format on
#define THEIRS (sizeof nccl_tests / sizeof *nccl_tests)

/* The row of a word up to a '=', "-b" or "minbytes"; THEIRS: it has none. */
static size_t row_of(const char *word)
{
	const size_t n = strcspn(word, "=");
	size_t i = 0;
	while (i < THEIRS && !(word[0] == '-' && n == 2 && word[1] == nccl_tests[i].letter) &&
	       !(n == strlen(nccl_tests[i].theirs) && !strncmp(word, nccl_tests[i].theirs, n)))
		i++;
	return i;
}

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* Letters inserted, omitted, changed, or two neighbours swapped (Damerau, Levenshtein); case does not
 * count. */
static unsigned distance(const char *a, const char *b)
{
	size_t n = strlen(a), m = strlen(b);
	unsigned d[SUGGEST_BYTES + 1][SUGGEST_BYTES + 1];
	if (n > SUGGEST_BYTES || m > SUGGEST_BYTES)
		return FAR;
	for (size_t i = 0; i <= n; i++)
		d[i][0] = (unsigned)i;
	for (size_t k = 0; k <= m; k++)
		d[0][k] = (unsigned)k;
	for (size_t i = 1; i <= n; i++)
		for (size_t k = 1; k <= m; k++) {
			int x = tolower((unsigned char)a[i - 1]);
			int y = tolower((unsigned char)b[k - 1]);
			d[i][k] =
			    least(least(d[i - 1][k], d[i][k - 1]) + 1, d[i - 1][k - 1] + (x != y));
			if (i > 1 && k > 1 && x == tolower((unsigned char)b[k - 2]) &&
			    y == tolower((unsigned char)a[i - 2]))
				d[i][k] = least(d[i][k], d[i - 2][k - 2] + 1);
		}
	return d[n][m];
}

struct suggestion suggest_for(const char *word)
{
	return (struct suggestion){.word = word, .distance = FAR};
}

void suggest_offer(struct suggestion *guess, const char *allowed)
{
	if (!allowed || !guess->word[0] || strlen(allowed) >= sizeof guess->best)
		return;
	unsigned d = distance(guess->word, allowed);
	size_t n = strlen(guess->word), m = strlen(allowed);
	/* A third of the letters may differ; the beginning of a word ("proc") counts as one. */
	bool begun = n >= 3 && n < m && !strncasecmp(guess->word, allowed, n);
	if (begun)
		d = 1;
	size_t theirs = row_of(guess->word);
	if (theirs < THEIRS && nccl_tests[theirs].ours && !strcmp(nccl_tests[theirs].ours, allowed))
		d = 0;
	if (d >= guess->distance || d > (n > m ? n : m) / 3 + (n > 3))
		return;
	guess->distance = d;
	strcpy(guess->best, allowed);
}

struct suggestion_text suggestion_text(const struct suggestion *guess)
{
	struct suggestion_text out = {""};
	if (guess->best[0] && strcmp(guess->best, guess->word))
		snprintf(out.text, sizeof out.text, " (did you mean '%s'?)", guess->best);
	return out;
}

struct suggestion_nccl_tests suggest_nccl_tests(const char *word)
{
	static const char program[] = "_perf";
	struct suggestion_nccl_tests out = {""};
	const size_t n = strlen(word), end = sizeof program - 1;
	const size_t i = word[0] == '-' ? row_of(word[1] == '-' ? word + 2 : word) : THEIRS;
	if (n > end && n < SUGGEST_BYTES && !strcmp(word + n - end, program))
		snprintf(out.text, sizeof out.text,
		         ": nccl-tests' program is `launchgap run collectives collective=%.*s` "
		         "here " PAGE,
		         (int)(n - end), word);
	else if (i < THEIRS && nccl_tests[i].ours)
		snprintf(out.text, sizeof out.text,
		         ": nccl-tests' option is the key '%s' here " PAGE, nccl_tests[i].ours);
	else if (i < THEIRS)
		snprintf(out.text, sizeof out.text,
		         ": nccl-tests' options are explained here " PAGE);
	return out;
}
