#include "strided.h"

#include <string.h>

static inline void copy(uint8_t *to, const uint8_t *from, size_t element, size_t count,
                        size_t stride, size_t first, size_t n)
{
	const size_t rows = count / stride, whole = rows * stride;
	size_t column = rows ? first / rows : 0, row = rows ? first % rows : 0, end = first + n;
	size_t k = first;
	while (k < end && k < whole) {
		size_t run = rows - row < end - k ? rows - row : end - k;
		for (size_t i = 0; i < run; i++) {
			size_t at = ((row + i) * stride + column) * element;
			memcpy(to + at, from + at, element);
		}
		k += run;
		row = 0;
		column++;
	}
	memcpy(to + k * element, from + k * element, (end - k) * element);
}

void strided_copy(void *to, const void *from, size_t element, size_t count, size_t stride,
                  size_t first, size_t n)
{
	switch (element) { /* constant sizes: an element is one load and one store */
	case 1:
		copy(to, from, 1, count, stride, first, n);
		break;
	case 2:
		copy(to, from, 2, count, stride, first, n);
		break;
	case 4:
		copy(to, from, 4, count, stride, first, n);
		break;
	default:
		copy(to, from, 8, count, stride, first, n);
	}
}
