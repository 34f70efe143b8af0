/* A file's bytes, unpacked where gzip or xz packed them, which the file's first bytes tell. */
#ifndef LAUNCHGAP_PACKED_H
#define LAUNCHGAP_PACKED_H

#include <stdbool.h>
#include <sys/types.h>

#include "../status.h"

struct packed;

/* A regular file (sanitize_open). The caller owns *out and frees it with packed_close. -1: *why says it. */
int packed_open(const char *file, struct packed **out, const char **why);
/* As read(2), -1 with a sentence. Packed data that ends too early ends the file, and *cut is set. */
ssize_t packed_read(struct packed *packed, void *chunk, size_t bytes, bool *cut, struct status *st);
void packed_close(struct packed *packed); /* NULL is allowed */

#endif
