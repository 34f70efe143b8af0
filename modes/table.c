/* The modes, one row each. A layout for which no mode is named belongs to the first row that
 * owns it, and the three that are here own every one. */
#include "mode.h"

extern const struct mode mode_single, mode_threads, mode_processes;

const struct mode *const mode_table[] = {&mode_single, &mode_threads, &mode_processes, NULL};
