/* The options of a verb; help is made of the same rows. A key is what people type: "--file", "-v,
 * --verbose" (one of them), "quick", or "mode" for mode=VALUE. A FIELD_FLAG stands alone; a key
 * with dashes has its value in the next argument; FIELD_OWN without a reader is for help. */
#pragma once

#include "../suggest.h"
#include "../trial/field.h"

/* A reader: borrows the text, of less than the row's bytes, into a const char *. */
field_read_fn options_borrow;

/* Takes argv[i] into `base`; argv ends with NULL. How many, 1 or 2; 0: no row; -1: an error. */
int options_take(const struct fields *options, char *const argv[], int i, void *base,
                 struct status *st);
void options_offer(const struct fields *options, struct suggestion *guess);
/* The i-th name of a row: "-v" of "-v, --verbose". "": there are no more. */
const char *options_name(const struct field *row, unsigned i, char name[64]);
/* What follows its name, for people: "FILE", "0|1|2"; "": nothing. */
const char *options_value(const struct field *row, char value[128]);
/* What is between the two: " ", "=", or "" without a value. */
const char *options_sign(const struct field *row);
void options_help(const struct field *row, char *text, size_t bytes);
