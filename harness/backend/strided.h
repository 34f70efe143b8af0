/* A copy in the order of strided access: elements `stride` apart one after the other, then the
 * same from the next element on, as neighbouring threads of a GPU's kernel take them. Pure. */
#ifndef LAUNCHGAP_STRIDED_H
#define LAUNCHGAP_STRIDED_H

#include <stddef.h>
#include <stdint.h>

/* Of a buffer of `count` elements of 1, 2, 4 or 8 bytes, the n that are `first` and following
 * in that order (first + n ≤ count, stride ≥ 1). */
void strided_copy(void *to, const void *from, size_t element, size_t count, size_t stride,
                      size_t first, size_t n);

#endif
