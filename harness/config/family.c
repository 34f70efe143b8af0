#include "family.h"

#include <math.h>

#include "claim.h"

unsigned family_blocks(unsigned tests, double alpha)
{
	unsigned n = CLAIM_BLOCKS;
	while (ldexp(tests, -(int)n) > alpha)
		n++;
	return n;
}

double family_p(double p, unsigned claims)
{
	return p * claims > 1 ? 1 : p * claims;
}
