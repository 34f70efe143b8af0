/* The backends, one row each; `backend = auto` takes the first that fits the machine. */
#include "table.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

extern const struct backend backend_nccl, backend_host, backend_gloo, backend_mpi, backend_null;

const struct backend *const backend_table[] = {&backend_nccl, &backend_host, &backend_gloo,
                                               &backend_mpi,  &backend_null, NULL};

const struct backend *backend_find(const char *name)
{
	for (const struct backend *const *b = backend_table; *b; b++)
		if (!strcmp((*b)->name, name))
			return *b;
	return NULL;
}

const char *backend_name(unsigned i)
{
	return backend_table[i] ? backend_table[i]->name : NULL;
}

/* A driver's library may start threads as it counts devices. With this mask they take no signal that the
 * program waits for: an agent would not hear that a worker has ended, nor the runner of Ctrl-C. */
unsigned backend_capacity(const char *name, struct status *st)
{
	const struct backend *b = backend_find(name);
	sigset_t all, before;
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	const unsigned capacity = !b ? 0 : b->capacity ? b->capacity(st) : UINT_MAX;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return capacity;
}

bool backend_uses(const struct backend *b, const char *key)
{
	for (unsigned i = 0; b->uses && b->uses[i]; i++)
		if (!strcmp(b->uses[i], key))
			return true;
	return b->is.library && !strncmp(key, "env.NCCL_", 9);
}

const char *backend_using(const char *key)
{
	for (const struct backend *const *b = backend_table; *b; b++)
		if (backend_uses(*b, key))
			return (*b)->name;
	return NULL;
}

bool backend_ignores(const struct settings *settings, char *key, size_t bytes, const char *needs[2])
{
	const struct backend *own = backend_find(settings->backend);
	bool ignored = settings_unused(settings, own ? own->uses : NULL, key, bytes);
	for (unsigned i = 0; i < settings->nenv && !ignored; i++) {
		const char *entry = settings->env[i];
		snprintf(key, bytes, "env.%.*s", (int)strcspn(entry, "="), entry);
		ignored = !strncmp(entry, "NCCL_", 5) && !(own && own->is.library);
	}
	unsigned n = 0;
	needs[0] = needs[1] = NULL;
	for (const struct backend *const *b = backend_table; ignored && *b && n < 2; b++)
		if (backend_uses(*b, key))
			needs[n++] = (*b)->name;
	return ignored;
}

const struct backend_traits *traits_find(const char *backend)
{
	static const struct backend_traits usual = {.carries_data = true, .launches = true};
	const struct backend *known = backend_find(backend);
	return known ? &known->is : &usual;
}
