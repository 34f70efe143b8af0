/* check_told REPORT.json…: prints the errors that told.h, guards.h and schema.h find, and exits with 1. */
#include <stdio.h>

#include "guards.h"
#include "schema.h"
#include "told.h"

int main(int argc, char **argv)
{
	int bad = 0;
	for (int i = 1; i < argc; i++) {
		char why[4096];
		json_t *report = json_load_file(argv[i], 0, NULL);
		if (!report)
			snprintf(why, sizeof why, "it is no JSON");
		if (!report || !told_right(report, why, sizeof why) ||
		    !guards_right(report, why, sizeof why) ||
		    !schema_right(report, why, sizeof why)) {
			printf("report.json: %s\n", why);
			bad = 1;
		}
		json_decref(report);
	}
	return bad;
}
