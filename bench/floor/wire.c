#include "CFloor.h"
#include "CSRTPCiphers.h"
#include <srtp2/srtp.h>
#include <string.h>

/* What there is to know of a packet: the same as RTPPacket has. */
struct packet {
    int marker, has_extension;
    uint8_t payload_type;
    uint16_t sequence_number, profile;
    uint32_t timestamp, ssrc;
    long csrc_count, padding, payload_start, payload_end;
};

static uint16_t read16(const uint8_t *octets) { return (uint16_t)(octets[0] << 8 | octets[1]); }

static uint32_t read32(const uint8_t *octets) {
    return (uint32_t)octets[0] << 24 | (uint32_t)octets[1] << 16 | (uint32_t)octets[2] << 8 | octets[3];
}

/* A call each, as to a library's function; so is ours. */
__attribute__((noinline)) static int parse(const uint8_t *octets, long length, struct packet *packet) {
    if (length < 12 || octets[0] >> 6 != 2) return -1;
    packet->marker = octets[1] >> 7;
    packet->payload_type = octets[1] & 0x7F;
    packet->sequence_number = read16(octets + 2);
    packet->timestamp = read32(octets + 4);
    packet->ssrc = read32(octets + 8);
    packet->csrc_count = octets[0] & 0x0F;
    long start = 12 + 4 * packet->csrc_count;
    packet->has_extension = octets[0] >> 4 & 1;
    if (packet->has_extension) {
        if (length < start + 4) return -1;
        packet->profile = read16(octets + start);
        start += 4 + 4 * (long)read16(octets + start + 2);
    }
    if (length < start) return -1;
    packet->padding = 0;
    if (octets[0] & 0x20) {
        packet->padding = octets[length - 1];
        if (packet->padding == 0 || packet->padding > length - start) return -1;
    }
    packet->payload_start = start;
    packet->payload_end = length - packet->padding;
    return 0;
}

uint64_t cfloor_parse(const uint8_t *packets, long stride, long length, long count) {
    uint64_t sum = 0;
    for (long i = 0; i < count; i++) {
        struct packet packet;
        if (parse(packets + i * stride, length, &packet)) continue;
        sum += (uint64_t)packet.marker + packet.payload_type + packet.sequence_number + packet.timestamp +
               packet.ssrc + (uint64_t)packet.csrc_count + (packet.has_extension ? packet.profile : 0) +
               (uint64_t)(packet.payload_end - packet.payload_start);
    }
    return sum;
}

void *cfloor_srtp_open(int gcm, const uint8_t *key) {
    srtp_policy_t policy;
    unsigned char copy[46];
    srtp_t session = NULL;
    memset(&policy, 0, sizeof policy);
    if (csrtp_ciphers_install() != srtp_err_status_ok) return NULL;
    if (gcm) {
        srtp_crypto_policy_set_aes_gcm_256_16_auth(&policy.rtp);
        srtp_crypto_policy_set_aes_gcm_256_16_auth(&policy.rtcp);
    } else {
        srtp_crypto_policy_set_rtp_default(&policy.rtp);
        srtp_crypto_policy_set_rtcp_default(&policy.rtcp);
    }
    memcpy(copy, key, gcm ? 44 : 30);
    policy.ssrc.type = ssrc_any_inbound;
    policy.key = copy;
    policy.window_size = 1024;
    return srtp_create(&session, &policy) == srtp_err_status_ok ? session : NULL;
}

long cfloor_srtp_unprotect(void *session, uint8_t *packets, long stride, long length, long count) {
    long opened = 0;
    for (long i = 0; i < count; i++) {
        int octets = (int)length;
        if (srtp_unprotect(session, packets + i * stride, &octets) == srtp_err_status_ok) opened++;
    }
    return opened;
}

void cfloor_srtp_close(void *session) { srtp_dealloc(session); }
