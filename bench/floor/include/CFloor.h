/* What a call costs when nothing but the libraries and the kernel is paid for: the floor that the engine is measured
   against. */
#pragma once
#include <stdint.h>

/** Runs `ends` ends of calls (pairs of them) over loopback for `frames` times 20 ms, at that pace: encode, protect and
    send, receive, unprotect and decode. Opus 48 kHz mono, 28 kbit/s, complexity 5, in-band FEC; SRTP with the
    same ciphers as the engine's.

    `samples` is speech, `count` samples of it. Returns packets decoded, or -1 when something could not be set up. */
long cfloor_run(int ends, int frames, const int16_t *samples, long count);
