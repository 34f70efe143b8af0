/* The GPUs of a machine and what joins them, as NVML says it. */
#ifndef LAUNCHGAP_NVML_LINKS_H
#define LAUNCHGAP_NVML_LINKS_H

#include <jansson.h>

/* {"gpus": […], "pairs": […]} in the form of record/topology.h, less what hwloc adds; what NVML
 * does not say is left out. NULL where the library or GPUs are missing, or memory is out. Wakes
 * the GPUs: takes a second where nothing else holds them. The caller's reference. */
json_t *nvml_links_read(const char *library);

#endif
