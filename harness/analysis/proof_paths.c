/* The paths of the record, in words. */
#include <string.h>

#include "../record/path.h"
#include "proof.h"

static void put_path(const struct record_path *from, struct proof_path *out)
{
	struct path path;
	struct status why = {""};
	snprintf(out->astray, sizeof out->astray, "%s", from->as_expected ? "" : from->expect);
	if (path_from_json(from->path, &path, &why)) {
		snprintf(out->data_path, sizeof out->data_path, "unknown");
		snprintf(out->why, sizeof out->why, "the record's path is damaged: %.200s",
		         why.text);
		return;
	}
	snprintf(out->transport, sizeof out->transport, "%s",
	         path.transport[0] ? path.transport : "none");
	snprintf(out->links, sizeof out->links, "%u", path.nlinks);
	snprintf(out->registered, sizeof out->registered, "%s%s%s",
	         path.registered ? "yes" : "no", path.registered_why[0] ? ": " : "",
	         path.registered_why);
	snprintf(out->copy_engine, sizeof out->copy_engine, "%s",
	         path.copy_engine ? "yes" : "no");
	snprintf(out->data_path, sizeof out->data_path, "%s", path_data_name(path.data));
	snprintf(out->why, sizeof out->why, "%s", path.why);
	if (!strcmp(path.transport, "mixed"))
		path_pairs_text(&path, out->pairs, sizeof out->pairs);
	path_free(&path);
}

/* The twin is the reference in all but its name, and has no job of its own for the path. */
static void put_twins(const struct summary *s, struct proof_path *paths)
{
	for (unsigned v = 0; v < s->nvariants && s->reference >= 0; v++) {
		const struct proof_path *of = &paths[s->reference];
		if (s->variants[v].role != ROLE_AGAIN || paths[v].data_path[0] ||
		    !of->data_path[0])
			continue;
		paths[v] = *of;
		snprintf(paths[v].why, sizeof paths[v].why, "as %s, whose twin it is",
		         s->variants[s->reference].name);
		paths[v].pairs[0] = '\0';
	}
}

void proof_paths(const struct summary *s, struct proof_path *paths)
{
	for (unsigned i = 0; i < s->run->npaths; i++) {
		int v = pairs_variant(s, s->run->paths[i].variant);
		if (v >= 0)
			put_path(&s->run->paths[i], &paths[v]);
	}
	put_twins(s, paths);
}
