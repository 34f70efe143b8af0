/* The path of a variant's data: printed, written to the record and read again. */
#include "field.h"
#include "path.h"

#define NAMED 8 /* pairs of a transport that are named; the others are counted */

static const char *const datas[PATH_DATA_KINDS + 1] = {"unknown", "direct", "staged"};
static const char *const acts[PATH_ACTS + 1] = {"as asked", "capped", "ignored"};

const char *path_data_name(enum path_data data)
{
	return datas[data];
}

void path_free(struct path *path)
{
	free(path->links);
	free(path->choices);
	free(path->settings);
	*path = (struct path){0};
}

void path_text(const struct path *path, char *text, size_t bytes)
{
	const struct path *e = path;
	char unread[48] = "";
	if (e->unread)
		snprintf(unread, sizeof unread, ", %u line%s unread", e->unread,
		         e->unread > 1 ? "s" : "");
	if (!e->nlinks)
		snprintf(text, bytes, "no link in the log%s", unread);
	else
		snprintf(text, bytes, "%s, %u link%s, data path %s, %sregistered%s%s%s",
		         e->transport, e->nlinks, e->nlinks > 1 ? "s" : "", path_data_name(e->data),
		         e->registered ? "" : "not ", e->copy_engine ? ", copy engine" : "",
		         e->symmetric ? ", symmetric kernels" : "", unread);
}

/* --- which transport connects which pairs of ranks, in a mixed path --- */

/* "SHM/direct" of "SHM/direct/direct": the rest is specific to the pair, such as a device. */
static size_t transport_bytes(const char *via)
{
	size_t n = strcspn(via, "/");
	return via[n] ? n + 1 + strcspn(via + n + 1, "/") : n;
}

static bool is_same_kind(const struct path_link *a, const struct path_link *b)
{
	size_t n = transport_bytes(a->via);
	return n == transport_bytes(b->via) && !memcmp(a->via, b->via, n);
}

/* Whether one of the first n links has the same ends and the transport of `like`. */
static bool leads(const struct path *e, unsigned n, unsigned from, unsigned to,
                  const struct path_link *like)
{
	for (unsigned i = 0; i < n; i++)
		if (e->links[i].from == from && e->links[i].to == to &&
		    is_same_kind(&e->links[i], like))
			return true;
	return false;
}

static void add_pairs(const struct path *e, const struct path_link *like, char *text, size_t bytes)
{
	unsigned pairs = 0;
	for (unsigned i = 0; i < e->nlinks; i++) {
		const struct path_link *l = &e->links[i];
		bool back = leads(e, e->nlinks, l->to, l->from, like);
		if (!is_same_kind(l, like) || leads(e, i, l->from, l->to, like) ||
		    (back && l->from > l->to))
			continue;
		if (pairs++ < NAMED)
			status_add(text, bytes, "%s%u%s%u", pairs > 1 ? ", " : " ", l->from,
			           back ? "-" : "→", l->to);
	}
	if (pairs > NAMED)
		status_add(text, bytes, " and %u more", pairs - NAMED);
}

void path_pairs_text(const struct path *e, char *text, size_t bytes)
{
	text[0] = '\0';
	for (unsigned i = 0; i < e->nlinks; i++) {
		const char *via = e->links[i].via;
		unsigned first = 0;
		while (!is_same_kind(&e->links[first], &e->links[i]))
			first++;
		if (first < i)
			continue;
		status_add(text, bytes, "%s%.*s", text[0] ? "; " : "", (int)transport_bytes(via),
		           via);
		add_pairs(e, &e->links[i], text, bytes);
	}
}

/* --- what the library did with each requested setting --- */

void path_setting_text(const struct path_setting *s, char *text, size_t bytes)
{
	if (s->act == PATH_IGNORED)
		snprintf(text, bytes, "asked %s: %s", s->asked, s->why);
	else
		snprintf(text, bytes, "asked %s, used %s%s%s", s->asked,
		         s->used[0] ? s->used : "as asked", s->why[0] ? ": " : "", s->why);
}

/* --- the record --- */

#define PATH(FIELD)   offsetof(struct path, FIELD), sizeof(((struct path *)0)->FIELD)
#define LIST(FIELD)   offsetof(struct path, FIELD), offsetof(struct path, n##FIELD)
#define LINK(FIELD)   offsetof(struct path_link, FIELD), sizeof(((struct path_link *)0)->FIELD)
#define CHOICE(FIELD) offsetof(struct path_choice, FIELD), sizeof(((struct path_choice *)0)->FIELD)
#define SETTING(FIELD)                                                                             \
	offsetof(struct path_setting, FIELD), sizeof(((struct path_setting *)0)->FIELD)

// clang-format off
static const struct field link_rows[] = {
    {"from", FIELD_NUMBER, LINK(from), .record = true},
    {"to", FIELD_NUMBER, LINK(to), .record = true},
    {"via", FIELD_TEXT, LINK(via), .record = true},
    {"channels", FIELD_NUMBER, LINK(channels), .lo = 1, .hi = INT_MAX, .record = true},
};

static const struct field choice_rows[] = {
    {"collective", FIELD_TEXT, CHOICE(collective), .record = true},
    {"bytes", FIELD_WIDE, CHOICE(bytes), .hi = INT64_MAX, .record = true},
    {"algorithm", FIELD_TEXT, CHOICE(algorithm), .record = true},
    {"protocol", FIELD_TEXT, CHOICE(protocol), .record = true},
    {"channels", FIELD_NUMBER, CHOICE(channels), .lo = 1, .hi = INT_MAX, .record = true},
};

static const struct field setting_rows[] = {
    {"key", FIELD_TEXT, SETTING(key), .record = true},
    {"asked", FIELD_TEXT, SETTING(asked), .record = true},
    {"used", FIELD_TEXT, SETTING(used), .record = true},
    {"act", FIELD_WORD, SETTING(act), .words = acts, .record = true},
    {"fact", FIELD_TEXT, SETTING(fact), .record = true},
    {"why", FIELD_TEXT, SETTING(why), .record = true},
};

static const struct fields links = FIELDS_OF(link_rows, struct path_link),
                           choices = FIELDS_OF(choice_rows, struct path_choice),
                           settings = FIELDS_OF(setting_rows, struct path_setting);

static const struct field path_rows[] = {
    {"transport", FIELD_TEXT, PATH(transport), .record = true},
    {"registered", FIELD_FLAG, PATH(registered), .record = true},
    {"registered_why", FIELD_TEXT, PATH(registered_why), .record = true},
    {"copy_engine", FIELD_FLAG, PATH(copy_engine), .record = true},
    {"symmetric", FIELD_FLAG, PATH(symmetric), .optional = true, .record = true},
    {"version", FIELD_TEXT, PATH(version), .optional = true, .record = true},
    {"unread", FIELD_NUMBER, PATH(unread), .optional = true, .record = true},
    {"data_path", FIELD_WORD, PATH(data), .words = datas, .record = true},
    {"why", FIELD_TEXT, PATH(why), .record = true},
    {"coll_channels", FIELD_NUMBER, PATH(coll_channels), .optional = true, .record = true},
    {"p2p_channels", FIELD_NUMBER, PATH(p2p_channels), .optional = true, .record = true},
    {"p2p_channels_per_peer", FIELD_NUMBER, PATH(p2p_channels_per_peer), .optional = true, .record = true},
    {"p2p_chunk_bytes", FIELD_WIDE, PATH(p2p_chunk_bytes), .hi = INT64_MAX, .optional = true, .record = true},
    {"algorithms", FIELD_TEXT, PATH(algorithms), .optional = true, .record = true},
    {"inherited", FIELD_TEXT, PATH(inherited), .optional = true, .record = true},
    {"links", FIELD_LIST, LIST(links), .list = &links, .record = true},
    {"choices", FIELD_LIST, LIST(choices), .list = &choices, .optional = true, .record = true},
    {"settings", FIELD_LIST, LIST(settings), .list = &settings, .optional = true, .record = true},
};
// clang-format on

static const struct fields fields = FIELDS_OF(path_rows, struct path);

void path_fact(const struct path *path, const char *name, char *text, size_t bytes)
{
	json_t *value = NULL;
	for (size_t i = 0; i < fields.n && !value && *name; i++)
		if (!strcmp(fields.rows[i].key, name))
			value = field_to_json(&fields.rows[i], path);
	snprintf(text, bytes, "%s", json_is_string(value) ? json_string_value(value) : "");
	if (json_integer_value(value))
		snprintf(text, bytes, "%lld", (long long)json_integer_value(value));
	json_decref(value);
}

json_t *path_to_json(const struct path *path)
{
	return field_object(&fields, path);
}

int path_from_json(const json_t *json, struct path *out, struct status *st)
{
	struct path e = {0};
	struct status why = {""};
	int rc = field_object_take(&fields, json, &e, &why);
	for (unsigned i = 0; !rc && i < e.nlinks; i++)
		if (e.links[i].from == e.links[i].to)
			rc = status_set(&why, "a link from %u to %u: two ranks are allowed",
			                e.links[i].from, e.links[i].to);
	if (rc) {
		path_free(&e);
		return status_set(st, "path: %s", why.text);
	}
	*out = e;
	return 0;
}
