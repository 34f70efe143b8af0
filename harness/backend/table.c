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
