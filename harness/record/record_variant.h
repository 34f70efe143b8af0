/* The variants of a record: those of the file, and the sets of a search. Read once; all other code
 * has them from here. */
#ifndef LAUNCHGAP_RECORD_VARIANT_H
#define LAUNCHGAP_RECORD_VARIANT_H

#include "../trial/settings.h"
#include "member.h"

/* Texts are borrowed from the record's line, "" if it lacks them. */
struct record_variant {
	const char *name, *role, *mode, *layout, *backend, *bind, *skip;
	bool known;               /* the settings could be read; else they are the defaults */
	struct settings settings; /* what an older launchgap's record omits has the default */
	const json_t *json;       /* its member of the line; borrowed */
};

/* -1: out of memory. */
int record_variant_take(const struct member_place *at, json_t *json, struct record_variant *out);

#endif
