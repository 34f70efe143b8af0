/* Two runs against each other: from folders to the table and the exit code. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../harness/compare/compare.h"
#include "../harness/record/record.h"
#include "here.h"
#include "made.h"

enum { THREADS, PROCESSES, AGAIN, LIMIT, VARIANTS };

/* A run: two variants, the reference's twin and the limit, two ranks, in both paces. */
struct result {
	unsigned blocks, sizes;
	double threads, processes, limit; /* times these, of 10 µs × the size's number */
	double spread;                    /* blocks differ by up to so much */
	double last;                      /* the largest size's extra factor */
	const char *seed, *host, *experiment, *bind, *skip;
	uint64_t wrong, digest;
	bool fails; /* processes has no time */
	bool only_stream;
	enum coll_kind coll;
	unsigned weight; /* of the next rank in alltoallv's counts; 0: even */
	bool older;      /* its parts are ordered by distance */
	const char *dtype;
	unsigned ranks, smallest; /* bytes; ranks as the environment says them */
};

static const struct result plain = {.blocks = 8,
                                    .sizes = 3,
                                    .threads = 1,
                                    .processes = 1.5,
                                    .limit = 0.5,
                                    .spread = 0.004,
                                    .last = 1,
                                    .seed = "ff",
                                    .host = "node",
                                    .experiment = "x",
                                    .bind = "none",
                                    .coll = COLL_ALLTOALL,
                                    .digest = 11,
                                    .dtype = "float32",
                                    .ranks = 2,
                                    .smallest = 4096};
static struct result side; /* that is written now */

/* Each block has its own factor, the same for all of a trial's cells. */
static void stamps(const struct made_place *p, int64_t out[6])
{
	const double times[VARIANTS] = {side.threads, side.processes, side.threads, side.limit};
	double noise = side.spread * ((p->block * 7 + 3) % 11 / 10.0 - 0.5);
	double ns = 10000.0 * (p->size + 1) * times[p->variant] * (1 + noise);
	ns *= p->size == side.sizes - 1 ? side.last : 1;
	out[1] = 5;
	out[2] = (int64_t)(p->isolated ? ns : 10 * ns);
	out[3] = 3;
}

static bool has(const struct made_place *p)
{
	return !(p->isolated && side.only_stream) && !(p->variant == PROCESSES && side.skip);
}

static void environment(json_t *env)
{
	json_object_set_new(env, "experiment", json_string(side.experiment));
	json_object_set_new(env, "seed", json_string(side.seed));
	json_object_set_new(env, "ranks", json_integer(side.ranks));
	json_object_set_new(
	    env, "machine",
	    json_pack("{s:i, s:s, s:s}", "cores", 8, "host", side.host, "cpu", "A CPU"));
	json_object_set_new(env, "counts",
	                    side.weight ? json_pack("[i, i]", 1, (int)side.weight) : json_array());
	if (!side.older)
		json_object_set_new(env, "parts", json_string("by rank"));
	for (unsigned v = 0; v < VARIANTS; v++)
		json_object_set_new(made_variant_of(env, v), "bind", json_string(side.bind));
}

static void line(json_t *cell, const struct made_place *p)
{
	const bool limit = p->variant == LIMIT;
	json_object_set_new(cell, "wrong", json_integer(limit ? 0 : (json_int_t)side.wrong));
	json_object_set_new(cell, "digest",
	                    json_sprintf("%016zx", (size_t)(limit ? 11 : side.digest) +
	                                               (side.smallest << p->size)));
	if (side.fails && p->variant == PROCESSES)
		json_object_set_new(cell, "error", json_string("rank 1: it broke"));
}

/* The run's folder, of which there can be several at a time. */
static const char *make(const char *name, const struct result *of)
{
	static char paths[4][128];
	static unsigned turn;
	char *path = paths[turn++ % 4];
	struct made_call calls[8];
	const struct made_variant variants[VARIANTS] = {
	    [THREADS] = {.name = "threads", .role = "reference"},
	    [PROCESSES] = {.name = "processes", .skip = of->skip},
	    [AGAIN] = {.name = "threads-again", .role = "again"},
	    [LIMIT] = {.name = "limit", .role = "limit"},
	};
	for (unsigned i = 0; i < of->sizes; i++)
		calls[i] = (struct made_call){.collective = coll_info(of->coll)->name,
		                              .bytes = of->smallest << i,
		                              .dtype = of->dtype};
	snprintf(path, sizeof paths[0], "%s/%s", folder, name);
	mkdir(path, 0777);
	side = *of;
	made_write(&(struct made){.folder = path,
	                          .backend = "host",
	                          .blocks = of->blocks,
	                          .sizes = of->sizes,
	                          .variants = variants,
	                          .nvariants = VARIANTS,
	                          .calls = calls,
	                          .has = has,
	                          .environment = environment,
	                          .line = line,
	                          .stamps = stamps});
	return path;
}

/* The printed text, wrapped lines as one, followed by the status. */
static char said[1 << 16];
static bool json;

/* "\n  ", where a line was wrapped, becomes a blank. No line is too wide. */
static void unwrap(char *text)
{
	for (char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		unsigned width = 0;
		for (const char *p = line; *p && *p != '\n'; p++)
			width += ((unsigned char)*p & 0xC0) != 0x80;
		if (width > 80 && strncmp(line, "A: ", 3) && strncmp(line, "B: ", 3))
			fail_msg("%u wide: %.*s", width, (int)strcspn(line, "\n"), line);
	}
	for (char *at = text; (at = strstr(at, "\n  ")); at++) {
		at[0] = ' ';
		memmove(at + 1, at + 3, strlen(at + 3) + 1);
	}
}

static int compare_at(const char *left, const char *right, double margin)
{
	struct compare_request request = {
	    .left = left, .right = right, .margin = margin, .json = json};
	struct status st = {""};
	char *text = NULL;
	size_t bytes = 0;
	request.out = open_memstream(&text, &bytes);
	assert_non_null(request.out);
	int code = compare_run(&request, &st);
	fclose(request.out);
	if (!json)
		unwrap(text);
	assert_int_equal(st.text[0] != '\0', code == COMPARE_NOT_DONE);
	snprintf(said, sizeof said, "%s\n%s", text, st.text);
	free(text);
	return code;
}

static void wants(const char *left, const char *right, int code, const char *words)
{
	int got = compare_at(left, right, COMPARE_MARGIN);
	if (got != code || !strstr(said, words))
		fail_msg("exit %d, wanted %d and \"%s\":\n%s", got, code, words, said);
}

/* A table of the comparison as JSON, by its name; `root` holds it. */
static const json_t *table_in(const json_t *root, const char *name)
{
	const json_t *table;
	size_t i;
	assert_int_equal(json_integer_value(json_object_get(root, "schema")), 1);
	json_array_foreach(json_object_get(root, "tables"), i, table)
	{
		if (!strcmp(json_string_value(json_object_get(table, "name")), name))
			return table;
	}
	fail_msg("no table %s", name);
	return NULL;
}

static const json_t *cell_of(const json_t *table, size_t row, const char *key)
{
	const json_t *column;
	size_t i;
	json_array_foreach(json_object_get(table, "columns"), i, column)
	{
		if (!strcmp(json_string_value(json_object_get(column, "key")), key))
			return json_array_get(json_array_get(json_object_get(table, "rows"), row),
			                      i);
	}
	fail_msg("no column %s", key);
	return NULL;
}

static const char *text_of(const json_t *table, size_t row, const char *key)
{
	return json_string_value(cell_of(table, row, key));
}

/* The comparison as JSON, which the caller frees. */
static json_t *as_json(const char *left, const char *right, double margin)
{
	json_error_t why;
	json = true;
	compare_at(left, right, margin);
	json = false;
	json_t *root = json_loads(said, 0, &why);
	if (!root)
		fail_msg("%s: %s", why.text, said);
	return root;
}

/* Whether the row of a variant and pace has this verdict. */
static void judges(const char *left, const char *right, double margin, const char *variant,
                   const char *pace, const char *verdict)
{
	json_t *root = as_json(left, right, margin);
	const json_t *table = table_in(root, "verdicts");
	size_t n = json_array_size(json_object_get(table, "rows")), i = 0;
	while (i < n && (strcmp(text_of(table, i, "variant"), variant) ||
	                 strcmp(text_of(table, i, "pace"), pace)))
		i++;
	if (i == n || strcmp(text_of(table, i, "verdict"), verdict))
		fail_msg("%s, %s should be %s:\n%s", variant, pace, verdict, said);
	json_decref(root);
}

TEST(a_run_equals_itself)
{
	const char *a = make("a", &plain);
	wants(a, a, COMPARE_NOT_WORSE,
	      "No difference in 12 of 12 cells, 1.000 times A's speed, within 2 %.\n");
	assert_memory_equal(said, "No difference in ", 17);
	assert_null(strstr(said, "slower  "));
	assert_null(strstr(said, "faster"));
	assert_non_null(strstr(said, "All the same but the time.\n"));
	assert_null(strstr(said, "Undecided"));
	assert_null(strstr(said, "Not the same"));
	assert_null(strstr(said, "not alike"));
	assert_null(strstr(said, "threads-again"));
	/* With noise so large that nothing can be said, it is still not worse. */
	struct result wild = plain;
	wild.spread = 0.8;
	a = make("b", &wild);
	wants(a, a, COMPARE_NOT_WORSE, "Undecided in 12 of 12 cells, ");
	assert_non_null(strstr(said, "; to tell takes more than 1000 more blocks on each side.\n"));
	assert_null(strstr(said, "slower  "));
	for (unsigned blocks = 1; blocks < 12; blocks++) {
		wild.blocks = blocks;
		wild.spread = 0.01 * blocks;
		a = make("b", &wild);
		assert_int_equal(compare_at(a, a, 0), COMPARE_NOT_WORSE);
	}
}

TEST(slower_is_worse_and_turned_round_faster)
{
	struct result slow = plain;
	slow.processes *= 1.1;
	slow.blocks = 6;
	const char *a = make("a", &plain), *b = make("b", &slow);
	wants(a, b, COMPARE_WORSE,
	      "B is slower in 6 of 12 cells, 0.909 times A's speed, beyond 2 %.\n"
	      "No difference in 6 of 12 cells, ");
	assert_memory_equal(said, "B is slower", 11);
	assert_non_null(strstr(said, "\ntrials      8  ")); /* and 6 */
	judges(a, b, 0.02, "processes", "stream", "slower");
	judges(a, b, 0.02, "processes", "isolated", "slower");
	judges(a, b, 0.02, "threads", "stream", "no difference");
	judges(a, b, 0.02, "threads", "isolated", "no difference");
	wants(b, a, COMPARE_NOT_WORSE, "B is faster in 6 of 12 cells, 1.100 times A's speed");
	judges(b, a, 0.02, "processes", "stream", "faster");
	/* A margin that contains it. */
	assert_int_equal(compare_at(a, b, 0.2), COMPARE_NOT_WORSE);
	assert_non_null(strstr(said, "B is slower in 6 of 12 cells, "));
	assert_non_null(strstr(said, ", by under 20 %.\nNo difference in 6 of 12 cells, "));
	judges(a, b, 0.2, "processes", "stream", "slower by little");
	/* And one that cuts through the interval. */
	assert_int_equal(compare_at(a, b, 0.1), COMPARE_NOT_WORSE);
	judges(a, b, 0.1, "processes", "stream", "undecided");
}

/* The JSON has everything that the terminal shows: the answer, each row, each size, facts and
 * notes. */
TEST(json_has_every_row_and_verdict)
{
	struct result slow = plain;
	slow.processes *= 1.1;
	slow.bind = "core";
	slow.sizes = 2;
	const char *a = make("a", &plain), *b = make("b", &slow);
	json_t *root = as_json(a, b, 0.02);
	const json_t *t = table_in(root, "answer");
	assert_string_equal(text_of(t, 0, "verdict"), "slower");
	assert_int_equal(json_integer_value(cell_of(t, 0, "cells")), 4);
	assert_int_equal(json_integer_value(cell_of(t, 0, "of_cells")), 8);
	assert_true(fabs(json_real_value(cell_of(t, 0, "speed_least")) - 1 / 1.1) < 1e-3);
	assert_true(json_real_value(cell_of(t, 0, "threshold")) == 0.02);
	t = table_in(root, "verdicts");
	assert_int_equal(json_array_size(json_object_get(t, "rows")), 5); /* and the limit */
	for (size_t i = 0; i < 5; i++) {
		const json_t *speed = cell_of(t, i, "speed");
		bool limit = !strcmp(text_of(t, i, "variant"), "limit");
		assert_int_equal(json_is_true(cell_of(t, i, "counted")), !limit);
		assert_string_equal(text_of(t, i, "collective"), limit ? "copy" : "alltoall");
		assert_string_equal(text_of(t, i, "dtype"), "float32");
		assert_true(json_is_null(cell_of(t, i, "root")));
		assert_true(json_is_false(cell_of(t, i, "in_place")));
		assert_int_equal(json_integer_value(cell_of(t, i, "sizes")), 2);
		assert_int_equal(json_integer_value(cell_of(t, i, "of_sizes")), 3);
		assert_int_equal(json_integer_value(cell_of(t, i, "trials_a")), 8);
		assert_int_equal(json_integer_value(cell_of(t, i, "trials_b")), 8);
		assert_true(json_real_value(json_object_get(speed, "lo")) <=
		            json_real_value(json_object_get(speed, "estimate")));
	}
	t = table_in(root, "cells");
	assert_int_equal(json_array_size(json_object_get(t, "rows")), 10);
	assert_int_equal(json_integer_value(cell_of(t, 1, "bytes")), 8192);
	assert_true(fabs(json_real_value(cell_of(t, 1, "a_us")) - 20) < 0.1);
	t = table_in(root, "sides");
	assert_string_equal(text_of(t, 0, "a"), a);
	assert_string_equal(text_of(t, 0, "b"), b);
	t = table_in(root, "notes");
	assert_string_equal(text_of(t, 0, "text"), "All the same but the time.");
	assert_string_equal(text_of(t, 1, "text"),
	                    "bind is not set the same in threads, processes, threads-again, "
	                    "limit.");
	json_decref(root);
}

TEST(few_trials_decide_nothing)
{
	struct result few = plain;
	few.blocks = 2;
	few.processes *= 3;
	const char *a = make("a", &plain), *b = make("b", &few);
	wants(a, b, COMPARE_NOT_WORSE, "; up to 1 more block on each side would tell.\n");
	judges(a, b, 0.02, "threads", "stream", "undecided");
	few.blocks = 1;
	b = make("b", &few);
	wants(b, b, COMPARE_NOT_WORSE, "; up to 3 more blocks on each side would tell.\n");
}

TEST(one_number_over_the_sizes_of_both)
{
	struct result less = plain, more = plain;
	less.sizes = 2;
	less.last = 1;
	more.last = 5; /* the largest size, which only A has */
	wants(make("a", &more), make("b", &less), COMPARE_NOT_WORSE,
	      "No difference in 8 of 8 cells, ");
	assert_non_null(strstr(said, "  sizes  of\n"));
	assert_non_null(strstr(said, "      2   3\n"));
	/* If both have it, it moves the mean: 5 to the power of 1/3. */
	wants(make("a", &plain), make("b", &more), COMPARE_WORSE, "0.585");
}

TEST(the_limit_decides_nothing)
{
	struct result slow = plain;
	slow.limit *= 2;
	wants(make("a", &plain), make("b", &slow), COMPARE_NOT_WORSE, "limit (not counted)");
	assert_non_null(strstr(said, "  slower  "));
	assert_null(strstr(said, "B is slower in"));
}

TEST(what_differs_is_said)
{
	struct result other = plain;
	other.host = "elsewhere\033[31m";
	other.experiment = "y";
	other.bind = "core";
	other.only_stream = true;
	wants(make("a", &plain), make("b", &other), COMPARE_NOT_WORSE,
	      "Not the same: experiment, machine.");
	/* Behind the answer, before any table. */
	const char *unlike = strstr(said, "A and B differ in experiment (A: x; B: y), ");
	assert_non_null(unlike);
	assert_true(unlike < strstr(said, "variant "));
	assert_non_null(
	    strstr(said, "- bind is not set the same in threads, processes, threads-again, limit.\n"));
	assert_non_null(strstr(said, "Only in A: alltoall, isolated of threads, processes.\n"));
	assert_null(strchr(said, '\033'));
}

/* Other counts are other work, and other data, which is not wrong for it. */
TEST(counts_of_alltoallv_are_said)
{
	struct result even = plain, skewed = plain;
	skewed.weight = 3;
	wants(make("a", &plain), make("b", &skewed), COMPARE_NOT_WORSE, "All the same");
	assert_null(strstr(said, "counts"));
	even.coll = skewed.coll = COLL_ALLTOALLV;
	wants(make("a", &even), make("b", &even), COMPARE_NOT_WORSE, "All the same but the ");
	assert_non_null(strstr(said, "counts"));
	skewed.digest = 12;
	wants(make("a", &even), make("b", &skewed), COMPARE_NOT_WORSE, "Not the same: counts.");
	assert_non_null(strstr(said, "1:3"));
	skewed.weight = 1;
	wants(make("a", &even), make("b", &skewed), COMPARE_NOT_DONE, "from the same data");
	skewed.older = true;
	wants(make("a", &even), make("b", &skewed), COMPARE_NOT_WORSE, "Not the same: counts.");
}

TEST(wrong_data_is_not_compared)
{
	struct result other = plain;
	const char *a = make("a", &plain);
	other.wrong = 2;
	const char *b = make("b", &other);
	wants(a, b, COMPARE_NOT_DONE, "wrong");
	wants(b, a, COMPARE_NOT_DONE, "nothing is compared");
	/* The same seed is the same data, and has to give the same digest; another need not. */
	other = plain;
	other.digest = 12;
	wants(a, make("b", &other), COMPARE_NOT_DONE, "from the same data");
	other.seed = "fe";
	wants(a, make("b", &other), COMPARE_NOT_WORSE, "No difference in 12 ");
}

TEST(nothing_in_common_is_said)
{
	struct result other = plain;
	other.coll = COLL_SENDRECV;
	other.only_stream = true;
	/* The limit's cells are left, and no verdict uses them. */
	wants(make("a", &plain), make("b", &other), COMPARE_NOT_DONE,
	      "no cell in common: collective is alltoall in A, sendrecv in B");
	assert_memory_equal(said, "\nno cell", 8); /* nothing was printed */
	other.coll = COLL_ALLTOALL;
	other.dtype = "float16";
	other.ranks = 4;
	wants(make("a", &plain), make("b", &other), COMPARE_NOT_DONE,
	      "no cell in common: dtype is float32 in A, float16 in B; ranks: 2 in A, 4 in B");
	other = plain;
	other.smallest = 1 << 20;
	wants(make("a", &plain), make("b", &other), COMPARE_NOT_DONE,
	      "size is 4 KiB, 8 KiB, 16 KiB in A, 1 MiB, 2 MiB, 4 MiB in B");
	other.sizes = 7;
	wants(make("b", &other), make("a", &plain), COMPARE_NOT_DONE,
	      "size is 1 MiB to 64 MiB in A, 4 KiB, ");
	/* Two keys at once, and no single one of them keeps all apart. */
	other.sizes = 3;
	other.dtype = "float16";
	wants(make("a", &plain), make("b", &other), COMPARE_NOT_DONE,
	      "dtype is float32 in A, float16 in B; size is 4 KiB, 8 KiB, 16 KiB in A, 1 MiB, ");
}

TEST(a_variant_that_fails_does_not_pass)
{
	struct result other = plain;
	const char *a = make("a", &plain);
	other.fails = true;
	const char *b = make("b", &other);
	wants(a, b, COMPARE_NOT_DONE,
	      "processes has no time in B: all of its trials failed: rank 1: it broke");
	wants(b, a, COMPARE_NOT_DONE, "processes has no time in A");
	wants(b, b, COMPARE_NOT_WORSE, "- B: processes failed: rank 1: it broke.");
	/* Slower elsewhere is worse all the same. */
	other.threads *= 1.2;
	wants(a, make("b", &other), COMPARE_WORSE, "B is slower in ");
	/* Left out on purpose is no failure. */
	other = plain;
	other.skip = "it is not here";
	wants(a, make("b", &other), COMPARE_NOT_WORSE,
	      "- B: processes was left out: it is not here.");
}

TEST(what_cannot_be_read_is_said)
{
	const char *a = make("a", &plain);
	char path[128];
	snprintf(path, sizeof path, "%s/none", folder);
	wants(a, path, COMPARE_NOT_DONE, "none: No such file");
	wants(path, a, COMPARE_NOT_DONE, "none: No such file");
	mkdir(path, 0777);
	wants(a, path, COMPARE_NOT_DONE, "holds neither trials.jsonl");
	cli_write(path, "trials.jsonl", "{\"schema\":1}\n");
	wants(a, path, COMPARE_NOT_DONE, "\"kind\" is missing");
	snprintf(path, sizeof path, "%s/bad.json", folder);
	cli_write(folder, "bad.json", "{");
	wants(a, path, COMPARE_NOT_DONE, "not JSON");
}

/* nccl-tests' file of the made-up run's stream, `factor` times as slow. */
static const char *write_json(const char *name, double factor, const char *options)
{
	static char path[128];
	char text[4096];
	int n = snprintf(text, sizeof text,
	                 "{\"args\":[\"alltoall_perf\"%s],\"env\":[\"A=SECRET\"],\"nccl_version\""
	                 ":22803,\"config\":{\"nthreads\":2,\"ngpus\":1,\"graph\":%d,"
	                 "\"validation\":1,\"devices\":[{\"group\":0,\"hostname\":\"node\","
	                 "\"device_info\":\"GPU\"}]},\"results\":[",
	                 options, strstr(options, "-G") != NULL);
	for (unsigned i = 0; i < 3; i++)
		n += snprintf(text + n, sizeof text - (size_t)n,
		              "%s{\"size\":%u,\"type\":\"float\",\"redop\":\"none\",\"root\":-1,"
		              "\"out_of_place\":{\"time\":%.4f,\"nwrong\":0},\"in_place\":null}",
		              i ? "," : "", 4096u << i, factor * 10 * (i + 1));
	snprintf(text + n, sizeof text - (size_t)n, "]}");
	cli_write(folder, name, text);
	snprintf(path, sizeof path, "%s", folder);
	return path;
}

TEST(nccl_tests_stand_beside_ours)
{
	const char *a = make("a", &plain);
	char json_folder[128], name[64];
	snprintf(json_folder, sizeof json_folder, "%s/json", folder);
	mkdir(json_folder, 0777);
	for (int i = 0; i < 5; i++) {
		snprintf(name, sizeof name, "json/%d.json", i);
		write_json(name, 1 + 0.001 * i, "");
	}
	wants(a, json_folder, COMPARE_NOT_WORSE, "No difference in 3 of 3 cells, ");
	assert_non_null(strstr(said, "the mean over ranks (its default) (-a 1)"));
	judges(a, json_folder, 0.02, "threads", "stream", "no difference");
	assert_non_null(strstr(said, "Not the same: experiment, program, backend, library, "
	                             "machine."));
	assert_non_null(strstr(said, "alltoall, stream of processes"));
	assert_null(strstr(said, "SECRET"));
	wants(json_folder, a, COMPARE_NOT_WORSE, "No difference in 3 of 3 cells, ");
	/* Against each other their kind of mean is the same. */
	wants(json_folder, json_folder, COMPARE_NOT_WORSE, "No difference in 3 of 3 cells, ");
	assert_null(strstr(said, "-a 1"));
	for (int i = 0; i < 5; i++) {
		snprintf(name, sizeof name, "json/%d.json", i);
		write_json(name, 1.3 + 0.001 * i, ",\"-a\",\"3\"");
	}
	wants(a, json_folder, COMPARE_WORSE, "B is slower in 3 of 3 cells, 0.7");
	assert_null(strstr(said, "mean over ranks"));
	for (int i = 0; i < 5; i++) {
		snprintf(name, sizeof name, "json/%d.json", i);
		write_json(name, 1, ",\"-G\",\"1\"");
	}
	wants(a, json_folder, COMPARE_NOT_DONE, "not the same kind of call");
	wants(json_folder, json_folder, COMPARE_NOT_WORSE, "No difference");
}

static int parse(struct compare_request *request, struct status *st, const char *const args[])
{
	char *argv[16] = {NULL};
	int argc = 0;
	*st = (struct status){""};
	for (; args[argc]; argc++)
		argv[argc] = (char *)(size_t)args[argc];
	return compare_parse(argc, argv, request, st);
}

TEST(the_command_line)
{
	static const struct {
		const char *args[8], *said;
	} bad[] = {
	    {{"l", "compare"}, "wants two results"},
	    {{"l", "compare", "A"}, "wants two results"},
	    {{"l", "compare", "A", "B", "C"}, "'C' is not understood"},
	    {{"l", "compare", "A", "B", "--thresh", "2%"}, "'--thresh' is not understood"},
	    {{"l", "compare", "A", "B", "--treshold", "2%"}, "did you mean '--threshold'?"},
	    {{"l", "compare", "A", "B", "--fromat=json"}, "allowed are two results, --thr"},
	    {{"l", "compare", "A", "B", "--threshold"}, "--threshold needs a value"},
	    {{"l", "compare", "A", "B", "--threshold", "2"}, "no percentage"},
	    {{"l", "compare", "A", "B", "--threshold", "-1%"}, "no percentage"},
	    {{"l", "compare", "A", "B", "--threshold", "101%"}, "no percentage"},
	    {{"l", "compare", "A", "B", "--threshold", "nan%"}, "no percentage"},
	    {{"l", "compare", "A", "B", "--threshold", "%"}, "no percentage"},
	    {{"l", "compare", "A", "B", "--variant", ""}, "1 to 63 characters"},
	    {{"l", "compare", "A", "B", "--format", "xml"}, "--format xml: allowed is json"},
	    {{"l", "compare", "A", "B", "--format"}, "--format needs a value"},
	};
	struct compare_request r;
	struct status st;
	assert_int_equal(parse(&r, &st, (const char *[]){"l", "compare", "A", "B", NULL}), 0);
	assert_string_equal(r.left, "A");
	assert_string_equal(r.right, "B");
	assert_true(r.margin == COMPARE_MARGIN);
	assert_null(r.variant);
	assert_false(r.json);
	assert_int_equal(parse(&r, &st,
	                       (const char *[]){"l", "compare", "--threshold", "0.5 %", "A",
	                                        "--variant", "v", "B", "--format", "json", NULL}),
	                 0);
	assert_true(fabs(r.margin - 0.005) < 1e-12);
	assert_string_equal(r.left, "A");
	assert_string_equal(r.right, "B");
	assert_string_equal(r.variant, "v");
	assert_true(r.json);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		assert_int_equal(parse(&r, &st, bad[i].args), -1);
		if (!strstr(st.text, bad[i].said))
			fail_msg("\"%s\" should hold \"%s\"", st.text, bad[i].said);
	}
	/* A refused argument sets nothing. */
	assert_string_equal(r.variant, "v");
}

/* A real run on the virtual device, read from its folder as users do. */
TEST(a_measured_run_equals_itself)
{
	char path[256];
	struct cli cli =
	    here_run("; A test.\n[experiment]\ncollective = alltoall\nbytes = 4K..64K x4\n"
	             "ranks = 2\nbackend = null\ndelay = 20us\nblocks = 4\ncalls = 5\n"
	             "isolated_calls = 5\n[variant threads]\nmode = threads\n"
	             "[variant single]\nmode = single\n",
	             "--no-report", NULL);
	if (cli.code)
		print_error("%s\n", cli.out);
	assert_int_equal(cli.code, 0);
	free(cli.out);
	cli_result(folder, "t", "trials.jsonl", path, sizeof path);
	assert_int_equal(compare_at(path, path, 0.02), COMPARE_NOT_WORSE);
	*strrchr(path, '/') = '\0';
	assert_int_equal(compare_at(path, path, 0.02), COMPARE_NOT_WORSE);
	assert_non_null(strstr(said, "\ntrials      4  "));
	assert_null(strstr(said, "Not the same"));
}

TESTS(.begin = set_up, .end = tear_down);
