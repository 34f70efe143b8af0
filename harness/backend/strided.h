/* A copy in the order of strided access: elements `stride` apart, then the same from the next
 * element on, as neighbouring threads of a GPU kernel access them. Pure. */
#ifndef LAUNCHGAP_STRIDED_H
#define LAUNCHGAP_STRIDED_H

#include <stddef.h>
#include <stdint.h>

/* Copies n elements from number `first` on in that order, of a buffer of `count` elements of 1, 2,
 * 4 or 8 bytes (first + n ≤ count, stride ≥ 1). */
void strided_copy(void *to, const void *from, size_t element, size_t count, size_t stride,
                  size_t first, size_t n);

#endif
