#include "family.h"

#include <math.h>

#include "claim.h"

unsigned family_blocks(unsigned tests, enum family_sides sides, double alpha)
{
	unsigned n = CLAIM_BLOCKS;
	while (ldexp(tests * (double)sides, -(int)n) > alpha)
		n++;
	return n;
}

double family_p(double p, unsigned claims)
{
	return p * claims > 1 ? 1 : p * claims;
}
