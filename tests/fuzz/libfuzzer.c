/* The target FUZZ_TARGET, as libFuzzer calls it. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);
const char *__asan_default_options(void);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t bytes, size_t room, unsigned seed);

/* Freed memory stays in the processor's cache until it is reused, and a call of malloc is
 * identified by two of its callers: that doubles the inputs per second. */
const char *__asan_default_options(void)
{
	return "quarantine_size_mb=1:thread_local_quarantine_size_kb=64:malloc_context_size=2:"
	       "allocator_release_to_os_interval_ms=-1:clear_shadow_mmap_threshold=100000000";
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	FUZZ_TARGET.run(data, bytes);
	return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t bytes, size_t room, unsigned seed)
{
	return FUZZ_TARGET.mutate ? FUZZ_TARGET.mutate(data, bytes, room, seed)
	                          : LLVMFuzzerMutate(data, bytes, room);
}
