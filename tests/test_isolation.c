/* Isolated processes, the CPUs that a rank has, and how a worker waits: that each requested setting
 * has acted, by what the workers themselves report; and what is refused, with which words. */
#include "../harness/core/isolation.h"
#include "../harness/machine.h"
#include "here.h"

#define HEAD                                                                                       \
	"; Apart?\n[experiment]\ncollective = alltoall\nbytes = 4K, 64K\nranks = 2\n"              \
	"blocks = 1\npace = stream\nwarmup = 1\nstretches = 2\ncalls = 2\nlimit = no\n"            \
	"timeout = 60\n[variant plain]\nmode = processes\n"

/* All cells of the only run. */
static struct record_run run;

static void measure(const char *variants)
{
	cli_expect(here_run(test_text(HEAD "%s", variants), "backend=host", NULL), 0, "");
	run = cli_record(here_path(""));
}

/* A worker's fact in a variant's trial; "" if it has none. */
static const char *fact(const char *variant, unsigned worker, const char *key)
{
	for (unsigned i = 0; i < run.ncells; i++) {
		const json_t *own =
		    json_array_get(json_object_get(run.cells[i].json, "facts"), worker);
		if (!strcmp(run.cells[i].variant, variant) && own) {
			const char *text = json_string_value(json_object_get(own, key));
			return text ? text : "";
		}
	}
	fail_msg("no facts of worker %u of %s", worker, variant);
	return "";
}

/* "4026531838" of "uts=4026531838" among a worker's namespaces. */
static const char *part_of(const char *variant, unsigned worker, const char *key)
{
	const char *all = test_text(" %s", fact(variant, worker, "namespaces")),
	           *at = strstr(all, test_text(" %s=", key));
	assert_non_null(at);
	at += strlen(key) + 2;
	return test_text("%.*s", (int)strcspn(at, " "), at);
}

static bool differs(const char *variant, const char *key)
{
	return strcmp(part_of(variant, 0, key), part_of(variant, 1, key)) != 0;
}

/* Why this machine cannot run the test; then the test is skipped. */
static void want(unsigned what)
{
	if (!isolation_possible(what, WHY))
		return;
	print_message("skipped: %s\n", because());
	skip();
}

#define EVERY                                                                                      \
	(ISOLATE_BIT(ISOLATE_UTS) | ISOLATE_BIT(ISOLATE_IPC) | ISOLATE_BIT(ISOLATE_SHM) |          \
	 ISOLATE_BIT(ISOLATE_PID) | ISOLATE_BIT(ISOLATE_CGROUP))

/* One word at a time, and all: the two processes differ in that, and in nothing else. The team
 * carries stamps and data all the same, or the run would fail. */
TEST_WITH(each_process_has_what_is_asked_for, set_up, tear_down)
{
	static const char *const words[] = {"uts", "ipc", "shm", "pid", "cgroup"};
	const unsigned n = LENGTH(words);
	want(EVERY);
	measure("isolate = none\n"
	        "[variant uts]\nmode = processes\nisolate = uts\n"
	        "[variant ipc]\nmode = processes\nisolate = ipc\n"
	        "[variant shm]\nmode = processes\nisolate = shm\n"
	        "[variant pid]\nmode = processes\nisolate = pid\n"
	        "[variant cgroup]\nmode = processes\nisolate = cgroup\n"
	        "[variant every]\nmode = processes\n"
	        "isolate = pid, uts, ipc, shm, cgroup\n");
	assert_string_equal(fact("plain", 0, "namespaces"), "");
	for (unsigned asked = 0; asked < n; asked++)
		for (unsigned has = 0; has < n; has++)
			if (differs(words[asked], words[has]) != (asked == has))
				fail_msg("isolate = %s: %s", words[asked], words[has]);
	for (unsigned has = 0; has < n; has++)
		assert_true(differs("every", words[has]));
	assert_true(differs("uts", "host"));
	assert_false(differs("pid", "host"));
	assert_true(differs("shm", "mnt"));
}

/* A worker's own fault reaches the run's words through the process around it. */
TEST_WITH(a_failure_in_an_isolated_process_is_told, set_up, tear_down)
{
	want(EVERY);
	cli_expect(here_run(HEAD "[variant wrong]\nmode = processes\nisolate = uts, ipc, shm, pid\n"
	                         "flip = 1:16\n",
	                    "backend=host", NULL),
	           1, "rank 1");
}

TEST_WITH(what_cannot_be_set_apart_is_refused, set_up, tear_down)
{
	static const struct {
		const char *variant, *backend, *words;
		int code;
	} cases[] = {
	    {"mode = threads\nisolate = uts\n", "backend=host",
	     "t.exp:15: variant x: isolate sets processes apart from each other, and mode "
	     "threads "
	     "has one; allowed is mode = processes",
	     1},
	    {"mode = single\nvisible = own\n", "backend=nccl", "visible = own sets processes apart",
	     1},
	    {"mode = processes\nvisible = own\n", "backend=host",
	     "visible is a setting of backend nccl", 0},
	    {"mode = processes\nisolate = devices\n", "backend=host",
	     "isolate = devices closes the files of GPUs, and backend host has none", 0},
	    {"mode = processes\nisolate = utf\n", "backend=host",
	     "isolate = 'utf' is not known (did you mean 'uts'?); allowed is uts, ipc, shm, "
	     "pid, "
	     "cgroup, devices",
	     1},
	    {"mode = processes\nwait = block\n", "backend=host",
	     "wait = block sleeps until a device is through, and backend host moves data while "
	     "it "
	     "waits; allowed are spin and yield",
	     0},
	    {"mode = processes\ncpus = 1000\n", "backend=host", "cpus = 1000 of 2 ranks are 2000",
	     0},
	    {"mode = processes\ncpus = 2/3\n", "backend=host",
	     "cpus = '2/3' is not allowed; allowed is 1 to 1024 for each rank, 1/2 to 1/1024 "
	     "(one of "
	     "so many ranks), or all",
	     1},
	    {"mode = processes\ncpus = 0\n", "backend=host", "cpus = '0' is not allowed", 1},
	    {"mode = processes\ncpus = 1/0\n", "backend=host", "cpus = '1/0' is not allowed", 1},
	};
	for (unsigned i = 0; i < LENGTH(cases); i++) {
		cli_write(folder, "t.exp", test_text(HEAD "[variant x]\n%s", cases[i].variant));
		cli_expect(
		    cli_call(folder, "run", "--file", file, "--dry-run", cases[i].backend, NULL),
		    cases[i].code, cases[i].words);
	}
}

/* --- CPUs --- */

TEST_WITH(a_rank_has_its_cpus_in_every_mode, set_up, tear_down)
{
	if (machine_cores() < 2) {
		print_message("skipped: one CPU\n");
		skip();
	}
	measure("[variant threads]\nmode = threads\ncpus = 1\n"
	        "[variant processes]\nmode = processes\ncpus = 1\n"
	        "[variant single]\nmode = single\ncpus = 1\nbind = none\n"
	        "[variant half]\nmode = processes\ncpus = 1/2\n");
	assert_string_equal(fact("plain", 0, "cpus"), "");
	char *both = test_text("%s,%s", fact("threads", 0, "cpus"), fact("threads", 1, "cpus"));
	assert_string_not_equal(fact("threads", 0, "cpus"), fact("threads", 1, "cpus"));
	for (unsigned rank = 0; rank < 2; rank++) {
		assert_int_equal(strcspn(fact("threads", rank, "cpus"), ",-"),
		                 strlen(fact("threads", rank, "cpus")));
		assert_string_equal(fact("processes", rank, "cpus"), fact("threads", rank, "cpus"));
		assert_string_equal(fact("half", rank, "cpus"), fact("threads", 0, "cpus"));
	}
	/* Both ranks' are its one worker's: "0,1" as a list, or "0-1". */
	if (strcmp(fact("single", 0, "cpus"), both)) {
		both[strcspn(both, ",")] = '-';
		assert_string_equal(fact("single", 0, "cpus"), both);
	}
}

/* --- in this process --- */

static int see(void *arg, struct status *st)
{
	const char *kept = arg;
	char *beside = test_text("%.80s.beside", kept);
	if (access(kept, R_OK))
		return status_set(st, "the kept folder is not seen");
	if (!access(beside, F_OK))
		return status_set(st, "/dev/shm is not empty");
	if (strcmp(machine_env("CUDA_VISIBLE_DEVICES"), "7"))
		return status_set(st, "GPUs are %s", machine_env("CUDA_VISIBLE_DEVICES"));
	return status_set(st, "all as it should be");
}

TEST(a_kept_folder_stays_in_an_own_shm)
{
	char kept[64] = "/dev/shm/launchgap-test-XXXXXX", beside[80];
	want(EVERY);
	assert_non_null(mkdtemp(kept));
	snprintf(beside, sizeof beside, "%s.beside", kept);
	fclose(fopen(beside, "w"));
	setenv("CUDA_VISIBLE_DEVICES", "3,7", 1);
	const struct isolation own = {
	    .what = EVERY, .own_gpus = true, .process = 1, .gpu = 1, .gpus = 1, .keep = kept};
	int result = isolation_run(&own, see, kept, WHY);
	remove(beside);
	rmdir(kept);
	unsetenv("CUDA_VISIBLE_DEVICES");
	assert_int_equal(result, -1); /* so that its words come back */
	assert_string_equal(because(), "all as it should be");
}

static int look_at_proc(void *arg, struct status *st)
{
	char self[32] = "";
	(void)arg;
	if (readlink("/proc/self", self, sizeof self - 1) < 0)
		return status_set(st, "no /proc/self");
	return status_set(
	    st, "%s", strcmp(self, test_text("%d", getpid())) ? "another /proc" : "its own /proc");
}

/* CUDA does not start in a process that its /proc has another number for. */
TEST(a_process_of_its_own_pids_has_their_proc)
{
	const struct isolation pids = {.what = ISOLATE_BIT(ISOLATE_PID)};
	want(pids.what);
	assert_int_equal(isolation_run(&pids, look_at_proc, NULL, WHY), -1);
	assert_string_equal(because(), "its own /proc");
}

TEST(a_process_sees_the_gpus_of_its_ranks)
{
	struct trial trial = {0};
	settings_default(&trial.settings);
	trial.settings.layout = (struct layout){2, 2, 2};
	setenv("CUDA_VISIBLE_DEVICES", "4,7,GPU-abc,9", 1);
	machine_show_gpus(1, 2);
	assert_string_equal(machine_env("CUDA_VISIBLE_DEVICES"), "7,GPU-abc");
	unsetenv("CUDA_VISIBLE_DEVICES");
	machine_show_gpus(2, 1);
	assert_string_equal(machine_env("CUDA_VISIBLE_DEVICES"), "2");
	machine_show_gpus(0, 0);
	assert_null(machine_env("CUDA_VISIBLE_DEVICES"));
	setenv("NCCL_DEBUG_FILE", "/tmp/x.%h.%p", 1);
	machine_part_logs(3);
	assert_string_equal(machine_env("NCCL_DEBUG_FILE"), "/tmp/x.%h.%p.3");
	assert_int_equal(trial_device(&trial, 5), 5);
	trial.settings.visible = VISIBLE_OWN;
	assert_int_equal(trial_device(&trial, 5), 1);
	trial.settings.ranks_per_gpu = 2;
	assert_int_equal(trial_device(&trial, 6), 1);
}
