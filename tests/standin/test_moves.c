/* api = device on stand-ins: the host's side is the program's own, thread blocks are the kernel's,
 * done one after the other (move.c). */
#include "gpus.h"

static struct cli move(const char *text, const char *key)
{
	return run_with(test_text("pace = stream\napi = device\n%s", text), key);
}

/* In packets and straight into buffers (with one thread block a slot holds 12 KiB), in all modes,
 * by graphs, and with the addresses as the older and the newer library give them. */
TEST(data_is_right_in_every_mode)
{
	static const char text[] =
	    "collective = alltoall, alltoallv, all_gather, sendrecv, sendrecv_pairs, "
	    "sendrecv_both, "
	    "sendrecv_halves, pair\nbytes = 20, 40K\ndtype = int8\nreference = threads\n"
	    "[variant threads]\nmode = threads\n[variant processes]\nmode = processes\n"
	    "[variant single]\nmode = single\ncall_ctas = 2\n"
	    "[variant turns]\nmode = single\ncall_ctas = 1\n"
	    "[variant straight]\nmode = processes\ncall_ctas = 1\nnccl = ${NCCL_NEW}\n"
	    "[variant open]\nmode = threads\ncall_ctas = 1\napi = device-no-entry\n"
	    "[variant graph]\nmode = threads\ngraph = 2\ncall_ctas = 1\n"
	    "[variant bulk]\nmode = processes\npath = bulk\n";
	cli_expect(move(text, NULL), 0, "");
}

TEST(data_is_right_of_four_ranks)
{
	cli_expect(move("collective = alltoallv, sendrecv, sendrecv_both, sendrecv_halves, pair\n"
	                "bytes = 20, 40K\ndtype = int8\n[variant mixed]\nlayout = 2x1x2\n"
	                "call_ctas = 1\n",
	                "ranks=4"),
	           0, "");
}

/* Odd sizes and addresses, every width of an element, in place, in groups, several calls at once,
 * and a size that goes straight by itself. */
TEST(data_is_right_however_it_lies)
{
	cli_expect(
	    move("collective = alltoallv, all_gather, sendrecv\nbytes = 33K\nin_place = both\n"
	         "dtype = uint8, bfloat16, float64\nreference = plain\n"
	         "[variant plain]\nmode = threads\noffset = 8\n"
	         "[variant straight]\nlike = plain\ncall_ctas = 1\noffset = 8\n"
	         "[variant window]\nlike = plain\nregister = window\naggregate = 2\n"
	         "[variant delayed]\nmode = single\nextra = 1us\ndelay_rank = 1\n",
	         "ranks=3"),
	    0, "");
	again();
	cli_expect(
	    move("collective = alltoall, sendrecv\nbytes = 1100K\n[variant v]\nmode = single\n"
	         "split = MOD:2\n",
	         "ranks=4"),
	    0, "");
}

TEST(the_report_shows_the_table_and_the_launches)
{
	cli_expect(move("collective = alltoall\nbytes = 4K\n[variant one]\nmode = single\n"
	                "[variant turns]\nmode = single\napi = device-no-entry\n",
	                "ranks=4"),
	           0, "");
	cli_expect(cli_call(folder, "report", here_path(""), NULL), 0, "data correct");
	json_t *report = json_report(here_in("t", "report.json"));
	const json_t *rows = json_table(report, "kernel"),
	             *launches = json_table(report, "kernel_launches");
	assert_int_equal(json_rows(rows, JSON_IS("way", "packets", "own_ctas", "0")),
	                 json_rows(rows, JSON_IS("way", "packets")));
	json_assert_number(json_cell(rows, JSON_IS("sent_bytes", "16384"), "ctas"), "", 16, 0);
	json_assert_text(json_cell(launches, JSON_IS("variant", "one"), "launch"), "",
	                 "programmatic dependent launch");
	json_assert_text(json_cell(launches, JSON_IS("variant", "one"), "barrier"), "", "entry");
	json_assert_text(json_cell(launches, JSON_IS("variant", "turns"), "barrier"), "", "none");
	char *text = cli_read(here_in("t", "report.md"));
	assert_null(strstr(text, "The table is predicted for so many GPUs, not measured"));
}

/* A block waits for that of a rank which shares its GPU, and both have to be there. */
TEST(ranks_of_one_gpu_share_its_thread_blocks)
{
	cli_expect(move("collective = alltoall\nbytes = 4M\n[variant v]\nmode = threads\n"
	                "path = packets\nranks_per_gpu = 4\nenv.NCCL_MULTI_RANK_GPU_ENABLE = 1\n"
	                "nccl = ${NCCL_NEW}\n",
	                "ranks=4"),
	           1, "path = packets: a slot of 12 thread blocks holds 144 KiB");
}

/* New connections and new buffers have their own windows; all of it is given back. */
TEST(connections_are_made_again)
{
	cli_expect(move("collective = alltoall\nbytes = 4K\nconnections = 2\nallocations = 2\n"
	                "[variant threads]\nmode = threads\n[variant single]\nmode = single\n",
	                NULL),
	           0, "");
}

TEST(a_rank_that_never_comes_is_named)
{
	static const struct {
		const char *bytes, *says;
	} rows[] = {{"4K", "rank 0 waited 0.5 s for rank 1 to send, and gave up"},
	            {"40K", "rank 0 waited 0.5 s for rank 1 to begin, and gave up"}};
	static const char *const modes[] = {"threads", "processes", "single"};
	/* In packets in every mode, straight into the buffer in one. */
	for (unsigned m = 0; m < 3; m++)
		for (unsigned i = 0; i < (m ? 1 : 2); i++) {
			again();
			setenv("STANDIN_ABSENT", "1", 1);
			const char *text =
			    test_text("collective = alltoall\nbytes = %s\ncell_timeout = 1\n"
			              "[variant v]\nmode = %s\ncall_ctas = 1\n",
			              rows[i].bytes, modes[m]);
			cli_expect(move(text, NULL), CLI_FAILS, rows[i].says);
			assert_int_equal(cli_processes(folder), 0);
		}
}

TEST(what_it_cannot_do_is_said)
{
	static const struct {
		const char *variant, *says;
	} rows[] = {
	    {"nccl = ${NCCL_LEGACY}\n", "api = device needs NCCL 2.28.3 or later; this is 2.21.5"},
	    {"register = local\n", "api = device registers the receive buffer as a window"},
	    {"allocator = cuda\n", "api = device needs memory of ncclMemAlloc"},
	    {"path = fifo\n",
	     "path = fifo: with nccl allowed are auto and, with api = device, packets"},
	    {"call_ctas = 129\n", "call_ctas = 129: api = device allows up to 128"},
	};
	for (unsigned i = 0; i < LENGTH(rows); i++) {
		again();
		cli_expect(move(test_text("collective = alltoall\nbytes = 4K\n[variant v]\n"
		                          "mode = threads\n%s",
		                          rows[i].variant),
		                NULL),
		           1, rows[i].says);
	}
	again();
	cli_expect(move("collective = alltoall\nbytes = 64K\n[variant v]\nmode = threads\n"
	                "path = packets\ncall_ctas = 1\n",
	                NULL),
	           1, "path = packets: a slot of 1 thread blocks holds 12 KiB");
	again();
	cli_expect(move("collective = all_reduce\nbytes = 4K\n[variant v]\nmode = threads\n", NULL),
	           1, "api = device has no kernel for all_reduce; allowed are alltoall, alltoallv");
	again();
	setenv("STANDIN_NCCL", "ncclCommWindowRegister:3:1", 1);
	cli_expect(move("collective = alltoall\nbytes = 4K\n[variant v]\nmode = single\n", NULL), 1,
	           "registering the buffers: internal error");
}

TESTS(.slow = true, .undrawn = true, .begin = find_all, .before = begin, .after = tear_down);
