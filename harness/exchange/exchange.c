#include "exchange.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wire.h"

struct exchange {
	const struct exchange_way *way;
	void *of;
	unsigned rank, size;
	char secret[WIRE_SECRET_BYTES];
	struct status broken;
};

int exchange_make(const struct exchange_way *way, void *of, unsigned rank, unsigned size,
                  const char *secret, struct exchange **out, struct status *st)
{
	struct exchange *x = calloc(1, sizeof *x);
	if (!x) {
		way->close(of);
		return status_set(st, "out of memory");
	}
	*x = (struct exchange){.way = way, .of = of, .rank = rank, .size = size};
	snprintf(x->secret, sizeof x->secret, "%s", secret ? secret : "");
	*out = x;
	return 0;
}

unsigned exchange_rank(const struct exchange *x)
{
	return x->rank;
}

unsigned exchange_size(const struct exchange *x)
{
	return x->size;
}

const char *exchange_secret(const struct exchange *x)
{
	return x->secret[0] ? x->secret : NULL;
}

/* Whether a call may be made at all. */
static int check(struct exchange *x, size_t bytes, struct status *st)
{
	if (x->broken.text[0])
		return status_set(st, "%s", x->broken.text);
	if (bytes > EXCHANGE_MOST_BYTES / x->size)
		return status_set(st, "%zu bytes of each of %u ranks are too many for an exchange",
		                  bytes, x->size);
	return 0;
}

static int end(struct exchange *x, int failed, struct status *st)
{
	if (failed)
		status_set(st, "%s", x->broken.text);
	return failed ? -1 : 0;
}

int exchange_all(struct exchange *x, const void *mine, void *all, size_t bytes, struct status *st)
{
	if (check(x, bytes, st))
		return -1;
	return end(x, x->way->all(x->of, mine, all, bytes, &x->broken), st);
}

int exchange_first(struct exchange *x, void *data, size_t bytes, struct status *st)
{
	if (check(x, bytes, st))
		return -1;
	return end(x, x->way->first(x->of, data, bytes, &x->broken), st);
}

void exchange_close(struct exchange *x)
{
	if (!x)
		return;
	x->way->close(x->of);
	free(x);
}
