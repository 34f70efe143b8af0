/* A library that is named without a slash: the checked, recorded and loaded file is the same one,
 * the dynamic linker's, whatever is in the working folder. Stand-ins; no GPU. */
#include <inttypes.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "../harness/config/plan.h"
#include "here.h"
#include "standin.h"

static char standin[STANDIN_BYTES], found[PATH_MAX];

/* A copy of the stand-in, which is in no folder but the linker's. */
static void install(const char *parent)
{
	char buffer[4096];
	size_t n;
	char *path = test_text("%s/libnccl.so.2", parent);
	FILE *from = fopen(standin, "r"), *to = fopen(path, "w");
	assert_non_null(from);
	assert_non_null(to);
	while ((n = fread(buffer, 1, sizeof buffer, from)) > 0)
		assert_int_equal(fwrite(buffer, 1, n, to), n);
	fclose(from);
	assert_int_equal(fclose(to), 0);
	assert_non_null(realpath(path, found));
}

static bool can_read_versions(void)
{
	return backend_find("nccl")->library != NULL;
}

static json_t *first_line(void)
{
	char *text = here_read("trials.jsonl");
	*strchr(text, '\n') = '\0';
	json_t *line = json_loads(text, 0, NULL);
	assert_non_null(line);
	return line;
}

static void say(const json_t *of, const char *key, const char *text)
{
	assert_string_equal(json_string_value(json_object_get(of, key)), text);
}

TEST(a_name_is_the_linkers_file)
{
	char here[PATH_MAX];
	struct stat about;
	if (!can_read_versions())
		skip();
	char *sys = test_text("%s/sys", folder);
	assert_int_equal(mkdir(sys, 0777), 0);
	install(sys);
	/* A file that is not a library, where it used to be looked for. */
	cli_write(folder, "libnccl.so.2", "nonsense");
	cli_write(folder, "t.exp",
	          "; A test.\n[experiment]\ncollective = alltoall\nbytes = 4K\n"
	          "backend = null\nlimit = no\nranks = 2\nblocks = 1\npace = isolated\n"
	          "isolated_calls = 5\n[variant a]\nmode = single\n"
	          "[variant b]\nmode = threads\nnccl = libnccl.so.2\n");
	assert_non_null(getcwd(here, sizeof here));
	char *program = realpath(getenv("LAUNCHGAP"), NULL);
	assert_non_null(program);
	setenv("LAUNCHGAP", program, 1);
	setenv("LD_LIBRARY_PATH", sys, 1);
	assert_int_equal(chdir(folder), 0);
	const char *args[] = {"run", "--file", file, "--no-report", "--results", results, NULL};
	cli_expect(cli_run(folder, args), 0, "block 1 of 1");
	json_t *line = first_line();
	const json_t *list = json_object_get(line, "libraries"), *one = json_array_get(list, 0);
	assert_int_equal(json_array_size(list), 1);
	say(one, "nccl", "libnccl.so.2");
	say(one, "file", found);
	say(one, "version", "2.7.8");
	char *text = malloc(1 << 20);
	FILE *in = fopen(found, "r");
	assert_non_null(in);
	assert_int_equal(stat(found, &about), 0);
	size_t bytes = fread(text, 1, 1 << 20, in);
	fclose(in);
	assert_int_equal(bytes, about.st_size);
	char *sum = test_text("%016" PRIx64, (uint64_t)XXH3_64bits(text, bytes));
	free(text);
	say(one, "xxh3", sum);
	json_decref(line);
	/* Another file under that name is not gone on with. */
	char *latest = test_text("%s/t/latest", results);
	const char *more[] = {"resume", latest, "blocks=1", "--no-report", NULL};
	cli_expect(cli_run(folder, more), 0, "block 2 of 2");
	FILE *out = fopen(found, "a");
	assert_true(fputs("x", out) >= 0);
	fclose(out);
	cli_expect(cli_run(folder, more), 1, "a library is not the file");
	unsetenv("LD_LIBRARY_PATH");
	assert_int_equal(chdir(here), 0);
	free(program);
}

FIXTURE(find_standin)
{
	standin_find(standin);
}

TESTS(.begin = find_standin, .before = set_up, .after = tear_down);
