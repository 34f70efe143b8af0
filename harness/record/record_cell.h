/* A cell's line, written and read by the same lists of fields. */
#ifndef LAUNCHGAP_RECORD_CELL_H
#define LAUNCHGAP_RECORD_CELL_H

#include "field.h"
#include "record.h"

/* Adds all of a cell to the line that names its trial, from the team's area. A cell that was
 * not measured has in place of stamps why, `failure` (NULL: nobody said). False: out of memory.
 */
bool record_cell_put(json_t *line, const struct trial *trial, const char *failure, void *area,
                     unsigned cell);
/* Fills the cell from its line, which loses the stamps: parsed, they take many times the room
 * of the samples. */
int record_cell_take(const struct field_place *at, json_t *line, struct record_cell *cell);

/* Text from elsewhere (a library's error, a driver's name) may hold any bytes; JSON only UTF-8:
 * others become '?'. */
json_t *record_text(const char *text, size_t bytes);

#endif
