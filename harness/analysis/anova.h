/* Variance components of nested levels, by the analysis of variance and the method of moments:
 * sums of squares set equal to their expectations, with the exact coefficients for unequal
 * counts (Searle, Casella and McCulloch 1992, §5.3). Pure. */
#pragma once

/* keys[i * depth]: the levels of value i, the outermost first; values of one group are adjacent.
 * Fills `depth` variances, negative ones too. NaN: no group of the level above has two of it, so
 * that it is indistinguishable from that one, which then includes its part. */
void anova_nested(const double *y, const unsigned *keys, unsigned n, unsigned depth,
                  double *variances);
