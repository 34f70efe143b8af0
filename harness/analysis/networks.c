#include "networks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../arena.h"

/* The first cell that a trial on several hosts measured; NULL: there is none. */
static const struct record_cell *first_cell(const struct record_run *run, const char *variant)
{
	for (unsigned i = 0; i < run->ncells; i++) {
		const struct record_cell *c = &run->cells[i];
		if (!strcmp(c->variant, variant) && c->nhosts && !c->error[0])
			return c;
	}
	return NULL;
}

/* A fact of a host's first worker; NULL: not recorded. */
static const char *host_fact(const struct record_cell *c, unsigned host, const char *key)
{
	const json_t *facts = json_object_get(c->json, "facts");
	const size_t worker = json_array_size(facts) / c->nhosts * host;
	return json_string_value(json_object_get(json_array_get(facts, worker), key));
}

static double cards_gbs(const char *list, bool verbs, unsigned *cards)
{
	double mbps = 0;
	for (const char *at = list; at && *at;
	     at = strstr(at, ", ") ? strstr(at, ", ") + 2 : NULL) {
		const char *name = at + (strncmp(at, "IB ", 3) ? 0 : 3);
		if ((name != at) != verbs)
			continue;
		mbps += atof(name + strcspn(name, " "));
		++*cards;
	}
	return mbps > 0 ? mbps / 8000 : NAN;
}

/* The boot of a host, which follows its name; "": hosts that a machine pretends to be. */
static const char *boot_of(const struct record_cell *c, unsigned host)
{
	const char *name = host_fact(c, host, "host"), *boot = name ? strchr(name, ' ') : NULL;
	return boot ? boot : "";
}

/* Whether each host is a separate machine: between others data takes no card. */
static bool are_machines(const struct record_cell *c)
{
	for (unsigned i = 0; i < c->nhosts; i++)
		for (unsigned j = 0; j <= i; j++)
			if (!*boot_of(c, i) || (j < i && !strcmp(boot_of(c, i), boot_of(c, j))))
				return false;
	return true;
}

struct networks networks_of(const struct record_run *run, const char *variant,
                            const char *transport, struct arena *arena)
{
	const struct record_cell *c = first_cell(run, variant);
	const bool verbs = !strncmp(transport, "NET/IB", 6),
	           sockets = !strncmp(transport, "NET/Socket", 10);
	struct networks out = {
	    .gbs = NAN, .text = "", .why = "the record has no rates of its hosts' network cards"};
	unsigned least = 0;
	if (!c || c->nhosts < 2)
		return out;
	out.hosts = c->nhosts;
	out.ranks = c->nranks / c->nhosts;
	if (!are_machines(c))
		out.why = "its hosts are one machine, where data takes no network card";
	else if (!verbs && !sockets)
		out.why = "the log names no network between its hosts";
	if (!are_machines(c) || (!verbs && !sockets))
		return out;
	for (unsigned host = 0; host < c->nhosts; host++) {
		unsigned cards = 0;
		const double gbs = cards_gbs(host_fact(c, host, "host_networks"), verbs, &cards);
		if (!host || !(gbs >= out.gbs)) {
			out.gbs = gbs;
			least = cards;
		}
		if (isnan(gbs))
			return out;
	}
	out.why = NULL;
	out.text = arena_text(arena, "%u %s%s a host (%.3g GB/s%s)", least,
	                      verbs ? "IB card" : "network card", least == 1 ? "" : "s", out.gbs,
	                      least == 1 ? "" : " together");
	return out;
}

double networks_rate(const struct networks *of, enum coll_kind coll, bool adds)
{
	const double k = of->ranks, n = k * of->hosts, gbs = of->gbs;
	switch (coll) {
	case COLL_ALL_REDUCE:
		return gbs * (n - 1) / (adds ? n / 2 : n - k);
	case COLL_ALL_GATHER:
	case COLL_REDUCE_SCATTER:
	case COLL_GATHER:
	case COLL_SCATTER:
		return gbs * (n - 1) / (n - k);
	case COLL_ALLTOALL:
		return gbs * (n - 1) / (k * (n - k));
	case COLL_BROADCAST:
	case COLL_REDUCE:
	case COLL_SENDRECV:
		return gbs;
	default:
		return NAN;
	}
}
