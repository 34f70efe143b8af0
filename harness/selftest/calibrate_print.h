/* What a calibration found, for people in 80 columns, and as one JSON object of the same tables
 * with every single reading. */
#ifndef LAUNCHGAP_CALIBRATE_PRINT_H
#define LAUNCHGAP_CALIBRATE_PRINT_H

#include <stdio.h>

#include "calibrate.h"

/* json may be NULL. -1 only when memory is out. */
int calibrate_show(const struct calibrate *c, FILE *out, FILE *json, struct status *st);

#endif
