//===- PeWriter.h - The code of one PE of a random program ------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_TEST_UNIT_CSLPROGRAMS_PEWRITER_H
#define SEQUIN_TEST_UNIT_CSLPROGRAMS_PEWRITER_H

#include "sequin/Support/DsdOps.h"
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace sequin::testing {

class Dice {
public:
  explicit Dice(std::mt19937_64 &random) : random(random) {}
  /// 0 to count - 1.
  int roll(int count) {
    return static_cast<int>(random() % static_cast<uint64_t>(count));
  }
  int between(int low, int high) { return low + roll(high - low + 1); }
  bool chance(int percent) { return roll(100) < percent; }
  uint64_t bits() { return random(); }

private:
  std::mt19937_64 &random;
};

/// An SSA value and its type.
struct Named {
  std::string name, type;
};

struct Array {
  std::string name, element;
  unsigned bytes;
  std::vector<int> shape;
};

/// "memref<8x8xi16>".
std::string memrefOf(const Array &array);
/// With commas between them.
std::string joined(const std::vector<std::string> &parts);

/// Elements of every array.
inline constexpr int kElements = 64;

/// What a channel is to one PE.
struct Channel {
  int number = 0; ///< color and queue
  int phase = 0;
  bool half = false; ///< 16-bit elements
  /// If half and not dense: two in a wavelet.
  bool packed = false;
  /// 16-bit elements, one in a wavelet, with the number of the part above.
  bool indexed = false;
  std::vector<int> parts; ///< elements of each operation that sends
  /// Control wavelets after the data, that end the receiver's operation.
  int controls = 0;
  bool drop = false;     ///< dfilt receives
  int advanceAfter = -1; ///< this part ends with a move of the switch
  bool byField = false;  ///< by advance_switch
  bool asyncSend = false;
  /// Both queues in dense mode (WSE-3): half wavelets.
  bool dense = false;
  /// After the data, a control wavelet for a task of the receiver.
  bool controlTask = false;
};

/// Writes the program of one PE.
class PeWriter {
public:
  PeWriter(Dice &dice, bool wse2, Fp16Format format);

  void beginPhase();
  void endPhase(bool last);
  /// Some code on arrays alone.
  void local();
  void send(const Channel &channel);
  /// `elements`: what comes through filters; `queue`: input queue.
  void receive(const Channel &channel, int elements, int queue, bool async,
               bool byTask);
  void relay(const Channel &from, const Channel &to);
  void bindInput(int queue, int color, bool dense);
  void bindOutput(int queue, int color, bool dense);

  std::string finish(const std::string &name);

private:
  std::string fresh() { return "%v" + std::to_string(next++); }
  /// A line `%v = text`.
  std::string let(const std::string &text);
  void line(const std::string &text) { body += "    " + text + "\n"; }
  Named constant(DsdElement element);
  std::string integer(int value, const std::string &type);
  std::string index(int value) { return integer(value, "index"); }
  std::string typeOf(DsdElement element) const;
  Array &pick(unsigned bytes, const std::string &element = "");
  std::string get(const Array &array);
  std::string indices(const Array &array, int element);
  /// A memory DSD of `count` elements, inside.
  Named memory(const Array &array, int count);
  Named nest(const Array &array, int count);
  /// Maybe by way of a register; `file` as in CSL.
  Named viaDsr(Named dsd, const std::string &file, int number);
  Named pointer(DsdElement element);
  /// One operation; `dest` and `stream` replace a destination or a source.
  void operation(std::optional<Named> dest, std::optional<Named> stream,
                 unsigned bytes, int count, const std::string &options,
                 bool reserve);
  void dsdOperation();
  void savedAddress();
  void ring();
  void map();
  void fifo();
  void scalars();
  void loop();
  void choice();
  void wide();
  void record();
  void scratch();
  void indexedMemory();
  /// " ut_id n" for an operation on a queue, or nothing.
  std::string microthread(int queue);
  Named fabin(int queue, int extent, const std::string &simd = "");
  Named fabout(const Channel &channel, int extent, const std::string &options);
  /// " async activate(...)" of a task that ends a part of the phase.
  std::string completion();
  std::string doneTask();

  Dice &dice;
  bool wse2;
  Fp16Format format;
  std::string half;
  std::vector<Array> arrays;
  std::set<std::string> busy;
  std::string body, functions, tasks, comptime, variables;
  int next = 0, phase = -1, maps = 0, records = 0, waiting = 0, localId = 9,
      taskCount = 0;
  int fifos = 0;
  std::string localFifo;
  unsigned localFifoBytes = 2;
  std::vector<int> threads; ///< microthread of each queue
};

} // namespace sequin::testing

#endif // SEQUIN_TEST_UNIT_CSLPROGRAMS_PEWRITER_H
