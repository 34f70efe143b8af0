/* The table of modes: the requirements on every row of it, whatever rows there are. */
#include "../modes/launcher.h"
#include "../modes/mode.h"
#include "here.h"

TEST(a_name_decides_and_a_wrong_layout_is_no_mode)
{
	assert_null(mode_pick("teams", (struct layout){1, 2, 1}, 1));
	assert_null(mode_pick("single", (struct layout){1, 2, 1}, 1));
	assert_null(mode_pick("threads", (struct layout){2, 1, 1}, 1));
}

/* What a mode places is a host's part, but that hosts with a rank each have a process per rank. */
TEST(each_host_has_its_part_of_a_layout)
{
	assert_string_equal(mode_pick("", (struct layout){2, 3, 1}, 2)->name, "threads");
	assert_string_equal(mode_pick("", (struct layout){2, 1, 3}, 2)->name, "single");
	assert_string_equal(mode_pick("", (struct layout){4, 2, 1}, 2)->name, "processes");
	assert_string_equal(mode_pick("", (struct layout){2, 1, 1}, 2)->name, "processes");
	assert_null(mode_pick("processes", (struct layout){2, 3, 1}, 2));
	assert_null(mode_pick("processes", (struct layout){1, 1, 1}, 1));
}

static struct cell cell = {.coll = COLL_ALLTOALL,
                           .dtype = DTYPE_FLOAT32,
                           .op = OP_NONE,
                           .asked_bytes = 1024,
                           .bytes = 1024};

/* A job of one call on null. */
static struct trial trial_of(struct layout layout)
{
	struct trial trial = {.experiment = "x",
	                      .variant = "v",
	                      .warmup = 1,
	                      .stretches = 1,
	                      .calls = 1,
	                      .isolated_calls = 1,
	                      .arena_bytes = 4096,
	                      .ncells = 1,
	                      .cells = &cell};
	settings_default(&trial.settings);
	strcpy(trial.settings.backend, "null");
	trial.settings.layout = layout;
	return trial;
}

/* A launcher that MPI does not know starts N worlds of one: none of them measures anything. */
TEST(worlds_of_one_say_so)
{
	struct trial trial = trial_of((struct layout){2, 1, 1});
	if (launcher_supports(launcher_find("mpirun"), &trial.settings, WHY))
		skip();
	assert_works(trial_save(&trial, file, WHY));
	/* Not by mpirun: MPI takes it for a world of its own. */
	cli_expect(cli_call(folder, "worker", "mpirun", file, "2", "spin", NULL), 1,
	           "mpirun started 2 processes that are 2 worlds of one");
}

TEST(mpi_has_no_ranks_where_a_launcher_starts_none)
{
	cli_expect(
	    here_run("[experiment]\ncollective = alltoall\nbytes = 4K\nranks = 2\nbackend = host\n"
	             "reference = a\n[variant a]\nmode = threads\n[variant b]\nmode = processes\n"
	             "backend = mpi\nlauncher = exec\n",
	             "--dry-run", NULL),
	    0, "backend mpi sends MPI's messages, and launcher exec starts no MPI");
}

TESTS(.before = set_up, .after = tear_down);
