/* Experiment files: what they may say, who wins, and that every slip names its line and the way
 * out. */
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../harness/config/load.h"
#include "../harness/config/spec.h"
#include "here.h"

#define BASE                                                                                   \
	"[experiment]\n"                                                                       \
	"collective = alltoall\n"                                                              \
	"bytes = 4K\n"
#define ONE "[variant one]\nmode = threads\n"

static struct spec spec; /* large: not for the stack */

static const char *lookup(const char *name)
{
	if (!strcmp(name, "SET"))
		return "/opt/nccl";
	return strcmp(name, "EMPTY") ? NULL : "";
}

static void write_file(const char *text, size_t bytes)
{
	FILE *out = fopen(file, "w");
	assert_non_null(out);
	assert_int_equal(fwrite(text, 1, bytes, out), bytes);
	assert_int_equal(fclose(out), 0);
}

static int load_with(const char *text, const char *backend, unsigned n, char *const overrides[],
                     struct status *st)
{
	st->text[0] = '\0';
	write_file(text, strlen(text));
	return spec_load(file, n, overrides, backend, lookup, &spec, st);
}

static void load(const char *text, const char *backend)
{
	struct status st;
	if (load_with(text, backend, 0, NULL, &st))
		fail_msg("%s", st.text);
}

static void load_overridden(const char *text, const char *backend, char *override)
{
	struct status st;
	if (load_with(text, backend, 1, &override, &st))
		fail_msg("%s", st.text);
}

static void expect_text(const struct status *st, const char *fragment)
{
	if (!strstr(st->text, fragment))
		fail_msg("'%s' does not say '%s'", st->text, fragment);
}

/* The error stands at `line` (0: command line), says `what`, and says what is allowed. */
static void refuse(const char *text, unsigned line, const char *what)
{
	struct status st;
	char place[128];
	memset(&spec, 0x5A, sizeof spec);
	assert_int_equal(load_with(text, "host", 0, NULL, &st), -1);
	snprintf(place, sizeof place, "%s:%u: ", file, line);
	if (strncmp(st.text, place, strlen(place)))
		fail_msg("'%s' is not at line %u", st.text, line);
	expect_text(&st, what);
	for (size_t i = 0; i < sizeof spec; i++)
		assert_int_equal(((unsigned char *)&spec)[i], 0x5A); /* set only on success */
}

static void refuse_key(const char *entry, const char *what)
{
	char text[1024];
	snprintf(text, sizeof text, "[experiment]\n%s\n", entry);
	refuse(text, 2, what);
}

static void refuse_variant_key(const char *entry, const char *what)
{
	char text[1024];
	snprintf(text, sizeof text, BASE "[variant one]\n%s\n", entry);
	refuse(text, 5, what);
}

static void refuse_override(char *override, const char *what)
{
	struct status st;
	assert_int_equal(load_with(BASE ONE, "host", 1, &override, &st), -1);
	assert_int_equal(strncmp(st.text, "command line: ", 14), 0);
	expect_text(&st, what);
}

static const struct spec_variant *variant(const char *name)
{
	for (unsigned i = 0; i < spec.nvariants; i++)
		if (!strcmp(spec.variants[i].name, name))
			return &spec.variants[i];
	fail_msg("no variant %s", name);
	return NULL;
}

static bool has_env(const struct spec_variant *v, const char *entry)
{
	for (unsigned i = 0; i < v->settings.nenv; i++)
		if (!strcmp(v->settings.env[i], entry))
			return true;
	return false;
}

static void test_everything_said(void **state)
{
	(void)state;
	load("; Does it?\n"
	     ";   And why?\n"
	     ";\n"
	     "; Not the question any more.\n"
	     "[experiment]\n"
	     "title = a title ; not of the title\n"
	     "collective = alltoall, reduce\n"
	     "bytes = 4K..64K x4\n"
	     "dtype = float32\n"
	     "op = sum\n"
	     "ranks = 8\n"
	     "backend = host\n"
	     "pace = isolated\n"
	     "blocks = 12\n"
	     "warmup = 0\n"
	     "stretches = 7\n"
	     "calls = 30\n"
	     "isolated_calls = 200\n"
	     "timeout = 5m\n"
	     "seed = 9007199254740991\n"
	     "limit = no\n"
	     "reference = b\n"
	     "[variant a]\n"
	     "mode = single\n"
	     "layout = 1x1x8\n"
	     "nccl = /lib/x.so\n"
	     "path = fifo\n"
	     "bind = core\n"
	     "delay = 500ns\n"
	     "extra = 2us\n"
	     "delay_rank = 3\n"
	     "env.NCCL_DEBUG = INFO,a=b\n"
	     "[variant b]\n"
	     "layout = 2x2x2\n",
	     "host");
	assert_string_equal(spec.question, "Does it? And why?");
	assert_string_equal(spec.file, file);
	assert_string_equal(spec.name, "t");
	assert_string_equal(spec.title, "a title");
	assert_int_equal(spec.ncolls, 2);
	assert_int_equal(spec.colls[0], COLL_ALLTOALL);
	assert_int_equal(spec.colls[1], COLL_REDUCE);
	assert_int_equal(spec.nsizes, 3);
	assert_int_equal(spec.ranks, 8);
	assert_string_equal(spec.backend, "host");
	assert_false(spec.paces[PACE_STREAM]);
	assert_true(spec.paces[PACE_ISOLATED]);
	assert_int_equal(spec.blocks, 12);
	assert_int_equal(spec.warmup, 0);
	assert_int_equal(spec.stretches, 7);
	assert_int_equal(spec.calls, 30);
	assert_int_equal(spec.isolated_calls, 200);
	assert_int_equal(spec.timeout_s, 300);
	assert_int_equal(spec.seed, 9007199254740991);
	assert_false(spec.limit);
	assert_string_equal(spec.reference, "b");
	assert_int_equal(spec.nvariants, 2);
	const struct settings *a = &variant("a")->settings;
	assert_string_equal(a->mode, "single");
	assert_int_equal(a->layout.processes, 1);
	assert_int_equal(a->layout.threads, 1);
	assert_int_equal(a->layout.ranks_per_thread, 8);
	assert_string_equal(a->backend, "host");
	assert_string_equal(a->nccl, "/lib/x.so");
	assert_string_equal(a->path, "fifo");
	assert_int_equal(a->bind, BIND_CORE);
	assert_int_equal(a->delay_ns, 500);
	assert_int_equal(a->extra_ns, 2000);
	assert_int_equal(a->delay_rank, 3);
	assert_int_equal(a->nenv, 1);
	assert_string_equal(a->env[0], "NCCL_DEBUG=INFO,a=b");
	assert_int_equal(variant("a")->at.line, 23);
	const struct settings *b = &variant("b")->settings;
	assert_string_equal(b->mode, "");
	assert_int_equal(layout_ranks(b->layout), 8);
	assert_string_equal(b->path, "auto");
}

static void test_defaults(void **state)
{
	(void)state;
	load(BASE "[variant one]\nmode = threads\n[variant two]\nmode = single\n", "host");
	assert_string_equal(spec.question, "");
	assert_string_equal(spec.title, "t");
	assert_int_equal(spec.dtypes[0], DTYPE_FLOAT32);
	assert_int_equal(spec.ops[0], OP_SUM);
	assert_int_equal(spec.ranks, 0);
	assert_string_equal(spec.backend, "auto");
	assert_true(spec.paces[PACE_STREAM] && spec.paces[PACE_ISOLATED]);
	assert_int_equal(spec.blocks, 10);
	assert_false(spec.blocks_auto);
	assert_true(spec.precision == 0.01);
	assert_int_equal(spec.budget_s, 600);
	assert_int_equal(spec.warmup, 5);
	assert_int_equal(spec.stretches, 5);
	assert_int_equal(spec.calls, 20);
	assert_int_equal(spec.isolated_calls, 100);
	assert_int_equal(spec.timeout_s, 300);
	assert_int_equal(spec.seed, 0);
	assert_true(spec.limit);
	assert_string_equal(spec.reference, "one");
	const struct settings *s = &variant("one")->settings;
	assert_string_equal(s->backend, "auto");
	assert_string_equal(s->path, "auto");
	assert_string_equal(s->nccl, "");
	assert_int_equal(layout_ranks(s->layout), 0);
	assert_int_equal(s->bind, BIND_NEAR_GPU);
	assert_int_equal(s->delay_rank, -1);
	assert_int_equal(s->delay_ns, 0);
	assert_int_equal(s->nenv, 0);
	assert_string_equal(variant("one")->skip, "");
}

static void expect_sizes(const char *text, unsigned n, const size_t *want)
{
	size_t sizes[SIZES_MAX];
	unsigned count = 0;
	struct status st = {""};
	if (sizes_parse(text, sizes, &count, &st))
		fail_msg("'%s': %s", text, st.text);
	assert_int_equal(count, n);
	for (unsigned i = 0; i < n; i++)
		assert_int_equal(sizes[i], want[i]);
}

static void test_sizes(void **state)
{
	(void)state;
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
	struct status st = {""};
	assert_int_equal(sizes_parse("1M..256M +1M", sizes, &count, &st), 0);
	assert_int_equal(count, 256);
	assert_int_equal(sizes[255], 256 * M);
}

static void test_sizes_refused(void **state)
{
	(void)state;
	const struct {
		const char *text, *what;
	} rows[] = {
	    {"", "missing"},
	    {"4K,", "missing"},
	    {"4K,,8K", "missing"},
	    {"0", "zero"},
	    {"0K", "zero"},
	    {"-4K", "negative"},
	    {"1K..-4K x2", "negative"},
	    {"four", "not a size"},
	    {"K", "not a size"},
	    {"4KB", "not a size"},
	    {"4T", "not a size"},
	    {"1.3K", "not whole bytes"},
	    {"0.0001K", "not whole bytes"},
	    {"1.00000000000000000001G", "not whole bytes"},
	    {"1.5", "not whole bytes"},
	    {"1.0", "not whole bytes"},
	    {"1.K", "not a size"},
	    {".5K", "not a size"},
	    {"1.5.5K", "not a size"},
	    {"0.0K", "zero"},
	    {"64.5G", "too large"},
	    {"18014398509481983.5K", "too large"},
	    {"+4K", "not a size"},
	    {"4 K", "not a size"},
	    {"0x10", "not a size"},
	    {"65G", "too large"},
	    {"68719476737", "too large"},
	    {"18446744073709551616", "too large"},
	    {"99999999999999999999999", "too large"},
	    {"17179869184G", "too large"}, /* 2^64 exactly: must not wrap to 0 */
	    {"18014398509481985K", "too large"},
	    {"4K..99999999999999999999G x2", "too large"},
	    {"4K..", "missing"},
	    {".. x2", "missing"},
	    {"..4K x2", "missing"},
	    {"4K..1M", "no step"},
	    {"4K..1M x1", "never ends"},
	    {"4K..1M x0", "never ends"},
	    {"4K..1M +0", "never ends"},
	    {"4K..1M +0K", "zero"},
	    {"4K..1M -4K", "for a step"},
	    {"4K..1M x", "for a step"},
	    {"4K..1M x-2", "for a step"},
	    {"4K..1M x2K", "for a step"},
	    {"4K..1M x 2K", "for a step"},
	    {"4K..1M x ", "for a step"},
	    {"4K..1M x1.5", "for a step"},
	    {"4K..1M + 0", "never ends"},
	    {"4K..1M +1.3K", "not whole bytes"},
	    {"4K..1M +", "missing"},
	    {"4K..1M x4 x4", "for a step"},
	    {"4K foo..1M x4", "not a size"},
	    {"1M..4K x2", "is empty"},
	    {"1M..4K +4K", "is empty"},
	    {"8K, 4K", "descend or repeat"},
	    {"4K, 4K", "descend or repeat"},
	    {"4K..64K x4, 16K", "descend or repeat"},
	    {"1..257 +1", "too many sizes"},
	    {"1..64G +1", "too many sizes"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		size_t sizes[SIZES_MAX] = {7};
		unsigned count = 7;
		struct status st = {""};
		if (!sizes_parse(rows[i].text, sizes, &count, &st))
			fail_msg("'%s' is accepted", rows[i].text);
		if (!strstr(st.text, rows[i].what) || !strstr(st.text, "allowed"))
			fail_msg("'%s': '%s' does not say '%s'", rows[i].text, st.text,
			         rows[i].what);
		assert_int_equal(count, 7);
		assert_int_equal(sizes[0], 7);
	}
}

static void test_bad_values(void **state)
{
	(void)state;
	refuse_key("collective = all2all", "allowed is all_reduce, all_gather");
	refuse_key("collective =", "is not known");
	refuse_key("collective = alltoall,", "is not known");
	refuse_key("collective = alltoall sendrecv", "is not known");
	refuse_key("collective = alltoall, alltoall", "twice");
	refuse_key("bytes = 0", "is zero");
	refuse_key("bytes = 4K..1M x1", "never ends");
	refuse_key("bytes =", "missing");
	refuse_key("dtype = float7", "float8_e5m2, or all");
	refuse_key("op = mean", "allowed is sum");
	refuse_key("pace = fast", "allowed is stream, isolated");
	refuse_key("pace = stream, stream", "twice");
	refuse_key("ranks = 0", "from 1 to 1024, or auto");
	refuse_key("ranks = 1025", "from 1 to 1024, or auto");
	refuse_key("ranks = -1", "from 1 to 1024, or auto");
	refuse_key("ranks = many", "from 1 to 1024, or auto");
	refuse_key("backend = cuda", "allowed is auto, ");
	refuse_key("blocks = 0", "from 1 to 1000");
	refuse_key("blocks = 1001", "from 1 to 1000");
	refuse_key("blocks = 1e3", "whole number");
	refuse_key("blocks = 10 x", "whole number");
	refuse_key("blocks = 99999999999999999999", "whole number");
	refuse_key("blocks = automatic", "from 1 to 1000, or auto");
	refuse_key("precision = 0%", "0.01% to 50%");
	refuse_key("precision = 0.009%", "0.01% to 50%");
	refuse_key("precision = 51%", "0.01% to 50%");
	refuse_key("precision = -1%", "0.01% to 50%");
	refuse_key("precision = 0.5", "0.01% to 50%"); /* of one, or of a hundred? */
	refuse_key("precision = 1.%", "0.01% to 50%");
	refuse_key("precision = .5%", "0.01% to 50%");
	refuse_key("precision = 1%%", "0.01% to 50%");
	refuse_key("precision = 0x1%", "0.01% to 50%");
	refuse_key("precision = nan%", "0.01% to 50%");
	refuse_key("precision =", "0.01% to 50%");
	refuse_key("budget = 0", "1s to 24h");
	refuse_key("budget = 25h", "1s to 24h");
	refuse_key("budget = auto", "1s to 24h");
	refuse_key("warmup = -1", "whole number");
	refuse_key("stretches = 0", "from 1 to");
	refuse_key("calls = 0", "from 1 to");
	refuse_key("calls = 4294967297", "from 1 to");
	refuse_key("isolated_calls = 0", "from 1 to");
	refuse_key("timeout = 0", "1s to 24h");
	refuse_key("timeout = 25h", "1s to 24h");
	refuse_key("timeout = -5", "1s to 24h");
	refuse_key("timeout = soon", "1s to 24h");
	refuse_key("seed = 9007199254740992", "to 9007199254740991");
	refuse_key("seed = -1", "whole number");
	refuse_key("limit = perhaps", "allowed is no, yes");
	refuse_key("title =", "allowed is 1 to");
	refuse_key("reference = a b", "no name");
	refuse_key("mode = ../x", "no name");
	refuse_key("bind = core, numa", "allowed is none, core, numa, near-gpu");
	refuse_key("like = one", "one.exp cannot be read");
	refuse_key("blokcs = 3", "unknown key 'blokcs' (did you mean 'blocks'?); allowed is title, collective, bytes");
	refuse_key("nccl = ${", "no ${NAME}");
	refuse_key("nccl = ${}", "no ${NAME}");
	refuse_key("nccl =", "allowed is a path");
	refuse_variant_key("bytes = 4K", "unknown key 'bytes'; allowed is mode, layout");
	refuse_variant_key("path = magic", "allowed is auto, direct, fifo, shared");
	refuse_variant_key("expect = P2P+direkt", "'P2P+direkt' is no path; allowed is P2P");
	refuse_variant_key("expect = NVLINK", "or any");
	refuse_variant_key("nccl.expect = P2P+direct+staged", "one of +direct, +staged");
	refuse_variant_key("expect =", "is no path");
	static const char *const versions[] = {"",      "2",    "2.",       "2.23.", "2.x",
	                                       "v2.23", "2,23", "2.23.4.5", "2.223", "-2.23",
	                                       "2 .23", ".23",  "2..3"};
	for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
		char line[64];
		snprintf(line, sizeof line, "nccl_below = %s", versions[i]);
		refuse_variant_key(line, "is no version; allowed is MAJOR.MINOR or");
	}
	refuse_variant_key("delay = 5", "whole ns, us, ms");
	refuse_variant_key("delay = -5ns", "whole ns, us, ms");
	refuse_variant_key("delay = 1.5us", "whole ns, us, ms");
	refuse_variant_key("delay = 9223372036854775808ns", "0 to 1m");
	refuse_variant_key("extra = 2h", "0 to 1m");
	refuse_variant_key("delay_rank = 1024", "or all");
	refuse_variant_key("delay_rank = -2", "or all");
	refuse_variant_key("layout = 2x2", "PxTxR");
	refuse_variant_key("layout = 0x2x2", "PxTxR");
	refuse_variant_key("layout = 2x2x2x2", "PxTxR");
	refuse_variant_key("layout = -1x-2x4", "PxTxR");
	refuse_variant_key("layout = 1024x1024x1", "1024 ranks at most");
	refuse_variant_key("layout = 4096x4096x256", "1024 ranks at most"); /* 2^32 */
	refuse_variant_key("like = none-such", "allowed is none");
}

static void test_environment_list(void **state)
{
	(void)state;
	load(BASE ONE "env.NCCL_DEBUG = INFO\nenv.CUDA_VISIBLE_DEVICES = 0,1\n"
	              "env.OMPI_MCA_btl = self\nenv.UCX_TLS =\n",
	     "host");
	assert_int_equal(variant("one")->settings.nenv, 4);
	assert_true(has_env(variant("one"), "UCX_TLS="));
	const char *const bad[] = {"LD_PRELOAD", "PATH",     "LD_LIBRARY_PATH", "HOME",
	                           "",           "NCCL_",    "nccl_x",          "NCCL_A B",
	                           "XNCCL_A",    "NCCL_A-B", "CUDAHOME",        "OMPI_MC",
	                           /* These load and run what they name. */
	                           "OMPI_MCA_mca_base_component_path",
	                           "OMPI_MCA_plm_rsh_agent", "OMPI_MCA_btl_x"};
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		char entry[128];
		snprintf(entry, sizeof entry, "env.%s = x", bad[i]);
		refuse_variant_key(entry, "NCCL_, CUDA_ or UCX_, and OMPI_MCA_btl, ");
	}
	refuse_key("env.LD_PRELOAD = x", "NCCL_, CUDA_ or UCX_, and OMPI_MCA_btl, ");
	refuse_key("host.env.PATH = x", "NCCL_, CUDA_ or UCX_, and OMPI_MCA_btl, ");
	refuse_key("nccl.env.PATH = x", "NCCL_, CUDA_ or UCX_, and OMPI_MCA_btl, ");
	refuse_override("env.LD_PRELOAD=x", "NCCL_, CUDA_ or UCX_, and OMPI_MCA_btl, ");
}

/* With --no-libraries; without it all of them are allowed. */
static void test_no_libraries(void **state)
{
	static const char *const names[] = {
	    "nccl = ./libnccl.so.2",        "nccl = libnccl.so.2",
	    "each = /a/libnccl.so.2",       "env.NCCL_NET_PLUGIN = x",
	    "env.NCCL_TUNER_PLUGIN = x",    "env.CUDA_INJECTION64_PATH = x",
	    "env.NCCL_CONF_FILE = x",       "env.UCX_MODULE_DIR = x",
	    "env.UCX_GDB_COMMAND = x",      "env.NCCL_ALGO = /tmp/x",
	    "env.NCCL_ALGO = libx.so",      "env.NCCL_TOPO_DUMP_FILE = x"};
	static const char *const others[] = {
	    "env.NCCL_P2P_DIRECT_DISABLE = 1", "env.CUDA_MODULE_LOADING = EAGER",
	    "env.NCCL_ALGO = Ring"};
	char none[] = SPEC_NO_LIBRARIES "=yes", *overrides[] = {none}, text[1024];
	struct status st;
	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		snprintf(text, sizeof text, BASE ONE "%s\n", names[i]);
		assert_int_equal(load_with(text, "host", 1, overrides, &st), -1);
		expect_text(&st, "which --no-libraries refuses");
	}
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		snprintf(text, sizeof text, BASE ONE "%s\n", others[i]);
		load_overridden(text, "host", none);
	}
}

static void test_environment_is_bounded(void **state)
{
	(void)state;
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

	char override[TRIAL_ENV_BYTES + 32];
	snprintf(override, sizeof override, "env.NCCL_A=%0*d", TRIAL_ENV_BYTES - 8, 0);
	load_overridden(BASE ONE, "host", override);
	assert_int_equal(strlen(variant("one")->settings.env[0]), TRIAL_ENV_BYTES - 1);
	snprintf(override, sizeof override, "env.NCCL_A=%0*d", TRIAL_ENV_BYTES - 7, 0);
	refuse_override(override, "too long");
}

static void test_bad_lines(void **state)
{
	(void)state;
	char text[1024];
	refuse(BASE ONE " mode = single\n", 6, "indented");
	refuse(BASE "\tblocks = 2\n", 4, "indented");
	refuse("bytes = 4K\n", 1, "before any section");
	refuse("[experiment]\nnonsense\n", 2, "not an entry");
	refuse("[experiment]\n= 4\n", 2, "not an entry");
	refuse("; one\n\n[experiment]\n\nblocks = 2\nblocks = 3\n", 6, "in line 5");
	refuse(BASE ONE "[variant two]\nmode = single\n" ONE, 8, "in line 4");
	refuse(BASE ONE "[experiment]\nblocks = 2\n", 6, "in line 1");
	refuse(BASE "[variant one]\n[variant one]\nmode = single\n", 5, "in line 4");
	refuse(ONE BASE, 1, "has to come first");
	refuse(BASE "[figure x]\nfrom = a\n", 4,
	       "unknown section [figure x]; allowed is [experiment], [variant NAME], "
	       "[factor NAME], [claim NAME]");
	refuse(BASE "[variant]\nmode = single\n", 4, "[variant NAME]");
	refuse("[experiment x]\n", 1, "[experiment]");
	refuse(BASE "[variant one\nmode = single\n", 4, "not a section");
	refuse(BASE "[variant one] mode = single\n", 4, "not a section");
	refuse(BASE "[variant one two]\n", 4, "not a section");
	refuse(BASE "[variant ../one]\n", 4, "not a section");
	refuse(BASE "[variant .one]\n", 4, "not a section");
	refuse(BASE "[]\n", 4, "not a section");
	refuse(BASE "[variant limit]\nmode = single\n", 4, "any but 'limit'");
	refuse(BASE "[variant one-again]\nmode = single\n", 4, "any but 'limit'");
	refuse(BASE "[variant a2345678901234567890123456789012345678901]\n", 4, "40 letters");
	load(BASE "[variant a234567890123456789012345678901234567890]\nmode = single\n",
	     "host");
	assert_int_equal(strlen(spec.variants[0].name), 40);

	snprintf(text, sizeof text, "[experiment]\ntitle = %0*d\n", 250, 0);
	refuse(text, 2, "too long");
	snprintf(text, sizeof text, "[experiment]\ntitle = %0*d\n", 128, 0);
	refuse(text, 2, "allowed is 1 to 127");
	snprintf(text, sizeof text, BASE ONE "; %0*d\n", 600, 0); /* a comment may be */
	load(text, "host");
	snprintf(text, sizeof text, "; %0*d\n" BASE ONE, 511, 0);
	refuse(text, 1, "question");
	snprintf(text, sizeof text, "; %0*d\n" BASE ONE, 510, 0);
	load(text, "host");
	assert_int_equal(strlen(spec.question), 510);
	refuse("[experiment]\ntitle = \xff\xfe\n", 2, "UTF-8");
	refuse("[experiment]\ntitle = a\x1b[31m\n", 2, "UTF-8");
}

static void test_bad_files(void **state)
{
	(void)state;
	struct status st = {""};
	assert_int_equal(spec_load("/nonexistent/x.exp", 0, NULL, "host", lookup, &spec, &st),
	                 -1);
	expect_text(&st, "/nonexistent/x.exp: cannot be read: No such file");
	st.text[0] = '\0';
	assert_int_equal(spec_load(folder, 0, NULL, "host", lookup, &spec, &st), -1);
	expect_text(&st, "cannot be read: Is a directory");
	assert_int_equal(load_with("", "host", 0, NULL, &st), -1);
	expect_text(&st, "no section");
	st.text[0] = '\0';
	write_file("[experiment]\ntitle = a\0b\n", 26);
	assert_int_equal(spec_load(file, 0, NULL, "host", lookup, &spec, &st), -1);
	expect_text(&st, ":2: not text");
	refuse("[variant]\n", 1, "unknown section");
	refuse("[experiment]\nbytes = 4K\n" ONE, 1, "collective is missing");
	refuse("[experiment]\ncollective = alltoall\n" ONE, 1, "bytes is missing");
	refuse(BASE, 1, "no variant");
	refuse(BASE "[variant one]\n", 4, "neither mode nor layout");
	refuse(BASE "reference = on\n" ONE, 4, "names no variant (did you mean 'one'?); allowed is one");
}

/* Tokens are sizes of a mixture of experts: of the datatype and the width that count. */
static void test_tokens(void **state)
{
#define MOE "[experiment]\ncollective = moe_step\nhidden = 16\n"
	struct status st;
	char *bytes = "bytes=4K", *tokens = "tokens=3";
	(void)state;
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
	refuse(MOE "tokens = 2\nbytes = 4K\n" ONE, 4, "allowed is one of the two");
	refuse(MOE "tokens = 2\ndtype = float16, float32\n" ONE, 4, "datatypes of one size");
	refuse(MOE "tokens = 2\n" ONE "[variant two]\nlike = one\nhidden = 8\n", 4,
	       "one hidden for all variants");
	refuse(MOE "tokens = 2G\n" ONE, 4, "too many; allowed are 1073741824");
	refuse("[experiment]\ncollective = alltoall\nbytes = 4K\nhost.tokens = 4\n" ONE, 4,
	       "tokens = 4 is heeded by no collective");
	assert_int_equal(load_with(BASE ONE, "host", 1, &tokens, &st), -1);
	expect_text(&st, "command line: tokens = 3 is heeded by no collective");
#undef MOE
}

static void test_too_many_variants(void **state)
{
	(void)state;
	char text[4096] = BASE;
	for (unsigned i = 0; i < SPEC_MAX_VARIANTS; i++)
		sprintf(text + strlen(text), "[variant v%u]\nmode = single\n", i);
	load(text, "host");
	assert_int_equal(spec.nvariants, SPEC_MAX_VARIANTS);
	strcat(text, "[variant more]\nmode = single\n");
	refuse(text, 4 + 2 * SPEC_MAX_VARIANTS, "too many variants");
}

static void test_forms_of_text(void **state)
{
	(void)state;
	load("\xEF\xBB\xBF; with a mark\r\n[experiment] ; the head\r\ncollective=alltoall\r\n"
	     "bytes = 4K\r\n\r\n  ; an indented comment\r\n# another\r\n"
	     "title = \xC3\xBC; no comment\r\n[ variant  one ]\r\nmode = single",
	     "host");
	assert_string_equal(spec.question, "with a mark");
	assert_string_equal(spec.title, "\xC3\xBC; no comment");
	assert_string_equal(spec.variants[0].name, "one");
	assert_string_equal(spec.variants[0].settings.mode, "single");
	/* only the top is the question */
	load(BASE "; not this\n" ONE, "host");
	assert_string_equal(spec.question, "");
	load("; this\n\n; not this\n" BASE ONE, "host");
	assert_string_equal(spec.question, "this");
}

static void test_names(void **state)
{
	(void)state;
	struct status st;
	char kept[sizeof file];
	strcpy(kept, file);
	const char *const bad[] = {
	    "a b.exp", ".exp", "$(x).exp",
	    "a234567890123456789012345678901234567890123456789012345678901"
	    "234.exp"};
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		char path[256];
		snprintf(path, sizeof path, "%s/%s", folder, bad[i]);
		assert_int_equal(rename(kept, path), 0);
		st.text[0] = '\0';
		int rc = spec_load(path, 0, NULL, "host", lookup, &spec, &st);
		assert_int_equal(rename(path, kept), 0);
		assert_int_equal(rc, -1);
		expect_text(&st, "allowed are letters");
	}
}

static void test_backend_keys(void **state)
{
	(void)state;
	const char *text = "[experiment]\ncollective = alltoall\nhost.bytes = 8K\nbytes = 4K\n"
	                   "nccl.blocks = 20\nhost.blocks = 3\nblocks = 7\npath = direct\n"
	                   "host.path = fifo\n"
	                   "[variant one]\nmode = threads\nhost.env.NCCL_A = h\n"
	                   "nccl.env.NCCL_A = n\nenv.NCCL_A = plain\n"
	                   "[variant two]\nmode = single\npath = shared\nnull.delay = 1us\n";
	load(text, "host");
	assert_int_equal(spec.sizes[0], 8192);
	assert_int_equal(spec.blocks, 3);
	assert_string_equal(variant("one")->settings.path, "fifo");
	assert_string_equal(variant("two")->settings.path, "shared"); /* nearer wins */
	assert_true(has_env(variant("one"), "NCCL_A=h"));
	assert_int_equal(variant("one")->settings.nenv, 1);
	assert_int_equal(variant("two")->settings.delay_ns, 0);
	load(text, "nccl");
	assert_int_equal(spec.sizes[0], 4096);
	assert_int_equal(spec.blocks, 20);
	assert_string_equal(variant("one")->settings.path, "direct");
	assert_true(has_env(variant("one"), "NCCL_A=n"));
	load(text, "null");
	assert_int_equal(spec.blocks, 7);
	assert_int_equal(variant("two")->settings.delay_ns, 1000);
	assert_true(has_env(variant("one"), "NCCL_A=plain"));
	load(text, NULL);
	assert_int_equal(spec.blocks, 7);
	assert_int_equal(spec.sizes[0], 4096);

	load_overridden(text, "host", "blocks=5");
	assert_int_equal(spec.blocks, 5);
	load_overridden(text, "host", "host.blocks=6");
	assert_int_equal(spec.blocks, 6);
	load_overridden(text, "host", "nccl.blocks=6");
	assert_int_equal(spec.blocks, 3);
}

static void test_blocks_auto(void **state)
{
	(void)state;
	const char *text = "[experiment]\ncollective = alltoall\nbytes = 4K\nblocks = auto\n"
	                   "precision = 2.5 %\nbudget = 90s\nhost.blocks = 8\n" ONE;
	load(text, "null");
	assert_true(spec.blocks_auto);
	assert_int_equal(spec.blocks, SPEC_MAX_BLOCKS);
	assert_true(spec.precision == 0.025);
	assert_int_equal(spec.budget_s, 90);
	load(text, "host");
	assert_false(spec.blocks_auto);
	assert_int_equal(spec.blocks, 8);
	load_overridden(text, "null", "blocks=6");
	assert_false(spec.blocks_auto);
	assert_int_equal(spec.blocks, 6);
	load_overridden(text, "host", "blocks=auto");
	assert_true(spec.blocks_auto);
	load_overridden(text, "null", "precision=0.3%");
	assert_true(spec.precision > 0.00299 && spec.precision < 0.00301);
	load_overridden(text, "null", "budget=2h");
	assert_int_equal(spec.budget_s, 7200);
}

static void test_backend_keys_refused(void **state)
{
	(void)state;
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

static void test_first_reading_knows_no_backend(void **state)
{
	(void)state;
	const char *text = "[experiment]\nbackend = null\nhost.collective = alltoall\n"
	                   "host.bytes = 4K\n[variant one]\nhost.mode = single\n";
	load(text, NULL);
	assert_string_equal(spec.backend, "null");
	load(text, "host");
	assert_string_equal(variant("one")->settings.mode, "single");
	load_overridden(text, NULL, "backend=host");
	assert_string_equal(spec.backend, "host");
	struct status st;
	assert_int_equal(load_with(text, "null", 0, NULL, &st), -1);
	expect_text(&st, "collective is missing");
}

static void test_like(void **state)
{
	(void)state;
	load(BASE "bind = core\nenv.NCCL_A = 1\n"
	          "[variant a]\nmode = threads\nnccl = /x\nenv.NCCL_B = 2\ndelay = 1us\n"
	          "[variant b]\nlike = a\nenv.NCCL_A = 9\nmode = processes\n"
	          "[variant c]\ndelay = 3us\nlike = b\n",
	     "host");
	const struct spec_variant *a = variant("a"), *b = variant("b"), *c = variant("c");
	assert_true(has_env(a, "NCCL_A=1") && has_env(a, "NCCL_B=2"));
	assert_true(has_env(b, "NCCL_A=9") && has_env(b, "NCCL_B=2"));
	assert_int_equal(b->settings.nenv, 2);
	assert_string_equal(b->settings.mode, "processes");
	assert_string_equal(b->settings.nccl, "/x");
	assert_int_equal(b->settings.bind, BIND_CORE);
	assert_int_equal(c->settings.delay_ns, 3000); /* own keys win, wherever like stands */
	assert_string_equal(c->settings.mode, "processes");
	assert_true(has_env(c, "NCCL_A=9"));
	assert_int_equal(c->at.line, 15);
	refuse(BASE "[variant b]\nlike = a\n[variant a]\nmode = single\n", 5,
	       "allowed is none");
	refuse(BASE "[variant b]\nlike = b\nmode = single\n", 5, "names no variant above");
}

static void test_expect(void **state)
{
	(void)state;
	const char *text =
	    BASE "nccl.expect = P2P/CUMEM+reg+direct\n[variant a]\nmode = single\n"
	         "[variant b]\nlike = a\nexpect = any\n"
	         "[variant c]\nlike = a\nnccl.expect = any\n";
	load(text, "nccl");
	assert_string_equal(variant("a")->settings.expect, "P2P/CUMEM+reg+direct");
	assert_string_equal(variant("b")->settings.expect, "");
	assert_string_equal(variant("c")->settings.expect, "");
	load(text, "host");
	assert_string_equal(variant("a")->settings.expect, "");
	load_overridden(text, "nccl", "expect=any");
	assert_string_equal(variant("a")->settings.expect, "");
}

static void test_nccl_below(void **state)
{
	(void)state;
	const char *text = BASE "[variant a]\nmode = single\nnccl = /x\nnccl_below = 2.23\n"
	                        "[variant b]\nlike = a\nmode = threads\n"
	                        "[variant c]\nlike = a\nnccl_below = any\n"
	                        "[variant d]\nmode = single\nnccl.nccl_below = 2.22.3\n";
	load(text, "nccl");
	assert_string_equal(variant("a")->settings.nccl_below, "2.23");
	assert_string_equal(variant("b")->settings.nccl_below, "2.23");
	assert_string_equal(variant("c")->settings.nccl_below, "");
	assert_string_equal(variant("d")->settings.nccl_below, "2.22.3");
	load(text, "host");
	assert_string_equal(variant("d")->settings.nccl_below, "");
}

static void expect_place(const char *name, const char *mode, unsigned ranks)
{
	assert_string_equal(variant(name)->settings.mode, mode);
	assert_int_equal(layout_ranks(variant(name)->settings.layout), ranks);
}

/* One of mode and layout drops an inherited other; both together stay. */
static void test_mode_and_layout(void **state)
{
	(void)state;
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
		struct status st = {""};
		assert_int_equal(load_with(text, "host", 1, &places[i], &st), -1);
		expect_text(&st, "they are named for what they say themselves: plain, placed, "
		                 "back, both, there");
	}
	/* A search is in one mode, and about other settings. */
	const char *search = BASE "[variant default]\nmode = threads\n"
	                          "[variant other]\nmode = threads\noffset = 64\n"
	                          "[search]\nfinalists = 1\npath = direct, fifo\n";
	struct status st = {""};
	if (load_with(search, "host", 1, &places[0], &st))
		fail_msg("%s", st.text);
	expect_place("default", "processes", 0);
	expect_place("other", "processes", 0);
}

static void test_command_line(void **state)
{
	(void)state;
	const char *text = BASE "[variant a]\nmode = threads\npath = fifo\nenv.NCCL_A = 1\n"
	                        "[variant b]\nlike = a\nbackend = null\n";
	char *const overrides[] = {"bytes=1M",     "path=shared", "backend=host",
	                           "env.NCCL_A=2", "reference=b", "title=t = u"};
	struct status st;
	if (load_with(text, "host", 6, overrides, &st))
		fail_msg("%s", st.text);
	assert_int_equal(spec.sizes[0], 1 << 20);
	assert_string_equal(spec.backend, "host");
	assert_string_equal(spec.reference, "b");
	assert_string_equal(spec.title, "t = u");
	for (unsigned i = 0; i < 2; i++) {
		assert_string_equal(spec.variants[i].settings.path, "shared");
		assert_string_equal(spec.variants[i].settings.backend, "host");
		assert_true(has_env(&spec.variants[i], "NCCL_A=2"));
		assert_int_equal(spec.variants[i].settings.nenv, 1);
	}
	refuse_override("blokcs=3", "unknown key 'blokcs'");
	refuse_override("hots.blocks=3", "unknown key");
	refuse_override("blocks", "key=value");
	refuse_override("=3", "key=value");
	refuse_override("blocks=", "whole number");
	refuse_override("bytes=0", "is zero");
	refuse_override("backend=magic", "allowed is auto");
	refuse_override("like=one", "unknown key 'like'");
	refuse_override("reference=two", "allowed is one");
	refuse_override("path=magic", "allowed is auto, direct");
}

/* A title is about the file's collectives: others are named behind it. */
static void test_title_of_other_collectives(void **state)
{
	static const struct {
		char *overrides[2];
		const char *title;
	} rows[] = {
	    {{"collective=sendrecv", NULL}, "alltoall, why (measured: sendrecv)"},
	    {{"collective=gather, scatter", NULL}, "alltoall, why (measured: gather, scatter)"},
	    {{"collective=alltoall", NULL}, "alltoall, why"},
	    {{"collective=reduce, gather, scatter, alltoall", NULL},
	     "alltoall, why (measured: 4 collectives)"},
	    {{"collective=sendrecv", "title=mine"}, "mine"},
	};
	struct status st;
	char text[300];
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char *overrides[] = {rows[i].overrides[0], rows[i].overrides[1]};
		const char *const own = "[experiment]\ntitle = alltoall, why\n"
		                        "collective = alltoall\nbytes = 4K\n" ONE;
		if (load_with(own, "host", overrides[1] ? 2 : 1, overrides, &st))
			fail_msg("%s", st.text);
		assert_string_equal(spec.title, rows[i].title);
	}
	/* Without room the file's name takes its place. */
	snprintf(text, sizeof text,
	         "[experiment]\ntitle = %0120d\ncollective = alltoall\nbytes = 4K\n" ONE, 1);
	load_overridden(text, "host", "collective=sendrecv");
	assert_string_equal(spec.title, "t (measured: sendrecv)");
}

static void test_unset_library(void **state)
{
	(void)state;
	const char *text = BASE "[variant a]\nmode = threads\n"
	                        "[variant old]\nmode = threads\nnccl = ${UNSET}/lib.so\n"
	                        "[variant older]\nlike = old\nenv.NCCL_A = 1\n"
	                        "[variant empty]\nmode = threads\nnccl = ${EMPTY}\n"
	                        "[variant set]\nlike = old\nnccl = ${SET}/a.so.${SET}\n";
	load(text, "host");
	assert_string_equal(variant("a")->skip, "");
	assert_non_null(strstr(variant("old")->skip, "UNSET is not set"));
	assert_non_null(strstr(variant("older")->skip, "UNSET is not set"));
	assert_non_null(strstr(variant("empty")->skip, "EMPTY is not set"));
	assert_string_equal(variant("set")->skip, "");
	assert_string_equal(variant("set")->settings.nccl, "/opt/nccl/a.so./opt/nccl");
	assert_string_equal(variant("set")->variable, "SET");
	assert_string_equal(variant("a")->variable, "");
	assert_string_equal(variant("a")->backend, "auto");
	/* Nor is a library that has a variant of its own taken away from it. */
	char *const other[] = {"nccl=/y"};
	struct status st = {""};
	assert_int_equal(load_with(text, "host", 1, other, &st), -1);
	expect_text(&st, "say --only a,old,older,empty");
	text = BASE "[variant a]\nmode = threads\n[variant old]\nlike = a\nnccl = ${UNSET}\n";
	load_overridden(text, "host", "nccl=/y");
	assert_string_equal(variant("old")->skip, "");
	assert_string_equal(variant("old")->settings.nccl, "/y");
	/* Another backend's key decides nothing here. */
	load(BASE "[variant a]\nmode = threads\nnccl.nccl = ${UNSET}\n", "host");
	assert_string_equal(variant("a")->skip, "");
	/* A path's bounds. */
	char override[PATH_MAX + 8];
	snprintf(override, sizeof override, "nccl=%0*d", PATH_MAX - 1, 0);
	load_overridden(text, "host", override);
	assert_int_equal(strlen(variant("a")->settings.nccl), PATH_MAX - 1);
	snprintf(override, sizeof override, "nccl=%0*d", PATH_MAX, 0);
	refuse_override(override, "longer than a path");
}

static const char *lookup_library(const char *name)
{
	return strcmp(name, "NCCL_LEGACY") ? NULL : "/a/libnccl.so.2";
}

/* Whether each factor is one setting, where an old library is there. */
static void factors_check(const char *path, const char *backend)
{
	struct status st = {""};
	if (spec_load(path, 0, NULL, backend, lookup_library, &spec, &st))
		fail_msg("%s", st.text);
	for (unsigned i = 0; i < spec.asked.nfactors; i++) {
		const struct factor *f = &spec.asked.factors[i];
		char keys[256];
		if (!f->from[0])
			continue;
		if (settings_differ(&variant(f->from)->settings, &variant(f->to)->settings,
		                    keys, sizeof keys) != 1)
			fail_msg("%s: factor %s: '%s'", path, f->name, keys);
	}
}

/* What is measured with ${NCCL_LEGACY} is called old, and so has to be. */
static void legacy_check(const char *path)
{
	for (unsigned i = 0; i < spec.nvariants; i++) {
		const struct spec_variant *v = &spec.variants[i];
		if (strcmp(v->variable, "NCCL_LEGACY") ||
		    !strcmp(v->settings.nccl_below, "2.23"))
			continue;
		fail_msg("%s: variant %s: nccl_below = '%s'", path, v->name,
		         v->settings.nccl_below);
	}
}

/* The files that come with the program, as each backend reads them. */
static void test_own_experiments(void **state)
{
	(void)state;
	glob_t found;
	if (glob("experiments/*.exp", 0, NULL, &found))
		skip(); /* run from elsewhere */
	const char *const backends[] = {NULL, "nccl", "host", "null"};
	for (size_t i = 0; i < found.gl_pathc; i++) {
		for (size_t b = 0; b < 4; b++) {
			struct status st = {""};
			if (spec_load(found.gl_pathv[i], 0, NULL, backends[b], lookup, &spec,
			              &st))
				fail_msg("%s", st.text);
			assert_string_not_equal(spec.question, "");
		}
		factors_check(found.gl_pathv[i], "nccl");
		legacy_check(found.gl_pathv[i]);
		factors_check(found.gl_pathv[i], "host");
	}
	globfree(&found);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_everything_said),
	    cmocka_unit_test(test_defaults),
	    cmocka_unit_test(test_sizes),
	    cmocka_unit_test(test_sizes_refused),
	    cmocka_unit_test(test_bad_values),
	    cmocka_unit_test(test_environment_list),
	    cmocka_unit_test(test_no_libraries),
	    cmocka_unit_test(test_environment_is_bounded),
	    cmocka_unit_test(test_bad_lines),
	    cmocka_unit_test(test_bad_files),
	    cmocka_unit_test(test_tokens),
	    cmocka_unit_test(test_too_many_variants),
	    cmocka_unit_test(test_forms_of_text),
	    cmocka_unit_test(test_names),
	    cmocka_unit_test(test_backend_keys),
	    cmocka_unit_test(test_blocks_auto),
	    cmocka_unit_test(test_backend_keys_refused),
	    cmocka_unit_test(test_first_reading_knows_no_backend),
	    cmocka_unit_test(test_like),
	    cmocka_unit_test(test_expect),
	    cmocka_unit_test(test_nccl_below),
	    cmocka_unit_test(test_mode_and_layout),
	    cmocka_unit_test(test_command_line),
	    cmocka_unit_test(test_title_of_other_collectives),
	    cmocka_unit_test(test_unset_library),
	    cmocka_unit_test(test_own_experiments),
	};
	return cmocka_run_group_tests_name("spec", tests, set_up, tear_down);
}
