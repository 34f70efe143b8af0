/* Foreign content in a run's folder or record: none of it is touched, run, waited for, or shown as
 * anything but text. */
#include <sys/file.h>

#include "../harness/backend/table.h"
#include "../harness/sanitize.h"
#include "here.h"
#include "made.h"

static char run[256], *measured, *undrawn;

/* A record as an older launchgap wrote it. */
FIXTURE(measure)
{
	set_up();
	cli_expect(
	    here_run("; A test.\n[experiment]\ncollective = alltoall\nbytes = 4K, 8K\n"
	             "backend = null\nlimit = no\nranks = 2\nblocks = 2\npace = stream\n"
	             "stretches = 2\n[variant s]\nmode = single\n[variant t]\nmode = threads\n",
	             "--no-report", NULL),
	    0, "block 1");
	measured = here_read("trials.jsonl");
	cli_unsum(measured);
	undrawn = strdup(getenv("PATH"));
}

FIXTURE(end)
{
	free(undrawn);
	tear_down();
}

/* A run of it is at `run`, and nothing else is there but its experiment. */
FIXTURE(fresh)
{
	setenv("PATH", undrawn, 1);
	snprintf(run, sizeof run, "%s/t/20261101T000000Z", results);
	here_shell("find $HERE -mindepth 1 ! -name t.exp -delete; mkdir -p %s", run);
	cli_write(run, "trials.jsonl", measured);
}

/* From here on reports have pictures. */
static void draw(void)
{
	setenv("PATH", strstr(undrawn, "undrawn:") + strlen("undrawn:"), 1);
}

static struct cli report(void)
{
	return cli_call(folder, "report", run, "-v", NULL);
}

static const char *in(const char *parent, const char *name)
{
	return test_text("%s/%s", parent, name);
}

static void says(const char *name, const char *words)
{
	char *text = cli_read(name);
	assert_non_null(text);
	assert_string_equal(text, words);
}

static bool is_regular(const char *name)
{
	struct stat about;
	return !lstat(name, &about) && S_ISREG(about.st_mode);
}

/* --- links --- */

TEST(a_link_is_not_followed)
{
	static const char *const names[] = {"summary.csv", "report.md", "plots/run.gp",
	                                    "plots/null_alltoall_launch.png"};
	const char *mine = in(folder, "mine");
	assert_int_equal(mkdir(in(run, "plots"), 0777), 0);
	cli_write(folder, "mine", "precious");
	for (unsigned i = 0; i < LENGTH(names); i++)
		assert_int_equal(symlink(mine, in(run, names[i])), 0);
	draw();
	cli_expect(report(), 0, "report.md");
	says(mine, "precious");
	for (unsigned i = 0; i < LENGTH(names); i++)
		assert_true(is_regular(in(run, names[i])));
}

TEST(nor_is_a_linked_folder)
{
	char *theirs = test_text("%s/theirs", folder);
	assert_int_equal(mkdir(theirs, 0777), 0);
	cli_write(theirs, "null_alltoall_launch.png", "precious");
	assert_int_equal(symlink(theirs, in(run, "plots")), 0);
	cli_expect(report(), 1, "plots is a link, or no folder");
	says(in(theirs, "null_alltoall_launch.png"), "precious");
	assert_int_equal(access(in(theirs, "run.gp"), F_OK), -1);
}

TEST(its_own_pictures_alone_are_removed)
{
	char *plots = test_text("%s/plots", run);
	cli_write(run, "kept.png", "precious");
	assert_int_equal(mkdir(plots, 0777), 0);
	cli_write(plots, "mine.png", "precious");
	cli_write(plots, "earlier.png", "x");
	cli_write(plots, "earlier.svg", "x");
	cli_write(plots, "pictures.txt", "earlier\ttitle\tcaption\n../kept\ttitle\tcaption\n");
	draw();
	cli_expect(report(), 0, "report.md");
	says(in(plots, "mine.png"), "precious");
	says(in(run, "kept.png"), "precious");
	assert_int_equal(access(in(plots, "earlier.png"), F_OK), -1);
	assert_int_equal(access(in(plots, "earlier.svg"), F_OK), -1);
	assert_true(is_regular(in(plots, "null_alltoall_launch.png")));
	/* And again: each picture is there, and nothing else is. */
	char *before = cli_read(in(plots, "pictures.txt"));
	assert_non_null(before);
	cli_expect(report(), 0, "report.md");
	says(in(plots, "pictures.txt"), before);
	assert_true(is_regular(in(plots, "null_alltoall_launch.png")));
}

/* Of a report that was killed. Another's that is at work stays. */
TEST(what_a_killed_report_left_is_removed)
{
	char *plots = test_text("%s/plots", run);
	char *dead = test_text("%s/.drawn-deadAA", plots);
	char *alive = test_text("%s/.drawn-aliveA", plots);
	assert_int_equal(mkdir(plots, 0777) | mkdir(dead, 0700) | mkdir(alive, 0700), 0);
	cli_write(dead, "null_alltoall_launch.png", "x");
	cli_write(alive, "null_alltoall_launch.png", "x");
	int fd = open(alive, O_RDONLY | O_DIRECTORY);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	draw();
	cli_expect(report(), 0, "report.md");
	assert_int_equal(access(dead, F_OK), -1);
	says(in(alive, "null_alltoall_launch.png"), "x");
	close(fd);
	cli_expect(report(), 0, "report.md");
	assert_int_equal(access(alive, F_OK), -1);
}

/* --- what is no file --- */

TEST(pipes_and_devices_are_no_records)
{
	const char *record = in(run, "trials.jsonl");
	assert_int_equal(unlink(record), 0);
	assert_int_equal(mkfifo(record, 0666), 0);
	cli_expect(report(), 1, "trials.jsonl: cannot open: it is not a regular file");
	assert_int_equal(unlink(record), 0);
	assert_int_equal(symlink("/dev/zero", record), 0);
	cli_expect(report(), 1, "trials.jsonl: cannot open: it is not a regular file");
	cli_expect(cli_call(folder, "compare", run, run, NULL), 2, "it is not a regular file");
}

/* A dry run with the setting KEY=VALUE, which cannot be. */
static void refused(const char *key, const char *value, const char *collective, const char *words)
{
	char *setting = test_text("%s%s", key, value);
	struct cli cli =
	    cli_call(folder, "run", "--file", file, "--dry-run", setting, collective, NULL);
	assert_null(strstr(cli.out, "secret"));
	cli_expect(cli, 1, words);
}

/* Each key whose value may be a file; the last has no effect where NCCL is not built in. */
TEST(nor_are_they_what_an_experiment_names)
{
	static const struct {
		const char *key, *collective;
	} keys[] = {{"counts=", "collective=alltoallv"},
	            {"model=", "collective=ddp_step"},
	            {"hosts=@", "collective=alltoall"},
	            {"nccl=", "collective=alltoall"}};
	const char *pipe = in(folder, "pipe"), *other = in(folder, "other"),
	           *secret = in(folder, "pass");
	assert_int_equal(mkfifo(pipe, 0666), 0);
	cli_write(folder, "other", "");
	assert_int_equal(truncate(other, (off_t)5 << 30), 0);
	cli_write(folder, "pass", "\n\nsecret:word slots=secret\n");
	const size_t n = LENGTH(keys) - !backend_find("nccl")->library;
	for (size_t i = 0; i < n; i++) {
		refused(keys[i].key, pipe, keys[i].collective, "it is not a regular file");
		refused(keys[i].key, "/dev/zero", keys[i].collective, "it is not a regular file");
		refused(keys[i].key, other, keys[i].collective, "it is too long");
		refused(keys[i].key, secret, keys[i].collective,
		        strcmp(keys[i].key, "nccl=") ? "pass:3: not a " : "pass");
	}
}

TEST(nor_are_they_experiments_or_what_is_compared)
{
	const char *const files[] = {in(folder, "pipe.json"), in(folder, "zero.json")};
	assert_int_equal(mkfifo(files[0], 0666), 0);
	assert_int_equal(symlink("/dev/zero", files[1]), 0);
	for (unsigned i = 0; i < 2; i++) {
		cli_expect(cli_call(folder, "run", "--file", files[i], "--dry-run", NULL), 1,
		           "cannot be read: it is not a regular file");
		cli_expect(cli_call(folder, "compare", files[i], run, NULL), 2,
		           "it is not a regular file");
	}
	/* Nothing reads an experiment's file of 16 MiB. */
	cli_write(folder, "long.exp", "; x\n");
	assert_int_equal(truncate(in(folder, "long.exp"), 16 << 20), 0);
	cli_expect(cli_call(folder, "run", "--file", in(folder, "long.exp"), "--dry-run", NULL), 1,
	           "cannot be read: it is too long");
}

/* A plan of so many blocks takes minutes and gigabytes. */
TEST(a_block_beyond_all_plans_is_damage)
{
	cli_replace(in(run, "trials.jsonl"), "\"block\":1,", "\"block\":1000000000,");
	cli_expect(report(), 1, "\"block\" is 1000000000");
	cli_expect(cli_call(folder, "resume", run, "blocks=1", NULL), 1, "\"block\" is 1000000000");
}

/* Lines of which `n` are the same are added to the record, and one. */
static void add_lines(unsigned n, const char *line, const char *last)
{
	FILE *out = fopen(in(run, "trials.jsonl"), "a");
	assert_non_null(out);
	for (unsigned i = 0; i < n; i++)
		fputs(test_quotes(line), out);
	fputs(test_quotes(last), out);
	fclose(out);
}

#define RESUMED                                                                                    \
	"{'schema':1,'kind':'resume','first_block':2,'command':[],'created':'','launchgap':'',"    \
	"'counters':false,'blocks':1}\n"

/* The record that this block leaves is read again. */
TEST(the_last_block_of_all_is_not_gone_on_from)
{
	add_lines(99, RESUMED,
	          "{'schema':1,'kind':'failure','variant':'t','block':99999,'order':9,"
	          "'error':'x'}\n");
	cli_expect(cli_call(folder, "resume", run, "blocks=1", "--no-report", NULL), 1,
	           "cannot resume: a record has at most 100000 blocks");
	cli_expect(report(), 0, "report.md");
	/* Nor is one read that no session can have asked for. */
	cli_replace(in(run, "trials.jsonl"), "\"block\":1,", "\"block\":1000,");
	cli_expect(report(), 1, "\"block\" is 1000, allowed are 0 to 999");
}

static bool add_variants(json_t *json, const char *kind)
{
	json_t *variants = json_object_get(json, "variants");
	for (unsigned i = 0; !strcmp(kind, "environment") && i < SPEC_MAX_VARIANTS; i++) {
		json_t *copy = json_deep_copy(json_array_get(variants, 1));
		json_object_set_new(copy, "name", json_sprintf("v%u", i));
		json_array_append_new(variants, copy);
	}
	return true;
}

/* A packed file of a few kilobytes may hold a million of them. */
TEST(a_list_of_lines_has_a_bound)
{
	add_lines(RECORD_MAX_RESUMES, RESUMED, RESUMED);
	cli_expect(report(), 1, "a record has at most 10000 lines of this kind");
	cli_edit(in(run, "trials.jsonl"), add_variants);
	cli_expect(report(), 1, "\"variants\" is empty, or more than 34");
}

/* Each cell is one that the plan has. */
TEST(what_was_not_planned_is_damage)
{
	static const char *const changes[][3] = {
	    {"'experiment':'t'", "'experiment':'y'", "experiment"},
	    {"'warmup':5", "'warmup':4", "warmup"},
	    {"'collectives':['alltoall']", "'collectives':['all_reduce']", "collective"},
	    {"'bytes':[4096,8192]", "'bytes':[4096]", "asked_bytes"},
	    {"'dtypes':['float32']", "'dtypes':['int8']", "dtype"},
	    {"'paces':['stream']", "'paces':['isolated']", "pace"},
	    {"'comm_ranks':2", "'comm_ranks':1", "comm_ranks"},
	    {"8192,'bytes':8192", "8192,'bytes':8191", "'asked_bytes' comes to 8192"},
	    /* What has no root or operation has none of the plan's. */
	    {"'roots':[0]", "'roots':[1]", NULL},
	    {"'ops':['sum']", "'ops':['max']", NULL}};
	char *text = cli_read(in(run, "trials.jsonl"));
	for (unsigned i = 0; i < LENGTH(changes); i++) {
		cli_write(run, "trials.jsonl", text);
		cli_replace(in(run, "trials.jsonl"), test_quotes(changes[i][0]),
		            test_quotes(changes[i][1]));
		cli_expect(report(), changes[i][2] ? 1 : 0,
		           changes[i][2] ? test_quotes(changes[i][2]) : "report.md");
	}
}

/* As many blocks as one likes, and intervals as narrow. */
TEST(a_copied_block_is_no_block)
{
	char *text = cli_read(in(run, "trials.jsonl")), *rest = text, *line;
	FILE *out = fopen(in(run, "trials.jsonl"), "a");
	assert_non_null(out);
	while ((line = strsep(&rest, "\n"))) {
		char *block = strstr(line, "\"block\":0,");
		if (block && strstr(line, "\"kind\":\"cell\""))
			fprintf(out, "%.*s2,%s\n", (int)(block + strlen("\"block\":") - line), line,
			        block + strlen("\"block\":0,"));
	}
	fclose(out);
	cli_expect(report(), 1, "this cell's stamps are those of line ");
}

/* Its calls took what others took, in their order, unless a coarse clock gives them. */
static unsigned differs, shift_ns;

static void copied(const struct made_place *p, int64_t out[6])
{
	const unsigned block = p->block == 2 ? 0 : p->block, place = 64 * p->variant + p->row;
	const bool changed = p->block == 2 && !place && !p->rank;
	const double noise = made_noise(block, place, p->rank);
	const unsigned length = differs ? (unsigned)(differs * (1 + noise)) : 1000 * (p->row % 2);
	out[0] = p->block == 2 ? shift_ns : 0;
	out[1] = out[0] + 1;
	out[2] = out[0] + 10000 + length + changed;
	out[3] = 1;
}

TEST(a_copied_block_whose_stamps_were_moved_is_no_block)
{
	struct made m = {.folder = run, .blocks = 3, .sizes = 1, .rows = 40, .stamps = copied};
	for (differs = 0; differs <= 1000000; differs += 1000000)
		for (shift_ns = 0; shift_ns <= 17; shift_ns += 17) {
			made_write(&m);
			cli_expect(report(), differs ? 1 : 0,
			           differs ? "its calls took as long as those of line "
			                   : "report.md");
		}
}

/* --- what does not end --- */

/* A gnuplot that would wait for ever has an end set, by which it goes; and is asked once. */
TEST(a_gnuplot_that_does_not_end_is_ended)
{
	cli_write(folder, "gnuplot",
	          "#!/usr/bin/env python3\nimport os, signal, sys\nopen(os.environ['HERE'] + "
	          "'/asked', 'a').write('x')\nif signal.alarm(0) == 0: sys.exit(0)\n"
	          "os.kill(os.getpid(), signal.SIGALRM if sys.argv[1] != '--version' or "
	          "'AT_ONCE' in os.environ else 0)\n");
	char *asked =
	    test_text("chmod +x $HERE/gnuplot; PATH=$HERE:$PATH $LAUNCHGAP report %s", run);
	cli_expect(here_shell("%s", asked), 0, "gnuplot did not end within");
	says(in(folder, "asked"), "xx");
	cli_expect(here_shell("export AT_ONCE=1; %s", asked), 0, "gnuplot did not end within");
	says(in(folder, "asked"), "xxx");
}

TEST(nor_is_a_pipe_waited_for_as_a_page)
{
	assert_int_equal(mkfifo(in(folder, "pipe"), 0666), 0);
	cli_expect(here_shell("GITHUB_STEP_SUMMARY=$HERE/pipe $LAUNCHGAP report %s", run), 0,
	           "cannot append to ", "/pipe: ");
	cli_expect(here_shell("sleep 9 <>$HERE/pipe & GITHUB_STEP_SUMMARY=$HERE/pipe $LAUNCHGAP "
	                      "report %s; code=$?; kill $!; exit $code",
	                      run),
	           0, "/pipe: it is no regular file");
}

/* --- a record that says how its run was begun --- */

static bool name_files(json_t *json, const char *kind)
{
	static const char *const writes[] = {"--prometheus", "--bigger-is-better",
	                                     "--smaller-is-better", "--json"};
	json_t *command = json_object_get(json, "command");
	for (unsigned i = 0; !strcmp(kind, "environment") && i < 4; i++) {
		json_array_append_new(command, json_string(writes[i]));
		json_array_append_new(command, json_string(in(folder, "mine")));
	}
	if (!strcmp(kind, "environment")) {
		json_array_append_new(command, json_string("--format"));
		json_array_append_new(command, json_string("nccl-tests"));
		json_array_append_new(command, json_string("in_place=no"));
	}
	return true;
}

/* Its options may name files to write. */
TEST(a_record_names_no_file_to_write)
{
	cli_write(folder, "mine", "precious");
	cli_edit(in(run, "trials.jsonl"), name_files);
	cli_expect(cli_call(folder, "resume", run, "blocks=1", NULL), 0, "block 3");
	says(in(folder, "mine"), "precious");
	/* Who says it now means it. */
	cli_expect(
	    cli_call(folder, "resume", run, "blocks=1", "--prometheus", in(folder, "mine"), NULL),
	    0, "block 4");
	char *text = cli_read(in(folder, "mine"));
	assert_says(text, "launchgap");
}

/* --- what is no text --- */

#define EVIL                                                                                       \
	"\x1b]0;owned\x07 \x1b[31m \xC2\x9b"                                                       \
	"31m \xE2\x80\xAE "                                                                        \
	"\x7F\r<evil onload=x> <script>evil()</script> [a](javascript:evil) ![b](evil.png) "       \
	"&#27;[31m &lt;evil> ``` ~~~ `evil` | it's 'a' against \"b\" $(touch evil) `touch "        \
	"evil`"

static void spoil(json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));
	json_object_set_new(object, key, json_string(test_text("%s" EVIL, text ? text : "")));
}

static void spoil_environment(json_t *env)
{
	static const char *const texts[] = {"title", "question", "backend_why", "created",
	                                    "launchgap"};
	static const char *const facts[] = {"host", "cpu",    "memory", "kernel",
	                                    "os",   "driver", "clock"};
	json_t *variants = json_object_get(env, "variants");
	for (unsigned i = 0; i < LENGTH(texts); i++)
		spoil(env, texts[i]);
	for (unsigned i = 0; i < LENGTH(facts); i++)
		spoil(json_object_get(env, "machine"), facts[i]);
	json_array_append_new(json_object_get(env, "notes"), json_string(EVIL));
	json_array_append_new(json_object_get(env, "command"), json_string(EVIL));
	spoil(json_array_get(variants, 1), "skip");
	spoil(json_array_get(variants, 1), "bind");
	json_array_append_new(json_object_get(json_array_get(variants, 0), "env"),
	                      json_string("NCCL_X=" EVIL));
}

/* A line of the record with it in all texts that may be anything. */
static bool spoil_line(json_t *json, const char *kind)
{
	json_t *facts = json_array_get(json_object_get(json, "facts"), 0);
	if (!strcmp(kind, "environment"))
		spoil_environment(json);
	if (facts) {
		spoil(facts, "bind");
		spoil(facts, "library");
	}
	if (!strcmp(kind, "end"))
		spoil(json, "text");
	return true;
}

static void spoil_record(void)
{
	cli_edit(in(run, "trials.jsonl"), spoil_line);
	add_lines(0, "",
	          "{'schema':1,'kind':'failure','variant':'t','block':1,'order':9,"
	          "'error':'\\u001b[31m\\u009b31m\\u202e<evil onload=x>'}\n");
}

static void only_text(const char *name, const char *text)
{
	char *copy = strdup(text ? text : "\r"), *rest = copy, *line;
	while ((line = strsep(&rest, "\n")))
		if (!sanitize_is_clean(line))
			fail_msg("%s holds a control character: %.200s", name, line);
	free(copy);
}

static void no_markup(const char *name, const char *text, const char *markup, bool escaped)
{
	for (const char *at = text; (at = strstr(at, markup)); at++)
		if (!escaped || at == text || at[-1] != '\\')
			fail_msg("%s holds markup of the record's: %.60s", name, at);
}

TEST(texts_of_a_record_are_text_everywhere)
{
	static const char *const files[] = {"report.md",         "report.html", "report.json",
	                                    "summary.csv",       "ranks.csv",   "plots/run.gp",
	                                    "plots/pictures.txt"};
	draw();
	spoil_record();
	struct cli cli = report();
	only_text("the terminal", cli.out);
	cli_expect(cli, 0, "evil");
	for (unsigned i = 0; i < LENGTH(files); i++) {
		char *text = cli_read(in(run, files[i]));
		only_text(files[i], text);
		if (strstr(files[i], ".html")) {
			no_markup(files[i], text, "<evil", false);
			no_markup(files[i], text, "<script", false);
			no_markup(files[i], text, "=\"javascript", false);
			no_markup(files[i], text, "evil.png\"", false);
		}
	}
	/* In Markdown `<` follows a backslash, except where the command is quoted. */
	char *text = cli_read(in(run, "report.md"));
	for (char *begin; (begin = strstr(text, "\n```\n"));) {
		char *end = strstr(begin + 5, "\n```\n");
		assert_non_null(end);
		memset(begin, ' ', (size_t)(end + 5 - begin));
	}
	no_markup("report.md", text, "<evil", true);
	no_markup("report.md", text, "<script", true);
	no_markup("report.md", text, "&#27", true);
	/* The pictures are still drawn, and nothing was run. */
	assert_true(is_regular(in(run, "plots/null_alltoall_launch.png")));
	assert_int_equal(access("evil", F_OK), -1);
}

TEST(what_is_said_of_it_is_plain_too)
{
	cli_write(run, "trials.jsonl", "{\"schema\":1,\"kind\":\"\\u001b[31m\\u009b31mevil\"}\n");
	struct cli cli = report();
	only_text("the terminal", cli.out);
	cli_expect(cli, 1, "evil");
}

/* --- names of folders --- */

/* Of a folder's name gnuplot would take < and | for a command, and a shell the rest. */
TEST(a_folders_name_is_run_by_nobody)
{
	static const char *const names[] = {"<touch evil;",
	                                    "|touch evil",
	                                    "it''s 'a' against \"b\"",
	                                    "$(touch evil)`touch evil`",
	                                    "\"; system \"touch evil",
	                                    "a\nb",
	                                    "-e",
	                                    "%s%n\\\"a;b&c"};
	char here[PATH_MAX];
	draw();
	assert_non_null(getcwd(here, sizeof here));
	char *program = realpath(getenv("LAUNCHGAP"), NULL);
	assert_non_null(program);
	setenv("LAUNCHGAP", program, 1);
	char *text = cli_read(in(run, "trials.jsonl"));
	*strstr(text, "{\"schema\":1,\"kind\":\"end\"") = '\0';
	*strrchr(text, '{') = '\0'; /* nor its last trial */
	assert_int_equal(chdir(folder), 0);
	for (unsigned i = 0; i < LENGTH(names); i++) {
		char how[400];
		/* By its bare name, unless that would be an option. */
		const char *name = test_text("%s%s", names[i][0] == '-' ? "./" : "", names[i]);
		assert_int_equal(mkdir(names[i], 0777), 0);
		cli_write(name, "trials.jsonl", text);
		/* What it says to type is typed: one word, and nothing is run. */
		strcpy(how, "launchgap resume ");
		sanitize_word(name, how + strlen(how), sizeof how - strlen(how));
		cli_expect(cli_call(folder, "report", name, NULL), 0, "report.html", how);
		cli_expect(here_shell("printf '<%%s>' %s", how + strlen("launchgap resume ")), 0,
		           "<", ">");
		if (!is_regular(in(name, "plots/null_alltoall_launch.png")) ||
		    !is_regular(in(name, "plots/null_alltoall_launch.svg")))
			fail_msg("%s has no pictures", names[i]);
		assert_int_equal(access(in(name, "plots/gnuplot.log"), F_OK), -1);
		assert_int_equal(access("evil", F_OK), -1);
		assert_int_equal(access(in(name, "evil"), F_OK), -1);
	}
	assert_int_equal(chdir(here), 0);
	free(program);
}

TEST(a_word_of_a_shell_is_that_word)
{
	static const char *const words[] = {
	    "plain/a-b_c.d",     "", "a b", "it's", "$(touch evil)", "`touch evil`",
	    "\\'; touch evil; '"};
	for (unsigned i = 0; i < LENGTH(words); i++) {
		char word[SANITIZE_WORD(40)];
		sanitize_word(words[i], word, sizeof word);
		struct cli cli = here_shell("printf '<%%s>' %s", word);
		assert_prints(cli.out, "<%s>", words[i]);
		cli_expect(cli, 0, "");
	}
	char little[20];
	sanitize_word("a b''''''''''''''''", little, sizeof little);
	assert_true(strlen(little) < sizeof little);
	assert_int_equal(little[strlen(little) - 1], '\'');
}

TEST(what_is_no_text_becomes_blanks)
{
	static const char *const rows[][2] = {
	    {"a\xC3\xA9 \xE6\xA8\xA1\xF0\x9F\x9A\x80", "a\xC3\xA9 \xE6\xA8\xA1\xF0\x9F\x9A\x80"},
	    {"\x1B[2J\xC2\x9B\xE2\x80\xAEx", " [2J  x"},
	    {"\xFFx\xC3", " x "},
	    {"\xC0\xAF\xE0\x80\xAF\xED\xA0\x80\xF4\x90\x80\x80", "            "}};
	for (size_t i = 0; i < LENGTH(rows); i++) {
		char text[32];
		strcpy(text, rows[i][0]);
		assert_int_equal(sanitize_is_clean(text), !strcmp(rows[i][0], rows[i][1]));
		sanitize_text(text);
		assert_string_equal(text, rows[i][1]);
	}
}

TESTS(.slow = true, .undrawn = true, .begin = measure, .end = end, .before = fresh);
