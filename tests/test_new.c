/* launchgap new: a copy that a dry run accepts by the command that is named. */
#include "here.h"

#define NEW "cd $HERE && $LAUNCHGAP new "

TEST(a_copy_is_accepted_by_the_command_that_is_named)
{
	cli_expect(here_shell(NEW "mine"), 0, "mine.exp is written",
	           "/launchgap run --file mine.exp");
	cli_expect(here_shell("mkdir \"$HERE/a b\" && cp $LAUNCHGAP "
	                      "\"$HERE/a b\" && ln -s $PWD/experiments $HERE && cd $HERE && "
	                      "next=$('a b/launchgap' new other | tail -1) && "
	                      "for b in auto host null; do eval \"$next backend=$b\"; done"),
	           0, "threads-again", "on host", "on null");
	cli_expect(here_shell("cd $HERE && $LAUNCHGAP run --file mine.exp --dry-run --quick"), 0,
	           "threads-again");
}

TEST(what_is_there_stays)
{
	cli_expect(here_shell("echo mine >$HERE/mine.exp; " NEW "mine"), 1,
	           "mine.exp is there already, and stays as it is");
	cli_expect(here_shell("cat $HERE/mine.exp"), 0, "mine\n");
}

TEST(wrong_names_are_refused)
{
	cli_expect(here_shell(NEW "../mine"), 1, "is no name");
	cli_expect(here_shell(NEW), 1, "NAME is missing");
	cli_expect(here_shell(NEW "mine other"), 1, "'other' is not understood");
	cli_expect(here_shell(NEW "mine --compare modes"), 1, "'--compare' is not understood");
	cli_expect(here_shell("ls $HERE/*.exp"), CLI_FAILS, "No such file");
}

TESTS(.undrawn = true, .before = set_up, .after = tear_down);
