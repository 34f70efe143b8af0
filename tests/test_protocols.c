/* Several backends in one experiment: a cell that one of them refuses is omitted with its sentence,
 * and cells that run have the same right data. */
#include "here.h"
#include "json.h"

TEST(what_a_library_cannot_do_is_left_out_with_a_sentence)
{
	static const struct {
		const char *variant, *settings, *said;
	} refused[] = {
	    {"mpi-threads", "backend = mpi\nmode = threads", "an MPI rank is a process"},
	    {"mpi-single", "backend = mpi\nmode = single", "an MPI rank is a process"},
	    {"mpi-gated", "backend = mpi\nmode = processes\nstart = gated",
	     "start = gated holds devices"},
	    {"mpi-apart", "backend = mpi\nmode = processes\nisolate = uts",
	     "allowed is isolate = none"},
	    {"gloo-single", "backend = gloo\nmode = single", "its calls block, so one thread"},
	    {"gloo-gated", "backend = gloo\nmode = threads\nstart = gated",
	     "gloo: start = gated holds devices"},
	    {"mpi-path", "backend = mpi\nmode = processes\npath = fifo",
	     "path is a setting of backend nccl or host"},
	    {"host-device", "backend = host\nmode = threads\nmemory = device",
	     "host: its ranks copy in CPU memory"},
	};
	char text[2048] = "collective = all_reduce\nbytes = 64\n[variant a]\nmode = threads\n";
	for (unsigned i = 0; i < LENGTH(refused); i++)
		snprintf(text + strlen(text), sizeof text - strlen(text), "[variant %s]\n%s\n",
		         refused[i].variant, refused[i].settings);
	struct cli cli = run_two("host", text, "--dry-run");
	assert_int_equal(cli.code, 0);
	for (unsigned i = 0; i < LENGTH(refused); i++)
		if (strncmp(refused[i].variant, "gloo", 4) || !strstr(cli.out, "no Gloo here"))
			assert_says(cli.out, refused[i].said);
}

/* Of the reference it leaves the datatype out, or the run does not begin. */
TEST(what_mpi_does_not_reduce_is_said)
{
	cli_expect(run_two("host",
	                   "collective = all_reduce\nbytes = 64\ndtype = bfloat16\n"
	                   "[variant a]\nbackend = mpi\nmode = processes\n",
	                   "--dry-run"),
	           1, "MPI reduces no 16-bit and 8-bit floats");
	cli_expect(
	    run_two("host",
	            "collective = all_reduce\nbytes = 64\nop = avg\n"
	            "[variant a]\nbackend = mpi\nmode = processes\n",
	            "--dry-run"),
	    1,
	    "mpi: all_reduce: the library has no such operation; allowed are sum, prod, min and "
	    "max");
	cli_expect(run_two("host",
	                   "collective = all_reduce\nbytes = 64\ndtype = int8\n"
	                   "[variant a]\nbackend = mpi\nmode = processes\n",
	                   "--dry-run"),
	           1, "sums of 8-bit integers saturate");
}

/* Whether the first row that begins so has nothing in the column. */
static bool column_is_empty(const char *csv, const char *column, const char *row)
{
	unsigned at = 0;
	const char *name = strstr(csv, column), *cell = strstr(csv, row);
	assert_true(name && cell);
	for (const char *p = csv; p < name; p++)
		at += *p == ',';
	for (cell++; at; cell++)
		at -= *cell == ',';
	return *cell == ',' || *cell == '\n';
}

/* Cells of one run: outputs have to be equal whatever carried them, and calls that block have no
 * launch cost. The run is about the reference's backend, wherever that is listed. */
TEST(backends_agree_in_one_run)
{
	unsigned ran = 0;
	struct cli cli = run_two("host",
	                         "collective = all_reduce, sendrecv\nbytes = 4K\npace = isolated\n"
	                         "reference = host\n"
	                         "[variant mpi]\nbackend = mpi\nmode = processes\n"
	                         "[variant gloo]\nbackend = gloo\nmode = threads\n"
	                         "[variant host]\nbackend = host\nmode = threads\n",
	                         NULL);
	cli_expect(cli, 0, "2 ranks on host", "Which backend from which size");
	struct record_run record = cli_record(here_path("trials.jsonl"));
	for (unsigned i = 0; i < record.ncells; i++) {
		const struct record_cell *cell = &record.cells[i];
		assert_string_equal(cell->error, "");
		assert_int_equal(cell->wrong, 0);
		assert_int_equal(cell->traits->blocks,
		                 !strcmp(cell->variant, "mpi") || !strcmp(cell->variant, "gloo"));
		ran += !strcmp(cell->variant, "mpi");
	}
	assert_true(ran >= 2);
	assert_string_equal(json_string_value(json_object_get(record.environment, "backend")),
	                    "host");
	char *csv = here_read("summary.csv");
	assert_says(csv, "mpi");
	/* launch_us of a call that blocks is empty. */
	assert_true(column_is_empty(csv, "launch_us", "\nmpi,"));
	assert_false(column_is_empty(csv, "launch_us", "\nhost,"));
}

/* And it is in the report. */
TEST(the_rest_is_measured)
{
	static const char *const said[] = {
	    "left out: init: backend host has no communicators to make",
	    "left out: all_gather of less than 64 bytes: each of 4 ranks has a part ",
	    "measured out of place only: sendrecv: ",
	};
	struct cli cli =
	    here_run("; A test.\n[experiment]\nbackend = host\nlimit = no\nranks = 4\nblocks = 1\n"
	             "collective = all_reduce, all_gather, sendrecv, init\nbytes = 8..128 x2\n"
	             "pace = isolated\nisolated_calls = 2\nin_place = both\n"
	             "[variant a]\nmode = threads\n",
	             NULL);
	cli_expect(cli, 0, "data correct");
	json_t *report = json_report(here_path("report.json"));
	for (unsigned i = 0; i < LENGTH(said); i++) {
		assert_says(cli.out, said[i]);
		json_says(report, "method", said[i]);
	}
	/* The head; the variant and its twin, each 5 + 2 sizes in two places, and 5 in one. */
	assert_int_equal(cli_lines(here_path("summary.csv")), 1 + 2 * (2 * (5 + 2) + 5));
}

TESTS(.undrawn = true, .before = set_up, .after = tear_down);
