#include "draw.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "calls.h"
#include "run_gp.h"

#define NO_PROGRAM 127

/* Runs gnuplot and waits. Its exit status; NO_PROGRAM when there is none; -1 when it could not
 * be started or was killed. What it prints goes to the file `log`. */
static int run_gnuplot(char *const argv[], const char *log)
{
	pid_t child = fork();
	if (child < 0)
		return -1;
	if (child == 0) {
		int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
		int said = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
		if (nothing < 0 || said < 0 || dup2(nothing, 0) < 0 || dup2(said, 1) < 0 ||
		    dup2(said, 2) < 0)
			_exit(NO_PROGRAM - 1);
		/* µ and ÷ want UTF-8, numbers the point, whatever the user's locale is. */
		setenv("LC_ALL", "C.UTF-8", 1);
		execvp(argv[0], argv);
		_exit(NO_PROGRAM);
	}
	int status;
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static bool ends_with(const char *name, const char *end)
{
	size_t n = strlen(name), m = strlen(end);
	return n > m && !strcmp(name + n - m, end);
}

static int is_plot(const struct dirent *entry)
{
	return entry->d_name[0] != '.' && ends_with(entry->d_name, ".gp") &&
	       strcmp(entry->d_name, "style.gp");
}

static int is_picture(const struct dirent *entry)
{
	return entry->d_name[0] != '.' && ends_with(entry->d_name, ".png");
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

struct job {
	const char *dir, *plot_dir;
	char plots[PATH_MAX], log[PATH_MAX];
	struct draw_result *result;
};

static void remove_picture(const char *name, void *arg)
{
	struct job *job = arg;
	char path[PATH_MAX + 256];
	snprintf(path, sizeof path, "%s/%s", job->plots, name);
	unlink(path);
}

static void keep_picture(const char *name, void *arg)
{
	struct draw_result *result = ((struct job *)arg)->result;
	if (result->npictures == DRAW_MAX_PICTURES ||
	    strlen(name) >= sizeof result->pictures[0].name)
		return;
	struct draw_picture *picture = &result->pictures[result->npictures++];
	snprintf(picture->name, sizeof picture->name, "%.*s", (int)strlen(name) - 4, name);
	if (strstr(name, "_waterfall"))
		result->answer = (int)result->npictures - 1;
}

static void draw_file(const char *name, void *arg)
{
	struct job *job = arg;
	char file[PATH_MAX + 256], dir[2 * PATH_MAX], style[2 * PATH_MAX],
	    preload[4 * PATH_MAX + 32];
	run_gp_quote(job->dir, dir, sizeof dir);
	snprintf(file, sizeof file, "%s/style.gp", job->plot_dir);
	run_gp_quote(file, style, sizeof style);
	snprintf(file, sizeof file, "%s/%s", job->plot_dir, name);
	snprintf(preload, sizeof preload, "dir=%s; style=%s", dir, style);
	/* -d: whatever the user has in his own start file, the pictures look the same. */
	char *argv[] = {"gnuplot", "-d", "-e", preload, file, NULL};
	int rc = run_gnuplot(argv, job->log);
	if (rc != 0 && !job->result->warning[0])
		snprintf(job->result->warning, sizeof job->result->warning,
		         "%.100s was not drawn: gnuplot ended with status %d, and what it said "
		         "is in "
		         "plots/gnuplot.log; gnuplot 5.4 or later with the pngcairo terminal "
		         "is needed",
		         name, rc);
}

static void draw_all(struct job *job)
{
	struct stat said;
	char *argv[] = {"gnuplot", "--version", NULL};
	unlink(job->log);
	if (run_gnuplot(argv, "/dev/null") == NO_PROGRAM) {
		snprintf(
		    job->result->warning, sizeof job->result->warning,
		    "no pictures, for there is no gnuplot here: install it (apt-get install "
		    "gnuplot-nox) and draw them from the records with make plots");
		return;
	}
	each_file(job->plots, is_picture, remove_picture, job);
	if (each_file(job->plot_dir, is_plot, draw_file, job) <= 0)
		snprintf(job->result->warning, sizeof job->result->warning,
		         "no pictures: %.300s holds no .gp file", job->plot_dir);
	if (stat(job->log, &said) == 0 && said.st_size == 0)
		unlink(job->log);
	each_file(job->plots, is_picture, keep_picture, job);
}

int draw_pictures(const struct summary *summary, const struct findings *findings,
                  const char *dir, const char *plot_dir, struct draw_result *out,
                  struct status *st)
{
	char file[PATH_MAX + 16];
	struct job *job = calloc(1, sizeof *job);
	int rc = -1;
	if (!job)
		return status_set(st, "out of memory for the pictures");
	*job = (struct job){.dir = dir, .plot_dir = plot_dir, .result = out};
	*out = (struct draw_result){.answer = -1};
	if ((size_t)snprintf(job->plots, sizeof job->plots, "%s/plots", dir) >=
	        sizeof job->plots ||
	    (size_t)snprintf(job->log, sizeof job->log, "%s/gnuplot.log", job->plots) >=
	        sizeof job->log) {
		status_set(st, "the path %.60s… is too long", dir);
		goto done;
	}
	if (mkdir(job->plots, 0777) && errno != EEXIST) {
		status_set(st, "cannot make the folder %s: %s", job->plots, strerror(errno));
		goto done;
	}
	snprintf(file, sizeof file, "%s/run.gp", job->plots);
	if (run_gp_write(summary, findings, file, st))
		goto done;
	snprintf(file, sizeof file, "%s/ecdf.csv", job->plots);
	if (calls_write_ecdf(summary, file, st))
		goto done;
	snprintf(file, sizeof file, "%s/timeline.csv", job->plots);
	if (calls_write_timeline(summary, file, st))
		goto done;
	if (run_gp_drawable(summary))
		draw_all(job);
	else
		snprintf(out->warning, sizeof out->warning,
		         "no pictures, for no cell was measured");
	rc = 0;
done:
	free(job);
	return rc;
}
