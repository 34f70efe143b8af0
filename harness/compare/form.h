/* What compare writes on stdout: for people in 80 columns, one JSON object, a page of Markdown. */
#ifndef LAUNCHGAP_FORM_H
#define LAUNCHGAP_FORM_H

enum compare_form { COMPARE_TEXT, COMPARE_JSON, COMPARE_MARKDOWN };

#endif
