/* The commands that made the run: its first session's, and of each that went on with it. */
#include <string.h>

#include "bysize.h"
#include "markdown_parts.h"

/* A word of a command line, as a shell would take it again. */
static void put_word(FILE *out, const char *word)
{
	static const char plain[] =
	    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	    "_-+=./:,@%";
	if (*word && strspn(word, plain) == strlen(word)) {
		fputs(word, out);
		return;
	}
	fputc('\'', out);
	for (; *word; word++) {
		if (*word == '\'')
			fputs("'\\''", out);
		else
			fputc((unsigned char)*word < ' ' ? ' ' : *word, out);
	}
	fputc('\'', out);
}

static void put_command(FILE *out, const json_t *command)
{
	fputs("```\n", out);
	for (size_t i = 0; i < json_array_size(command); i++) {
		const char *word = json_string_value(json_array_get(command, i));
		if (i)
			fputc(' ', out);
		put_word(out, word ? word : "");
	}
	fputs("\n```\n\n", out);
}

/* "Blocks 6 to 13", by the record's numbers, which begin with 0. */
static void put_blocks(FILE *out, unsigned begin, unsigned end)
{
	if (begin >= end)
		fputs("No block", out);
	else if (begin + 1 == end)
		fprintf(out, "Block %u", begin);
	else
		fprintf(out, "Blocks %u to %u", begin, end - 1);
}

static void put_session(FILE *out, const char *created, const char *commit,
                        const json_t *counters, const json_t *command)
{
	fprintf(out, ", %s, launchgap ", created);
	grid_escape(out, commit);
	if (json_is_boolean(counters))
		fprintf(out, ", %s counters", json_is_true(counters) ? "with" : "without");
	fputs(":\n\n", out);
	put_command(out, command);
}

void markdown_sessions(FILE *out, const struct summary *s)
{
	const struct record_run *run = s->run;
	const json_t *env = run->environment;
	const char *commit = json_string_value(json_object_get(env, "launchgap"));
	unsigned end = record_next_block(run);
	if (!run->nresumes) {
		put_command(out, json_object_get(env, "command"));
		fputs("launchgap ", out);
		grid_escape(out, commit);
		fputs(", seed", out);
		return;
	}
	fprintf(out, "In %u sessions, the later ones with `--resume`. ", run->nresumes + 1);
	put_blocks(out, 0, run->resumes[0].first_block);
	put_session(out, json_string_value(json_object_get(env, "created")), commit,
	            json_object_get(env, "counters"), json_object_get(env, "command"));
	for (unsigned i = 0; i < run->nresumes; i++) {
		const struct record_resume *r = &run->resumes[i];
		put_blocks(out, r->first_block, i + 1 < run->nresumes ? r[1].first_block : end);
		if (r->json)
			put_session(out, r->created, r->launchgap,
			            json_object_get(r->json, "counters"), r->command);
		else
			fputs(": the record does not say by which command.\n\n", out);
	}
	fputs("Seed", out);
}
