#include "record_line.h"

#include <inttypes.h>
#include <jansson.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#define SUM_FORMAT ",\"xxh3\":\"%016" PRIx64 "\"}"
#define SUM_BYTES  27 /* of it */

int record_line_put(FILE *out, const char *object)
{
	size_t bytes = strlen(object) - 1; /* less its brace */
	char sum[SUM_BYTES + 1];
	snprintf(sum, sizeof sum, SUM_FORMAT, (uint64_t)XXH3_64bits(object, bytes));
	return fprintf(out, "%.*s%s\n", (int)bytes, object, sum) < 0 ? EOF : 0;
}

enum record_sum record_line_sum(const char *line, size_t bytes)
{
	char sum[SUM_BYTES + 1];
	if (bytes <= SUM_BYTES || memcmp(line + bytes - SUM_BYTES, SUM_FORMAT, 9) != 0)
		return RECORD_SUM_NONE;
	bytes -= SUM_BYTES;
	snprintf(sum, sizeof sum, SUM_FORMAT, (uint64_t)XXH3_64bits(line, bytes));
	return memcmp(line + bytes, sum, SUM_BYTES) ? RECORD_SUM_WRONG : RECORD_SUM_RIGHT;
}

bool record_line_whole(const char *line, size_t bytes)
{
	json_t *object = json_loadb(line, bytes, JSON_REJECT_DUPLICATES, NULL);
	bool whole = json_is_object(object) && record_line_sum(line, bytes) != RECORD_SUM_WRONG;
	json_decref(object);
	return whole;
}
