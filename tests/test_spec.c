/* Experiment files: what they may say, which layer wins, and that every mistake names its line and
 * the correction. */
#include "../harness/config/keys.h"
#include "spec_errors.h"

/* A default is in its row, as a file would write it. */
TEST(a_default_that_is_said_changes_nothing)
{
	struct settings from, said;
	char keys[256];
	const struct field *f = keys_fields.rows;
	for (; f < keys_fields.rows + keys_fields.n; f++)
		if (f->initial && field_read(f, f->initial, &spec, WHY))
			fail_msg("%s", because());
	settings_default(&from);
	said = from;
	for (f = settings_fields.rows; f < settings_fields.rows + settings_fields.n; f++)
		if (f->initial && field_read(f, f->initial, &said, WHY))
			fail_msg("%s", because());
	assert_int_equal(settings_differ(&from, &said, keys, sizeof keys), 0);
	said.flip_rank = 1;
	assert_int_equal(field_read(field_find(&settings_fields, "flip"), "none", &said, WHY), 0);
	assert_int_equal(said.flip_rank, -1);
}

/* With --no-libraries; without it all of them are allowed. */
TEST(test_no_libraries)
{
	static const char *const names[] = {"nccl = ./libnccl.so.2",
	                                    "nccl = libnccl.so.2",
	                                    "each = /a/libnccl.so.2",
	                                    "env.NCCL_NET_PLUGIN = x",
	                                    "env.NCCL_TUNER_PLUGIN = x",
	                                    "env.CUDA_INJECTION64_PATH = x",
	                                    "env.NCCL_CONF_FILE = x",
	                                    "env.UCX_MODULE_DIR = x",
	                                    "env.UCX_GDB_COMMAND = x",
	                                    "env.NCCL_TOPO_DUMP_FILE = x",
	                                    "env.NCCL_COMM_ID = 192.0.2.1:9",
	                                    "env.NCCL_RAS_ADDR = 192.0.2.1:9",
	                                    "env.UCX_ERROR_MAIL_TO = a@b",
	                                    "env.CUDA_COREDUMP_PIPE = x",
	                                    "env.FI_PROVIDER_PATH = x",
	                                    "env.OMPI_MCA_plm_rsh_agent = x",
	                                    "env.WHATEVER = x",
	                                    "hosts = evil.example:1",
	                                    "hosts = @/nonexistent",
	                                    "nccl.hosts = @/nonexistent",
	                                    "nccl = ${SET}/libnccl.so.2"};
	static const char *const of_all[] = {"counts = ./nonexistent", "model = ./nonexistent.csv"};
	static const char *const others[] = {"env.NCCL_P2P_DIRECT_DISABLE = 1",
	                                     "env.CUDA_MODULE_LOADING = EAGER",
	                                     "env.NCCL_IB_HCA = mlx5_0:1",
	                                     "env.NCCL_ALGO = Ring",
	                                     "hosts = 2",
	                                     "hosts = this",
	                                     "env.UCX_TLS = tcp",
	                                     "nccl = ${NONE}/libnccl.so.2",
	                                     "each = ${EMPTY}"};
	static const char *const searches[] = {"nccl.env.CUDA_INJECTION64_PATH = x",
	                                       "env.NCCL_DEBUG_FILE = x", "env.NCCL_NET_PLUGIN = x",
	                                       "hosts = 1, evil.example:1",
	                                       "env.NCCL_COMM_ID = 192.0.2.1:9"};
	char none[] = "--no-libraries", *overrides[] = {none};
	for (size_t i = 0; i < LENGTH(names); i++) {
		const char *text = test_text(BASE ONE "%s\n", names[i]);
		assert_refused(load_with(text, "host", 1, overrides),
		               "which --no-libraries refuses");
	}
	for (size_t i = 0; i < LENGTH(of_all); i++) {
		const char *text = test_text(BASE "%s\n" ONE, of_all[i]);
		assert_int_equal(load_with(text, "host", 1, overrides), -1);
		assert_says(because(), "t.exp:4: ");
		assert_says(because(), "which --no-libraries refuses");
	}
	for (size_t i = 0; i < LENGTH(searches); i++) {
		const char *text =
		    test_text(BASE ONE "[search]\nregister = local\n%s\n", searches[i]);
		assert_int_equal(load_with(text, "nccl", 1, overrides), -1);
		assert_says(because(), "t.exp:8: ");
		assert_says(because(), "which --no-libraries refuses");
		load(text, "nccl");
	}
	for (size_t i = 0; i < LENGTH(others); i++) {
		const char *text = test_text(BASE ONE "%s\n", others[i]);
		load_overridden(text, "host", none);
	}
}

TEST(a_search_for_another_backend_takes_no_room)
{
	char keys[1024] = "";
	for (unsigned i = 0; i < SEARCH_MAX_KEYS; i++)
		status_add(keys, sizeof keys, "env.K%u = 1, 2\n", i);
	load(test_text(BASE ONE "[search]\n%s[search on nccl]\nenv.K0 = 3\n", keys), "host");
	const char *text = test_text(BASE ONE "[search]\n%senv.K16 = 1, 2\n", keys);
	assert_int_equal(load_with(text, "host", 0, NULL), -1);
	assert_says(because(), "too many settings to search; allowed are 16");
}

TEST(test_bad_lines)
{
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
	load(BASE "[variant a234567890123456789012345678901234567890]\nmode = single\n", "host");
	assert_int_equal(strlen(spec.variants[0].name), 40);

	refuse(test_text("[experiment]\ntitle = %0*d\n", 250, 0), 2, "allowed is 1 to 127");
	refuse(test_text("[experiment]\ntitle = %0*d\n", 128, 0), 2, "allowed is 1 to 127");
	load(test_text(BASE ONE "; %0*d\n", 600, 0), "host"); /* a comment may be */
	refuse(test_text("; %0*d\n" BASE ONE, 511, 0), 1, "question");
	load(test_text("; %0*d\n" BASE ONE, 510, 0), "host");
	assert_int_equal(strlen(spec.question), 510);
	refuse("[experiment]\ntitle = \xff\xfe\n", 2, "UTF-8");
	refuse("[experiment]\ntitle = a\x1b[31m\n", 2, "UTF-8");
}

TEST(test_bad_files)
{
	assert_refused(load_file("/nonexistent/x.exp", "host", 0, NULL),
	               "/nonexistent/x.exp: cannot be read: No such file");
	assert_refused(load_file(folder, "host", 0, NULL), "cannot be read: Is a directory");
	assert_refused(load_with("", "host", 0, NULL), "no section");
	write_file("[experiment]\ntitle = a\0b\n", 26);
	assert_refused(load_file(file, "host", 0, NULL), ":2: not text");
	refuse("[variant]\n", 1, "unknown section");
	refuse("[experiment]\nbytes = 4K\n" ONE, 1, "collective is missing");
	refuse("[experiment]\ncollective = alltoall\n" ONE, 1, "bytes is missing");
	refuse(BASE, 1, "no variant");
	refuse(BASE "[variant one]\n", 4, "neither mode nor layout");
	refuse(BASE "reference = on\n" ONE, 4,
	       "names no variant (did you mean 'one'?); allowed is one");
}

TEST(test_too_many_variants)
{
	char text[4096] = BASE;
	for (unsigned i = 0; i < SPEC_MAX_VARIANTS; i++)
		sprintf(text + strlen(text), "[variant v%u]\nmode = single\n", i);
	load(text, "host");
	assert_int_equal(spec.nvariants, SPEC_MAX_VARIANTS);
	strcat(text, "[variant more]\nmode = single\n");
	refuse(text, 4 + 2 * SPEC_MAX_VARIANTS, "too many variants");
}

TEST(test_forms_of_text)
{
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

TEST(test_names)
{
	char kept[sizeof file];
	strcpy(kept, file);
	const char *const bad[] = {"a b.exp", ".exp", "$(x).exp",
	                           ("a234567890123456789012345678901234567890123456789012345678901"
	                            "234.exp")};
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		char *path = test_text("%s/%s", folder, bad[i]);
		assert_int_equal(rename(kept, path), 0);
		int rc = load_file(path, "host", 0, NULL);
		assert_int_equal(rename(path, kept), 0);
		assert_refused(rc, "allowed are letters");
	}
}

TEST(test_like)
{
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
	assert_int_equal(c->settings.delay_ns, 3000); /* own keys win, wherever `like` is */
	assert_string_equal(c->settings.mode, "processes");
	assert_true(has_env(c, "NCCL_A=9"));
	assert_int_equal(c->at, 15);
	refuse(BASE "[variant b]\nlike = a\n[variant a]\nmode = single\n", 5, "allowed is none");
	refuse(BASE "[variant b]\nlike = b\nmode = single\n", 5, "names no variant above");
}

TEST(test_command_line)
{
	const char *text = BASE "[variant a]\nmode = threads\npath = fifo\nenv.NCCL_A = 1\n"
	                        "[variant b]\nlike = a\nbackend = null\n";
	char *const overrides[] = {"bytes=1M",     "path=shared", "backend=host",
	                           "env.NCCL_A=2", "reference=b", "title=t = u"};
	assert_works(load_with(text, "host", 6, overrides));
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

/* A title is about the file's collectives: others are named after it. */
TEST(test_title_of_other_collectives)
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
	for (size_t i = 0; i < LENGTH(rows); i++) {
		char *overrides[] = {rows[i].overrides[0], rows[i].overrides[1]};
		const char *const own = "[experiment]\ntitle = alltoall, why\n"
		                        "collective = alltoall\nbytes = 4K\n" ONE;
		assert_works(load_with(own, "host", overrides[1] ? 2 : 1, overrides));
		assert_string_equal(spec.title, rows[i].title);
	}
	/* Without room the file's name takes its place. */
	char *text =
	    test_text("[experiment]\ntitle = %0120d\ncollective = alltoall\nbytes = 4K\n" ONE, 1);
	load_overridden(text, "host", "collective=sendrecv");
	assert_string_equal(spec.title, "t (measured: sendrecv)");
}

static const char *lookup_library(const char *name)
{
	return strcmp(name, "NCCL_LEGACY") ? NULL : "/a/libnccl.so.2";
}

/* As a plan has it for 4 ranks: where one process is, no launcher starts it. */
static struct settings placed(const struct spec_variant *variant)
{
	struct settings out = variant->settings;
	const struct mode *mode = mode_find(out.mode);
	if (mode && !layout_ranks(out.layout))
		out.layout = mode->spread(4);
	return out;
}

/* Whether each factor is one setting, if an old library is there. */
static void factors_check(const char *path, const char *backend)
{
	const struct spec_source source = {.file = path, .lookup = lookup_library};
	assert_works(spec_load(&source, backend, &spec, WHY));
	for (unsigned i = 0; i < spec.asked.nfactors; i++) {
		const struct factor *f = &spec.asked.factors[i];
		char keys[256];
		if (!f->from[0])
			continue;
		const struct spec_variant *from = variant(f->from), *to = variant(f->to);
		const struct settings left = placed(from), right = placed(to);
		if (settings_differ(&left, &right, keys, sizeof keys) +
		        (from->ranks != to->ranks) !=
		    1)
			fail_msg("%s: factor %s: '%s'", path, f->name, keys);
	}
}

/* What is measured with ${NCCL_LEGACY} is called old, and so has to be. */
static void legacy_check(const char *path)
{
	for (unsigned i = 0; i < spec.nvariants; i++) {
		const struct spec_variant *v = &spec.variants[i];
		if (strcmp(v->variable, "NCCL_LEGACY") || !strcmp(v->settings.nccl_below, "2.23"))
			continue;
		fail_msg("%s: variant %s: nccl_below = '%s'", path, v->name,
		         v->settings.nccl_below);
	}
}

/* The shipped files, as each backend reads them. */
TEST(test_own_experiments)
{
	glob_t found;
	if (glob("experiments/*.exp", 0, NULL, &found))
		skip(); /* run from elsewhere */
	const char *const backends[] = {NULL, "nccl", "host", "null"};
	for (size_t i = 0; i < found.gl_pathc; i++) {
		for (size_t b = 0; b < 4; b++) {
			assert_works(load_file(found.gl_pathv[i], backends[b], 0, NULL));
			assert_string_not_equal(spec.question, "");
		}
		factors_check(found.gl_pathv[i], "nccl");
		legacy_check(found.gl_pathv[i]);
		factors_check(found.gl_pathv[i], "host");
	}
	globfree(&found);
}

TESTS(.begin = set_up, .end = tear_down);
