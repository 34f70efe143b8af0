/* What the files of report.md share with each other and with nobody else. */
#ifndef LAUNCHGAP_MARKDOWN_PARTS_H
#define LAUNCHGAP_MARKDOWN_PARTS_H

#include "markdown.h"
#include "grid.h"

/* Writes the table and frees it. */
void markdown_table(FILE *out, struct grid *table);

/* A cell of a row that is written as it comes, for it holds sentences. */
void markdown_cell(FILE *out, const char *text);

/* "312 cells were checked, … : all right", or how many were wrong. */
void markdown_correct_line(const struct summary *summary, char *text, size_t bytes);

/* A section each. */
void markdown_asked(FILE *out, const struct summary *summary);
void markdown_how(FILE *out, const struct summary *summary);
/* Its last words are the next sentence's first: "launchgap abc, seed". */
void markdown_sessions(FILE *out, const struct summary *summary);
void markdown_variants(FILE *out, const struct summary *summary);
void markdown_system(FILE *out, const struct summary *summary);
void markdown_correct(FILE *out, const struct summary *summary);
void markdown_results(FILE *out, const struct summary *summary);
void markdown_cliffs(FILE *out, const struct summary *summary, const struct cliff *cliffs,
                     unsigned count);
void markdown_launch(FILE *out, const struct summary *summary);
void markdown_ranks(FILE *out, const struct summary *summary);
void markdown_memory(FILE *out, const struct summary *summary);
void markdown_gap(FILE *out, const struct summary *summary);
void markdown_versions(FILE *out, const struct summary *summary,
                       const struct versions *versions);
void markdown_evidence(FILE *out, const struct summary *summary, const struct evidence *evidence);
void markdown_factors(FILE *out, const struct summary *summary,
                      const struct findings *findings);
void markdown_claims(FILE *out, const struct summary *summary, const struct findings *findings);
void markdown_recommend(FILE *out, const struct summary *summary,
                        const struct findings *findings);

#endif
