/* counters: what this machine's NVLink counters count. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../backend/device/nvml.h"
#include "../selftest/calibrate.h"
#include "verbs.h"

struct request {
	unsigned gpu[2], repeats;
	const char *json; /* NULL: none */
};

static int parse(int argc, char *argv[], struct request *out, struct status *st)
{
	for (int i = 2; i < argc; i++) {
		int end = 0;
		if (!strcmp(argv[i], "--json") && i + 1 < argc)
			out->json = argv[++i];
		else if ((sscanf(argv[i], "gpus=%u,%u%n", &out->gpu[0], &out->gpu[1], &end) < 2 &&
		          sscanf(argv[i], "repeats=%u%n", &out->repeats, &end) < 1) ||
		         argv[i][end])
			return status_set(st,
			                  "counters: '%s' is not understood; allowed are gpus=A,B, "
			                  "repeats=N, --json FILE",
			                  argv[i]);
	}
	if (out->repeats < 1 || out->repeats > CALIBRATE_REPEATS)
		return status_set(st, "counters: 1 to %d repeats", CALIBRATE_REPEATS);
	return 0;
}

static void say_progress(unsigned done, unsigned total)
{
	if (done % 10 == 0)
		status_say("%u of %u copies", done, total);
}

static int show(const struct request *request, const struct calibrate *c, struct status *st)
{
	FILE *json = request->json ? fopen(request->json, "we") : NULL;
	if (request->json && !json)
		return status_set(st, "cannot write %s: %s", request->json, strerror(errno));
	int result = calibrate_show(c, stdout, json, st);
	if (json && (ferror(json) | fclose(json)))
		return status_set(st, "cannot write %s: %s", request->json, strerror(errno));
	return result;
}

int verb_counters(int argc, char *argv[], const struct home *home, struct status *st)
{
	struct request request = {.gpu = {0, 1}, .repeats = 3};
	struct meter *meter[2] = {NULL, NULL};
	struct copies *copies = NULL;
	struct calibrate *c = NULL;
	char pci[2][COPIES_PCI_BYTES];
	int result = -1;
	(void)home;
	if (parse(argc, argv, &request, st) || copies_open(request.gpu, &copies, pci, st))
		return -1;
	for (unsigned i = 0; i < 2; i++)
		if (meter_open(NVML_LIBRARY, pci[i], &meter[i], st))
			goto out;
	c = calloc(1, sizeof *c);
	if (!c) {
		status_set(st, "out of memory");
		goto out;
	}
	calibrate_default(c);
	c->repeats = request.repeats;
	printf("GPU %u at %s sends to GPU %u at %s.\n", request.gpu[0], pci[0], request.gpu[1],
	       pci[1]);
	if (calibrate_run(c, meter, copies_copier(copies), say_progress, st) ||
	    show(&request, c, st))
		goto out;
	result = 0;
out:
	free(c);
	for (unsigned i = 0; i < 2; i++)
		meter_close(meter[i]);
	copies_close(copies);
	return result;
}
