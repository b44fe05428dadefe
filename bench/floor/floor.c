#include "CFloor.h"
#include "CSRTPCiphers.h"
#include <arpa/inet.h>
#include <errno.h>
#include <opus.h>
#include <srtp2/srtp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { FRAME = 960, ROOM = 1500 };

struct end {
    int socket;
    struct sockaddr_in address;
    OpusEncoder *encoder;
    OpusDecoder *decoder;
    srtp_t outbound, inbound;
    uint16_t sequence;
    long offset;
};

static int open_socket(struct sockaddr_in *address) {
    int descriptor = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    *address = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof *address;
    if (descriptor < 0 || bind(descriptor, (struct sockaddr *)address, length) ||
        getsockname(descriptor, (struct sockaddr *)address, &length))
        return -1;
    return descriptor;
}

static int open_srtp(srtp_t *session, int outbound, unsigned char *key) {
    srtp_policy_t policy;
    memset(&policy, 0, sizeof policy);
    srtp_crypto_policy_set_aes_gcm_256_16_auth(&policy.rtp);
    srtp_crypto_policy_set_aes_gcm_256_16_auth(&policy.rtcp);
    policy.ssrc.type = outbound ? ssrc_any_outbound : ssrc_any_inbound;
    policy.key = key;
    policy.window_size = 1024;
    return srtp_create(session, &policy);
}

static int open_end(struct end *end, int number) {
    unsigned char key[44];
    int error = 0;
    for (int i = 0; i < 44; i++) key[i] = (unsigned char)(i * 7 + 1);
    end->socket = open_socket(&end->address);
    end->encoder = opus_encoder_create(48000, 1, OPUS_APPLICATION_VOIP, &error);
    end->decoder = opus_decoder_create(48000, 1, &error);
    if (end->socket < 0 || !end->encoder || !end->decoder) return -1;
    opus_encoder_ctl(end->encoder, OPUS_SET_BITRATE(28000));
    opus_encoder_ctl(end->encoder, OPUS_SET_COMPLEXITY(5));
    opus_encoder_ctl(end->encoder, OPUS_SET_INBAND_FEC(1));
    opus_encoder_ctl(end->encoder, OPUS_SET_PACKET_LOSS_PERC(5));
    end->offset = (long)number * 37 * FRAME;
    return open_srtp(&end->outbound, 1, key) || open_srtp(&end->inbound, 0, key) ? -1 : 0;
}

static void close_end(struct end *end) {
    if (end->socket >= 0) close(end->socket);
    if (end->encoder) opus_encoder_destroy(end->encoder);
    if (end->decoder) opus_decoder_destroy(end->decoder);
    if (end->outbound) srtp_dealloc(end->outbound);
    if (end->inbound) srtp_dealloc(end->inbound);
}

static void send_frame(
    struct end *end, const struct sockaddr_in *peer, unsigned ssrc, const int16_t *samples, long count) {
    unsigned char packet[ROOM];
    uint32_t timestamp = htonl((uint32_t)end->sequence * FRAME), source = htonl(ssrc);
    uint16_t sequence = htons(end->sequence++);
    packet[0] = 0x80;
    packet[1] = 111;
    memcpy(packet + 2, &sequence, 2);
    memcpy(packet + 4, &timestamp, 4);
    memcpy(packet + 8, &source, 4);
    if (end->offset + FRAME > count) end->offset = 0;
    int length = 12 + opus_encode(end->encoder, samples + end->offset, FRAME, packet + 12, 1275);
    end->offset += FRAME;
    if (length > 12 && !srtp_protect(end->outbound, packet, &length))
        sendto(end->socket, packet, (size_t)length, 0, (const struct sockaddr *)peer, sizeof *peer);
}

static int receive_frame(struct end *end) {
    unsigned char packet[ROOM];
    int16_t heard[5760];
    int length = (int)recv(end->socket, packet, sizeof packet, 0);
    if (length <= 0 || srtp_unprotect(end->inbound, packet, &length)) return 0;
    return opus_decode(end->decoder, packet + 12, length - 12, heard, 5760, 0) == FRAME;
}

long cfloor_run(int count, int frames, const int16_t *samples, long sample_count) {
    long decoded = 0;
    if (count < 2 || count % 2 || sample_count < FRAME || csrtp_ciphers_install()) return -1;
    struct end *ends = calloc((size_t)count, sizeof *ends);
    for (int i = 0; i < count; i++) ends[i].socket = -1;
    for (int i = 0; i < count; i++)
        if (open_end(&ends[i], i)) decoded = -1;

    struct timespec next;
    clock_gettime(CLOCK_MONOTONIC, &next);
    for (int frame = 0; frame < frames && decoded >= 0; frame++) {
        while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL) == EINTR) {}
        for (int i = 0; i < count; i++)
            send_frame(&ends[i], &ends[i ^ 1].address, 1000u + (unsigned)i, samples, sample_count);
        for (int i = 0; i < count; i++) decoded += receive_frame(&ends[i]);
        next.tv_nsec += 20000000;
        if (next.tv_nsec >= 1000000000) next.tv_nsec -= 1000000000, next.tv_sec++;
    }
    for (int i = 0; i < count; i++) close_end(&ends[i]);
    free(ends);
    return decoded;
}
