/* nccl.conf of a search: what is confirmed, as NCCL reads it (NCCL_CONF_FILE): lines KEY=value,
 * and comments that begin with '#'. What a file cannot say stands in comments, with its gain.
 */
#ifndef LAUNCHGAP_NCCL_CONF_H
#define LAUNCHGAP_NCCL_CONF_H

#include <stdio.h>

#include "model.h"

/* Whether the run searched anything. */
bool nccl_conf_wanted(const struct model *model);
/* Whether the file has a line that NCCL reads, perhaps for some sizes alone. */
bool nccl_conf_sets(const struct model *model);
void nccl_conf_write(const struct model *model, FILE *out);

#endif
