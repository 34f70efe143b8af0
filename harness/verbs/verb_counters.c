/* counters: what this machine's NVLink counters count. */
#include <errno.h>
#include <stddef.h>
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

static int gpus_read(const struct field *f, const char *text, void *base, struct status *st)
{
	struct request *out = base;
	unsigned a, b;
	int end = 0;
	if (sscanf(text, "%u,%u%n", &a, &b, &end) < 2 || text[end])
		return status_set(st, "%s = '%s' is not allowed; allowed is A,B, as in 0,1", f->key,
		                  text);
	out->gpu[0] = a;
	out->gpu[1] = b;
	return 0;
}

#define AT(MEMBER) offsetof(struct request, MEMBER)

// clang-format off
static const struct field rows[] = {
    {"gpus", FIELD_OWN, .read = gpus_read, .initial = "0,1", .value = "A,B", .help = "the two GPUs, in CUDA's numbering"},
    {"repeats", FIELD_NUMBER, AT(repeats), .lo = 1, .hi = CALIBRATE_REPEATS, .initial = "3", .value = "N", .help = "of each copy"},
    {"--json", FIELD_OWN, AT(json), .read = options_borrow, .value = "FILE", .help = "every reading and table, for programs"},
};
// clang-format on

const struct fields counters_options = FIELDS_OF(rows, struct request);

static void say_progress(unsigned done, unsigned total)
{
	if (done % 10 == 0)
		status_say("%u of %u copies", done, total);
}

static int show(const char *file, const struct calibrate *c, struct status *st)
{
	FILE *json = file ? fopen(file, "we") : NULL;
	const int result = file && !json ? 0 : calibrate_show(c, stdout, json, st);
	return file && (!json || (ferror(json) | fclose(json)))
	           ? status_set(st, "cannot write %s: %s", file, strerror(errno))
	           : result;
}

int verb_counters(int argc, char *argv[], const struct home *home, struct status *st)
{
	struct request request = {.json = NULL};
	struct meter *meter[2] = {NULL, NULL};
	struct copies *copies = NULL;
	struct calibrate *c = NULL;
	char pci[2][COPIES_PCI_BYTES];
	int result = -1;
	(void)home;
	field_defaults(&counters_options, &request);
	if (verb_take(argc, argv, &request, NULL, 0, st) ||
	    copies_open(request.gpu, &copies, pci, st))
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
	    show(request.json, c, st))
		goto out;
	result = 0;
out:
	free(c);
	for (unsigned i = 0; i < 2; i++)
		meter_close(meter[i]);
	copies_close(copies);
	return result;
}
