/* NCCL's debug log: the output of two processes of a job, a NUL between them, and its path. */
#include <stdlib.h>
#include <string.h>

#include "../../harness/backend/nccl/nccl_log.h"
#include "fuzz.h"

static void use_path(const struct path *path)
{
	char text[512];
	struct path again;
	struct status st = {""};
	path_text(path, text, sizeof text);
	path_pairs_text(path, text, sizeof text);
	json_t *json = path_to_json(path);
	fuzz_promise(json && !path_from_json(json, &again, &st), "log: read as written");
	fuzz_promise(again.nlinks == path->nlinks && again.data == path->data,
	             "log: the record has the path that was read");
	json_decref(json);
	path_free(&again);
}

static void run(const uint8_t *data, size_t bytes)
{
	struct nccl_log log = {0};
	struct status st = {""};
	char *rest, *text = fuzz_text(data, bytes, &rest);
	size_t first = rest ? (size_t)(rest - text) - 1 : bytes;
	int rc = nccl_log_parse(text, first, &log, &st);
	if (!rc && rest)
		rc = nccl_log_parse(rest, bytes - first - 1, &log, &st);
	fuzz_promise(!rc || st.text[0], "log: a refusal has a sentence");
	struct settings set = {.api = ""};
	if (bytes % 3)
		settings_env_set(&set, "NCCL_P2P_DIRECT_DISABLE", bytes % 3 > 1 ? "1" : "0", 2);
	if (bytes / 3 % 3)
		settings_env_set(&set, "NCCL_P2P_READ_ENABLE", bytes / 3 % 3 > 1 ? "1" : "0", 2);
	nccl_log_model(&set, &log);
	use_path(&log.path);
	nccl_log_free(&log);
	free(text);
}

const struct fuzz_target fuzz_nccl_log = {run, NULL};
