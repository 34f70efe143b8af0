/* What every buffer holds, as pure functions of (seed, rank, position): the inputs, and from
 * them the one right answer of each collective. Shared by host code and CUDA kernels, so that a
 * GPU's check and a CPU's check cannot disagree about what is right.
 *
 * Inputs are integers in [-4096, 4095], hashed from their place: a float32 sum over up to 4096
 * ranks is then exact in whatever order it is taken, and comparing is comparing bits. Positions
 * count elements from the start of a rank's arena, so that each rotated buffer holds its own
 * data. */
#ifndef LAUNCHGAP_VALUE_H
#define LAUNCHGAP_VALUE_H

#include <stdint.h>

#ifdef __CUDACC__
#define VALUE_FN static inline __host__ __device__
#else
#define VALUE_FN static inline
#endif

/* No input and no exact sum has these bits (a NaN): an output still holding them was not
 * written. */
#define VALUE_POISON_BYTE 0xFF

enum coll_kind { COLL_ALL_REDUCE, COLL_ALLTOALL, COLL_SENDRECV, COLL_COPY, COLL_KINDS };

/* splitmix64's finalizer (Steele, Lea, Flood 2014): a bijection that mixes all 64 bits. */
VALUE_FN uint64_t value_mix(uint64_t x)
{
	x += 0x9E3779B97F4A7C15u;
	x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
	x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
	return x ^ (x >> 31);
}

VALUE_FN float value_input(uint64_t seed, unsigned rank, uint64_t position)
{
	uint64_t h = value_mix(value_mix(seed + rank) ^ position);
	return (float)((int)(h >> 51) - 4096);
}

/* Element i of rank's output, for buffers of `count` elements that start `base` elements into
 * every rank's arena. */
VALUE_FN float value_expected(enum coll_kind coll, unsigned nranks, unsigned rank,
                              uint64_t seed, uint64_t base, uint64_t count, uint64_t i)
{
	uint64_t part = count / nranks;
	float sum = 0;
	switch (coll) {
	case COLL_ALLTOALL:
		return value_input(seed, (unsigned)(i / part), base + rank * part + i % part);
	case COLL_ALL_REDUCE:
		for (unsigned r = 0; r < nranks; r++)
			sum += value_input(seed, r, base + i);
		return sum;
	case COLL_SENDRECV:
	case COLL_COPY:
	default:
		return value_input(seed, (rank + nranks - 1) % nranks, base + i);
	}
}

#endif
