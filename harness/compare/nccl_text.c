/* Text of nccl-tests and rccl-tests, of any version, as the object that -J would have written: logs
 * and reports hold little else. Tags of launchers and timestamps before a line, colours and decimal
 * commas are taken off; a table that was cut off has the rows that are whole. */
#include "side.h"

#include <ctype.h>

#include "../arena.h"
#include "../report/json.h"
#include "../record/member.h"

#define MOST_WORDS 24

struct table {
	json_t *results, *devices, *config;
	char program[64];
	unsigned values;    /* of each half of a row: 4, 5 with actual iterations or a CPU time */
	unsigned after;     /* more columns, after both halves */
	double unit_us;     /* of times: the first versions have ms */
	bool redop, root;   /* whether it has the columns */
	unsigned ranks;     /* that say where they are */
	long long pid;      /* of the rank before */
	const char *failed; /* the check at its end did, or NULL */
	bool rccl, ended;
};

/* Without "[1,0]<stdout>:", a timestamp, "host: ", colours: from the '#' or first number on. */
static char *bare(char *line)
{
	char *to = line, *start;
	for (const char *at = line; *at; at++)
		if (*at == '\033' && at[1] == '[')
			at += strcspn(at, "mK") - !at[strcspn(at, "mK")];
		else if (*at != '\r')
			*to++ = *at;
	*to = '\0';
	if ((start = strstr(line, "# ")) || (start = strstr(line, "#\t")))
		return start;
	for (start = line; (to = strpbrk(start, ">:")) && to[1];)
		start = to + 1;
	return start;
}

/* 1, with a decimal point or comma. */
static bool number_of(const char *word, double *out)
{
	char text[40], *end;
	snprintf(text, sizeof text, "%s", word);
	if ((end = strchr(text, ',')))
		*end = '.';
	*out = strtod(text, &end);
	return end != text && !*end && strlen(word) < sizeof text;
}

static unsigned words_of(char *line, char *words[MOST_WORDS + 1])
{
	unsigned n = 0;
	char *rest = NULL;
	for (char *w = strtok_r(line, " \t", &rest); w && n <= MOST_WORDS;
	     w = strtok_r(NULL, " \t", &rest))
		words[n++] = w;
	return n;
}

/* time, algbw, busbw, and what is wrong: a number of elements, N/A, or an error of old versions. */
static json_t *half_of(const struct table *t, char **words)
{
	double time, wrong;
	const char *last = words[t->values - 1];
	if (!strcmp(words[0], "N/A") || !number_of(words[0], &time))
		return json_null();
	const bool counted = number_of(last, &wrong) && !strpbrk(last, ".,e");
	return json_pack("{s:f, s:o}", "time", time * t->unit_us, "nwrong",
	                 counted ? json_real(wrong) : json_null());
}

/* size count type [redop] [root], and twice the values. */
static void add_row(struct table *t, char **words, unsigned n)
{
	const unsigned first = 3 + t->redop + t->root, all = first + 2 * t->values + t->after;
	double size;
	if (!t->values || n < all)
		return;
	words += n - all; /* of a timestamp */
	if (!number_of(words[0], &size) || strpbrk(words[0], ".,e"))
		return;
	json_array_append_new(
	    t->results,
	    json_pack("{s:I, s:s, s:s, s:s, s:o, s:o}", "size", (json_int_t)atoll(words[0]), "type",
	              words[2], "redop", t->redop ? words[3] : "none", "root",
	              t->root ? words[first - 1] : "-1", "out_of_place", half_of(t, words + first),
	              "in_place", half_of(t, words + first + t->values)));
}

static void read_heading(struct table *t, char *line)
{
	char *words[MOST_WORDS + 1];
	const unsigned n = words_of(line, words);
	unsigned time = 0, second = 0;
	t->redop = t->root = false;
	t->unit_us = 1;
	for (unsigned i = 0; i < n; i++) {
		t->redop |= !strcmp(words[i], "redop") || !strcmp(words[i], "op");
		t->root |= !strcmp(words[i], "root");
		t->unit_us = strcmp(words[i], "bytes") ? t->unit_us : 1000;
		if (!strcmp(words[i], "time"))
			*(time ? &second : &time) = i;
	}
	t->values = second ? second - time : 0;
	t->after = n > second + t->values ? n - second - t->values : 0;
}

static void read_option(struct table *t, const char *line, const char *shown, const char *name)
{
	const char *at = strstr(line, shown);
	if (at)
		json_object_set_new(t->config, name, json_integer(atoi(at + strlen(shown))));
}

/* "#  Rank  0 Group  0 Pid 12 on host device 0 [0000:07:00] NVIDIA A100": a process's first one.
 * The first versions have no Pid. */
static void read_rank(struct table *t, const char *line)
{
	const char *pid = strstr(line, " Pid "), *host = strstr(line, " on ");
	const char *device = host ? strstr(host, " device ") : NULL;
	const char *gpu = device ? strchr(device, ']') : NULL, *group = strstr(line, " Group ");
	const long long process = pid ? atoll(pid + 5) : 0;
	if (!gpu)
		return;
	if (t->ranks++ && !atoi(strstr(line, " Rank ") + 6))
		t->failed = "it has rank 0 twice, so that it holds several runs: a file is of one "
		            "(without MPI each process of mpirun is a run)";
	if (process == t->pid)
		return;
	t->pid = process;
	host += 4 + strspn(host + 4, " ");
	json_array_append_new(t->devices,
	                      json_pack("{s:i, s:s%, s:s}", "group", group ? atoi(group + 7) : 0,
	                                "hostname", host, strcspn(host, " "), "device_info",
	                                gpu + 1 + strspn(gpu + 1, " ")));
}

static void find_program(struct table *t, const char *line)
{
	const char *program = strstr(line, "_perf");
	if (program && !*t->program) {
		const char *start = program;
		while (start > line && (isalnum((unsigned char)start[-1]) || start[-1] == '_'))
			start--;
		snprintf(t->program, sizeof t->program, "%.*s", (int)(program + 5 - start), start);
	}
}

static void read_line(struct table *t, char *line)
{
	char *words[MOST_WORDS + 1];
	find_program(t, line);
	t->ended |= strstr(line, "Avg bus bandwidth") != NULL;
	t->rccl |= strstr(line, "rccl-tests") || strstr(line, "RCCL version");
	line = bare(line);
	if (line[0] != '#') {
		add_row(t, words, words_of(line, words));
		return;
	}
	read_option(t, line, "nThread ", "nthreads");
	read_option(t, line, "nGpus ", "ngpus");
	const char *warm_up = strstr(line, "warmup iters: "); /* before its " iters: " */
	read_option(t, line, "warmup iters: ", "warmup_iters");
	read_option(t, warm_up ? warm_up + strlen("warmup") + 1 : line, " iters: ", "iterations");
	read_option(t, line, "agg iters: ", "aggregated_iterations");
	read_option(t, line, "validation: ", "validation");
	read_option(t, line, "graph: ", "graph");
	read_option(t, line, "nccl-library=", "nccl_version");
	if (strstr(line, " FAILED"))
		t->failed = "its check says FAILED";
	if (strstr(line, " Rank "))
		read_rank(t, line);
	if ((strstr(line, " size ") || strstr(line, " bytes ")) && strstr(line, " time "))
		read_heading(t, line);
}

/* Takes the references. Without threads the layout is not known but for one GPU a process. */
static json_t *object_of(const struct table *t)
{
	const size_t processes = json_array_size(t->devices);
	json_object_set_new(t->config, "devices", t->devices);
	if (!json_object_get(t->config, "nthreads")) {
		const unsigned gpus = processes ? t->ranks / (unsigned)processes : 0;
		json_object_set_new(t->config, "nthreads",
		                    gpus > 1 ? json_null() : json_integer(1));
		json_object_set_new(t->config, "ngpus", json_integer(gpus));
		if (!json_object_get(t->config, "validation")) /* a row says N/A itself */
			json_object_set_new(t->config, "validation", json_integer(1));
	}
	return json_pack(
	    "{s:[s*], s:O*, s:[s*], s:b, s:s*, s:o, s:o}", "args", *t->program ? t->program : NULL,
	    "nccl_version", json_object_get(t->config, "nccl_version"), "errors", t->failed, "rccl",
	    t->rccl, "end_time", t->ended ? "" : NULL, "config", t->config, "results", t->results);
}

json_t *nccl_text_read(FILE *in, const char *file)
{
	struct table t = {
	    .results = json_array(), .devices = json_array(), .config = json_object(), .pid = -1};
	char *line = NULL;
	size_t room = 0;
	while (getline(&line, &room, in) > 0) {
		line[strcspn(line, "\n")] = '\0';
		read_line(&t, line);
	}
	free(line);
	find_program(&t, file); /* old text does not name it */
	if (json_array_size(t.devices) || json_array_size(t.results))
		return object_of(&t);
	json_decref(t.devices);
	json_decref(t.results);
	json_decref(t.config);
	return NULL;
}
