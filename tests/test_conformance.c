/* Every mode × layout × backend × collective that this machine can run, in every datatype and
 * operation, in place and from several roots: the data of every call is right. A flipped byte is
 * found. New rows of the tables of modes, backends and collectives are picked up by themselves. */
#include "../harness/backend/table.h"
#include "../modes/launcher.h"
#include "../modes/mode.h"
#include "cli.h"
#include "test.h"

#define MOST_MODES 16

/* Of host; `auto` is one of them. */
static const char *const paths[] = {"direct", "fifo", "shared"};

struct experiment {
	char text[16384];
	size_t used;
};

__attribute__((format(printf, 2, 3))) static void add(struct experiment *to, const char *format,
                                                      ...)
{
	va_list args;
	va_start(args, format);
	to->used +=
	    (size_t)vsnprintf(to->text + to->used, sizeof to->text - to->used, format, args);
	va_end(args);
	assert_true(to->used < sizeof to->text);
}

/* Not the limit, which has no handshake across processes, nor collectives that move no data; a step
 * of training has its own tests (test_training), and so have plain copies, which GPUs of several
 * processes cannot make (test_raw_copies, standin/test_runs). */
static bool is_checked(int coll)
{
	return coll != COLL_COPY && coll != COLL_INIT &&
	       !(coll_info((enum coll_kind)coll)->is & (COLL_TRAINS | COLL_ROUTED | COLL_RAW));
}

static bool is_taken(int coll, unsigned need, unsigned without)
{
	unsigned is = coll_info((enum coll_kind)coll)->is;
	return is_checked(coll) && (is & need) == need && !(is & without);
}

/* How many cells those collectives have that differ in who sends to whom. */
static unsigned ways(unsigned ranks, unsigned need, unsigned without)
{
	unsigned n = 0;
	for (int c = 0; c < COLL_KINDS; c++)
		n += is_taken(c, need, without) ? coll_pairs((enum coll_kind)c, ranks) : 0;
	return n;
}

/* Collectives that have all of `need`, and nothing of `without`. Processes start as fast as they
 * can: what launchers do is others' (test_scale). */
static void add_head(struct experiment *to, const char *backend, unsigned ranks, unsigned need,
                     unsigned without)
{
	const char *comma = "";
	to->used = 0;
	add(to,
	    "; Is the same data moved, however it is asked for?\n[experiment]\nbackend = %s\n"
	    "ranks = %u\nlimit = no\ntwin = no\nblocks = 1\nwarmup = 1\nstretches = 1\n"
	    "calls = 2\nisolated_calls = 1\nwait = yield\n%scollective = ",
	    backend, ranks, backend_find(backend)->is.messages ? "" : "launcher = exec\n");
	for (int c = 0; c < COLL_KINDS; c++) {
		if (!is_taken(c, need, without))
			continue;
		add(to, "%s%s", comma, coll_info((enum coll_kind)c)->name);
		comma = ",";
	}
	add(to, "\n");
}

/* One variant, and on host one per data path. */
static void add_layout(struct experiment *to, bool host, unsigned procs, unsigned threads,
                       unsigned each)
{
	for (unsigned p = 0; p < (host ? LENGTH(paths) : 1); p++)
		if (!host || strcmp(paths[p], "direct") || procs == 1)
			add(to, "[variant %ux%ux%u-%s]\nlayout = %ux%ux%u\n%s%s\n", procs, threads,
			    each, paths[p], procs, threads, each, host ? "path = " : "",
			    host ? paths[p] : "");
}

/* Ranks of one thread, of two threads and of two processes, on every data path. */
static void add_layouts(struct experiment *to, bool host, unsigned ranks)
{
	add_layout(to, host, 1, 2, ranks / 2);
	add_layout(to, host, 2, 1, ranks / 2);
}

/* Each mode of the table, by its name alone or with more said of it. */
static void add_modes(struct experiment *to, const char *more)
{
	for (unsigned m = 0; mode_table[m]; m++)
		add(to, "[variant %s]\nmode = %s\n%s\n", mode_table[m]->name, mode_table[m]->name,
		    more);
}

/* A cell before that had the same data: by another variant, at another pace or in another place. */
static const struct record_cell *find_twin(const struct record_run *run, unsigned before)
{
	const struct cell *cell = &run->cells[before].cell;
	for (unsigned i = 0; i < before; i++) {
		const struct cell *other = &run->cells[i].cell;
		if (other->coll == cell->coll && other->bytes == cell->bytes &&
		    other->dtype == cell->dtype && other->op == cell->op &&
		    other->root == cell->root)
			return &run->cells[i];
	}
	return NULL;
}

/* `kinds`: cells with different data. */
static void check_cells(const struct record_run *run, bool carries_data, unsigned kinds)
{
	unsigned first = 0;
	for (unsigned i = 0; i < run->ncells; i++) {
		const struct record_cell *cell = &run->cells[i], *twin = find_twin(run, i);
		if (cell->error[0] || cell->wrong)
			print_error("%s, %s, %zu bytes, %s, %s, root %u%s: %llu wrong, %s\n",
			            cell->variant, coll_info(cell->cell.coll)->name,
			            cell->cell.bytes, coll_dtype_name(cell->cell.dtype),
			            coll_op_name(cell->cell.op), cell->cell.root,
			            cell->cell.in_place ? ", in place" : "",
			            (unsigned long long)cell->wrong, cell->error);
		assert_string_equal(cell->error, "");
		assert_int_equal(cell->wrong, 0);
		assert_int_equal(cell->carries_data, carries_data);
		first += !twin;
	}
	assert_int_equal(first, kinds);
	assert_int_equal(run->nfailures, 0);
}

/* An older library than an option wants is the only reason to leave one out. */
static void check_left_out(const char *said)
{
	for (const char *p = said; (p = strstr(p, "left out:")); p++) {
		const char *end = strchr(p, '\n'), *wants = strstr(p, "needs NCCL");
		if (!wants || (end && wants > end))
			fail_msg("%s", p);
	}
}

/* Runs the experiment and reads its record. A failure has to say `words` in its report. */
static struct record_run run_experiment(const struct experiment *text, const char *words,
                                        const char *const keys[])
{
	char folder[64], path[256];
	struct record_run run;
	cli_folder(folder);
	cli_write(folder, "conformance.exp", text->text);
	char *file = test_text("%s/conformance.exp", folder);
	char *results = test_text("%s/results", folder);
	const char *args[12] = {"run", "--file", file, "--results", results};
	unsigned n = 5;
	if (!words)
		args[n++] = "--no-report";
	for (unsigned k = 0; keys && keys[k]; k++)
		args[n++] = keys[k];
	/* Fresh jobs on GPUs take seconds each. */
	struct cli cli = cli_wait(cli_start(folder, args), folder, 500);
	bool as_expected = words ? cli.code > 0 && strstr(cli.out, words) : cli.code == 0;
	if (!as_expected)
		print_error("%s\n", cli.out);
	assert_true(as_expected);
	check_left_out(cli.out);
	cli_result(folder, "conformance", "trials.jsonl", path, sizeof path);
	run = cli_record(path);
	cli_clean(folder);
	return run;
}

static void conform(const struct experiment *text, bool carries_data, unsigned kinds)
{
	struct record_run run = run_experiment(text, NULL, NULL);
	check_cells(&run, carries_data, kinds);
	record_free(&run);
}

/* All collectives in each mode and layout, in place too and from every root. */
static void conform_layouts(const struct backend *backend, unsigned ranks)
{
	static struct experiment text;
	bool host = !strcmp(backend->name, "host");
	add_head(&text, backend->name, ranks, 0, 0);
	add(&text, "bytes = 40K\nin_place = both\nroot = all\npace = stream\ncounts = skewed\n");
	add_layouts(&text, host, ranks);
	add_modes(&text, "");
	if (ranks > 2)
		add_layout(&text, false, 2, 2, ranks / 4);
	if (host) /* settings that must not change the received data */
		add(&text, "[variant offset]\nlayout = 2x1x2\noffset = 8\n"
		           "[variant page]\nlayout = 1x1x4\noffset = 4096\npath = shared\n"
		           "[variant aggregate]\nlayout = 1x4x1\naggregate = 2\n");
	/* Each root is another cell. */
	conform(&text, backend->is.carries_data,
	        ways(ranks, 0, COLL_ROOTED) + ranks * ways(ranks, COLL_ROOTED, 0));
}

/* 8-bit floats are not every GPU's; on host the matrix has all of them. */
static void conform_types(const struct backend *backend, unsigned ranks)
{
	static struct experiment text;
	const unsigned ntypes = DTYPE_FLOAT8_E4M3;
	add_head(&text, backend->name, ranks, COLL_REDUCES, 0);
	add(&text, "bytes = 960\nop = all\nin_place = both\npace = isolated\ndtype = ");
	for (unsigned d = 0; d < ntypes; d++)
		add(&text, "%s%s", d ? ", " : "", coll_dtype_name((enum dtype)d));
	add(&text, "\n[variant a]\nmode = threads\n[variant b]\nlayout = 2x1x%u\n", ranks / 2);
	conform(&text, true, ntypes * OP_NONE * ways(ranks, COLL_REDUCES, 0));
}

/* A size as small as an element, and counts of either type that ranks cannot share evenly, for
 * collectives that are not cut into parts; the rotated buffers then begin anywhere. */
static void conform_odd_sizes(const struct backend *backend, unsigned ranks)
{
	static struct experiment text;
	add_head(&text, backend->name, ranks, 0, COLL_PARTED);
	add(&text,
	    "bytes = 4, 100006\nin_place = both\nroot = %u\npace = isolated\n"
	    "dtype = int8, float32\n",
	    ranks - 1);
	add_layouts(&text, !strcmp(backend->name, "host"), ranks);
	conform(&text, true, 2 * 2 * ways(ranks, 0, COLL_PARTED));
}

/* Rank 1 gets most, and rank 3 nothing. */
static const char matrix[] = "counts = 0:9:1:0, 3:1:1:0, 0:30:0:0, 1:1:1:0\n";

/* Two groups side by side. */
static void conform_groups(const struct backend *backend, unsigned ranks, const char *split)
{
	static struct experiment text;
	add_head(&text, backend->name, ranks, 0, 0);
	add(&text, "bytes = 4K\nroot = 1\npace = isolated\n%s", matrix);
	add_modes(&text, split);
	conform(&text, true, ways(ranks / 2, 0, 0));
}

/* Opened and allocated again within a job, data is right each time. */
static void conform_nested(const struct backend *backend, unsigned ranks)
{
	static struct experiment text;
	bool host = !strcmp(backend->name, "host"), seen[2][2] = {{false}};
	add_head(&text, backend->name, ranks, 0, 0);
	add(&text, "bytes = 40K\npace = isolated\nconnections = 2\nallocations = 2\n%s",
	    ranks == 4 ? matrix : "");
	add_layout(&text, false, 1, 2, ranks / 2); /* direct, and of processes the others */
	add_layout(&text, host, 2, 1, ranks / 2);
	struct record_run run = run_experiment(&text, NULL, NULL);
	check_cells(&run, backend->is.carries_data, ways(ranks, 0, 0));
	for (unsigned i = 0; i < run.ncells; i++)
		seen[run.cells[i].cell.connection][run.cells[i].cell.allocation] = true;
	assert_true(seen[0][0] && seen[0][1] && seen[1][0] && seen[1][1]);
	record_free(&run);
}

/* Requests to the library must not change the received data. Collectives with rounds refuse
 * `aggregate`, and are not tested with it. */
static void conform_options(const struct backend *backend, unsigned ranks)
{
	static const char *const options[] = {
	    "threads",
	    "threads\nregister = local",
	    "processes\nregister = local",
	    "threads\nregister = window",
	    "processes\nregister = window",
	    "processes\nallocator = cuda",
	    "threads\napi = native",
	    "threads\ngraph = 2",
	    "processes\ngraph = 2",
	    "single\ninit = grouped",
	    "threads\naggregate = 2",
	    "processes\noffset = 64",
	    "threads\nmin_ctas = 2\nmax_ctas = 4",
	    "processes\nregister = window\ncta_policy = zero\nenv.NCCL_NVLS_ENABLE = 0",
	};
	static struct experiment text;
	add_head(&text, backend->name, ranks, 0, COLL_ROUNDS);
	add(&text, "bytes = 40K\npace = stream\n%s", matrix);
	for (unsigned i = 0; i < LENGTH(options); i++)
		add(&text, "[variant %u]\nmode = %s\n", i, options[i]);
	conform(&text, true, ways(ranks, 0, COLL_ROUNDS));
}

/* Each mode of the table that the backend takes ranks of. */
static void add_own_modes(struct experiment *to, const struct backend *backend, unsigned ranks,
                          const char *more)
{
	for (unsigned m = 0; mode_table[m]; m++) {
		struct trial trial = {.settings = {.launcher = LAUNCHER_AUTO,
		                                   .layout = mode_table[m]->spread(ranks)}};
		struct status why = {0};
		const struct launcher *by = launcher_pick(&trial.settings, &why);
		if (backend->is.messages && trial.settings.layout.processes > 1 && !(by && by->mpi))
			continue;
		why.text[0] = '\0';
		strcpy(trial.settings.backend, backend->name);
		if (!backend->supports(&trial, &why))
			add(to, "[variant %s]\nmode = %s\n%s\n", mode_table[m]->name,
			    mode_table[m]->name, more);
		else
			assert_true(strlen(why.text) > 20);
	}
}

/* Libraries with blocking calls, each with its own method: every collective once in each mode that
 * they have, with few jobs, since some of them connect slowly; groups; and the reductions of one
 * collective, opened a second time. */
static void conform_blocking(const struct backend *backend, unsigned ranks)
{
	static struct experiment text;
	add_head(&text, backend->name, ranks, 0, 0);
	add(&text,
	    "bytes = 40K\nin_place = both\nroot = 0, %u\ncounts = skewed\n"
	    "pace = isolated\n",
	    ranks - 1);
	add_own_modes(&text, backend, ranks, "");
	conform(&text, true, ways(ranks, 0, COLL_ROOTED) + 2 * ways(ranks, COLL_ROOTED, 0));
	/* Threads where they may be, which start sooner. */
	struct trial threads = {.settings.layout = {1, ranks, 1}};
	struct status why = {0};
	strcpy(threads.settings.backend, backend->name);
	bool apart = backend->supports(&threads, &why);
	add_head(&text, backend->name, ranks, 0, 0);
	add(&text, "bytes = 4K\nroot = 1\n%s", matrix);
	add_layout(&text, false, apart ? ranks : 1, apart ? 1 : ranks, 1);
	add(&text, "split = MOD:2\n");
	conform(&text, true, ways(ranks / 2, 0, 0));
	add_head(&text, backend->name, 2, COLL_REDUCES, COLL_ROOTED | COLL_PARTED);
	add(&text, "bytes = 960\nop = sum, prod, min, max\npace = stream\nconnections = 2\n"
	           "dtype = int32, uint32, int64, uint64, float32, float64\n");
	add_layout(&text, false, apart ? 2 : 1, apart ? 1 : 2, 1);
	conform(&text, true, 6 * 4);
}

/* A backend's stated properties are true of its functions. */
TEST(what_a_backend_is_fits_what_it_can)
{
	struct status why = {0};
	for (const struct backend *const *b = backend_table; *b; b++) {
		bool here = backend_capacity((*b)->name, &why) > 0;
		assert_ptr_equal(backend_find((*b)->name), *b);
		assert_int_equal((*b)->is.logs_path, (*b)->log_ask && (*b)->log_path);
		assert_true(!(*b)->connect || (*b)->is.connects);
		assert_true(!(*b)->library || (*b)->is.library);
		assert_true(!here || ((*b)->open && (*b)->issue && (*b)->poll && (*b)->close));
		assert_true(!here || !(*b)->is.carries_data || (*b)->buffers);
		assert_false((*b)->is.gpus && (*b)->is.analogue);
	}
}

/* On stand-ins for a GPU's libraries: other tests cover the other backends. */
static bool is_short(void)
{
	return getenv("STANDINS");
}

TEST(every_backend_conforms_in_every_layout)
{
	unsigned conformed = 0;
	for (const struct backend *const *b = backend_table; *b; b++) {
		struct status why = {0};
		unsigned capacity = backend_capacity((*b)->name, &why);
		unsigned ranks = capacity < 4 ? capacity & 2 : 4;
		if (!ranks) {
			print_message("%s: not here: %s\n", (*b)->name, why.text);
			continue;
		}
		if (is_short() && !(*b)->is.gpus)
			continue;
		if ((*b)->is.blocks) {
			conform_blocking(*b, ranks);
			conformed++;
			continue;
		}
		if (!is_short()) {
			conform_layouts(*b, ranks);
			conform_nested(*b, ranks);
		}
		if ((*b)->is.carries_data) {
			if ((*b)->is.gpus)
				conform_types(*b, ranks);
			if (!is_short())
				conform_odd_sizes(*b, ranks);
			if (ranks > 2) /* else each has its own group */
				conform_groups(*b, ranks, "split = MOD:2");
			if (ranks > 2 && !is_short())
				conform_groups(*b, ranks, "split = DIV:2");
			if (!strcmp((*b)->name, "nccl"))
				conform_options(*b, ranks);
		}
		conformed++;
	}
	assert_true(conformed >= (is_short() ? 1 : 2)); /* host and null run anywhere */
}

/* The experiment that checks them all, as it is shipped: on host in every datatype. */
TEST(the_matrix_is_right_on_host)
{
	static struct experiment text;
	char *file = cli_read("experiments/matrix.exp");
	assert_non_null(file);
	text.used = 0;
	add(&text, "%s", file);
	struct record_run run = run_experiment(
	    &text, NULL, (const char *const[]){"backend=host", "ranks=4", "bytes=960", NULL});
	check_cells(&run, true,
	            DTYPE_KINDS * (ways(4, 0, COLL_REDUCES) + OP_NONE * ways(4, COLL_REDUCES, 0)));
	record_free(&run);
}

static uint64_t bits_at(const json_t *wrong_at, const char *key)
{
	const char *text = json_string_value(json_object_get(wrong_at, key));
	assert_non_null(text);
	return strtoull(text, NULL, 16);
}

static int number_at(const json_t *wrong_at, const char *key)
{
	assert_true(json_is_integer(json_object_get(wrong_at, key)));
	return (int)json_integer_value(json_object_get(wrong_at, key));
}

/* One bit of one byte, in the second of the rotated buffers: 960 bytes each. */
static void find_turned(const struct backend *backend)
{
	static struct experiment text;
	unsigned found[MOST_MODES] = {0};
	add_head(&text, backend->name, 4, COLL_REDUCES, 0);
	add(&text, "bytes = 960\nroot = 2\ndtype = float16, float64\nin_place = both\n"
	           "pace = stream\n");
	add_modes(&text, "flip = 2:1501");
	struct record_run run =
	    run_experiment(&text, "delivered 1 wrong element, the first on rank ", NULL);
	for (unsigned i = 0; i < run.ncells; i++) {
		const struct record_cell *cell = &run.cells[i];
		const json_t *at = json_object_get(cell->json, "wrong_at");
		int size = (int)coll_dtype_bytes(cell->cell.dtype);
		/* Of its part alone, rank 2 has the elements 480 to 719 in place, else 0 to 239. */
		if (cell->cell.coll == COLL_REDUCE_SCATTER && !cell->cell.in_place) {
			assert_int_equal(cell->wrong, 0);
			continue;
		}
		assert_int_equal(cell->wrong, 1);
		assert_int_equal(number_at(at, "rank"), 2);
		assert_int_equal(number_at(at, "element"), 1501 / size);
		assert_int_equal(number_at(at, "byte"), 1501 / size * size);
		uint64_t turned = bits_at(at, "expected") ^ bits_at(at, "got");
		assert_int_equal(__builtin_popcountll(turned), 1);
		assert_int_equal(__builtin_ctzll(turned) / 8, 1501 % size);
		for (unsigned m = 0; mode_table[m]; m++)
			found[m] += !strcmp(cell->variant, mode_table[m]->name);
	}
	for (unsigned m = 0; mode_table[m]; m++)
		assert_int_equal(found[m], 5 * 2);
	record_free(&run);
}

TEST(a_turned_byte_is_found_in_every_mode)
{
	for (const struct backend *const *b = backend_table; *b; b++) {
		struct status why = {0};
		if ((*b)->is.carries_data && !(*b)->is.blocks && (!is_short() || (*b)->is.gpus) &&
		    backend_capacity((*b)->name, &why) >= 4)
			find_turned(*b);
	}
}

/* On stand-ins the matrix is no other test. */
static bool not_on_standins(const char *name)
{
	return is_short() && !strcmp(name, "the_matrix_is_right_on_host");
}

TESTS(.slow = true, .leave_out = not_on_standins);
