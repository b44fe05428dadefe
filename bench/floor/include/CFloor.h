/* What a call costs when nothing but the libraries and the kernel is paid for: the floor that the engine is measured
   against. */
#pragma once
#include <stdint.h>

/** Runs `ends` ends of calls (pairs of them) over loopback for `frames` times 20 ms, at that pace: encode, protect and
    send, receive, unprotect and decode. Opus 48 kHz mono, 28 kbit/s, complexity 5, in-band FEC; SRTP with the
    same ciphers as the engine's.

    `samples` is speech, `count` samples of it. Returns packets decoded, or -1 when something could not be set up. */
long cfloor_run(int ends, int frames, const int16_t *samples, long count);

/* Parsing and SRTP by themselves. Packets lie `stride` octets apart. */

/** Reads the headers of `count` RTP packets of `length` octets each (RFC 3550 §5.1), extension and padding included, and
    sums what they say; 0 for one that is no RTP packet. */
uint64_t cfloor_parse(const uint8_t *packets, long stride, long length, long count);

/** A libsrtp2 session that opens packets under `key`, with the engine's ciphers: AES-256-GCM if `gcm`, else AES-128-CM with
    HMAC-SHA1-80. NULL when there's none to be had. */
void *cfloor_srtp_open(int gcm, const uint8_t *key);
/** Opens `count` SRTP packets of `length` octets each where they stand. Returns how many were authentic. */
long cfloor_srtp_unprotect(void *session, uint8_t *packets, long stride, long length, long count);
void cfloor_srtp_close(void *session);
