/* Which process of a job this one is, if somebody else started it: by the variables that launchers set. */
#pragma once

#include "../status.h"

struct started {
	const char *by;                /* the launcher; NULL: no variable of any is set */
	const char *rank_by, *size_by; /* the variables that say it; size_by: NULL: it has none */
	unsigned rank, size;
	bool has_size;
	unsigned hosts; /* on which as many processes each are; 0: the launcher does not say */
	/* LAUNCHGAP_RENDEZVOUS, else MASTER_ADDR (its port is torchrun's own); LAUNCHGAP_SECRET. NULL: not set. */
	const char *address, *secret;
};

/* The first launcher of the table whose rank is set: of nested ones the innermost. An error names the variable. */
int started_find(const char *(*env)(const char *name), struct started *out, struct status *st);
/* The names of all variables that it reads, one by one; NULL: there are no more. Some come twice. */
const char *started_variable(unsigned i);
