/* What reports say of a verdict. */
#pragma once

#include "../analysis/claims.h"
#include "format.h"

#define VERDICT_TEXT_BYTES 192

/* `faster`, `slower by little`, `no difference`, `undecided`, …: no figures. */
const char *verdict_word(enum verdict_kind kind);
/* VERDICT_KINDS: none has it. */
enum verdict_kind verdict_by_word(const char *word);
/* `faster`, `slower, by under 2 %`, `no difference within 2 %`, `undecided, probably slower:
 * differences under 6 % cannot be seen; needs about 7 more blocks`, `… needs more than 1000 more
 * blocks: a quieter machine, or a margin of 31 %`. */
void verdict_text(const struct verdict *verdict, char *out, size_t bytes);
/* "block 4 differs (0.172; the others 0.994 to 1.01)"; "" without one. */
void verdict_odd_text(const struct verdict_odd *odd, char *out, size_t bytes);
/* "holds", "less, but not below 0.980", "does not hold", "undecided,
 * probably less: differences under 6 % cannot be seen; needs about 7 more blocks", …. */
const char *verdict_claim_text(struct arena *arena, const struct claims_result *result);
/* The ratios at which it holds: "below 0.980", "0.980 to 1.020"; "": it has no test. */
void verdict_claim_limits(const struct claim *claim, char *out, size_t bytes);
