/* The backends, one row each; the first that fits the machine is `backend = auto`'s choice. */
#include "backend.h"

#include <string.h>

extern const struct backend backend_nccl, backend_host, backend_null;

const struct backend *const backend_table[] = {&backend_nccl, &backend_host, &backend_null,
                                               NULL};

const struct backend *backend_find(const char *name)
{
	for (const struct backend *const *b = backend_table; *b; b++)
		if (!strcmp((*b)->name, name))
			return *b;
	return NULL;
}

const struct backend_traits *traits_find(const char *backend)
{
	static const struct backend_traits usual = {.carries_data = true, .launches = true};
	const struct backend *known = backend_find(backend);
	return known ? &known->is : &usual;
}
