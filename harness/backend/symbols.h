/* Functions of a library that is loaded at run time, by a table. */
#pragma once

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct symbol {
	const char *name;
	size_t at; /* of its pointer in a struct */
	bool required;
};
// clang-format off
#define SYMBOL_OF(STRUCT, NAME, SYMBOL) {#SYMBOL, offsetof(STRUCT, NAME), true}
// clang-format on

/* What the library lacks is NULL. Returns the first required name that is missing, or NULL. */
static inline const char *symbols_find(void *library, const struct symbol *symbols, size_t n,
                                       void *out)
{
	const char *missing = NULL;
	for (size_t i = 0; i < n; i++) {
		void *symbol = dlsym(library, symbols[i].name);
		if (!symbol && symbols[i].required && !missing)
			missing = symbols[i].name;
		/* POSIX converts dlsym's result to a function pointer through memory. */
		memcpy((char *)out + symbols[i].at, &symbol, sizeof symbol);
	}
	return missing;
}
