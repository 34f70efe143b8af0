/* JSON of nccl-tests, one file against another: the text before the first NUL, and the text after
 * it, or the same again. */
#include <stdlib.h>
#include <string.h>

#include "../../harness/compare/compare.h"
#include "fuzz.h"

static void compare(const char *left, const char *right, bool json)
{
	struct status st = {""};
	struct compare_request request = {.paths = {left, right},
	                                  .npaths = 2,
	                                  .margin = COMPARE_MARGIN,
	                                  .junit = "a.xml",
	                                  .html = "a.html",
	                                  .summary = "page.md",
	                                  .form = json ? COMPARE_JSON : COMPARE_TEXT,
	                                  .out = fuzz_listen()};
	int code = compare_run(&request, &st);
	char *said = fuzz_said(request.out);
	fuzz_promise(said, "compare: what is said is plain text");
	fuzz_promise(code == COMPARE_NOT_DONE ? st.text[0] != 0 : said[0] != 0,
	             "compare: an answer or a sentence");
	free(said);
}

static void run(const uint8_t *data, size_t bytes)
{
	char *rest, *text = fuzz_text(data, bytes, &rest);
	char left[256], right[256];
	snprintf(left, sizeof left, "%s", fuzz_file("a.json", text, strlen(text)));
	snprintf(right, sizeof right, "%s",
	         fuzz_file("b.json", rest ? rest : text, strlen(rest ? rest : text)));
	compare(left, right, bytes % 2);
	free(text);
}

const struct fuzz_target fuzz_nccl_tests = {run, fuzz_mutate_json};
