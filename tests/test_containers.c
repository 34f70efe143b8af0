/* What the report says of processes that are set apart: who loses, and which other variant gives it
 * back; never one that only seems to. */
#include "made.h"

/* The first and the third variant, against the second, the reference. */
static struct apart {
	const char *name, *isolate, *visible, *env;
	double speed;
} apart[2];

static void stamps(const struct made_place *p, int64_t out[6])
{
	double bytes = 4096.0 * (1 << 2 * p->size), ns = 1e6 + 10 * bytes;
	if (p->variant == MADE_SINGLE || p->variant == MADE_PROCESSES)
		ns /= apart[p->variant == MADE_PROCESSES].speed;
	ns *= 1 + 0.003 * made_noise(p->variant, p->block, p->size + 8 * p->isolated);
	out[1] = 1000;
	out[2] = (int64_t)(ns * (p->isolated ? 1 : 10));
	out[3] = 10;
}

static const char *names[] = {NULL, "plain", NULL, "plain-again", "limit"};

static void environment(json_t *env)
{
	json_t *variants = json_object_get(env, "variants");
	for (size_t i = 0; i < 4; i++) {
		const struct apart *a = i % 2 ? NULL : &apart[i / 2];
		json_t *v = json_array_get(variants, i);
		json_object_set_new(v, "mode", json_string("processes"));
		json_object_set_new(v, "layout", json_string("2x1x1"));
		if (a && a->env)
			json_object_set_new(v, "env", json_pack("[s]", a->env));
		if (a && a->isolate)
			json_object_set_new(v, "isolate", json_string(a->isolate));
		if (a && a->visible)
			json_object_set_new(v, "visible", json_string(a->visible));
	}
}

/* Without speed a variant has failures in place of cells. */
static void failure(json_t *line, const struct made_place *p)
{
	if ((p->variant != MADE_SINGLE && p->variant != MADE_PROCESSES) ||
	    apart[p->variant == MADE_PROCESSES].speed > 0)
		return;
	json_object_set_new(line, "kind", json_string("failure"));
	json_object_set_new(line, "error", json_string("rank 1: no such GPU"));
}

static const json_t *report(struct apart one, struct apart two)
{
	static const struct made made = {.backend = "nccl",
	                                 .ranks = 2,
	                                 .blocks = 10,
	                                 .sizes = 7,
	                                 .rows = 3,
	                                 .cores = 16,
	                                 .names = names,
	                                 .environment = environment,
	                                 .line = failure,
	                                 .stamps = stamps};
	apart[0] = one;
	apart[1] = two;
	names[0] = one.name;
	names[2] = two.name;
	return made_report(&made);
}

static const char *cell(const json_t *json, const char *variant, const char *column)
{
	const char *text = json_string_value(json_cell(
	    json_table(json, "containers"), (json_keys){"variant", variant, NULL}, column));
	return text ? text : "";
}

static void a_variable_gives_back_what_the_host_name_took(void **state)
{
	(void)state;
	const json_t *json = report((struct apart){"host", "uts", "own", NULL, 0.01},
	                            (struct apart){"id", "uts", "own", "NCCL_HOSTID=same", 1});
	assert_string_equal(cell(json, "host", "own"), "visible GPU, host name");
	assert_string_equal(cell(json, "host", "verdict"), "slower");
	assert_string_equal(cell(json, "host", "remedy"), "id");
	const json_t *says = json_section(json, "containers");
	json_assert_one_says(says, "id gives it back (NCCL_HOSTID = same): ");
	json_assert_one_says(says, "one text for all containers of a machine");
	assert_false(json_one_says(says, "--ipc=host"));
	json_assert_one_says(json_section(json, "advice"), "Set NCCL_HOSTID to one text per machine");
}

static void sharing_gives_back_what_dev_shm_took(void **state)
{
	(void)state;
	const json_t *json =
	    report((struct apart){"pod", "uts, ipc, shm, pid", NULL, "NCCL_HOSTID=same", 0.01},
	           (struct apart){"shared", "uts, pid", NULL, "NCCL_HOSTID=same", 1});
	assert_string_equal(cell(json, "pod", "remedy"), "shared");
	const json_t *says = json_section(json, "containers");
	json_assert_one_says(says, "they share IPC namespace, /dev/shm");
	json_assert_one_says(says, "docker run --ipc=host");
	json_assert_one_says(json_section(json, "advice"), "share /dev/shm");
}

/* One that loses as well, one that has something more of its own, and one that is set apart by
 * less and differs in another setting are no remedies. */
static void what_is_no_remedy_is_not_named(void **state)
{
	static const struct apart others[] = {
	    {"id", "uts, shm", NULL, "NCCL_HOSTID=same", 0.01},
	    {"more", "uts, shm, pid", NULL, NULL, 1},
	    {"plain-too", "none", NULL, NULL, 1},
	    {"gpu", "uts", "own", NULL, 1},
	};
	(void)state;
	for (unsigned i = 0; i < sizeof others / sizeof *others; i++) {
		const json_t *json =
		    report((struct apart){"pod", "uts, shm", NULL, NULL, 0.01}, others[i]);
		assert_string_equal(cell(json, "pod", "verdict"), "slower");
		assert_false(json_has_column(json_table(json, "containers"), "remedy"));
		json_assert_one_says(json_section(json, "containers"),
		                     "No variant here gives it back");
	}
}

/* As with the GPUs' files closed: NCCL finds no way to the peer. */
static void what_does_not_run_is_named_with_its_remedy(void **state)
{
	(void)state;
	const json_t *json =
	    report((struct apart){"closed", "devices", NULL, NULL, 0},
	           (struct apart){"shm", "devices", NULL, "NCCL_P2P_DISABLE=1", 1});
	assert_string_equal(cell(json, "closed", "verdict"), "does not run");
	assert_string_equal(cell(json, "closed", "remedy"), "shm");
	json_assert_one_says(json_section(json, "containers"),
	                     "closed does not run (rank 1: no such GPU). shm gives it back "
	                     "(NCCL_P2P_DISABLE = 1): ");
	json = report((struct apart){"closed", "cgroup, devices", NULL, NULL, 0},
	              (struct apart){"open", "cgroup", NULL, NULL, 1});
	assert_string_equal(cell(json, "closed", "remedy"), "open");
	json_assert_one_says(json_section(json, "containers"), "--gpu-bind=none");
}

static void without_loss_or_isolation_nothing_is_said(void **state)
{
	(void)state;
	const json_t *json = report((struct apart){"gpu", NULL, "own", NULL, 1},
	                            (struct apart){"names", "ipc, pid", NULL, NULL, 1});
	assert_string_equal(cell(json, "names", "own"), "IPC namespace, PID namespace");
	assert_false(json_one_says(json_section(json, "containers"), "reaches"));
	json = report((struct apart){"a", NULL, NULL, NULL, 1}, (struct apart){"b", NULL, NULL, NULL, 1});
	assert_false(json_has_table(json, "containers"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_variable_gives_back_what_the_host_name_took),
	    cmocka_unit_test(sharing_gives_back_what_dev_shm_took),
	    cmocka_unit_test(what_is_no_remedy_is_not_named),
	    cmocka_unit_test(what_does_not_run_is_named_with_its_remedy),
	    cmocka_unit_test(without_loss_or_isolation_nothing_is_said),
	};
	return cmocka_run_group_tests(tests, made_begin, made_end);
}
