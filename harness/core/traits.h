/* A backend's properties, so that no code tests its name; readers of a record rely on them. */
#pragma once

#include <jansson.h>

#include "../status.h"

struct backend_traits {
	bool carries_data; /* false: nothing to check */
	bool connects;     /* has communicators, for cells of `init` to make */
	bool launches;  /* a device, real or virtual, carries out a call; false: the worker does it
	                   itself, while it polls */
	bool blocks;    /* issuing a call also completes it: there is no separate launch */
	bool helpers;   /* a thread of the library works for each rank in each call */
	bool traffics;  /* can be opened a second time, for traffic on its links */
	bool messages;  /* data goes in MPI's own messages, so that their speed counts */
	bool gpus;      /* a rank is a GPU; false: a rank is CPU memory or nothing */
	bool analogue;  /* models GPUs: its results are a model's */
	bool library;   /* loads a library, which the key `library` chooses */
	bool logs_path; /* the library's log says which path the data took */
	bool counts_copies; /* counts the bytes that it copies itself */
};

/* A new reference, NULL when memory is out. */
json_t *traits_to_json(const struct backend_traits *traits);
/* Sets the fields that `from` has and leaves the others. */
int traits_from_json(const json_t *from, struct backend_traits *traits, struct status *st);
