/* The modes, one row each. A layout without a mode's name belongs to the first row that owns it;
 * these three together own every layout. */
#include "mode.h"

extern const struct mode mode_single, mode_threads, mode_processes;

const struct mode *const mode_table[] = {&mode_single, &mode_threads, &mode_processes, NULL};
