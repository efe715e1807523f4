/* Makes every Nth write, sync or truncation of files below a folder fail. Loaded with LD_PRELOAD.
 *
 * FAULTS_BELOW  the folder, as the kernel spells it
 * FAULTS_NAMED  only files with this in their path; all if it is empty
 * FAULTS_CALLS  any of the letters w (write), s (sync) and t (truncate)
 * FAULTS_ERRNO  what the failing calls say
 *
 * Nothing fails before faults_every(N) is called, nor after faults_every(0).
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static atomic_long period;
static atomic_long seen;
static atomic_long injected;

void faults_every(long calls)
{
    atomic_store(&seen, 0);
    atomic_store(&period, calls);
}

long faults_injected(void)
{
    return atomic_load(&injected);
}

static int below(int fd)
{
    const char *folder = getenv("FAULTS_BELOW");
    const char *named = getenv("FAULTS_NAMED");
    char link[64], path[4096];
    ssize_t length;

    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    length = readlink(link, path, sizeof path - 1);
    if (length < 0 || folder == NULL)
        return 0;
    path[length] = '\0';
    if (strncmp(path, folder, strlen(folder)) != 0)
        return 0;
    return named == NULL || strstr(path, named) != NULL;
}

static int fails(int fd, char call)
{
    const char *calls = getenv("FAULTS_CALLS");
    const char *number = getenv("FAULTS_ERRNO");
    long every = atomic_load(&period);

    if (every <= 0 || calls == NULL || number == NULL || strchr(calls, call) == NULL || !below(fd))
        return 0;
    if ((atomic_fetch_add(&seen, 1) + 1) % every != 0)
        return 0;
    atomic_fetch_add(&injected, 1);
    errno = atoi(number);
    return 1;
}

#define PASS_ON(call, result, name, parameters, arguments)                  \
    result name parameters                                                  \
    {                                                                       \
        static result (*real) parameters;                                   \
        if (fails(fd, call))                                                \
            return -1;                                                      \
        if (real == NULL)                                                   \
            real = (result (*) parameters)dlsym(RTLD_NEXT, #name);          \
        return real arguments;                                              \
    }

PASS_ON('w', ssize_t, write, (int fd, const void *data, size_t size), (fd, data, size))
PASS_ON('w', ssize_t, pwrite, (int fd, const void *data, size_t size, off_t at), (fd, data, size, at))
PASS_ON('w', ssize_t, pwrite64, (int fd, const void *data, size_t size, off64_t at), (fd, data, size, at))
PASS_ON('s', int, fsync, (int fd), (fd))
PASS_ON('s', int, fdatasync, (int fd), (fd))
PASS_ON('t', int, ftruncate, (int fd, off_t size), (fd, size))
PASS_ON('t', int, ftruncate64, (int fd, off64_t size), (fd, size))
