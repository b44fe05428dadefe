/* libspeexdsp's resampler, and a real-time mark for the call of the media path: it allocates only when made. */
#pragma once
#include <speex/speex_resampler.h>

__attribute__((swift_attr("@_noLocks"))) static inline int cspeexdsp_resample(
    SpeexResamplerState *state, const spx_int16_t *input, spx_uint32_t *input_length, spx_int16_t *output,
    spx_uint32_t *output_length) {
    return speex_resampler_process_int(state, 0, input, input_length, output, output_length);
}
