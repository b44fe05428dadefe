/* SRTP's ciphers on OpenSSL, for libsrtp2's own plug points.
   Debian's libsrtp2 is built on NSS, which allocates 5 (GCM) to 14 (CM with HMAC) times a packet; these never do. */
#pragma once
#include <srtp2/srtp.h>

/** Starts libsrtp2 and gives it these ciphers, once for the process. Each passes libsrtp2's self tests, and the tests
    of the cipher that it replaces, or this fails. Call it before any session is made. */
srtp_err_status_t csrtp_ciphers_install(void);
