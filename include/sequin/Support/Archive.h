//===- Archive.h - State as bytes -------------------------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A Saver and a Loader have the same functions, so that one function template
// says what a piece of state is made of. Only scalars are written as they lie
// in memory, so that no padding gets into a file. A Loader trusts nothing: a
// value that its place cannot hold makes it bad, and what is read after that is
// zero.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_SUPPORT_ARCHIVE_H
#define SEQUIN_SUPPORT_ARCHIVE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <array>
#include <cstring>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace sequin {

class Saver {
public:
  static constexpr bool kLoads = false;
  std::vector<uint8_t> bytes;

  bool isBad() const { return false; }
  void require(bool) {}
  void raw(const void *data, size_t size) {
    const auto *first = static_cast<const uint8_t *>(data);
    bytes.insert(bytes.end(), first, first + size);
  }
  template <typename T> void operator()(const T &value) {
    static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>);
    raw(&value, sizeof value);
  }
  template <typename T, size_t N> void operator()(const std::array<T, N> &all) {
    for (const T &value : all)
      (*this)(value);
  }
  void operator()(const std::string &text) {
    (*this)(uint64_t(text.size()));
    raw(text.data(), text.size());
  }
  template <typename T> void operator()(const std::optional<T> &value) {
    (*this)(value.has_value());
    if (value)
      (*this)(*value);
  }
  template <typename T> void below(const T &value, uint64_t) { (*this)(value); }
  template <typename E> void upTo(const E &value, E) { (*this)(value); }
  /// A list: its length, then `each` with every element.
  template <typename List, typename Each>
  void list(List &all, uint64_t, Each each) {
    (*this)(uint64_t(all.size()));
    for (auto &element : all)
      each(element);
  }
};

class Loader {
public:
  static constexpr bool kLoads = true;
  explicit Loader(llvm::ArrayRef<uint8_t> bytes) : left(bytes) {}

  bool isBad() const { return bad; }
  bool atEnd() const { return left.empty(); }
  size_t remaining() const { return left.size(); }
  void require(bool holds) { bad |= !holds; }
  void raw(void *data, size_t size) {
    if (bad || size > left.size()) {
      bad = true;
      std::memset(data, 0, size);
      return;
    }
    std::memcpy(data, left.data(), size);
    left = left.drop_front(size);
  }
  template <typename T> void operator()(T &value) {
    static_assert((std::is_arithmetic_v<T> && !std::is_same_v<T, bool>));
    raw(&value, sizeof value);
  }
  void operator()(bool &value) {
    uint8_t byte = 0;
    (*this)(byte);
    require(byte <= 1);
    value = byte == 1;
  }
  template <typename T, size_t N> void operator()(std::array<T, N> &all) {
    for (T &value : all)
      (*this)(value);
  }
  void operator()(std::string &text) {
    text.resize(length(1));
    raw(text.data(), text.size());
  }
  template <typename T> void operator()(std::optional<T> &value) {
    bool has = false;
    (*this)(has);
    value.reset();
    if (has)
      (*this)(value.emplace());
  }
  template <typename T> void below(T &value, uint64_t limit) {
    (*this)(value);
    check(static_cast<uint64_t>(value) < limit, value);
  }
  template <typename E> void upTo(E &value, E last) {
    std::underlying_type_t<E> number;
    raw(&number, sizeof number);
    check(number <= static_cast<std::underlying_type_t<E>>(last), number);
    value = static_cast<E>(number);
  }
  template <typename List, typename Each>
  void list(List &all, uint64_t most, Each each) {
    uint64_t count = length(1);
    require(count <= most);
    all.clear();
    for (uint64_t i = 0; i < count && !bad; ++i)
      each(all.emplace_back());
  }
  /// How many things of at least `each` bytes follow: never more than there
  /// are bytes for.
  uint64_t length(uint64_t each) {
    uint64_t count = 0;
    (*this)(count);
    check(count <= left.size() / each, count);
    return count;
  }
  /// The next bytes, which stay where they are.
  llvm::ArrayRef<uint8_t> view(size_t size) {
    if (bad || size > left.size()) {
      bad = true;
      return {};
    }
    llvm::ArrayRef<uint8_t> result = left.take_front(size);
    left = left.drop_front(size);
    return result;
  }

private:
  template <typename T> void check(bool holds, T &value) {
    if (holds)
      return;
    bad = true;
    value = T();
  }
  llvm::ArrayRef<uint8_t> left;
  bool bad = false;
};

} // namespace sequin

#endif // SEQUIN_SUPPORT_ARCHIVE_H
