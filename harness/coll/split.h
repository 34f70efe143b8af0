/* A communicator split into groups that work in parallel, as nccl-tests' NCCL_TESTS_SPLIT does:
 * ranks of the same colour (rank op number) form one, in order of rank. Pure. */
#pragma once

#include "../status.h"

enum split_op { SPLIT_NONE, SPLIT_AND, SPLIT_OR, SPLIT_MOD, SPLIT_DIV, SPLIT_KINDS };

struct split {
	enum split_op op;
	unsigned number;
};

struct split_place {
	unsigned color;
	unsigned size;  /* ranks of the group */
	unsigned index; /* the rank's place among them */
};

/* "AND:7", "MOD:2"; "none". Also in nccl-tests' form: "mod 2", "&0x7", "DIV0b10". */
int split_parse(const char *text, struct split *out, struct status *st);
void split_text(struct split split, char *out, size_t bytes);

struct split_place split_place(struct split split, unsigned nranks, unsigned rank);
/* The rank at a place of a group; nranks if there is no such place. */
unsigned split_peer(struct split split, unsigned nranks, unsigned color, unsigned index);
/* Ranks of a group if all groups have the same number, 2 and up; else -1 with a sentence. */
int split_size(struct split split, unsigned nranks, unsigned *out, struct status *st);
