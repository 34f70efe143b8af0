/* Where scatter comes from: components by hand. Those of records are in their reports. */
#include "../harness/analysis/anova.h"
#include "test.h"

/* Searle, Casella and McCulloch's expectations by hand: jobs of 2 and of 1 value. Within: 2 on
 * 1 degree. Between: 6, of which the within part is 1 × 2, on (3 − 5/3). */
TEST(unequal_counts_have_their_coefficients)
{
	const double y[] = {1, 3, 5};
	const unsigned keys[] = {0, 0, 0, 1, 1, 0}, single[] = {0, 0, 0, 1, 0, 0, 2, 0, 0};
	double v[3];
	anova_nested(y, keys, 3, 2, v);
	assert_true(fabs(v[0] - 3) < 1e-12 && fabs(v[1] - 2) < 1e-12);
	/* Each level below has one value: all scatter is the outermost level's. */
	anova_nested(y, single, 3, 3, v);
	assert_true(fabs(v[0] - 4) < 1e-12 && isnan(v[1]) && isnan(v[2]));
}
