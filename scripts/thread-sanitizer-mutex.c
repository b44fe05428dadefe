/* Tells the thread sanitizer what a contended Synchronization.Mutex does.
 *
 * Its first try is an atomic that the sanitizer sees. When that fails, the kernel hands the lock over (FUTEX_LOCK_PI), and
 * the sanitizer, which sees neither the call nor the library that makes it, takes two bodies of `withLock` for a race.
 * scripts/sanitize loads this before the tests, so that no report needs to be suppressed. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <linux/futex.h>
#include <stddef.h>
#include <stdarg.h>
#include <sys/syscall.h>

/* Of the sanitizer's runtime, in the program; absent in the programs that start it. */
extern void __tsan_acquire(void *) __attribute__((weak));
extern void __tsan_release(void *) __attribute__((weak));

long syscall(long number, ...) {
    static long (*real)(long, ...);
    if (!real) real = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
    va_list list;
    va_start(list, number);
    long a[6];
    for (size_t i = 0; i < 6; i++) a[i] = va_arg(list, long);
    va_end(list);

    const long operation = number == SYS_futex ? a[1] & FUTEX_CMD_MASK : -1;
    if (operation == FUTEX_UNLOCK_PI && __tsan_release) __tsan_release((void *)a[0]);
    const long result = real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    const int locks = operation == FUTEX_LOCK_PI || operation == FUTEX_TRYLOCK_PI;
    if (locks && result == 0 && __tsan_acquire) __tsan_acquire((void *)a[0]);
    return result;
}
