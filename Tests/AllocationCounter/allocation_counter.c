#define _GNU_SOURCE
#include "allocation_counter.h"
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>

static __thread uint64_t allocations, locks, retains;
uint64_t allocation_count(void) { return allocations; }
uint64_t lock_count(void) { return locks; }
uint64_t retain_count(void) { return retains; }

#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
bool allocation_counting_is_available(void) { return false; }
#else
bool allocation_counting_is_available(void) { return true; }

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
void *malloc(size_t size) { allocations++; return __libc_malloc(size); }
void *calloc(size_t count, size_t size) { allocations++; return __libc_calloc(count, size); }
void *realloc(void *old, size_t size) { allocations++; return __libc_realloc(old, size); }
void *aligned_alloc(size_t alignment, size_t size) { allocations++; return __libc_memalign(alignment, size); }
int posix_memalign(void **out, size_t alignment, size_t size) {
    allocations++;
    *out = __libc_memalign(alignment, size);
    return *out ? 0 : ENOMEM;
}

/* Each stands in front of the real function, found once. */
#define FORWARD(type, name, parameters, arguments, counter)              \
    type name parameters {                                               \
        static type(*real) parameters;                                   \
        if (!real) real = (type(*) parameters)dlsym(RTLD_NEXT, #name);   \
        counter++;                                                       \
        return real arguments;                                           \
    }
FORWARD(int, pthread_mutex_lock, (pthread_mutex_t *mutex), (mutex), locks)
FORWARD(int, pthread_rwlock_rdlock, (pthread_rwlock_t *lock), (lock), locks)
FORWARD(int, pthread_rwlock_wrlock, (pthread_rwlock_t *lock), (lock), locks)
FORWARD(void *, swift_retain, (void *object), (object), retains)
FORWARD(void *, swift_bridgeObjectRetain, (void *object), (object), retains)
#endif
