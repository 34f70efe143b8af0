#include "judge.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* What Open MPI says of itself: "[host:pid] PMIX ERROR: …". The first is the cause. */
static bool is_error(const char *line)
{
	return line[0] == '[' &&
	       (strstr(line, "] PMIX ERROR") || strstr(line, "] OPAL ERROR") ||
	        strstr(line, "] ORTE_ERROR_LOG"));
}

/* The job's own sentence, or the launcher's first error, or the last line that was printed.
 * True: it is an error. */
static bool best_words(const char *log, char *text, size_t bytes)
{
	char line[512];
	bool error = false;
	FILE *f = fopen(log, "re");
	text[0] = '\0';
	while (f && fgets(line, sizeof line, f)) {
		line[strcspn(line, "\n")] = '\0';
		if (!strncmp(line, "launchgap: ", 11)) {
			snprintf(text, bytes, "%s", line + 11);
			break; /* our own sentence beats mpirun's epilogue */
		}
		if (line[0] && line[0] != '-' && !error)
			snprintf(text, bytes, "%s", line);
		error = error || is_error(line);
	}
	if (f)
		fclose(f);
	return error;
}

void judge_job(const struct job_result *job, unsigned timeout_s, const char *log, char *text,
               size_t bytes)
{
	char words[512];
	bool error = best_words(log, words, sizeof words);
	const char *said = !words[0] ? "" : error ? "; first error: " : "; last said: ";
	if (job->end == JOB_TIMED_OUT)
		snprintf(text, bytes, "no end after %u s (timeout = …)%s%s", timeout_s, said,
		         words);
	else if (job->end == JOB_KILLED)
		snprintf(text, bytes, "killed by signal %d (%s)%s%s", job->code,
		         strsignal(job->code), said, words);
	else
		snprintf(text, bytes, "%s", words[0] ? words : "the job ended without a word");
}
