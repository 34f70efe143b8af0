#include "draw.h"

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

#include "calls_csv.h"
#include "gnuplot.h"
#include "model.h"

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
	       strncmp(entry->d_name, "style", 5) != 0;
}

static int is_picture(const struct dirent *entry)
{
	return entry->d_name[0] != '.' &&
	       (ends_with(entry->d_name, ".png") || ends_with(entry->d_name, ".svg"));
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

/* Paths are whole: gnuplot takes a name that begins with < or | for a command. */
struct job {
	char dir[PATH_MAX], plot_dir[PATH_MAX];
	char plots[PATH_MAX + 8], log[PATH_MAX + 32], list[PATH_MAX + 32];
	struct model_pictures *result;
};

static void remove_picture(const char *name, void *arg)
{
	struct job *job = arg;
	char path[PATH_MAX + 512];
	snprintf(path, sizeof path, "%s/%s", job->plots, name);
	unlink(path);
}

static void draw_file(const char *name, void *arg)
{
	struct job *job = arg;
	char file[PATH_MAX + 512], dir[2 * PATH_MAX], plot_dir[2 * PATH_MAX],
	    png[4 * PATH_MAX + 64], svg[4 * PATH_MAX + 64];
	gnuplot_quote(job->dir, dir, sizeof dir);
	gnuplot_quote(job->plot_dir, plot_dir, sizeof plot_dir);
	snprintf(file, sizeof file, "%s/%s", job->plot_dir, name);
	snprintf(png, sizeof png, "dir=%s; plot_dir=%s; format='png'", dir, plot_dir);
	snprintf(svg, sizeof svg, "dir=%s; plot_dir=%s; format='svg'", dir, plot_dir);
	/* -d: whatever the user has in his own start file, the pictures look the same. */
	char *argv[] = {"gnuplot",       "-d", "-e", png,  file, "-e",
	                "reset session", "-e", svg,  file, NULL};
	int rc = run_gnuplot(argv, job->log);
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
	snprintf(path, sizeof path, "%s/%s%s", job->plots, name, end);
	return !stat(path, &about) && about.st_size > 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct model_picture *)a)->name,
	              ((const struct model_picture *)b)->name);
}

/* The list that the files of plot/ have made: a line per picture, name, title and caption
 * with tabs between. */
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
	unlink(job->list);
	qsort(result->pictures, result->npictures, sizeof *result->pictures, by_name);
}

static int find_answer(const struct model_pictures *result, const struct waterfall *waterfall)
{
	static const char *const ends[] = {"_waterfall",      "_versions", "_ratio",
	                                   "_ratio_isolated", "_busbw",    "_latency"};
	for (size_t k = isfinite(waterfall->explained.estimate) ? 0 : 1;
	     k < sizeof ends / sizeof *ends; k++)
		for (unsigned i = 0; i < result->npictures; i++)
			if (ends_with(result->pictures[i].name, ends[k]))
				return (int)i;
	return result->npictures ? 0 : -1;
}

static void draw_all(struct job *job, const struct findings *findings)
{
	struct stat said;
	char *argv[] = {"gnuplot", "--version", NULL};
	unlink(job->log);
	unlink(job->list);
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
	take_list(job);
	job->result->answer = find_answer(job->result, &findings->waterfall);
}

/* What the pictures are drawn from. */
static int write_data(const struct model *m, const struct job *job, struct status *st)
{
	const struct summary *s = &m->summary;
	struct drawn_order order;
	char file[PATH_MAX + 32];
	int rc = -1;
	if (drawn_order(s, &order, st))
		return -1;
	snprintf(file, sizeof file, "%s/run.gp", job->plots);
	if (gnuplot_write(m, &order, file, st))
		goto done;
	snprintf(file, sizeof file, "%s/ecdf.csv", job->plots);
	if (calls_write_ecdf(s, &order, file, st))
		goto done;
	snprintf(file, sizeof file, "%s/timeline.csv", job->plots);
	rc = calls_write_timeline(s, &order, file, st);
done:
	free(order.variants);
	return rc;
}

int draw_pictures(struct model *model, const char *dir, const char *plot_dir, struct status *st)
{
	struct job *job = calloc(1, sizeof *job);
	int rc = -1;
	if (!job)
		return status_set(st, "out of memory for the pictures");
	model->drawn = (struct model_pictures){.answer = -1};
	job->result = &model->drawn;
	if (strlen(dir) + sizeof "/plots/timeline.csv" > PATH_MAX) {
		status_set(st, "the path %.60s… is too long", dir);
		goto done;
	}
	if (!realpath(dir, job->dir)) {
		status_set(st, "cannot find the folder %s: %s", dir, strerror(errno));
		goto done;
	}
	if (!realpath(plot_dir, job->plot_dir)) /* what it lacks is a warning */
		snprintf(job->plot_dir, sizeof job->plot_dir, "%s", plot_dir);
	snprintf(job->plots, sizeof job->plots, "%s/plots", job->dir);
	snprintf(job->log, sizeof job->log, "%s/gnuplot.log", job->plots);
	snprintf(job->list, sizeof job->list, "%s/pictures.txt", job->plots);
	if (mkdir(job->plots, 0777) && errno != EEXIST) {
		status_set(st, "cannot make the folder %s: %s", job->plots, strerror(errno));
		goto done;
	}
	if (write_data(model, job, st))
		goto done;
	if (gnuplot_drawable(&model->summary))
		draw_all(job, &model->findings);
	else
		snprintf(model->drawn.warning, sizeof model->drawn.warning,
		         "no pictures, for no cell was measured");
	rc = 0;
done:
	free(job);
	return rc;
}
