#include "chapters.h"

static const struct chapter *const all[] = {
    &chapter_access,
};

const struct chapter *const *chapters_all(unsigned *n)
{
	*n = sizeof all / sizeof *all;
	return all;
}
