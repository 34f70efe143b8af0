/* Values of the keys of experiment files: sizes, counts of tokens, environments, libraries, modes
 * and values for one backend; and every mistake in one. */
#include "spec_errors.h"

static void expect_sizes(const char *text, unsigned n, const size_t *want)
{
	size_t sizes[SIZES_MAX];
	unsigned count = 0;
	if (sizes_parse(text, sizes, &count, WHY))
		fail_msg("'%s': %s", text, because());
	assert_int_equal(count, n);
	for (unsigned i = 0; i < n; i++)
		assert_int_equal(sizes[i], want[i]);
}

TEST(test_sizes)
{
	const size_t K = 1024, M = K * K, G = K * M;
	expect_sizes("4K", 1, (size_t[]){4 * K});
	expect_sizes("1", 1, (size_t[]){1});
	expect_sizes("4K..1M x4", 5, (size_t[]){4 * K, 16 * K, 64 * K, 256 * K, M});
	expect_sizes("4K .. 70K x4", 3, (size_t[]){4 * K, 16 * K, 64 * K});
	expect_sizes("4K..4Kx2", 1, (size_t[]){4 * K});
	expect_sizes("4K..16K +4K", 4, (size_t[]){4 * K, 8 * K, 12 * K, 16 * K});
	expect_sizes("4K..15K +4K", 3, (size_t[]){4 * K, 8 * K, 12 * K});
	expect_sizes(" 4K,\t1M , 2M..8M x2 ", 5, (size_t[]){4 * K, M, 2 * M, 4 * M, 8 * M});
	expect_sizes("1KiB, 1MiB, 1GiB, 64G", 4, (size_t[]){K, M, G, 64 * G});
	expect_sizes("1k,1m,1g", 3, (size_t[]){K, M, G});
	expect_sizes("0.5K, 1.0K, 1.5K, 2.25KiB", 4, (size_t[]){512, K, 1536, 2 * K + 256});
	expect_sizes("1.5M, 1.5g, 63.50G", 3, (size_t[]){3 * M / 2, 3 * G / 2, 127 * (G / 2)});
	expect_sizes("1.0009765625M", 1, (size_t[]){M + K});       /* 1 + 2⁻¹⁰ */
	expect_sizes("0.00000095367431640625M", 1, (size_t[]){1}); /* 2⁻²⁰, 20 digits */
	expect_sizes("0.5K..1.5K +0.5K", 3, (size_t[]){512, K, 1536});
	expect_sizes("4K..1M x 16, 2M..4M + 1M", 6,
	             (size_t[]){4 * K, 64 * K, M, 2 * M, 3 * M, 4 * M});
	expect_sizes("1..64G x18446744073709551615", 1, (size_t[]){1});
	expect_sizes("3..64G x9223372036854775809", 1, (size_t[]){3});
	expect_sizes("2..64G x9223372036854775809", 1, (size_t[]){2}); /* must not wrap */
	expect_sizes("32G..64G +64G", 1, (size_t[]){32 * G});
	/* exactly as many as fit */
	size_t sizes[SIZES_MAX];
	unsigned count;
	assert_int_equal(sizes_parse("1M..256M +1M", sizes, &count, WHY), 0);
	assert_int_equal(count, 256);
	assert_int_equal(sizes[255], 256 * M);
}

TEST(test_sizes_refused)
{
	const struct {
		const char *text, *what;
	} rows[] = {
	    {"", "missing"},
	    {"4K,", "missing"},
	    {"4K,,8K", "missing"},
	    {"0", "zero"},
	    {"-4K", "negative"},
	    {"four", "not a size"},
	    {"4KB", "not a size"},
	    {"1.3K", "not whole bytes"},
	    {"1.00000000000000000001G", "not whole bytes"},
	    {"1.K", "not a size"},
	    {"64.5G", "too large"},
	    {"18014398509481983.5K", "too large"},
	    {"4 K", "not a size"},
	    {"0x10", "not a size"},
	    {"68719476737", "too large"},
	    {"17179869184G", "too large"}, /* 2^64 exactly: must not wrap to 0 */
	    {"4K..99999999999999999999G x2", "too large"},
	    {"4K..", "missing"},
	    {"4K..1M", "no step"},
	    {"4K..1M x1", "never ends"},
	    {"4K..1M +0", "never ends"},
	    {"4K..1M -4K", "for a step"},
	    {"4K..1M x", "for a step"},
	    {"4K..1M x1.5", "for a step"},
	    {"4K..1M +1.3K", "not whole bytes"},
	    {"4K..1M x4 x4", "for a step"},
	    {"4K foo..1M x4", "not a size"},
	    {"1M..4K x2", "is empty"},
	    {"8K, 4K", "descend or repeat"},
	    {"4K..64K x4, 16K", "descend or repeat"},
	    {"1..257 +1", "too many sizes"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		size_t sizes[SIZES_MAX] = {7};
		unsigned count = 7;
		if (!sizes_parse(rows[i].text, sizes, &count, WHY))
			fail_msg("'%s' is accepted", rows[i].text);
		assert_says(because(), rows[i].what);
		assert_says(because(), "allowed");
		assert_int_equal(count, 7);
		assert_int_equal(sizes[0], 7);
	}
}

TEST(test_bad_values)
{
	refuse_key("collective = all2all", "allowed is all_reduce, all_gather");
	refuse_key("collective = alltoall, alltoall", "twice");
	refuse_key("bytes = 0", "is zero");
	refuse_key("dtype = float7", "float8_e5m2, or all");
	refuse_key("op = mean", "allowed is sum");
	refuse_key("pace = fast", "allowed is stream, isolated");
	refuse_key("ranks = 0", "from 1 to 1024, or auto");
	refuse_key("ranks = 1025", "from 1 to 1024, or auto");
	refuse_key("backend = cuda", "allowed is auto, ");
	refuse_key("blocks = 1001", "from 1 to 1000");
	refuse_key("blocks = 1e3", "whole number");
	refuse_key("blocks = auto", "from 1 to 1000");
	refuse_key("budget = 0", "1s to 24h");
	refuse_key("warmup = -1", "whole number");
	refuse_key("stretches = 0", "from 1 to");
	refuse_key("calls = 4294967297", "from 1 to");
	refuse_key("timeout = 25h", "1s to 24h");
	refuse_key("seed = 9007199254740992", "to 9007199254740991");
	refuse_key("limit = perhaps", "allowed is no, yes");
	refuse_key("title =", "allowed is 1 to");
	refuse_key("reference = a b", "no name");
	refuse_key(
	    "leads = tunin",
	    "no chapter of the first page (did you mean 'tuning'?); allowed is access, choices");
	refuse_key("leads = method", "no chapter of the first page; allowed is access, choices");
	refuse_key("mode = ../x", "no name");
	refuse_key("bind = core, numa", "allowed is none, core, numa, near-gpu");
	refuse_key("like = one", "unknown key 'like'");
	refuse_key("blokcs = 3", "unknown key 'blokcs' (did you mean 'blocks'?); allowed are "
	                         "those of [experiment] that `launchgap list keys` names");
	refuse_key("nccl = ${", "no ${NAME}");
	refuse_variant_key("bytes = 4K", "unknown key 'bytes'; allowed are those of [variant ");
	refuse_key("NCCL_ALGO = Ring", "(did you mean 'env.NCCL_ALGO'?)");
	refuse_variant_key("path = magic", "allowed is auto, direct, fifo, shared");
	static const char *const versions[] = {"",      "2",    "2.",       "2.23.", "2.x",
	                                       "v2.23", "2,23", "2.23.4.5", "2.223", "-2.23",
	                                       "2 .23", ".23",  "2..3"};
	for (size_t i = 0; i < LENGTH(versions); i++) {
		refuse_variant_key(test_text("nccl_below = %s", versions[i]),
		                   "is no version; allowed is MAJOR.MINOR or");
	}
	refuse_variant_key("delay = 5", "whole ns, us, ms");
	refuse_variant_key("delay = 1.5us", "whole ns, us, ms");
	refuse_variant_key("delay = 9223372036854775808ns", "0 to 1m");
	refuse_variant_key("extra = 2h", "0 to 1m");
	refuse_variant_key("delay_rank = 1024", "or all");
	refuse_variant_key("layout = 2x2", "PxTxR");
	refuse_variant_key("layout = -1x-2x4", "PxTxR");
	refuse_variant_key("layout = 1024x1024x1", "1024 ranks at most");
	refuse_variant_key("layout = 4096x4096x256", "1024 ranks at most"); /* 2^32 */
	refuse_variant_key("like = none-such", "allowed is none");
}

TEST(test_environment_list)
{
	load(BASE ONE "env.NCCL_DEBUG = INFO\nenv.CUDA_VISIBLE_DEVICES = 0,1\n"
	              "env.OMPI_MCA_btl = self\nenv.UCX_TLS =\nenv.FI_PROVIDER = efa\n"
	              "env.GLOO_SOCKET_IFNAME = lo\nenv.my_own = 1\n",
	     "host");
	assert_int_equal(variant("one")->settings.nenv, 7);
	assert_true(has_env(variant("one"), "UCX_TLS="));
	assert_true(has_env(variant("one"), "my_own=1"));
	const char *const bad[] = {"LD_PRELOAD", "PATH", "LD_LIBRARY_PATH", "LAUNCHGAP_RANK",
	                           "",           "1A",   "NCCL_A B",        "NCCL_A-B"};
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		refuse_variant_key(test_text("env.%s = x", bad[i]), "but for PATH, LD_");
	}
	refuse_key("env.LD_PRELOAD = x", "but for PATH, LD_");
	refuse_key("host.env.PATH = x", "but for PATH, LD_");
	refuse_key("nccl.env.PATH = x", "but for PATH, LD_");
	refuse_override("env.LD_PRELOAD=x", "but for PATH, LD_");
}

TEST(test_environment_is_bounded)
{
	char text[4096] = BASE ONE;
	for (unsigned i = 0; i < SPEC_MAX_ENV; i++)
		sprintf(text + strlen(text), "env.NCCL_%u = %u\n", i, i);
	load(text, "host");
	assert_int_equal(variant("one")->settings.nenv, SPEC_MAX_ENV);
	strcat(text, "env.NCCL_MORE = 1\n");
	refuse(text, 6 + SPEC_MAX_ENV, "one too many");
	/* Another backend's keys count each for their own variant. */
	strcpy(text, BASE);
	for (unsigned v = 0; v < 2; v++) {
		sprintf(text + strlen(text), "[variant v%u]\nmode = single\n", v);
		for (unsigned i = 0; i < 20; i++)
			sprintf(text + strlen(text), "nccl.env.NCCL_%u_%u = 1\n", v, i);
	}
	load(text, "host");
	assert_int_equal(spec.variants[1].settings.nenv, 0);
	load(text, "nccl");
	assert_int_equal(spec.variants[1].settings.nenv, 20);
	load_overridden(BASE ONE, "host", test_text("env.NCCL_A=%0*d", TRIAL_ENV_BYTES - 8, 0));
	assert_int_equal(strlen(variant("one")->settings.env[0]), TRIAL_ENV_BYTES - 1);
	refuse_override(test_text("env.NCCL_A=%0*d", TRIAL_ENV_BYTES - 7, 0), "too long");
}

/* Tokens are sizes of a mixture of experts: with the datatype and the width that count. */
TEST(test_tokens)
{
#define MOE "[experiment]\ncollective = moe_step\nhidden = 16\n"
	char *bytes = "bytes=4K", *tokens = "tokens=3";
	load(MOE "tokens = 2..8 x2, 1K\n" ONE, "host");
	assert_int_equal(spec.nsizes, 4);
	assert_int_equal(spec.sizes[0], 2 * 16 * 4);
	assert_int_equal(spec.sizes[3], 1024 * 16 * 4);
	load(MOE "dtype = float16, bfloat16\ntokens = 2\n" ONE, "host");
	assert_int_equal(spec.sizes[0], 2 * 16 * 2);
	load(MOE "tokens = 2\nhost.hidden = 32\nhost.tokens = 3\n" ONE, "host");
	assert_int_equal(spec.sizes[0], 3 * 32 * 4);
	load(MOE "tokens = 2\nhost.bytes = 1K\n" ONE, "host");
	assert_int_equal(spec.sizes[0], 1024);
	load_overridden(MOE "tokens = 2\n" ONE, "host", bytes);
	assert_int_equal(spec.sizes[0], 4096);
	load_overridden(MOE "bytes = 1K\n" ONE, "host", tokens);
	assert_int_equal(spec.sizes[0], 3 * 16 * 4);
	load_overridden(MOE "tokens = 2\n" ONE, "host", "hidden=8");
	assert_int_equal(spec.sizes[0], 2 * 8 * 4);
	refuse(MOE "tokens = none\n" ONE, 4, "tokens = 'none' is not allowed");
	refuse(MOE "tokens = 0\n" ONE, 4, "zero");
	refuse(MOE "tokens = 2\nbytes = 4K\n" ONE, 5, "allowed is one of the two");
	refuse(MOE "tokens = 2\ndtype = float16, float32\n" ONE, 4, "datatypes of one size");
	refuse(MOE "tokens = 2\n" ONE "[variant two]\nlike = one\nhidden = 8\n", 4,
	       "one hidden for all variants");
	refuse(MOE "tokens = 2G\n" ONE, 4, "too many; allowed are 1073741824");
	refuse("[experiment]\ncollective = alltoall\nbytes = 4K\nhost.tokens = 4\n" ONE, 4,
	       "tokens = 4 is used by no collective");
	assert_refused(load_with(BASE ONE, "host", 1, &tokens),
	               "command line: tokens = 3 is used by no collective");
#undef MOE
}

TEST(sections_are_for_one_backend)
{
	const char *text = "[experiment]\ncollective = alltoall\nbytes = 4K\npath = direct\n"
	                   "[experiment on host]\nbytes = 8K\n"
	                   "[variant one]\nmode = threads\n"
	                   "[variant two]\nlike = one\npath = shared\n"
	                   "[variant one on host] ; what is on host alone\npath = fifo\n"
	                   "env.NCCL_A = h\n"
	                   "[variant one on nccl]\nregister = local\n";
	load(text, "host");
	assert_int_equal(spec.nvariants, 2);
	assert_int_equal(spec.sizes[0], 8192);
	assert_string_equal(variant("one")->settings.path, "fifo");
	assert_string_equal(variant("two")->settings.path, "shared"); /* nearer wins */
	assert_true(has_env(variant("two"), "NCCL_A=h"));
	assert_string_equal(variant("one")->elsewhere, "nccl.register");
	load(text, "null");
	assert_int_equal(spec.sizes[0], 4096);
	assert_string_equal(variant("one")->settings.path, "direct");
	load_overridden(text, "host", "host.bytes=16K");
	assert_int_equal(spec.sizes[0], 16384);
	/* A name may be "on". */
	load(BASE "[variant on]\nmode = single\n[variant on on host]\nmode = threads\n", "host");
	assert_string_equal(variant("on")->settings.mode, "threads");
}

TEST(sections_for_one_backend_refused)
{
	refuse(BASE ONE "[variant one on hots]\nmode = single\n", 6, "did you mean 'host'");
	refuse(BASE ONE "[variant one at host]\n", 6, "not a section");
	refuse(BASE ONE "[variant one on host on nccl]\n", 6, "not a section");
	refuse(BASE ONE "[variant ome on host]\nmode = single\n", 6,
	       "there is no [variant ome] (did you mean 'one'?)");
	refuse(BASE ONE "[variant one on host]\nhost.path = fifo\n", 7, "allowed is the key alone");
	refuse(BASE ONE "[variant one on host]\nlike = one\n", 7, "unknown key 'like'");
	refuse(BASE ONE "[variant one on nccl]\nregister = locl\n", 7, "did you mean 'local'");
	/* What is replaced here counts elsewhere. */
	refuse(BASE "blocks = few\n[experiment on host]\nblocks = 3\n" ONE, 4, "from 1 to 1000");
	refuse(BASE ONE "path = fifo\n[variant one on host]\npath = fifo\n[variant one on host]\n",
	       9, "section [variant one on host] is there already, in line 8");
	refuse(BASE ONE "host.path = fifo\n[variant two]\nmode = single\n[variant one on host]\n",
	       9, "already, in line 6");
	refuse(BASE ONE "[claim c on sub]\n[variant one]\n", 6, "is no backend; allowed is");
	refuse(BASE ONE "[claim c on nccl]\ntext = x\n[claim c]\n[claim c]\n", 9,
	       "section [claim c] is there already, in line 8");
}

TEST(test_backend_keys_refused)
{
	refuse_key("hots.blocks = 3", "unknown key 'hots.blocks'");
	refuse_key("host.blokcs = 3", "unknown key 'blokcs'");
	refuse_key("host. = 3", "unknown key");
	refuse_key(".blocks = 3", "unknown key");
	refuse_key("host.host.blocks = 3", "unknown key");
	/* a slip for another machine does not wait for it */
	refuse_key("nccl.blocks = few", "from 1 to 1000");
	refuse_variant_key("nccl.delay = 1", "whole ns");
	refuse_variant_key("host.like = one", "unknown key 'like'");
}

TEST(test_first_reading_knows_no_backend)
{
	const char *text = "[experiment]\nbackend = null\nhost.collective = alltoall\n"
	                   "host.bytes = 4K\n[variant one]\nhost.mode = single\n";
	load(text, NULL);
	assert_string_equal(spec.backend, "null");
	load(text, "host");
	assert_string_equal(variant("one")->settings.mode, "single");
	load_overridden(text, NULL, "backend=host");
	assert_string_equal(spec.backend, "host");
	assert_refused(load_with(text, "null", 0, NULL), "collective is missing");
}

/* It is inherited, and has a word that takes it away. */
TEST(test_nccl_below)
{
	const char *text = BASE "[variant a]\nmode = single\nnccl = /x\nnccl_below = 2.23\n"
	                        "[variant b]\nlike = a\nnccl_below = any\n"
	                        "[variant c]\nlike = a\nnccl.nccl_below = 2.22.3\n";
	load(text, "nccl");
	assert_string_equal(variant("a")->settings.nccl_below, "2.23");
	assert_string_equal(variant("b")->settings.nccl_below, "");
	assert_string_equal(variant("c")->settings.nccl_below, "2.22.3");
	load(text, "host");
	assert_string_equal(variant("c")->settings.nccl_below, "2.23");
}

static void expect_place(const char *name, const char *mode, unsigned ranks)
{
	assert_string_equal(variant(name)->settings.mode, mode);
	assert_int_equal(layout_ranks(variant(name)->settings.layout), ranks);
}

/* One of mode and layout drops an inherited other; both together stay. */
TEST(test_mode_and_layout)
{
	const char *text = BASE "mode = threads\n"
	                        "[variant plain]\n"
	                        "[variant placed]\nlayout = 2x2x2\n"
	                        "[variant back]\nlike = placed\nmode = single\n"
	                        "[variant both]\nmode = single\nlayout = 1x1x4\n"
	                        "[variant there]\nmode = single\nhost.layout = 2x1x3\n";
	load(text, "host");
	expect_place("plain", "threads", 0);
	expect_place("placed", "", 8);
	expect_place("back", "single", 0);
	expect_place("both", "single", 4);
	expect_place("there", "", 6);
	load(text, "null");
	expect_place("there", "single", 0);
	/* On the command line they would make another variant of each. */
	char *const places[] = {"mode=processes", "layout=1x2x1", "host.mode=threads"};
	for (unsigned i = 0; i < 3; i++) {
		assert_refused(load_with(text, "host", 1, &places[i]),
		               "they are named for what they say themselves: plain, placed, "
		               "back, both, there");
	}
	/* A search is in one mode, and about other settings. */
	const char *search = BASE "[variant default]\nmode = threads\n"
	                          "[variant other]\nmode = threads\noffset = 64\n"
	                          "[search]\nfinalists = 1\npath = direct, fifo\n";
	assert_works(load_with(search, "host", 1, &places[0]));
	expect_place("default", "processes", 0);
	expect_place("other", "processes", 0);
}

/* Of a variant in its own section; for all, the run's number of ranks. */
TEST(test_ranks_of_a_variant)
{
	static const char text[] = BASE "ranks = 8\n" ONE "ranks = 2\n"
	                                "[variant more]\nlike = one\nranks = 4\n"
	                                "[variant all]\nlike = more\nranks = auto\n";
	load(text, "host");
	assert_int_equal(spec.ranks, 8);
	assert_int_equal(spec.variants[0].ranks, 2);
	assert_int_equal(spec.variants[1].ranks, 4);
	assert_int_equal(spec.variants[2].ranks, 0);
	load_overridden(text, "host", "ranks=16");
	assert_int_equal(spec.ranks, 16);
	assert_int_equal(spec.variants[1].ranks, 4);
	refuse(BASE ONE "ranks = 0\n", 6, "ranks = '0'");
	refuse(BASE ONE "ranks = 2, 4\n", 6, "allowed is");
	refuse(BASE ONE "ranka = 2\n", 6, "did you mean 'ranks'?");
}

TEST(test_unset_library)
{
	const char *text = BASE "[variant a]\nmode = threads\n"
	                        "[variant old]\nmode = threads\nnccl = ${UNSET}/lib.so\n"
	                        "[variant older]\nlike = old\nenv.NCCL_A = 1\n"
	                        "[variant empty]\nmode = threads\nnccl = ${EMPTY}\n"
	                        "[variant set]\nlike = old\nnccl = ${SET}/a.so.${SET}\n";
	load(text, "host");
	assert_string_equal(variant("a")->skip, "");
	assert_says(variant("old")->skip, "UNSET is not set");
	assert_says(variant("older")->skip, "UNSET is not set");
	assert_says(variant("empty")->skip, "EMPTY is not set");
	assert_string_equal(variant("set")->skip, "");
	assert_string_equal(variant("set")->settings.nccl, "/opt/nccl/a.so./opt/nccl");
	assert_string_equal(variant("set")->variable, "SET");
	assert_string_equal(variant("a")->variable, "");
	assert_string_equal(variant("a")->backend, "auto");
	/* Nor does it take away a library that has its own variant. */
	char *const other[] = {"nccl=/y"};
	assert_refused(load_with(text, "host", 1, other), "say --only a,old,older,empty");
	text = BASE "[variant a]\nmode = threads\n[variant old]\nlike = a\nnccl = ${UNSET}\n";
	load_overridden(text, "host", "nccl=/y");
	assert_string_equal(variant("old")->skip, "");
	assert_string_equal(variant("old")->settings.nccl, "/y");
	/* Another backend's key decides nothing here. */
	load(BASE "[variant a]\nmode = threads\nnccl.nccl = ${UNSET}\n", "host");
	assert_string_equal(variant("a")->skip, "");
	/* A path's bounds. */
	load_overridden(text, "host", test_text("nccl=%0*d", PATH_MAX - 1, 0));
	assert_int_equal(strlen(variant("a")->settings.nccl), PATH_MAX - 1);
	refuse_override(test_text("nccl=%0*d", PATH_MAX, 0), "longer than a path");
}

TESTS(.begin = set_up, .end = tear_down);
