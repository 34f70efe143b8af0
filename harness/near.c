#include "near.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define FAR (NEAR_BYTES * 2)

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* Letters put in, left out, changed, or two neighbours swapped (Damerau, Levenshtein); case
 * does not count. */
static unsigned distance(const char *a, const char *b)
{
	size_t n = strlen(a), m = strlen(b);
	unsigned d[NEAR_BYTES + 1][NEAR_BYTES + 1];
	if (n > NEAR_BYTES || m > NEAR_BYTES)
		return FAR;
	for (size_t i = 0; i <= n; i++)
		d[i][0] = (unsigned)i;
	for (size_t k = 0; k <= m; k++)
		d[0][k] = (unsigned)k;
	for (size_t i = 1; i <= n; i++)
		for (size_t k = 1; k <= m; k++) {
			int x = tolower((unsigned char)a[i - 1]);
			int y = tolower((unsigned char)b[k - 1]);
			d[i][k] = least(least(d[i - 1][k], d[i][k - 1]) + 1,
			                d[i - 1][k - 1] + (x != y));
			if (i > 1 && k > 1 && x == tolower((unsigned char)b[k - 2]) &&
			    y == tolower((unsigned char)a[i - 2]))
				d[i][k] = least(d[i][k], d[i - 2][k - 2] + 1);
		}
	return d[n][m];
}

struct near near_to(const char *word)
{
	return (struct near){.word = word, .distance = FAR};
}

void near_offer(struct near *near, const char *allowed)
{
	if (!allowed || !near->word[0] || strlen(allowed) >= sizeof near->best)
		return;
	unsigned d = distance(near->word, allowed);
	size_t n = strlen(near->word), m = strlen(allowed);
	/* A third of the letters, or the beginning of it ("proc"). */
	bool begun = n >= 3 && n < m && !strncasecmp(near->word, allowed, n);
	if (begun)
		d = 1;
	if (d >= near->distance || d > (n > m ? n : m) / 3 + (n > 3))
		return;
	near->distance = d;
	strcpy(near->best, allowed);
}

struct near_text near_say(const struct near *near)
{
	struct near_text out = {""};
	if (near->best[0] && strcmp(near->best, near->word))
		snprintf(out.text, sizeof out.text, " (did you mean '%s'?)", near->best);
	return out;
}
