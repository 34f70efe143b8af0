/* The chapters of a report, one file and one name each: what a report answers, in the order of its
 * sections. To remove a chapter, remove its name. */
#pragma once

const char *const *chapters_all(unsigned *n);
