/* Experiment files that a test writes, and the result of reading them. */
#pragma once

#include <glob.h>

#include "spec_file.h"

#define BASE                                                                                       \
	"[experiment]\n"                                                                           \
	"collective = alltoall\n"                                                                  \
	"bytes = 4K\n"
#define ONE "[variant one]\nmode = threads\n"

static inline void write_file(const char *text, size_t bytes)
{
	FILE *out = fopen(file, "w");
	assert_non_null(out);
	assert_int_equal(fwrite(text, 1, bytes, out), bytes);
	assert_int_equal(fclose(out), 0);
}

static inline int load_with(const char *text, const char *backend, unsigned n,
                            char *const overrides[])
{
	write_file(text, strlen(text));
	return load_file(file, backend, n, overrides);
}

static inline void load(const char *text, const char *backend)
{
	assert_works(load_with(text, backend, 0, NULL));
}

static inline void load_overridden(const char *text, const char *backend, char *override)
{
	assert_works(load_with(text, backend, 1, &override));
}

/* The error is at `line` (0: command line), says `what`, and says what is allowed. */
static inline void refuse(const char *text, unsigned line, const char *what)
{
	memset(&spec, 0x5A, sizeof spec);
	assert_int_equal(load_with(text, "host", 0, NULL), -1);
	says_at(line, what);
	for (size_t i = 0; i < sizeof spec; i++)
		assert_int_equal(((unsigned char *)&spec)[i], 0x5A); /* set only on success */
}

static inline void refuse_key(const char *entry, const char *what)
{
	refuse(test_text("[experiment]\n%s\n", entry), 2, what);
}

static inline void refuse_variant_key(const char *entry, const char *what)
{
	refuse(test_text(BASE "[variant one]\n%s\n", entry), 5, what);
}

static inline void refuse_override(char *override, const char *what)
{
	assert_int_equal(load_with(BASE ONE, "host", 1, &override), -1);
	assert_begins(because(), "command line: ");
	assert_says(because(), what);
}

static inline const struct spec_variant *variant(const char *name)
{
	for (unsigned i = 0; i < spec.nvariants; i++)
		if (!strcmp(spec.variants[i].name, name))
			return &spec.variants[i];
	fail_msg("no variant %s", name);
	return NULL;
}

static inline bool has_env(const struct spec_variant *v, const char *entry)
{
	for (unsigned i = 0; i < v->settings.nenv; i++)
		if (!strcmp(v->settings.env[i], entry))
			return true;
	return false;
}
