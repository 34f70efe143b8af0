/* What `compare` says of results: as printed and as JSON. */
#pragma once

#include "../harness/compare/compare.h"
#include "../harness/terminal.h"
#include "here.h"
#include "made.h"

/* The last comparison: as printed, with wrapped lines as one, followed by the status; and as JSON,
 * NULL if there is none. */
static char printed[1 << 16];
static json_t *as_json;

static inline int compared_in(struct compare_request request, char **text, struct status *st)
{
	size_t bytes = 0;
	request.out = open_memstream(text, &bytes);
	assert_non_null(request.out);
	const int code = compare_run(&request, st);
	fclose(request.out);
	assert_int_equal(st->text[0] != '\0', code == COMPARE_NOT_DONE);
	return code;
}

/* No printed line is too wide, except paths. */
static inline int compared(struct compare_request request)
{
	char *text = NULL, *json = NULL;
	const int code = compared_in(request, &text, WHY);
	for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n')
		if (strncmp(line, "  - ", 4) || line[5] != ':')
			assert_true(terminal_width(line) <= 80);
	text_unwrap(text);
	snprintf(printed, sizeof printed, "%s\n%s", text, because());
	request.form = COMPARE_JSON;
	assert_int_equal(compared_in(request, &json, WHY), code);
	json_decref(as_json);
	as_json = code == COMPARE_NOT_DONE ? NULL : json_loads(json, 0, NULL);
	if (as_json)
		json_assert_number(as_json, "schema", 1, 0);
	free(text);
	free(json);
	return code;
}

/* What the command line with these arguments asks for. */
static struct compare_request asks;
#define PARSE(...) compared_parse((const char *const[]){"l", "compare", __VA_ARGS__, NULL})

static inline int compared_parse(const char *const args[])
{
	char *argv[64] = {NULL};
	int argc = 0;
	for (; args[argc]; argc++)
		argv[argc] = (char *)(size_t)args[argc];
	return compare_parse(argc, argv, &asks, WHY);
}

static inline void compared_end(void)
{
	json_decref(as_json);
	tear_down();
}
