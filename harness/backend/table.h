/* All backends. */
#pragma once

#include "../core/backend.h"

extern const struct backend *const backend_table[];
const struct backend *backend_find(const char *name);
/* The i-th one's name; NULL: there are no more. */
const char *backend_name(unsigned i);
/* Ranks that it can hold here (0: none), and in st why no more. For struct plan_machine. */
unsigned backend_capacity(const char *name, struct status *st);
/* Whether a key is set that the backend of these settings ignores: which, and the first two that
 * use it. A variant with it would differ in its name alone. */
bool backend_ignores(const struct settings *settings, char *key, size_t bytes,
                     const char *needs[2]);
/* Whether it uses a key that not all backends use; and the first that does, NULL: none. */
bool backend_uses(const struct backend *backend, const char *key);
const char *backend_using(const char *key);

/* -1: it cannot be read, is no file, or has no version although a backend here can read them. The
 * dynamic linker finds a name without a slash; "" is the system's. May wait for a child. */
int backend_library(const char *name, struct library *out, struct status *st);
/* XXH3_64bits of the library's file, 16 hexadecimal digits; "" if it cannot be read. */
void backend_library_sum(const char *file, char sum[17]);

/* For an unknown name the usual ones: a library on a device. Never NULL. */
const struct backend_traits *traits_find(const char *backend);
