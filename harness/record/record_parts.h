/* What the files of the record share with each other and with nobody else. */
#ifndef LAUNCHGAP_RECORD_PARTS_H
#define LAUNCHGAP_RECORD_PARTS_H

#include "field.h"
#include "record.h"

/* Whether the stamps of a cell are in the order in which they were taken. */
bool record_stamps_in_order(const struct trial *trial, void *area, unsigned cell);
/* The stamps of all ranks, with what the cell's pass has beside: how far the device's clock is
 * seen to be off, or the counters. */
void record_put_stamps(json_t *line, const struct trial *trial, void *area, unsigned cell);

/* The run's list of backends, with what each of them is: by the environment, checked, or where an
 * older record does not say it, by this program's own table. */
int record_take_backends(const struct field_place *at, struct record_run *run);
/* Each fills its part of a cell from a line; 0, or -1 with the sentence. Which cell it is has
 * to come first. */
int record_take_cell(const struct field_place *at, const json_t *line,
                     struct record_cell *cell);
int record_take_evidence(const struct field_place *at, const json_t *line,
                         struct record_cell *cell);
/* Counters and issuing's CPU time, where the line has them. */
int record_take_counters(const struct field_place *at, const json_t *line,
                         struct record_cell *cell);
/* A line of kind resume, NULL when memory is out; and one taken apart, whose json is the
 * caller's to free in any case. */
json_t *record_resume_json(const json_t *environment, unsigned first_block);
int record_take_resume(const struct field_place *at, json_t *line, struct record_resume *out);
/* Takes the stamps out of the line: parsed, they take many times the room of the samples. */
int record_take_samples(const struct field_place *at, json_t *line, struct record_cell *cell);

#endif
