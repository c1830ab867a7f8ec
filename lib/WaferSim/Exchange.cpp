//===- Exchange.cpp - Messages between the ranks of a run -----------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/WaferSim/Exchange.h"
#include "llvm/ADT/STLExtras.h"
#include <condition_variable>
#include <deque>
#include <mutex>

using namespace sequin::wafer;

Exchange::~Exchange() = default;

namespace {

struct Mailboxes {
  explicit Mailboxes(unsigned size) : size(size), boxes(size_t(size) * size) {}
  struct Box {
    std::mutex mutex;
    std::condition_variable filled;
    std::deque<std::vector<uint8_t>> messages;
  };
  Box &box(unsigned from, unsigned to) { return boxes[from * size + to]; }
  const unsigned size;
  std::vector<Box> boxes;
};

/// A gather goes through boxes of its own, so that messages may be under way.
class LocalExchange : public Exchange {
public:
  LocalExchange(std::shared_ptr<Mailboxes> messages,
                std::shared_ptr<Mailboxes> gathered, unsigned number)
      : messages(std::move(messages)), gathered(std::move(gathered)),
        number(number) {}
  unsigned rank() const override { return number; }
  unsigned size() const override { return messages->size; }
  void send(unsigned to, llvm::ArrayRef<uint8_t> bytes) override {
    put(*messages, to, bytes);
  }
  void receive(unsigned from, std::vector<uint8_t> &bytes) override {
    take(*messages, from, bytes);
  }
  void gather(llvm::ArrayRef<uint8_t> mine,
              llvm::MutableArrayRef<uint8_t> all) override {
    for (unsigned to = 0; to < size(); ++to)
      put(*gathered, to, mine);
    std::vector<uint8_t> bytes;
    for (unsigned from = 0; from < size(); ++from) {
      take(*gathered, from, bytes);
      llvm::copy(bytes, all.begin() + from * mine.size());
    }
  }

private:
  void put(Mailboxes &to, unsigned other, llvm::ArrayRef<uint8_t> bytes) {
    Mailboxes::Box &box = to.box(number, other);
    std::lock_guard<std::mutex> lock(box.mutex);
    box.messages.push_back(bytes.vec());
    box.filled.notify_one();
  }
  void take(Mailboxes &from, unsigned other, std::vector<uint8_t> &bytes) {
    Mailboxes::Box &box = from.box(other, number);
    std::unique_lock<std::mutex> lock(box.mutex);
    box.filled.wait(lock, [&] { return !box.messages.empty(); });
    bytes = std::move(box.messages.front());
    box.messages.pop_front();
  }

  std::shared_ptr<Mailboxes> messages, gathered;
  unsigned number;
};

} // namespace

std::vector<std::unique_ptr<Exchange>>
sequin::wafer::makeLocalExchanges(unsigned size) {
  auto messages = std::make_shared<Mailboxes>(size);
  auto gathered = std::make_shared<Mailboxes>(size);
  std::vector<std::unique_ptr<Exchange>> all;
  for (unsigned number = 0; number < size; ++number)
    all.push_back(std::make_unique<LocalExchange>(messages, gathered, number));
  return all;
}
