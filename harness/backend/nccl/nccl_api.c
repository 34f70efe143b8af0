/* The library: loaded by path, or only queried for its version. */
#include <link.h>

#include "../../part.h"
#include "../symbols.h"
#include "nccl_api.h"

#define SYSTEM_LIBRARY "libnccl.so.2"

#define HAS(TYPE, NAME, ARGUMENTS) {"nccl" #NAME, offsetof(struct nccl_api, NAME), true},
#define MAY(TYPE, NAME, ARGUMENTS) {"nccl" #NAME, offsetof(struct nccl_api, NAME), false},
static const struct symbol symbols[] = {NCCL_FUNCTIONS(HAS, MAY)};

static void read_version(struct nccl_api *api)
{
	const struct link_map *map;
	int v = 0;
	/* The opened one, even if one of its dependencies has the function. */
	if (!dlinfo(api->handle, RTLD_DI_LINKMAP, &map) && map->l_name)
		snprintf(api->file, sizeof api->file, "%s", map->l_name);
	api->GetVersion(&v);
	/* NCCL_VERSION in nccl.h: the thousands moved with 2.9. */
	api->at = v >= 10000 ? v : NCCL_AT(v / 1000, v / 100 % 10, v % 100);
	snprintf(api->version, sizeof api->version, "%d.%d.%d", api->at / 10000,
	         api->at / 100 % 100, api->at % 100);
}

int nccl_api_load(const char *path, struct nccl_api *out, struct status *st)
{
	struct nccl_api api = {0};
	api.handle = dlopen(path[0] ? path : SYSTEM_LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (!api.handle)
		return status_set(st,
		                  "cannot load NCCL: %s (nccl = PATH, or LD_LIBRARY_PATH, leads to "
		                  "a " SYSTEM_LIBRARY ")",
		                  dlerror());
	const char *missing =
	    symbols_find(api.handle, symbols, sizeof symbols / sizeof *symbols, &api);
	if (missing) {
		dlclose(api.handle);
		return status_set(st, "the library has no %s: it is not NCCL, or older than 2.7",
		                  missing);
	}
	read_version(&api);
	*out = api;
	return 0;
}

/* Asked in a child: a loaded library stays, and would be what "libnccl.so.2" is from then on. */
struct answer {
	int rc;
	struct library library;
	struct status why;
};

static void ask(const char *library, void *to)
{
	struct nccl_api api;
	struct answer *answer = to;
	answer->rc = nccl_api_load(library, &api, &answer->why);
	if (answer->rc)
		return;
	memcpy(answer->library.version, api.version, sizeof api.version);
	snprintf(answer->library.file, sizeof answer->library.file, "%s", api.file);
}

int nccl_library(const char *library, struct library *out, struct status *st)
{
	struct answer answer = {0};
	if (part_ask(ask, library, &answer, sizeof answer, st))
		return status_set(st, "a program that loads %s crashes", library);
	if (answer.rc)
		return status_set(st, "%s", answer.why.text);
	*out = answer.library;
	return 0;
}
