#include "address.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>

#define LIST_END ","

/* Of the first address of a list. Several colons are an IPv6 host without a port. */
static int split(const char *text, char host[ADDRESS_BYTES], char port[8], struct status *st)
{
	const size_t n = strcspn(text, LIST_END);
	char one[ADDRESS_BYTES], *colon = NULL, *at = one;
	if (n >= sizeof one)
		return status_set(st, "an address has %zu characters; allowed are %zu", n,
		                  sizeof one - 1);
	snprintf(one, sizeof one, "%.*s", (int)n, text);
	if (*one == '[') {
		at = strchr(one, ']');
		if (!at || (at[1] && at[1] != ':'))
			return status_set(st, "%s is no address: [IPv6]:port or host:port", one);
		colon = at[1] ? at + 1 : NULL;
		*at = '\0';
		at = one + 1;
	} else if (strchr(one, ':') == strrchr(one, ':')) {
		colon = strchr(one, ':');
	}
	if (colon) {
		char *rest;
		*colon = '\0';
		unsigned long number = strtoul(colon + 1, &rest, 10);
		if (strspn(colon + 1, "0123456789") == 0 || *rest || number > 65535)
			return status_set(st, "%.*s has the port %s; allowed are 0 to 65535",
			                  (int)n, text, colon + 1);
		snprintf(port, 8, "%lu", number);
	} else {
		snprintf(port, 8, "%d", ADDRESS_PORT);
	}
	snprintf(host, ADDRESS_BYTES, "%s", strcmp(at, "*") ? at : "");
	return 0;
}

/* What has a colon and is no IPv6 address, but for its %scope, is no name. */
static bool is_odd(const char *host)
{
	char bare[ADDRESS_BYTES];
	struct in6_addr ignored;
	snprintf(bare, sizeof bare, "%.*s", (int)strcspn(host, "%"), host);
	return strchr(host, ':') && inet_pton(AF_INET6, bare, &ignored) != 1;
}

int address_check(const char *list, struct status *st)
{
	static const char letters[] =
	    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.:%";
	char host[ADDRESS_BYTES], port[8];
	if (!*list)
		return status_set(st, "the address is empty; wanted is HOST or HOST:PORT");
	while (*list) {
		if (split(list, host, port, st))
			return -1;
		if (host[strspn(host, letters)] || is_odd(host))
			return status_set(st, "%s is no address; wanted is HOST or HOST:PORT",
			                  host);
		if (!strcmp(port, "0"))
			return status_set(
			    st, "%s has the port 0, where none is reached; allowed are 1 to 65535",
			    list);
		list += strcspn(list, LIST_END);
		list += *list == ',';
	}
	return 0;
}

int address_resolve(const char **list, struct addrinfo **out, struct status *st)
{
	char host[ADDRESS_BYTES], port[8];
	const struct addrinfo hints = {
	    .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
	const char *text = *list;
	*list += strcspn(text, LIST_END);
	*list += **list == ',';
	if (split(text, host, port, st))
		return -1;
	int error = getaddrinfo(host[0] ? host : "localhost", port, &hints, out);
	if (error)
		return status_set(st, "%s: %s", host, gai_strerror(error));
	return 0;
}

bool address_is_any(const char *text, char port[8])
{
	char host[ADDRESS_BYTES];
	struct status st = {""};
	return !split(text, host, port, &st) &&
	       (!host[0] || !strcmp(host, "0.0.0.0") || !strcmp(host, "::"));
}

int address_to_listen(const char *text, char out[ADDRESS_BYTES], struct status *st)
{
	char host[ADDRESS_BYTES], port[8];
	if (split(text, host, port, st))
		return -1;
	const bool loopback = !strcmp(host, "localhost") || !strcmp(host, "::1") ||
	                      (!strncmp(host, "127.", 4) && strcmp(host, "127.0.1.1"));
	snprintf(out, ADDRESS_BYTES, strchr(host, ':') && loopback ? "[%.*s]:%s" : "%.*s:%s",
	         loopback ? ADDRESS_BYTES - 16 : 0, host, port);
	return 0;
}

static void put(const struct sockaddr *address, socklen_t bytes, const char *port,
                char text[ADDRESS_BYTES])
{
	char host[INET6_ADDRSTRLEN + IF_NAMESIZE], own[8];
	const int flags = NI_NUMERICHOST | NI_NUMERICSERV;
	if (getnameinfo(address, bytes, host, sizeof host, own, sizeof own, flags)) {
		snprintf(text, ADDRESS_BYTES, "?");
		return;
	}
	/* IPv4 at a socket of both. */
	const char *at = strncmp(host, "::ffff:", 7) ? host : host + 7;
	snprintf(text, ADDRESS_BYTES, strchr(at, ':') ? "[%s]:%s" : "%s:%s", at, port ? port : own);
}

void address_of(int fd, bool peer, char text[ADDRESS_BYTES])
{
	struct sockaddr_storage address = {.ss_family = AF_UNSPEC};
	socklen_t bytes = sizeof address;
	(peer ? getpeername : getsockname)(fd, (struct sockaddr *)&address, &bytes);
	put((struct sockaddr *)&address, bytes, NULL, text);
}

/* When an interface's address is listed: 0 first; -1: never. */
static int place(const struct ifaddrs *i, int family)
{
	const struct sockaddr *a = i->ifa_addr;
	if (!a || !(i->ifa_flags & IFF_UP) || (a->sa_family != AF_INET && a->sa_family != family))
		return -1;
	if (a->sa_family == AF_INET6 &&
	    IN6_IS_ADDR_LINKLOCAL(&((const struct sockaddr_in6 *)a)->sin6_addr))
		return -1;
	if (i->ifa_flags & IFF_LOOPBACK)
		return 2;
	return !strncmp(i->ifa_name, "docker", 6) || !strncmp(i->ifa_name, "virbr", 5);
}

void address_list(int fd, char text[ADDRESS_BYTES])
{
	struct sockaddr_storage own = {.ss_family = AF_UNSPEC};
	socklen_t bytes = sizeof own;
	struct ifaddrs *all = NULL;
	char listening[ADDRESS_BYTES];
	address_of(fd, false, listening);
	getsockname(fd, (struct sockaddr *)&own, &bytes);
	const char *port = strrchr(listening, ':');
	text[0] = '\0';
	if (port && getifaddrs(&all))
		all = NULL;
	for (int now = 0; now < (text[0] ? 2 : 3); now++)
		for (struct ifaddrs *i = all; i; i = i->ifa_next) {
			char one[ADDRESS_BYTES];
			if (place(i, own.ss_family) != now)
				continue;
			put(i->ifa_addr,
			    i->ifa_addr->sa_family == AF_INET ? sizeof(struct sockaddr_in)
			                                      : sizeof(struct sockaddr_in6),
			    port + 1, one);
			if (strlen(text) + strlen(one) + 1 < ADDRESS_BYTES)
				status_add(text, ADDRESS_BYTES, "%s%s", text[0] ? "," : "", one);
		}
	freeifaddrs(all);
	if (!text[0])
		snprintf(text, ADDRESS_BYTES, "%s", listening);
}
