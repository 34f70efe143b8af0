/* The target FUZZ_TARGET, as libFuzzer calls it. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t bytes, size_t room, unsigned seed);

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
