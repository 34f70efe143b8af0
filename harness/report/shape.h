/* The objects of report.json, a row for each: what is written, and the schema that programs hold it
 * against (results/report.schema.json), come from these rows. */
#ifndef LAUNCHGAP_SHAPE_H
#define LAUNCHGAP_SHAPE_H

#include <jansson.h>

enum shape {
	SHAPE_REPORT,
	SHAPE_LOOKS,
	SHAPE_SESSION,
	SHAPE_REGIME,
	SHAPE_PICTURE,
	SHAPE_SECTION,
	SHAPE_TABLE,
	SHAPE_COLUMN,
	SHAPE_SPREAD,
	SHAPE_RATIO,
	SHAPE_CHAPTER,
	SHAPE_SENTENCE,
	SHAPE_BASIS,
	SHAPES
};

/* An object of that shape, of its members' values in their order: of a text const char *, of a flag and a count
 * int, of a number double, of all others json_t *, whose reference it takes. A number that is none becomes
 * null; a text that may be missing is left out if it is NULL. NULL if out of memory. The caller owns the
 * reference. */
json_t *shape_make(enum shape shape, ...);

/* Words that stand for numbers, NULL after the last: of enum column_kind, of the bits of enum story_role ("": it
 * is in no file), of enum chapter_place. */
extern const char *const shape_kinds[], *const shape_roles[], *const shape_places[];

#define SHAPE_SCHEMA 2 /* the number of report.json's form */
/* The schema of report.json, JSON Schema of draft 2020-12. As shape_make. */
json_t *shape_schema(void);

#endif
