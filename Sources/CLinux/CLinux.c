#define _GNU_SOURCE
#include "CLinux.h"
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

_Static_assert(
    sizeof(clinux_message) == sizeof(struct mmsghdr) &&
        __builtin_offsetof(clinux_message, length) == __builtin_offsetof(struct mmsghdr, msg_len),
    "clinux_message has the layout of struct mmsghdr");

static int64_t nanoseconds(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}
int64_t clinux_monotonic_nanoseconds(void) { return nanoseconds(CLOCK_MONOTONIC); }
int64_t clinux_real_nanoseconds(void) { return nanoseconds(CLOCK_REALTIME); }

void clinux_eventfd_signal(int descriptor) {
    uint64_t one = 1;
    ssize_t written = write(descriptor, &one, sizeof one);
    (void)written; /* full means that the reader has a wake-up waiting already */
}
uint64_t clinux_eventfd_drain(int descriptor) {
    uint64_t count = 0;
    return read(descriptor, &count, sizeof count) == sizeof count ? count : 0;
}
int clinux_timerfd_arm(int descriptor, int64_t when) {
    struct itimerspec timer = {.it_value = {when / 1000000000, when % 1000000000}};
    return timerfd_settime(descriptor, TFD_TIMER_ABSTIME, &timer, NULL) ? -errno : 0;
}
int clinux_epoll_wait(int descriptor, struct epoll_event *events, int capacity, int timeout) {
    int count;
    do count = epoll_wait(descriptor, events, capacity, timeout);
    while (count < 0 && errno == EINTR);
    return count < 0 ? -errno : count;
}
uint64_t clinux_epoll_tag(const struct epoll_event *event) { return event->data.u64; }
int clinux_epoll_add(int epoll, int descriptor, uint32_t events, uint64_t tag) {
    struct epoll_event event = {.events = events, .data.u64 = tag};
    return epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) ? -errno : 0;
}

int clinux_receive_messages(int descriptor, clinux_message *messages, unsigned int count) {
    int received;
    do received = recvmmsg(descriptor, (struct mmsghdr *)messages, count, MSG_DONTWAIT, NULL);
    while (received < 0 && errno == EINTR);
    return received < 0 ? -errno : received;
}
int clinux_send_messages(int descriptor, clinux_message *messages, unsigned int count) {
    int sent;
    do sent = sendmmsg(descriptor, (struct mmsghdr *)messages, count, MSG_DONTWAIT);
    while (sent < 0 && errno == EINTR);
    return sent < 0 ? -errno : sent;
}
int64_t clinux_message_receive_time(struct msghdr *header) {
    for (struct cmsghdr *control = CMSG_FIRSTHDR(header); control; control = CMSG_NXTHDR(header, control))
        if (control->cmsg_level == SOL_SOCKET && control->cmsg_type == SCM_TIMESTAMPNS) {
            struct timespec time;
            memcpy(&time, CMSG_DATA(control), sizeof time);
            return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
        }
    return 0;
}

void clinux_name_thread(const char *name) { pthread_setname_np(pthread_self(), name); }
int clinux_request_real_time(int priority) {
    struct sched_param parameters = {.sched_priority = priority};
    return pthread_setschedparam(pthread_self(), SCHED_FIFO, &parameters);
}
