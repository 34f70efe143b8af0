#include "anova.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Whether leaves i and k have their first `levels` keys in common. */
static bool together(const unsigned *keys, unsigned depth, unsigned i, unsigned k, unsigned levels)
{
	return !memcmp(&keys[(size_t)i * depth], &keys[(size_t)k * depth], levels * sizeof *keys);
}

/* How many groups of a level there are; level 0 is one group of all values. */
static unsigned groups_of(const unsigned *keys, unsigned n, unsigned depth, unsigned level)
{
	unsigned groups = n > 0;
	for (unsigned i = 1; i < n; i++)
		groups += !together(keys, depth, i - 1, i, level);
	return groups;
}

/* Σ over the groups of `level` of (sum of y)² ÷ size. */
static double sum_of_squares(const double *y, const unsigned *keys, unsigned n, unsigned depth,
                             unsigned level)
{
	double total = 0;
	for (unsigned i = 0, end; i < n; i = end) {
		double sum = 0;
		for (end = i; end < n && together(keys, depth, i, end, level); end++)
			sum += y[end];
		total += sum * sum / (end - i);
	}
	return total;
}

/* What a unit variance of `of` adds to it: Σ over the groups of `level` of Σ (size of the groups of
 * `of` within)² ÷ size. */
static double coefficient(const unsigned *keys, unsigned n, unsigned depth, unsigned level,
                          unsigned of)
{
	double total = 0;
	if (of <= level)
		return n;
	for (unsigned i = 0, end; i < n; i = end) {
		double squares = 0;
		for (end = i; end < n && together(keys, depth, i, end, level);) {
			unsigned first = end;
			while (end < n && together(keys, depth, first, end, of))
				end++;
			squares += (double)(end - first) * (end - first);
		}
		total += squares / (end - i);
	}
	return total;
}

void anova_nested(const double *y, const unsigned *keys, unsigned n, unsigned depth,
                  double *variances)
{
	double below = sum_of_squares(y, keys, n, depth, depth);
	for (unsigned level = depth; level > 0; level--) {
		double above = sum_of_squares(y, keys, n, depth, level - 1);
		double rest = below - above;
		for (unsigned of = level + 1; of <= depth; of++)
			if (!isnan(variances[of - 1]))
				rest -= variances[of - 1] *
				        (coefficient(keys, n, depth, level, of) -
				         coefficient(keys, n, depth, level - 1, of));
		bool twice =
		    groups_of(keys, n, depth, level) > groups_of(keys, n, depth, level - 1);
		variances[level - 1] =
		    twice ? rest / (n - coefficient(keys, n, depth, level - 1, level)) : NAN;
		below = above;
	}
}
