/* What a backend is, by fields, so that nobody has to ask for its name. They are recorded with
 * the run: what reads a record relies on them, whatever this program's own backends are. */
#ifndef LAUNCHGAP_TRAITS_H
#define LAUNCHGAP_TRAITS_H

#include <jansson.h>
#include <stdbool.h>

struct backend_traits {
	bool carries_data; /* false: nothing to check, no digest */
	bool connects;     /* has communicators, for cells of `init` to make */
	bool launches;  /* a call is handed to a device, real or virtual, which does the work;
	                   false: the worker does it itself, while it polls */
	bool blocks;    /* a call is over when it has been issued: there is no launch to tell
	                   from it */
	bool helpers;   /* a thread of the library's own is at work for each rank in each call */
	bool traffics;  /* can be opened a second time beside itself, for traffic on its links */
	bool messages;  /* data goes in MPI's own messages, so that their speed counts */
	bool gpus;      /* a rank is a GPU; false: a rank is CPU memory or nothing */
	bool analogue;  /* stands in for GPUs: what it shows is a model of them */
	bool library;   /* loads a library, and heeds which one */
	bool logs_path; /* the library's log tells which way the data took */
	bool counts_copies; /* counts the bytes that it copies itself */
	bool injects;       /* can be slowed by a known delay (key `extra`) */

	/* For people, not recorded; NULL: nothing of its own to say. */
	const char *cliff_advice;  /* what to look at where bandwidth falls off */
	const char *channels_advice; /* which setting moves a step of its channels */
	const char *faults_advice; /* what page faults in timed calls mean */
};

/* The recorded fields. A new reference, NULL when memory is out. */
json_t *traits_to_json(const struct backend_traits *traits);
/* Sets the fields that `from` has and leaves the others. NULL, or the key of one that is
 * neither true nor false. */
const char *traits_from_json(const json_t *from, struct backend_traits *traits);

#endif
