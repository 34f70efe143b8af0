/* Sizes and counts, as experiment files, the command line, files of counts and records have
 * them. */
#include <stdlib.h>
#include <string.h>

#include "../../harness/coll/counts.h"
#include "../../harness/trial/sizes.h"
#include "fuzz.h"

static void read_sizes(const char *text)
{
	size_t sizes[SIZES_MAX];
	struct status st = {""};
	unsigned n = 0;
	if (sizes_parse(text, sizes, &n, &st)) {
		fuzz_promise(st.text[0], "sizes: a refusal has a sentence");
		return;
	}
	fuzz_promise(n >= 1 && n <= SIZES_MAX && sizes[n - 1] <= SIZES_MAX_BYTES,
	             "sizes: as many and as large as is said");
	for (unsigned i = 1; i < n; i++)
		fuzz_promise(sizes[i] > sizes[i - 1], "sizes: ascending, each once");
}

/* The record holds the values that were read, and reading it gives them again. */
static void use_counts(const struct value_weights *weights)
{
	static const unsigned ranks[] = {1, 2, 3, 8, VALUE_MAX_WEIGHTS + 1};
	char text[COUNTS_TEXT_BYTES], again[COUNTS_TEXT_BYTES];
	struct value_weights other;
	struct status st = {""};
	json_t *json = counts_to_json(weights);
	fuzz_promise(json && !counts_from_json(json, &other, &st), "counts: read as written");
	json_decref(json);
	for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++) {
		if (counts_check(weights, ranks[i], &st))
			continue;
		counts_text(weights, ranks[i], text);
		counts_text(&other, ranks[i], again);
		fuzz_promise(!strcmp(text, again), "counts: equal counts have equal texts");
	}
}

static void read_counts(const char *text)
{
	struct value_weights weights;
	struct status st = {""};
	if (!counts_parse(text, &weights, &st))
		use_counts(&weights);
	else
		fuzz_promise(st.text[0], "counts: a refusal has a sentence");
}

static void run(const uint8_t *data, size_t bytes)
{
	char *rest, *text = fuzz_text(data, bytes, &rest);
	struct value_weights weights;
	struct status st = {""};
	read_sizes(text);
	if (!strchr(text, '/')) /* else it names any file of this machine */
		read_counts(text);
	json_t *json = json_loads(text, JSON_DECODE_ANY, NULL);
	if (json && !counts_from_json(json, &weights, &st))
		use_counts(&weights);
	json_decref(json);
	if (rest) /* as a file */
		read_counts(fuzz_file("counts", rest, bytes - (size_t)(rest - text)));
	free(text);
}

const struct fuzz_target fuzz_sizes = {run, NULL};
