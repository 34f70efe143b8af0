#include "folder.h"

#include <errno.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

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
	time_t now = time(NULL);
	struct tm utc;
	gmtime_r(&now, &utc);
	strftime(stamp, sizeof stamp, "%Y%m%dT%H%M%SZ", &utc);
	if ((size_t)snprintf(parent, sizeof parent, "%s/%s", root, experiment) >= sizeof parent)
		return status_set(st, "the results folder's name is too long: %s", root);
	if (make_parents(parent, st))
		return -1;
	for (int n = 1; n < 100; n++) {
		if (n == 1)
			snprintf(path, bytes, "%s/%s", parent, stamp);
		else
			snprintf(path, bytes, "%s/%s-%d", parent, stamp, n);
		if (!mkdir(path, 0777))
			return 0;
		if (errno != EEXIST)
			break;
	}
	return status_set(st, "cannot make the results folder %s: %s", path, strerror(errno));
}

int folder_open_scratch(struct folder *folder, struct status *st)
{
	static const char *const places[] = {"/dev/shm", "/tmp"};
	for (unsigned i = 0; i < sizeof places / sizeof *places; i++) {
		snprintf(folder->scratch, sizeof folder->scratch, "%s/launchgap-XXXXXX",
		         places[i]);
		if (mkdtemp(folder->scratch))
			return 0;
	}
	folder->scratch[0] = '\0';
	return status_set(st, "cannot make a scratch folder in /dev/shm or /tmp: %s",
	                  strerror(errno));
}

/* A line that was torn when the run before was stopped is cut off. */
static int seek_behind_whole_lines(FILE *f, long *kept)
{
	if (fseek(f, 0, SEEK_END) || (*kept = ftell(f)) < 0)
		return -1;
	while (*kept > 0) {
		if (fseek(f, *kept - 1, SEEK_SET))
			return -1;
		if (getc(f) == '\n')
			break;
		--*kept;
	}
	return ftruncate(fileno(f), *kept) || fseek(f, *kept, SEEK_SET) ? -1 : 0;
}

int folder_open(const char *root, const char *experiment, const char *resume,
                struct folder *out, struct status *st)
{
	struct folder folder = {0};
	char file[PATH_MAX + 16];
	/* By its own name: as "latest" it would be made a link to itself. */
	if (resume && !realpath(resume, folder.path))
		return status_set(st, "cannot resume %s: %s", resume, strerror(errno));
	if (!resume && make_stamped(root, experiment, folder.path, sizeof folder.path, st))
		return -1;
	snprintf(file, sizeof file, "%s/trials.jsonl", folder.path);
	folder.trials = fopen(file, resume ? "r+e" : "wxe");
	if (!folder.trials)
		return status_set(st, "cannot write %s: %s", file, strerror(errno));
	if (seek_behind_whole_lines(folder.trials, &folder.kept))
		status_set(st, "cannot append to %s: %s", file, strerror(errno));
	else if (!folder_open_scratch(&folder, st)) {
		*out = folder;
		return 0;
	}
	fclose(folder.trials);
	return -1;
}

int folder_commit(struct folder *folder, struct status *st)
{
	if (!ferror(folder->trials) && !fflush(folder->trials) &&
	    !fsync(fileno(folder->trials))) {
		folder->kept = ftell(folder->trials);
		return 0;
	}
	status_set(
	    st, "cannot write to %s/trials.jsonl: %s; what was measured before is kept there",
	    folder->path, strerror(errno));
	clearerr(folder->trials);
	/* Cut off the torn lines; should that fail too, the reader drops a torn last line. */
	if (ftruncate(fileno(folder->trials), folder->kept) ||
	    fseek(folder->trials, folder->kept, SEEK_SET))
		status_set(st, "cannot cut %s/trials.jsonl back: %s", folder->path,
		           strerror(errno));
	return -1;
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
	return folder_commit(folder, st);
}

int folder_set_latest(const struct folder *folder, struct status *st)
{
	char link[PATH_MAX], fresh[PATH_MAX + 8];
	const char *name = strrchr(folder->path, '/');
	if (!name)
		return 0;
	snprintf(link, sizeof link, "%.*s/latest", (int)(name - folder->path), folder->path);
	snprintf(fresh, sizeof fresh, "%s.new", link);
	unlink(fresh);
	if (symlink(name + 1, fresh) || rename(fresh, link))
		return status_set(st, "cannot point %s to %s: %s", link, name + 1,
		                  strerror(errno));
	return 0;
}

static int remove_one(const char *path, const struct stat *stat, int type, struct FTW *ftw)
{
	(void)stat, (void)type, (void)ftw;
	return remove(path);
}

void folder_close(struct folder *folder)
{
	if (folder->trials)
		fclose(folder->trials);
	folder->trials = NULL;
	if (folder->scratch[0])
		nftw(folder->scratch, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}
