/* The path that NCCL's log proves: the lines as NCCL's source words them, version by version.
 */
#include "../harness/backend/table.h"
#include "../harness/backend/nccl/nccl_log.h"
#include "cli.h"
#include "test.h"

#define HEAD  "node1:4242:4243 [0] NCCL INFO "
#define REG_A " 0x7f00aa000000 size 1048576 (baseAddr 0x7f00aa000000 size 2097152) to peer "
#define REG_Z " regAddr 0x7f00bb000000 offsetOut 0\n"

/* What the log says so far. */
static struct nccl_log e;

static void parse_more(const char *text)
{
	assert_works(nccl_log_parse(text, strlen(text), &e, WHY));
	assert_string_equal(because(), "");
}

FIXTURE(fresh)
{
	nccl_log_free(&e);
	assert_null(e.path.links);
	e = (struct nccl_log){0};
}

static void parse(const char *text)
{
	fresh();
	parse_more(text);
}

static void expect_text(const char *right)
{
	char text[256];
	path_text(&e.path, text, sizeof text);
	assert_string_equal(text, right);
}

static void expect_data(enum path_data data, const char *why)
{
	static const struct settings nothing_set;
	nccl_log_model(&nothing_set, &e);
	assert_string_equal(path_data_name(e.path.data), path_data_name(data));
	assert_says(e.path.why, why);
}

/* Every pair of n ranks over 2 channels for sends, and one ring. */
static char *mesh(const char *version, unsigned n, const char *via)
{
	char text[1 << 14];
	snprintf(text, sizeof text,
	         HEAD "NCCL version %s+cuda12.4\n" HEAD "Channel 00/02 :    0   1   2   3\n",
	         version);
	for (unsigned r = 0; r < n; r++)
		status_add(text, sizeof text, HEAD "Channel 05/0 : %u[%u] -> %u[%u] via %s\n", r, r,
		           (r + 1) % n, (r + 1) % n, via);
	status_add(text, sizeof text, HEAD "Connected all rings\n");
	for (unsigned from = 0; from < n; from++)
		for (unsigned to = 0; to < n; to++)
			for (unsigned c = 0; c < 2 && from != to; c++)
				status_add(text, sizeof text,
				           HEAD "Channel %02u/1 : %u[%u] -> %u[%u] via %s\n", c,
				           from, from, to, to, via);
	return test_text("%s", text);
}

/* mesh, and both buffers of each rank opened to each of its peers, but for the pair `but`. */
static char *registered_mesh(const char *version, const char *verb, const char *via, int but)
{
	char text[1 << 14];
	snprintf(text, sizeof text,
	         "%s" HEAD "register comm 0x55d0 buffer 0x7f00aa000000 size 1048576\n",
	         mesh(version, 4, via));
	for (int i = 0; i < 32; i++)
		if (i / 8 != i / 2 % 4 && i / 2 != but)
			status_add(text, sizeof text,
			           HEAD "rank %d - IPC %s buffer" REG_A "%d" REG_Z, i / 8, verb,
			           i / 2 % 4);
	return test_text("%s", text);
}

TEST(links_are_merged_over_channels_and_ends)
{
	const char *sender = HEAD "Channel 00/0 : 0[0] -> 1[1] [send] via NET/Socket/0\n" HEAD
	                          "Channel 01/0 : 0[0] -> 1[1] [send] via NET/Socket/0\n" HEAD
	                          "Channel 01/1 : 0[0] -> 1[1] [send] via NET/Socket/0\n",
	           *receiver = "node2:77:78 [1] NCCL INFO Channel 01/0 : 0[0] -> 1[1] [receive] "
	                       "via NET/Socket/0\n"
	                       "node2:77:78 [1] NCCL INFO Channel 02/0 : 0[0] -> 1[1] [receive] "
	                       "via NET/Socket/1\n";
	parse(sender);
	parse_more(receiver);
	const struct path_link *links = e.path.links;
	assert_int_equal(e.path.nlinks, 2);
	assert_prints("2 NET/Socket/0, 1 NET/Socket/1: NET/Socket", "%u %s, %u %s: %s",
	              links[0].channels, links[0].via, links[1].channels, links[1].via,
	              e.path.transport);
	expect_data(PATH_STAGED, "NET");
}

/* Every way that NCCL 2.14 to 2.30 names a transport. */
TEST(every_transport_is_read)
{
	char *rest = test_text(
	         "P2P/direct pointer;P2P/direct pointer/read;P2P/CUMEM;P2P/CUMEM/read;"
	         "P2P/CUMEM/CE;P2P/CUMEM/read/CE;P2P/MNNVL;P2P/IPC;P2P/IPC/read;"
	         "P2P/indirect/3[3];P2P/indirect/1003[3]/read;SHM/direct;SHM/direct/direct;"
	         "SHM/CE/CE;SHM/direct/CE;NET/Socket/0;NET/IB/7/GDRDMA;"
	         "NET/IB/7/GDRDMA(PCI)/Shared;NET/IB/3(1201)/GDRDMA/Shared;"
	         "NET/IBext_v8/0/Shared;NET/AWS Libfabric/12/GDRDMA"),
	     *via;
	while ((via = strsep(&rest, ";"))) {
		parse(test_text(HEAD "Channel 31/1 : 1000[7] -> 2047[0] via %s\n", via));
		const struct path_link *link = e.path.links;
		assert_int_equal(e.path.nlinks, 1);
		assert_prints("1 from 1000 to 2047", "%u from %u to %u", link->channels, link->from,
		              link->to);
		assert_string_equal(link->via, via);
		assert_string_equal(e.path.transport, via);
	}
}

TEST(old_and_odd_forms_of_a_channel_line)
{
	/* SHM names no connection; devices were PCI bus numbers before 2.18; a time may come first
	 * (2.26); a line may end as on Windows. */
	parse(HEAD "Channel 00 : 0[1b000] -> 1[43000] via SHM/direct/direct\n"
	           "[2026-11-20 10:00:00] " HEAD
	           "Channel 01 : 0[0] -> 1[1] via SHM/direct/direct\r\n");
	assert_int_equal(e.path.nlinks, 1);
	assert_int_equal(e.path.links[0].channels, 2);
	assert_int_equal(e.path.unread, 0);
	expect_text("SHM/direct/direct, 1 link, data path unknown, not registered");
}

/* Their links have other words, and no kernel of theirs is known. */
TEST(nccl_before_2_12_is_read_and_named_as_too_old)
{
	static const char *const logs[] = {
	    "NCCL version 2.10.3+cuda11.3\n" HEAD
	    "Channel 00 : 0[1b000] -> 1[1c000] via direct shared memory\n" HEAD
	    "Channel 01 : 1[1c000] -> 0[1b000] via P2P/direct pointer\n",
	    "NCCL version 2.4.8+cuda10.0\n" HEAD
	    "Ring 00 : 0[0] -> 1[1] via P2P/direct pointer\n" HEAD
	    "Ring 01 : 0 -> 1 [send] via NET/Socket/0\n",
	};
	for (unsigned i = 0; i < LENGTH(logs); i++) {
		parse(logs[i]);
		assert_int_equal(e.path.unread, 0);
		assert_int_equal(e.path.nlinks, 2);
		assert_string_equal(e.path.links[0].via, i ? "NET/Socket/0" : "SHM/direct");
		expect_data(PATH_UNKNOWN, "NCCL before 2.12.10 is not known");
	}
	parse(HEAD "Ring 00 : 7 -> 0 -> 1\n");
	expect_text("no link in the log");
}

TEST(foreign_and_torn_lines_make_no_link)
{
	static const char *const bad[] = {
	    "Channel 00/1 : 0[0] -> 1[1] via P2P/CUMEM\n",    /* no head: not from NCCL */
	    HEAD "Channel 00/1 : 0[0] -> 1[1] via P2P/CUMEM", /* no newline: maybe P2P/CUMEM/read */
	    HEAD "Channel 00/24 :    0   1   2   3   4   5   6   7\n",
	    HEAD "CollNet 00/0 : 3 [send] via COLLNET/SHARP/0/GDRDMA\n",
	    HEAD "Trees [0] 1/-1/-1->0->-1 [1] 1/-1/-1->0->-1\n",
	    HEAD "Channel 00/1 : 2[2] -> 2[2] via P2P/CUMEM\n",
	    "\n\n\0\n",
	};
	static const char *const torn[] = {
	    HEAD "Ring 00 : 0[0] <- 1[1] via P2P/CUMEM\n",
	    HEAD "Channel 00/1 : 0[0] -> 1[1] via P2P/CUM\n",
	    HEAD "Channel 00/1 : 0[0] -> 1[1] via P2P/CUMEM/rea\n",
	    HEAD "Channel 00/1 : 0[0] -> 1[1] via P2P/CUMEMnode1:4\n",
	    HEAD "Channel 00/1 : 0[0] -> [1] via P2P/CUMEM\n",
	    HEAD "Channel 00/7 : 0[0] -> 1[1] via P2P/CUMEM\n",
	    HEAD "Channel 64/1 : 0[0] -> 1[1] via P2P/CUMEM\n",
	    HEAD "Channel 00/1 : 99999999999[0] -> 1[1] via P2P/CUMEM\n",
	    HEAD "Channel 00/1 : 0[0] -> 1[1] via NET/\xff\xfe/0\n",
	    HEAD "Channel 00/1 : 0[0] -> 1[1] via NET/IB/0(3\n",
	    HEAD "Channel 00/1 : 0[0] -> 1[1] via P2P/teleport\n",
	    HEAD "rank 0 - IPC register buffer 0x7f to peer 1\n",
	};
	for (unsigned i = 0; i < LENGTH(bad); i++) {
		parse(bad[i]);
		assert_int_equal(e.path.nlinks, 0);
		assert_int_equal(e.path.unread, 0);
		assert_string_equal(e.path.transport, "");
		expect_text("no link in the log");
		expect_data(PATH_UNKNOWN, "names no link");
	}
	for (unsigned i = 0; i < LENGTH(torn); i++) {
		parse(torn[i]);
		assert_int_equal(e.path.nlinks, 0);
		assert_int_equal(e.npairs, 0);
		assert_int_equal(e.path.unread, 1);
		expect_text("no link in the log, 1 line unread");
	}
	/* A whole line behind half a line is read. */
	parse(HEAD "Channel 00/1 : 0[0] -> 1[1] via P2P/CU" HEAD
	           "Channel 00/1 : 4[4] -> 5[5] via P2P/CUMEM\n");
	assert_int_equal(e.path.nlinks, 1);
	assert_int_equal(e.path.links[0].from, 4);
}

TEST(transports_have_in_common_whole_words_or_are_mixed)
{
	parse(HEAD "Channel 00/1 : 0[0] -> 1[1] via P2P/CUMEM/read\n" HEAD
	           "Channel 00/1 : 1[1] -> 0[0] via P2P/CUMEM\n");
	assert_string_equal(e.path.transport, "P2P/CUMEM");
	parse(HEAD "Channel 00/0 : 0[0] -> 1[1] via P2P/IPC\n" HEAD
	           "Channel 00/0 : 1[1] -> 2[0] [send] via NET/IB/0/GDRDMA\n" HEAD
	           "Channel 00/0 : 1[1] -> 2[0] [send] via NET/IB/1/GDRDMA\n");
	assert_string_equal(e.path.transport, "mixed");
	expect_text("mixed, 3 links, data path unknown, not registered");
}

TEST(the_version_is_that_of_the_loaded_library)
{
	parse("NCCL version 2.28.3+cuda13.0\n" HEAD
	      "NCCL library is too old. This application was compiled with NCCL version "
	      "2.29.2, but is running with NCCL version 2.28.3\n");
	const char *other = HEAD "NCCL version 2.21.5+cuda12.4\n";
	assert_string_equal(e.path.version, "2.28.3");
	assert_int_equal(e.version_code, 22803);
	assert_int_equal(nccl_log_parse(other, strlen(other), &e, WHY), -1);
	assert_says(because(), "2.28.3");
	assert_says(because(), "2.21.5");
	assert_string_equal(e.path.version, "2.28.3");
}

TEST(versions_of_those_who_build_it_themselves_are_read)
{
	static const struct {
		const char *line, *version;
		unsigned code;
	} cases[] = {
	    {HEAD "NCCL version v2.28.3+cuda13.0\n", "2.28.3", 22803},
	    {"NCCL version 2.19.stable.20231101+cuda12.1\n", "2.19.stable.20231101", 21900},
	    {HEAD "NCCL version 2.2\n", "", 0},
	    {HEAD "NCCL version mismatch with remote peer 2.28.9\n", "", 0},
	};
	for (unsigned i = 0; i < LENGTH(cases); i++) {
		parse(cases[i].line);
		assert_string_equal(e.path.version, cases[i].version);
		assert_int_equal(e.version_code, cases[i].code);
	}
}

TEST(registration_is_counted_by_kind_in_every_wording)
{
	static const char *const done[] = {
	    "IPC local register buffer" REG_A "1" REG_Z, /* 2.23 */
	    "IPC graph register buffer" REG_A "1" REG_Z, /* 2.23 */
	    "IPC registered buffer" REG_A "1" REG_Z,     /* 2.26 */
	    "IPC register buffer" REG_A "1" REG_Z,
	    "IPC reuse buffer 0x7f size 1 (baseAddr 0x7f size 2 numSegments 1) to peer 1 "
	    "regAddr "
	    "0x7f\n", /* 2.29 */
	    "NET register userbuff 0x7f (handle 0x55), buffSize 4096\n",
	};
	for (unsigned i = 0; i < LENGTH(done); i++) {
		parse(test_text(HEAD "rank 0 - %s", done[i]));
		assert_true(e.path.registered);
		assert_string_equal(e.path.registered_why, i < 5 ? "1 by IPC" : "1 by NET");
		assert_int_equal(e.npairs, i < 5);
	}
	parse(HEAD "rank 0 - IPC registering buffer" REG_A "1\n" HEAD
	           "rank 0 - IPC deregistered buffer 0x7f peer 1 ipc remote buffer 0x7e\n" HEAD
	           "Proxy rank 1 register success regAddr 0x7f size 1 offset 0\n");
	assert_false(e.path.registered);
	assert_string_equal(e.path.registered_why, "the log shows none");
	parse(HEAD "rank 2 successfully registered NVLS sendbuff 0x7f, recvbuff 0x7e\n" HEAD
	           "rank 2 reuse local-registered NVLS sendbuff 0x7f, recvbuff 0x7e\n" HEAD
	           "rank 2 - COLLNET reuse register userbuff 0x7f (handle 0x1), buffSize 8\n");
	assert_string_equal(e.path.registered_why, "2 by NVLS; 1 by COLLNET");
}

TEST(why_registration_failed_is_told)
{
	static const struct {
		const char *log, *why;
		bool registered;
	} rows[] = {
	    /* A warning in 2.24 and 2.25, with its place in the source and a line before it. */
	    {"\nnode1:4:5 [1] transport/p2p.cc:942 NCCL WARN rank 1 failed to IPC register "
	     "userbuff 0x7f buffSize 4096 nPeers 1 isLegacyIpc (nil)\n" HEAD
	     "rank 0 failed to IPC register userbuff 0x7f buffSize 4096 nPeers 1 isLegacyIpc 0 "
	     "type "
	     "POSIX_FD\n",
	     "2 failed by IPC: nPeers 1 isLegacyIpc (nil)", false},
	    {HEAD "rank 0 failed to NET register userbuff 0x7f buffSize 4096 GDR flag 0\n" HEAD
	          "rank 0 failed to NVLS register sendbuff 0x7f sendbuffSize 1 recvbuff 0x7f "
	          "recvbuffSize 1\n" HEAD "rank 0 - IPC register buffer" REG_A "1" REG_Z,
	     "1 by IPC; 1 failed by NET: GDR flag 0; 1 failed by NVLS", true},
	    {HEAD "register comm 0x55 buffer 0x7f size 4096\n",
	     "1 given to ncclCommRegister, none opened to a peer", false},
	    {HEAD "Skipping registration for buffer 0x7f size 4096 (LocalRegister=0, "
	          "P2pUsesMemcpy=0)\n",
	     "1 skipped: LocalRegister=0, P2pUsesMemcpy=0", false},
	};
	for (unsigned i = 0; i < LENGTH(rows); i++) {
		parse(rows[i].log);
		assert_int_equal(e.path.registered, rows[i].registered);
		assert_string_equal(e.path.registered_why, rows[i].why);
	}
}

/* findings: same process is direct up to 2.22.3, unless disabled or pulled. */
TEST(up_to_2_22_one_process_is_direct)
{
	static const struct {
		const char *version, *via;
		enum path_data data;
		const char *why;
	} rows[] = {
	    {"2.21.5", "P2P/direct pointer", PATH_DIRECT, "straight into"},
	    {"2.22.3", "P2P/direct pointer", PATH_DIRECT, "straight into"},
	    {"2.21.5", "P2P/direct pointer/read", PATH_STAGED, "pulls"},
	    {"2.21.5", "P2P/CUMEM", PATH_STAGED, "FIFO"},
	    {"2.21.5", "P2P/IPC", PATH_STAGED, "FIFO"},
	    {"2.21.5", "SHM/direct/direct", PATH_STAGED, "SHM"},
	    {"2.23.4", "P2P/direct pointer", PATH_STAGED, "label"},
	    {"2.28.3", "P2P/direct pointer", PATH_STAGED, "label"},
	    {"2.28.3", "P2P/CUMEM", PATH_STAGED, "the log shows no such registration"},
	    {"2.28.3", "P2P/CUMEM/CE", PATH_STAGED, "copy engines"},
	    {"2.8.4", "P2P/direct pointer", PATH_UNKNOWN, "2.12.10"},
	    {"2.11.4", "P2P/direct pointer", PATH_UNKNOWN, "2.12.10"},
	};
	for (unsigned i = 0; i < LENGTH(rows); i++) {
		parse(mesh(rows[i].version, 4, rows[i].via));
		assert_int_equal(e.path.nlinks, 12);
		assert_int_equal(e.path.links[0].channels, 3);
		expect_data(rows[i].data, rows[i].why);
	}
}

TEST(from_2_23_both_ends_must_be_registered)
{
	static const char *const verbs[] = {"local register", "register", "registered", "reuse"};
	for (unsigned i = 0; i < LENGTH(verbs); i++) {
		parse(registered_mesh(i ? "2.28.3" : "2.23.4", verbs[i],
		                      i % 2 ? "P2P/direct pointer" : "P2P/CUMEM", -1));
		expect_data(PATH_DIRECT, "both ends");
	}
	/* Rank 1 opened nothing to rank 2. */
	parse(registered_mesh("2.28.3", "register", "P2P/CUMEM", 6));
	expect_data(PATH_UNKNOWN, "2 registered at one end only");
	/* Some buffers only. */
	parse(registered_mesh("2.28.3", "register", "P2P/CUMEM", -1));
	parse_more(HEAD "rank 0 failed to IPC register userbuff 0x7f buffSize 4096 nPeers "
	                "1 isLegacyIpc 0 type POSIX_FD\n");
	assert_false(e.path.registered);
	expect_data(PATH_UNKNOWN, "failed to register 1");
	/* One staged link among direct ones. */
	parse(mesh("2.21.5", 4, "P2P/direct pointer"));
	parse_more(HEAD "Channel 00 : 0[0] -> 4[4] via SHM/direct/direct\n");
	expect_data(PATH_UNKNOWN, "12 links are direct, 1 staged");
	/* Only the process of rank 0 logs the version, else what all versions do is known. */
	parse(HEAD "Channel 00/1 : 1[1] -> 0[0] via P2P/direct pointer\n");
	expect_data(PATH_UNKNOWN, "version");
	parse(HEAD "Channel 00/1 : 1[1] -> 0[0] via P2P/CUMEM\n");
	expect_data(PATH_STAGED, "every version");
}

TEST(copy_engines_and_symmetric_kernels_are_seen)
{
	const char *init =
	               HEAD "Init CE, rank 3 baseUCSymReadyPtr 0x7f, baseUCSymComplPtr 0x7e, seq "
	                    "num 0\n",
	           *each = HEAD "AlltoAll [Copy Engine]: 1048576 Bytes -> cudaMemcpyAsync\n",
	           *kernel = HEAD "AllReduce [Symmetric]: 65536 Bytes -> Kernel "
	                          "AllReduce_RSxLD_AGxST nchannels 16 nthreads 512 nWorks 1\n",
	           *ll = HEAD "AllGather [Symmetric]: 64 Bytes -> Kernel AllGather_LL nchannels 1 "
	                      "nthreads 512\n";
	parse(init);
	assert_true(e.path.copy_engine);
	parse(each);
	assert_true(e.path.copy_engine);
	assert_false(e.path.symmetric);
	expect_data(PATH_DIRECT, "copy engines");
	parse(kernel);
	assert_true(e.path.symmetric);
	expect_data(PATH_DIRECT, "symmetric");
	parse(ll);
	expect_data(PATH_UNKNOWN, "LL");
	parse(HEAD "Symmetric VA size=512GB\n" HEAD
	           "AllReduce: 64 Bytes -> Algo RING proto LL channel{Lo..Hi}={0..1}\n");
	assert_false(e.path.symmetric);
}

/* Of a size the last line counts. An older library's lines have no channels, and are left. */
TEST(choices_are_kept_by_size)
{
	parse(
	    HEAD
	    "AllReduce: 4096 Bytes -> Algo TREE proto LL channel{Lo..Hi}={0..0}\n" HEAD
	    "AllReduce: 1048576 Bytes -> Algo RING proto LL128 channel{Lo..Hi}={0..7}\n" HEAD
	    "ReduceScatter: 1048576 Bytes -> Algo RING proto SIMPLE channel{Lo..Hi}={0..15}\n" HEAD
	    "Reduce: 4096 Bytes -> Algo RING proto LL channel{Lo..Hi}={2..3}\n" HEAD
	    "AllReduce: 1048576 Bytes -> Algo RING proto SIMPLE channel{Lo..Hi}={0..15}\n" HEAD
	    "AllReduce: 8192 Bytes -> Algo RING proto LL channel{Lo..Hi}={3..2}\n" HEAD
	    "AllReduce: 16384 Bytes -> Algo 1 proto 2 time 12.5\n" HEAD
	    "32768 Bytes -> Algo 0 proto 0 time 8.25\n");
	static const struct path_choice right[] = {
	    {"AllReduce", 4096, "TREE", "LL", 1},
	    {"AllReduce", 1048576, "RING", "SIMPLE", 16},
	    {"ReduceScatter", 1048576, "RING", "SIMPLE", 16},
	    {"Reduce", 4096, "RING", "LL", 2},
	};
	struct path back;
	json_t *json = path_to_json(&e.path);
	assert_int_equal(path_from_json(json, &back, WHY), 0);
	assert_int_equal(back.nchoices, LENGTH(right));
	assert_memory_equal(back.choices, right, sizeof right);
	assert_string_equal(back.algorithms,
	                    "ReduceScatter RING SIMPLE, 16 channels; Reduce RING LL, 2 channels; "
	                    "AllReduce RING SIMPLE, 16 channels");
	path_free(&back);
	/* A record of an older launchgap has none. */
	json_object_del(json, "choices");
	assert_int_equal(path_from_json(json, &back, WHY), 0);
	assert_int_equal(back.nchoices, 0);
	path_free(&back);
	json_object_set_new(json, "choices", json_string("RING"));
	assert_refused(path_from_json(json, &back, WHY), "has to be a list");
	json_decref(json);
}

/* Ranks 0 and 1 share a switch, 2 and 3 another; 3 reaches 0 otherwise than 0 reaches 3. */
TEST(a_mixed_path_names_its_pairs)
{
	static const char log[] = HEAD "Channel 00/1 : 0[0] -> 1[1] via P2P/CUMEM\n" HEAD
	                               "Channel 01/0 : 0[0] -> 1[1] via P2P/CUMEM/read\n" HEAD
	                               "Channel 00/1 : 1[1] -> 0[0] via P2P/CUMEM\n" HEAD
	                               "Channel 00/1 : 0[0] -> 2[2] via SHM/direct/direct\n" HEAD
	                               "Channel 00/1 : 2[2] -> 0[0] via SHM/direct/direct\n" HEAD
	                               "Channel 00/1 : 0[0] -> 3[3] via SHM/direct/direct\n" HEAD
	                               "Channel 00/1 : 3[3] -> 0[0] via NET/IB/0\n";
	parse(log);
	char text[256], little[20];
	assert_string_equal(e.path.transport, "mixed");
	path_pairs_text(&e.path, text, sizeof text);
	assert_string_equal(text, "P2P/CUMEM 0-1; SHM/direct 0-2, 0→3; NET/IB 3→0");
	path_pairs_text(&e.path, little, sizeof little);
	assert_string_equal(little, "P2P/CUMEM 0-1; SHM/");
	parse(mesh("2.28.3", 6, "P2P/CUMEM"));
	path_pairs_text(&e.path, text, sizeof text);
	assert_string_equal(text, "P2P/CUMEM 0-1, 0-2, 0-3, 0-4, 0-5, 1-2, 1-3, 1-4 and 7 more");
}

TESTS(.after = fresh);
