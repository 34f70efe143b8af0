/* Sizes as experiment files write them: one by one, and in ranges. Pure. */
#pragma once

#include "../status.h"

#define SIZES_MAX       256
#define SIZES_MAX_BYTES ((size_t)64 << 30)

/* "4K..1G x4", "4K..64K +4K", "4K, 1M" (K, M, G are powers of 1024): ascending, each once. */
int sizes_parse(const char *text, size_t out[SIZES_MAX], unsigned *count, struct status *st);
/* The next of a list with commas from *rest, which is cut up, without blanks around it; NULL after
 * the last. */
char *sizes_next(char **rest);
/* One size; false: another form. */
bool sizes_one(const char *text, size_t *out);
