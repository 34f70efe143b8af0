/* A record's stamps as functions of SQL: single calls are no rows of a table.
 *
 *   calls(cell)         the times of its rows, ns a call, as a list of JSON
 *   stamps(cell, row)   of each rank a list: when it started, had issued, was idle, when the device
 *                       began and ended, or null, all in ns from the first start on; and the
 *                       largest error of any rank's device clock, or null */
#pragma once

#include "../record/record.h"

struct sqlite3;
/* The run outlives it. false: out of memory. */
bool stamps_add(struct sqlite3 *lite, const struct record_run *run);
