//===- ForkServer.c - Runs a program many times for one start -------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Preloaded into a program (LD_PRELOAD), it takes the place of main(): loading
// and initialising libraries, which for MLIR's takes as long as dozens of small
// inputs, happens once, and each run is a fork of that state. The real main()
// gets the arguments that a run has.
//
// Requests and answers go over the descriptor of HUNT_FORK_SERVER; all numbers
// are in the order of this machine:
//
//   request  uint32 bytes that follow, uint32 seconds of processor time, uint64
//            bytes of memory (0: no limit), then texts that end with a zero:
//            directory, files of stdin, stdout and stderr, and the arguments
//   answer   int32 status of wait(), uint32 1 if the time was up, uint64 most
//            KiB of memory, uint64 microseconds of processor time
//
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

typedef int Main(int, char **, char **);
typedef int Start(Main *, int, char **, void (*)(void), void (*)(void),
                  void (*)(void), void *);

/// Other processes may be at work: the wait is so many times the time.
enum { kWaits = 6 };

static Main *realMain;
static int channel;

/// Reads exactly `size` bytes; 0 at the end of the requests.
static int readAll(void *data, size_t size) {
  for (char *at = data; size;) {
    ssize_t count = read(channel, at, size);
    if (count <= 0)
      return 0;
    at += count;
    size -= (size_t)count;
  }
  return 1;
}

static void redirect(const char *path, int flags, int descriptor) {
  int file = open(path, flags, 0600);
  if (file < 0 || dup2(file, descriptor) < 0)
    _exit(125);
  close(file);
}

/// The next of the texts.
static char *next(char **at) {
  char *text = *at;
  *at += strlen(text) + 1;
  return text;
}

/// In the child: the program itself.
static int runOnce(int argc, char **argv, char **environment, char *texts,
                   const char *end, uint32_t seconds, uint64_t memory) {
  close(channel);
  setpgid(0, 0);
  struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  // LLVM's programs say where they were when SIGXCPU comes.
  struct rlimit time = {seconds, seconds + 5};
  setrlimit(RLIMIT_CPU, &time);
  if (memory) {
    struct rlimit most = {memory, memory};
    setrlimit(RLIMIT_AS, &most);
  }
  if (chdir(next(&texts)))
    _exit(125);
  redirect(next(&texts), O_RDONLY, 0);
  redirect(next(&texts), O_WRONLY | O_CREAT | O_TRUNC, 1);
  redirect(next(&texts), O_WRONLY | O_CREAT | O_TRUNC, 2);
  int count = argc;
  for (char *at = texts; at < end; ++count)
    next(&at);
  char **arguments = calloc((size_t)count + 1, sizeof(char *));
  memcpy(arguments, argv, (size_t)argc * sizeof(char *));
  for (int i = argc; i < count; ++i)
    arguments[i] = next(&texts);
  exit(realMain(count, arguments, environment));
}

static int serve(int argc, char **argv, char **environment) {
  for (;;) {
    uint32_t size, seconds;
    uint64_t memory;
    if (!readAll(&size, 4))
      return 0;
    char *request = malloc(size + 1);
    if (!request || size < 12 || !readAll(request, size))
      return 1;
    request[size] = 0;
    memcpy(&seconds, request, 4);
    memcpy(&memory, request + 4, 8);
    pid_t child = fork();
    if (child < 0)
      return 1;
    if (!child)
      runOnce(argc, argv, environment, request + 12, request + size, seconds,
              memory);
    free(request);
    int watched = (int)syscall(SYS_pidfd_open, child, 0);
    struct pollfd event = {watched, POLLIN, 0};
    uint32_t late = poll(&event, 1, (int)seconds * kWaits * 1000) == 0;
    if (late) {
      kill(-child, SIGKILL);
      kill(child, SIGKILL);
    }
    int status;
    struct rusage usage;
    wait4(child, &status, 0, &usage);
    // What the program has started and left behind.
    kill(-child, SIGKILL);
    close(watched);
    char answer[24];
    int32_t status32 = status;
    uint64_t most = (uint64_t)usage.ru_maxrss;
    uint64_t time =
        (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000 +
        (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
    memcpy(answer, &status32, 4);
    memcpy(answer + 4, &late, 4);
    memcpy(answer + 8, &most, 8);
    memcpy(answer + 16, &time, 8);
    if (write(channel, answer, sizeof answer) != sizeof answer)
      return 1;
  }
}

/// Called by a program's first instructions, with its main().
int __libc_start_main(Main *program, int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*loaderFini)(void),
                      void *stackEnd) {
  Start *start = (Start *)dlsym(RTLD_NEXT, "__libc_start_main");
  const char *number = getenv("HUNT_FORK_SERVER");
  if (!number)
    return start(program, argc, argv, init, fini, loaderFini, stackEnd);
  channel = atoi(number);
  realMain = program;
  // Programs that it starts are run as ever.
  unsetenv("LD_PRELOAD");
  unsetenv("HUNT_FORK_SERVER");
  return start(serve, argc, argv, init, fini, loaderFini, stackEnd);
}
