#include "fault_target.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "cli.h"
#include "test.h"

/* The environment of a process; its bytes. */
static size_t environment(const char *pid, char text[16384])
{
	int fd = open(test_text("/proc/%s/environ", pid), O_RDONLY);
	ssize_t n = fd < 0 ? -1 : read(fd, text, 16384);
	close(fd);
	return n > 0 ? (size_t)n : 0;
}

static const char *value_of(const char *text, size_t bytes, const char *key)
{
	const size_t length = strlen(key);
	for (const char *at = text; at < text + bytes;
	     at += strnlen(at, (size_t)(text + bytes - at)) + 1)
		if ((size_t)(text + bytes - at) > length && !strncmp(at, key, length))
			return at + length;
	return "";
}

/* The next process with this shot's environment, and of `host` if it is givenand its parent. */
static pid_t next_process(const char *folder, const char *host, DIR *proc, pid_t *parent)
{
	struct dirent *entry;
	while ((entry = readdir(proc))) {
		char file[300], text[16384] = "";
		if (entry->d_name[0] < '1' || entry->d_name[0] > '9')
			continue;
		size_t n = environment(entry->d_name, text);
		if (strcmp(value_of(text, n, "FAULT_FOLDER="), folder) ||
		    (host && strcmp(value_of(text, n, "LAUNCHGAP_HOST="), host)))
			continue;
		snprintf(file, sizeof file, "/proc/%s/stat", entry->d_name);
		char *stat = cli_read(file), *name = stat ? strrchr(stat, ')') : NULL, state;
		bool there = name && sscanf(name, ") %c %d", &state, parent) == 2 && state != 'Z';
		if (there)
			return atoi(entry->d_name);
	}
	return 0;
}

unsigned target_left(const char *folder)
{
	DIR *proc = opendir("/proc");
	unsigned n = 0;
	pid_t parent;
	while (next_process(folder, NULL, proc, &parent))
		n++;
	closedir(proc);
	return n;
}

/* The runner's job: of processes, mpirun. */
pid_t target_job(const char *folder, pid_t runner)
{
	DIR *proc = opendir("/proc");
	pid_t pid, parent = 0;
	while ((pid = next_process(folder, NULL, proc, &parent)) && parent != runner)
		continue;
	closedir(proc);
	return pid;
}

/* All processes of one of the simulated hosts. */
void target_signal(const char *folder, const char *host, int signal)
{
	DIR *proc = opendir("/proc");
	pid_t pid, parent = 0;
	while ((pid = next_process(folder, host, proc, &parent)))
		kill(pid, signal);
	closedir(proc);
}

/* At the door where the processes of the job meet: some say nothing and go, some say nothing and
 * stay, and some say what is no greeting. */
unsigned target_strangers(pid_t process)
{
	char text[16384], noise[64];
	int stay[64];
	unsigned seed = 1, port = 0, came = 0;
	memset(stay, -1, sizeof stay);
	size_t n = environment(test_text("%d", (int)process), text);
	sscanf(value_of(text, n, "LAUNCHGAP_SEAT="), "%*d %*s 127.0.0.1:%u", &port);
	const struct sockaddr_in at = {.sin_family = AF_INET,
	                               .sin_port = htons((uint16_t)port),
	                               .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	for (unsigned i = 0; i < TARGET_STRANGERS; i++) {
		int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
		came += !connect(fd, (const struct sockaddr *)&at, sizeof at);
		for (unsigned k = 0; k < sizeof noise; k++)
			noise[k] = (char)rand_r(&seed);
		if (i % 3)
			send(fd, noise, sizeof noise, MSG_NOSIGNAL | MSG_DONTWAIT);
		close(stay[i % 64]);
		stay[i % 64] = fd;
	}
	for (unsigned i = 0; i < 64; i++)
		close(stay[i]);
	return came;
}

/* Among the hosts of the rig, where this process is not: `launchgap` there waits for it. */
bool target_link(const char *folder, const char *what)
{
	const char *done = test_text("%s/done", folder);
	cli_write(folder, "do", test_text("hostlink %s; touch %s\n", what, done));
	for (unsigned i = 0; i < 2000 && access(done, F_OK); i++)
		nanosleep(&(struct timespec){0, 5000000}, NULL);
	return !access(done, F_OK);
}

/* In place of the program: it among two hosts, and beside it what may take their link away. Nothing
 * of the job may be left when it has ended; with these hosts all would go. */
static const char on_rig[] = "#!/bin/sh\n"
                             "exec tests/rig/hosts 2 -- sh -c '\n"
                             "(. $FAULT_FOLDER/do) &\n"
                             "beside=$!\n"
                             "on hosta \"$@\"\n"
                             "code=$?\n"
                             "kill $beside 2>/dev/null\n"
                             "for i in $(seq 100); do grep -qsz \"^worker$\" /proc/[0-9]*/cmdline "
                             "|| exit $code; sleep 0.1; done\n"
                             "exit 99' sh '%s' \"$@\"\n";

/* false: this machine has no such hosts. */
bool target_on_rig(const char *folder)
{
	cli_write(folder, "launchgap", test_text(on_rig, getenv("LAUNCHGAP")));
	char *file = test_text("%s/launchgap", folder);
	chmod(file, 0700);
	mkfifo(test_text("%s/do", folder), 0600);
	setenv("OMPI_MCA_plm_rsh_agent", "agent", 1);
	setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
	setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
	setenv("LAUNCHGAP", file, 1);
	return !system("tests/rig/hosts 2 -- which mpirun >/dev/null 2>&1");
}
