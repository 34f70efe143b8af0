/* The backends that there are. */
#ifndef LAUNCHGAP_BACKEND_TABLE_H
#define LAUNCHGAP_BACKEND_TABLE_H

#include "../core/backend.h"

/* NULL-terminated. */
extern const struct backend *const backend_table[];
const struct backend *backend_find(const char *name);
/* Whether a key is set that the backend of these settings does not heed: which (NCCL_… of the
 * environment is heeded by what loads the library), and the first two backends that do (the
 * second NULL where there is one). Such a variant would differ in its name alone. */
bool backend_ignores(const struct settings *settings, char *key, size_t bytes,
                     const char *needs[2]);
/* The first backend that heeds a key; NULL: none. */
const char *backend_heeding(const char *key);

/* -1 where what is named as a library is none: it cannot be read, is no file, or, where a
 * backend here can read versions, has none. A name without a slash is what the dynamic linker
 * finds by it, as in dlopen: "" the system's. May wait for a child. */
int backend_library(const char *name, struct library *out, struct status *st);
/* XXH3_64bits of the library's file, 16 hexadecimal digits; "" where it cannot be read. */
void backend_library_sum(const char *file, char sum[17]);

/* Of the backend of this name here; of one that is not known here, the most usual
 * ones: a library on a device. Never NULL. */
const struct backend_traits *traits_find(const char *backend);

#endif
