/* A line's stamps, read straight from its text: as JSON they take most of the time of reading a
 * record, and many times the room. Only lists as this program writes them, [[1,2],[3,4]], with as
 * many rows of each rank; a line with others is left to the JSON reader, which says what is wrong. */
#ifndef LAUNCHGAP_STAMPS_H
#define LAUNCHGAP_STAMPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum stamp {
	STAMP_START,
	STAMP_ISSUED,
	STAMP_IDLE,
	STAMP_POLL,
	STAMP_DEVICE_START,
	STAMP_DEVICE_END,
	STAMPS
};
const char *stamp_key(enum stamp stamp);

struct stamps {
	unsigned nranks, rows; /* 0: there are none, or the JSON has them */
	bool has[STAMPS];
	size_t first[STAMPS]; /* of values: rank by rank, row by row */
	int64_t *values;
	size_t nvalues, room;
	/* The line with [] for each list that was read: the same JSON otherwise, whatever it is. */
	char *rest;
	size_t rest_bytes, rest_room;
};

/* False: out of memory. */
bool stamps_take(struct stamps *stamps, const char *text, size_t bytes);
void stamps_free(struct stamps *stamps);

/* Whether a stamp is plausible: 18 years around 0, so that some of them can be added up. */
#define RECORD_MOST_NS (INT64_MAX / 16)
static inline bool record_stamp_fits(int64_t ns)
{
	return ns >= -RECORD_MOST_NS && ns <= RECORD_MOST_NS;
}

#endif
