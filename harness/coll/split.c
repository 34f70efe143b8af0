#include "split.h"

#include <ctype.h>
#include <strings.h>

static const char *const names[SPLIT_KINDS] = {"none", "AND", "OR", "MOD", "DIV"};
static const char symbols[SPLIT_KINDS] = {'\0', '&', '|', '%', '/'};

/* The text after the operation's name, in either case, or its symbol; NULL: another one. */
static const char *after_operation(const char *text, enum split_op op)
{
	size_t n = strlen(names[op]);
	if (!strncasecmp(text, names[op], n))
		return text + n;
	return text[0] == symbols[op] ? text + 1 : NULL;
}

/* A number as nccl-tests writes it: 10, 0x7, 0b11. -1: not a number. */
static int number_parse(const char *text, unsigned long *out)
{
	bool binary = text[0] == '0' && (text[1] == 'b' || text[1] == 'B');
	const char *digits = binary ? text + 2 : text;
	char *end;
	if (!isdigit((unsigned char)digits[0]))
		return -1;
	*out = strtoul(digits, &end, binary ? 2 : 0);
	return *end ? -1 : 0;
}

int split_parse(const char *text, struct split *out, struct status *st)
{
	if (!strcmp(text, names[SPLIT_NONE])) {
		*out = (struct split){SPLIT_NONE, 0};
		return 0;
	}
	for (int op = SPLIT_AND; op < SPLIT_KINDS; op++) {
		const char *rest = after_operation(text, (enum split_op)op);
		unsigned long number;
		if (!rest)
			continue;
		rest += *rest == ':' ? 1 : strspn(rest, " ");
		if (number_parse(rest, &number) || number > 65535 ||
		    (op >= SPLIT_MOD && number == 0))
			break;
		*out = (struct split){(enum split_op)op, (unsigned)number};
		return 0;
	}
	return status_set(st,
	                  "split = '%.64s' is not allowed; allowed is none, or AND, OR, MOD or DIV "
	                  "with a number, as in MOD:2 or AND:0x3",
	                  text);
}

void split_text(struct split split, char *out, size_t bytes)
{
	if (split.op == SPLIT_NONE)
		snprintf(out, bytes, "%s", names[SPLIT_NONE]);
	else
		snprintf(out, bytes, "%s:%u", names[split.op], split.number);
}

static unsigned color_of(struct split split, unsigned rank)
{
	switch (split.op) {
	case SPLIT_AND:
		return rank & split.number;
	case SPLIT_OR:
		return rank | split.number;
	case SPLIT_MOD:
		return rank % split.number;
	case SPLIT_DIV:
		return rank / split.number;
	case SPLIT_NONE:
	case SPLIT_KINDS:
		break;
	}
	return 0;
}

struct split_place split_place(struct split split, unsigned nranks, unsigned rank)
{
	struct split_place g = {.color = color_of(split, rank)};
	for (unsigned r = 0; r < nranks; r++) {
		if (color_of(split, r) != g.color)
			continue;
		g.index += r < rank;
		g.size++;
	}
	return g;
}

unsigned split_peer(struct split split, unsigned nranks, unsigned color, unsigned index)
{
	for (unsigned r = 0; r < nranks; r++)
		if (color_of(split, r) == color && index-- == 0)
			return r;
	return nranks;
}

int split_size(struct split split, unsigned nranks, unsigned *out, struct status *st)
{
	unsigned size = split_place(split, nranks, 0).size;
	char text[32];
	split_text(split, text, sizeof text);
	for (unsigned r = 0; r < nranks; r++)
		if (split_place(split, nranks, r).size != size)
			return status_set(st,
			                  "split = %s makes groups of different sizes out of %u "
			                  "ranks; allowed are splits into equal groups",
			                  text, nranks);
	if (size < 2 && nranks > 1)
		return status_set(
		    st, "split = %s makes groups of one rank out of %u; allowed are 2 and up", text,
		    nranks);
	*out = size;
	return 0;
}
