/* What `make install` leaves is all that the program needs: used from another folder, as packages
 * have it. And where the release's number comes from. */
#include "here.h"

/* The built program into a root of its own. */
#define MAKE "env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS make "
#define INSTALL                                                                                    \
	MAKE "-s install B=$(dirname $LAUNCHGAP) "                                                 \
	     "DESTDIR=$HERE/root PREFIX=/usr && mkdir $HERE/elsewhere && cd $HERE/elsewhere && "
#define INSTALLED "$HERE/root/usr/bin/launchgap "

TEST(an_installed_program_runs_its_experiments_from_anywhere)
{
	char *share = test_text("no readable %s/root/usr/share/launchgap/experiments/", folder);
	cli_expect(here_shell(INSTALL INSTALLED
	                      "run smoke backend=null blocks=2 calls=2 "
	                      "isolated_calls=2 && cat results/smoke/latest/report.md"),
	           0, "# ", "smoke");
	cli_expect(here_shell("cd $HERE/elsewhere && ls results/smoke/latest/plots && " INSTALLED
	                      "report results/smoke/latest && " INSTALLED "list"),
	           0, "run.gp", "h800_alltoall");
	cli_expect(here_shell("cd $HERE/elsewhere && rm $HERE/root/usr/share/launchgap/"
	                      "experiments/smoke.exp && " INSTALLED "run smoke"),
	           1, share);
}

/* Parts that other releases left are gone, and ours are found where no linker looks. */
TEST(installed_parts_are_found)
{
	cli_expect(here_shell("mkdir -p $HERE/root/usr/lib && echo x >$HERE/root/usr/lib/"
	                      "liblaunchgap_mpi.so && " INSTALL
	                      "ls $HERE/root/usr/lib && " INSTALLED
	                      "--version >installed && $LAUNCHGAP --version | diff - installed"),
	           0, "launchgap\n");
}

/* Whatever the umask of who installs, and the folder's name. */
TEST(all_can_read_what_is_installed)
{
	cli_expect(here_shell("umask 077; " MAKE "-s install B=$(dirname $LAUNCHGAP) "
	                      "DESTDIR=\"$HERE/a root\" PREFIX=/usr && cd \"$HERE/a root/usr\" && "
	                      "test -z \"$(find . ! -perm -o+r)\" && bin/launchgap --version | "
	                      "grep -q launchgap"),
	           0, "");
}

/* On a machine that lacks libraries of the program. */
TEST(a_static_program_is_linked_and_runs)
{
	struct cli missing = here_shell(
	    "grep -o 'cannot find -l:lib[^ ]*\\.a' ${LAUNCHGAP}-static.log | tr '\\n' ' '");
	const bool skips = *missing.out;
	if (skips)
		print_message("skipped: %sno static library, which STATIC=1 needs\n", missing.out);
	if (skips)
		skip();
	cli_expect(
	    here_shell("cat ${LAUNCHGAP}-static.log; "
	               "! ldd ${LAUNCHGAP}-static | grep -e jansson -e sqlite -e hwloc && "
	               "${LAUNCHGAP}-static --version && ${LAUNCHGAP}-static run smoke "
	               "--results $HERE --no-report --only threads backend=host ranks=2 bytes=4K "
	               "blocks=2 calls=2 isolated_calls=2"),
	    0, "launchgap ", "block 2 of 2");
}

/* A repository that has the Makefile's sources of its number, and nothing else. */
#define REPOSITORY                                                                                 \
	"export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 GIT_COMMITTER_DATE=@1700000000 " \
	"GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a; "        \
	"commit() { git add . && git commit -qm x; }; mkdir -p $HERE/r/harness && "                \
	"cp .gitattributes $HERE/r && cp harness/version.sh harness/stamp $HERE/r/harness && "     \
	"cd $HERE/r && { echo '# C'; echo; echo '## 7.8.9 (soon)'; echo '## 7.8.8'; } "            \
	">CHANGELOG.md && git init -q . && commit && "
#define VERSION "harness/version.sh; "

TEST(the_release_comes_from_the_changelog_and_git)
{
	cli_expect(
	    here_shell(REPOSITORY VERSION "git tag v7.8.9; " VERSION "echo >>CHANGELOG.md; " VERSION
	                                  "commit; " VERSION),
	    0, "7.8.9~git20231114 ", "\n7.8.9 v7.8.9 1700000000\n",
	    "\n7.8.9+git20231114 v7.8.9-dirty 1700000000\n", "\n7.8.9+git20231114 v7.8.9-1-g");
}

TEST(recipes_are_of_the_release)
{
	cli_expect(
	    here_shell("n=$(harness/version.sh | sed 's/[~+ ].*//'); "
	               "grep \"^version = '$n'\" harness/packages/easybuild/launchgap-$n-*.eb"),
	    0, "version");
}

TEST(a_tarball_knows_its_release)
{
	static const char tarball[] =
	    "set -e; " REPOSITORY
	    "for i in 1 2; do rm -rf $HERE/t; mkdir $HERE/t; git archive HEAD | "
	    "tar -xC $HERE/t; (cd $HERE/t; " VERSION ") >$HERE/theirs; " VERSION
	    "harness/version.sh | diff - $HERE/theirs; git tag -f v7.8.9; done; "
	    "rm -rf .git; GIT_DIR=none " VERSION;
	cli_expect(here_shell(tarball), 0, "\n7.8.9 v7.8.9 1700000000\n",
	           "\n7.8.9~git19700101 unknown 0\n");
}

TEST(a_tarball_of_the_commit_has_all_that_it_is_built_of)
{
	cli_expect(
	    here_shell("[ ! -e .git ] || { git archive HEAD | tar -xC $HERE && cd $HERE && " MAKE
	               "-n DEPS=manual all >plan; } && echo builds"),
	    0, "builds");
}

TESTS(.undrawn = true, .before = set_up, .after = tear_down);
