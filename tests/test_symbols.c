/* No mutable globals: the test looks at writable sections of the objects, and every symbol in them
 * has to be on a short list with its reason. Constants with addresses in them are in .data.rel.ro,
 * which the loader closes. */
#include <fnmatch.h>
#include <libgen.h>

#include "test.h"

static const struct {
	const char *object, *symbol; /* patterns */
} allowed[] = {
    {"trace.o", "trace"},      /* CUPTI calls back without an argument of ours */
    {"device.o", "*[Nn]vtx*"}, /* where NVTX' headers keep the functions of a tool */
    {"mpi_load.o", "found"},   /* the machine's MPI, looked for once in a process */
    {"*_kernels.o", "_Z*"},    /* what nvcc registers the kernels by */
    {"*_kernels.o", "DW.ref.*"},
};

/* A line of objdump -t: address, flags, section, size, name. False: it is none, or not of
 * memory that can be written. */
static bool is_writable(const char *line, char name[128])
{
	char section[64];
	if (strlen(line) < 26 || strspn(line, "0123456789abcdef") != 16 || line[23] != 'O' ||
	    sscanf(line + 24, " %63s %*s %127s", section, name) != 2)
		return false;
	if (!strcmp(name, ".hidden") && sscanf(line + 24, " %*s %*s %*s %127s", name) != 1)
		return false;
	if (!strncmp(name, "__gcov", 6)) /* make coverage counts lines in them */
		return false;
	return !strcmp(section, "*COM*") ||
	       ((!fnmatch(".data*", section, 0) || !fnmatch(".bss*", section, 0) ||
	         !fnmatch(".tdata*", section, 0) || !fnmatch(".tbss*", section, 0)) &&
	        fnmatch(".data.rel.ro*", section, 0));
}

static bool is_allowed(const char *object, const char *symbol)
{
	for (size_t i = 0; i < LENGTH(allowed); i++)
		if (!fnmatch(allowed[i].object, object, 0) &&
		    !fnmatch(allowed[i].symbol, symbol, 0))
			return true;
	return false;
}

TEST(nothing_of_ours_can_be_written)
{
	const char *program = getenv("LAUNCHGAP");
	char place[PATH_MAX], command[PATH_MAX + 64], line[1024], object[128] = "", name[128];
	unsigned objects = 0, bad = 0;
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
	skip(); /* sanitizers have their own globals */
#endif
	if (!program)
		skip();
	snprintf(place, sizeof place, "%s", program);
	snprintf(command, sizeof command, "objdump -t '%s/core.a' 2>/dev/null", dirname(place));
	FILE *in = popen(command, "r");
	assert_non_null(in);
	while (fgets(line, sizeof line, in)) {
		if (strstr(line, "file format"))
			objects += sscanf(line, "%127[^:]", object) == 1;
		if (!is_writable(line, name) || is_allowed(object, name))
			continue;
		print_error("%s: %s can be written by anyone: pass it as an argument\n", object,
		            name);
		bad++;
	}
	if (pclose(in) || !objects)
		skip(); /* no objdump here */
	assert_true(objects > 100);
	assert_int_equal(bad, 0);
}

/* Functions that are provided for others, though no code here calls them. */
static const char *const offered[] = {
    "mode_*_mpirun",   /* for a mode of one's own that mpirun starts */
    "_Z*",             /* CUDA's kernels and their stubs */
    "network_aligned", /* nccl_train.c takes it, which is empty without CUDA's headers */
};

static bool is_offered(const char *name)
{
	for (size_t i = 0; i < LENGTH(offered); i++)
		if (!fnmatch(offered[i], name, 0))
			return true;
	return false;
}

/* Whether a file of the tests has the word. */
static bool is_tested(const char *name)
{
	return !system(test_text("grep -rqw --include=*.[ch] %s tests", name));
}

/* Every exported symbol has a user: another file, or a test. All else is static, or dead. */
TEST(what_is_exported_is_taken)
{
	const char *program = getenv("LAUNCHGAP");
	char line[1024], name[128];
	unsigned bad = 0;
	if (!program)
		skip();
	char *place = test_text("%s", program);
	const char *build = dirname(place);
	/* Defined once, and used by no object: `comm` of two sorted lists. The program on stand-ins
	 * has the GPUs' part if CUDA's headers are missing. */
	char *command =
	    test_text("nm '%s/core.a' '%s/harness/main.o' $(find "
	              "'%s/standin/harness' -name '*.o' 2>/dev/null) 2>/dev/null | sort -u "
	              ">'%s/symbols' && "
	              "awk '$2 == \"T\" {print $3}' '%s/symbols' | sort -u >'%s/exported' && "
	              "awk '$1 == \"U\" {print $2}' '%s/symbols' | sort -u | "
	              "comm -23 '%s/exported' -",
	              build, build, build, build, build, build, build, build);
	FILE *in = popen(command, "r");
	assert_non_null(in);
	while (fgets(line, sizeof line, in)) {
		if (sscanf(line, "%127s", name) != 1 || !strcmp(name, "main") || is_offered(name) ||
		    is_tested(name))
			continue;
		print_error("%s is taken by no other file and no test: static, or dead?\n", name);
		bad++;
	}
	pclose(in);
	assert_int_equal(bad, 0);
}

TEST(what_can_be_written_is_seen)
{
	static const char at[] = "0000000000000000 ";
	static const struct {
		const char *line, *name; /* NULL: not seen */
	} lines[] = {
	    {"l     O .bss\t0000000000000178 trace", "trace"},
	    {"g     O .data\t0000000000000008 level", "level"},
	    {"l     O .tbss\t0000000000000008 mine", "mine"},
	    {"g     O .data.rel.local\t0000000000000008 .hidden last", "last"},
	    {"g     O *COM*\t0000000000000008 shared", "shared"},
	    {"g     O .data.rel.ro.local\t0000000000000138 backend_null", NULL},
	    {"l     O .rodata\t0000000000000010 sizes", NULL},
	    {"l     F .text\t0000000000000010 act", NULL},
	    {"l    d  .bss\t0000000000000000 .bss", NULL},
	};
	for (size_t i = 0; i < LENGTH(lines); i++) {
		char line[128], name[128] = "";
		snprintf(line, sizeof line, "%s%s\n", at, lines[i].line);
		assert_int_equal(is_writable(line, name), lines[i].name != NULL);
		if (lines[i].name)
			assert_string_equal(name, lines[i].name);
	}
}
