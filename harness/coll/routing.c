#include "routing.h"

#include <math.h>

#define STEPS 4096

struct value_weights routing_weights(unsigned root, unsigned nranks)
{
	/* A record from elsewhere may say anything. */
	unsigned experts = routing_experts(root) ? routing_experts(root) : nranks;
	experts = experts < ROUTING_MOST_EXPERTS ? experts : ROUTING_MOST_EXPERTS;
	const double skew = routing_skew(root) / 10.0;
	const unsigned n = nranks < VALUE_MAX_WEIGHTS ? nranks : VALUE_MAX_WEIGHTS;
	struct value_weights w = {.n = n, .rows = n};
	double all = 0, share[VALUE_MAX_WEIGHTS] = {0};
	for (unsigned e = 0; e < experts; e++) {
		double wanted = pow(e + 1, -skew);
		share[e % nranks % n] += wanted;
		all += wanted;
	}
	for (unsigned to = 0; to < n; to++)
		for (unsigned from = 0; from < n; from++)
			w.of[from * n + to] = (uint16_t)lround(STEPS * share[to] / all);
	return w;
}

double routing_imbalance(unsigned root, unsigned nranks)
{
	const struct value_weights w = routing_weights(root, nranks);
	double most = 0, sum = 0;
	for (unsigned rank = 0; rank < nranks; rank++) {
		double gets = w.of[rank % w.n];
		most = gets > most ? gets : most;
		sum += gets;
	}
	return sum > 0 ? most * nranks / sum : 1;
}
