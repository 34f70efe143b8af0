/* An experiment file that a test writes, as it is read, and its plan on a machine without GPUs. */
#pragma once

#include "../harness/config/plan.h"
#include "here.h"

static struct spec spec; /* large: not for the stack */
static struct plan plan;

static inline const char *lookup(const char *name)
{
	if (!strcmp(name, "SET"))
		return "/opt/nccl";
	return strcmp(name, "EMPTY") ? NULL : "";
}

static inline unsigned capacity(const char *backend, struct status *st)
{
	if (!strcmp(backend, "nccl"))
		return status_set(st, "no GPU"), 0;
	return UINT_MAX;
}

static const struct plan_machine machine = {.cores = 4, .capacity = capacity};

/* The first of the overrides may be an option of run. */
static inline int load_file(const char *path, const char *backend, unsigned n,
                            char *const overrides[])
{
	struct spec_source from = {path, n, overrides, lookup, NULL, false};
	from.only = n && !strncmp(*overrides, "--only=", 7) ? *overrides + 7 : NULL;
	from.closed = n && !strcmp(*overrides, "--no-libraries");
	from.overrides += from.only || from.closed;
	from.noverrides -= from.only || from.closed;
	return spec_load(&from, backend, &spec, WHY);
}

/* override: NULL: none. */
static inline int read_text(const char *text, const char *backend, char *override)
{
	cli_write(folder, "t.exp", text);
	return load_file(file, backend, override != NULL, &override);
}

static inline int plan_it(void)
{
	plan_free(&plan);
	return plan_make(&spec, &machine, 1, &plan, WHY);
}

/* The error is of a line of the file, and says `what`. */
static inline void says_at(unsigned line, const char *what)
{
	assert_begins(because(), test_text("%s:%u: ", file, line));
	assert_says(because(), what);
}
