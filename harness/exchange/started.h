/* Which process of a job this one is, if somebody else started it: by launchers' variables. */
#pragma once

#include "../status.h"

struct started {
	const char *by;                /* the launcher; NULL: no variable of any is set */
	const char *rank_by, *size_by; /* the variables that say it; size_by: NULL: it has none */
	unsigned rank, size;
	bool has_size;
	unsigned hosts; /* on which as many processes each are; 0: the launcher does not say */
	/* LAUNCHGAP_RENDEZVOUS, else MASTER_ADDR without its port; LAUNCHGAP_SECRET; or NULL. */
	const char *address, *secret;
};

/* The table's first launcher whose rank is set: of nested ones the innermost. */
int started_find(const char *(*env)(const char *name), struct started *out, struct status *st);
/* The names of all variables that it reads, some twice; NULL: there are no more. */
const char *started_variable(unsigned i);
