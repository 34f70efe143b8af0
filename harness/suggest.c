#include "suggest.h"

#include <ctype.h>
#include <strings.h>

#include "perf_options.h"
#include "status.h"

#define FAR  (SUGGEST_BYTES * 2)
#define PAGE "(experiments/nccl-tests.md)"

/* The option of nccl-tests that a word up to a '=' is, "-b" or "minbytes"; NULL: none. */
static const struct perf_option *option_of(const char *word)
{
	const size_t n = strcspn(word, "=");
	return word[0] == '-' && n == 2 ? perf_option_find(word[1]) : perf_option_named(word, n);
}

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* Letters inserted, omitted, changed, or two neighbours swapped (Damerau, Levenshtein); case does
 * not count. */
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
	if (allowed)
		status_list(guess->allowed, sizeof guess->allowed, allowed);
	if (!allowed || !guess->word[0] || strlen(allowed) >= sizeof guess->best)
		return;
	unsigned d = distance(guess->word, allowed);
	const size_t dashes = strspn(allowed, "-"), n = strlen(guess->word), m = strlen(allowed);
	/* A third of the letters may differ; the beginning of a word ("proc") counts as one. */
	if (n >= 3 && n < m && !strncasecmp(guess->word, allowed, n))
		d = 1;
	/* A word of nccl-tests may be ours. */
	const struct perf_option *option = option_of(guess->word);
	const char *own = option ? option->key : perf_word_ours(guess->word);
	if (own && own != guess->word && !strcmp(own, allowed))
		d = 0;
	if (d >= guess->distance || d > ((n > m ? n : m) - dashes) / 3 + (n > 3))
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
	const struct perf_option *option =
	    word[0] == '-' ? option_of(word[1] == '-' ? word + 2 : word) : NULL;
	if (n > end && n < SUGGEST_BYTES && !strcmp(word + n - end, program))
		snprintf(out.text, sizeof out.text,
		         ": nccl-tests' programs are verbs here, as `launchgap all_reduce_perf`, "
		         "with their options " PAGE);
	else if (option && option->key)
		snprintf(out.text, sizeof out.text,
		         ": nccl-tests' option is the key '%s' here " PAGE, option->key);
	else if (option)
		snprintf(out.text, sizeof out.text,
		         ": nccl-tests' options are explained here " PAGE);
	return out;
}
