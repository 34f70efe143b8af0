/* `launchgap doctor`, on stdout. */
#ifndef LAUNCHGAP_DOCTOR_H
#define LAUNCHGAP_DOCTOR_H

/* A line per thing that launchgap can use: there, or what it would add and how to get it.
 * 0 even when something is missing: a machine without GPUs is a machine too. */
int doctor_examine(void);

#endif
