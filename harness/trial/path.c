/* The path of a variant's data: matched, told, written to the record and read again. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "path.h"

#define NAMED 8 /* pairs of a transport that are named; the others are counted */

const char *path_data_name(enum path_data data)
{
	static const char *const names[PATH_DATA_KINDS] = {"unknown", "direct", "staged"};
	return names[data];
}

const char *path_act_name(enum path_act act)
{
	static const char *const names[PATH_ACTS] = {"as asked", "capped", "ignored"};
	return names[act];
}

void path_free(struct path *path)
{
	free(path->links);
	free(path->settings);
	*path = (struct path){0};
}

/* What may stand behind the transport of an `expect`. */
static bool is_registered(const struct path *e)
{
	return e->registered;
}
static bool is_copy_engine(const struct path *e)
{
	return e->copy_engine;
}
static bool is_symmetric(const struct path *e)
{
	return e->symmetric;
}
static bool is_direct(const struct path *e)
{
	return e->data == PATH_DIRECT;
}
static bool is_staged(const struct path *e)
{
	return e->data == PATH_STAGED;
}

static const struct demand {
	const char *word;
	bool (*is_met)(const struct path *e);
} demands[] = {
    {"reg", is_registered}, {"ce", is_copy_engine}, {"sym", is_symmetric},
    {"direct", is_direct},  {"staged", is_staged},
};

/* `word` up to the next '+' or the end. */
static const struct demand *find_demand(const char *word, size_t bytes)
{
	for (unsigned i = 0; i < sizeof demands / sizeof *demands; i++)
		if (strlen(demands[i].word) == bytes && !memcmp(demands[i].word, word, bytes))
			return &demands[i];
	return NULL;
}

static bool is_transport(const char *text, size_t bytes)
{
	static const char *const known[] = {"P2P", "SHM", "NET", "mixed"};
	for (unsigned i = 0; i < sizeof known / sizeof *known; i++) {
		size_t n = strlen(known[i]);
		if (bytes >= n && !memcmp(text, known[i], n) &&
		    (bytes == n || (text[n] == '/' && bytes > n + 1)))
			return true;
	}
	return false;
}

int path_expect_check(const char *expect, struct status *st)
{
	size_t n = strcspn(expect, "+");
	unsigned ways = 0;
	bool known = n < PATH_VIA_BYTES && is_transport(expect, n);
	for (const char *word = expect + n; known && *word; word += n) {
		word++;
		n = strcspn(word, "+");
		const struct demand *demand = find_demand(word, n);
		known = demand;
		ways += demand && (demand->is_met == is_direct || demand->is_met == is_staged);
	}
	if (known && ways <= 1)
		return 0;
	return status_set(st,
	                  "'%s' is no path; allowed is P2P, SHM, NET or mixed, or more of it "
	                  "as in P2P/CUMEM, with any of +reg, +ce, +sym and one of +direct, "
	                  "+staged behind it",
	                  expect);
}

bool path_matches(const struct path *path, const char *expect)
{
	struct status ignored = {""};
	size_t n = strcspn(expect, "+");
	if (path_expect_check(expect, &ignored) || strncmp(path->transport, expect, n) ||
	    (path->transport[n] && path->transport[n] != '/'))
		return false;
	for (const char *word = expect + n; *word; word += n) {
		word++;
		n = strcspn(word, "+");
		if (!find_demand(word, n)->is_met(path))
			return false;
	}
	return true;
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
		         e->transport, e->nlinks, e->nlinks > 1 ? "s" : "",
		         path_data_name(e->data), e->registered ? "" : "not ",
		         e->copy_engine ? ", copy engine" : "",
		         e->symmetric ? ", symmetric kernels" : "", unread);
}

/* --- which pairs of ranks a mixed path leads over which transport --- */

/* "SHM/direct" of "SHM/direct/direct": what follows is the pair's own, as a device is. */
static size_t transport_bytes(const char *via)
{
	size_t n = strcspn(via, "/");
	return via[n] ? n + 1 + strcspn(via + n + 1, "/") : n;
}

static bool is_alike(const struct path_link *a, const struct path_link *b)
{
	size_t n = transport_bytes(a->via);
	return n == transport_bytes(b->via) && !memcmp(a->via, b->via, n);
}

/* Whether one of the first n links leads that way over the transport of `like`. */
static bool leads(const struct path *e, unsigned n, unsigned from, unsigned to,
                  const struct path_link *like)
{
	for (unsigned i = 0; i < n; i++)
		if (e->links[i].from == from && e->links[i].to == to &&
		    is_alike(&e->links[i], like))
			return true;
	return false;
}

static bool is_first(const struct path *e, unsigned link)
{
	for (unsigned i = 0; i < link; i++)
		if (is_alike(&e->links[i], &e->links[link]))
			return false;
	return true;
}

struct text {
	char *at;
	size_t used, bytes;
};

static void add(struct text *t, const char *piece)
{
	if (t->used < t->bytes)
		t->used += (size_t)snprintf(t->at + t->used, t->bytes - t->used, "%s", piece);
}

static void add_pairs(const struct path *e, const struct path_link *like, struct text *t)
{
	unsigned pairs = 0;
	char piece[64];
	for (unsigned i = 0; i < e->nlinks; i++) {
		const struct path_link *l = &e->links[i];
		bool back = leads(e, e->nlinks, l->to, l->from, like);
		if (!is_alike(l, like) || leads(e, i, l->from, l->to, like) ||
		    (back && l->from > l->to))
			continue;
		snprintf(piece, sizeof piece, "%s%u%s%u", pairs ? ", " : " ", l->from,
		         back ? "-" : "→", l->to);
		if (pairs++ < NAMED)
			add(t, piece);
	}
	snprintf(piece, sizeof piece, " and %u more", pairs - NAMED);
	if (pairs > NAMED)
		add(t, piece);
}

void path_pairs_text(const struct path *e, char *text, size_t bytes)
{
	struct text t = {text, 0, bytes};
	char piece[PATH_VIA_BYTES + 2];
	text[0] = '\0';
	for (unsigned i = 0; i < e->nlinks; i++) {
		const char *via = e->links[i].via;
		if (!is_first(e, i))
			continue;
		snprintf(piece, sizeof piece, "%s%.*s", t.used ? "; " : "",
		         (int)transport_bytes(via), via);
		add(&t, piece);
		add_pairs(e, &e->links[i], &t);
	}
}

/* --- what the library made of what was asked --- */

void path_fact(const struct path *path, const char *name, char *text, size_t bytes)
{
	const struct {
		const char *name;
		unsigned long long figure;
	} facts[] = {{"coll_channels", path->coll_channels},
	             {"p2p_channels", path->p2p_channels},
	             {"p2p_channels_per_peer", path->p2p_channels_per_peer},
	             {"p2p_chunk_bytes", path->p2p_chunk_bytes}};
	text[0] = '\0';
	if (!strcmp(name, "algorithms"))
		snprintf(text, bytes, "%s", path->algorithms);
	for (unsigned i = 0; i < sizeof facts / sizeof *facts; i++)
		if (!strcmp(name, facts[i].name) && facts[i].figure)
			snprintf(text, bytes, "%llu", facts[i].figure);
}

void path_setting_text(const struct path_setting *s, char *text, size_t bytes)
{
	if (s->act == PATH_IGNORED)
		snprintf(text, bytes, "asked %s: %s", s->asked, s->why);
	else
		snprintf(text, bytes, "asked %s, used %s%s%s", s->asked,
		         s->used[0] ? s->used : "as asked", s->why[0] ? ": " : "", s->why);
}

/* --- the record --- */

static json_t *settings_json(const struct path *e)
{
	json_t *list = json_array();
	for (unsigned i = 0; list && i < e->nsettings; i++) {
		const struct path_setting *s = &e->settings[i];
		json_t *json = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s}", "key", s->key,
		                         "asked", s->asked, "used", s->used, "act",
		                         path_act_name(s->act), "fact", s->fact, "why", s->why);
		if (json_array_append_new(list, json)) {
			json_decref(list);
			list = NULL;
		}
	}
	return list;
}

json_t *path_to_json(const struct path *path)
{
	const struct path *e = path;
	json_t *links = json_array();
	for (unsigned i = 0; links && i < e->nlinks; i++) {
		const struct path_link *link = &e->links[i];
		json_t *json =
		    json_pack("{s:i, s:i, s:s, s:i}", "from", (int)link->from, "to",
		              (int)link->to, "via", link->via, "channels", (int)link->channels);
		if (json_array_append_new(links, json)) {
			json_decref(links);
			links = NULL;
		}
	}
	if (!links)
		return NULL;
	return json_pack(
	    "{s:s, s:o, s:b, s:s, s:b, s:b, s:s, s:I, s:s, s:s, s:i, s:i, s:i, s:I, s:s, s:o}",
	    "transport", e->transport, "links", links, "registered", (int)e->registered,
	    "registered_why", e->registered_why, "copy_engine", (int)e->copy_engine,
	    "symmetric", (int)e->symmetric, "version", e->version, "unread",
	    (json_int_t)e->unread, "data_path", path_data_name(e->data), "why", e->why,
	    "coll_channels", (int)e->coll_channels, "p2p_channels", (int)e->p2p_channels,
	    "p2p_channels_per_peer", (int)e->p2p_channels_per_peer, "p2p_chunk_bytes",
	    (json_int_t)e->p2p_chunk_bytes, "algorithms", e->algorithms, "settings",
	    settings_json(e));
}

static int text_copy(const char *from, char *to, size_t bytes, struct status *st)
{
	if (strlen(from) >= bytes)
		return status_set(st, "path: '%.40s…' is too long, allowed are %zu characters",
		                  from, bytes - 1);
	strcpy(to, from);
	return 0;
}

static int link_unpack(json_t *json, struct path_link *link, struct status *st)
{
	json_error_t error;
	const char *via;
	int from, to, channels;
	if (json_unpack_ex(json, &error, 0, "{s:i, s:i, s:s, s:i}", "from", &from, "to", &to,
	                   "via", &via, "channels", &channels))
		return status_set(st, "path: a link: %s", error.text);
	if (from < 0 || to < 0 || from == to || channels < 1)
		return status_set(st,
		                  "path: a link from %d to %d over %d channels: two ranks and "
		                  "at least one channel are allowed",
		                  from, to, channels);
	*link = (struct path_link){
	    .from = (unsigned)from, .to = (unsigned)to, .channels = (unsigned)channels};
	return text_copy(via, link->via, sizeof link->via, st);
}

static int links_unpack(const json_t *list, struct path *e, struct status *st)
{
	size_t n = json_array_size(list);
	if (!json_is_array(list) || n > UINT_MAX)
		return status_set(st, "path: links must be a list");
	e->links = calloc(n ? n : 1, sizeof *e->links);
	if (!e->links)
		return status_set(st, "out of memory");
	for (; e->nlinks < n; e->nlinks++)
		if (link_unpack(json_array_get(list, e->nlinks), &e->links[e->nlinks], st))
			return -1;
	return 0;
}

static int data_unpack(const char *name, struct path *e, struct status *st)
{
	for (int d = 0; d < PATH_DATA_KINDS; d++) {
		if (strcmp(path_data_name((enum path_data)d), name))
			continue;
		e->data = (enum path_data)d;
		return 0;
	}
	return status_set(st, "path: data_path is '%.40s', allowed are direct, staged, unknown",
	                  name);
}

static int setting_unpack(json_t *json, struct path_setting *s, struct status *st)
{
	const char *key, *asked, *used, *act, *fact, *why;
	json_error_t error;
	unsigned a = 0;
	if (json_unpack_ex(json, &error, 0, "{s:s, s:s, s:s, s:s, s:s, s:s}", "key", &key,
	                   "asked", &asked, "used", &used, "act", &act, "fact", &fact, "why",
	                   &why))
		return status_set(st, "path: a setting: %s", error.text);
	while (a < PATH_ACTS && strcmp(act, path_act_name((enum path_act)a)))
		a++;
	if (a == PATH_ACTS)
		return status_set(
		    st, "path: act is '%.40s', allowed are as asked, capped, ignored", act);
	s->act = (enum path_act)a;
	return text_copy(key, s->key, sizeof s->key, st) ||
	               text_copy(asked, s->asked, sizeof s->asked, st) ||
	               text_copy(used, s->used, sizeof s->used, st) ||
	               text_copy(fact, s->fact, sizeof s->fact, st) ||
	               text_copy(why, s->why, sizeof s->why, st)
	           ? -1
	           : 0;
}

/* Older records have none of it. */
static int made_unpack(const json_t *json, struct path *e, struct status *st)
{
	const char *algorithms = "";
	int coll = 0, p2p = 0, peer = 0;
	json_int_t chunk = 0;
	json_t *list = NULL;
	json_error_t error;
	if (json_unpack_ex((json_t *)json, &error, 0, "{s?i, s?i, s?i, s?I, s?s, s?o}",
	                   "coll_channels", &coll, "p2p_channels", &p2p,
	                   "p2p_channels_per_peer", &peer, "p2p_chunk_bytes", &chunk,
	                   "algorithms", &algorithms, "settings", &list))
		return status_set(st, "path: %s", error.text);
	if (coll < 0 || p2p < 0 || peer < 0 || chunk < 0 || (list && !json_is_array(list)))
		return status_set(st, "path: channels, chunk or settings are out of range");
	e->coll_channels = (unsigned)coll;
	e->p2p_channels = (unsigned)p2p;
	e->p2p_channels_per_peer = (unsigned)peer;
	e->p2p_chunk_bytes = (unsigned long long)chunk;
	size_t n = json_array_size(list);
	e->settings = n ? calloc(n, sizeof *e->settings) : NULL;
	if (n && !e->settings)
		return status_set(st, "out of memory");
	for (; e->nsettings < n; e->nsettings++)
		if (setting_unpack(json_array_get(list, e->nsettings),
		                   &e->settings[e->nsettings], st))
			return -1;
	return text_copy(algorithms, e->algorithms, sizeof e->algorithms, st);
}

int path_from_json(const json_t *json, struct path *out, struct status *st)
{
	struct path e = {0};
	const char *transport, *registered_why, *version = "", *data, *why;
	int registered, copy_engine, symmetric = 0;
	json_int_t unread = 0;
	json_t *links;
	json_error_t error;
	/* jansson's unpacking changes nothing, but takes no const. */
	if (json_unpack_ex((json_t *)json, &error, 0,
	                   "{s:s, s:o, s:b, s:s, s:b, s?b, s?s, s?I, s:s, s:s}", "transport",
	                   &transport, "links", &links, "registered", &registered,
	                   "registered_why", &registered_why, "copy_engine", &copy_engine,
	                   "symmetric", &symmetric, "version", &version, "unread", &unread,
	                   "data_path", &data, "why", &why))
		return status_set(st, "path: %s", error.text);
	if (unread < 0 || unread > UINT_MAX)
		return status_set(st, "path: unread is out of range");
	e.registered = registered;
	e.copy_engine = copy_engine;
	e.symmetric = symmetric;
	e.unread = (unsigned)unread;
	if (text_copy(transport, e.transport, sizeof e.transport, st) ||
	    text_copy(registered_why, e.registered_why, sizeof e.registered_why, st) ||
	    text_copy(version, e.version, sizeof e.version, st) ||
	    text_copy(why, e.why, sizeof e.why, st) || data_unpack(data, &e, st) ||
	    links_unpack(links, &e, st) || made_unpack(json, &e, st)) {
		path_free(&e);
		return -1;
	}
	*out = e;
	return 0;
}
