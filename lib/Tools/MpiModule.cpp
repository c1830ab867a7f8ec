//===- MpiModule.cpp - What MPI does for sequin-run -----------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MPI waits by asking over and over, which takes the processor from ranks that
// it waits for where there are more ranks than processors. Here whoever waits
// for long lets others run, and sleeps in the end.
//
//===----------------------------------------------------------------------===//

#include "MpiModule.h"
#include <algorithm>
#include <cstdint>
#include <ctime>
#include <deque>
#include <mpi.h>
#include <sched.h>
#include <vector>

using namespace sequin::tools;

namespace {

/// A message in one piece, and the size of one in several.
enum Tag : int { kPiece = 1, kSize = 2 };
/// MPI counts in int.
constexpr size_t kMostPiece = size_t(1) << 30;

class Idle {
public:
  void operator()() {
    if (++turns < kSpins)
      return;
    if (turns < kYields) {
      sched_yield();
      return;
    }
    timespec nap{0, 50'000};
    nanosleep(&nap, nullptr);
  }

private:
  static constexpr unsigned kSpins = 32, kYields = 4096;
  unsigned turns = 0;
};

/// Messages under way, with their bytes.
struct Outgoing {
  MPI_Request request;
  std::vector<uint8_t> bytes;
};
std::deque<Outgoing> outgoing;

void forgetSent() {
  while (!outgoing.empty()) {
    int isDone = 0;
    MPI_Test(&outgoing.front().request, &isDone, MPI_STATUS_IGNORE);
    if (!isDone)
      return;
    outgoing.pop_front();
  }
}

void sendPiece(unsigned to, const void *bytes, size_t size, Tag tag) {
  const auto *first = static_cast<const uint8_t *>(bytes);
  outgoing.push_back({MPI_REQUEST_NULL, {first, first + size}});
  MPI_Isend(outgoing.back().bytes.data(), static_cast<int>(size), MPI_BYTE,
            static_cast<int>(to), tag, MPI_COMM_WORLD,
            &outgoing.back().request);
}

void send(unsigned to, const void *bytes, size_t size) {
  forgetSent();
  if (size <= kMostPiece)
    return sendPiece(to, bytes, size, kPiece);
  uint64_t total = size;
  sendPiece(to, &total, sizeof total, kSize);
  for (size_t at = 0; at < size; at += kMostPiece)
    sendPiece(to, static_cast<const uint8_t *>(bytes) + at,
              std::min(kMostPiece, size - at), kPiece);
}

MPI_Message await(unsigned from, MPI_Status &status) {
  MPI_Message message;
  Idle idle;
  for (int isThere = 0;;) {
    MPI_Improbe(static_cast<int>(from), MPI_ANY_TAG, MPI_COMM_WORLD, &isThere,
                &message, &status);
    if (isThere)
      return message;
    forgetSent();
    idle();
  }
}

void receive(unsigned from, void *(*room)(void *, size_t), void *context) {
  MPI_Status status;
  MPI_Message message = await(from, status);
  int count = 0;
  MPI_Get_count(&status, MPI_BYTE, &count);
  if (status.MPI_TAG == kPiece) {
    MPI_Mrecv(room(context, static_cast<size_t>(count)), count, MPI_BYTE,
              &message, MPI_STATUS_IGNORE);
    return;
  }
  uint64_t total = 0;
  MPI_Mrecv(&total, sizeof total, MPI_BYTE, &message, MPI_STATUS_IGNORE);
  auto *place = static_cast<uint8_t *>(room(context, total));
  for (size_t at = 0; at < total; at += kMostPiece) {
    message = await(from, status);
    MPI_Mrecv(place + at, static_cast<int>(std::min(kMostPiece, total - at)),
              MPI_BYTE, &message, MPI_STATUS_IGNORE);
  }
}

void gather(const void *mine, size_t size, void *all) {
  MPI_Request request;
  MPI_Iallgather(mine, static_cast<int>(size), MPI_BYTE, all,
                 static_cast<int>(size), MPI_BYTE, MPI_COMM_WORLD, &request);
  Idle idle;
  for (int isDone = 0;;) {
    MPI_Test(&request, &isDone, MPI_STATUS_IGNORE);
    if (isDone)
      return;
    forgetSent();
    idle();
  }
}

bool start(unsigned *rank, unsigned *size) {
  int provided = 0, number = 0, count = 0;
  if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided) !=
      MPI_SUCCESS)
    return false;
  MPI_Comm_rank(MPI_COMM_WORLD, &number);
  MPI_Comm_size(MPI_COMM_WORLD, &count);
  *rank = static_cast<unsigned>(number);
  *size = static_cast<unsigned>(count);
  return true;
}

void finish() {
  for (Idle idle; !outgoing.empty(); idle())
    forgetSent();
  MPI_Finalize();
}

constexpr MpiModule kModule = {
    MpiModule::kVersion, start, send, receive, gather, finish};

} // namespace

extern "C" __attribute__((visibility("default"))) const MpiModule *
sequinGetMpiModule() {
  return &kModule;
}
