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

/* Whether a boxed text of mpirun's says why it fails: others sum up the end, or warn. */
static bool is_complaint(const char *line)
{
	static const char *const others[] = {"Primary job", "mpirun ", "prterun ", "WARNING"};
	for (unsigned i = 0; i < sizeof others / sizeof *others; i++)
		if (!strncmp(line, others[i], strlen(others[i])))
			return false;
	return true;
}

/* The job's own sentence, or the launcher's first error, or the last line that was printed. Of
 * a boxed error its first paragraph is one sentence. True: it is an error. */
static bool best_words(const char *log, char *text, size_t bytes)
{
	char line[512];
	bool error = false, inside = false, opens = false, goes_on = false;
	FILE *f = fopen(log, "re");
	text[0] = '\0';
	while (f && fgets(line, sizeof line, f)) {
		line[strcspn(line, "\n")] = '\0';
		const size_t used = strlen(text);
		const bool edge = !strncmp(line, "-----", 5), words = line[0] && line[0] != '-';
		if (!strncmp(line, "launchgap: ", 11)) {
			snprintf(text, bytes, "%s", line + 11);
			break; /* our own sentence beats mpirun's epilogue */
		}
		if (goes_on)
			goes_on = words && snprintf(text + used, bytes - used, " %s", line) > 0;
		else if (words && !error)
			snprintf(text, bytes, "%s", line);
		goes_on = goes_on || (opens && words && !error && is_complaint(line));
		error = error || goes_on || is_error(line);
		inside = inside != edge;
		opens = edge && inside;
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
