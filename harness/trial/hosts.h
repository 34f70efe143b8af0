/* On which hosts a variant's processes run: "" (this one alone), a number (as many as its launcher has),
 * or their names with the most processes of each, "a:8,b:8". Every host gets the same layout. */
#pragma once

#include "../status.h"

#define HOSTS_BYTES 1024
#define HOSTS_MOST  1024

/* How many: 1 or more. */
unsigned hosts_count(const char *hosts);
bool hosts_named(const char *hosts);
/* Reads a value: "this", a number, a list, or "@file" of a host file, with a name and "slots=8" in a
 * line, which becomes a list. -1 with a sentence. */
int hosts_read(const char *text, char out[HOSTS_BYTES], struct status *st);
