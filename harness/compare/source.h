/* Where a side of a comparison comes from: a run's record, or files of nccl-tests. */
#ifndef LAUNCHGAP_SOURCE_H
#define LAUNCHGAP_SOURCE_H

#include "result.h"

/* Loads what `path` names: a run's folder or record, or nccl-tests' JSON (a file, a list with
 * commas, a folder); each file is a trial. `variant` names nccl-tests' times; NULL: their layout
 * does. `path` is borrowed. The caller frees with result_free, also after an error. */
int source_load(const char *path, const char *variant, struct result *side, struct status *st);

#endif
