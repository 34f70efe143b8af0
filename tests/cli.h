/* Driving the built program from tests, without a shell. The program is $LAUNCHGAP. */
#pragma once

#include <sys/types.h>

#include "../harness/record/record.h"

struct cli {
	int code;  /* exit status, or −signal */
	char *out; /* stdout and stderr together */
};

/* A fresh folder under the system's temporary one; removed by cli_clean. */
void cli_folder(char path[64]);
void cli_clean(const char *path);
void cli_write(const char *folder, const char *name, const char *text);
/* The whole file, NUL-terminated, and kept; NULL when it cannot be read. */
char *cli_read(const char *file);
/* Packs a file as `suffix` says, .gz or .xz, and removes it; the other's name. */
const char *cli_pack(const char *file, const char *suffix);

/* Starts the program with the arguments up to NULL; output goes to folder/out. */
pid_t cli_start(const char *folder, const char *const args[]);
/* Waits, at most `seconds`; then kills it and gives code −9. */
struct cli cli_wait(pid_t pid, const char *folder, unsigned seconds);
/* Both, with 120 s. */
struct cli cli_run(const char *folder, const char *const args[]);
/* The same, the arguments one by one. */
struct cli cli_call(const char *folder, ...) __attribute__((sentinel));
/* folder/results/<experiment>/<the only stamp>/<file>; for "" that folder. */
void cli_result(const char *folder, const char *experiment, const char *file, char *path,
                size_t bytes);
/* The record, whole, of a file or a folder; kept. */
struct record_run cli_record(const char *path);
/* The scratch folder of the job that `runner` has at hand, from the job's arguments; waits. */
void cli_scratch(pid_t runner, char *path, size_t bytes);
/* Processes with the word in their command line. */
unsigned cli_processes(const char *word);
unsigned cli_lines(const char *file);
/* Removes the checksums from a record's text: a test may change such lines as it likes, because
 * older programs wrote none. */
void cli_unsum(char *text);
/* Replaces the first `from` in a file, which has to be there. */
void cli_replace(const char *file, const char *from, const char *to);
/* Has each line of a record changed; it is left out where `edit` says false. As older programs
 * wrote it: without checksums. */
void cli_edit(const char *file, bool (*edit)(json_t *line, const char *kind));
/* Ended with `code` and printed each of the words; else fails with all its
 * output. */
#define cli_expect(CLI, CODE, ...)                                                                 \
	cli_expects(CLI, CODE, (const char *const[]){__VA_ARGS__, NULL}, __FILE__, __LINE__)
#define CLI_FAILS 256 /* for a code: any exit status but 0 */
void cli_expects(struct cli cli, int code, const char *const words[], const char *at, int line);
