#include "nvml_api.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

bool nvml_api_find(void *library, const struct nvml_api_symbol *symbols, size_t n)
{
	bool all = true;
	for (size_t i = 0; i < n; i++) {
		void *symbol = dlsym(library, symbols[i].name);
		memcpy(symbols[i].function, &symbol, sizeof symbol);
		all = all && symbol;
	}
	return all;
}

void nvml_api_explain(int result, char *text, size_t bytes)
{
	static const struct {
		int result;
		const char *text;
	} known[] = {
	    {NVML_API_NOT_SUPPORTED, "not supported"},
	    {NVML_API_NO_PERMISSION, "no permission (root may have it)"},
	    {6, "not found"},
	    {9, "the driver is not loaded"},
	    {15, "the GPU is lost"},
	    {18, "library and driver differ in version"},
	};
	for (unsigned i = 0; i < sizeof known / sizeof *known; i++)
		if (known[i].result == result) {
			snprintf(text, bytes, "%s", known[i].text);
			return;
		}
	snprintf(text, bytes, "NVML error %d", result);
}
