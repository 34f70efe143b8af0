/* api = device: what the host tells the kernel, and the memory that ranks share for it. How they
 * agree is device_protocol.h, what a thread block does nccl_move_block.h, the host's side
 * nccl_device.c. */
#pragma once

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MOVE_RANKS   16   /* the most of a communicator */
#define MOVE_CTAS    128  /* the most channels of a call: thread blocks that write to peers */
#define MOVE_PACKETS 1024 /* the room of a channel's slot: packets from a rank */
#define MOVE_ALIGN   128  /* a packet of NVLink */
#define MOVE_TILE    ((size_t)64 << 10) /* the most of a tile: two rounds of a block's loads */
#define MOVE_THREADS 512                /* the most of a thread block */
#define MOVE_WORD    12                 /* bytes of data in a packet */

/* Parts of a call: one for each rank, and in a ring of two ranks that goes both ways two. */
#define MOVE_PARTS (MOVE_RANKS + 1)

struct move_part {
	unsigned peer;
	unsigned packet, packets; /* the first one in each channel's slot, and their number there */
	unsigned tiles;           /* of move_call.tile bytes; 0: there is nothing to copy */
	size_t from, to;          /* in the sender's and in the receiver's buffer */
	size_t bytes;             /* more than 0 */
};

/* packets: data and the call's number in one store, by way of the receiver's slots. Else straight
 * into the receiver's buffer, by stores of 16 bytes or bulk copies (compute capability 9.0). */
enum move_way { MOVE_PACKET, MOVE_STORE, MOVE_BULK, MOVE_WAYS };

/* The kernel's only argument. Rank r's memory begins at rank 0's + r × stride, as NCCL maps it. */
struct move_call {
	char *channels, *recv;
	size_t channels_stride, recv_stride;
	const char *from;
	char *to;
	uint32_t *failed;  /* pinned: a protocol_failure; 0: none */
	uint64_t limit_ns; /* of a wait */
	unsigned me, nranks;
	enum move_way way;
	unsigned threads; /* of a block: at most MOVE_THREADS */
	bool early;       /* a call may be launched while the one before it runs */
	bool rounds;      /* sends has each peer once, from the next rank on */
	size_t tile,
	    stride;     /* bytes, a multiple of MOVE_ALIGN; coprime to the tiles of all peers */
	unsigned turns; /* in which the caller uses receive buffers: 1, an entry barrier */
	unsigned ctas, own_ctas; /* thread blocks for peers; beside them for the own part */
	unsigned nsends, nreceives;
	struct move_part sends[MOVE_PARTS], receives[MOVE_PARTS];
};

/* Cuts what a rank sends into tiles, by its blocks (c->ctas, c->me): small enough that each block
 * has one of the larger share, the peers' or the own one. Neighbours of the list of tiles are near
 * those of other peers. */
static inline void move_cut(struct move_call *c, struct move_part *parts, unsigned n)
{
	size_t sent = 0, own = 0;
	unsigned tiles = 0, peers = 0;
	for (unsigned k = 0; k < n; k++)
		*(parts[k].peer == c->me ? &own : &sent) += parts[k].bytes;
	const size_t share = (sent > own ? sent : own) / c->ctas / MOVE_ALIGN;
	c->tile = share < MOVE_TILE / MOVE_ALIGN ? (unsigned)(share + 1) * MOVE_ALIGN : MOVE_TILE;
	for (unsigned k = 0; k < n; k++) {
		const bool to_peer = parts[k].peer != c->me;
		parts[k].tiles = (unsigned)((parts[k].bytes + c->tile - 1) / c->tile);
		tiles += to_peer ? parts[k].tiles : 0;
		peers += to_peer;
	}
	c->stride = 1;
	for (unsigned s = tiles ? tiles / peers + 1 : 1, a, b, rest; tiles > 1; s++) {
		for (a = s, b = tiles; b; a = b, b = rest)
			rest = a % b;
		c->stride = s;
		if (a == 1)
			break;
	}
}

/* On the current device. prepare loads the kernel, as its first launch could wait for another
 * rank's kernel that waits for it. */
cudaError_t device_prepare_move(void);
cudaError_t device_launch_move(const struct move_call *call, cudaStream_t stream);
