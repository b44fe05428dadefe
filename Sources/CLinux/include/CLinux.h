/* The one door to Linux calls that Swift's Glibc module lacks. No _GNU_SOURCE here: it would change fd_set and clash
   with the SwiftGlibc module. Functions marked CLINUX_REAL_TIME never lock or allocate; Swift's checks trust the mark. */
#pragma once
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>

#define CLINUX_REAL_TIME __attribute__((swift_attr("@_noLocks")))

/** CLOCK_MONOTONIC in nanoseconds. */
CLINUX_REAL_TIME int64_t clinux_monotonic_nanoseconds(void);
/** CLOCK_REALTIME in nanoseconds since 1970. */
CLINUX_REAL_TIME int64_t clinux_real_nanoseconds(void);

/** Adds one to an eventfd, waking its reader. */
CLINUX_REAL_TIME void clinux_eventfd_signal(int descriptor);
/** Takes an eventfd's count, 0 if there is none and the descriptor doesn't block. */
CLINUX_REAL_TIME uint64_t clinux_eventfd_drain(int descriptor);
/** Arms a timerfd for an absolute monotonic time, or disarms it with 0; either makes it unready. 0 or -errno. */
CLINUX_REAL_TIME int clinux_timerfd_arm(int descriptor, int64_t monotonic_nanoseconds);
/** Waits for events; their count, or -errno. Retries EINTR. */
CLINUX_REAL_TIME int clinux_epoll_wait(int descriptor, struct epoll_event *events, int capacity, int timeout);
CLINUX_REAL_TIME uint64_t clinux_epoll_tag(const struct epoll_event *event);
int clinux_epoll_add(int epoll, int descriptor, uint32_t events, uint64_t tag);

/** The layout of struct mmsghdr, which only exists under _GNU_SOURCE. */
typedef struct {
    struct msghdr header;
    unsigned int length;
} clinux_message;
/** Datagrams received, or -errno; never blocks. */
CLINUX_REAL_TIME int clinux_receive_messages(int descriptor, clinux_message *messages, unsigned int count);
/** Datagrams sent, or -errno; never blocks. */
CLINUX_REAL_TIME int clinux_send_messages(int descriptor, clinux_message *messages, unsigned int count);
/** When the kernel received the datagram (SO_TIMESTAMPNS, CLOCK_REALTIME nanoseconds), or 0. */
CLINUX_REAL_TIME int64_t clinux_message_receive_time(struct msghdr *header);

/** Names the calling thread, at most 15 octets. */
void clinux_name_thread(const char *name);
/** Asks for SCHED_FIFO for the calling thread; 0 or an errno value. */
int clinux_request_real_time(int priority);
