/* libsrtp2, and real-time marks for the calls of the media path. */
#pragma once
#include <srtp2/auth.h>
#include <srtp2/cipher.h>
#include <srtp2/srtp.h>

#define CSRTP_REAL_TIME __attribute__((swift_attr("@_noLocks")))

CSRTP_REAL_TIME static inline srtp_err_status_t csrtp_protect(
    srtp_t session, void *packet, int *length, unsigned uses_mki) {
    return srtp_protect_mki(session, packet, length, uses_mki, 0);
}
CSRTP_REAL_TIME static inline srtp_err_status_t csrtp_unprotect(
    srtp_t session, void *packet, int *length, unsigned uses_mki) {
    return srtp_unprotect_mki(session, packet, length, uses_mki);
}
CSRTP_REAL_TIME static inline srtp_err_status_t csrtp_protect_rtcp(
    srtp_t session, void *packet, int *length, unsigned uses_mki) {
    return srtp_protect_rtcp_mki(session, packet, length, uses_mki, 0);
}
/* Without an MKI: its owner has taken that off. */
CSRTP_REAL_TIME static inline srtp_err_status_t csrtp_unprotect_rtcp(srtp_t session, void *packet, int *length) {
    return srtp_unprotect_rtcp(session, packet, length);
}
