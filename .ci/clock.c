/* .ci/today preloads it. It moves a program's wall clock by CLOCK_OFFSET_SECONDS, and nothing else. libfaketime won't do: it shows the machine's time
   to a signal handler that interrupts epoll_wait, and then no timeout of PostgreSQL fires. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static time_t offset;

__attribute__((constructor)) static void read_offset(void) {
    const char *seconds = getenv("CLOCK_OFFSET_SECONDS");
    offset = seconds ? atoll(seconds) : 0;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    int failed = syscall(SYS_clock_gettime, clock, now);
    if (!failed && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += offset;
    return failed;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    int failed = syscall(SYS_gettimeofday, now, zone);
    if (!failed && now) now->tv_sec += offset;
    return failed;
}

time_t time(time_t *seconds) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (seconds) *seconds = now.tv_sec;
    return now.tv_sec;
}
