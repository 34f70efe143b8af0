#include "cli.h"
#include "test.h"

#include <dirent.h>
#include <ftw.h>
#include <lzma.h>
#include <poll.h>
#include <sys/syscall.h>
#include <zlib.h>

#define CLI_ARGS 63

void cli_folder(char path[64])
{
	strcpy(path, "/tmp/launchgap-test-XXXXXX");
	if (!mkdtemp(path))
		abort();
}

static int remove_one(const char *path, const struct stat *stat, int type, struct FTW *ftw)
{
	(void)stat, (void)type, (void)ftw;
	return remove(path);
}

void cli_clean(const char *path)
{
	nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

void cli_write(const char *folder, const char *name, const char *text)
{
	FILE *f = fopen(test_text("%s/%s", folder, name), "w");
	if (!f || fputs(text, f) < 0 || fclose(f))
		abort();
}

char *cli_read(const char *file)
{
	FILE *f = fopen(file, "r");
	char *text = NULL;
	size_t bytes = 0;
	if (!f)
		return NULL;
	if (getdelim(&text, &bytes, '\0', f) < 0) { /* empty: what it allocated holds nothing */
		free(text);
		text = strdup("");
	}
	fclose(f);
	return test_keep(text);
}

const char *cli_pack(const char *file, const char *suffix)
{
	const char *packed = test_text("%s%s", file, suffix), *text = cli_read(file);
	const size_t bytes = strlen(text), room = lzma_stream_buffer_bound(bytes);
	if (!strcmp(suffix, ".gz")) {
		gzFile out = gzopen(packed, "wb");
		assert_int_equal(gzwrite(out, text, (unsigned)bytes), bytes);
		assert_int_equal(gzclose(out), Z_OK);
	} else {
		uint8_t *to = (uint8_t *)test_keep(malloc(room));
		size_t end = 0;
		assert_int_equal(lzma_easy_buffer_encode(6, LZMA_CHECK_CRC32, NULL,
		                                         (const uint8_t *)text, bytes, to, &end,
		                                         room),
		                 LZMA_OK);
		FILE *out = fopen(packed, "w");
		assert_int_equal(fwrite(to, 1, end, out), end);
		assert_int_equal(fclose(out), 0);
	}
	unlink(file);
	return packed;
}

pid_t cli_start(const char *folder, const char *const args[])
{
	char *argv[CLI_ARGS + 1] = {getenv("LAUNCHGAP")};
	unsigned n = 1;
	while (args[n - 1] && n < CLI_ARGS) {
		argv[n] = (char *)(size_t)args[n - 1];
		n++;
	}
	char *out = test_text("%s/out", folder);
	pid_t pid = fork();
	if (pid)
		return pid;
	int fd = open(out, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	dup2(fd, 1);
	dup2(fd, 2);
	/* Open MPI's plugins are unmapped before the search for leaks, so that no suppression can
	 * name them; the unit tests check the code that launchgap itself calls. */
	setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
	execv(argv[0] ? argv[0] : "build/launchgap", argv);
	_exit(127);
}

struct cli cli_wait(pid_t pid, const char *folder, unsigned seconds)
{
	struct cli cli = {0};
	char out[512];
	int status = 0;
	struct pollfd end = {.fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN};
	int ready;
	while ((ready = poll(&end, 1, (int)seconds * 1000)) < 0 && errno == EINTR)
		continue;
	if (ready == 0)
		kill(pid, SIGKILL);
	close(end.fd);
	waitpid(pid, &status, 0);
	cli.code = WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
	snprintf(out, sizeof out, "%s/out", folder);
	cli.out = cli_read(out);
	return cli;
}

struct cli cli_run(const char *folder, const char *const args[])
{
	return cli_wait(cli_start(folder, args), folder, 120);
}

struct cli cli_call(const char *folder, ...)
{
	const char *args[CLI_ARGS];
	unsigned n = 0;
	va_list list;
	va_start(list, folder);
	while (n < CLI_ARGS - 1 && (args[n] = va_arg(list, const char *)))
		n++;
	va_end(list);
	args[n] = NULL;
	return cli_run(folder, args);
}

void cli_result(const char *folder, const char *experiment, const char *file, char *path,
                size_t bytes)
{
	struct dirent *entry;
	char *parent = test_text("%s/results/%s", folder, experiment);
	DIR *dir = opendir(parent);
	path[0] = '\0';
	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] == '2')
			snprintf(path, bytes, "%s/%.64s%s%s", parent, entry->d_name,
			         *file ? "/" : "", file);
	if (dir)
		closedir(dir);
}

struct record_run cli_record(const char *path)
{
	struct record_run run;
	assert_works(record_load(path, &run, WHY));
	assert_false(run.torn);
	return *(struct record_run *)test_keep(memcpy(malloc(sizeof run), &run, sizeof run));
}

void cli_scratch(pid_t runner, char *path, size_t bytes)
{
	const struct timespec tick = {0, 1000000};
	path[0] = '\0';
	for (unsigned i = 0; i < 20000 && !path[0]; i++) {
		char file[64], line[4096] = "";
		int child = 0;
		nanosleep(&tick, NULL);
		snprintf(file, sizeof file, "/proc/%d/task/%d/children", (int)runner, (int)runner);
		FILE *f = fopen(file, "r");
		if (!f || fscanf(f, "%d", &child) != 1)
			child = 0;
		if (f)
			fclose(f);
		snprintf(file, sizeof file, "/proc/%d/cmdline", child);
		f = child ? fopen(file, "r") : NULL;
		size_t n = f ? fread(line, 1, sizeof line - 1, f) : 0;
		if (f)
			fclose(f);
		/* The last argument: <scratch>/order. */
		char *end = n ? memmem(line, n, "/order", 6) : NULL, *begin = end;
		while (begin && begin > line && begin[-1])
			begin--;
		if (end)
			snprintf(path, bytes, "%.*s", (int)(end - begin), begin);
	}
}

unsigned cli_processes(const char *word)
{
	struct dirent *entry;
	unsigned found = 0;
	DIR *dir = opendir("/proc");
	while (dir && (entry = readdir(dir))) {
		char line[4096];
		FILE *f = entry->d_name[0] >= '1' && entry->d_name[0] <= '9'
		              ? fopen(test_text("/proc/%s/cmdline", entry->d_name), "r")
		              : NULL;
		size_t n = f ? fread(line, 1, sizeof line - 1, f) : 0;
		found += n && memmem(line, n, word, strlen(word)) != NULL;
		if (f)
			fclose(f);
	}
	if (dir)
		closedir(dir);
	return found;
}

unsigned cli_lines(const char *file)
{
	char *text = cli_read(file);
	unsigned lines = 0;
	for (char *p = text; p && *p; p++)
		lines += *p == '\n';
	return lines;
}

void cli_unsum(char *text)
{
	static const char key[] = ",\"xxh3\":\"";
	const size_t bytes = sizeof key - 1 + 16 + 1; /* key, digits, quote */
	for (char *at = text; (at = strstr(at, key));)
		memmove(at, at + bytes, strlen(at + bytes) + 1);
}

void cli_replace(const char *file, const char *from, const char *to)
{
	char *text = cli_read(file), *at = text ? strstr(text, from) : NULL;
	if (!at)
		fail_msg("%s has no %s", file, from);
	FILE *out = fopen(file, "w");
	assert_non_null(out);
	fprintf(out, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
	assert_int_equal(fclose(out), 0);
}

void cli_edit(const char *file, bool (*edit)(json_t *line, const char *kind))
{
	char *text = cli_read(file), *rest = text, *one;
	FILE *out = fopen(file, "w");
	assert_non_null(text);
	assert_non_null(out);
	while ((one = strsep(&rest, "\n")) && *one) {
		json_t *line = json_loads(one, 0, NULL);
		assert_non_null(line);
		json_object_del(line, "xxh3");
		if (edit(line, json_string_value(json_object_get(line, "kind"))))
			assert_int_equal(
			    json_dumpf(line, out, JSON_COMPACT) | (fputc('\n', out) == EOF), 0);
		json_decref(line);
	}
	assert_int_equal(fclose(out), 0);
}

void cli_expects(struct cli cli, int code, const char *const words[], const char *at, int line)
{
	for (unsigned i = 0; cli.out && words[i]; i++)
		test_says(cli.out, words[i], true, at, line);
	if (!cli.out || (code == CLI_FAILS ? cli.code <= 0 : cli.code != code)) {
		fprintf(stderr, "%s\nexit %d, and %d was wanted\n", cli.out ? cli.out : "nothing",
		        cli.code, code);
		_fail(at, line);
	}
}
