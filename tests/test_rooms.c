/* The rules between folders: which may include which, through any number of headers, where the
 * environment, the clock and stdout are used, where a backend is known by name. The folders show
 * the flow of data only while these rules hold. */
#include <fnmatch.h>
#include <ftw.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "test.h"

#define TREE_FILES    650
#define FILE_INCLUDES 64
#define LIST          8 /* of patterns */

enum rule_kind {
	RULE_TEXT,   /* `what`, a regular expression, is in no text; comments do not count */
	RULE_REACH,  /* no file includes what matches `what`, directly or through others */
	RULE_NAME,   /* no file is there */
	RULE_ROOM,   /* each file is in one of `rooms` */
	RULE_ORDER,  /* a file includes nothing of a room that comes after its own */
	RULE_CIRCLE, /* no two files (a .c and its .h are one) include each other, through
	                others too */
};

struct source {
	char path[160];
	char *text; /* without comments */
	int includes[FILE_INCLUDES];
	unsigned nincludes;
};

/* The files in folders, or the files that a test planted. A system's header is a file without
 * text. */
struct tree {
	struct source files[TREE_FILES];
	unsigned nfiles;
};

struct planted {
	const char *path, *text;
};

struct rule {
	const char *name;
	enum rule_kind kind;
	const char *where[LIST], *except[LIST], *what;
	struct planted planted[3]; /* breaks the rule */
};

#define ANY                                                                                        \
	{                                                                                          \
		"harness/*", "modes/*"                                                             \
	}
#define BEGIN_WORD "(^|[^a-zA-Z_])"
#define BACKEND    "\"(nccl|p2p|host|mpi|gloo|null)\""
#define ONE(path, text)                                                                            \
	{                                                                                          \
		{                                                                                  \
			path, text                                                                 \
		}                                                                                  \
	}

/* clang-format off */
/* Each builds on those before it, so that no rooms form a circle. */
static const char *const rooms[] = {
    "harness/clock.h",      "harness/sanitize.[ch]", "harness/terminal.[ch]", "harness/status.[ch]", "harness/arena.[ch]",
    "harness/perf_options.[ch]", "harness/suggest.[ch]", "harness/texts.[ch]", "harness/part.[ch]",  "harness/coll/*",       "harness/mpi/*",
    "harness/exchange/*",  "harness/trial/*",      "harness/machine.[ch]",
    "harness/core/*",      "modes/*",            "harness/backend/*",    "harness/config/*",
    "harness/record/*",    "harness/analysis/*", "harness/data/*",       "harness/run/*",        "harness/story/*",
    "harness/chapters/*",  "harness/report/*",   "harness/compare/*",    "harness/selftest/*",
    "harness/verbs/*",     "harness/main.c",
};

static const struct rule rules[] = {
    /* The mode of a tour, what nccl-tests' files are called, and the heads of columns. */
    {"a mode's name is known in modes alone", RULE_TEXT, ANY,
     {"modes/*", "harness/verbs/verb_tour.c", "harness/compare/nccl_tests.c", "harness/analysis/versions.c", "harness/chapters/versions.c"}, "\"(single|threads|processes)\"",
     ONE("harness/core/loop.c", "\tif (!strcmp(mode, \"threads\"))\n")},
    {"modes are known to verbs and plan alone", RULE_TEXT, {"harness/*"}, {"harness/verbs/*", "harness/config/plan*"}, "#include *\"[^\"]*modes/",
     ONE("harness/run/run.c", "#include \"../../modes/mode.h\"\n")},
    {"modes know no backend", RULE_REACH, {"modes/*"}, {NULL}, "harness/*backend*",
     {{"modes/threads.c", "#include \"../harness/a.h\"\n"}, {"harness/a.h", "#include \"backend/backend.h\"\n"}, {"harness/backend/backend.h", ""}}},
    {"modes know no clock, but for deadlines", RULE_REACH, {"modes/*"}, {"modes/enter.c", "modes/exec.c", "modes/agent.c", "modes/dispatch.c", "modes/join.c"}, "harness/clock.h",
     {{"modes/threads.c", "#include \"../harness/clock.h\"\n"}, {"harness/clock.h", ""}}},
    {"analysis prints nothing", RULE_TEXT, {"harness/analysis/*"}, {NULL}, BEGIN_WORD "(FILE|stdout|stderr|f?printf *\\(|f?puts *\\(|f?putc *\\(|putchar *\\()",
     ONE("harness/analysis/a.c", "void a_write(FILE *out);\n")},
    {"chapters print nothing", RULE_TEXT, {"harness/chapters/*", "harness/story/*"}, {NULL}, BEGIN_WORD "(FILE|stdout|stderr|f?printf *\\(|f?puts *\\(|f?putc *\\(|putchar *\\()",
     ONE("harness/chapters/a.c", "void a_write(FILE *out);\n")},
    {"report includes no statistics", RULE_TEXT, {"harness/report/*"}, {NULL}, "#include *\"[^\"]*/(stats|timing)\\.h\"",
     ONE("harness/report/a.c", "#include \"../analysis/stats.h\"\n")},
    {"report computes nothing", RULE_TEXT, {"harness/report/*"}, {NULL}, BEGIN_WORD "((stats|timing)_[a-z_]+|sqrt|log|log2|exp|pow) *\\(",
     ONE("harness/report/a.c", "\tx = stats_median(all, n);\n")},
    {"a backend's name is compared in backend alone", RULE_TEXT, ANY, {"harness/backend/*"}, "(strn?(case)?cmp *\\([^;{}]*|backend_find *\\()" BACKEND,
     ONE("harness/run/run.c", "\tif (v->skip[0] || !strcmp(v->settings.backend,\n\t                              \"nccl\"))\n")},
    {"mpi.h has its place", RULE_REACH, ANY, {"harness/mpi/mpi_calls.c"}, "<mpi*.h>",
     {{"modes/threads.c", "#include \"a.h\"\n"}, {"modes/a.h", "#include <mpi.h>\n"}}},
    {"Gloo's headers have their place", RULE_REACH, ANY, {"harness/backend/gloo/gloo_calls.cc"}, "<gloo/*>",
     ONE("harness/backend/gloo/gloo.c", "#include <gloo/context.h>\n")},
    {"nccl.h has its place", RULE_REACH, ANY, {"harness/backend/nccl/*"}, "<nccl*>",
     ONE("harness/backend/device/device.c", "#include <nccl.h>\n")},
    {"CUDA's headers have their place", RULE_REACH, ANY, {"harness/backend/device/*", "harness/backend/nccl/*"}, "<cuda*>",
     ONE("harness/backend/host/host.c", "#include <cuda_runtime.h>\n")},
    {"NVTX's headers have their place", RULE_REACH, ANY, {"harness/backend/device/device.c"}, "<nvtx3*>",
     ONE("harness/core/worker.c", "#include <nvtx3/nvToolsExt.h>\n")},
    {"NVML is loaded, not included", RULE_REACH, ANY, {NULL}, "<nvml*>",
     ONE("harness/backend/device/nvml.c", "#include <nvml.h>\n")},
    {"the environment is read in machine.c", RULE_TEXT, ANY, {"harness/machine.c", "harness/terminal.c"}, BEGIN_WORD "((secure_)?getenv *\\(|environ *;)",
     ONE("harness/run/run.c", "\tx = getenv(\"HOME\");\n")},
    {"there is one clock", RULE_TEXT, ANY, {"harness/clock.h"}, "clock_gettime *\\( *CLOCK_MONO|gettimeofday *\\(",
     ONE("harness/run/run.c", "\tclock_gettime(CLOCK_MONOTONIC, &t);\n")},
    {"no shell is run", RULE_TEXT, ANY, {NULL}, BEGIN_WORD "(system|popen) *\\(",
     ONE("harness/run/run.c", "\tsystem(\"ls\");\n")},
    {"stdout has its places", RULE_TEXT, ANY,
     {"harness/main.c", "harness/status.c", "harness/verbs/*", "harness/report/*", "harness/compare/*", "harness/selftest/*"},
     BEGIN_WORD "(printf|puts|putchar) *\\(",
     ONE("harness/run/run.c", "\tprintf(\"x\");\n")},
    {"no file is a part", RULE_NAME, {"*_parts.*"}, {NULL}, NULL,
     ONE("harness/run/run_parts.h", "")},
    {"each file is in a room", RULE_ROOM, ANY, {NULL}, NULL,
     ONE("harness/coll.c", "")},
    {"a room includes those before it alone", RULE_ORDER, ANY, {NULL}, NULL,
     {{"harness/trial/a.h", "#include \"../core/b.h\"\n"}, {"harness/core/b.h", "#include \"../trial/c.h\"\n"}, {"harness/trial/c.h", ""}}},
    {"no pointer into a value that is gone", RULE_TEXT, ANY, {NULL}, "\\* *[a-z_]+ = [a-z_]+ *\\([^;]*\\)\\.text;",
     ONE("harness/analysis/a.c", "\tconst char *gbs = format_number(\n\t    a->b).text;\n")},
    {"no seed is named to a user", RULE_TEXT, ANY, {NULL}, "seed 0[0-9]",
     ONE("harness/report/a.c", "\t{\"T4\", \"seed 003\"},\n")},
    {"no circles", RULE_CIRCLE, ANY, {NULL}, NULL,
     {{"harness/run/a.c", "#include \"b.h\"\n"}, {"harness/run/b.h", "#include \"a.h\"\n"}, {"harness/run/a.h", ""}}},
};

/* clang-format on */

#define RULES (sizeof rules / sizeof *rules)

struct broken {
	const struct rule *rule;
	char path[160], why[1024];
};

struct findings {
	struct broken all[2000];
	unsigned n;
};

static struct tree tree;
static struct findings found;

static bool is_in(const char *const list[LIST], const char *path)
{
	for (unsigned i = 0; i < LIST && list[i]; i++)
		if (!fnmatch(list[i], path, 0))
			return true;
	return false;
}

static bool is_of(const struct rule *rule, const char *path)
{
	return is_in(rule->where, path) && !is_in(rule->except, path);
}

/* --- the tree ------------------------------------------------------------------------------
 */

/* Comments become blanks, strings stay. */
static void blank_comments(char *p)
{
	char inside = 0; /* a quote, or / or * of a comment */
	for (; *p; p++) {
		if (inside == '*' && p[0] == '*' && p[1] == '/') {
			p[0] = p[1] = ' ';
			inside = 0;
		} else if (inside == '/' && *p == '\n') {
			inside = 0;
		} else if (inside == '*' || inside == '/') {
			*p = *p == '\n' ? '\n' : ' ';
		} else if (inside) {
			if (*p == '\\' && p[1])
				p++;
			else if (*p == inside)
				inside = 0;
		} else if (*p == '"' || *p == '\'') {
			inside = *p;
		} else if (*p == '/' && (p[1] == '*' || p[1] == '/')) {
			inside = p[1];
			p[0] = p[1] = ' ';
			p++;
		}
	}
}

static int tree_add(const char *path, char *text)
{
	assert_true(tree.nfiles < TREE_FILES);
	struct source *file = &tree.files[tree.nfiles];
	memset(file, 0, sizeof *file);
	assert_true(strlen(path) < sizeof file->path);
	strcpy(file->path, path);
	file->text = text;
	if (text)
		blank_comments(text);
	return (int)tree.nfiles++;
}

static int tree_find(const char *path)
{
	for (unsigned i = 0; i < tree.nfiles; i++)
		if (!strcmp(tree.files[i].path, path))
			return (int)i;
	return -1;
}

/* dir/../ goes. */
static void path_join(const char *from, const char *to, char out[160])
{
	const char *slash = strrchr(from, '/');
	char *up;
	snprintf(out, 160, "%.*s/%s", (int)(slash - from), from, to);
	while ((up = strstr(out, "/../"))) {
		char *dir = up;
		while (dir > out && dir[-1] != '/')
			dir--;
		memmove(dir, up + 4, strlen(up + 4) + 1);
	}
}

/* Which file includes which, after all are there. */
static void tree_link(void)
{
	static const char word[] = "#include";
	for (unsigned i = 0, n = tree.nfiles; i < n; i++) {
		struct source *file = &tree.files[i];
		for (char *p = file->text; p && (p = strstr(p, word)); p++) {
			char name[100], path[160];
			char *open = p + sizeof word - 1 + strspn(p + sizeof word - 1, " ");
			if (*open != '"' && *open != '<')
				continue;
			char *close = strpbrk(open + 1, "\">\n");
			snprintf(name, sizeof name, "%.*s", (int)(close - open - 1), open + 1);
			if (*open == '<')
				snprintf(path, sizeof path, "<%s>", name);
			else
				path_join(file->path, name, path);
			int to = tree_find(path);
			if (to < 0)
				to = tree_add(path, NULL);
			assert_true(file->nincludes < FILE_INCLUDES);
			file->includes[file->nincludes++] = to;
		}
	}
}

static void tree_clear(void)
{
	for (unsigned i = 0; i < tree.nfiles; i++)
		free(tree.files[i].text);
	tree.nfiles = found.n = 0;
}

static int tree_visit(const char *path, const struct stat *stat, int type)
{
	const char *dot = strrchr(path, '.');
	(void)stat;
	if (type == FTW_F && dot && (is_in((const char *const[LIST]){".[ch]", ".cu", ".cc"}, dot)))
		tree_add(path, cli_read(path));
	return 0;
}

static void tree_read(void)
{
	tree_clear();
	assert_int_equal(ftw("harness", tree_visit, 16), 0);
	assert_int_equal(ftw("modes", tree_visit, 16), 0);
	assert_true(tree.nfiles > 100);
	tree_link();
}

/* --- the rules -----------------------------------------------------------------------------
 */

static void add_broken(const struct rule *rule, const char *path, const char *why)
{
	if (found.n == sizeof found.all / sizeof *found.all)
		return;
	struct broken *b = &found.all[found.n++];
	b->rule = rule;
	snprintf(b->path, sizeof b->path, "%s", path);
	snprintf(b->why, sizeof b->why, "%s", why);
}

static void check_text(const struct rule *rule, const struct source *file)
{
	regex_t what;
	regmatch_t at;
	char why[100];
	if (!file->text)
		return;
	assert_int_equal(regcomp(&what, rule->what, REG_EXTENDED), 0);
	if (!regexec(&what, file->text, 1, &at, 0)) {
		unsigned line = 1;
		for (const char *p = file->text; p < file->text + at.rm_eo; p++)
			line += *p == '\n';
		snprintf(why, sizeof why, "line %u", line);
		add_broken(rule, file->path, why);
	}
	regfree(&what);
}

/* The chain of includes from a file to the forbidden one, into `way`; each file is looked at
 * once. */
static bool reach(const struct rule *rule, int from, bool seen[TREE_FILES], char *way, size_t bytes)
{
	const struct source *file = &tree.files[from];
	seen[from] = true;
	for (unsigned i = 0; i < file->nincludes; i++) {
		int to = file->includes[i];
		size_t n = strlen(way);
		if (seen[to])
			continue;
		snprintf(way + n, bytes - n, " → %s", tree.files[to].path);
		if (!fnmatch(rule->what, tree.files[to].path, 0) ||
		    reach(rule, to, seen, way, bytes))
			return true;
		way[n] = '\0';
	}
	return false;
}

static void check_reach(const struct rule *rule, unsigned file)
{
	bool seen[TREE_FILES] = {false};
	char way[1024] = "";
	if (reach(rule, (int)file, seen, way, sizeof way))
		add_broken(rule, tree.files[file].path, way);
}

/* A .c and its .h are one file here: the path less its ending. */
static size_t stem(const char *path)
{
	const char *dot = strrchr(path, '.');
	return dot ? (size_t)(dot - path) : strlen(path);
}

static bool is_same_stem(const char *a, const char *b)
{
	return stem(a) == stem(b) && !strncmp(a, b, stem(a));
}

/* Whether a file's includes lead back to its stem by way of another. */
static bool leads_back(int from, const char *home, bool outside, bool seen[2][TREE_FILES],
                       char *way, size_t bytes)
{
	const struct source *file = &tree.files[from];
	seen[outside][from] = true;
	for (unsigned i = 0; i < file->nincludes; i++) {
		int to = file->includes[i];
		bool is_home = is_same_stem(tree.files[to].path, home);
		size_t n = strlen(way);
		if (!is_home && seen[1][to])
			continue;
		snprintf(way + n, bytes - n, " → %s", tree.files[to].path);
		if (is_home ? outside : leads_back(to, home, true, seen, way, bytes))
			return true;
		way[n] = '\0';
	}
	/* From another file the way goes on through its .c too. */
	for (unsigned o = 0; outside && o < tree.nfiles; o++)
		if (!seen[1][o] && is_same_stem(tree.files[o].path, file->path) &&
		    leads_back((int)o, home, true, seen, way, bytes))
			return true;
	return false;
}

static void check_circle(const struct rule *rule, unsigned file)
{
	bool seen[2][TREE_FILES] = {{false}};
	char way[1024] = "";
	if (leads_back((int)file, tree.files[file].path, false, seen, way, sizeof way))
		add_broken(rule, tree.files[file].path, way);
}

/* -1: in none. */
static int room_of(const char *path)
{
	for (int i = 0; i < (int)(sizeof rooms / sizeof *rooms); i++)
		if (!fnmatch(rooms[i], path, 0))
			return i;
	return -1;
}

static void check_order(const struct rule *rule, const struct source *file)
{
	for (unsigned i = 0; i < file->nincludes; i++) {
		const char *to = tree.files[file->includes[i]].path;
		char why[200];
		snprintf(why, sizeof why, " → %s", to);
		if (room_of(to) > room_of(file->path))
			add_broken(rule, file->path, why);
	}
}

static void check_rule(const struct rule *rule)
{
	for (unsigned i = 0; i < tree.nfiles; i++) {
		if (!is_of(rule, tree.files[i].path))
			continue;
		switch (rule->kind) {
		case RULE_TEXT:
			check_text(rule, &tree.files[i]);
			break;
		case RULE_REACH:
			check_reach(rule, i);
			break;
		case RULE_NAME:
			add_broken(rule, tree.files[i].path, "");
			break;
		case RULE_ROOM:
			if (room_of(tree.files[i].path) < 0)
				add_broken(rule, tree.files[i].path, "");
			break;
		case RULE_ORDER:
			check_order(rule, &tree.files[i]);
			break;
		case RULE_CIRCLE:
			check_circle(rule, i);
			break;
		}
	}
}

/* --- tests ---------------------------------------------------------------------------------
 */

TEST(each_room_knows_only_what_it_may)
{
	unsigned bad = 0;
	tree_read();
	for (unsigned r = 0; r < RULES; r++)
		check_rule(&rules[r]);
	for (unsigned i = 0; i < found.n; i++) {
		const struct broken *b = &found.all[i];
		print_error("%s: %s%s%s\n", b->rule->name, b->path, *b->why == 'l' ? ", " : "",
		            b->why);
		bad++;
	}
	assert_int_equal(bad, 0);
}

static void plant(const struct planted *files, unsigned n)
{
	tree_clear();
	for (unsigned i = 0; i < n && files[i].path; i++)
		tree_add(files[i].path, strdup(files[i].text));
	tree_link();
}

TEST(each_rule_sees_what_breaks_it)
{
	for (unsigned r = 0; r < RULES; r++) {
		plant(rules[r].planted, 3);
		check_rule(&rules[r]);
		if (!found.n)
			fail_msg("\"%s\" did not see it", rules[r].name);
		assert_string_equal(found.all[0].path, rules[r].planted[0].path);
	}
}

TEST(no_rule_sees_what_is_allowed)
{
	static const struct planted allowed[] = {
	    {"harness/machine.c", "#include \"machine.h\"\n\tgetenv(\"HOME\");\n"},
	    {"harness/machine.h", "/* getenv() is called here alone, and never popen( */\n"},
	    {"harness/clock.h", "\tclock_gettime(CLOCK_MONOTONIC, &t);\n"},
	    {"harness/core/team.h", "#include \"../clock.h\"\n"},
	    {"harness/analysis/a.c",
	     "#include \"a.h\"\n#include \"stats.h\"\n\tsnprintf(a, 1, b);\n"},
	    {"harness/analysis/a.h", "// FILE: none\n"},
	    {"harness/analysis/stats.h", ""},
	    {"harness/report/a.c", "#include \"../analysis/a.h\"\n\tprintf(\"a /* b\");\n"},
	    {"harness/run/run.c", "\tmachine_get(\"host\");\n\tstrcmp(a, b);\n\tx = \"nccl\";\n"},
	    {"harness/backend/nccl/nccl.c", "#include <nccl.h>\n\tstrcmp(name, \"nccl\");\n"},
	    {"harness/mpi/mpi_calls.c", "#include \"mpi_calls.h\"\n#include <mpi.h>\n"},
	    {"harness/mpi/mpi_calls.h", ""},
	    {"modes/processes.c", "#include \"mode.h\"\n"},
	    {"modes/mode.h", ""},
	    {"harness/config/plan.c", "#include \"../../modes/mode.h\"\n"},
	};
	plant(allowed, sizeof allowed / sizeof *allowed);
	for (unsigned r = 0; r < RULES; r++)
		check_rule(&rules[r]);
	for (unsigned i = 0; i < found.n; i++)
		print_error("%s: %s %s\n", found.all[i].rule->name, found.all[i].path,
		            found.all[i].why);
	assert_int_equal(found.n, 0);
}

static int clear(void **state)
{
	(void)state;
	tree_clear();
	return 0;
}

TESTS(.end = clear);
