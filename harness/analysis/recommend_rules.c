#include "recommend_rules.h"

#include <string.h>

static bool is_single(const struct settings *s)
{
	return !strcmp(s->mode, "single");
}
static bool is_threads(const struct settings *s)
{
	return !strcmp(s->mode, "threads");
}
static bool is_processes(const struct settings *s)
{
	return !strcmp(s->mode, "processes");
}
static bool is_several(const struct settings *s)
{
	return is_threads(s) || is_processes(s);
}
/* On host the one worker moves all ranks' data: that it is slow says nothing of launching. */
static bool is_single_launch(const struct settings *s)
{
	return is_single(s) && strcmp(s->backend, "host") != 0;
}
static bool is_unregistered(const struct settings *s)
{
	return s->registration == REGISTER_NONE;
}
static bool is_registered(const struct settings *s)
{
	return s->registration != REGISTER_NONE;
}
static bool is_single_eager(const struct settings *s)
{
	return is_single(s) && !s->graph;
}
static bool is_single_graph(const struct settings *s)
{
	return is_single(s) && s->graph;
}
static bool is_single_grouped(const struct settings *s)
{
	return is_single(s) && !strcmp(s->api, "grouped");
}
static bool is_single_native(const struct settings *s)
{
	return is_single(s) && !strcmp(s->api, "native");
}
static bool is_unbound(const struct settings *s)
{
	return s->bind == BIND_NONE;
}
static bool is_bound(const struct settings *s)
{
	return s->bind != BIND_NONE;
}

static const struct recommend_rule rules[] = {
    {"register", is_unregistered, is_registered, METRIC_BUSBW, RECOMMEND_LARGE, false, false,
     "Register the user buffers for large sizes"},
    {"mode", is_processes, is_threads, METRIC_BUSBW, RECOMMEND_LARGE, false, true,
     "Use one process with a thread per rank rather than a process per rank for large sizes, "
     "with this library and path"},
    {"mode", is_threads, is_processes, METRIC_BUSBW, RECOMMEND_LARGE, false, true,
     "Use a process per rank rather than threads for large sizes, with this library and path"},
    {"mode", is_threads, is_processes, METRIC_BUSBW, RECOMMEND_LARGE, true, true,
     "Threads or processes make no difference for large sizes here: choose by convenience"},
    {"mode", is_single_launch, is_several, METRIC_LATENCY, RECOMMEND_SMALL, false, true,
     "Launch from several workers rather than from one thread for small sizes"},
    {"graph", is_single_eager, is_single_graph, METRIC_TIME, RECOMMEND_SMALL, false, false,
     "Replay small calls from a CUDA graph where one thread launches for all ranks"},
    {"api", is_single_grouped, is_single_native, METRIC_TIME, RECOMMEND_SMALL, false, false,
     "Call the library's native collective rather than grouped sends and receives where one "
     "thread launches for all ranks"},
    {"bind", is_unbound, is_bound, METRIC_TIME, RECOMMEND_EVERY, false, false,
     "Bind the workers to cores"},
};

const struct recommend_rule *recommend_rule(unsigned i)
{
	return i < sizeof rules / sizeof *rules ? &rules[i] : NULL;
}
