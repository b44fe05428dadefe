#include "fuzz_driver.h"

int LLVMFuzzerRunDriver(int *count, char ***arguments, int (*check)(const uint8_t *, size_t));

static int (*current)(const uint8_t *, size_t);

/* libFuzzer's own main, which is linked and never runs, asks for this name. */
int LLVMFuzzerTestOneInput(const uint8_t *octets, size_t count) { return current(octets, count); }

int fuzz_driver_run(int count, char **arguments, int (*check)(const uint8_t *, size_t)) {
    current = check;
    return LLVMFuzzerRunDriver(&count, &arguments, LLVMFuzzerTestOneInput);
}
