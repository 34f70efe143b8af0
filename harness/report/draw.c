#include "draw.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../sanitize.h"
#include "gnuplot.h"
#include "model.h"

#define NO_PROGRAM 127
#define LATE       (-2)
#define MOST_S     300 /* of a file of plot/; the longest takes seconds */

/* The run's folder within gnuplot, whatever its name. */
#define HERE    "/proc/self/fd/3"
#define HERE_FD 3

/* Runs gnuplot and waits. Returns its exit status; NO_PROGRAM if there is none; LATE if it did not
 * end; -1 if it could not be started or was killed. Its output goes to the file `log`. */
static int run_gnuplot(char *const argv[], const char *dir, const char *log)
{
	pid_t self = getpid(), child = fork();
	if (child < 0)
		return -1;
	if (child == 0) {
		/* Nobody waits for the pictures of a report that was killed. */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != self)
			_exit(NO_PROGRAM - 1);
		int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
		int said = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
		int here = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (nothing < 0 || said < 0 || here < 0 || dup2(nothing, 0) < 0 ||
		    dup2(said, 1) < 0 || dup2(said, 2) < 0 ||
		    (here == HERE_FD ? fcntl(here, F_SETFD, 0) : dup2(here, HERE_FD)) < 0)
			_exit(NO_PROGRAM - 1);
		/* µ and ÷ need UTF-8, numbers a decimal point, whatever the user's locale is. */
		setenv("LC_ALL", "C.UTF-8", 1);
		signal(SIGALRM, SIG_DFL);
		alarm(MOST_S);
		execvp(argv[0], argv);
		_exit(NO_PROGRAM);
	}
	int status;
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status) == SIGALRM ? LATE : -1;
}

static int is_plot(const struct dirent *entry)
{
	return !fnmatch("*.gp", entry->d_name, FNM_PERIOD) && fnmatch("style*", entry->d_name, 0);
}

/* Files of a folder in order of name; frees each name after `use`. */
static int each_file(const char *dir, int (*filter)(const struct dirent *),
                     void (*use)(const char *name, void *arg), void *arg)
{
	struct dirent **names;
	int n = scandir(dir, &names, filter, alphasort);
	for (int i = 0; i < n; i++) {
		use(names[i]->d_name, arg);
		free(names[i]);
	}
	if (n >= 0)
		free(names);
	return n;
}

/* Paths are absolute: gnuplot takes a name that begins with < or | for a command. It gets the run's
 * folder as a descriptor, so that its input contains no name of the user's. Pictures are drawn into
 * a folder of this report alone, and then moved to plots/: gnuplot would write through a link
 * there. plots/pictures.txt, which names them, distinguishes those of an earlier report from what
 * others put there. */
struct job {
	char dir[PATH_MAX], plot_dir[PATH_MAX];
	char plots[PATH_MAX + 8], out[PATH_MAX + 24], log[PATH_MAX + 40], list[PATH_MAX + 40];
	struct model_pictures *result;
	bool late; /* gnuplot did not end: the other pictures are not tried */
};

static int is_file(const struct dirent *entry)
{
	return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

static void remove_from(const char *name, void *folder)
{
	char path[PATH_MAX + 1024];
	snprintf(path, sizeof path, "%s/%s", (const char *)folder, name);
	unlink(path);
}

#define DRAWN ".drawn-"

/* The folder, open and locked; a lock dies with its report. −1: another report holds it, or it is
 * gone. If locks are not available it is open without one; `must` says that this is not enough. */
static int lock_drawn(const char *path, bool must)
{
	struct stat open_one, named;
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -1;
	if ((flock(fd, LOCK_EX | LOCK_NB) && (must || errno == EWOULDBLOCK)) ||
	    fstat(fd, &open_one) || lstat(path, &named) || open_one.st_ino != named.st_ino) {
		close(fd);
		return -1;
	}
	return fd;
}

static int was_drawn_into(const struct dirent *entry)
{
	return !fnmatch(DRAWN "??????", entry->d_name, 0);
}

/* Removes the leftovers of a killed report. */
static void sweep_drawn(const char *name, void *arg)
{
	const struct job *job = arg;
	char path[PATH_MAX + 512];
	snprintf(path, sizeof path, "%s/%s", job->plots, name);
	int fd = lock_drawn(path, true);
	if (fd < 0)
		return;
	each_file(path, is_file, remove_from, path);
	rmdir(path);
	close(fd);
}

/* A folder of this report alone. A sweeper may take it before it is locked: then another one. */
static int make_drawn(struct job *job)
{
	int fd = -1;
	for (unsigned i = 0; i < 100 && fd < 0; i++) {
		snprintf(job->out, sizeof job->out, "%s/" DRAWN "XXXXXX", job->plots);
		if (!mkdtemp(job->out))
			return -1;
		fd = lock_drawn(job->out, false);
	}
	return fd;
}

/* Moves it to its place, unless it is empty: a log if gnuplot printed nothing. */
static void keep_drawn(const char *name, void *arg)
{
	struct job *job = arg;
	struct stat about;
	char from[PATH_MAX + 512], to[PATH_MAX + 512];
	snprintf(from, sizeof from, "%s/%s", job->out, name);
	snprintf(to, sizeof to, "%s/%s", job->plots, name);
	if (!stat(from, &about) && about.st_size > 0)
		rename(from, to);
}

/* An entry of an earlier report's list, if it is a picture of this folder. */
static void remove_earlier(const struct job *job)
{
	static const char *const ends[] = {".png", ".svg"};
	char list[PATH_MAX + 40], line[2048], path[PATH_MAX + 2100];
	snprintf(list, sizeof list, "%s/pictures.txt", job->plots);
	const char *why;
	FILE *in = sanitize_stream(list, 0, &why);
	while (in && fgets(line, sizeof line, in)) {
		line[strcspn(line, "\t\n")] = '\0';
		if (!line[0] || line[0] == '.' || strchr(line, '/'))
			continue;
		for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
			snprintf(path, sizeof path, "%s/%s%s", job->plots, line, ends[i]);
			unlink(path);
		}
	}
	if (in)
		fclose(in);
	unlink(list);
	snprintf(list, sizeof list, "%s/gnuplot.log", job->plots);
	unlink(list);
}

static void draw_file(const char *name, void *arg)
{
	struct job *job = arg;
	if (job->late)
		return;
	char file[PATH_MAX + 512], plot_dir[2 * PATH_MAX], set[3 * PATH_MAX];
	gnuplot_quote(job->plot_dir, plot_dir, sizeof plot_dir);
	snprintf(file, sizeof file, "%s/%s", job->plot_dir, name);
	snprintf(set, sizeof set, "dir='" HERE "'; plot_dir=%s; out='" HERE "/plots%s'", plot_dir,
	         strrchr(job->out, '/'));
	/* -d: the pictures look the same, whatever the user has in his own start file. */
	char *argv[] = {
	    "gnuplot",       "-d", "-e", set,  "-e",           "format='png'", file, "-e",
	    "reset session", "-e", set,  "-e", "format='svg'", file,           NULL};
	int rc = run_gnuplot(argv, job->dir, job->log);
	job->late = rc == LATE;
	if (job->late)
		snprintf(
		    job->result->warning, sizeof job->result->warning,
		    "%.100s and what follows it were not drawn: gnuplot did not end within %d s",
		    name, MOST_S);
	if (rc != 0 && !job->result->warning[0])
		snprintf(job->result->warning, sizeof job->result->warning,
		         "%.100s was not drawn: gnuplot ended with status %d, and what it said "
		         "is in "
		         "plots/gnuplot.log; gnuplot 5.4 or later with the pngcairo terminal "
		         "is needed",
		         name, rc);
}

static bool is_drawn(const struct job *job, const char *name, const char *end)
{
	struct stat about;
	char path[PATH_MAX + 512];
	snprintf(path, sizeof path, "%s/%s%s", job->out, name, end);
	return !stat(path, &about) && about.st_size > 0;
}

/* As they stand on the page, then the others by name. */
static int by_place(const void *a, const void *b)
{
	const struct model_picture *one = a, *other = b;
	return one->shown != other->shown ? (one->shown - 1 < other->shown - 1 ? -1 : 1)
	                                  : strcmp(one->name, other->name);
}

/* The list that the files of plot/ have written: one line per picture, with name, title and caption
 * separated by tabs. */
static void take_list(struct job *job)
{
	struct model_pictures *result = job->result;
	char line[2048], *rest;
	FILE *in = fopen(job->list, "r");
	while (in && fgets(line, sizeof line, in) && result->npictures < MODEL_PICTURES) {
		struct model_picture *picture = &result->pictures[result->npictures];
		line[strcspn(line, "\n")] = '\0';
		rest = line;
		const char *name = strsep(&rest, "\t"), *title = strsep(&rest, "\t");
		if (!title || !is_drawn(job, name, ".png") || !is_drawn(job, name, ".svg"))
			continue;
		snprintf(picture->name, sizeof picture->name, "%s", name);
		snprintf(picture->title, sizeof picture->title, "%s", title);
		snprintf(picture->caption, sizeof picture->caption, "%s", rest ? rest : "");
		result->npictures++;
	}
	if (in)
		fclose(in);
	qsort(result->pictures, result->npictures, sizeof *result->pictures, by_place);
}

#define SHOWN_MOST 6 /* on the page */

static bool is_named(const struct model_picture *picture, const char *name)
{
	const size_t all = strlen(picture->name), end = strlen(name);
	return all > end && picture->name[all - end - 1] == '_' &&
	       !strcmp(picture->name + all - end, name);
}

/* The picture of the experiment's finding: a chapter says front of it, so that speeds that are not
 * compared have none. And the first that chapters name for the page. That of another chapter than
 * the headline's is none if this has its own, which has too little to be drawn. */
static int find_answer(struct model_pictures *result, const struct story *story)
{
	unsigned shown = 0, best = 0, rank;
	int answer = -1;
	bool own = false;
	for (unsigned k = 0; k < story->npictures; k++) {
		const bool says = story_says_headline(story, story->pictures[k].chapter);
		own |= says && story->pictures[k].front;
		for (unsigned i = 0; i < result->npictures; i++) {
			struct model_picture *one = &result->pictures[i];
			if (!is_named(one, story->pictures[k].name))
				continue;
			rank = story->pictures[k].front * (1 + says);
			answer = rank > best ? (int)i : answer;
			best = rank > best ? rank : best;
			if (!one->shown && shown < SHOWN_MOST)
				one->shown = ++shown + 1;
		}
	}
	for (unsigned i = 0; i < result->npictures && shown < SHOWN_MOST; i++)
		if (!result->pictures[i].shown)
			result->pictures[i].shown = ++shown + 1;
	if (answer >= 0)
		result->pictures[answer].shown = 1; /* the others have the places from 2 on */
	qsort(result->pictures, result->npictures, sizeof *result->pictures, by_place);
	return best > own ? 0 : -1;
}

static void draw_all(struct job *job, const struct story *story)
{
	char *argv[] = {"gnuplot", "--version", NULL};
	const int rc = run_gnuplot(argv, job->dir, "/dev/null");
	if (rc == LATE) {
		snprintf(job->result->warning, sizeof job->result->warning,
		         "no pictures: gnuplot did not end within %d s", MOST_S);
		return;
	}
	if (rc == NO_PROGRAM) {
		snprintf(job->result->warning, sizeof job->result->warning,
		         "no pictures, for there is no gnuplot here: install it (apt-get install "
		         "gnuplot-nox) and draw them: launchgap report");
		return;
	}
	each_file(job->plots, was_drawn_into, sweep_drawn, job);
	int fd = make_drawn(job);
	if (fd < 0) {
		snprintf(job->result->warning, sizeof job->result->warning,
		         "no pictures: cannot make a folder in plots: %s", strerror(errno));
		return;
	}
	snprintf(job->log, sizeof job->log, "%s/gnuplot.log", job->out);
	snprintf(job->list, sizeof job->list, "%s/pictures.txt", job->out);
	if (each_file(job->plot_dir, is_plot, draw_file, job) <= 0)
		snprintf(job->result->warning, sizeof job->result->warning,
		         "no pictures: %.300s holds no .gp file",
		         *job->plot_dir ? job->plot_dir
		                        : "no folder plot, beside the program or here,");
	take_list(job);
	remove_earlier(job);
	each_file(job->out, is_file, keep_drawn, job);
	each_file(job->out, is_file, remove_from, job->out);
	rmdir(job->out);
	close(fd);
	job->result->answer = find_answer(job->result, story);
}

static int make_plots(const struct job *job, struct status *st)
{
	struct stat about;
	if (mkdir(job->plots, 0777) && errno != EEXIST)
		return status_set(st, "cannot make the folder %s: %s", job->plots, strerror(errno));
	if (lstat(job->plots, &about) || !S_ISDIR(about.st_mode))
		return status_set(st,
		                  "%s is a link, or no folder: a report writes into its run's own "
		                  "folder alone. Remove it",
		                  job->plots);
	return 0;
}

int draw_pictures(struct model *model, const char *dir, const char *plot_dir, struct status *st)
{
	struct job *job = ARENA_NEW(model->arena, struct job);
	unsigned variants = 0;
	model->drawn = (struct model_pictures){.answer = -1};
	job->result = &model->drawn;
	if (strlen(dir) + sizeof "/plots/timeline.csv" > PATH_MAX)
		return status_set(st, "the path %.60s… is too long", dir);
	if (!realpath(dir, job->dir))
		return status_set(st, "cannot find the folder %s: %s", dir, strerror(errno));
	if (!realpath(plot_dir, job->plot_dir)) /* what is missing is a warning */
		snprintf(job->plot_dir, sizeof job->plot_dir, "%s", plot_dir);
	snprintf(job->plots, sizeof job->plots, "%s/plots", job->dir);
	if (make_plots(job, st) || gnuplot_write(model, job->plots, &variants, st))
		return -1;
	if (variants)
		draw_all(job, &model->story);
	else
		snprintf(model->drawn.warning, sizeof model->drawn.warning,
		         "no pictures, for no cell was measured");
	return 0;
}
