/* Drives a target if there is no libFuzzer, with some of libFuzzer's options: `fuzz_x [-runs=N]
 * [-seed=N] [-artifact_prefix=PATH] FOLDER…`. Each input of the folders runs once, then N of them
 * with changes that depend only on the seed. It is not guided by coverage. */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../harness/coll/value.h"
#include "fuzz.h"

#define ROOM        (1u << 20)
#define HANGS_S     60 /* as libFuzzer is told */
#define MOST_INPUTS 1000

static uint8_t *inputs[MOST_INPUTS];
static size_t input_bytes[MOST_INPUTS];
static unsigned ninputs;
static uint8_t now[ROOM]; /* what runs */
static size_t now_bytes;
static uint64_t state;
static char found[PATH_MAX] = "crash"; /* where an input that breaks something is written */

static unsigned roll(unsigned sides)
{
	state = value_mix(state);
	return (unsigned)(state >> 32) % (sides ? sides : 1);
}

/* One change as libFuzzer makes them: a byte, a digit, a piece that comes twice, goes, or comes
 * from another place. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t bytes, size_t room)
{
	size_t at = roll((unsigned)bytes), n = 1 + roll(16), from;
	if (n > bytes - at)
		n = bytes - at;
	if (!bytes) {
		data[0] = (uint8_t)roll(256);
		return room ? 1 : 0;
	}
	switch (roll(6)) {
	case 0:
		data[at] ^= (uint8_t)(1u << roll(8));
		return bytes;
	case 1:
		data[at] = (uint8_t)roll(256);
		return bytes;
	case 2:
		data[at] = (uint8_t)('0' + roll(10));
		return bytes;
	case 3:
		memmove(data + at, data + at + n, bytes - at - n);
		return bytes > n ? bytes - n : bytes;
	case 4:
		if (bytes + n > room)
			return bytes;
		memmove(data + at + n, data + at, bytes - at);
		return bytes + n;
	default:
		from = roll((unsigned)(bytes - n + 1));
		memmove(data + at, data + from, n);
		return bytes;
	}
}

static void on_death(int signal)
{
	int fd = creat(found, 0666);
	if (fd >= 0 && write(fd, now, now_bytes) == (ssize_t)now_bytes)
		dprintf(STDERR_FILENO, "broken by the input in %s\n", found);
	raise(signal);
}

static void watch_death(void)
{
	static const int signals[] = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGALRM};
	struct sigaction action = {.sa_handler = on_death, .sa_flags = (int)SA_RESETHAND};
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		sigaction(signals[i], &action, NULL);
}

static void run_one(void)
{
	alarm(HANGS_S);
	FUZZ_TARGET.run(now, now_bytes);
}

static void read_input(const char *path)
{
	struct stat about;
	FILE *in = fopen(path, "rb");
	fuzz_promise(in && !fstat(fileno(in), &about), "an input can be read");
	if (S_ISREG(about.st_mode) && about.st_size <= ROOM && ninputs < MOST_INPUTS) {
		size_t bytes = (size_t)about.st_size;
		uint8_t *data = malloc(bytes + 1);
		fuzz_promise(data && fread(data, 1, bytes, in) == bytes, "an input can be read");
		inputs[ninputs] = data;
		input_bytes[ninputs++] = bytes;
	}
	fclose(in);
}

static void read_folder(const char *folder)
{
	struct dirent **names;
	int n = scandir(folder, &names, NULL, alphasort);
	fuzz_promise(n >= 0, "a folder of inputs");
	for (int i = 0; i < n; i++) {
		char path[PATH_MAX];
		snprintf(path, sizeof path, "%s/%s", folder, names[i]->d_name);
		if (names[i]->d_name[0] != '.')
			read_input(path);
		free(names[i]);
	}
	free(names);
}

static void take_input(unsigned i)
{
	memcpy(now, inputs[i], input_bytes[i]);
	now_bytes = input_bytes[i];
}

static void change_input(void)
{
	for (unsigned n = 1 + roll(4); n; n--)
		now_bytes = FUZZ_TARGET.mutate
		                ? FUZZ_TARGET.mutate(now, now_bytes, ROOM, roll(UINT_MAX))
		                : LLVMFuzzerMutate(now, now_bytes, ROOM);
}

int main(int argc, char *argv[])
{
	unsigned long runs = 0;
	for (int i = 1; i < argc; i++)
		if (!strncmp(argv[i], "-runs=", 6))
			runs = strtoul(argv[i] + 6, NULL, 10);
		else if (!strncmp(argv[i], "-seed=", 6))
			state = strtoul(argv[i] + 6, NULL, 10);
		else if (!strncmp(argv[i], "-artifact_prefix=", 17))
			snprintf(found, sizeof found, "%scrash", argv[i] + 17);
		else if (argv[i][0] != '-')
			read_folder(argv[i]);
	watch_death();
	for (unsigned i = 0; i < ninputs; i++) {
		take_input(i);
		run_one();
	}
	for (unsigned long n = 0; n < runs && ninputs; n++) {
		take_input(roll(ninputs));
		change_input();
		run_one();
	}
	alarm(0);
	printf("Done %lu runs\n", runs + ninputs);
	for (unsigned i = 0; i < ninputs; i++)
		free(inputs[i]);
	return ninputs ? 0 : 1;
}
