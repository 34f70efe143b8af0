/* What a report has to hold whatever its record: the rules that words of verdicts obey. */
#pragma once

#include <jansson.h>
#include <stdbool.h>

/* True; or false, with the first sentence or row that breaks a rule. */
bool guards_right(const json_t *report, char *why, size_t bytes);
