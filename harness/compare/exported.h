/* A comparison as a file of another form: a file and a row for each. */
#ifndef LAUNCHGAP_EXPORTED_H
#define LAUNCHGAP_EXPORTED_H

#include <stdbool.h>
#include <stdio.h>

#include "../config/options.h"

struct comparison;
struct combined;

#define EXPORTED_FORMATS 2

/* An option for each, of files[EXPORTED_FORMATS]. */
extern const struct options exported_options;
/* Whether it is of several runs that are combined, too. */
bool exported_combines(unsigned format);
/* Writes those formats that have a file, of two results or of several runs; the other is NULL. Each takes its
 * name once it is complete. Of what was refused they say why. */
int exported_write(const struct comparison *two, const struct combined *several,
                   const char *const files[EXPORTED_FORMATS], struct status *st);
/* Adds a short page in Markdown to the end of a file. One that cannot be written is only said. */
void exported_summary(const struct comparison *two, const struct combined *several,
                      const char *file);

/* junit.c: JUnit's XML, as the readers of Jenkins, GitLab and GitHub take it: a suite for each verdict,
 * with a case for it and for each of its cells. Slower is a failure. A cell fails only where its verdict
 * does, so that failures say the same as the exit status. What is undecided or not compared is skipped. */
void junit_write(const struct comparison *c, FILE *out);

#endif
