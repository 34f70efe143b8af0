/* check_told REPORT.json [FOLDER]: prints the errors that told.h, guards.h and schema.h find, and page.h in the
 * folder; exits with 1. */
#include <stdio.h>

#include "guards.h"
#include "page.h"
#include "schema.h"
#include "told.h"

int main(int argc, char **argv)
{
	char why[4096] = "it is no JSON";
	json_t *report = argc > 1 ? json_load_file(argv[1], 0, NULL) : NULL;
	if (!report || !told_right(report, why, sizeof why) ||
	    !guards_right(report, why, sizeof why) || !schema_right(report, why, sizeof why)) {
		printf("report.json: %s\n", why);
		return 1;
	}
	if (argc > 2)
		page_right(argv[2], report);
	json_decref(report);
	return 0;
}
