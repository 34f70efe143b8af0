/* Where a section or a key stands, for errors, also those found later. */
#ifndef LAUNCHGAP_SPEC_PLACE_H
#define LAUNCHGAP_SPEC_PLACE_H

struct spec_place {
	unsigned file; /* 0: the experiment's own, n: its base n - 1 */
	unsigned line; /* 0: the command line */
};

#endif
