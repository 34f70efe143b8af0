/* A variant's hosts: "" (this one), how many, or names with each one's processes, "a:8,b:8". */
#pragma once

#include "../status.h"

#define HOSTS_BYTES 1024
#define HOSTS_MOST  1024

/* How many: 1 or more. */
unsigned hosts_count(const char *hosts);
bool hosts_named(const char *hosts);
/* "this", a number, a list, or "@file" of a host file, "a slots=8" a line, which becomes a list. */
int hosts_read(const char *text, char out[HOSTS_BYTES], struct status *st);
