#include "coll.h"

#include "routing.h"

#include <stdio.h>
#include <string.h>

#define PART_ALIGN 16 /* bytes; nccl-tests rounds each rank's part down to this */

// clang-format off
#define WHOLE       {SIDE_WHOLE, SIDE_WHOLE}
#define PART        {SIDE_PART, SIDE_PART}
#define NONE        {SIDE_NONE, SIDE_NONE}
#define ROOTS_WHOLE {SIDE_WHOLE, SIDE_NONE}

/* Name, summary, what it is, send side, receive side, busbw's factor. */
static const struct coll_info infos[COLL_KINDS] = {
    [COLL_ALL_REDUCE] = {"all_reduce", "every rank gets the reduction over all ranks", COLL_REDUCES | COLL_IN_PLACE | COLL_CHOSEN, WHOLE, WHOLE, {0, 2}},
    [COLL_ALL_GATHER] = {"all_gather", "every rank gets every rank's part", COLL_PARTED | COLL_IN_PLACE | COLL_CHOSEN, PART, WHOLE, {0, 1}},
    [COLL_REDUCE_SCATTER] = {"reduce_scatter", "every rank gets its part of the reduction", COLL_REDUCES | COLL_PARTED | COLL_IN_PLACE | COLL_CHOSEN, WHOLE, PART, {0, 1}},
    [COLL_BROADCAST] = {"broadcast", "every rank gets the root's buffer", COLL_ROOTED | COLL_IN_PLACE | COLL_CHOSEN, ROOTS_WHOLE, WHOLE, {1, 0}},
    [COLL_REDUCE] = {"reduce", "the root gets the reduction over all ranks", COLL_REDUCES | COLL_ROOTED | COLL_IN_PLACE | COLL_CHOSEN, WHOLE, ROOTS_WHOLE, {1, 0}},
    [COLL_ALLTOALL] = {"alltoall", "every rank sends a part of its buffer to every rank", COLL_PARTED, WHOLE, WHOLE, {0, 1}},
    [COLL_ALLTOALLV] = {"alltoallv", "alltoall with parts of different sizes (counts = …)", COLL_PARTED, WHOLE, WHOLE, {0, 1}},
    [COLL_SENDRECV] = {"sendrecv", "a ring: each rank sends to the next one", 0, WHOLE, WHOLE, {1, 0}},
    [COLL_SENDRECV_PAIRS] = {"sendrecv_pairs", "ranks 0 and 1, 2 and 3 … send to each other", 0, WHOLE, WHOLE, {1, 0}},
    [COLL_SENDRECV_BOTH] = {"sendrecv_both", "a ring both ways: half to each neighbour", 0, WHOLE, WHOLE, {1, 0}},
    [COLL_SENDRECV_HALVES] = {"sendrecv_halves", "each rank and the one half of the ranks further send to each other", 0, WHOLE, WHOLE, {1, 0}},
    [COLL_PAIR] = {"pair", "each rank sends to each other one, a pair at a time", COLL_PAIRS, WHOLE, WHOLE, {1, 0}},
    [COLL_PINGPONG] = {"pingpong", "there and back: two ranks, a pair at a time", COLL_PAIRS | COLL_ROUNDS, WHOLE, WHOLE, {2, 0}},
    [COLL_GATHER] = {"gather", "the root gets every rank's part", COLL_ROOTED | COLL_PARTED | COLL_IN_PLACE, PART, ROOTS_WHOLE, {0, 1}},
    [COLL_SCATTER] = {"scatter", "every rank gets its part of the root's buffer", COLL_ROOTED | COLL_PARTED | COLL_IN_PLACE, ROOTS_WHOLE, PART, {0, 1}},
    [COLL_HYPERCUBE] = {"hypercube", "all_gather in log2(ranks) rounds of pairs", COLL_PARTED | COLL_OTHERS | COLL_IN_PLACE | COLL_ROUNDS, PART, WHOLE, {1, 0}},
    [COLL_DDP_STEP] = {"ddp_step", "backward pass with its gradients reduced in buckets meanwhile", COLL_REDUCES | COLL_IN_PLACE | COLL_TRAINS, WHOLE, WHOLE, {1, 0}},
    [COLL_DDP_COMMUNICATION] = {"ddp_communication", "the same step's buckets without its compute", COLL_REDUCES | COLL_IN_PLACE | COLL_TRAINS | COLL_STEP_PART, WHOLE, WHOLE, {0, 2}},
    [COLL_DDP_COMPUTE] = {"ddp_compute", "the same step's compute without its buckets", COLL_PSEUDO | COLL_TRAINS | COLL_STEP_PART, NONE, NONE, {1, 0}},
    [COLL_ACCESS] = {"access", "each rank copies its own buffer, neighbours `stride` apart", COLL_LOCAL, WHOLE, WHOLE, {2, 0}},
    [COLL_TO_DEVICE] = {"to_device", "each rank's pinned CPU memory is copied to its GPU", COLL_LOCAL | COLL_RAW, WHOLE, WHOLE, {1, 0}},
    [COLL_TO_HOST] = {"to_host", "each rank's GPU memory is copied to pinned CPU memory", COLL_LOCAL | COLL_RAW, WHOLE, WHOLE, {1, 0}},
    [COLL_PAIR_COPY] = {"pair_copy", "plain copies from each rank to each other one, in turn", COLL_PAIRS | COLL_RAW, WHOLE, WHOLE, {1, 0}},
    [COLL_PAIR_STAGED] = {"pair_staged", "the same by way of pinned CPU memory", COLL_PAIRS | COLL_RAW, WHOLE, WHOLE, {1, 0}},
    [COLL_MOE_STEP] = {"moe_step", "tokens to their experts, the experts' work, and back", COLL_PARTED | COLL_ROUTED, WHOLE, WHOLE, {1, 0}},
    [COLL_MOE_COMMUNICATION] = {"moe_communication", "the same, there and back without work", COLL_PARTED | COLL_ROUTED | COLL_STEP_PART, WHOLE, WHOLE, {1, 0}},
    [COLL_MOE_DISPATCH] = {"moe_dispatch", "the way there alone: an alltoallv of the routing", COLL_PARTED | COLL_ROUTED | COLL_STEP_PART, WHOLE, WHOLE, {0, 1}},
    [COLL_MOE_COMPUTE] = {"moe_compute", "the experts' work alone", COLL_PSEUDO | COLL_PARTED | COLL_ROUTED | COLL_STEP_PART, NONE, NONE, {1, 0}},
    [COLL_COPY] = {"copy", "the limit: plain copies to the next rank, no handshake", COLL_PSEUDO, WHOLE, WHOLE, {1, 0}},
    [COLL_INIT] = {"init", "making the communicator; no data", COLL_PSEUDO, NONE, NONE, {1, 0}},
};
// clang-format on

const char *const coll_dtype_names[DTYPE_KINDS + 1] = {
    "int8",    "uint8",    "int32",   "uint32",  "int64",       "uint64",
    "float16", "bfloat16", "float32", "float64", "float8_e4m3", "float8_e5m2"};
static const size_t dtype_sizes[DTYPE_KINDS] = {1, 1, 4, 4, 8, 8, 2, 2, 4, 8, 1, 1};
const char *const coll_op_names[OP_KINDS + 1] = {"sum", "prod",      "min", "max",
                                                 "avg", "premulsum", "none"};
const char *const coll_pace_names[PACE_KINDS + 1] = {
    [PACE_STREAM] = "stream", [PACE_ISOLATED] = "isolated"};

const char *const coll_pass_names[PASS_KINDS + 1] = {[PASS_TIMED] = "timed",
                                                     [PASS_TIMELINE] = "timeline",
                                                     [PASS_COUNTERS] = "counters",
                                                     [PASS_PATH] = "path"};

static int find(const char *const names[], int count, const char *name)
{
	for (int i = 0; i < count; i++)
		if (!strcmp(names[i], name))
			return i;
	return -1;
}

const struct coll_info *coll_info(enum coll_kind kind)
{
	return &infos[kind];
}

const char *coll_name(unsigned i)
{
	return i < COLL_KINDS ? infos[i].name : NULL;
}

int coll_find(const char *name)
{
	for (int i = 0; i < COLL_KINDS; i++)
		if (!strcmp(infos[i].name, name))
			return i;
	return -1;
}

int coll_find_dtype(const char *name)
{
	return find(coll_dtype_names, DTYPE_KINDS, name);
}

int coll_find_op(const char *name)
{
	return find(coll_op_names, OP_KINDS, name);
}

const char *coll_dtype_name(enum dtype dtype)
{
	return coll_dtype_names[dtype];
}

const char *coll_op_name(enum op op)
{
	return coll_op_names[op];
}

const char *coll_pace_name(enum pace pace)
{
	return coll_pace_names[pace];
}

const char *coll_pass_name(enum pass pass)
{
	return coll_pass_names[pass];
}

size_t coll_dtype_bytes(enum dtype dtype)
{
	return dtype_sizes[dtype];
}

/* By itself: the stand-ins link this file alone. */
#define ADD(WORD, ...)                                                                             \
	snprintf((WORD)->text + strlen((WORD)->text), sizeof(WORD)->text - strlen((WORD)->text),   \
	         __VA_ARGS__)

static void add_routing(struct coll_word *word, unsigned root, unsigned nranks)
{
	unsigned skew = routing_skew(root), experts = routing_experts(root);
	if (skew)
		ADD(word, "_zipf%u.%u", skew / 10, skew % 10);
	else
		ADD(word, "_even");
	ADD(word, "_of%u", experts ? experts : nranks);
}

struct coll_word coll_word(const struct cell *cell, unsigned nranks)
{
	struct coll_word word = {""};
	unsigned is = infos[cell->coll].is;
	ADD(&word, "%s", infos[cell->coll].name);
	if (cell->dtype != DTYPE_FLOAT32 &&
	    (is & (COLL_TRAINS | COLL_ROUTED) || !(is & COLL_PSEUDO)))
		ADD(&word, "_%s", coll_dtype_names[cell->dtype]);
	if (is & COLL_REDUCES && cell->op != OP_SUM)
		ADD(&word, "_%s", coll_op_names[cell->op]);
	unsigned n = cell->comm_ranks ? cell->comm_ranks : nranks;
	if (is & COLL_PAIRS)
		ADD(&word, "_%u_%s_%u", value_pair_from(cell->root),
		    is & COLL_ROUNDS ? "and" : "to", value_pair_to(cell->root, n));
	else if (is & COLL_ROUTED)
		add_routing(&word, cell->root, n);
	else if (cell->root)
		ADD(&word, "_root%u", cell->root);
	if (cell->in_place && !(is & COLL_TRAINS))
		ADD(&word, "_in_place");
	if (cell->comm_ranks && cell->comm_ranks != nranks)
		ADD(&word, "_of%u", cell->comm_ranks);
	return word;
}

struct coll_word coll_title(const struct cell *cell, unsigned nranks)
{
	struct coll_word title = coll_word(cell, nranks);
	ADD(&title, ", %s", coll_pace_names[cell->pace]);
	return title;
}

const char *coll_refuses(enum coll_kind kind, unsigned nranks)
{
	if (kind == COLL_HYPERCUBE && nranks & (nranks - 1))
		return "hypercube needs a power of two of ranks";
	if (kind == COLL_SENDRECV_PAIRS && nranks % 2)
		return "sendrecv_pairs needs an even number of ranks";
	if (kind == COLL_SENDRECV_HALVES && nranks % 2)
		return "sendrecv_halves needs an even number of ranks";
	if (infos[kind].is & COLL_PAIRS && nranks < 2)
		return "a pair needs two ranks";
	return NULL;
}

unsigned coll_pairs(enum coll_kind kind, unsigned nranks)
{
	unsigned both = nranks * (nranks - 1);
	if (!(infos[kind].is & COLL_PAIRS))
		return 1;
	return kind == COLL_PINGPONG ? both / 2 : both;
}

unsigned coll_pair(enum coll_kind kind, unsigned i, unsigned nranks)
{
	unsigned from = 0;
	if (!(infos[kind].is & COLL_PAIRS))
		return 0;
	if (kind != COLL_PINGPONG)
		return i / (nranks - 1) + i % (nranks - 1) * VALUE_PAIR;
	for (; i >= nranks - 1 - from; from++)
		i -= nranks - 1 - from;
	return from + i * VALUE_PAIR;
}

bool coll_is_pair(unsigned root, unsigned nranks)
{
	return value_pair_from(root) < nranks && root / VALUE_PAIR + 1 < nranks;
}

static size_t side_bytes(enum coll_side side, size_t bytes, unsigned nranks)
{
	return side == SIDE_WHOLE ? bytes : side == SIDE_PART ? bytes / nranks : 0;
}

size_t coll_routed_bytes(const struct cell *cell, unsigned nranks)
{
	const struct value_weights w = routing_weights(cell->root, nranks);
	struct value_parts p = value_parts(&w, nranks, 1, cell->dtype);
	uint64_t sent = 0, units = (cell->bytes + PART_ALIGN - 1) / PART_ALIGN;
	for (unsigned to = 0; to < nranks; to++)
		sent += value_weight(&p, 0, to);
	if (!sent) /* of no ranks */
		return 0;
	units = (units * p.most + sent - 1) / sent;
	/* Whole units for each rank. */
	return 2 * (size_t)((units + nranks - 1) / nranks * nranks) * PART_ALIGN;
}

struct value_parts coll_parts(const struct cell *cell, const struct value_weights *weights,
                              unsigned nranks)
{
	if (infos[cell->coll].is & COLL_ROUTED) {
		/* Half of the buffers: the other half receives the experts' tokens. */
		const struct value_weights routed = routing_weights(cell->root, nranks);
		return value_parts(&routed, nranks, cell->bytes / 2 / dtype_sizes[cell->dtype],
		                   cell->dtype);
	}
	if (cell->coll != COLL_ALLTOALLV)
		return (struct value_parts){.nranks = nranks};
	return value_parts(weights, nranks, cell->bytes / dtype_sizes[cell->dtype], cell->dtype);
}

struct coll_span coll_span(const struct cell *cell, const struct value_parts *parts,
                           unsigned nranks, unsigned rank)
{
	const struct coll_info *info = &infos[cell->coll];
	bool root = rank == cell->root;
	enum coll_side send = info->send[!root], recv = info->recv[!root];
	size_t own = rank * (cell->bytes / nranks);
	size_t element = dtype_sizes[cell->dtype];
	if (info->is & COLL_PAIRS) {
		bool first = rank == value_pair_from(cell->root);
		bool second = rank == value_pair_to(cell->root, nranks);
		send = first ? SIDE_WHOLE : SIDE_NONE;
		recv = second || (first && info->is & COLL_ROUNDS) ? SIDE_WHOLE : SIDE_NONE;
	}
	if (cell->coll == COLL_MOE_STEP || cell->coll == COLL_MOE_COMMUNICATION) {
		size_t sent = value_sent_before(parts, rank, nranks) * element;
		return (struct coll_span){.send_bytes = sent, .recv_bytes = sent};
	}
	if (cell->coll == COLL_ALLTOALLV || cell->coll == COLL_MOE_DISPATCH)
		return (struct coll_span){
		    .send_bytes = value_sent_before(parts, rank, nranks) * element,
		    .recv_bytes = value_received_before(parts, rank, nranks) * element};
	return (struct coll_span){
	    .send_bytes = side_bytes(send, cell->bytes, nranks),
	    .recv_bytes = side_bytes(recv, cell->bytes, nranks),
	    .send_at = cell->in_place && send == SIDE_PART ? own : 0,
	    .recv_at = cell->in_place && recv == SIDE_PART ? own : 0,
	};
}

size_t coll_moved(const struct cell *cell, const struct value_parts *parts, unsigned nranks)
{
	size_t most = 0;
	if (cell->coll != COLL_ALLTOALLV)
		return cell->bytes;
	for (unsigned rank = 0; rank < nranks; rank++) {
		struct coll_span span = coll_span(cell, parts, nranks, rank);
		most = span.send_bytes > most ? span.send_bytes : most;
		most = span.recv_bytes > most ? span.recv_bytes : most;
	}
	return most;
}

size_t coll_least(enum coll_kind kind, enum dtype dtype, unsigned nranks)
{
	return infos[kind].is & COLL_PARTED ? (size_t)nranks * PART_ALIGN : dtype_sizes[dtype];
}

size_t coll_round(enum coll_kind kind, enum dtype dtype, size_t bytes, unsigned nranks)
{
	return bytes - bytes % coll_least(kind, dtype, nranks);
}

void coll_size_label(size_t size, char *text, size_t bytes)
{
	static const char *const units[] = {"B", "KiB", "MiB", "GiB"};
	unsigned u = 0;
	double x = (double)size;
	for (; u < 3 && x >= 1024; u++)
		x /= 1024;
	snprintf(text, bytes, "%.4g %s", x, units[u]);
}

void coll_range_label(size_t lo, size_t hi, char *text, size_t bytes)
{
	char from[32], to[32];
	coll_size_label(lo, from, sizeof from);
	coll_size_label(hi, to, sizeof to);
	if (hi == SIZE_MAX && !lo)
		snprintf(text, bytes, "all sizes");
	else if (hi == SIZE_MAX)
		snprintf(text, bytes, "from %s up", from);
	else if (lo == hi)
		snprintf(text, bytes, "%s", from);
	else
		snprintf(text, bytes, "%s%sto %s", lo ? from : "up ", lo ? " " : "", to);
}

static double exchanged(unsigned nranks)
{
	return (nranks - 1.0) / nranks;
}

double coll_algbw(enum coll_kind kind, unsigned nranks, size_t bytes, double seconds)
{
	double share = infos[kind].is & COLL_OTHERS ? exchanged(nranks) : 1;
	return (double)bytes * share / seconds / 1e9;
}

double coll_busbw(enum coll_kind kind, unsigned nranks, size_t bytes, double seconds)
{
	const double factor = infos[kind].bus[0] + infos[kind].bus[1] * exchanged(nranks);
	return coll_algbw(kind, nranks, bytes, seconds) * factor;
}
