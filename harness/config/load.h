/* From an experiment's file and the command line to a spec. */
#ifndef LAUNCHGAP_LOAD_H
#define LAUNCHGAP_LOAD_H

#include "spec.h"

/* Reads `file` with `overrides` ("key=value", n of them) as the experiment is for `backend`
 * (NULL: no backend's keys apply; enough to learn spec->backend). With SPEC_ONLY, variants that
 * it does not name are dropped, and with them the factors and claims that are about one. With
 * SPEC_NO_LIBRARIES, a variant that names a library is an error, before any is looked at. */
int spec_load(const char *file, unsigned n, char *const overrides[], const char *backend,
              spec_lookup_fn *lookup, struct spec *out, struct status *st);

#endif
