/* The chapters of a report, one file and one row each: what a report answers, in the order of its
 * sections. To remove a chapter, remove its row. */
#ifndef LAUNCHGAP_CHAPTERS_H
#define LAUNCHGAP_CHAPTERS_H

#include "../story/story.h"

const struct chapter *const *chapters_all(unsigned *n);
/* NULL: no chapter has that name. */
const struct chapter *chapters_find(const char *name);

// clang-format off
extern const struct chapter
    chapter_run,
    chapter_noise,
    chapter_tuning,
    chapter_training,
    chapter_crossovers,
    chapter_ways,
    chapter_versions,
    chapter_gap,
    chapter_results,
    chapter_ran,
    chapter_path,
    chapter_normal,
    chapter_scatter,
    chapter_captions,
    chapter_calls,
    chapter_method,
    chapter_advice,
    chapter_warnings,
    chapter_unfinished,
    chapter_quick;
// clang-format on

#endif
