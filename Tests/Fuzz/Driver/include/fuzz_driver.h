#ifndef FUZZ_DRIVER_H
#define FUZZ_DRIVER_H

#include <stddef.h>
#include <stdint.h>

/* Hands inputs of libFuzzer's to `check`, as its options in `arguments` say; returns its exit status. */
int fuzz_driver_run(int count, char **arguments, int (*check)(const uint8_t *, size_t));

#endif
