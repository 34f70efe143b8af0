/* Whole pages, compared letter by letter with those of tests/golden, so that a change of words is
 * seen as a reader sees it. UPDATE=1 writes them again; git diff then shows the changes. Other
 * tests check a page's figures, on report.json. */
#include "made.h"

static double noise, speed[3];
static bool wrong, many, old_library, two_libraries;
static struct claim_list asked;

static void stamps(const struct made_place *p, int64_t out[6])
{
	double bytes = 4096.0 * (1u << (2 * p->size & 31)), ns = 10000 + bytes / 100;
	ns /= p->variant < 3 ? speed[p->variant] : p->variant == MADE_LIMIT ? 2 : 1;
	ns *= 1 + noise * made_noise(p->variant + 10 * p->size, p->block, 1 + p->isolated);
	out[1] = 100 + 10 * p->rank;
	out[2] = (int64_t)(ns * (p->isolated ? 1 : 10));
}

static void environment(json_t *env)
{
	/* The first and the fourth are threads and processes of the old library. */
	for (unsigned v = 0; two_libraries && v < 4; v += 3) {
		json_t *variant = made_variant_of(env, v);
		made_set(variant, "{'role':'variant','nccl':'/opt/libnccl.so.2'}");
		made_set_mode(variant, v ? "processes" : "threads");
	}
}

static void line(json_t *cell, const struct made_place *p)
{
	if (wrong && p->variant == MADE_PROCESSES)
		json_object_set_new(cell, "wrong", json_integer(3));
	if (old_library)
		made_fact(cell, "library",
		          p->variant == MADE_SINGLE || (two_libraries && p->variant == 3)
		              ? "2.21.5"
		              : "2.28.3");
	if (many)
		made_by_collective(cell, p);
}

static struct made made;

FIXTURE(fresh)
{
	noise = 0.001;
	speed[0] = 0.8;
	speed[1] = speed[2] = 1;
	wrong = many = old_library = two_libraries = false;
	asked = (struct claim_list){.nclaims = 0};
	made = (struct made){.blocks = 8,
	                     .sizes = 7, /* 4 KiB to 16 MiB */
	                     .sums = true,
	                     .asked = &asked,
	                     .environment = environment,
	                     .line = line,
	                     .stamps = stamps};
}

/* The page with the folder's name, which is another each time, as RUN. */
static char *page_of(const char *file)
{
	char *from = cli_read(made_path(file)), *text = NULL;
	size_t bytes, n = strlen(made_folder);
	FILE *out = open_memstream(&text, &bytes);
	assert_non_null(from);
	for (const char *at = from; *at;) {
		bool folder = !strncmp(at, made_folder, n);
		if (folder)
			fputs("RUN", out);
		else
			fputc(*at, out);
		at += folder ? n : 1;
	}
	fclose(out);
	return text;
}

static void is_golden(const char *file, const char *name)
{
	/* Without it the page says so. */
	if (made_no_gnuplot())
		skip();
	char *path = test_text("tests/golden/%s", name);
	char *text = page_of(file), *golden = cli_read(path);
	if (getenv("UPDATE")) {
		cli_write("tests/golden", name, text);
	} else if (!golden || strcmp(text, golden)) {
		size_t line = 1, at = 0;
		for (; golden && text[at] && text[at] == golden[at]; at++)
			line += text[at] == '\n';
		while (at && text[at - 1] != '\n')
			at--;
		fail_msg("%s:%zu is now \"%.*s\"; if that is meant: UPDATE=1 %s", path, line,
		         (int)strcspn(text + at, "\n"), text + at, "build/tests/test_golden");
	}
	free(text);
}

static void print_page(void)
{
	const struct report_options options = {.format = REPORT_TABLES};
	made_write(&made);
	made_print(&options);
}

static struct claim *claim(const char *name, const char *text, const char *left)
{
	struct claim *c = made_claim(&asked, METRIC_BUSBW, CLAIM_LESS, left, "threads");
	c->bytes.lo = 1 << 20;
	snprintf(c->name, sizeof c->name, "%s", name);
	snprintf(c->text, sizeof c->text, "%s", text);
	return c;
}

/* More ranks than cores and noise as on a laptop. */
TEST(a_laptop_cannot_tell)
{
	made.backend = "host";
	made.cores = 1;
	made.blocks = 6;
	noise = 0.3;
	print_page();
	is_golden("stdout", "laptop.txt");
}

/* Claims about two libraries, a gap with what explains it, a placebo. */
TEST(an_experiment_has_its_answer)
{
	old_library = true;
	claim("slower-old", "Old NCCL: one thread is slower", "single");
	claim("slower", "one thread is slower", "processes");
	strcpy(claim("nodes", "Two nodes are slower", "")->needs, "2 nodes");
	asked.claims[2].test = CLAIM_NEEDS;
	made_gap(&asked, "single", "threads", 1 << 20);
	strcpy(made_factor(&asked, "version", "single", "processes")->setting, "library");
	made_factor(&asked, "placebo", "threads", "processes")->placebo = true;
	asked.factors[0].bytes.lo = asked.factors[1].bytes.lo = 1 << 20;
	print_page();
	is_golden("stdout", "answer.txt");
	is_golden("report.md", "answer.md");
}

/* Claims that ask the same of two versions are found by their variants, whatever their names say.
 * The second question has the same variants, and its own pair. */
TEST(claims_of_two_versions_share_a_row)
{
	static const char *const said[] = {"first, of then", "first", "second, of then", "second"};
	old_library = two_libraries = true;
	for (unsigned i = 0; i < 4; i++) {
		strcpy(claim(test_text("c%u", i), said[i], i % 2 ? "processes" : "threads-again")
		           ->right,
		       i % 2 ? "threads" : "single");
	}
	print_page();
	json_t *report = json_report(made_path("report.json"));
	const json_t *table = json_table(report, "claims_short");
	assert_int_equal(json_rows(table, JSON_ALL), 2);
	for (unsigned i = 1; i < 4; i += 2) {
		json_keys row = {"claim", said[i], NULL};
		/* Old threads have 0.8 of the speed of all others. */
		assert_says(json_string_value(json_cell(table, row, "verdict")), "1.250");
		assert_says(json_string_value(json_cell(table, row, "verdict_new")), "1.000");
	}
}

TEST(wrong_data_is_not_compared)
{
	wrong = true;
	made_write(&made);
	assert_int_equal(report_make(made_folder, "/nowhere", NULL, WHY), -1);
	is_golden("report.md", "trouble.md");
}

TEST(many_collectives_have_no_tables_each)
{
	many = true;
	made.sizes = 20;
	made.blocks = 6;
	print_page();
	is_golden("report.md", "many.md");
}

TESTS(.begin = made_begin, .end = made_end, .before = fresh);
