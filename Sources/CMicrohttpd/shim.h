/* libmicrohttpd, plus plain functions for its variadic start and queries. */
#pragma once
#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <stdint.h>
#include <string.h>

/** Starts a daemon on `address`; with a key and certificate (PEM texts) it speaks TLS. A
    connection that says nothing for 30 s is closed, and one address has no more than an eighth of all. NULL and `errno` on failure. */
static inline struct MHD_Daemon *cmicrohttpd_start(
    unsigned int flags, const struct sockaddr *address, MHD_AccessHandlerCallback handler, void *handler_context,
    MHD_RequestCompletedCallback completed, void *completed_context, const char *tls_key,
    const char *tls_certificate) {
    if (tls_key && tls_certificate)
        return MHD_start_daemon(
            flags | MHD_USE_TLS, 0, NULL, NULL, handler, handler_context, MHD_OPTION_SOCK_ADDR, address,
            MHD_OPTION_CONNECTION_TIMEOUT, 30u, MHD_OPTION_CONNECTION_LIMIT, 4096u,
            MHD_OPTION_PER_IP_CONNECTION_LIMIT, 512u, MHD_OPTION_NOTIFY_COMPLETED, completed, completed_context,
            MHD_OPTION_HTTPS_MEM_KEY, tls_key,
            MHD_OPTION_HTTPS_MEM_CERT, tls_certificate, MHD_OPTION_END);
    return MHD_start_daemon(
        flags, 0, NULL, NULL, handler, handler_context, MHD_OPTION_SOCK_ADDR, address,
        MHD_OPTION_CONNECTION_TIMEOUT, 30u, MHD_OPTION_CONNECTION_LIMIT, 4096u, MHD_OPTION_PER_IP_CONNECTION_LIMIT, 512u,
        MHD_OPTION_NOTIFY_COMPLETED, completed, completed_context, MHD_OPTION_END);
}
static inline int cmicrohttpd_port(struct MHD_Daemon *daemon) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT);
    return info ? info->port : -1;
}
