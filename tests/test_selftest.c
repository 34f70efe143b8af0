/* The selftest itself, small: its lines are there, and an instrument that sees nothing would
 * fail. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

#include "../modes/mode.h"
#include "cli.h"

static unsigned count(const char *text, const char *word)
{
	unsigned n = 0;
	for (const char *p = text; (p = strstr(p, word)); p++)
		n++;
	return n;
}

static void every_mode_finds_the_delay_of_the_virtual_device(void **state)
{
	char folder[64];
	(void)state;
	cli_folder(folder);
	/* A busy machine takes its time: the limit is there to end what hangs. */
	struct cli cli =
	    cli_wait(cli_start(folder, (const char *[]){"selftest", "backend=null",
	                                                "comparisons=3", "fresh=1", NULL}),
	             folder, 500);
	assert_true(cli.code == 0 || cli.code == 1); /* 1: a goal missed on a busy machine */
	unsigned modes = 0;
	while (mode_table[modes])
		modes++;
	assert_int_equal(count(cli.out, "false alarms"), modes + modes);
	assert_int_equal(count(cli.out, "detections"), modes * 2 + modes);
	/* A tenth on one rank is found in some mode at least once in three comparisons,
	 * whatever else the machine does, or the instrument is blind. */
	unsigned found = 0;
	for (const char *p = cli.out; (p = strstr(p, "10 % on one rank")); p++)
		found += !strncmp(strstr(p, "detections"), "detections 0", 12) ? 0 : 1;
	assert_true(found > 0);
	free(cli.out);
	cli_clean(folder);
}

static void bad_arguments_are_named(void **state)
{
	char folder[64];
	(void)state;
	cli_folder(folder);
	struct cli cli = cli_run(folder, (const char *[]){"selftest", "backend=gpu", NULL});
	assert_int_equal(cli.code, 1);
	assert_non_null(strstr(cli.out, "'backend=gpu' is not understood; allowed are quick"));
	free(cli.out);
	cli = cli_run(folder, (const char *[]){"selftest", "comparisons=0", NULL});
	assert_int_equal(cli.code, 1);
	assert_non_null(strstr(cli.out, "1 to 1000"));
	free(cli.out);
	cli_clean(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(every_mode_finds_the_delay_of_the_virtual_device),
	    cmocka_unit_test(bad_arguments_are_named),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
