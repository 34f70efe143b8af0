/* Runs a target's inputs if there is no libFuzzer, with some of its options: `fuzz_x
 * [-artifact_prefix=PATH] FOLDER…`. Each input of the folders runs once, as it is. */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz.h"

#define HANGS_S 60 /* as libFuzzer is told */

static const char *now; /* the input that runs */

/* Its name is all that is kept: it is there. */
static void on_death(int signal)
{
	dprintf(STDERR_FILENO, "broken by the input %s\n", now);
	raise(signal);
}

static void watch_death(void)
{
	static const int signals[] = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGALRM};
	struct sigaction action = {.sa_handler = on_death, .sa_flags = (int)SA_RESETHAND};
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		sigaction(signals[i], &action, NULL);
}

/* Nothing is changed here; targets name it. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t bytes, size_t room)
{
	(void)data, (void)room;
	return bytes;
}

static unsigned run_file(const char *path)
{
	struct stat about;
	FILE *in = fopen(path, "rb");
	fuzz_promise(in && !fstat(fileno(in), &about), "an input can be read");
	const size_t bytes = (size_t)about.st_size;
	uint8_t *data = malloc(bytes + 1);
	fuzz_promise(data && (S_ISDIR(about.st_mode) || fread(data, 1, bytes, in) == bytes),
	             "an input can be read");
	fclose(in);
	now = path;
	alarm(HANGS_S);
	if (S_ISREG(about.st_mode))
		FUZZ_TARGET.run(data, bytes);
	alarm(0);
	free(data);
	return S_ISREG(about.st_mode);
}

static unsigned run_folder(const char *folder)
{
	struct dirent **names;
	unsigned runs = 0;
	int n = scandir(folder, &names, NULL, alphasort);
	fuzz_promise(n >= 0, "a folder of inputs");
	for (int i = 0; i < n; i++) {
		char path[PATH_MAX];
		snprintf(path, sizeof path, "%s/%s", folder, names[i]->d_name);
		runs += names[i]->d_name[0] != '.' && run_file(path);
		free(names[i]);
	}
	free(names);
	return runs;
}

int main(int argc, char *argv[])
{
	unsigned runs = 0;
	watch_death();
	for (int i = 1; i < argc; i++)
		runs += argv[i][0] == '-' ? 0 : run_folder(argv[i]);
	printf("Done %u runs\n", runs);
	return !runs;
}
