/* Feeds external input to its readers. A target is a reader and all code that works on its output.
 * libFuzzer drives it (libfuzzer.c), or driver.c if there is none: `make fuzz` runs as long as one
 * likes, every `make test` for a moment. Both begin with corpus/<target>/, where each input that
 * once broke something stays. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct fuzz_target {
	/* For any bytes it returns, leaks no memory, and breaks no promise. */
	void (*run)(const uint8_t *data, size_t bytes);
	/* Changes *data in place, of `room` bytes at most; the new length. NULL: byte by byte. All
	 * its choices come from the seed. */
	size_t (*mutate)(uint8_t *data, size_t bytes, size_t room, unsigned seed);
};

extern const struct fuzz_target fuzz_sizes, fuzz_experiment, fuzz_record, fuzz_nccl_tests,
    fuzz_nccl_log, fuzz_connection;

/* Ends the program, with the words, if `kept` is false. */
void fuzz_promise(bool kept, const char *words);
/* A file in a folder of this process, made at the first call and removed at its end. The path
 * is valid until the next call. NULL: the folder itself. */
const char *fuzz_file(const char *name, const void *data, size_t bytes);
/* A copy that ends with a NUL, and holds none before. *rest is the text after the first NUL (NULL:
 * none), in the same copy. The caller frees. */
char *fuzz_text(const uint8_t *data, size_t bytes, char **rest);
/* An output in memory, read back by fuzz_said: NULL if it is not plain UTF-8 text, as nothing that
 * people or programs read may hold what a terminal takes for a command. The caller frees. */
FILE *fuzz_listen(void);
char *fuzz_said(FILE *out);

/* Whether a text is one JSON document, without a key twice. */
bool fuzz_is_json(const char *text);

/* mutate for lines of JSON: some value of some line changes its kind, its size or its place, or
 * bytes change. Of two inputs one has its checksums (record_file.h) made right again. */
size_t fuzz_mutate_json(uint8_t *data, size_t bytes, size_t room, unsigned seed);
/* libFuzzer's, or the driver's. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t bytes, size_t room);
