/* A cell: what its calls will do, what is put into the buffers and what must be found there.
 * Never in a timed call. */
#include "host.h"

static struct buffers buffers_of(const struct backend_ctx *ctx, const struct host_rank *rank)
{
	const struct cell *cell = &ctx->call.cell;
	const struct host_place *at = &ctx->comms[HOST_MAIN].places[rank->rank];
	const struct host_buffers *own = &rank->parts[HOST_MAIN].own;

	return (struct buffers){
	    .question = buffers_question(ctx->place.trial, cell, &ctx->call.parts,
	                                 ctx->call.nranks, at->index, at->color, ctx->seed),
	    .span = coll_span(cell, &ctx->call.parts, ctx->call.nranks, at->index),
	    .in_place = cell->in_place,
	    .slots = ctx->slots,
	    .send = (char *)own->send,
	    .recv = (char *)own->recv,
	};
}

/* Whoever reads this worker's buffers is through with them. Only the limit needs the wait:
 * after a handshake it is over at once. */
static int wait_readers(const struct backend_ctx *ctx, struct status *st)
{
	for (unsigned peer = 0; ctx->transport != HOST_FIFO && peer < ctx->place.nranks; peer++)
		while (atomic_load_explicit(&host_flags(ctx, peer)->of[HOST_MAIN].posted,
		                            memory_order_acquire) <
		       ctx->ranks[0].parts[HOST_MAIN].phases)
			if (team_pause(ctx->place.team) != 0)
				return status_set(st,
				                  "host: the team broke up between two cells");
	return 0;
}

void host_cell_plan(const struct host_comm *comm, const struct host_call *call, unsigned rank,
                    struct host_plan *plan)
{
	const struct host_place *at = &comm->places[rank];
	const unsigned *members = comm->members + at->first;

	plan->npulls = host_step_pulls(call, at->index, plan->pulls);
	plan->npushes = host_step_pushes(call, at->index, plan->pushes);
	for (unsigned m = 0; m < plan->npulls; m++)
		plan->pulls[m].peer = members[plan->pulls[m].place];
	for (unsigned m = 0; m < plan->npushes; m++)
		plan->pushes[m].peer = members[plan->pushes[m].place];
	/* What others pull is what this rank would push. */
	plan->reads = comm->waits ? plan->npushes : 0;
}

int host_cell_prepare(struct backend_ctx *ctx, const struct cell *cell, uint64_t seed,
                      unsigned slots, struct status *st)
{
	struct host_comm *comm = &ctx->comms[HOST_MAIN];

	if (wait_readers(ctx, st) != 0)
		return -1;
	ctx->call = host_call_of(ctx->place.trial, cell);
	comm->reduction = (struct host_reduction){cell->dtype, cell->op, comm->nranks};
	ctx->seed = seed;
	ctx->slots = slots;
	comm->phases = host_step_phases(&ctx->call);
	comm->waits = host_step_waits(cell->coll);
	ctx->access_stride = cell->coll == COLL_ACCESS ? ctx->place.trial->settings.stride : 0;
	host_tensor_plan(ctx);
	for (unsigned i = 0; i < ctx->place.count; i++) {
		host_cell_plan(comm, &ctx->call, ctx->ranks[i].rank, &ctx->ranks[i].plans[0]);
		ctx->ranks[i].parts[HOST_MAIN].plan = ctx->ranks[i].plans[0];
		host_work_plan(ctx, &ctx->ranks[i]);
		struct buffers buffers = buffers_of(ctx, &ctx->ranks[i]);

		buffers_fill(&buffers);
	}
	host_tensor_prepare(ctx);
	return 0;
}

int host_cell_check(struct backend_ctx *ctx, unsigned i, struct backend_verdict *out,
                    struct status *st)
{
	if (ctx->slots == 0)
		return status_set(st,
		                  "host: nothing was prepared, so there is nothing to check");
	struct buffers buffers = buffers_of(ctx, &ctx->ranks[i]);

	buffers_check(&buffers, out);
	host_tensor_check(ctx, i, out);
	return 0;
}

int host_cell_digest(struct backend_ctx *ctx, unsigned i, uint64_t *out, struct status *st)
{
	struct buffers buffers = buffers_of(ctx, &ctx->ranks[i]);
	(void)st;
	*out = buffers_digest(&buffers);
	return 0;
}
