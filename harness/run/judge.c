#include "judge.h"

#include <stdio.h>
#include <string.h>

/* The last line that the job printed, for want of a better word from it. */
static void last_words(const char *log, char *text, size_t bytes)
{
	char line[512];
	FILE *f = fopen(log, "re");
	text[0] = '\0';
	while (f && fgets(line, sizeof line, f)) {
		line[strcspn(line, "\n")] = '\0';
		if (!strncmp(line, "launchgap: ", 11)) {
			snprintf(text, bytes, "%s", line + 11);
			break; /* our own sentence beats mpirun's epilogue */
		}
		if (line[0] && line[0] != '-')
			snprintf(text, bytes, "%s", line);
	}
	if (f)
		fclose(f);
}

void judge_job(const struct job_result *job, unsigned timeout_s, const char *log, char *text,
               size_t bytes)
{
	char words[512];
	last_words(log, words, sizeof words);
	const char *said = words[0] ? "; last said: " : "";
	if (job->end == JOB_TIMED_OUT)
		snprintf(text, bytes, "no end after %u s (timeout = …)%s%s", timeout_s, said,
		         words);
	else if (job->end == JOB_KILLED)
		snprintf(text, bytes, "killed by signal %d (%s)%s%s", job->code,
		         strsignal(job->code), said, words);
	else
		snprintf(text, bytes, "%s", words[0] ? words : "the job ended without a word");
}
