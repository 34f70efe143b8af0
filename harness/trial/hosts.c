#include "hosts.h"

#include <ctype.h>

#include "../sanitize.h"

#define FILE_MAX_BYTES (1 << 20)

bool hosts_named(const char *hosts)
{
	return hosts[0] && hosts[strspn(hosts, "0123456789")];
}

unsigned hosts_count(const char *hosts)
{
	unsigned n = 1;
	if (hosts[0] && !hosts_named(hosts))
		return (unsigned)strtoul(hosts, NULL, 10);
	for (const char *c = hosts; *c; c++)
		n += *c == ',';
	return n;
}

/* NAME or NAME:SLOTS. A name begins with no '-', so that no program takes it for an option. */
static bool is_host(const char *at, size_t bytes)
{
	size_t n = strcspn(at, ":"), slots;
	n = n < bytes ? n : bytes;
	for (size_t i = 0; i < n; i++)
		if (!isalnum((unsigned char)at[i]) && !(i && strchr("-._", at[i])))
			return false;
	slots = n == bytes ? 0 : strspn(at + n + 1, "0123456789");
	return n && (n == bytes || (slots && slots < 6 && n + 1 + slots == bytes));
}

/* Adds NAME or NAME:SLOTS. One that is there already gets these slots more, one if none are said,
 * as Open MPI and PBS read it. False: there is no room. */
static bool list_add(char list[HOSTS_BYTES], const char *host, size_t bytes)
{
	const char *colon = memchr(host, ':', bytes);
	const size_t n = colon ? (size_t)(colon - host) : bytes;
	unsigned slots = colon ? (unsigned)atoi(colon + 1) : 0;
	char rest[HOSTS_BYTES] = "", *at = list;
	while (*at && (strncmp(at, host, n) || !strchr(":,", at[n]))) /* or the list's end */
		at += strcspn(at, ",") + (at[strcspn(at, ",")] == ',');
	if (*at) {
		snprintf(rest, sizeof rest, "%s", at + strcspn(at, ","));
		slots = (slots ? slots : 1) + (at[n] == ':' ? (unsigned)atoi(at + n + 1) : 1);
	}
	const size_t room = (size_t)(list + HOSTS_BYTES - at);
	const char *comma = at > list && !*at ? "," : "";
	const int put = slots ? snprintf(at, room, "%s%.*s:%u%s", comma, (int)n, host, slots, rest)
	                      : snprintf(at, room, "%s%.*s%s", comma, (int)n, host, rest);
	return (size_t)put < room;
}

static int list_read(const char *text, char out[HOSTS_BYTES], struct status *st)
{
	char list[HOSTS_BYTES] = "";
	for (const char *at = text; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
		const size_t n = strcspn(at, ",");
		if (!is_host(at, n))
			return status_set(st,
			                  "hosts = '%.60s' is not allowed; allowed is a number, a "
			                  "list as in a:8,b:8, @FILE of a host file, or this",
			                  text);
		if (!list_add(list, at, n))
			return status_set(st, "hosts has %zu bytes; allowed are up to %d",
			                  strlen(text), HOSTS_BYTES - 1);
	}
	strcpy(out, list);
	return 0;
}

/* A line of a host file, "name slots = 8 max_slots=16 # comment", as "name:8". False: none. */
static bool line_read(char *line, char *host, size_t bytes)
{
	static const char *const counts[] = {"slots", "cpu", "cpus", "count"};
	char name[256], key[32], value[32], slots[32] = "";
	int n;
	line[strcspn(line, "#\r\n")] = '\0';
	if (sscanf(line, "%255s%n", name, &n) != 1)
		return false;
	for (char *at = line + n; sscanf(at, " %31[^ \t=] = %31s%n", key, value, &n) == 2; at += n)
		for (unsigned i = 0; i < sizeof counts / sizeof *counts; i++)
			if (!strcmp(key, counts[i]))
				strcpy(slots, value);
	snprintf(host, bytes, "%s%s%s", name, slots[0] ? ":" : "", slots);
	return true;
}

static int file_read(const char *file, char out[HOSTS_BYTES], struct status *st)
{
	char line[512], host[300], list[HOSTS_BYTES] = "";
	bool fits = true, right = true;
	unsigned at = 0;
	const char *why;
	FILE *f = sanitize_stream(file, FILE_MAX_BYTES, &why);
	if (!f)
		return status_set(st, "hosts = @%s cannot be read: %s", file, why);
	while (fits && right && fgets(line, sizeof line, f)) {
		at++;
		if (!line_read(line, host, sizeof host))
			continue;
		right = is_host(host, strlen(host));
		fits = !right || list_add(list, host, strlen(host));
	}
	fclose(f);
	if (!right)
		return status_set(
		    st,
		    "hosts = @%s:%u: not a line of a host file; allowed is NAME, or NAME slots=N",
		    file, at);
	if (!fits)
		return status_set(st,
		                  "hosts = @%s has more than %d bytes of names; allowed is a "
		                  "number, and a launcher that has the hosts (srun, join)",
		                  file, HOSTS_BYTES - 1);
	if (!list[0])
		return status_set(st, "hosts = @%s has no host", file);
	strcpy(out, list);
	return 0;
}

int hosts_read(const char *text, char out[HOSTS_BYTES], struct status *st)
{
	if (!strcmp(text, "this") || !text[0]) {
		out[0] = '\0';
		return 0;
	}
	if (text[0] == '@')
		return file_read(text + 1, out, st);
	if (hosts_named(text))
		return list_read(text, out, st);
	unsigned long n = strlen(text) < 6 ? strtoul(text, NULL, 10) : 0;
	if (!n || n > HOSTS_MOST)
		return status_set(st, "hosts = '%.20s' is not allowed; allowed are 1 to %d", text,
		                  HOSTS_MOST);
	snprintf(out, HOSTS_BYTES, "%lu", n);
	if (n == 1)
		out[0] = '\0';
	return 0;
}
