/* like = NAME in [experiment]: the keys that a file takes from another one, and which of the two an
 * error names. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../harness/config/spec.h"
#include "here.h"
#include "test.h"

/* Eleven lines, followed by a claim. */
#define BASE                                                                                       \
	"; Is it so?\n"                                                                            \
	"[experiment]\n"                                                                           \
	"title = the base\n"                                                                       \
	"collective = alltoall\n"                                                                  \
	"bytes = 4K\n"                                                                             \
	"host.bytes = 8K\n"                                                                        \
	"reference = b\n"                                                                          \
	"[variant a]\n"                                                                            \
	"mode = threads\n"                                                                         \
	"[variant b]\n"                                                                            \
	"mode = processes\n"
#define CLAIM                                                                                      \
	"[claim c]\n"                                                                              \
	"text = B is slower\n"                                                                     \
	"left = b\n"                                                                               \
	"right = a\n"                                                                              \
	"metric = busbw\n"                                                                         \
	"is = less by 2%\n"
#define LIKE "[experiment]\nlike = base\n"

static struct spec spec, other; /* large: not for the stack */

static int load_as(const char *name, const char *backend, char *override, struct status *st)
{
	char own[128];
	st->text[0] = '\0';
	snprintf(own, sizeof own, "%s/%s", folder, name);
	return spec_load(own, override ? 1 : 0, &override, backend, NULL, &spec, st);
}

/* own.exp, with base.exp next to it. */
static void load(const char *base, const char *own, const char *backend)
{
	struct status st;
	cli_write(folder, "base.exp", base);
	cli_write(folder, "own.exp", own);
	assert_works(load_as("own.exp", backend, NULL, &st), st);
}

/* own.exp is refused at `place` ("base.exp:3: ") of this folder. */
static void refused(const char *place, const char *words)
{
	struct status st;
	char begin[256];
	snprintf(begin, sizeof begin, "%s/%s", folder, place);
	assert_int_equal(load_as("own.exp", "host", NULL, &st), -1);
	assert_begins(st.text, begin);
	assert_says(st.text, words);
}

static void refuse(const char *base, const char *own, const char *place, const char *words)
{
	cli_write(folder, "base.exp", base);
	cli_write(folder, "own.exp", own);
	refused(place, words);
}

TEST(own_keys_win)
{
	load(BASE CLAIM,
	     LIKE "collective = sendrecv\nbytes = 1M\n"
	          "[claim c]\nis = less by 5%\n"
	          "[variant c]\nlike = b\nbind = none\n"
	          "[variant a]\nbind = core\n"
	          "[variant d]\nlike = a\n",
	     "null");
	assert_string_equal(spec.name, "own");
	assert_string_equal(spec.title, "the base");
	assert_string_equal(spec.question, "Is it so?");
	assert_int_equal(spec.ncolls, 1);
	assert_int_equal(spec.colls[0], COLL_SENDRECV);
	assert_int_equal(spec.nsizes, 1);
	assert_int_equal(spec.sizes[0], 1 << 20);
	assert_string_equal(spec.reference, "b");
	/* The base's variants in their order, then those that it lacks. */
	assert_int_equal(spec.nvariants, 4);
	for (unsigned i = 0; i < 4; i++)
		assert_string_equal(spec.variants[i].name,
		                    ((const char *[]){"a", "b", "c", "d"})[i]);
	assert_string_equal(spec.variants[0].settings.mode, "threads");
	assert_int_equal(spec.variants[0].settings.bind, BIND_CORE);
	assert_string_equal(spec.variants[2].settings.mode, "processes");
	assert_int_equal(spec.variants[2].settings.bind, BIND_NONE);
	assert_int_equal(spec.variants[3].settings.bind, BIND_CORE);
	assert_int_equal(spec.asked.nclaims, 1);
	assert_string_equal(spec.asked.claims[0].text, "B is slower");
	assert_true(spec.asked.claims[0].by == 0.05);
	/* Another key, so it stays, and beats the plain one as it does within a file. */
	load(BASE, LIKE "bytes = 1M\n", "host");
	assert_int_equal(spec.sizes[0], 8 << 10);
	load(BASE, "; And here?\n" LIKE "title = own\nhost.bytes = 1M\n", "host");
	assert_int_equal(spec.sizes[0], 1 << 20);
	assert_string_equal(spec.title, "own");
	assert_string_equal(spec.question, "And here?");
}

/* Keys that exclude each other, and keys that an own one replaces though the replaced value could
 * not be read. */
TEST(an_own_key_drops_what_it_excludes)
{
	load(BASE CLAIM, LIKE "[variant a]\nlayout = 1x1x2\n[claim c]\nneeds = 2 nodes\n", "null");
	assert_string_equal(spec.variants[0].settings.mode, "");
	assert_int_equal(spec.variants[0].settings.layout.ranks_per_thread, 2);
	assert_int_equal(spec.asked.claims[0].test, CLAIM_NEEDS);
	load(BASE "[claim c]\ntext = x\nhost.needs = luck\n",
	     LIKE "[claim c]\nhost.is = within 2%\nleft = a\nright = b\nmetric = time\n", "host");
	assert_int_equal(spec.asked.claims[0].test, CLAIM_WITHIN);
	load(BASE "host.layout = 2x1x1\n", LIKE "[variant b]\nmode = single\n", "host");
	assert_int_equal(spec.variants[1].settings.layout.processes, 2);
	load(BASE "bind = tight\n", LIKE "[variant b]\nbind = none\n", "host");
	load(BASE CLAIM "regime = small\n", LIKE "[claim c]\nbytes = 1K\n", "null");
	assert_int_equal(spec.asked.claims[0].regime, CLAIM_ANY_REGIME);
	refuse(BASE CLAIM, LIKE "[claim c]\nis = within 1%\nneeds = x\n",
	       "own.exp:5: ", "exclude each other");
}

TEST(errors_name_the_file_that_has_the_key)
{
	refuse(BASE "bind = tight\n", LIKE, "base.exp:12: ", "bind = 'tight'");
	refuse(BASE "bind = tight\n", LIKE "[variant b]\nmode = single\n",
	       "base.exp:12: ", "bind = 'tight'");
	refuse(BASE, LIKE "[variant b]\nbind = tight\n", "own.exp:4: ", "bind = 'tight'");
	refuse(BASE, LIKE "reference = x\n", "own.exp:3: ", "'x' names no variant");
	refuse(BASE "nonsense\n", LIKE, "base.exp:12: ", "not an entry");
	refuse(BASE "[claim c]\n", LIKE, "base.exp:12: ", "has no text");
	refuse(BASE "[factor f]\nfrom = a\nto = x\n", LIKE, "base.exp:14: ", "to = 'x'");
	refuse(BASE "[factor f]\nfrom = a\nto = b\n", LIKE "[factor f]\nto = y\n",
	       "own.exp:4: ", "to = 'y'");
	refuse(BASE, LIKE "[variant c]\nlike = x\n", "own.exp:4: ", "allowed is a, b");
	refuse(BASE, LIKE "[variant c-again]\n", "own.exp:3: ", "gives itself");
	refuse(BASE, LIKE "x = 1\n", "own.exp:3: ", "in a file like");
	refuse(BASE, "[variant a]\nmode = single\n" LIKE, "own.exp:1: ", "come first");
	refuse("[variant z]\nmode = single\n" BASE, LIKE, "base.exp:1: ", "come first");
	/* Also errors that are found later. */
	load(BASE "[factor f]\nfrom = a\nto = b\n",
	     LIKE "[variant c]\nmode = single\n[factor g]\nfrom = a\nto = c\n", "host");
	assert_says(spec_file(&spec, spec.variants[1].at), "/base.exp");
	assert_says(spec_file(&spec, spec.variants[2].at), "/own.exp");
	assert_says(spec_file(&spec, spec.factors_at[0]), "/base.exp");
	assert_says(spec_file(&spec, spec.factors_at[1]), "/own.exp");
	assert_int_equal(spec.factors_at[1].line, 5);
}

TEST(it_stands_in_a_files_experiment_alone)
{
	struct status st;
	refuse(BASE, "[experiment]\nhost.like = base\n", "own.exp:2: ", "unknown key 'like'");
	refuse(BASE CLAIM, LIKE "[claim c]\nlike = x\n", "own.exp:4: ", "unknown key 'like'");
	load(BASE, LIKE, "host");
	assert_int_equal(load_as("own.exp", "host", "like=base", &st), -1);
	assert_says(st.text, "command line: unknown key 'like'");
	assert_int_equal(load_as("own.exp", "host", "bytes=2M", &st), 0);
	assert_int_equal(spec.sizes[0], 2 << 20);
}

TEST(what_is_no_base_is_refused)
{
	static const char *const names[] = {"../base", "", "a b", ".base", "-base", "/x"};
	char own[128];
	refuse(BASE, "; q\n[experiment]\nlike = nowhere\n",
	       "own.exp:3: ", "/nowhere.exp cannot be read: No such file");
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
		snprintf(own, sizeof own, "[experiment]\nlike = %s\n", names[i]);
		refuse(BASE, own, "own.exp:2: ", "no name; allowed is the NAME of");
	}
	refuse(BASE, "[experiment]\nlike = own\n",
	       "own.exp:2: ", "allowed is a file that is like none");
	refuse("[experiment]\ntitle = x\nlike = a\n", LIKE, "base.exp:3: ", "like = 'a' in a file");
}

/* Errors that only the plan finds; and a base that was changed does not add to an old run. */
TEST(a_run_knows_the_base)
{
	char own[96], old[160];
	snprintf(own, sizeof own, "%s/own.exp", folder);
	load(BASE, LIKE "limit = no\nblocks = 1\nranks = 2\npace = isolated\nbackend = null\n",
	     "null");
	const char *const run[] = {"run", "--file", own, "--results", results, NULL};
	struct cli cli = cli_run(folder, run);
	if (cli.code)
		fail_msg("%s", cli.out);
	free(cli.out);
	snprintf(old, sizeof old, "%s/own/latest", results);
	const char *const again[] = {"run", "--file", own, "--resume", old, NULL};
	cli_write(folder, "base.exp", BASE "bind = none\n");
	cli = cli_run(folder, again);
	assert_int_equal(cli.code, 1);
	assert_says(cli.out, "cannot resume: `variants`");
	free(cli.out);
	cli_write(folder, "base.exp", BASE "[factor f]\nbytes = 4K\nfrom = a\nto = a\n");
	cli = cli_run(folder, run);
	assert_int_equal(cli.code, 1);
	assert_says(cli.out, "/base.exp:12: factor f: a and a differ in no");
	free(cli.out);
}

static const char *lookup(const char *name)
{
	return strcmp(name, "NCCL_LEGACY") ? NULL : "/a/libnccl.so.2";
}

/* The two of the H800 report ask the same of two collectives. */
TEST_WITH(sendrecv_is_asked_what_alltoall_is, NULL, NULL)
{
	const char *const backends[] = {"nccl", "host"};
	struct status st = {""};
	if (access("experiments/h800_sendrecv.exp", R_OK))
		skip(); /* run from elsewhere */
	for (unsigned b = 0; b < 2; b++) {
		if (spec_load("experiments/h800_sendrecv.exp", 0, NULL, backends[b], lookup, &spec,
		              &st) ||
		    spec_load("experiments/h800_alltoall.exp", 0, NULL, backends[b], lookup, &other,
		              &st))
			fail_msg("%s", st.text);
		assert_string_equal(spec.name, "h800_sendrecv");
		assert_int_equal(spec.colls[0], COLL_SENDRECV);
		assert_says(spec.question, "sendrecv");
		assert_int_equal(spec.nvariants, other.nvariants);
		for (unsigned i = 0; i < spec.nvariants; i++) {
			char keys[256];
			assert_string_equal(spec.variants[i].name, other.variants[i].name);
			assert_int_equal(settings_differ(&spec.variants[i].settings,
			                                 &other.variants[i].settings, keys,
			                                 sizeof keys),
			                 0);
		}
		json_t *ours = json_object(), *theirs = json_object();
		assert_int_equal(claim_list_put(&spec.asked, ours), 0);
		assert_int_equal(claim_list_put(&other.asked, theirs), 0);
		assert_true(json_array_size(json_object_get(ours, "claims")) > 0);
		assert_true(json_equal(ours, theirs));
		json_decref(ours);
		json_decref(theirs);
	}
}

TESTS(.before = set_up, .after = tear_down);
