/* The variants of a plan: placed, checked against this machine, and joined by those that no
 * file asks for. */
#ifndef LAUNCHGAP_PLAN_VARIANTS_H
#define LAUNCHGAP_PLAN_VARIANTS_H

#include "plan.h"

/* The file's, each with why it is left out here. Cells that the reference cannot run are taken
 * out of the plan, with notes. */
int plan_variants_make(struct plan *plan, const char *backend,
                       const struct plan_machine *machine, struct status *st);
/* What no file asks for: the reference once more (how much two equal things differ), and the
 * limit (how much this machine can copy at all). An error is a reference that cannot run here.
 */
int plan_variants_accompany(struct plan *plan, const char *backend,
                            const struct plan_machine *machine, struct status *st);
/* One more, with why it is left out here; `from` is NULL where no file asks for it. The caller
 * has seen to it that there is room. */
int plan_variants_add(struct plan *plan, const char *name, const char *role,
                      const struct settings *settings, const struct spec_variant *from,
                      const struct plan_machine *machine, struct status *st);

#endif
