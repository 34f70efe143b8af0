/* The statistics as functions of SQL. NULL is no value: aggregates leave it out, and give it where
 * nothing is left.
 *
 *   median(x)        of numbers
 *   quantile(x, p)   p from 0 to 1; between two numbers by their distance (stats_quantile)
 *   size(bytes)      "16 MiB"
 *   COLLATE version  2.9 before 2.28
 *   in_line(json)    a list or an object in a line, "name=NVIDIA H200, pci=…; name=…"; empty texts are
 *                    left out, numbers have four digits, other values are as they are */
#ifndef LAUNCHGAP_FUNCTIONS_H
#define LAUNCHGAP_FUNCTIONS_H

#include <stdbool.h>

struct sqlite3;
/* false: out of memory. */
bool functions_add(struct sqlite3 *lite);

#endif
