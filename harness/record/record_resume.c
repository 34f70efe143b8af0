/* Lines of kind resume: a run that went on, by which command and from which block. */
#include "record_parts.h"

#include <limits.h>

json_t *record_resume_json(const json_t *environment, unsigned first_block)
{
	json_t *line = json_pack("{s:i, s:s, s:i}", "schema", RECORD_SCHEMA, "kind", "resume",
	                         "first_block", (int)first_block);
	static const char *const keys[] = {"command", "created", "launchgap", "counters"};
	json_int_t blocks = json_integer_value(json_object_get(environment, "blocks"));
	for (size_t i = 0; line && i < sizeof keys / sizeof *keys; i++)
		json_object_set(line, keys[i], json_object_get(environment, keys[i]));
	/* There they are the run's, with those that it had. */
	if (line)
		json_object_set_new(line, "blocks",
		                    json_integer(blocks ? blocks - first_block : 0));
	return line;
}

int record_take_resume(const struct field_place *at, json_t *line, struct record_resume *out)
{
	out->json = json_incref(line);
	out->command = json_object_get(line, "command");
	if (!json_is_array(out->command))
		return field_bad(at, "\"command\" is missing or is no list");
	if (!json_is_boolean(json_object_get(line, "counters")))
		return field_bad(at, "\"counters\" is missing; it is true or false");
	out->counters = json_is_true(json_object_get(line, "counters"));
	return field_text(at, line, "created", &out->created) ||
	               field_text(at, line, "launchgap", &out->launchgap) ||
	               field_count(at, line, "blocks", 0, &out->blocks) ||
	               field_count(at, line, "first_block", 0, &out->first_block)
	           ? -1
	           : 0;
}

unsigned record_next_block(const struct record_run *run)
{
	unsigned next = 0;
	for (unsigned i = 0; i < run->ncells; i++)
		if (run->cells[i].block >= next)
			next = run->cells[i].block + 1;
	for (unsigned i = 0; i < run->nfailures; i++)
		if (run->failures[i].block >= next)
			next = run->failures[i].block + 1;
	return next;
}

long long record_blocks_asked(const struct record_run *run)
{
	const struct record_resume *last =
	    run->nresumes ? &run->resumes[run->nresumes - 1] : NULL;
	if (last && last->json)
		return last->blocks ? (long long)last->first_block + last->blocks : 0;
	return json_integer_value(json_object_get(run->environment, "blocks"));
}
