/* Strided access: the order of the copy, and a run of it up to its table. */
#include "../harness/core/buffers.h"
#include "here.h"
#include "json.h"

#define MOST 331

/* After the first k of the order, the elements that have arrived are those of the definition: one
 * after the other `stride` apart, then the same from the next one on, the rest in order. */
TEST(elements_come_in_the_order_of_the_stride)
{
	static const size_t elements[] = {1, 2, 4, 8};
	for (unsigned e = 0; e < 4; e++)
		for (size_t stride = 1; stride <= 40; stride += 3)
			for (size_t count = 1; count <= MOST; count += 55) {
				uint8_t from[8 * MOST], to[8 * MOST], right[8 * MOST];
				size_t element = elements[e], rows = count / stride;
				for (size_t i = 0; i < sizeof from; i++)
					from[i] = (uint8_t)(1 + i % 251);
				memset(to, 0, sizeof to);
				memset(right, 0, sizeof right);
				for (size_t k = 0, n; k < count; k += n) {
					n = count - k < 17 ? count - k : 17;
					buffers_copy_strided(to, from, element, count, stride, k,
					                     n);
					for (size_t i = k; i < k + n; i++) {
						size_t at = i < rows * stride
						                ? i % rows * stride + i / rows
						                : i;
						memcpy(right + at * element, from + at * element,
						       element);
					}
					assert_memory_equal(to, right, sizeof to);
				}
				assert_memory_equal(to, from, count * element);
			}
}

/* Without gnuplot: other tests draw pictures. */
FIXTURE(hide_gnuplot)
{
	setenv("PATH", "/nowhere", 1);
}

TESTS(.begin = hide_gnuplot, .before = set_up, .after = tear_down);
