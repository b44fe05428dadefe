/* libsrtp2, and real-time marks for the calls of the media path. */
#pragma once
#include <srtp2/auth.h>
#include <srtp2/cipher.h>
#include <srtp2/srtp.h>

#define CSRTP_REAL_TIME __attribute__((swift_attr("@_noLocks")))

CSRTP_REAL_TIME static inline srtp_err_status_t csrtp_protect(srtp_t session, void *packet, int *length) {
    return srtp_protect(session, packet, length);
}
CSRTP_REAL_TIME static inline srtp_err_status_t csrtp_unprotect(srtp_t session, void *packet, int *length) {
    return srtp_unprotect(session, packet, length);
}
CSRTP_REAL_TIME static inline srtp_err_status_t csrtp_protect_rtcp(srtp_t session, void *packet, int *length) {
    return srtp_protect_rtcp(session, packet, length);
}
CSRTP_REAL_TIME static inline srtp_err_status_t csrtp_unprotect_rtcp(srtp_t session, void *packet, int *length) {
    return srtp_unprotect_rtcp(session, packet, length);
}
