/* The report on isolated processes: which variant loses, and which other variant restores the
 * performance; never one that only seems to. */
#include "made.h"

/* Two or three variants beside the reference and its twin. */
enum { REFERENCE, TWIN, FIRST_APART };
static struct apart {
	const char *name, *isolate, *visible, *env;
	double speed;
} apart[3];

static const struct apart *apart_of(unsigned variant)
{
	return variant < FIRST_APART ? NULL : &apart[variant - FIRST_APART];
}

static void stamps(const struct made_place *p, int64_t out[6])
{
	double bytes = 4096.0 * (1 << 2 * p->size), ns = 1e6 + 10 * bytes;
	if (apart_of(p->variant))
		ns /= apart_of(p->variant)->speed;
	ns *= 1 + 0.003 * made_noise(p->variant, p->block, p->size + 8 * p->isolated);
	out[1] = 1000;
	out[2] = (int64_t)(ns * (p->isolated ? 1 : 10));
	out[3] = 10;
}

static void environment(json_t *env)
{
	for (unsigned i = 0; i < 3 && apart[i].name; i++) {
		json_t *v = made_variant_of(env, FIRST_APART + i);
		if (apart[i].isolate)
			json_object_set_new(v, "isolate", json_string(apart[i].isolate));
		if (apart[i].visible)
			json_object_set_new(v, "visible", json_string(apart[i].visible));
	}
}

/* Without speed a variant has failures in place of cells. */
static void failure(json_t *line, const struct made_place *p)
{
	if (!apart_of(p->variant) || apart_of(p->variant)->speed > 0)
		return;
	json_object_set_new(line, "kind", json_string("failure"));
	json_object_set_new(line, "error", json_string("rank 1: no such GPU"));
}

static const json_t *report_three(struct apart one, struct apart two, struct apart three)
{
	struct made_variant variants[FIRST_APART + 3] = {
	    [REFERENCE] = {.name = "plain", .role = "reference", .mode = "processes"},
	    [TWIN] = {.name = "plain-again", .role = "again", .mode = "processes"},
	};
	const struct made made = {.blocks = 10,
	                          .sizes = 7,
	                          .variants = variants,
	                          .nvariants = FIRST_APART + (three.name ? 3 : 2),
	                          .environment = environment,
	                          .line = failure,
	                          .stamps = stamps};
	apart[0] = one;
	apart[1] = two;
	apart[2] = three;
	for (unsigned i = 0; i < 3; i++)
		variants[FIRST_APART + i] = (struct made_variant){
		    .name = apart[i].name, .mode = "processes", .env = apart[i].env};
	return made_report(&made);
}

static const json_t *report(struct apart one, struct apart two)
{
	return report_three(one, two, (struct apart){NULL, NULL, NULL, NULL, 0});
}

static const char *cell(const json_t *json, const char *variant, const char *column)
{
	const char *text = json_string_value(
	    json_cell(json_table(json, "containers"), JSON_IS("variant", variant), column));
	return text ? text : "";
}

TEST(a_variable_gives_back_what_the_host_name_took)
{
	const json_t *json = report((struct apart){"host", "uts", "own", NULL, 0.01},
	                            (struct apart){"id", "uts", "own", "NCCL_HOSTID=same", 1});
	assert_string_equal(cell(json, "host", "own"), "visible GPU and host name");
	assert_string_equal(cell(json, "host", "verdict"), "slower");
	assert_string_equal(cell(json, "host", "remedy"), "id");
	assert_string_equal(cell(json, "host", "gives"), "set NCCL_HOSTID = same");
	json_assert_one_says(json_object_get(json, "answer"),
	                     "With its own visible GPU and host name a process keeps 1.0 % of the "
	                     "bandwidth of plain.");
	const char *page = made_read("report.md");
	assert_says(page, "- With its own visible GPU and host name: set NCCL\\_HOSTID = same.");
	json_assert_one_says(
	    json_section(json, "containers"),
	    "Where each process has its own visible GPU and host name (host): set "
	    "NCCL_HOSTID = same (one text for all containers of a machine, such as "
	    "its name).");
}

TEST(sharing_gives_back_what_dev_shm_took)
{
	const json_t *json =
	    report((struct apart){"pod", "uts, ipc, shm, pid", NULL, "NCCL_HOSTID=same", 0.01},
	           (struct apart){"shared", "uts, pid", NULL, "NCCL_HOSTID=same", 1});
	assert_string_equal(cell(json, "pod", "remedy"), "shared");
	assert_string_equal(cell(json, "pod", "gives"), "share IPC namespace, /dev/shm");
	json_assert_one_says(json_section(json, "containers"),
	                     "share IPC namespace, /dev/shm (docker run --ipc=host, in Kubernetes "
	                     "hostIPC: true), all of it.");
}

/* No remedies: a variant that loses as well, one that has more isolated, and one that is less
 * isolated and differs in another setting. */
TEST(what_is_no_remedy_is_not_named)
{
	static const struct apart others[] = {
	    {"id", "uts, shm", NULL, "NCCL_HOSTID=same", 0.01},
	    {"more", "uts, shm, pid", NULL, NULL, 1},
	    {"plain-too", "none", NULL, NULL, 1},
	    {"gpu", "uts", "own", NULL, 1},
	};
	for (unsigned i = 0; i < LENGTH(others); i++) {
		const json_t *json =
		    report((struct apart){"pod", "uts, shm", NULL, NULL, 0.01}, others[i]);
		assert_string_equal(cell(json, "pod", "verdict"), "slower");
		assert_string_equal(cell(json, "pod", "remedy"), "");
		assert_string_equal(cell(json, "pod", "gives"), "no variant here");
	}
}

/* As with the GPUs' files closed: NCCL finds no way to the peer. */
TEST(what_does_not_run_is_named_with_its_remedy)
{
	const json_t *json =
	    report((struct apart){"closed", "devices", NULL, NULL, 0},
	           (struct apart){"shm", "devices", NULL, "NCCL_P2P_DISABLE=1", 1});
	assert_string_equal(cell(json, "closed", "verdict"), "does not run");
	assert_string_equal(cell(json, "closed", "remedy"), "shm");
	assert_string_equal(cell(json, "closed", "fails"), "rank 1: no such GPU");
	assert_string_equal(cell(json, "closed", "gives"), "set NCCL_P2P_DISABLE = 1");
	json = report((struct apart){"closed", "cgroup, devices", NULL, NULL, 0},
	              (struct apart){"open", "cgroup", NULL, NULL, 1});
	assert_string_equal(cell(json, "closed", "remedy"), "open");
	json_assert_one_says(json_section(json, "containers"), "--gpu-bind=none");
}

/* Each of the two alone restores nothing, and the report recommends neither alone: with one of them
 * NCCL failed in the record that this is modelled on. */
TEST(a_remedy_is_given_whole)
{
	const json_t *json =
	    report_three((struct apart){"pod", "uts, shm, devices", NULL, NULL, 0.01},
	                 (struct apart){"whole", "uts", NULL, "NCCL_HOSTID=same", 1},
	                 (struct apart){"half", "uts", NULL, NULL, 0});
	assert_string_equal(cell(json, "pod", "remedy"), "whole");
	assert_string_equal(cell(json, "pod", "gives"),
	                    "share /dev/shm, GPU files; set NCCL_HOSTID = same");
	const json_t *says = json_section(json, "containers");
	json_assert_one_says(
	    says, "Where each process has its own host name, /dev/shm and GPU files (pod)");
	json_assert_one_says(says, "such as its name), all of it. whole has ");
	json_assert_one_says(says, " Not enough: half (does not run).");
	assert_false(json_one_says(says, "(half): "));
	/* Other unset settings belong to it. */
	json = report((struct apart){"closed", "shm, devices", NULL, "NCCL_P2P_DISABLE=1", 0},
	              (struct apart){"open", "shm", NULL, NULL, 1});
	assert_string_equal(cell(json, "closed", "gives"),
	                    "share GPU files; unset NCCL_P2P_DISABLE");
}

/* The reference shows what sharing it gives. */
TEST(a_single_thing_of_its_own_is_shared)
{
	const json_t *json = report((struct apart){"shm", "shm", NULL, NULL, 0.01},
	                            (struct apart){"names", "ipc, pid", NULL, NULL, 1});
	assert_string_equal(cell(json, "shm", "remedy"), "plain");
	assert_string_equal(cell(json, "shm", "gives"), "share /dev/shm");
	json_assert_one_says(json_section(json, "containers"),
	                     "hostIPC: true). Without it: 1.0 %.");
}

TEST(without_loss_or_isolation_nothing_is_said)
{
	const json_t *json = report((struct apart){"gpu", NULL, "own", NULL, 1},
	                            (struct apart){"names", "ipc, pid", NULL, NULL, 1});
	assert_string_equal(cell(json, "names", "own"), "IPC namespace and PID namespace");
	assert_false(json_one_says(json_section(json, "containers"), "reaches"));
	json = report((struct apart){"a", NULL, NULL, NULL, 1},
	              (struct apart){"b", NULL, NULL, NULL, 1});
	assert_false(json_has_table(json, "containers"));
}

TESTS(.begin = made_begin, .end = made_end);
