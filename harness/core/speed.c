#include "speed.h"

#define REPEATS 3

/* The empty assembly makes the compiler assume that its operands change, so that it can neither
 * fold steps nor omit them. */

static void chain(void)
{
	uint64_t x = 1;
	for (unsigned i = 0; i < SPEED_CHAIN_STEPS; i++) {
		x = x * 6364136223846793005u + 1442695040888963407u;
		__asm__ volatile("" : "+r"(x));
	}
}

static void wide(void)
{
	uint64_t a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8;
	for (unsigned i = 0; i < SPEED_WIDE_STEPS; i++) {
		a += 1, b += 3, c += 5, d += 7, e += 9, f += 11, g += 13, h += 15;
		__asm__ volatile(""
		                 : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f), "+r"(g),
		                   "+r"(h));
	}
}

static int64_t middle(int64_t a, int64_t b, int64_t c)
{
	int64_t least = a < b ? a : b, most = a < b ? b : a;
	return c < least ? least : c > most ? most : c;
}

void speed_take(int64_t (*now_ns)(void), struct speed *out)
{
	static void (*const work[2])(void) = {chain, wide};
	int64_t ns[2][REPEATS];
	for (unsigned r = 0; r < REPEATS; r++)
		for (unsigned w = 0; w < 2; w++) {
			int64_t begin = now_ns();
			work[w]();
			ns[w][r] = now_ns() - begin;
		}
	*out = (struct speed){middle(ns[0][0], ns[0][1], ns[0][2]),
	                      middle(ns[1][0], ns[1][1], ns[1][2])};
}
