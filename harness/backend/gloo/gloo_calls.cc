// Gloo, carried out: its collectives over TCP.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <gloo/allgather.h>
#include <gloo/allreduce.h>
#include <gloo/alltoall.h>
#include <gloo/alltoallv.h>
#include <gloo/broadcast.h>
#include <gloo/gather.h>
#include <gloo/math.h>
#include <gloo/reduce.h>
#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/store.h>
#include <gloo/scatter.h>
#include <gloo/transport/tcp/device.h>

#include "gloo_calls.h"

namespace {

using Reduction = void (*)(void *, const void *, const void *, size_t);

// Gloo's rendezvous, on what the team exchanges.
class TeamStore : public gloo::rendezvous::Store {
public:
	explicit TeamStore(const gloo_exchange &exchange) : exchange_(exchange)
	{
	}

	void set(const std::string &key, const std::vector<char> &data) override
	{
		if (exchange_.say(exchange_.of, key.c_str(), data.data(), data.size()))
			throw std::runtime_error("no room to publish " + key);
	}

	std::vector<char> get(const std::string &key) override
	{
		const char *data = nullptr;
		size_t bytes = 0;
		if (exchange_.hear(exchange_.of, key.c_str(), &data, &bytes))
			throw std::runtime_error("the team failed before it published " + key);
		return std::vector<char>(data, data + bytes);
	}

	void wait(const std::vector<std::string> &keys) override
	{
		for (const auto &key : keys)
			get(key);
	}

	void wait(const std::vector<std::string> &keys,
	          const std::chrono::milliseconds &) override
	{
		wait(keys);
	}

private:
	const gloo_exchange exchange_;
};

// Newer releases take the store by a shared pointer.
template <typename C, typename D>
auto mesh(C &context, const std::shared_ptr<TeamStore> &store, D &device, int)
    -> decltype(context.connectFullMesh(store, device))
{
	return context.connectFullMesh(store, device);
}

template <typename C, typename D>
void mesh(C &context, const std::shared_ptr<TeamStore> &store, D &device, long)
{
	context.connectFullMesh(*store, device);
}

// Calls follow each other on every rank, so that all of them may have one tag.
struct Link {
	std::shared_ptr<gloo::rendezvous::Context> context;
	std::vector<char> scratch; // of what reduce_scatter receives
};

template <typename T> Reduction reduction(gloo_op op)
{
	switch (op) {
	case GLOO_PROD:
		return &gloo::product<T>;
	case GLOO_MIN:
		return &gloo::min<T>;
	case GLOO_MAX:
		return &gloo::max<T>;
	default:
		return &gloo::sum<T>;
	}
}

Reduction reduction_of(gloo_type type, gloo_op op)
{
	switch (type) {
	case GLOO_INT8:
		return reduction<int8_t>(op);
	case GLOO_UINT8:
		return reduction<uint8_t>(op);
	case GLOO_INT32:
		return reduction<int32_t>(op);
	case GLOO_UINT32:
		return reduction<uint32_t>(op);
	case GLOO_INT64:
		return reduction<int64_t>(op);
	case GLOO_UINT64:
		return reduction<uint64_t>(op);
	case GLOO_FLOAT16:
		return reduction<gloo::float16>(op);
	case GLOO_FLOAT64:
		return reduction<double>(op);
	default:
		return reduction<float>(op);
	}
}

// An integer of the element's width: options need a type to count elements by.
template <typename T> T *words(const char *at)
{
	return reinterpret_cast<T *>(const_cast<char *>(at));
}

template <typename T> void all_reduce(Link &l, const gloo_call &c)
{
	gloo::AllreduceOptions o(l.context);
	if (!c.in_place)
		o.setInput(words<T>(c.from), c.elements);
	o.setOutput(words<T>(c.to), c.elements);
	o.setReduceFunction(reduction_of(c.type, c.op));
	gloo::allreduce(o);
}

template <typename T> void all_gather(Link &l, const gloo_call &c)
{
	gloo::AllgatherOptions o(l.context);
	if (!c.in_place)
		o.setInput(words<T>(c.from), c.part);
	o.setOutput(words<T>(c.to), c.elements);
	gloo::allgather(o);
}

// Gloo needs room for data in transit even on a rank that receives nothing.
template <typename T> void reduce(Link &l, const gloo_call &c)
{
	gloo::ReduceOptions o(l.context);
	if (!c.in_place)
		o.setInput(words<T>(c.from), c.elements);
	o.setOutput(words<T>(c.to), c.elements);
	o.setRoot(c.root);
	o.setReduceFunction(reduction_of(c.type, c.op));
	gloo::reduce(o);
}

template <typename T> void broadcast(Link &l, const gloo_call &c)
{
	gloo::BroadcastOptions o(l.context);
	if (c.me == c.root && !c.in_place)
		o.setInput(words<T>(c.from), c.elements);
	o.setOutput(words<T>(c.to), c.elements);
	o.setRoot(c.root);
	gloo::broadcast(o);
}

template <typename T> void alltoall(Link &l, const gloo_call &c)
{
	gloo::AlltoallOptions o(l.context);
	o.setInput(words<T>(c.from), c.elements);
	o.setOutput(words<T>(c.to), c.elements);
	gloo::alltoall(o);
}

template <typename T> void alltoallv(Link &l, const gloo_call &c)
{
	gloo::AlltoallvOptions o(l.context);
	o.setInput(words<T>(c.from), std::vector<int64_t>(c.sent, c.sent + c.n));
	o.setOutput(words<T>(c.to), std::vector<int64_t>(c.received, c.received + c.n));
	gloo::alltoallv(o);
}

template <typename T> void gather(Link &l, const gloo_call &c)
{
	gloo::GatherOptions o(l.context);
	o.setInput(words<T>(c.from), c.part);
	if (c.me == c.root)
		o.setOutput(words<T>(c.to), c.elements);
	o.setRoot(c.root);
	gloo::gather(o);
}

template <typename T> void scatter(Link &l, const gloo_call &c)
{
	gloo::ScatterOptions o(l.context);
	std::vector<T *> parts;
	for (int r = 0; c.me == c.root && r < c.n; r++)
		parts.push_back(words<T>(c.from) + r * c.part);
	if (c.me == c.root)
		o.setInputs(parts, c.part);
	o.setOutput(words<T>(c.to), c.part);
	o.setRoot(c.root);
	gloo::scatter(o);
}

void move(Link &l, const gloo_move &m)
{
	auto out = l.context->createUnboundBuffer(const_cast<char *>(m.out), m.out_bytes);
	auto in = l.context->createUnboundBuffer(m.in, m.in_bytes);
	// Not the prefix of a collective, so that none of them uses it.
	const uint64_t slot = UINT64_C(0x7f) << 56;
	if (m.from >= 0)
		in->recv(m.from, slot);
	if (m.to >= 0)
		out->send(m.to, slot);
	if (m.to >= 0)
		out->waitSend(l.context->getTimeout());
	if (m.from >= 0)
		in->waitRecv(l.context->getTimeout());
}

// Gloo has none for these buffers. In turn t a rank sends the part of the rank t places on, and
// receives its own part from the rank t places before.
void reduce_scatter(Link &l, const gloo_call &c)
{
	const size_t bytes = c.part * c.element;
	const Reduction reduce = reduction_of(c.type, c.op);
	if (l.scratch.size() < bytes)
		l.scratch.resize(bytes);
	// In place the part is already where it belongs.
	if (!c.in_place)
		std::memcpy(c.to, c.from + c.me * bytes, bytes);
	for (int t = 1; t < c.n; t++) {
		const int to = (c.me + t) % c.n, from = (c.me + c.n - t) % c.n;
		move(l, {to, from, c.from + to * bytes, l.scratch.data(), bytes, bytes});
		reduce(c.to, c.to, l.scratch.data(), c.part);
	}
}

template <typename T> void carry(Link &l, const gloo_call &c)
{
	switch (c.kind) {
	case GLOO_ALL_REDUCE:
		return all_reduce<T>(l, c);
	case GLOO_ALL_GATHER:
		return all_gather<T>(l, c);
	case GLOO_REDUCE_SCATTER:
		return reduce_scatter(l, c);
	case GLOO_BROADCAST:
		return broadcast<T>(l, c);
	case GLOO_REDUCE:
		return reduce<T>(l, c);
	case GLOO_ALLTOALL:
		return alltoall<T>(l, c);
	case GLOO_ALLTOALLV:
		return alltoallv<T>(l, c);
	case GLOO_GATHER:
		return gather<T>(l, c);
	case GLOO_SCATTER:
		return scatter<T>(l, c);
	}
}

int failed(const std::exception &e, char *why)
{
	// "[path:line] what": the path is from the machine that built the library.
	const char *text = std::strchr(e.what(), ']');
	std::snprintf(why, GLOO_WHY, "%s", text ? text + 2 : e.what());
	return -1;
}

int part_connect(int rank, int size, const char *address, const gloo_exchange *exchange,
                 int timeout_s, void **link, char *why)
{
	*link = nullptr;
	try {
		std::unique_ptr<Link> l(new Link);
		struct gloo::transport::tcp::attr attr;
		attr.hostname = address;
		std::shared_ptr<gloo::transport::Device> device =
		    gloo::transport::tcp::CreateDevice(attr);
		l->context = std::make_shared<gloo::rendezvous::Context>(rank, size);
		l->context->setTimeout(std::chrono::seconds(timeout_s));
		mesh(*l->context, std::make_shared<TeamStore>(*exchange), device, 0);
		*link = l.release();
		return 0;
	} catch (const std::exception &e) {
		return failed(e, why);
	}
}

void part_disconnect(void *link)
{
	delete static_cast<Link *>(link);
}

int part_call(void *link, const gloo_call *call, char *why)
{
	Link &l = *static_cast<Link *>(link);
	try {
		switch (call->element) {
		case 1:
			carry<uint8_t>(l, *call);
			break;
		case 2:
			carry<uint16_t>(l, *call);
			break;
		case 4:
			carry<uint32_t>(l, *call);
			break;
		default:
			carry<uint64_t>(l, *call);
			break;
		}
		return 0;
	} catch (const std::exception &e) {
		return failed(e, why);
	}
}

int part_move(void *link, const gloo_move *m, char *why)
{
	Link &l = *static_cast<Link *>(link);
	try {
		move(l, *m);
		return 0;
	} catch (const std::exception &e) {
		return failed(e, why);
	}
}

} // namespace

extern "C" {
extern const struct gloo_part launchgap_gloo;
const struct gloo_part launchgap_gloo = {part_connect, part_disconnect, part_call, part_move};
}
