#pragma once
#include <stdbool.h>
#include <stdint.h>

/** Calls to malloc and its kin that the calling thread has made. */
uint64_t allocation_count(void);
/** Mutexes and read-write locks that the calling thread has taken. */
uint64_t lock_count(void);
/** References that the calling thread has retained in compiled Swift code. */
uint64_t retain_count(void);
/** False under a sanitizer, which has an allocator of its own. */
bool allocation_counting_is_available(void);
