/* "Did you mean …?" */
#include "../harness/suggest.h"
#include "test.h"

static const char *const modes[] = {"single", "threads", "processes", NULL};
static const char *const verbs[] = {"run", "resume", "report", "compare", "list", "doctor", NULL};

static void expect(const char *word, const char *const allowed[], const char *said)
{
	struct suggestion guess = suggest_for(word);
	for (unsigned i = 0; allowed[i]; i++)
		suggest_offer(&guess, allowed[i]);
	assert_string_equal(suggestion_text(&guess).text, said);
}

TEST(what_was_meant_is_found)
{
	expect("thread", modes, " (did you mean 'threads'?)");
	expect("therads", modes, " (did you mean 'threads'?)");
	expect("THREADS", modes, " (did you mean 'threads'?)");
	expect("proc", modes, " (did you mean 'processes'?)");
	expect("sinlge", modes, " (did you mean 'single'?)");
	expect("rn", verbs, " (did you mean 'run'?)");
	expect("lst", verbs, " (did you mean 'list'?)");
	expect("reprot", verbs, " (did you mean 'report'?)");
}

TEST(what_is_far_is_not_offered)
{
	char longest[200] = "";
	memset(longest, 'x', sizeof longest - 1);
	expect("frobnicate", modes, "");
	expect("fork", modes, "");
	expect("x", verbs, "");
	expect("", verbs, "");
	expect(longest, verbs, "");
	static const char *const options[] = {"--format", "--file", "--quick", NULL};
	expect("--variant", options, ""); /* dashes make no option nearer */
	expect("--fromat", options, " (did you mean '--format'?)");
	expect("threads", modes, ""); /* it is allowed itself */
}

TEST(what_nccl_tests_says_leads_to_our_words)
{
	static const char *const types[] = {"float16", "bfloat16", "float32", "float64", NULL};
	static const char *const keys[] = {"bytes", "dtype", "ranks", "cpus", "calls", NULL};
	expect("float", types, " (did you mean 'float32'?)");
	expect("half", types, " (did you mean 'float16'?)");
	expect("double", types, " (did you mean 'float64'?)");
	expect("ngpus", keys, " (did you mean 'ranks'?)");
	expect("iters", keys, " (did you mean 'calls'?)");
	assert_says(suggest_nccl_tests("-b").text, "the key 'bytes'");
	assert_says(suggest_nccl_tests("--minbytes=8").text, "the key 'bytes'");
	assert_says(suggest_nccl_tests("--datatype").text, "the key 'dtype'");
	assert_says(suggest_nccl_tests("-c").text, "experiments/nccl-tests.md");
	assert_says(suggest_nccl_tests("all_reduce_perf").text,
	            "verbs here, as `launchgap all_reduce_perf`");
	assert_string_equal(suggest_nccl_tests("smoke").text, "");
	assert_string_equal(suggest_nccl_tests("--colour").text, "");
	assert_string_equal(suggest_nccl_tests("-q").text, "");
	assert_string_equal(suggest_nccl_tests("_perf").text, "");
}
