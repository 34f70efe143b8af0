#include "folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <math.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "../memory.h"
#include "../record/record_file.h"

/* --- locks --- */

static void write_holder(int fd)
{
	char host[64] = "", since[32];
	gethostname(host, sizeof host - 1);
	status_utc(STATUS_UTC, since);
	/* A full disk may cut this text. It only informs: the kernel holds the lock. */
	if (!ftruncate(fd, 0))
		dprintf(fd, "process %d on %s since %s\n", (int)getpid(), host, since);
}

#define LOCK_ELSEWHERE 1 /* another process has it */

static int say_holder(int fd, struct status *st)
{
	char text[128];
	ssize_t n = pread(fd, text, sizeof text - 1, 0);
	text[n > 0 ? n : 0] = '\0';
	text[strcspn(text, "\n")] = '\0';
	status_set(st, "%s", text[0] ? text : "another process");
	return LOCK_ELSEWHERE;
}

/* Whether the name still leads to the open file: its last holder may have removed it meanwhile. */
static bool is_current(int fd, const char *file)
{
	struct stat open, named;
	return !fstat(fd, &open) && !lstat(file, &named) && open.st_ino == named.st_ino &&
	       open.st_dev == named.st_dev;
}

/* Takes it without waiting. LOCK_ELSEWHERE: st names the holder as the file does ("process 7 on
 * host h since …"). -1 with a sentence: this file cannot be locked. Programs that are started
 * later do not inherit it. */
static int lock_take(const char *file, struct lock *out, struct status *st)
{
	for (;;) {
		int fd = open(file, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
		if (fd < 0)
			return status_set(st, "cannot lock %s: %s", file, strerror(errno));
		if (flock(fd, LOCK_EX | LOCK_NB)) {
			int result = errno == EWOULDBLOCK ? say_holder(fd, st)
			                                  : status_set(st, "cannot lock %s: %s",
			                                               file, strerror(errno));
			close(fd);
			return result;
		}
		if (is_current(fd, file)) {
			write_holder(fd);
			*out = (struct lock){.held = true, .fd = fd};
			snprintf(out->file, sizeof out->file, "%s", file);
			return 0;
		}
		close(fd);
	}
}

/* Removes the file and unlocks. A lock that is not held is allowed. */
static void lock_leave(struct lock *lock)
{
	if (!lock->held)
		return;
	unlink(lock->file);
	close(lock->fd);
	lock->held = false;
}

/* --- folders --- */

static int make_folder(const char *path, struct status *st)
{
	if (mkdir(path, 0777) && errno != EEXIST)
		return status_set(st, "cannot make the results folder %s: %s", path,
		                  strerror(errno));
	return 0;
}

static int make_parents(const char *path, struct status *st)
{
	char part[PATH_MAX];
	snprintf(part, sizeof part, "%s", path);
	for (char *p = part + 1; *p; p++) {
		if (*p != '/')
			continue;
		*p = '\0';
		if (make_folder(part, st))
			return -1;
		*p = '/';
	}
	return make_folder(part, st);
}

/* A new folder named by the time; two runs in one second get -2, -3 … */
static int make_stamped(const char *root, const char *experiment, char *path, size_t bytes,
                        struct status *st)
{
	char parent[PATH_MAX / 2], stamp[32];
	status_utc("%Y%m%dT%H%M%SZ", stamp);
	if ((size_t)snprintf(parent, sizeof parent, "%s/%s", root, experiment) >= sizeof parent)
		return status_set(st, "the results folder's name is too long: %s", root);
	if (make_parents(parent, st))
		return -1;
	for (int n = 1; n < 100; n++) {
		snprintf(path, bytes, n == 1 ? "%s/%s" : "%s/%s-%d", parent, stamp, n);
		if (!mkdir(path, 0777))
			return 0;
		if (errno != EEXIST)
			break;
	}
	return status_set(st, "cannot make the results folder %s: %s", path, strerror(errno));
}

static int remove_one(const char *path, const struct stat *stat, int type, struct FTW *ftw)
{
	(void)stat, (void)type, (void)ftw;
	return remove(path);
}

static void remove_tree(const char *path)
{
	nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

#define SCRATCH "launchgap-"

/* Removes a scratch folder whose owner has died. The owner holds a lock in it while it lives, in
 * whatever container. Folders of other users stay, and those without an owner: they are another
 * program's, or too new to have one. */
static void sweep_one(const char *path)
{
	char file[80];
	struct stat about;
	struct lock owner;
	struct status ignored = {""};
	snprintf(file, sizeof file, "%s/owner", path);
	if (lstat(path, &about) || !S_ISDIR(about.st_mode) || about.st_uid != geteuid() ||
	    access(file, F_OK) || lock_take(file, &owner, &ignored))
		return;
	remove_tree(path);
	lock_leave(&owner);
}

static void sweep(const char *place)
{
	DIR *dir = opendir(place);
	struct dirent *entry;
	while (dir && (entry = readdir(dir))) {
		char path[64];
		if (strncmp(entry->d_name, SCRATCH, sizeof SCRATCH - 1) != 0 ||
		    strlen(entry->d_name) != strlen(SCRATCH "XXXXXX"))
			continue;
		snprintf(path, sizeof path, "%s/%.40s", place, entry->d_name);
		sweep_one(path);
	}
	if (dir)
		closedir(dir);
}

/* A sweeper may take it before it is locked: then another one. Without locks nobody sweeps. */
static bool make_scratch(struct folder *folder, const char *place)
{
	char file[sizeof folder->scratch + 8];
	struct status ignored = {""};
	for (unsigned i = 0; i < 100; i++) {
		snprintf(folder->scratch, sizeof folder->scratch, "%s/" SCRATCH "XXXXXX", place);
		if (!mkdtemp(folder->scratch))
			break;
		snprintf(file, sizeof file, "%s/owner", folder->scratch);
		const int taken = lock_take(file, &folder->owner, &ignored);
		if (!taken || (taken != LOCK_ELSEWHERE && !access(file, F_OK)))
			return true;
	}
	folder->scratch[0] = '\0';
	return false;
}

int folder_open_scratch(struct folder *folder, size_t bytes, struct status *st)
{
	static const char *const places[] = {"/dev/shm", "/tmp"};
	const double mib = (double)bytes / (1 << 20);
	char full[200] = "";
	for (unsigned i = 0; i < sizeof places / sizeof *places; i++) {
		char one[80];
		struct statvfs fs;
		sweep(places[i]);
		const double room = statvfs(places[i], &fs)
		                        ? INFINITY /* the system does not say */
		                        : (double)fs.f_bavail * (double)fs.f_frsize / (1 << 20);
		if (room >= mib && make_scratch(folder, places[i])) {
			if (full[0])
				status_say(
				    "the jobs' files go to %s: they take up to %.1f MiB, and %s",
				    places[i], mib, full);
			return 0;
		}
		if (room < mib)
			snprintf(one, sizeof one, "%s has %.1f MiB free", places[i], room);
		else
			snprintf(one, sizeof one, "%s: %s", places[i], strerror(errno));
		status_list(full, sizeof full, one);
	}
	return status_set(st,
	                  "cannot make a scratch folder: the jobs' files take up to %.1f MiB, and "
	                  "%s (in a container: docker run --shm-size=1g)",
	                  mib, full);
}

int folder_hold(const char *resume, struct folder *folder, struct status *st)
{
	struct status holder = {""};
	char file[PATH_MAX + 8];
	/* By its real name: through "latest" it would become a link to itself. */
	if (!realpath(resume, folder->path))
		return status_set(st, "cannot resume %s: %s", resume, strerror(errno));
	snprintf(file, sizeof file, "%s/lock", folder->path);
	int result = lock_take(file, &folder->lock, &holder);
	if (result == LOCK_ELSEWHERE)
		return status_set(st, "%s is being written by %s; resume it when that has ended",
		                  folder->path, holder.text);
	return result ? status_set(st, "%s", holder.text) : 0;
}

static int open_record(struct folder *folder, bool resumes, struct status *st)
{
	char file[PATH_MAX + 16];
	snprintf(file, sizeof file, "%s/trials.jsonl", folder->path);
	if (resumes && record_file_unpack(folder->path, st))
		return -1;
	folder->record = open(
	    file, O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW | (resumes ? 0 : O_CREAT | O_EXCL),
	    0666);
	if (folder->record < 0)
		return status_set(st, "cannot write %s: %s", file, strerror(errno));
	if (record_file_settle(folder->record, &folder->kept)) {
		status_set(st, "cannot append to %s: %s", file, strerror(errno));
		close(folder->record);
		return -1;
	}
	return 0;
}

int folder_open(const char *root, const char *experiment, size_t scratch_bytes,
                struct folder *folder, struct status *st)
{
	bool resumes = folder->lock.held;
	char path[PATH_MAX];
	if (!resumes && (make_stamped(root, experiment, path, sizeof path, st) ||
	                 folder_hold(path, folder, st)))
		return -1;
	if (open_record(folder, resumes, st))
		return -1;
	folder->trials = memory_have(open_memstream(&folder->lines, &folder->lines_bytes));
	/* After an error folder_close closes the rest. */
	return folder_open_scratch(folder, scratch_bytes, st);
}

#define NOTHING_BYTES 4096 /* nothing is written to the scratch folder */

int folder_reopen(const char *dir, struct folder *folder, struct status *st)
{
	return folder_hold(dir, folder, st) || folder_open("", "", NOTHING_BYTES, folder, st) ? -1
	                                                                                      : 0;
}

/* Whether the record is as this run left it: the same file, with this length. */
static int check_record(const struct folder *folder, off_t bytes, struct status *st)
{
	struct stat open;
	char file[PATH_MAX + 16];
	snprintf(file, sizeof file, "%s/trials.jsonl", folder->path);
	const char *what = !is_current(folder->record, file) || fstat(folder->record, &open)
	                       ? "removed"
	                   : open.st_size < bytes ? "cut"
	                   : open.st_size > bytes ? "written to"
	                                          : NULL;
	return what ? status_set(st,
	                         "another program has %s %s during the run: the run ends, and the "
	                         "record is incomplete",
	                         what, file)
	            : 0;
}

/* A write() per line: a reader sees half a line only when the disk is full. */
static int write_lines(const struct folder *folder)
{
	const char *line = folder->lines, *end = line + folder->lines_bytes;
	while (line < end) {
		const char *newline = memchr(line, '\n', (size_t)(end - line));
		size_t bytes = (size_t)((newline ? newline + 1 : end) - line);
		ssize_t n = write(folder->record, line, bytes);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
		line += n;
	}
	return fsync(folder->record);
}

static int commit_lines(struct folder *folder, struct status *st)
{
	off_t more = (off_t)folder->lines_bytes;
	if (check_record(folder, folder->kept, st))
		return -1;
	if (!write_lines(folder)) {
		if (check_record(folder, folder->kept + more, st))
			return -1;
		folder->kept += more;
		return 0;
	}
	status_set(st,
	           "cannot write to %s/trials.jsonl: %s; what was measured before is kept there",
	           folder->path, strerror(errno));
	/* Cut off torn lines. If that fails too, readers drop a torn last line. */
	if (ftruncate(folder->record, folder->kept))
		status_set(st, "cannot cut %s/trials.jsonl back: %s", folder->path,
		           strerror(errno));
	return -1;
}

int folder_commit(struct folder *folder, struct status *st)
{
	int result = fflush(folder->trials) || ferror(folder->trials)
	                 ? status_set(st, "out of memory for the record")
	                 : commit_lines(folder, st);
	rewind(folder->trials); /* the memory file's length is its position */
	return result;
}

int folder_append(struct folder *folder, const char *file, struct status *st)
{
	char buffer[1 << 16];
	size_t n;
	FILE *in = fopen(file, "re");
	if (!in)
		return status_set(st, "cannot read the trial's lines in %s: %s", file,
		                  strerror(errno));
	while ((n = fread(buffer, 1, sizeof buffer, in)) > 0)
		if (fwrite(buffer, 1, n, folder->trials) < n)
			break;
	fclose(in);
	return 0;
}

int folder_set_latest(const struct folder *folder, struct status *st)
{
	char link[PATH_MAX], fresh[PATH_MAX + 16];
	const char *name = strrchr(folder->path, '/');
	if (!name)
		return 0;
	snprintf(link, sizeof link, "%.*s/latest", (int)(name - folder->path), folder->path);
	/* A unique name: two runs may end at once. */
	snprintf(fresh, sizeof fresh, "%s.%d", link, (int)getpid());
	unlink(fresh);
	if (symlink(name + 1, fresh) || rename(fresh, link))
		return status_set(st, "cannot point %s to %s: %s", link, name + 1, strerror(errno));
	return 0;
}

void folder_close(struct folder *folder)
{
	if (folder->trials) {
		fclose(folder->trials);
		close(folder->record);
	}
	folder->trials = NULL;
	free(folder->lines);
	folder->lines = NULL;
	lock_leave(&folder->lock);
	if (folder->scratch[0])
		remove_tree(folder->scratch);
	lock_leave(&folder->owner);
}
