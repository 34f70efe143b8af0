/* The path's pass: the one job with a library that logs, played by a script here. */

#include "../harness/run/runner.h"
#include "json.h"
#include "spec_file.h"

#define HEAD "node1:4242:4243 [0] NCCL INFO "

static char self[96];
static struct runner *runner;

/* A worker that keeps the environment's settings of the log, and writes one as NCCL does. */
#define TELLS "#!/bin/sh\nenv | grep '^NCCL_DEBUG' | sort >${0%/*}/seen\n"
static const char logs[] = TELLS "f=$(echo \"$NCCL_DEBUG_FILE\" | sed \"s/%h/here/; s/%p/$$/\")\n"
                                 "[ -n \"$f\" ] || exit 0\n"
                                 "echo '" HEAD "NCCL version 2.28.3+cuda12.4' >$f\n"
                                 "echo '" HEAD "Channel 00/1 : 0[0] -> 1[1] via P2P/CUMEM' >>$f\n"
                                 "echo '" HEAD "Channel 00/1 : 1[1] -> 0[0] via P2P/CUMEM' >>$f\n";
static const char silent[] = TELLS;
static const char breaks[] = TELLS "echo 'launchgap: no such device'\nexit 1\n";

static struct run_request request;

/* A runner before its first path. The plan is made for host, and nccl's from then on: this
 * machine needs no GPU to be asked. */
FIXTURE(begin)
{
	set_up();
	snprintf(self, sizeof self, "%s/self", folder);
	runner = calloc(1, sizeof *runner);
	assert_non_null(runner);
	request = (struct run_request){.self = self, .machine = &machine};
	runner->request = &request;
	if (read_text("[experiment]\nbackend = host\ncollective = alltoall\nbytes = 4K\nranks = 2\n"
	              "pace = stream\nblocks = 1\nlimit = no\ntwin = no\n"
	              "[variant a]\nmode = threads\n[variant b]\nmode = threads\n",
	              "host", NULL) ||
	    plan_make(&spec, &machine, 1, &runner->plan, WHY) ||
	    folder_open(folder, "x", 0, &runner->folder, WHY))
		fail_msg("%s", because());
	runner->spec.blocks = 1;
	runner->spec.timeout_s = 60;
	for (unsigned v = 0; v < runner->plan.nvariants; v++)
		strcpy(runner->plan.variants[v].settings.backend, "nccl");
	job_hold_signals();
}

FIXTURE(end)
{
	job_release_signals();
	folder_close(&runner->folder);
	plan_free(&runner->plan);
	free(runner);
	tear_down();
}

static struct plan_variant *variant(const char *name)
{
	for (unsigned v = 0; v < runner->plan.nvariants; v++)
		if (!strcmp(runner->plan.variants[v].name, name))
			return &runner->plan.variants[v];
	fail_msg("%s is not in the plan", name);
	return NULL;
}

static void play(const char *script)
{
	cli_write(folder, "self", script);
	assert_int_equal(chmod(self, 0755), 0);
}

static int collect(void)
{
	const unsigned a = (unsigned)(variant("a") - runner->plan.variants);
	assert_true(path_job_wanted(&runner->plan, a));
	return path_job_run(runner, a, 7, WHY);
}

/* The settings of the last job, or the record. */
static char *kept(const char *parent, const char *name)
{
	char *path = test_text("%s/%s", parent, name);
	char *text = cli_read(path);
	assert_non_null(text);
	return text;
}

static void record_says(const char *words)
{
	assert_int_equal(folder_commit(&runner->folder, WHY), 0);
	char *text = kept(runner->folder.path, "trials.jsonl");
	assert_says(text, words);
}

TEST(the_path_goes_into_the_record)
{
	play(logs);
	/* Of a job before: not this one's. */
	cli_write(runner->folder.scratch, "path.old",
	          HEAD "Channel 00/1 : 0[0] -> 1[1] via SHM/direct/direct\n");
	assert_int_equal(collect(), PATH_JOB_DONE);
	record_says("\"kind\":\"path\",\"experiment\":\"t\",\"variant\":\"a\",\"block\":0,"
	            "\"order\":7");
	record_says("\"transport\":\"P2P/CUMEM\"");
}

/* A trial's own job logs nothing: that would be in its times. */
TEST(the_log_is_on_in_that_job_alone)
{
	struct job job = {0};
	unsetenv("NCCL_DEBUG");
	play(logs);
	assert_int_equal(collect(), PATH_JOB_DONE);
	char *seen = kept(folder, "seen"), logs_to[128];
	assert_says(seen, "NCCL_DEBUG=INFO\n");
	assert_says(seen, "NCCL_DEBUG_SUBSYS=INIT,ENV,P2P,SHM,NET,REG,TUNING\n");
	snprintf(logs_to, sizeof logs_to, "NCCL_DEBUG_FILE=%s/path.%%h.%%p\n",
	         runner->folder.scratch);
	assert_says(seen, logs_to);
	struct trial *trial = plan_trial(&runner->plan, 0);
	assert_int_equal(job_run(trial, self, runner->folder.scratch, 60, &job, WHY), 0);
	assert_int_equal(job.result.code, 0);
	trial_free(trial);
	seen = kept(folder, "seen");
	assert_string_equal(seen, "");
	assert_null(getenv("NCCL_DEBUG"));
}

TEST(a_variants_own_log_gives_way)
{
	struct settings *s = &variant("a")->settings;
	strcpy(s->env[s->nenv++], "NCCL_DEBUG=WARN");
	play(logs);
	assert_int_equal(collect(), PATH_JOB_DONE);
	char *seen = kept(folder, "seen");
	assert_says(seen, "NCCL_DEBUG=INFO\n");
}

TEST(no_log_is_a_failure)
{
	play(silent);
	assert_int_equal(collect(), PATH_JOB_NONE);
	assert_says(because(), "NCCL wrote no log");
	record_says("\"kind\":\"failure\"");
	play(breaks);
	assert_int_equal(collect(), PATH_JOB_NONE);
	assert_says(because(), "a: its path is unknown: no such device");
	record_says("no such device");
}

/* A run on this machine with a record that says, in place of a GPU, which path was taken, and by an
 * older program that another one was asked for. */
TEST(a_path_of_an_older_record_is_told)
{
	static const char file_text[] =
	    "[experiment]\ntitle = t\ncollective = alltoall\nbytes = 4K\npace = stream\n"
	    "ranks = 2\nblocks = 1\nstretches = 1\ncalls = 1\nbackend = host\n"
	    "reference = a\n[variant a]\nmode = threads\n[variant b]\nmode = single\n";
	cli_expect(here_run(file_text, NULL), 0, "");
	char *text = here_read("trials.jsonl");
	assert_non_null(text);
	cli_unsum(text);
	cli_write(
	    here_path(""), "trials.jsonl",
	    test_text("%s%s", text,
	              test_quotes("{'schema':1,'kind':'path','experiment':'y','variant':'b',"
	                          "'block':0,'order':9,'path':{'transport':'SHM/direct/direct',"
	                          "'links':[{'from':0,'to':1,'via':'SHM/direct/direct',"
	                          "'channels':1}],'registered':false,'registered_why':'none',"
	                          "'copy_engine':false,'data_path':'staged','why':'SHM stages',"
	                          "'inherited':'NCCL_A=1'},'expect':'P2P/CUMEM',"
	                          "'as_expected':false}\n")));
	cli_expect(cli_call(folder, "report", here_path(""), NULL), 0, "");
	json_t *report = json_report(here_path("report.json"));
	const json_t *warnings = json_object_get(report, "warnings"),
	             *paths = json_table(report, "paths");
	json_keys b = {"variant", "b", NULL};
	json_assert_one_says(warnings, "NCCL read what b does not ask for: NCCL_A=1. ");
	json_assert_text(json_cell(paths, b, "transport"), "", "SHM/direct/direct");
	json_assert_text(json_cell(paths, b, "links"), "", "1");
}

TESTS(.undrawn = true, .before = begin, .after = end);
