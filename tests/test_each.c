/* each = PATH:PATH: one variant per library, named after its version if that can be read (stand-ins
 * under several names), else counted. No GPU. */

#include "../harness/backend/table.h"
#include "here.h"
#include "standin.h"

#define TEXT                                                                                       \
	"[experiment]\ncollective = alltoall\nbytes = 4K\n"                                        \
	"[variant threads]\nmode = threads\n"                                                      \
	"[variant threads-nccl]\nmode = threads\nbackend = nccl\neach = ${NCCL_LIBS}\n"            \
	"[variant processes-nccl]\nlike = threads-nccl\nmode = processes\n"

static char standin[STANDIN_BYTES], libraries[SPEC_EACH_BYTES];
static struct spec spec; /* large: not for the stack */

static const char *lookup(const char *name)
{
	return strcmp(name, "NCCL_LIBS") || !libraries[0] ? NULL : libraries;
}

static const char *in_folder(const char *name)
{
	static char path[128];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	return path;
}

/* A library of that name, on the list too. */
static void library(const char *name)
{
	size_t used = strlen(libraries);
	if (symlink(standin, in_folder(name)))
		assert_int_equal(access(in_folder(name), R_OK), 0);
	snprintf(libraries + used, sizeof libraries - used, "%s%s", used ? ":" : "",
	         in_folder(name));
}

static int load(struct status *st)
{
	cli_write(folder, "t.exp", TEXT);
	st->text[0] = '\0';
	return spec_load(&(struct spec_source){.file = file, .lookup = lookup}, "nccl", &spec, st);
}

/* Names in order, each with the library it takes. */
static void expect(const char *const names[], const char *const files[], unsigned n)
{
	assert_works(load(WHY));
	assert_int_equal(spec.nvariants, n);
	for (unsigned i = 0; i < n; i++) {
		assert_string_equal(spec.variants[i].name, names[i]);
		assert_string_equal(spec.variants[i].settings.nccl,
		                    files[i] ? in_folder(files[i]) : "");
		assert_string_equal(spec.variants[i].skip, "");
		assert_string_equal(spec.variants[i].settings.mode,
		                    strstr(names[i], "processes") ? "processes" : "threads");
	}
}

static void refuse(const char *what)
{
	assert_int_equal(load(WHY), -1);
	assert_begins(because(), test_text("%s:6: each", file));
	assert_says(because(), what);
	assert_says(because(), "allowed");
}

FIXTURE(fresh)
{
	libraries[0] = '\0';
}

/* Only a backend that is built in can read versions. */
static bool reads_versions(void)
{
	return backend_find("nccl")->library;
}

TEST(a_variant_for_each_library)
{
	static const char *const counted[] = {"threads", "threads-nccl-1", "threads-nccl-2",
	                                      "processes-nccl-1", "processes-nccl-2"};
	static const char *const named[] = {"threads", "threads-nccl-2.21.5", "threads-nccl-2.28.3",
	                                    "processes-nccl-2.21.5", "processes-nccl-2.28.3"};
	static const char *const files[] = {NULL, "a@22105.so", "b@22803.so", "a@22105.so",
	                                    "b@22803.so"};
	strcpy(libraries, ":"); /* empty paths are none */
	library("a@22105.so");
	strcat(libraries, ":");
	library("b@22803.so");
	expect(reads_versions() ? named : counted, files, 5);
}

TEST(none_named_is_skipped)
{
	assert_works(load(WHY));
	assert_int_equal(spec.nvariants, 3);
	assert_string_equal(spec.variants[1].name, "threads-nccl");
	assert_says(spec.variants[1].skip, "NCCL_LIBS is not set");
	assert_says(spec.variants[2].skip, "NCCL_LIBS is not set");
}

TEST(what_cannot_be_read_is_named)
{
	library("a@22105.so");
	strcat(libraries, ":/no/such/libnccl.so.2");
	refuse("each, from the variable NCCL_LIBS: /no/such/libnccl.so.2 cannot be read: No "
	       "such file");
	strcpy(libraries, folder);
	refuse("cannot be read: Is a directory");
	strcpy(libraries, ":");
	refuse("each names no library");
}

/* Sixteen libraries in two modes, and one more variant. */
TEST(more_than_fit_are_refused)
{
	for (unsigned i = 0; i < 16; i++) {
		library(test_text("l@%u.so", 22000 + i));
	}
	assert_refused(load(WHY), "too many variants; allowed are 32");
}

TEST(one_version_twice_is_refused)
{
	if (!reads_versions())
		skip(); /* they are counted */
	library("a@22105.so");
	library("c@22105.so");
	refuse("each names two libraries of one version");
}

TEST(what_is_no_library_is_named)
{
	if (!reads_versions())
		skip();
	strcpy(libraries, file); /* a text */
	refuse(file);
	refuse("cannot load NCCL");
}

FIXTURE(prepare)
{
	set_up();
	unsetenv("STANDIN_NCCL_VERSION");
	standin_find(standin);
}

TESTS(.begin = prepare, .end = tear_down, .before = fresh);
