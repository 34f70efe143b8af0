/* A layout without a mode's name belongs to the first row that owns it: the three own every layout.
 * `auto` takes the first launcher that can. */
#include "launcher.h"
#include "mode.h"

const struct mode *const mode_table[] = {&mode_single, &mode_threads, &mode_processes, NULL};
const struct launcher *const launcher_table[] = {&launcher_alone, &launcher_join, &launcher_mpirun,
                                                 &launcher_srun,  &launcher_exec, NULL};
