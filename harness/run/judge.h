/* Why a job left nothing, in a sentence: how it ended, and its own sentence, its launcher's
 * first error, or what it said last. */
#ifndef LAUNCHGAP_JUDGE_H
#define LAUNCHGAP_JUDGE_H

#include <stddef.h>

#include "job.h"

void judge_job(const struct job_result *job, unsigned timeout_s, const char *log, char *text,
               size_t bytes);

#endif
