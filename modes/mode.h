/* A mode places a host's workers; who starts processes is the launcher. */
#pragma once

#include "../harness/trial/settings.h"

struct mode {
	const char *name;
	const char *summary;
	/* Whether it can place workers in this layout of a host; the first that can is implied. */
	bool (*owns)(struct layout layout);
	/* The layout of `nranks` ranks of one host in this mode if none is given. */
	struct layout (*spread)(unsigned nranks);
};

extern const struct mode mode_single, mode_threads, mode_processes;
extern const struct mode *const mode_table[];
const struct mode *mode_find(const char *name);
const struct mode *mode_for_layout(struct layout layout, unsigned hosts);
/* Of so many hosts together; several with a rank each have a process per rank. */
bool mode_places(const struct mode *mode, struct layout layout, unsigned hosts);
/* By name, or "": by the layout of all hosts. NULL: there is none. */
const struct mode *mode_pick(const char *name, struct layout layout, unsigned hosts);
