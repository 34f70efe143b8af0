/* What the host backend can do, and on which transport. */
#include <string.h>
#include <unistd.h>

#include "../tensor.h"
#include "host.h"

static const char *const transport_names[] = {"direct", "fifo", "shared"};

const char *host_supports_transport_name(enum host_transport transport)
{
	return transport_names[transport];
}

static bool only_copies(const struct trial *trial)
{
	for (unsigned c = 0; c < trial->ncells; c++)
		if (steps_waits(trial->cells[c].coll))
			return false;
	return trial->ncells > 0;
}

/* auto: the peer's memory if it can be read, else slots. The limit is a copy without a partner, so
 * slots cannot carry it. */
int host_supports_transport(const struct trial *trial)
{
	const char *name = trial->settings.path;
	if (name[0] == '\0' || strcmp(name, "auto") == 0) {
		if (trial->settings.layout.processes == 1)
			return HOST_DIRECT;
		return only_copies(trial) ? HOST_SHARED : HOST_FIFO;
	}
	for (int transport = HOST_DIRECT; transport <= HOST_SHARED; transport++)
		if (strcmp(name, transport_names[transport]) == 0)
			return transport;
	return -1;
}

int host_supports_cell(const struct trial *trial, const struct cell *cell,
                       enum host_transport transport, struct status *st)
{
	if (!steps_waits(cell->coll) && transport == HOST_FIFO)
		return status_set(st, "host: the limit is copied from the peer's buffer: "
		                      "path = direct or shared, not fifo");
	if (cell->coll == COLL_INIT)
		return status_set(st,
		                  "host: init makes communicators, and the host backend has none");
	return steps_supports("host", trial, cell, st);
}

static int supports_memory(const struct trial *trial, enum host_transport transport,
                           struct status *st)
{
	unsigned nranks = layout_ranks(trial->settings.layout);
	size_t pages = (size_t)sysconf(_SC_PHYS_PAGES), page = (size_t)sysconf(_SC_PAGESIZE);
	size_t store, all;
	if (host_memory_needs(transport, trial, &store, &all))
		return status_set(st,
		                  "host: %u ranks with 2 arenas of %zu bytes each are more than "
		                  "can be addressed",
		                  nranks, trial->arena_bytes);
	if (all / page >= pages)
		return status_set(st,
		                  "host: %u ranks need %zu MiB of memory and this machine has "
		                  "%zu: ask for smaller sizes or fewer ranks",
		                  nranks, all >> 20, pages * page >> 20);
	return 0;
}

int host_supports(const struct trial *trial, struct status *st)
{
	const struct settings *set = &trial->settings;
	int transport = host_supports_transport(trial);
	if (set->hosts[0])
		return status_set(st, "host: its ranks share memory, which several hosts do not; "
		                      "allowed are backends nccl and mpi");
	if (set->memory == MEMORY_DEVICE)
		return status_set(st, "host: its ranks copy in CPU memory; allowed is memory = "
		                      "host");
	if (transport < 0)
		return status_set(st, "path = %s: allowed are auto, direct, fifo, shared",
		                  set->path);
	if (transport == HOST_DIRECT && set->layout.processes > 1)
		return status_set(st, "host: path = direct reads a peer's buffer by its address: "
		                      "that needs one process; shared reads it from any");
	if (set->pages != PAGES_SHARED && transport == HOST_SHARED)
		return status_set(st,
		                  "host: pages = %s is private memory of a process, and path = "
		                  "shared reads a peer's: allowed are direct and fifo",
		                  settings_words("pages")[set->pages]);
	if (tensor_refuses(trial, st))
		return -1;
	for (unsigned c = 0; c < trial->ncells; c++)
		if (host_supports_cell(trial, &trial->cells[c], (enum host_transport)transport, st))
			return -1;
	return supports_memory(trial, (enum host_transport)transport, st);
}

size_t host_supports_store(const struct trial *trial)
{
	size_t store, all;
	int transport = host_supports_transport(trial);
	if (transport < 0 || host_memory_needs((enum host_transport)transport, trial, &store, &all))
		return 0;
	return store;
}
