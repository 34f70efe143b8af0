/* check_sentences REPORT.json: the errors that sentences.h and guards.h find; exits with 1. */
#include <stdio.h>

#include "guards.h"
#include "sentences.h"

int main(int argc, char **argv)
{
	char why[4096] = "it is no JSON";
	json_t *report = argc > 1 ? json_load_file(argv[1], 0, NULL) : NULL;
	const bool right = report && sentences_right(report, why, sizeof why) &&
	                   guards_right(report, why, sizeof why);
	if (!right)
		printf("report.json: %s\n", why);
	json_decref(report);
	return !right;
}
