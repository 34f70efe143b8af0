/* The record that the tests of pictures draw, in two files. */
#pragma once

#include "made.h"

static void stamps(const struct made_place *place, int64_t out[6])
{
	static const int64_t speed[] = {200, 100, 101, 100, 50};
	out[2] = (1000 + ((int64_t)40 << place->size)) * speed[place->variant] + place->block +
	         40 * place->rank;
}

static const struct made plain = {
    .blocks = 6, .sizes = 3, .cores = 8, .timeline = true, .stamps = stamps};
