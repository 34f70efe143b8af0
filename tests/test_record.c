/* The record: reading returns what was written, and no damaged file is believed or crashes. */
#include <zlib.h>

#include "../harness/record/record_file.h"
#include "here.h"

static char zipped[96];

#define CELL(PACE)                                                                                 \
	{                                                                                          \
		.coll = COLL_ALLTOALL, .dtype = DTYPE_FLOAT32, .op = OP_NONE, .pace = PACE,        \
		.asked_bytes = 4100, .bytes = 4096                                                 \
	}
static struct cell cells[] = {CELL(PACE_STREAM), CELL(PACE_ISOLATED)};

static struct trial trial_of(void)
{
	struct trial t = {.experiment = "x",
	                  .variant = "threads",
	                  .block = 2,
	                  .order = 7,
	                  .settings = {.mode = "threads", .layout = {1, 2, 1}, .backend = "host"},
	                  .warmup = 3,
	                  .stretches = 2,
	                  .calls = 20,
	                  .isolated_calls = 4,
	                  .ncells = 2,
	                  .cells = cells};
	return t;
}

static json_t *environment_of(void)
{
	json_t *env = json_loads(
	    test_quotes("{'experiment':'x','title':'t','question':'q','command':['a'],"
	                "'created':'2026-11-21T08:00:00Z','launchgap':'c','backend':'host',"
	                "'backend_why':'','ranks':2,'seed':'ff','reference':'threads','blocks':10,"
	                "'warmup':3,'stretches':2,'calls':20,'isolated_calls':4,'variants':["
	                "{'name':'threads','role':'reference','mode':'threads','layout':'1x2x1',"
	                "'backend':'host','nccl':'','path':'auto','bind':'none','env':[],"
	                "'skip':''}],'machine':{'cores':2}}"),
	    0, NULL);
	assert_non_null(env);
	return env;
}

/* A team with a measured trial in its area: stamps that can be distinguished. */
static struct team *team_of(const struct trial *trial)
{
	struct team_shape shape = {
	    .nranks = 2, .nworkers = 2, .area_bytes = sample_area_bytes(trial)};
	struct team *team;
	char path[64];
	assert_int_equal(team_create(&shape, path, sizeof path, &team, WHY), 0);
	team_seal(team);
	for (unsigned c = 0; c < trial->ncells; c++)
		for (unsigned r = 0; r < 2; r++) {
			struct tally *t = sample_tally(trial, team_area(team), c, r);
			struct sample *s = sample_rows(trial, team_area(team), c, r);
			*t = (struct tally){.begin_ns = 1000000 + r,
			                    .measured = 1,
			                    .checked = 1,
			                    .faults = r,
			                    .switches = 2 * r,
			                    .first_ns = 99};
			for (unsigned i = 0; i < trial_rows(trial, &trial->cells[c]); i++)
				s[i] = (struct sample){.start_ns = 1000010 + 100 * i + r,
				                       .issued_ns = 1000020 + 100 * i + r,
				                       .idle_ns = 1000090 + 100 * i + r,
				                       .poll_ns = 3 + r};
		}
	strcpy(team_facts(team, 0), "bind=core 0\nlibrary=2.28.3\nnonsense\n=x\nempty=\n");
	strcpy(team_facts(team, 1), "bind=core \xFF\n");
	return team;
}

/* Writes an environment and one trial. `break_it` may spoil the area before. */
static void write_run(void (*break_it)(const struct trial *, struct team *))
{
	struct trial trial = trial_of();
	struct team *team = team_of(&trial);
	json_t *env = environment_of();
	FILE *out = fopen(file, "w");
	assert_non_null(out);
	if (break_it)
		break_it(&trial, team);
	assert_int_equal(record_write_environment(out, env, WHY), 0);
	assert_int_equal(record_write_trial(out, &trial, team, team_area(team), WHY), 0);
	assert_int_equal(record_write_failure(out, &trial, "mpirun ended with 1", WHY), 0);
	assert_string_equal(because(), "");
	fclose(out);
	json_decref(env);
	team_leave(team);
}

static void write_all(const char *text, size_t bytes)
{
	FILE *out = fopen(file, "w");
	assert_non_null(out);
	assert_int_equal(fwrite(text, 1, bytes, out), bytes);
	fclose(out);
}

/* record_load's message for the file, "" if it can be read. */
static const char *complaint(void)
{
	struct record_run run;
	if (record_load(folder, &run, WHY) == 0)
		record_free(&run);
	return because();
}

TEST(what_is_written_is_read)
{
	write_run(NULL);
	struct record_run run = cli_record(folder);
	assert_int_equal(run.ncells, 2);
	const struct record_cell *c = &run.cells[0];
	assert_prints("threads, block 2, order 7, 2 ranks: 2 rows of 20",
	              "%s, block %u, order %u, %u ranks: %u rows of %u", c->variant, c->block,
	              c->order, c->nranks, c->rows, c->calls);
	assert_int_equal(c->cell.coll, COLL_ALLTOALL);
	assert_prints("4096 of 4100, 1 fault, 2 switches, 0 wrong, ",
	              "%zu of %zu, %u fault, %u switches, %u wrong, %s", c->cell.bytes,
	              c->cell.asked_bytes, (unsigned)c->faults, (unsigned)c->switches,
	              (unsigned)c->wrong, c->error);
	assert_true(c->carries_data);
	/* Rank 1's second row, from rank 0's begin. */
	const struct sample *s = &c->samples[3];
	assert_prints("111 121 191 4", "%d %d %d %d", (int)s->start_ns, (int)s->issued_ns,
	              (int)s->idle_ns, (int)s->poll_ns);
	assert_prints("4 rows of 1", "%u rows of %u", run.cells[1].rows, run.cells[1].calls);
	const json_t *facts = json_array_get(json_object_get(c->json, "facts"), 0);
	assert_string_equal(json_string_value(json_object_get(facts, "library")), "2.28.3");
	assert_string_equal(json_string_value(json_object_get(facts, "empty")), "");
	assert_int_equal(json_object_size(facts), 3);
	facts = json_array_get(json_object_get(c->json, "facts"), 1);
	assert_string_equal(json_string_value(json_object_get(facts, "bind")), "core ?");
	assert_int_equal(run.nfailures, 1);
	assert_string_equal(run.failures[0].error, "mpirun ended with 1");
	/* By its own name too. */
	run = cli_record(file);
}

static void no_data(const struct trial *trial, struct team *team)
{
	for (unsigned c = 0; c < 2; c++)
		for (unsigned r = 0; r < 2; r++)
			sample_tally(trial, team_area(team), c, r)->checked = 0;
}

static void wrong_data(const struct trial *trial, struct team *team)
{
	sample_tally(trial, team_area(team), 0, 1)->wrong = 5;
	sample_tally(trial, team_area(team), 0, 1)->wrong_at = 42;
}

static void not_measured(const struct trial *trial, struct team *team)
{
	sample_tally(trial, team_area(team), 1, 1)->measured = 0;
	team_fail(team, 1, "unhandled system error \"x\"\n\xC3");
}

static void back_in_time(const struct trial *trial, struct team *team)
{
	sample_rows(trial, team_area(team), 0, 1)[1].idle_ns = 5;
}

/* Without data nothing is wrong; wrong elements are placed; cells that were not measured, or whose
 * stamps are out of order, say why. */
TEST(what_went_wrong_is_written)
{
	write_run(no_data);
	struct record_run run = cli_record(folder);
	assert_false(run.cells[0].carries_data);
	assert_true(json_is_null(json_object_get(run.cells[0].json, "wrong")));
	write_run(wrong_data);
	run = cli_record(folder);
	assert_int_equal(run.cells[0].wrong, 5);
	const json_t *at = json_object_get(run.cells[0].json, "wrong_at");
	assert_int_equal(json_integer_value(json_object_get(at, "rank")), 1);
	assert_int_equal(json_integer_value(json_object_get(at, "element")), 42);
	write_run(not_measured);
	run = cli_record(folder);
	assert_string_equal(run.cells[0].error, "");
	assert_non_null(run.cells[0].samples);
	assert_string_equal(run.cells[1].error, "rank 1: unhandled system error \"x\"\n?");
	assert_null(run.cells[1].samples);
	write_run(back_in_time);
	run = cli_record(folder);
	assert_says(run.cells[0].error, "not in order");
	assert_string_equal(run.cells[1].error, "");
}

TEST(packed_records_are_read)
{
	static const char *const suffixes[] = {".gz", ".xz"};
	for (unsigned i = 0; i < 2; i++) {
		struct stat about;
		write_run(NULL);
		const char *packed = cli_pack(file, suffixes[i]);
		struct record_run run = cli_record(folder);
		assert_int_equal(run.ncells, 2);
		/* Cut off: the lines before the cut count, and the cut is reported. */
		assert_int_equal(stat(packed, &about), 0);
		assert_int_equal(truncate(packed, about.st_size - 9), 0);
		assert_int_equal(record_load(folder, &run, WHY), 0);
		assert_true(run.torn);
		record_free(&run);
		/* Damaged: gzip's method, the checksum of xz's header. */
		FILE *out = fopen(packed, "r+");
		fseek(out, i ? 8 : 2, SEEK_SET);
		fputs("12", out);
		fclose(out);
		assert_says(complaint(), i ? "cannot read: what xz packed is damaged"
		                           : "unknown compression method");
		unlink(packed);
	}
}

/* A small file may unpack to a line of any length. */
TEST(a_line_of_any_length_is_not_parsed)
{
	static char zeros[1 << 16];
	memset(zeros, '0', sizeof zeros);
	unlink(file);
	gzFile out = gzopen(zipped, "wb9");
	assert_int_equal(gzputs(out, "{\"a\":["), 6);
	for (unsigned i = 0; i < 600; i++) /* 37 MiB of 32 */
		assert_int_equal(gzwrite(out, zeros, sizeof zeros), sizeof zeros);
	gzclose(out);
	assert_says(complaint(), "a line of more than 32 MiB is no record");
	unlink(zipped);
}

/* What is left to be had for JSON. */
static size_t left;

static void *have_little(size_t bytes)
{
	if (bytes > left)
		return NULL;
	left -= bytes;
	return malloc(bytes);
}

TEST(memory_that_ends_is_said)
{
	write_run(NULL);
	for (left = 0; left < 1000; left += 250) {
		const size_t had = left;
		json_set_alloc_funcs(have_little, free);
		const char *said = complaint();
		json_set_alloc_funcs(malloc, free);
		assert_says(said, "out of memory");
		left = had;
	}
}

TEST(a_torn_end_is_dropped)
{
	struct record_run run;
	write_run(NULL);
	char *text = cli_read(file);
	const size_t bytes = strlen(text);
	/* Every length: never a crash, and the whole lines before the cut are there. */
	for (size_t n = 0; n <= bytes; n++) {
		unsigned lines = 0;
		for (size_t i = 0; i < n; i++)
			lines += text[i] == '\n';
		bool whole = n == bytes || text[n] == '\n'; /* only the newline is missing */
		write_all(text, n);
		int rc = record_load(folder, &run, WHY);
		if (lines + whole == 0) {
			assert_refused(rc, "no whole line");
			continue;
		}
		assert_int_equal(rc, 0);
		assert_int_equal(1 + run.ncells + run.nfailures, lines + (whole && n < bytes));
		assert_int_equal(run.torn, !whole && text[n - 1] != '\n');
		record_free(&run);
	}
}

/* As an older launchgap wrote it, so that its lines may be changed. */
static char *unsum(void)
{
	char *text = cli_read(file);
	cli_unsum(text);
	write_all(text, strlen(text));
	return text;
}

/* Any flipped bit: reading returns what was written, or fails. */
TEST(each_changed_byte_is_noticed)
{
	struct record_run run;
	write_run(NULL);
	const char *text = cli_read(file);
	const size_t bytes = strlen(text);
	for (size_t i = 0; i < bytes; i++) {
		char *copy = memcpy(malloc(bytes), text, bytes);
		copy[i] ^= (char)(1 << i % 8);
		write_all(copy, bytes);
		free(copy);
		if (record_load(folder, &run, WHY))
			continue;
		const bool torn = run.torn;
		record_free(&run);
		/* The last newline: that line then counts as torn. */
		if (!torn || i != bytes - 1)
			fail_msg("byte %zu of %zu, '%c', is changed in silence", i, bytes, text[i]);
	}
}

TEST(a_changed_line_is_named)
{
	write_run(NULL);
	cli_replace(file, "\"start_ns\":[[10", "\"start_ns\":[[12");
	assert_says(complaint(), "trials.jsonl:2: this line was changed after");
}

/* Of a record without checksums and one with them: both are read, and the one where a line has
 * lost its own is not. */
TEST(older_lines_have_no_checksum)
{
	const char *resume =
	    test_quotes("{'schema':1,'kind':'resume','first_block':3,'command':[],'created':'',"
	                "'launchgap':'','counters':false,'blocks':1}");
	write_run(NULL);
	unsum();
	assert_string_equal(complaint(), "");
	/* Gone on with by this launchgap. */
	FILE *out = fopen(file, "a");
	assert_int_equal(record_line_put(out, resume), 0);
	fclose(out);
	struct record_run run = cli_record(folder);
	assert_prints("4 of 5", "%u of %u", run.unsummed, run.nlines);
	/* A line of the new session without, and one of the old with. */
	out = fopen(file, "a");
	fputs("{\"schema\":1,\"kind\":\"end\",\"reason\":\"blocks\",\"text\":\"\"}\n", out);
	fclose(out);
	assert_says(complaint(), "jsonl:6: this line lacks a checksum");
	write_run(NULL);
	char *text = cli_read(file), *old = test_text("%.*s", (int)strcspn(text, "\n"), text);
	text += strlen(old);
	cli_unsum(old);
	cli_write(folder, "trials.jsonl", test_text("%s%s", old, text));
	assert_says(complaint(), "jsonl:2: this line has a checksum");
}

/* Replaces the first `from` in the file by `to`, and expects a sentence with `words`; all have '
 * for ". */
static void refuse(const char *from, const char *to, const char *words)
{
	write_run(NULL);
	unsum();
	cli_replace(file, test_quotes(from), test_quotes(to));
	assert_says(complaint(), test_quotes(words));
}

TEST(every_field_is_checked)
{
	refuse("{'schema':1,'kind':'cell'", "{'schema':2,'kind':'cell'",
	       "trials.jsonl:2: schema 2 is not known");
	refuse("'kind':'environment'", "'kind':'cell'", "jsonl:1: kind 'cell'");
	refuse("'kind':'cell'", "'kind':'environment'", "jsonl:2: kind 'environment'");
	refuse("'kind':'cell'", "'kind':'zebra'", "'zebra' is not known");
	refuse("'kind':'failure'", "'kind':7", "jsonl:4: 'kind' has to be text");
	refuse("'seed':'ff',", "", "jsonl:1: 'seed' is missing");
	refuse("'ranks':2,'seed'", "'ranks':0,'seed'", "'ranks' is 0");
	refuse("'machine':{'cores':2}", "'machine':2", "'machine'");
	refuse("'machine':", "'backends':{'host':{'gpus':2}},'machine':",
	       "backend host: 'gpus' has to be true or false");
	refuse("'machine':", "'backends':{'host':7},'machine':",
	       "backend host: 'backends' has to be an object");
	refuse("'role':'reference',", "", "'role' is missing");
	refuse("'warmup':3", "'cycles':0,'warmup':3", "'cycles' is 0");
	refuse("'warmup':3", "'connection_bytes':[4096],'warmup':3", "list of two sizes");
	refuse("'warmup':3", "'connection_bytes':[0,-1],'warmup':3", "list of two sizes");
	refuse("'warmup':3", "'turns':[4096],'warmup':3", "list of two sizes");
	refuse("'warmup':3", "'allocations':9223372036854775807,'warmup':3",
	       "'allocations' is 9223372036854775807");
	refuse("'skip':''}]",
	       "'skip':''},{'name':'threads','role':'variant','mode':'threads',"
	       "'layout':'1x2x1','backend':'host','nccl':'','path':'auto',"
	       "'bind':'none','env':[],'skip':''}]",
	       "two variants have the name threads");
	refuse("'variant':'threads'", "'variant':'zebra'", "'zebra' is not one of");
	refuse("'collective':'alltoall'", "'collective':'../x'", "which is not known here");
	refuse("'dtype':'float32'", "'dtype':'f8'", "'dtype'");
	refuse("'pace':'stream'", "'pace':1", "'pace' has to be text");
	refuse("'bytes':4096", "'bytes':-1", "'bytes' is -1");
	refuse("'bytes':4096", "'bytes':1e3", "'bytes' has to be a whole number");
	refuse("'block':2", "'block':-2", "'block' is -2");
	refuse("'ranks':2,'comm_ranks'", "'ranks':3,'comm_ranks'", "one number per rank");
	refuse("'calls':20,'warmup'", "'calls':0,'warmup'", "'calls' is 0");
	refuse("'in_place':false", "'in_place':0", "'in_place'");
	refuse("'error':null,", "", "'error' is missing");
	refuse("'start_ns':[[10,110]", "'start_ns':[[10]", "rows that rank 0's start has");
	refuse("'start_ns':[[10,110]", "'start_ns':[[]", "holds no rows");
	refuse("'start_ns':[[10,110],[11,111]]", "'start_ns':[[10,110]]", "one list for each");
	refuse("'start_ns':[[10", "'start_ns':[[-10", "is no time");
	refuse("'start_ns':[[10", "'start_ns':[['10'", "is no time");
	refuse("'start_ns':[[10", "'start_ns':[[999999999999999999", "is no time");
	refuse("'idle_ns':[[90", "'idle_ns':[[9", "not in order");
	refuse("'poll_ns'", "'poll'", "'poll_ns' is missing");
	refuse("'faults':[0,1]", "'faults':[0,-1]", "something else than counts");
	refuse("'wrong':0,", "", "'wrong' is missing");
	refuse("'kind':'cell',", "'kind':'cell','kind':'cell',", "jsonl:2: not JSON: dup");
	refuse("'kind':'cell',", "'kind':'cell\\u0000',", "jsonl:2: not JSON");
	refuse("\n{", "\n\n{", "jsonl:2: not JSON");
	refuse("\n{'schema'", "\n[{'schema'", "jsonl:2: not JSON");
}

/* An edited record, or one that was put together from several. */
TEST(what_is_said_twice_has_to_agree)
{
	refuse("'reference':'threads'", "'reference':'zebra'",
	       "jsonl:1: 'reference' is zebra, but variant threads has the role reference");
	refuse("'role':'reference'", "'role':'variant'",
	       "jsonl:1: 'reference' is threads, and no variant is the reference");
	refuse("'mode':'threads','layout':'1x2x1','backend':'host','ranks'",
	       "'mode':'single','layout':'1x2x1','backend':'host','ranks'",
	       "jsonl:2: 'mode' is single, but that of variant threads is threads");
	refuse("'backend':'host','ranks'", "'backend':'null','ranks'",
	       "jsonl:2: 'backend' is null, but that of variant threads is host");
	refuse("'calls':20,'warmup'", "'calls':20000,'warmup'",
	       "jsonl:2: 'calls' is 20000, but the environment and variant threads come to 20");
	refuse("'calls':1,'warmup'", "'calls':1000,'warmup'",
	       "jsonl:3: 'calls' is 1000, but the environment and variant threads come to 1");
	refuse("'cycle':0", "'cycle':1",
	       "jsonl:2: 'cycle' is 1, and the environment's 'cycles' are 1");
}

TEST(a_cell_is_there_once)
{
	static const char *const ends[] = {"null", "\"it failed\""};
	for (unsigned failed = 0; failed < 2; failed++) {
		write_run(NULL);
		const char *text = unsum(), *line = strchr(text, '\n') + 1;
		const char *error = strstr(line, "\"error\":") + strlen("\"error\":");
		cli_write(folder, "trials.jsonl",
		          test_text("%s%.*s%s%.*s", text, (int)(error - line), line, ends[failed],
		                    (int)strcspn(error + 4, "\n") + 1, error + 4));
		if (failed)
			assert_string_equal(complaint(), "");
		else
			assert_says(complaint(), "jsonl:5: variant threads has this cell in "
			                         "block 3 already, in line 2");
	}
}

static const char *bind_of(const struct record_cell *c)
{
	const json_t *facts = json_array_get(json_object_get(c->json, "facts"), 0);
	return json_string_value(json_object_get(facts, "bind"));
}

/* They are written on a trial's first cell and apply to all its cells, in older records on each. */
TEST(facts_are_a_trials)
{
	write_run(NULL);
	assert_int_equal(text_count(unsum(), "\"facts\""), 1);
	struct record_run run = cli_record(folder);
	assert_string_equal(bind_of(&run.cells[0]), "core 0");
	assert_string_equal(bind_of(&run.cells[1]), "core 0");
	cli_replace(file, "\"pace\":\"isolated\"",
	            "\"facts\":[{\"bind\":\"own\"}],\"pace\":\"isolated\"");
	run = cli_record(folder);
	assert_string_equal(bind_of(&run.cells[0]), "core 0");
	assert_string_equal(bind_of(&run.cells[1]), "own");
	/* Another trial's are not taken. */
	write_run(NULL);
	unsum();
	cli_replace(file, "\"order\":7", "\"order\":8"); /* of the first cell, with the facts */
	run = cli_record(folder);
	assert_null(bind_of(&run.cells[1]));
}

/* A backend's properties are in the record; for an older one they are as here. */
TEST(what_a_backend_is_is_read)
{
	write_run(NULL);
	struct record_run run = cli_record(folder);
	assert_int_equal(run.nbackends, 1);
	assert_true(record_traits(&run, "threads")->analogue);
	assert_false(record_traits(&run, NULL)->launches);
	assert_ptr_equal(run.cells[0].traits, record_traits(&run, "threads"));
	unsum();
	cli_replace(file, "\"backend\":",
	            test_quotes("'backends':{'host':{'analogue':false,'gpus':true}},'backend':"));
	run = cli_record(folder);
	assert_false(record_traits(&run, "threads")->analogue);
	assert_true(record_traits(&run, "threads")->gpus);
	assert_true(record_traits(&run, "threads")->carries_data);
}

TEST(missing_files_are_named)
{
	struct record_run run;
	unlink(file);
	assert_refused(record_load(folder, &run, WHY),
	               "holds no trials.jsonl, trials.jsonl.xz or trials.jsonl.gz");
	assert_refused(record_load("/nowhere/at/all", &run, WHY), "/nowhere/at/all: No such file");
}

TEST(a_full_disk_is_said)
{
	struct trial trial = trial_of();
	struct team *team = team_of(&trial);
	FILE *full = fopen("/dev/full", "w");
	if (!full)
		skip();
	assert_refused(record_write_trial(full, &trial, team, team_area(team), WHY),
	               "cannot write the record: No space left");
	fclose(full);
	team_leave(team);
}

TEST(an_incomplete_environment_is_not_written)
{
	json_t *env = environment_of();
	FILE *out = fopen(file, "w");
	struct stat about;
	json_object_del(env, "reference");
	assert_int_equal(record_write_environment(out, env, WHY), -1);
	assert_string_equal(because(), "the environment: \"reference\" is missing; it is text");
	fclose(out);
	assert_int_equal(stat(file, &about), 0);
	assert_int_equal(about.st_size, 0);
	json_decref(env);
}

FIXTURE(make_folder)
{
	set_up();
	snprintf(file, sizeof file, "%s/trials.jsonl", folder);
	snprintf(zipped, sizeof zipped, "%s.gz", file);
}

TESTS(.begin = make_folder, .end = tear_down);
