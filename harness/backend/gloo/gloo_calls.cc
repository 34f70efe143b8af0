// Gloo, carried out: its collectives over TCP.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <gloo/allgather.h>
#include <gloo/allreduce.h>
#include <gloo/alltoall.h>
#include <gloo/alltoallv.h>
#include <gloo/broadcast.h>
#include <gloo/context.h>
#include <gloo/gather.h>
#include <gloo/math.h>
#include <gloo/reduce.h>
#include <gloo/scatter.h>
#include <gloo/transport/context.h>
#include <gloo/transport/tcp/device.h>

#include "gloo_calls.h"

namespace
{

using Reduction = void (*)(void *, const void *, const void *, size_t);

// In place of Gloo's own rendezvous: the team exchanges addresses. Calls follow each other on every
// rank, so that all may have one tag.
struct Link : gloo::Context {
	using Context::Context;
	std::vector<char> scratch; // of what reduce_scatter receives

	void listen(const char *host, int timeout_s, gloo_address *addresses)
	{
		struct gloo::transport::tcp::attr attr;
		attr.hostname = host;
		device_ = gloo::transport::tcp::CreateDevice(attr);
		setTimeout(std::chrono::seconds(timeout_s));
		transportContext_ = device_->createContext(rank, size);
		transportContext_->setTimeout(getTimeout());
		for (int peer = 0; peer < size; peer++) {
			if (peer == rank)
				continue;
			const auto address = transportContext_->createPair(peer)->address().bytes();
			if (address.size() > sizeof addresses->text)
				throw std::runtime_error("an address is too long");
			addresses[peer].bytes = address.size();
			std::memcpy(addresses[peer].text, address.data(), address.size());
		}
	}

	// To all, also if one fails: the others wait for this rank. Throws the first failure.
	void connect(const gloo_address *addresses)
	{
		std::exception_ptr failed;
		for (int peer = 0; peer < size; peer++) {
			const gloo_address &at = addresses[peer];
			try {
				if (peer != rank)
					getPair(peer)->connect(
					    std::vector<char>(at.text, at.text + at.bytes));
			} catch (const std::exception &) {
				failed = failed ? failed : std::current_exception();
			}
		}
		if (failed)
			std::rethrow_exception(failed);
	}
};

// As Gloo's collectives want it.
using Shared = std::shared_ptr<Link>;

// By enum op.
template <typename T>
constexpr Reduction reductions[] = {gloo::sum<T>, gloo::product<T>, gloo::min<T>, gloo::max<T>};

Reduction reduction_of(const coll_call &c)
{
	// By enum dtype.
	static const Reduction *const of[] = {reductions<int8_t>,        reductions<uint8_t>,
	                                      reductions<int32_t>,       reductions<uint32_t>,
	                                      reductions<int64_t>,       reductions<uint64_t>,
	                                      reductions<gloo::float16>, nullptr,
	                                      reductions<float>,         reductions<double>};
	return of[c.dtype][c.op];
}

// An integer of the element's width: options need a type to count elements by.
template <typename T> T *words(const char *at)
{
	return reinterpret_cast<T *>(const_cast<char *>(at));
}

void exchange(Shared &l, const coll_exchange &e)
{
	auto out = l->createUnboundBuffer(const_cast<char *>(e.out), e.out_elements * e.element);
	auto in = l->createUnboundBuffer(e.in, e.in_elements * e.element);
	// Not the prefix of a collective, so that none of them uses it.
	const uint64_t slot = UINT64_C(0x7f) << 56;
	if (e.from >= 0)
		in->recv(e.from, slot);
	if (e.to >= 0)
		out->send(e.to, slot);
	if (e.to >= 0)
		out->waitSend(l->getTimeout());
	if (e.from >= 0)
		in->waitRecv(l->getTimeout());
}

// Gloo has none for these buffers. In turn t a rank sends the part of the rank t places on, and
// receives its own part from the rank t places before.
void reduce_scatter(Shared &l, const coll_call &c)
{
	const size_t bytes = c.part * c.element;
	const Reduction reduce = reduction_of(c);
	if (l->scratch.size() < bytes)
		l->scratch.resize(bytes);
	// In place the part is already where it belongs.
	if (!c.in_place)
		std::memcpy(c.to, c.from + c.me * bytes, bytes);
	for (unsigned t = 1; t < c.n; t++) {
		const unsigned to = (c.me + t) % c.n, from = (c.me + c.n - t) % c.n;
		exchange(l, {(int)to, (int)from, c.from + to * bytes, l->scratch.data(), c.part,
		             c.part, c.element});
		reduce(c.to, c.to, l->scratch.data(), c.part);
	}
}

// Options' sides; 0 elements: it has none.
template <typename T, typename O> void sides(O &o, const coll_call &c, size_t in, size_t out)
{
	if (in)
		o.setInput(words<T>(c.from), in);
	if (out)
		o.setOutput(words<T>(c.to), out);
}

template <typename T> void scatter(Shared &l, const coll_call &c)
{
	gloo::ScatterOptions o(l);
	std::vector<T *> parts;
	for (unsigned r = 0; c.me == c.root && r < c.n; r++)
		parts.push_back(words<T>(c.from) + r * c.part);
	if (c.me == c.root)
		o.setInputs(parts, c.part);
	o.setOutput(words<T>(c.to), c.part);
	o.setRoot(c.root);
	gloo::scatter(o);
}

template <typename T> void alltoallv(Shared &l, const coll_call &c)
{
	gloo::AlltoallvOptions o(l);
	o.setInput(words<T>(c.from), std::vector<int64_t>(c.sent, c.sent + c.n));
	o.setOutput(words<T>(c.to), std::vector<int64_t>(c.received, c.received + c.n));
	gloo::alltoallv(o);
}

template <typename T> void carry(Shared &l, const coll_call &c)
{
	const size_t in = c.in_place ? 0 : c.elements;
	const bool is_root = c.me == c.root;
	switch (c.coll) {
	case COLL_ALL_REDUCE: {
		gloo::AllreduceOptions o(l);
		sides<T>(o, c, in, c.elements);
		o.setReduceFunction(reduction_of(c));
		return gloo::allreduce(o);
	}
	case COLL_ALL_GATHER: {
		gloo::AllgatherOptions o(l);
		sides<T>(o, c, c.in_place ? 0 : c.part, c.elements);
		return gloo::allgather(o);
	}
	case COLL_REDUCE_SCATTER:
		return reduce_scatter(l, c);
	case COLL_BROADCAST: {
		gloo::BroadcastOptions o(l);
		sides<T>(o, c, is_root ? in : 0, c.elements);
		o.setRoot(c.root);
		return gloo::broadcast(o);
	}
	case COLL_REDUCE: { // needs room for data in transit even on a rank that receives nothing
		gloo::ReduceOptions o(l);
		sides<T>(o, c, in, c.elements);
		o.setRoot(c.root);
		o.setReduceFunction(reduction_of(c));
		return gloo::reduce(o);
	}
	case COLL_ALLTOALL: {
		gloo::AlltoallOptions o(l);
		sides<T>(o, c, c.elements, c.elements);
		return gloo::alltoall(o);
	}
	case COLL_ALLTOALLV:
		return alltoallv<T>(l, c);
	case COLL_GATHER: {
		gloo::GatherOptions o(l);
		sides<T>(o, c, c.part, is_root ? c.elements : 0);
		o.setRoot(c.root);
		return gloo::gather(o);
	}
	case COLL_SCATTER:
		return scatter<T>(l, c);
	default:
		throw std::runtime_error("Gloo has no such collective");
	}
}

// Calls what may throw.
template <typename WORK> int tried(char *why, const WORK &work)
{
	try {
		work();
		return 0;
	} catch (const std::exception &e) {
		// "[path:line] what": the path is from the machine that built the library.
		const char *text = std::strchr(e.what(), ']');
		std::snprintf(why, COLL_CALL_WHY, "%s", text ? text + 2 : e.what());
		return -1;
	}
}

Shared &link_of(void *link)
{
	return *static_cast<Shared *>(link);
}

int part_listen(int rank, int size, const char *host, int timeout_s, void **link,
                gloo_address *addresses, char *why)
{
	return tried(why, [&] {
		std::unique_ptr<Shared> l(new Shared(std::make_shared<Link>(rank, size)));
		(*l)->listen(host, timeout_s, addresses);
		*link = l.release();
	});
}

int part_connect(void *link, const gloo_address *addresses, char *why)
{
	return tried(why, [&] { link_of(link)->connect(addresses); });
}

void part_disconnect(void *link)
{
	delete static_cast<Shared *>(link);
}

int part_call(void *link, const coll_call *c, char *why)
{
	Shared &l = link_of(link);
	return tried(why, [&] {
		c->element == 1   ? carry<uint8_t>(l, *c)
		: c->element == 2 ? carry<uint16_t>(l, *c)
		: c->element == 4 ? carry<uint32_t>(l, *c)
		                  : carry<uint64_t>(l, *c);
	});
}

int part_exchange(void *link, const coll_exchange *e, char *why)
{
	return tried(why, [&] { exchange(link_of(link), *e); });
}

} // namespace

extern "C" {
extern const struct gloo_part launchgap_gloo;
const struct gloo_part launchgap_gloo = {
    part_listen, part_connect, {part_call, part_exchange, part_disconnect}};
}
