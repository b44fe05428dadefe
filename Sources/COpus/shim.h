/* libopus, plus plain functions for its variadic controls, and real-time marks for the calls of the media path:
   libopus allocates and locks only when a codec is made, so Swift's performance checks may trust these. */
#pragma once
#include <opus.h>

#define COPUS_REAL_TIME __attribute__((swift_attr("@_noLocks")))

static inline int copus_encoder_set_bitrate(OpusEncoder *encoder, opus_int32 bits_per_second) {
    return opus_encoder_ctl(encoder, OPUS_SET_BITRATE(bits_per_second));
}
static inline int copus_encoder_set_complexity(OpusEncoder *encoder, opus_int32 complexity) {
    return opus_encoder_ctl(encoder, OPUS_SET_COMPLEXITY(complexity));
}
static inline int copus_encoder_set_inband_fec(OpusEncoder *encoder, opus_int32 enabled) {
    return opus_encoder_ctl(encoder, OPUS_SET_INBAND_FEC(enabled));
}
static inline int copus_encoder_set_packet_loss_percentage(OpusEncoder *encoder, opus_int32 percentage) {
    return opus_encoder_ctl(encoder, OPUS_SET_PACKET_LOSS_PERC(percentage));
}
static inline int copus_encoder_set_dtx(OpusEncoder *encoder, opus_int32 enabled) {
    return opus_encoder_ctl(encoder, OPUS_SET_DTX(enabled));
}
static inline int copus_encoder_reset(OpusEncoder *encoder) { return opus_encoder_ctl(encoder, OPUS_RESET_STATE); }
static inline int copus_decoder_reset(OpusDecoder *decoder) { return opus_decoder_ctl(decoder, OPUS_RESET_STATE); }

COPUS_REAL_TIME static inline opus_int32 copus_encode(
    OpusEncoder *encoder, const opus_int16 *samples, int frames, unsigned char *packet, opus_int32 capacity) {
    return opus_encode(encoder, samples, frames, packet, capacity);
}
COPUS_REAL_TIME static inline int copus_decode(
    OpusDecoder *decoder, const unsigned char *packet, opus_int32 length, opus_int16 *samples, int frames,
    int use_fec) {
    return opus_decode(decoder, packet, length, samples, frames, use_fec);
}
COPUS_REAL_TIME static inline int copus_packet_samples(
    const unsigned char *packet, opus_int32 length, opus_int32 rate) {
    return opus_packet_get_nb_samples(packet, length, rate);
}
