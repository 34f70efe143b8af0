/* Every interleaving of calls of `api = device` (harness/backend/nccl/device_protocol.h) for 2 and 3 ranks, its
 * numbers wrapping after 7 calls; and each wait, order and rule taken out, which has to be found.
 *
 * A rank takes the steps of the protocol; what it stores elsewhere is under way until it arrives. Stores
 * arrive in any order, but those to one address in turn, a release after all that its rank stored before, and all
 * before the rank's next kernel begins. A state is seen once; from each one all steps and all arrivals are tried. Calls have true numbers beside
 * those that wrap: by them the model knows what is old. */
#define PROTOCOL_BITS 4

#include <search.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "../harness/backend/nccl/device_protocol.h"
#include "test.h"

#define RANKS 3
#define CALLS 10 /* at most, of a scenario */
#define SENT  8  /* of a rank, under way: so many at most */

/* What does not hold. */
#define INCOMPLETE  "a buffer is incomplete after the call"
#define OVERWRITTEN "a slot was overwritten before it was read"
#define NOT_FREE    "a buffer was written that was not free"
#define FELL        "a counter fell"
#define DEADLOCK    "deadlock"

/* What is taken out of the protocol. */
enum broken {
	NOTHING,
	NO_WAIT_TO_SEND, /* before packets, or before a buffer that alternates */
	NO_ENTRY_WAIT,   /* before a buffer of the caller's */
	NO_EXIT_WAIT,
	NO_PACKET_WAIT,
	DONE_UNORDERED,
	DONE_FIRST,  /* told before the writes */
	BEGUN_EARLY, /* told when the last call still reads */
	ONE_SLOT,
	ONE_BUFFER, /* the caller does not alternate */
	ONE_CALL_TOO_FAR,
	ONE_NUMBER, /* begun and done are not told apart */
	PLAIN_COMPARE,
	NUMBER_ZERO,
	NO_WIPE,
	ZEROED_LATE, /* others are not waited for before calls */
	NOT_ZEROED,
	DONE_OF_LAST, /* the number of the call before */
	BROKEN,
};

/* What each comes to, in one scenario or more. */
// clang-format off
static const struct {
	const char *what, *found;
} breaks[BROKEN] = {
    [NOTHING] = {"nothing", ""},
    [NO_WAIT_TO_SEND] = {"no wait to send", OVERWRITTEN},
    [NO_ENTRY_WAIT] = {"no entry wait", NOT_FREE},
    [NO_EXIT_WAIT] = {"no exit wait", INCOMPLETE},
    [NO_PACKET_WAIT] = {"no wait for packets", INCOMPLETE},
    [DONE_UNORDERED] = {"done unordered", INCOMPLETE},
    [DONE_FIRST] = {"done first", INCOMPLETE},
    [BEGUN_EARLY] = {"begun early", OVERWRITTEN},
    [ONE_SLOT] = {"one slot", OVERWRITTEN},
    [ONE_BUFFER] = {"one buffer", INCOMPLETE},
    [ONE_CALL_TOO_FAR] = {"one call too far", OVERWRITTEN},
    [ONE_NUMBER] = {"one number", INCOMPLETE},
    [PLAIN_COMPARE] = {"plain compare", OVERWRITTEN},
    [NUMBER_ZERO] = {"number zero", INCOMPLETE},
    [NO_WIPE] = {"no wipe", INCOMPLETE},
    [ZEROED_LATE] = {"zeroed late", DEADLOCK},
    [NOT_ZEROED] = {"not zeroed", INCOMPLETE},
    [DONE_OF_LAST] = {"done of the last call", FELL},
};
// clang-format on

enum pattern { ALL, RING, PAIR };             /* PAIR: ranks 0 and 1; others send nothing */
enum kind { PACKETS, ON_ENTRY, ALTERNATING }; /* what is written after which wait */
struct call {
	enum pattern pattern;
	enum kind kind;
};

struct scenario {
	const char *name;
	unsigned nranks;
	uint8_t last; /* the number of the call before the first */
	const char
	    *text; /* its calls, letter by letter: a kind, and * for ALL, o for RING, 2 for PAIR */
};

/* --- a state ------------------------------------------------------------------------------------ */

enum what { INBOX, SLOT, BUFFER };
struct store {
	uint8_t what, to, index, value, truth; /* truth: the call's true number, from 1 */
	uint8_t buffer, release, pad;
};

struct packet {
	uint8_t number, truth; /* number: of the call that it says it is of */
	uint8_t unread, pad;
};

enum at { ZEROING, MEETING, IDLE, BEGUN, WRITTEN };
struct rank {
	uint8_t at, number, done, began; /* done, began: true numbers */
	uint8_t inbox[RANKS];
	uint8_t nsent;
	struct packet slot[PROTOCOL_TURNS][RANKS];
	uint8_t buffer
	    [3]
	    [RANKS]; /* two that alternate, one for each call; the true number of the call that wrote there */
	struct store sent[SENT];
};

struct state {
	struct rank ranks[RANKS];
};

struct model {
	const struct scenario *of;
	unsigned ncalls;
	struct call calls[CALLS];
	enum broken broken;
	struct state *stack;
	size_t depth, room;
	void *seen; /* a tree of states' hashes */
	size_t nseen;
	char found[160]; /* what does not hold */
};

static bool finds(struct model *m, const char *what, unsigned rank, unsigned call)
{
	if (!m->found[0])
		snprintf(m->found, sizeof m->found, "%s: rank %u, call %u", what, rank, call);
	return false;
}

/* --- the protocol's arithmetic, and what is taken out of it ------------------------------------- */

static uint8_t number_after(const struct model *m, uint8_t number)
{
	if (m->broken == NUMBER_ZERO && number == PROTOCOL_MASK / 2)
		return 0;
	return (uint8_t)protocol_next(number);
}

static unsigned slot_of(const struct model *m, uint32_t number)
{
	return m->broken == ONE_SLOT ? 0 : protocol_slot(number);
}

static bool reached(const struct model *m, uint32_t word, uint32_t wanted)
{
	return m->broken == PLAIN_COMPARE ? word >= wanted : protocol_reached(word, wanted);
}

static uint8_t done_word(const struct model *m, uint32_t number)
{
	if (m->broken == DONE_OF_LAST)
		number = number - 1;
	return (uint8_t)(m->broken == ONE_NUMBER ? protocol_begun(number) : protocol_done(number));
}

static bool sends(const struct call *c, unsigned n, unsigned from, unsigned to)
{
	if (from == to)
		return false;
	switch (c->pattern) {
	case RING:
		return to == (from + 1) % n;
	case PAIR:
		return from < 2 && to < 2;
	case ALL:
		break;
	}
	return true;
}

static unsigned buffer_of(const struct model *m, const struct call *c, unsigned truth)
{
	return c->kind == ON_ENTRY ? 2 : m->broken == ONE_BUFFER ? 0 : truth % 2;
}

/* --- a rank's steps ----------------------------------------------------------------------------- */

static void put(struct rank *r, struct store s)
{
	assert_true(r->nsent < SENT);
	r->sent[r->nsent++] = s;
}

static void tell(struct rank *r, unsigned me, unsigned to, unsigned word, bool release)
{
	put(r, (struct store){.what = INBOX,
	                      .to = (uint8_t)to,
	                      .index = (uint8_t)me,
	                      .value = (uint8_t)word,
	                      .release = release});
}

static void tell_begun(const struct model *m, struct rank *r, unsigned me, uint8_t number)
{
	for (unsigned to = 0; to < m->of->nranks; to++)
		if (to != me)
			tell(r, me, to, protocol_begun(number), false);
}

static void tell_done(const struct model *m, struct rank *r, unsigned me, const struct call *c)
{
	for (unsigned to = 0; to < m->of->nranks; to++)
		if (sends(c, m->of->nranks, me, to))
			tell(r, me, to, done_word(m, r->number), m->broken != DONE_UNORDERED);
}

static bool may_write(const struct model *m, const struct rank *r, unsigned me,
                      const struct call *c)
{
	unsigned turns = c->kind == ON_ENTRY ? 1 : PROTOCOL_TURNS;
	if (m->broken == (c->kind == ON_ENTRY ? NO_ENTRY_WAIT : NO_WAIT_TO_SEND))
		return true;
	turns += m->broken == ONE_CALL_TOO_FAR;
	for (unsigned to = 0; to < m->of->nranks; to++)
		if (sends(c, m->of->nranks, me, to) &&
		    !reached(m, r->inbox[to], protocol_may_write(r->number, turns)))
			return false;
	return true;
}

static void write_all(const struct model *m, struct rank *r, unsigned me, const struct call *c)
{
	uint8_t truth = r->done + 1;
	if (c->kind != PACKETS && m->broken == DONE_FIRST)
		tell_done(m, r, me, c);
	for (unsigned to = 0; to < m->of->nranks; to++) {
		struct store s = {.to = (uint8_t)to, .truth = truth, .value = r->number};
		if (!sends(c, m->of->nranks, me, to))
			continue;
		s.what = c->kind == PACKETS ? SLOT : BUFFER;
		s.index = (uint8_t)me;
		s.buffer = c->kind == PACKETS ? 0 : (uint8_t)buffer_of(m, c, truth);
		put(r, s);
	}
	if (c->kind != PACKETS && m->broken != DONE_FIRST)
		tell_done(m, r, me, c);
}

static bool has_come(const struct model *m, const struct rank *r, unsigned me, const struct call *c)
{
	for (unsigned from = 0; from < m->of->nranks; from++) {
		const struct packet *p = &r->slot[slot_of(m, r->number)][from];
		if (!sends(c, m->of->nranks, from, me))
			continue;
		if (c->kind == PACKETS && m->broken != NO_PACKET_WAIT && p->number != r->number)
			return false;
		if (c->kind != PACKETS && m->broken != NO_EXIT_WAIT &&
		    !reached(m, r->inbox[from], done_word(m, r->number)))
			return false;
	}
	return true;
}

/* The call ends: all that was sent here has to be in the buffer. */
static bool end_call(struct model *m, struct rank *r, unsigned me, const struct call *c)
{
	uint8_t truth = r->done + 1;
	unsigned slot = slot_of(m, r->number);
	for (unsigned from = 0; from < m->of->nranks; from++) {
		struct packet *p = &r->slot[slot][from];
		if (!sends(c, m->of->nranks, from, me))
			continue;
		if (c->kind == PACKETS && p->truth != truth)
			return finds(m, INCOMPLETE, me, truth);
		if (c->kind != PACKETS && r->buffer[buffer_of(m, c, truth)][from] != truth)
			return finds(m, INCOMPLETE, me, truth);
		p->unread = 0;
	}
	if (protocol_wipes(r->number) && m->broken != NO_WIPE)
		memset(r->slot[slot], 0, sizeof r->slot[slot]);
	r->done = truth;
	return true;
}

/* Takes the rank's next step, if it has one now. */
static bool rank_steps(struct model *m, struct state *s, unsigned me)
{
	struct rank *r = &s->ranks[me];
	const struct call *c = &m->calls[r->done < CALLS ? r->done : 0];
	switch ((enum at)r->at) {
	case ZEROING:
		if (m->broken != NOT_ZEROED) {
			memset(r->inbox, (int)protocol_done(m->of->last), sizeof r->inbox);
			memset(r->slot, 0, sizeof r->slot);
		}
		r->at = MEETING;
		return true;
	case MEETING:
		for (unsigned i = 0; i < m->of->nranks; i++)
			if (s->ranks[i].at == ZEROING && m->broken != ZEROED_LATE)
				return false;
		r->at = IDLE;
		return true;
	case IDLE:
		if (r->done == m->ncalls || r->nsent)
			return false;
		r->number = number_after(m, r->number);
		r->began = r->done + 1;
		if (m->broken != BEGUN_EARLY || r->done == 0)
			tell_begun(m, r, me, r->number);
		r->at = BEGUN;
		return true;
	case BEGUN:
		if (!may_write(m, r, me, c))
			return false;
		write_all(m, r, me, c);
		if (m->broken == BEGUN_EARLY && r->began < m->ncalls)
			tell_begun(m, r, me, number_after(m, r->number));
		r->at = WRITTEN;
		return true;
	case WRITTEN:
		if (!has_come(m, r, me, c))
			return false;
		r->at = IDLE;
		return end_call(m, r, me, c);
	}
	return false;
}

/* --- what arrives -------------------------------------------------------------------------------- */

static bool same_place(const struct store *a, const struct store *b)
{
	return a->what == b->what && a->to == b->to && a->index == b->index &&
	       a->buffer == b->buffer &&
	       (a->what != SLOT || a->value % PROTOCOL_TURNS == b->value % PROTOCOL_TURNS);
}

static bool may_arrive(const struct rank *r, unsigned i)
{
	for (unsigned k = 0; k < i; k++)
		if (r->sent[i].release || same_place(&r->sent[k], &r->sent[i]))
			return false;
	return true;
}

static bool arrive_word(struct model *m, struct rank *to, const struct store *s)
{
	uint8_t *word = &to->inbox[s->index];
	/* Of a release that tells no more than the begin did, the numbers stay. */
	bool grows =
	    protocol_reached(s->value, *word) && (s->value != *word || m->broken == ONE_NUMBER);
	if (to->at != ZEROING && m->broken != NOT_ZEROED && !grows)
		return finds(m, FELL, s->to, s->value);
	*word = s->value;
	return true;
}

static bool arrive_packet(struct model *m, struct rank *to, const struct store *s)
{
	struct packet *p = &to->slot[slot_of(m, s->value)][s->index];
	if (p->unread)
		return finds(m, OVERWRITTEN, s->to, s->truth);
	*p = (struct packet){.number = s->value, .truth = s->truth, .unread = 1};
	return true;
}

/* A buffer is the kernel's while the call runs, and one that alternates from the begin of the last call on. */
static bool arrive_data(struct model *m, struct rank *to, const struct store *s)
{
	bool alternates = m->calls[s->truth - 1].kind == ALTERNATING;
	if (to->began + alternates < s->truth || to->done >= s->truth)
		return finds(m, NOT_FREE, s->to, s->truth);
	to->buffer[s->buffer][s->index] = s->truth;
	return true;
}

static bool arrives(struct model *m, struct state *s, unsigned from, unsigned i)
{
	struct rank *r = &s->ranks[from];
	struct store it = r->sent[i];
	struct rank *to = &s->ranks[it.to];
	memmove(r->sent + i, r->sent + i + 1, (r->nsent - i - 1) * sizeof *r->sent);
	memset(&r->sent[--r->nsent], 0, sizeof *r->sent);
	switch ((enum what)it.what) {
	case INBOX:
		return arrive_word(m, to, &it);
	case SLOT:
		return arrive_packet(m, to, &it);
	case BUFFER:
		break;
	}
	return arrive_data(m, to, &it);
}

/* --- all states ---------------------------------------------------------------------------------- */

static int by_number(const void *a, const void *b)
{
	return ((uintptr_t)a > (uintptr_t)b) - ((uintptr_t)a < (uintptr_t)b);
}

static void keep(void *key)
{
	(void)key;
}

static bool is_new(struct model *m, uint64_t h)
{
	const void *key = (const void *)(uintptr_t)h;
	if (tfind(key, &m->seen, by_number))
		return false;
	assert_non_null(tsearch(key, &m->seen, by_number));
	m->nseen++;
	return true;
}

static void push(struct model *m, const struct state *s)
{
	if (!is_new(m, XXH3_64bits(s, sizeof *s)))
		return;
	if (m->depth == m->room) {
		m->room = m->room ? 2 * m->room : 1 << 10;
		m->stack = realloc(m->stack, m->room * sizeof *m->stack);
		assert_non_null(m->stack);
	}
	m->stack[m->depth++] = *s;
}

static bool has_ended(const struct model *m, const struct state *s)
{
	for (unsigned i = 0; i < m->of->nranks; i++)
		if (s->ranks[i].at != IDLE || s->ranks[i].done != m->ncalls)
			return false;
	return true;
}

/* All that can happen next. */
static bool expand(struct model *m, const struct state *s)
{
	bool any = false;
	for (unsigned me = 0; me < m->of->nranks; me++) {
		struct state next = *s;
		if (rank_steps(m, &next, me)) {
			any = true;
			push(m, &next);
		}
		if (m->found[0])
			return false;
		for (unsigned i = 0; i < s->ranks[me].nsent; i++) {
			if (!may_arrive(&s->ranks[me], i))
				continue;
			next = *s;
			any = true;
			if (!arrives(m, &next, me, i))
				return false;
			push(m, &next);
		}
	}
	return any || has_ended(m, s) || finds(m, DEADLOCK, 0, s->ranks[0].done + 1u);
}

/* Memory that nobody zeroed holds what a call before would have left. */
static void begin(struct model *m)
{
	struct state s;
	memset(&s, 0, sizeof s);
	for (unsigned i = 0; i < m->of->nranks; i++) {
		struct rank *r = &s.ranks[i];
		uint8_t next = (uint8_t)protocol_next(m->of->last);
		r->number = m->of->last;
		memset(r->inbox, (int)protocol_done(next), sizeof r->inbox);
		for (unsigned from = 0; from < RANKS; from++)
			r->slot[protocol_slot(next)][from].number = next;
	}
	push(m, &s);
}

/* "": all holds in all states. */
static void explore(const struct scenario *of, enum broken broken, char *found, size_t bytes,
                    size_t *states)
{
	struct model m = {.of = of, .broken = broken, .ncalls = (unsigned)strlen(of->text) / 2};
	for (unsigned i = 0; i < m.ncalls; i++) {
		const char kind = of->text[2 * i], pattern = of->text[2 * i + 1];
		m.calls[i] = (struct call){pattern == '*'   ? ALL
		                           : pattern == 'o' ? RING
		                                            : PAIR,
		                           kind == 'P'   ? PACKETS
		                           : kind == 'E' ? ON_ENTRY
		                                         : ALTERNATING};
	}
	begin(&m);
	while (m.depth && !m.found[0]) {
		struct state s = m.stack[--m.depth];
		expand(&m, &s);
	}
	snprintf(found, bytes, "%s", m.found);
	*states = m.nseen;
	free(m.stack);
	tdestroy(m.seen, keep);
}

/* --- scenarios ----------------------------------------------------------------------------------- */

// clang-format off
static const struct scenario scenarios[] = {
    {"2 ranks, packets", 2, 0, "P*P*P*P*P*P*P*P*P*P*"},
    {"2 ranks, buffers", 2, 0, "E*E*E*E*E*E*E*E*E*E*"},
    {"2 ranks, buffers that alternate", 2, 0, "A*A*A*A*A*A*A*A*A*A*"},
    /* Packets of call 3 come again as call 3 of the next numbers. */
    {"2 ranks, few packets", 2, 0, "E*A*P*E*A*E*E*E*E*P*"},
    {"3 ranks, packets in a ring", 3, 4, "PoPoPoPoPoPo"},
    {"3 ranks, alltoall", 3, 5, "P*P*P*P*"},
    {"3 ranks, buffers", 3, 5, "E*EoE*Eo"},
    {"3 ranks, a ring of buffers that alternate", 3, 5, "AoAoAoAoAo"},
    {"3 ranks, a mixture", 3, 5, "P*P2EoPoA*"},
};
// clang-format on
#define SCENARIOS LENGTH(scenarios)

TEST(the_protocol_holds_in_every_interleaving)
{
	for (unsigned i = 0; i < SCENARIOS; i++) {
		char found[160];
		size_t states;
		explore(&scenarios[i], NOTHING, found, sizeof found, &states);
		print_message("%s: %zu states%s%s\n", scenarios[i].name, states,
		              found[0] ? "; " : "", found);
		assert_string_equal(found, "");
	}
}

/* So that the test above can fail. */
TEST(whatever_is_taken_out_of_the_protocol_is_found)
{
	for (unsigned b = NOTHING + 1; b < BROKEN; b++) {
		char found[160], as_said[160] = "";
		unsigned in = 0;
		for (unsigned i = 0; i < SCENARIOS; i++) {
			size_t states;
			explore(&scenarios[i], (enum broken)b, found, sizeof found, &states);
			in += found[0] != '\0';
			if (!strncmp(found, breaks[b].found, strlen(breaks[b].found)))
				memcpy(as_said, found, sizeof as_said);
		}
		print_message("%s: found in %u of %zu scenarios; %s\n", breaks[b].what, in,
		              SCENARIOS, as_said);
		assert_string_not_equal(as_said, "");
	}
}

TESTS(0);
