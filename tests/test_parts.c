/* Parts beside the program that are linked with what a machine may lack: the program alone, with a
 * part that is none, and with one that a test made. */
#include <arpa/inet.h>
#include <dlfcn.h>
#include <sys/socket.h>

#include "../harness/backend/gloo/gloo_calls.h"
#include "here.h"

/* The program in a folder of its own, without its parts. */
#define ALONE "cp $LAUNCHGAP $HERE/launchgap; "

/* Open MPI 5 brings UCX, whose constructors change signals. */
TEST(the_program_is_linked_with_no_mpi)
{
	struct cli cli = here_shell("ldd $LAUNCHGAP");
	assert_says(cli.out, "libc.so");
	assert_lacks(cli.out, "libmpi");
	assert_lacks(cli.out, "libopen-");
	assert_lacks(cli.out, "libgloo");
}

/* Processes run without it: their data is checked, and a failed trial is an error. */
TEST(without_mpi_what_needs_it_is_left_out)
{
	cli_write(folder, "t.exp",
	          "[experiment]\ntitle = t\nbackend = host\nranks = 2\nblocks = 1\n"
	          "warmup = 1\nstretches = 1\ncalls = 2\nisolated_calls = 2\n"
	          "collective = all_reduce\nbytes = 64\nreference = threads\n"
	          "[variant threads]\nmode = threads\n[variant processes]\nmode = processes\n"
	          "[variant mpi]\nbackend = mpi\nmode = processes\n"
	          "[variant launched]\nmode = processes\nlauncher = mpirun\n");
	struct cli cli =
	    here_shell(ALONE "touch $HERE/mpirun; chmod +x $HERE/mpirun; PATH=$HERE:$PATH "
	                     "$HERE/launchgap run --file $HERE/t.exp --results $HERE/results "
	                     "--no-report");
	assert_says(cli.out, "left out: launched: MPI cannot be loaded here");
	assert_says(cli.out, "has room for 0 of 2 ranks here: no MPI here: liblaunchgap_mpi.so");
	cli_expect(cli, 0, "without MPI: MPI cannot be loaded here");
	char *record = here_read("trials.jsonl");
	assert_says(record, "\"launcher\":\"exec\"");
	cli_expect(here_shell(ALONE "$HERE/launchgap --version"), 0, "\nwithout MPI\n");
	/* libopenmpi-dev has mpicc and MPI's own libraries. */
	cli = here_shell(ALONE "$HERE/launchgap doctor");
	cli_expect(cli, 0, "MPI           no MPI here: ", "apt-get install libopenmpi-dev");
}

TEST(a_part_that_is_none_is_said)
{
	struct cli cli =
	    here_shell(ALONE "echo x >$HERE/liblaunchgap_mpi.so; $HERE/launchgap doctor");
	cli_expect(cli, 0, "MPI           no MPI here: ", "file too short");
	/* A library, but another. */
	cli =
	    here_shell(ALONE "cp $(ldd $LAUNCHGAP | sed -n 's/.*=> \\(.*libz.so[^ ]*\\).*/\\1/p') "
	                     "$HERE/liblaunchgap_mpi.so; $HERE/launchgap doctor");
	cli_expect(cli, 0, "MPI           no MPI here: ", "undefined symbol: launchgap_mpi");
}

/* Where `make install` puts it, too: lib/launchgap beside bin. */
TEST(a_part_says_which_mpi_it_has)
{
	cli_expect(here_shell(ALONE "cp $(dirname $LAUNCHGAP)/tests/standin_mpi.so "
	                            "$HERE/liblaunchgap_mpi.so; $HERE/launchgap --version"),
	           0, "\nloads Stand-in MPI 3.14\n");
	cli_expect(
	    here_shell("mkdir -p $HERE/bin $HERE/lib/launchgap; mv $HERE/launchgap $HERE/bin; "
	               "mv $HERE/liblaunchgap_mpi.so $HERE/lib/launchgap; "
	               "$HERE/bin/launchgap --version"),
	    0, "\nloads Stand-in MPI 3.14\n");
}

/* However many variants want it: with UCX it loads slowly. */
TEST(mpi_is_tried_once)
{
	cli_write(folder, "part.c",
	          "#include <fcntl.h>\n#include <stdio.h>\n#include <unistd.h>\n"
	          "#include \"harness/mpi/mpi_calls.h\"\n"
	          "static void library(char *text, size_t bytes)\n{\n"
	          "\tsnprintf(text, bytes, \"Stand-in MPI 3.14\");\n"
	          "\t(void)!write(open(TRIED, O_WRONLY | O_CREAT | O_APPEND, 0600), \"x\", 1);\n}\n"
	          "const struct mpi_calls launchgap_mpi = {.library = library};\n");
	cli_write(folder, "t.exp",
	          "; Which?\n[experiment]\ncollective = alltoall\nbytes = 4K\nbackend = host\n"
	          "ranks = 2\nblocks = 1\n[variant a]\nmode = processes\nlauncher = mpirun\n"
	          "[variant b]\nmode = processes\nlauncher = mpirun\npath = fifo\n");
	cli_expect(here_shell(ALONE "ln -s $(command -v true) $HERE/mpirun; "
	                            "cc -shared -fPIC -I. -DTRIED=\"\\\"$HERE/tried\\\"\" "
	                            "-o $HERE/liblaunchgap_mpi.so $HERE/part.c && "
	                            "PATH=$HERE:$PATH $HERE/launchgap run --file $HERE/t.exp "
	                            "--dry-run && wc -c <$HERE/tried"),
	           0, "\n1\n");
}

/* The process that tries it ends, and the program says so. */
TEST(a_part_that_crashes_ends_no_runner)
{
	cli_write(folder, "crash.c",
	          "#include <stdlib.h>\n"
	          "static void __attribute__((constructor)) crash(void)\n{\n\t_Exit(3);\n}\n");
	cli_expect(here_shell(ALONE
	                      "cc -shared -fPIC -o $HERE/liblaunchgap_mpi.so $HERE/crash.c && "
	                      "$HERE/launchgap --version"),
	           0, "built with", "\nwithout MPI\n");
}

/* --- Gloo's ranks, whose places a stranger takes --- */

#define RANKS 3

static const struct gloo_part *gloo;
static struct gloo_address listens[RANKS][RANKS]; /* of a rank, for each */

static struct joining {
	pthread_t thread;
	void *link;
	struct gloo_address at[RANKS];
	int result;
	char why[COLL_CALL_WHY];
} joining[RANKS];

static void *join(void *of)
{
	struct joining *j = of;
	j->result = gloo->connect(j->link, j->at, j->why);
	return NULL;
}

static unsigned port_of(int rank, int peer)
{
	return ((const struct sockaddr_in *)(void *)listens[rank][peer].text)->sin_port;
}

static int come(const struct gloo_address *to)
{
	const int fd = socket(AF_INET, SOCK_STREAM, 0);
	const int result = connect(fd, (const void *)to->text, sizeof(struct sockaddr_in));
	if (result)
		close(fd);
	return result ? -1 : fd;
}

static void listen_all(int timeout_s)
{
	do
		for (int r = 0; r < RANKS; r++) {
			struct joining *j = &joining[r];
			if (j->link)
				gloo->calls.disconnect(j->link);
			assert_int_equal(gloo->listen(r, RANKS, "127.0.0.1", timeout_s, &j->link,
			                              listens[r], j->why),
			                 0);
		}
	/* Of two ranks one listens, by Gloo's order of their ports as they are sent. */
	while (port_of(0, 2) >= port_of(2, 0) || port_of(1, 2) >= port_of(2, 1));
}

/* Rank 2 finds its place at rank 0 taken; rank 1, which waits for it, does not matter. */
TEST(a_stranger_at_one_rank_keeps_no_other_waiting)
{
	char *part = here_shell("printf %%s ${LAUNCHGAP%%/*}/" GLOO_PART).out;
	void *library = dlopen(part, RTLD_NOW);
	free(part);
	if (!library)
		skip();
	gloo = dlsym(library, GLOO_ENTRY);
	assert_non_null(gloo);
	listen_all(2);
	if (port_of(0, 1) == port_of(0, 2))
		skip(); /* a later Gloo asks who comes */
	const int stranger = come(&listens[0][2]);
	assert_true(stranger >= 0);
	for (int more; (more = come(&listens[0][2])) >= 0;) /* until it was taken for rank 2 */
		close(more);
	for (int r = 0; r < RANKS; r++) {
		for (int peer = 0; peer < RANKS; peer++)
			joining[r].at[peer] = listens[peer][r];
		assert_int_equal(pthread_create(&joining[r].thread, NULL, join, &joining[r]), 0);
	}
	for (int r = 0; r < RANKS; r++)
		pthread_join(joining[r].thread, NULL);
	if (joining[0].result || joining[1].result)
		fail_msg("%s%s", joining[0].why, joining[1].why);
	assert_int_equal(joining[2].result, -1);
	assert_says(joining[2].why, "refused");
	close(stranger);
	for (int r = 0; r < RANKS; r++)
		gloo->calls.disconnect(joining[r].link);
}

TESTS(.undrawn = true, .before = set_up, .after = tear_down);
