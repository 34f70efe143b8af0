/* Factors, claims and the gap in an experiment file, and their way into the record and back. */
#include <glob.h>

#include "../harness/run/describe.h"
#include "spec_file.h"

#define BASE                                                                                       \
	"[experiment]\n"                                                                           \
	"collective = alltoall\n"                                                                  \
	"bytes = 4K..1G x4\n"                                                                      \
	"ranks = 2\n"                                                                              \
	"backend = null\n"                                                                         \
	"[variant a]\n"                                                                            \
	"mode = threads\n"                                                                         \
	"[variant b]\n"                                                                            \
	"mode = single\n"                                                                          \
	"[variant old]\n"                                                                          \
	"mode = threads\n"                                                                         \
	"nccl = ${NOT_SET}\n"                                                                      \
	"[variant old-env]\n"                                                                      \
	"like = old\n"                                                                             \
	"env.NCCL_X = 1\n"
#define BASE_LINES 15

static int load(const char *more, const char *backend)
{
	return read_text(test_text(BASE "%s", more), backend, NULL);
}

static void loads(const char *more, const char *backend)
{
	assert_works(load(more, backend));
}

/* The error is `line` lines after the base and says `what`. */
static void refuse(const char *more, unsigned line, const char *what)
{
	assert_int_equal(load(more, "host"), -1);
	says_at(BASE_LINES + line, what);
	if (!strstr(because(), "; say "))
		assert_says(because(), "allowed");
}

static void plan_refuses(const char *more, unsigned line, const char *what)
{
	loads(more, "host");
	assert_int_equal(plan_it(), -1);
	says_at(BASE_LINES + line, what);
}

#define CLAIM       "[claim c]\ntext = It is so.\nleft = a\nright = b\nmetric = busbw\n"
#define OTHER(NAME) "[claim " NAME "]\ntext = x\nleft = a\nright = b\nis = less by 2%\n"

TEST(a_section_for_one_backend_is_about_it)
{
	const char *more = "[factor f on nccl]\ntext = t\nfrom = a\nto = b\nbytes = 1K\n"
	                   "[claim c on nccl]\ntext = x\nleft = a\nright = b\n"
	                   "metric = busbw\nis = less by 2%\n"
	                   "[claim d on nccl]\nleft = b\nright = a\n"
	                   "[claim d]\ntext = y\nleft = a\nright = b\nmetric = time\n"
	                   "is = more by 2%\n"
	                   "[claim d on host]\nneeds = a link\n";
	const struct claim *c = spec.asked.claims, *d = c + 1;
	const struct factor *f = spec.asked.factors;
	loads(more, "nccl");
	assert_prints("from a, left a b", "from %s, left %s %s", f->from, c->left, d->left);
	loads(more, "null");
	assert_prints("f, t, from '' to 1024", "%s, %s, from '%s' to %zu", f->name, f->text,
	              f->from, f->bytes.hi);
	assert_prints("x, backend nccl, left a", "%s, %s, left %s", c->text, c->needs, d->left);
	loads(more, "host");
	assert_prints("y, a link", "%s, %s", d->text, d->needs);
	loads(CLAIM "is = less by 2%\nregime = small\n[claim c on null]\nbytes = 4K\n"
	            "[factor f]\nfrom = a\nto = b\n[factor f on null]\nto = old\n",
	      "null");
	assert_prints("4096, -1, old", "%zu, %d, %s", c->bytes.hi, c->regime, f->to);
	/* A slip shows on every backend. */
	refuse("[factor f on nccl]\nfrom = a\nto = bb\n", 3, "to = 'bb' names no variant");
	refuse("[claim c on nccl]\nregime = smal\n", 2, "did you mean 'small'");
}

TEST(open_sizes_are_filled)
{
	const struct claim_list *asked = &spec.asked;
	/* clang-format off */
	loads(CLAIM "is = less by 2%\nbytes = 16M..64M\n"
	      OTHER("d") "metric = busbw\nbytes = 4M..16M\n"
	      OTHER("e") "metric = latency\nbytes = 4K..8K\n"
	      OTHER("g") "metric = busbw\n[factor f]\nfrom = a\nto = b\n", "host");
	/* clang-format on */
	assert_int_equal(asked->gap.bytes.lo, 4 << 20);
	assert_int_equal(asked->gap.bytes.hi, 64 << 20);
	assert_int_equal(asked->factors[0].bytes.lo, 4 << 20);
	loads("[factor f]\nfrom = a\nto = b\n", "host");
	assert_int_equal(asked->factors[0].bytes.lo, 0);
	assert_true(asked->factors[0].bytes.hi == SIZE_MAX);
}

#define ALTERNATIVES                                                                               \
	"[experiment on null]\ngap = old, b else b, a\nprimary = first else second\n"              \
	"[experiment on host]\ngap = old, b else old, a\nprimary = first else third\n"             \
	"[claim first]\ntext = x\nleft = old\nright = b\nmetric = busbw\nis = less by 2%\n"        \
	"[claim second]\ntext = x\nleft = a\nright = b\nmetric = busbw\nis = less by 2%\n"         \
	"[claim third]\ntext = x\nneeds = y\n"

/* `old` is skipped, as NOT_SET is not set. */
TEST(of_alternatives_the_first_that_is_measured_counts)
{
	static const struct {
		const char *backend, *overrides[2], *from, *to, *primary;
	} rows[] = {
	    {"null", {"warmup=1", "calls=1"}, "b", "a", "second"},
	    {"null", {"gap=a, b else b, a", "calls=1"}, "a", "b", "second"},
	    {"null", {"host.gap=a, b", "primary=first"}, "b", "a", "first"},
	    /* Nothing of it is measured. */
	    {"host", {"calls=1", "warmup=1"}, "old", "a", "third"},
	    {"null", {"--only=a,b", "calls=1"}, "b", "a", "second"},
	    {"null", {"--only=a,old", "calls=1"}, "", "", "second"},
	};
	loads(ALTERNATIVES, "null");
	for (size_t i = 0; i < LENGTH(rows); i++) {
		if (load_file(file, rows[i].backend, 2, (char *const *)rows[i].overrides) ||
		    plan_it())
			fail_msg("%s", because());
		assert_string_equal(plan.asked.gap.from, rows[i].from);
		assert_string_equal(plan.asked.gap.to, rows[i].to);
		assert_string_equal(plan.asked.primary, rows[i].primary);
	}
}

TEST(slips_in_alternatives_name_their_line)
{
	refuse("[experiment on nccl]\ngap = old, b else a, elsewhere\n", 2, "'elsewhere' names no");
	refuse("[experiment on nccl]\nprimary = c else d\n[claim c]\ntext = x\nneeds = y\n", 2,
	       "primary = 'd' names no claim");
	/* The form of older files. */
	refuse("[experiment without old]\ngap = a, b\n", 1, "not a section");
}

TEST(slips_name_their_line)
{
	refuse("[factor f]\nfrom = a\n", 1, "no from or no to");
	refuse("[factor f]\nfrom = a\nto = elsewhere\n", 3, "to = 'elsewhere' names no variant");
	refuse("[factor f]\nfrom = a\nto = b\nnccl.to = elsewhere\n", 4, "names no variant");
	refuse("[factor f]\nfrom = a\nto = b\nplacebo = perhaps\n", 4, "placebo");
	refuse("[factor f]\nfrom = a\nto = b\nwhy = x\n", 4, "unknown key 'why'");
	refuse("[factor f]\nfrom = a\nto = b\nbytes = 1M..4K\n", 4, "bytes = '1M..4K'");
	refuse("[factor f]\nfrom = a\nto = b\nbytes = 4K, 8K\n", 4, "LO..HI");
	refuse("[factor f]\nfrom = a\nto = b\nbytes = 4K..1M x4\n", 4, "LO..HI");
	refuse("[factor]\nfrom = a\nto = b\n", 1, "unknown section [factor]");
	refuse(CLAIM, 1, "lacks left, right, metric or is");
	refuse("[claim c]\nneeds = x\n", 1, "no text");
	refuse(CLAIM "is = less\n", 6, "is = 'less'");
	refuse(CLAIM "is = less by 2\n", 6, "less by X%");
	refuse(CLAIM "is = less by 0%\n", 6, "less by X%");
	refuse(CLAIM "is = more by 91%\n", 6, "less by X%");
	refuse(CLAIM "is = within 2%\nneeds = x\n", 7, "exclude each other");
	refuse(CLAIM "is = less by 2%\nbytes = 4K\nregime = small\n", 8, "exclude each other");
	refuse(CLAIM "regime = middle\n", 6, "regime = 'middle'");
	refuse(CLAIM "nccl.is = often\n", 6, "is = 'often'");
	refuse("[claim c]\ntext = x\nmetric = speed\n", 3, "metric = 'speed' is not known");
	refuse("[claim c]\ntext = x\nleft = a\nright = a\nmetric = time\nis = within 1%\n", 1,
	       "the same variant");
	refuse("[claim c]\ntext = x\nleft = a\nright = b\nmetric = latency\npace = stream\n"
	       "is = within 1%\n",
	       1, "latency, p95 and p99 are of isolated calls");
	refuse("[claim c]\ntext = x\nleft = a\nright = b\nleft = b\n", 5, "is there already");
}

static void plan_why(unsigned claim, const char *what)
{
	char why[256];
	plan_claim_why(&plan, &spec.asked.claims[claim], why, sizeof why);
	assert_string_equal(why, what);
}

TEST(what_no_cell_answers_is_told_before_the_run)
{
	char why[256];
	/* clang-format off */
	loads(CLAIM "is = less by 2%\n"
	      OTHER("coll") "metric = busbw\ncollective = sendrecv\n"
	      OTHER("size") "metric = busbw\nbytes = 2G..4G\n"
	      OTHER("between") "metric = latency\nbytes = 5K\n"
	      OTHER("dram") "metric = dram\n"
	      "[claim needs]\ntext = x\nneeds = 2 nodes\n"
	      OTHER("tail") "metric = p99\n"
	      "[factor f]\nfrom = a\nto = b\nbytes = 1K..2K\n"
	      "[factor g]\nfrom = a\nto = b\n", "host");
	/* clang-format on */
	spec.isolated_calls = 100;
	assert_works(plan_it());
	plan_why(0, "");
	plan_why(1, "sendrecv is not measured");
	plan_why(2, "none of these sizes is measured: 2 GiB to 4 GiB");
	plan_why(3, "none of these sizes is measured: 5 KiB");
	plan_why(4, "no counters are read; say counters = yes");
	plan_why(5, "");
	plan_why(6, "p99 needs 500 isolated calls, and isolated_calls is 100");
	plan_factor_why(&plan, &spec.asked.factors[0], why, sizeof why);
	assert_string_equal(why, "none of these sizes is measured: 1 KiB to 2 KiB");
	plan_factor_why(&plan, &spec.asked.factors[1], why, sizeof why);
	assert_string_equal(
	    why, "none of these sizes is measured: 2 GiB to 4 GiB (without its own bytes it has "
	         "the sizes of the claims about busbw)");

	spec.counters = true;
	spec.paces[PACE_ISOLATED] = false;
	assert_works(plan_it());
	plan_why(0, "");
	plan_why(4, "");
	plan_why(3, "pace isolated is not measured");
	spec.asked.claims[4].bytes = (struct claim_range){4096, 65536};
	plan_why(4, "none of these sizes is measured with counters (from a sixteenth of the "
	            "largest up): 4 KiB to 64 KiB");
	spec.asked.claims[4].pace = PACE_ISOLATED;
	plan_why(4, "counters are of pace stream alone");
}

/* Either pace can show a factor: a lack in the other does not matter. */
TEST(a_factor_needs_one_pace)
{
	char why[256];
	loads(CLAIM "is = less by 2%\nbytes = 4K..1G\n[factor f]\nfrom = a\nto = b\nbytes = 4K\n"
	            "[factor g]\nfrom = a\nto = b\nbytes = 1K..2K\n",
	      "host");
	for (unsigned paces = 1; paces < 4; paces++) {
		spec.paces[PACE_STREAM] = paces & 1;
		spec.paces[PACE_ISOLATED] = paces & 2;
		assert_works(plan_it());
		plan_factor_why(&plan, &spec.asked.factors[0], why, sizeof why);
		assert_string_equal(why, "");
		plan_factor_why(&plan, &spec.asked.factors[1], why, sizeof why);
		assert_string_equal(why, "none of these sizes is measured: 1 KiB to 2 KiB");
	}
}

/* Whether a claim that says a figure in words holds at that figure, to 2 %. */
static void says_its_limit(const struct claim *c)
{
	static const char *const figures[] = {"fifth", "sixth",  "quarter", "third", "half",
	                                      "twice", "times ", "%",       "tenth", "fifty"};
	static const struct {
		const char *words;
		double ratio; /* 0: of a setting */
	} known[] = {{"a sixth off", 1 / 1.2},
	             {"a quarter of the bandwidth or more", 0.75},
	             {"two thirds", 2 / 3.},
	             {" 1.9 times as long or longer", 1.9},
	             {"30 % or more", 1.3},
	             {"within 30%", 1.3},
	             {"within 5%", 1.05},
	             {"within 2 %", 1.02},
	             {"A quarter of the chunk", 0},
	             {"Four times the chunk", 0},
	             {" 0.53 times", 0.526},
	             {"a tenth to a fifth", 0.1},
	             {"(26 to 95)", 95},
	             {"(12 to 28 times)", 28.1},
	             {"(5.3 to 19)", 19}};
	const double of = c->of ? c->of : 1, lo = of / (1 + c->by), hi = of * (1 + c->by);
	bool figure = false, right = false;
	for (size_t i = 0; i < LENGTH(figures); i++)
		figure |= strstr(c->text, figures[i]) != NULL;
	for (size_t i = 0; i < LENGTH(known); i++) {
		const double x = known[i].ratio;
		right |= strstr(c->text, known[i].words) &&
		         (!x || fabs(lo / x - 1) < 0.02 || fabs(hi / x - 1) < 0.02);
	}
	if (figure && !right && c->test != CLAIM_NEEDS)
		fail_msg("%s says '%s' and holds at %g or %g", c->name, c->text, lo, hi);
}

/* The shipped ones ask for nothing that they do not measure; on host, or on null if they say so. */
TEST(own_experiments_can_be_answered)
{
	static char *const backends[] = {"backend=nccl", "backend=host"};
	char why[256];
	glob_t found;
	if (glob("experiments/*.exp", 0, NULL, &found))
		skip(); /* run from elsewhere */
	for (char **at = found.gl_pathv; *at; at++) {
		assert_works(load_file(*at, "host", 0, NULL));
		if (strcmp(spec.backend, "null"))
			assert_works(load_file(*at, "host", 1, &backends[1]));
		assert_works(plan_it());
		for (unsigned i = 0; i < spec.asked.nclaims; i++)
			plan_why(i, "");
		assert_int_equal(spec.primaries.n > 0, spec.asked.nclaims > 0);
		for (unsigned i = 0; i < spec.asked.nfactors; i++) {
			plan_factor_why(&plan, &spec.asked.factors[i], why, sizeof why);
			assert_string_equal(why, "");
		}
		/* Words and limits agree, unless it is of other backends. */
		for (unsigned i = 0; i < 2; i++)
			if (!load_file(*at, strchr(backends[i], '=') + 1, 1, &backends[i]))
				for (unsigned c = 0; c < spec.asked.nclaims; c++)
					says_its_limit(&spec.asked.claims[c]);
	}
	globfree(&found);
}

static const struct claim *own_claim(const char *name, const char *backend)
{
	char *const override[] = {test_text("backend=%s", backend)};
	assert_works(load_file("experiments/h800_alltoall.exp", backend, 1, override));
	for (unsigned i = 0; i < spec.asked.nclaims; i++)
		if (!strcmp(spec.asked.claims[i].name, name))
			return &spec.asked.claims[i];
	fail_msg("no claim %s", name);
	return NULL;
}

/* One worker of host spends its time moving data: none of it is launching. That zero-copy is a
 * cause, and that nothing else is: two sentences with a test each, on every backend. */
TEST(the_reports_own_claims_are_tested_where_they_can_be)
{
	static const struct {
		const char *name;
		enum claim_test on_nccl, on_host;
	} rows[] = {{"serial-launch", CLAIM_MORE, CLAIM_NEEDS},
	            {"coordination", CLAIM_WITHIN, CLAIM_NEEDS},
	            {"zero-copy", CLAIM_LESS, CLAIM_LESS},
	            {"nothing-else", CLAIM_WITHIN, CLAIM_WITHIN}};
	if (access("experiments/h800_alltoall.exp", R_OK))
		skip(); /* run from elsewhere */
	for (size_t i = 0; i < LENGTH(rows); i++) {
		assert_int_equal(own_claim(rows[i].name, "nccl")->test, rows[i].on_nccl);
		assert_int_equal(own_claim(rows[i].name, "host")->test, rows[i].on_host);
		if (rows[i].on_host == CLAIM_NEEDS)
			assert_says(own_claim(rows[i].name, "host")->needs, "on host");
	}
	const struct claim *c = own_claim("nothing-else", "host");
	assert_prints("processes, threads-nodirect", "%s, %s", c->left, c->right);
	assert_lacks(c->text, "NCCL");
}

TEST(a_primary_claim_is_one_of_the_file)
{
	static const struct {
		char *key;
		const char *what;
	} rows[] = {{"primary=second", NULL},
	            {"null.primary=second", NULL},
	            {"primary=secnd", "'secnd' names no claim (did you mean 'second'?)"},
	            {"primary=first second", "a claim's name; alternatives follow `else`"},
	            {"primary=first else", "allowed is a claim's name"},
	            {"gap=a, b or b, a", "allowed is FROM, TO: two variants; alternatives follow"},
	            {"gap=a b", "allowed is FROM, TO"},
	            {"gap=a,, b", "allowed is FROM, TO"},
	            {"primary=a, else b", "allowed is a claim's name"},
	            {"gap=a, b else b", "allowed is FROM, TO"},
	            {"gap=a, b else b, b", "allowed is FROM, TO"}};
	loads(ALTERNATIVES, "null");
	for (size_t i = 0; i < LENGTH(rows); i++) {
		assert_int_equal(load_file(file, "null", 1, &rows[i].key), rows[i].what ? -1 : 0);
		if (rows[i].what)
			assert_says(because(), rows[i].what);
		else
			assert_string_equal(spec.primaries.names[0], "second");
	}
}

#define SOURCE  "[source paper]\nby = x\nwhere = y\n"
#define SOURCED "[claim c]\nleft = a\nright = b\nmetric = busbw\nis = less by 2%\n"

TEST(a_claim_tests_a_line_of_a_source)
{
	loads(SOURCE SOURCED "source = paper\nsays = a line\noriginal = eine Zeile\n", "null");
	const struct claim *c = &spec.asked.claims[0];
	assert_prints("paper: eine Zeile, y", "%s: %s, %s", c->source, c->original,
	              spec.asked.sources[0].where);
	assert_string_equal(c->text, "a line"); /* unless it has its own */
	/* The source may come after it. */
	loads(SOURCED "source = paper\nsays = a line\n" SOURCE, "null");
	refuse("[source s]\nby = x\n", 1, "the source lacks by or where");
	refuse(SOURCED "text = x\nsource = paper\n" SOURCE, 1,
	       "the claim has a source but no line of it; say says");
	refuse(SOURCED "says = a line\n", 1, "has a line of a source but names none");
	refuse(SOURCED "source = papr\nsays = a line\n" SOURCE, 6,
	       "source = 'papr' names no source (did you mean 'paper'?)");
}

TEST(a_claim_may_compare_two_collectives)
{
	static const char one[] = "[claim c]\ntext = x\nleft = a\nright = a\nmetric = busbw\n"
	                          "is = less by 2%\n";
	loads(test_text("%sleft_collective = alltoall\nright_collective = broadcast\n", one),
	      "host");
	assert_int_equal(claim_coll(&spec.asked.claims[0], false), COLL_ALLTOALL);
	assert_int_equal(claim_coll(&spec.asked.claims[0], true), COLL_BROADCAST);
	assert_works(plan_it());
	plan_why(0, "broadcast is not measured");
	static const struct {
		const char *more, *what;
		unsigned line;
	} wrong[] = {
	    {"", "the same variant; allowed are two, or two collectives", 1},
	    {"left_collective = alltoall\n", "or left_collective and right_collective", 1},
	    {"left_collective = alltoall\nright_collective = reduce\ncollective = reduce\n",
	     "allowed is collective for both sides", 1},
	    {"left_collective = all_redce\n", "left_collective = 'all_redce'", 7},
	};
	for (size_t i = 0; i < LENGTH(wrong); i++)
		refuse(test_text("%s%s", one, wrong[i].more), wrong[i].line, wrong[i].what);
}

TEST(limits_are_held)
{
	static const char *const sections[] = {"%s[factor f%u]\nfrom = a\nto = b\n",
	                                       "%s[claim c%u]\ntext = x\nneeds = y\n"};
	for (unsigned what = 0; what < 2; what++) {
		const char *text = "";
		for (unsigned i = 0; i < 49; i++)
			text = test_text(sections[what], text, i);
		assert_refused(load(text, "host"), "; allowed are 48");
	}
}

TEST(a_factor_is_one_setting)
{
	char keys[64];
	plan_refuses("[factor f]\nfrom = b\nto = old-env\n", 1, "several: mode, nccl, env.NCCL_X");
	plan_refuses("[variant a2]\nmode = threads\n[factor f]\nfrom = a\nto = a2\n", 3,
	             "no setting on backend null; allowed is exactly one setting. If it is a "
	             "factor of another backend alone, name its variants in [factor f on nccl]; "
	             "else give a2 a setting that applies to null, in [variant a2 on null]");
	/* A variant that is skipped here is right or wrong all the same. */
	loads("[factor f]\nfrom = old\nto = old-env\n[factor g]\nfrom = a\nto = old\n"
	      "[factor h]\nfrom = a\nto = b\n",
	      "host");
	assert_works(plan_it());
	assert_int_equal(plan_factor_differ(&plan, &spec.asked.factors[0], keys, sizeof keys), 1);
	assert_string_equal(keys, "env.NCCL_X");
	plan_factor_differ(&plan, &spec.asked.factors[1], keys, sizeof keys);
	assert_string_equal(keys, "nccl");
	plan_factor_differ(&plan, &spec.asked.factors[2], keys, sizeof keys);
	assert_string_equal(keys, "mode");
}

/* Libraries that are named elsewhere make variants that are known only there. */
TEST(names_of_several_libraries_may_be_absent)
{
	char keys[64];
	loads("[variant lib]\nmode = threads\neach = ${NOT_SET}\n[factor f]\nfrom = a\n"
	      "to = lib-2.21.5\n",
	      "host");
	assert_works(plan_it());
	assert_int_equal(plan_factor_differ(&plan, &spec.asked.factors[0], keys, sizeof keys), 1);
	assert_string_equal(keys, "");
	refuse("[factor f]\nfrom = a\nto = old-2.21.5\n", 3, "names no variant");
}

TEST(the_record_carries_all)
{
	static struct claim_list back;
	char *argv[] = {"launchgap"};
	loads("[factor f]\ntext = t\nfrom = a\nto = b\nplacebo = yes\nbytes = 4K..1M\n" CLAIM
	      "is = less by 2%\nbytes = 16M..1G\npace = stream\ncollective = alltoall\n"
	      "[claim d]\ntext = x\nneeds = y\n"
	      "[claim e]\ntext = x\nleft = a\nright = b\nmetric = busbw\nis = within 1%\n"
	      "regime = small\nleft_collective = alltoall\nright_collective = reduce\n",
	      "host");
	spec.gaps = (struct claim_names){4, {"old", "b", "a", "b"}};
	spec.primaries = (struct claim_names){1, {"d"}};
	assert_works(plan_it());
	json_t *run = describe_run(&plan, 1, argv, "abc");
	assert_non_null(run);
	assert_works(claim_list_take(run, &back, WHY));
	strcpy(spec.asked.factors[0].setting, "mode");
	spec.asked.factors[0].latency_bytes = spec.asked.factors[0].bytes;
	assert_prints("1 and 3", "%u and %u", back.nfactors, back.nclaims);
	assert_int_equal(back.claims[0].regime, CLAIM_ANY_REGIME);
	assert_int_equal(back.claims[2].regime, REGIME_SMALL);
	assert_true(claim_range_open(back.claims[2].bytes));
	assert_memory_equal(&back.factors[0], &spec.asked.factors[0], sizeof back.factors[0]);
	assert_prints("a to b, d", "%s to %s, %s", back.gap.from, back.gap.to, back.primary);
	assert_memory_equal(&back.gap.bytes, &spec.asked.gap.bytes, sizeof back.gap.bytes);
	const struct claim *c = &back.claims[0];
	assert_string_equal(c->left, "a");
	assert_true(c->metric == METRIC_BUSBW && c->test == CLAIM_LESS && c->pace == PACE_STREAM &&
	            c->coll == COLL_ALLTOALL && c->by == spec.asked.claims[0].by);
	assert_int_equal(c->bytes.lo, 16 << 20);
	assert_int_equal(claim_coll(&back.claims[2], false), COLL_ALLTOALL);
	assert_int_equal(claim_coll(&back.claims[2], true), COLL_REDUCE);
	assert_string_equal(back.claims[1].needs, "y");
	json_decref(run);
}

TEST(a_damaged_list_is_refused)
{
	static struct claim_list back;
	static const char *const bad[] = {
	    "{'factors': [{}]}",
	    "{'claims': [7]}",
	    "{'claims': [{'name': 'c', 'text': 'x', 'is': 'perhaps'}]}",
	    "{'claims': [{'name': 'c', 'text': 'x', 'is': 'less', 'left': 'a', 'right': 'b', "
	    "'metric': 'busbw', 'by': 0, 'bytes': [0, null]}]}",
	    "{'claims': [{'name': 'c', 'text': 'x', 'is': 'less', 'left': 'a', 'right': 'a', "
	    "'metric': 'busbw', 'by': 0.1, 'bytes': [0, null], 'needs': '', "
	    "'left_collective': 'all_reduce', 'right_collective': 'all_nothing'}]}",
	    "{'gap': {'from': 'a', 'to': 'b', 'bytes': [1]}}",
	};
	for (size_t i = 0; i < LENGTH(bad); i++) {
		json_t *env = json_loads(test_quotes(bad[i]), 0, NULL);
		assert_non_null(env);
		assert_refused(claim_list_take(env, &back, WHY), "the record's environment, ");
		json_decref(env);
	}
}

TESTS(.begin = set_up, .end = tear_down);
