/* G.722 of libspandsp, and real-time marks for the calls of the media path: it allocates only when made. */
#pragma once
#include <stdint.h>
#include <spandsp/telephony.h>
#include <spandsp/g722.h>

#define CSPANDSP_REAL_TIME __attribute__((swift_attr("@_noLocks")))

/** At 64 kbit/s, from 16 kHz. */
static inline g722_encode_state_t *cspandsp_g722_encoder(void) { return g722_encode_init(0, 64000, 0); }
static inline g722_decode_state_t *cspandsp_g722_decoder(void) { return g722_decode_init(0, 64000, 0); }

CSPANDSP_REAL_TIME static inline int cspandsp_g722_encode(
    g722_encode_state_t *state, uint8_t *octets, const int16_t *samples, int count) {
    return g722_encode(state, octets, samples, count);
}
CSPANDSP_REAL_TIME static inline int cspandsp_g722_decode(
    g722_decode_state_t *state, int16_t *samples, const uint8_t *octets, int count) {
    return g722_decode(state, samples, octets, count);
}
