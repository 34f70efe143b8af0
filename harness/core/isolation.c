#include "isolation.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../machine.h"

#define SHM "/dev/shm"

#define HAS(IS, KIND) ((IS)->what & ISOLATE_BIT(KIND))

/* A private /dev/shm, a /proc of its pids and closed device files are mounts. */
static const int flags[ISOLATE_KINDS] = {
    [ISOLATE_UTS] = CLONE_NEWUTS,    [ISOLATE_IPC] = CLONE_NEWIPC,
    [ISOLATE_SHM] = CLONE_NEWNS,     [ISOLATE_PID] = CLONE_NEWPID | CLONE_NEWNS,
    [ISOLATE_DEVICES] = CLONE_NEWNS, [ISOLATE_CGROUP] = CLONE_NEWCGROUP,
};

static int flags_of(unsigned what)
{
	int all = 0;
	for (int kind = 0; kind < ISOLATE_KINDS; kind++)
		all |= what & ISOLATE_BIT(kind) ? flags[kind] : 0;
	return all;
}

static int refuse(unsigned what, int error, const char *doing, struct status *st)
{
	char words[96] = "";
	for (int kind = 0; kind < ISOLATE_KINDS; kind++)
		if (what & ISOLATE_BIT(kind))
			status_list(words, sizeof words, settings_words("isolate")[kind]);
	return status_set(st, "isolate = %s: %s: %s%s", words, doing, strerror(error),
	                  error != EPERM ? ""
	                                 : "; it takes root with CAP_SYS_ADMIN, or a kernel that "
	                                   "lets users create namespaces");
}

static int write_text(const char *file, const char *text)
{
	int fd = open(file, O_WRONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : write(fd, text, strlen(text));
	if (fd >= 0)
		close(fd);
	return n < 0 ? -1 : 0;
}

/* The same user in a new user namespace, which may then create the other kinds. */
static int enter_user(int all)
{
	char users[64], groups[64];
	snprintf(users, sizeof users, "%u %u 1", geteuid(), geteuid());
	snprintf(groups, sizeof groups, "%u %u 1", getegid(), getegid());
	if (unshare(all | CLONE_NEWUSER) || write_text("/proc/self/setgroups", "deny") ||
	    write_text("/proc/self/uid_map", users))
		return -1;
	return write_text("/proc/self/gid_map", groups);
}

/* An empty /dev/shm, in which one folder of the old one may stay visible. */
static int mount_shm(const char *keep)
{
	char through[64];
	int kept =
	    keep && !strncmp(keep, SHM "/", sizeof SHM) ? open(keep, O_PATH | O_CLOEXEC) : -1;
	int failed = mount("tmpfs", SHM, "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777");
	if (kept < 0 || failed)
		return failed;
	snprintf(through, sizeof through, "/proc/self/fd/%d", kept);
	failed = mkdir(keep, 0700) || mount(through, keep, NULL, MS_BIND, NULL);
	close(kept);
	return failed ? -1 : 0;
}

static int is_pci(const struct dirent *entry)
{
	return strchr(entry->d_name, ':') != NULL;
}

/* Makes a device file impossible to open: mounts it on itself, without devices. */
static int close_gpu(const char *pci)
{
	char from[300], file[64], line[128];
	unsigned minor = 0;
	bool found = false;
	snprintf(from, sizeof from, "/proc/driver/nvidia/gpus/%s/information", pci);
	FILE *f = fopen(from, "re");
	while (f && !found && fgets(line, sizeof line, f))
		found = sscanf(line, "Device Minor: %u", &minor) == 1;
	if (f)
		fclose(f);
	snprintf(file, sizeof file, "/dev/nvidia%u", minor);
	if (!found)
		return -1;
	return mount(file, file, NULL, MS_BIND, NULL) ||
	               mount(NULL, file, NULL, MS_BIND | MS_REMOUNT | MS_NODEV, NULL)
	           ? -1
	           : 0;
}

/* The GPUs of other processes, in the order of their PCI addresses, which CUDA has to use too. */
static int close_gpus(unsigned first, unsigned count)
{
	struct dirent **entries = NULL;
	int n = scandir("/proc/driver/nvidia/gpus", &entries, is_pci, alphasort), failed = n < 0;
	for (int i = 0; i < n; i++) {
		bool own = (unsigned)i >= first && (unsigned)i < first + count;
		if (!own && close_gpu(entries[i]->d_name))
			failed = -1;
		free(entries[i]);
	}
	free(entries);
	return failed;
}

/* This process's namespaces, and what is in them. A pid namespace applies to its children. */
static int enter(const struct isolation *is, struct status *st)
{
	int all = flags_of(is->what);
	char name[32];
	if (all && unshare(all) && (errno != EPERM || enter_user(all)))
		return refuse(is->what, errno, "the system refused namespaces", st);
	snprintf(name, sizeof name, "launchgap-%u", is->process);
	if (HAS(is, ISOLATE_UTS) && sethostname(name, strlen(name)))
		return refuse(is->what, errno, "the host name cannot be set", st);
	if (all & CLONE_NEWNS && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		return refuse(is->what, errno, "mounts cannot be made private", st);
	if (HAS(is, ISOLATE_SHM) && mount_shm(is->keep))
		return refuse(is->what, errno, "an empty " SHM " cannot be mounted", st);
	if (HAS(is, ISOLATE_DEVICES) && close_gpus(is->gpu, is->gpus))
		return refuse(is->what, errno, "the files of other GPUs cannot be closed", st);
	return 0;
}

/* --- the child --- */

static void follow(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
}

static void wait_and_end(pid_t pid)
{
	int status = 0;
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		continue;
	_exit(pid < 0 || !WIFEXITED(status) ? 1 : WEXITSTATUS(status));
}

static _Noreturn void live(const struct isolation *is, int (*body)(void *arg, struct status *st),
                           void *arg, struct status *said)
{
	int result = enter(is, said);
	follow(); /* new credentials clear it */
	if (!result && HAS(is, ISOLATE_PID)) {
		pid_t pid = fork();
		if (pid)
			wait_and_end(pid);
		follow();
		/* CUDA does not start if /proc shows it under another pid. */
		if (mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL))
			result = refuse(is->what, errno, "its /proc cannot be mounted", said);
	}
	/* CUDA does not count closed devices. */
	if (HAS(is, ISOLATE_DEVICES))
		machine_show_gpus(0, 0);
	else if (is->own_gpus)
		machine_show_gpus(is->gpu, is->gpus);
	machine_part_logs(is->process);
	_exit(result || (body && body(arg, said)) ? 1 : 0);
}

int isolation_run(const struct isolation *is, int (*body)(void *arg, struct status *st), void *arg,
                  struct status *st)
{
	struct status *said =
	    mmap(NULL, sizeof *said, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int status = 0, result = -1;
	if (said == MAP_FAILED)
		return status_set(st, "no memory for the isolated process: %s", strerror(errno));
	fflush(NULL);
	const pid_t self = getpid(), pid = fork();
	if (pid == 0) {
		follow();
		if (getppid() != self)
			_exit(126);
		live(is, body, arg, said);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		continue;
	if (pid < 0)
		status_set(st, "cannot start the isolated process: %s", status_unstarted(errno));
	else if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		result = 0;
	else if (said->text[0])
		status_set(st, "%s", said->text);
	else if (WIFSIGNALED(status))
		status_set(st, "the isolated process was killed by signal %d (%s)",
		           WTERMSIG(status), strsignal(WTERMSIG(status)));
	else
		status_set(st, "the isolated process exited without output");
	munmap(said, sizeof *said);
	return result;
}

int isolation_possible(unsigned what, struct status *st)
{
	const struct isolation is = {.what = what, .gpus = UINT_MAX};
	return isolation_run(&is, NULL, NULL, st);
}

/* --- for the record --- */

void isolation_describe(char *text, size_t bytes)
{
	static const char *const links[] = {"uts", "ipc", "mnt", "pid", "cgroup", "user"};
	struct utsname host = {0};
	struct stat shm = {0};
	uname(&host);
	stat(SHM, &shm);
	snprintf(text, bytes, "host=%s shm=%u:%u", host.nodename, major(shm.st_dev),
	         minor(shm.st_dev));
	for (unsigned i = 0; i < sizeof links / sizeof *links; i++) {
		char file[64], to[64] = "";
		snprintf(file, sizeof file, "/proc/self/ns/%s", links[i]);
		if (readlink(file, to, sizeof to - 1) > 0)
			status_add(text, bytes, " %s=%.*s", links[i],
			           (int)strcspn(to + strcspn(to, "[") + 1, "]"),
			           to + strcspn(to, "[") + 1);
	}
}
