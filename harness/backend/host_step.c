#include "host_step.h"

unsigned host_step_phases(enum coll_kind coll)
{
	return coll == COLL_ALL_REDUCE ? 2 : 1;
}

bool host_step_waits(enum coll_kind coll)
{
	return coll != COLL_COPY;
}

const char *host_step_refuses(unsigned nranks, size_t bytes, size_t element_bytes)
{
	if (bytes == 0 || bytes % (nranks * element_bytes) != 0)
		return "the host backend needs sizes that are whole elements for every rank";
	return NULL;
}

/* all_reduce: rank reduces its part from everybody, then gathers the others' parts. */
static struct host_step all_reduce(size_t part, unsigned rank, unsigned source, unsigned phase)
{
	if (phase == 0)
		return (struct host_step){.bytes = part,
		                          .from = rank * part,
		                          .to = rank * part,
		                          .side = HOST_SEND,
		                          .reduce = source != rank};
	return (struct host_step){.bytes = source == rank ? 0 : part,
	                          .from = source * part,
	                          .to = source * part,
	                          .side = HOST_RECV};
}

struct host_step host_step(enum coll_kind coll, unsigned nranks, size_t bytes, unsigned rank,
                           unsigned source, unsigned phase)
{
	size_t part = bytes / nranks;

	switch (coll) {
	case COLL_ALLTOALL:
		return (struct host_step){
		    .bytes = part, .from = rank * part, .to = source * part, .side = HOST_SEND};
	case COLL_ALL_REDUCE:
		return all_reduce(part, rank, source, phase);
	case COLL_SENDRECV:
	case COLL_COPY:
		if (source == (rank + nranks - 1) % nranks)
			return (struct host_step){.bytes = bytes, .side = HOST_SEND};
		break;
	case COLL_KINDS:
		break;
	}
	return (struct host_step){0};
}

unsigned host_step_pulls(enum coll_kind coll, unsigned nranks, size_t bytes, unsigned rank,
                         struct host_move *out)
{
	unsigned count = 0;

	for (unsigned phase = 0; phase < host_step_phases(coll); phase++) {
		for (unsigned turn = 0; turn < nranks; turn++) {
			unsigned source = (rank + nranks - turn) % nranks;
			struct host_step step =
			    host_step(coll, nranks, bytes, rank, source, phase);

			if (step.bytes > 0)
				out[count++] = (struct host_move){source, phase, step};
		}
	}
	return count;
}

unsigned host_step_pushes(enum coll_kind coll, unsigned nranks, size_t bytes, unsigned rank,
                          struct host_move *out)
{
	unsigned count = 0;

	for (unsigned phase = 0; phase < host_step_phases(coll); phase++) {
		for (unsigned turn = 1; turn < nranks; turn++) {
			unsigned target = (rank + turn) % nranks;
			struct host_step step =
			    host_step(coll, nranks, bytes, target, rank, phase);

			if (step.bytes > 0)
				out[count++] = (struct host_move){target, phase, step};
		}
	}
	return count;
}
