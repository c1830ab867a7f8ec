//===- JsonFields.h - One description for reading and writing ---*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A struct's JSON form is described once, by an overload
//
//     template <class Io> void describe(Io &io, Fields<Io, FetchStage> stage) {
//       io.field("sequencer", stage.sequencer);
//       ...
//     }
//
// and Writer and Reader both run it, so the two directions cannot drift apart;
// a Writer gives the fields to a sink, which makes JSON or something else of
// them. Scalars convert by an overload of toText/fromText for enumerations,
// structs of integers (loops) are arrays and are described by `tuple`.
//
// The Reader keeps the first error and lets the rest of the description run
// over default values; the caller asks for the error at the end.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_CONFIG_JSONFIELDS_H
#define SEQUIN_LIB_CONFIG_JSONFIELDS_H

#include "sequin/Config/Fields.h"
#include "sequin/Support/Excerpt.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace sequin::config::detail {

/// The struct as the direction sees it: constant when writing.
template <class Io, class T>
using Fields = std::conditional_t<Io::isWriter, const T, T> &;

/// "an array", "a string", ...: what stands at a place, for messages.
inline llvm::StringRef describeKind(const llvm::json::Value &value) {
  switch (value.kind()) {
  case llvm::json::Value::Null:
    return "null";
  case llvm::json::Value::Boolean:
    return "a boolean";
  case llvm::json::Value::Number:
    return "a number";
  case llvm::json::Value::String:
    return "a string";
  case llvm::json::Value::Array:
    return "an array";
  case llvm::json::Value::Object:
    return "an object";
  }
  return "";
}

/// Fields as bytes: the same for equal structs, and only for them.
class FormSink : public FieldSink {
public:
  void beginStruct() override {}
  void key(llvm::StringRef name) override { text(name); }
  void endStruct() override { bytes += '\0'; } // no key begins so
  void beginList(size_t size) override { number(static_cast<int64_t>(size)); }
  void endList() override {}
  void number(int64_t value) override {
    bytes.append(reinterpret_cast<const char *>(&value), sizeof(value));
  }
  void flag(bool value) override { bytes += value ? '\2' : '\1'; }
  /// The length in front, in a byte where that is enough.
  void text(llvm::StringRef value) override {
    if (value.empty() || value.size() > UINT8_MAX) {
      bytes += '\0';
      number(static_cast<int64_t>(value.size()));
    } else {
      bytes += static_cast<char>(value.size());
    }
    bytes.append(value.data(), value.size());
  }

  std::string bytes;
};

/// Gives a struct's fields to a sink.
class Writer {
public:
  static constexpr bool isWriter = true;

  explicit Writer(FieldSink &sink) : sink(sink) {}

  template <class T> void field(llvm::StringRef key, const T &value) {
    sink.key(key);
    write(value);
  }
  template <class T>
  void field(llvm::StringRef key, const std::optional<T> &value) {
    if (value)
      field(key, *value);
  }
  /// Left out when it has its default: that of its type, or what the struct it
  /// stands in says.
  template <class T>
  void optionalField(llvm::StringRef key, const T &value,
                     const T &byDefault = T()) {
    if (!isEqual(value, byDefault))
      field(key, value);
  }

  template <class T> void write(const T &value) {
    if constexpr (std::is_same_v<T, bool>)
      sink.flag(value);
    else if constexpr (std::is_integral_v<T>)
      sink.number(static_cast<int64_t>(value));
    else if constexpr (std::is_convertible_v<const T &, llvm::StringRef>)
      sink.text(value);
    else if constexpr (std::is_enum_v<T>)
      sink.enumerator(toText(value));
    else if constexpr (requires { tuple(value); }) {
      auto members = tuple(value);
      sink.beginList(members.size());
      for (auto *member : members)
        sink.number(*member);
      sink.endList();
    } else if constexpr (requires { value.begin(); }) {
      sink.beginList(value.size());
      for (const auto &element : value)
        write(element);
      sink.endList();
    } else {
      if constexpr (std::is_same_v<T, Sequencer>)
        if (sink.sequencer(value))
          return;
      sink.beginStruct();
      describe(*this, value);
      sink.endStruct();
    }
  }

private:
  template <class T> static bool isEqual(const T &a, const T &b) {
    if constexpr (std::is_scalar_v<T> || std::is_same_v<T, std::string>) {
      return a == b;
    } else {
      FormSink first, second;
      Writer(first).write(a);
      Writer(second).write(b);
      return first.bytes == second.bytes;
    }
  }

  FieldSink &sink;
};

/// Fields as JSON.
class JsonSink : public FieldSink {
public:
  void beginStruct() override { open.push_back({llvm::json::Object(), {}}); }
  void key(llvm::StringRef name) override { open.back().key = name; }
  void endStruct() override { close(); }
  void beginList(size_t size) override {
    open.push_back({llvm::json::Array(), {}});
    // Growing copies all there is.
    open.back().value.getAsArray()->reserve(size);
  }
  void endList() override { close(); }
  void number(int64_t value) override { put(value); }
  void flag(bool value) override { put(value); }
  void text(llvm::StringRef value) override { put(value.str()); }

  llvm::json::Value take() { return std::move(root); }

private:
  void close() {
    llvm::json::Value value = std::move(open.back().value);
    open.pop_back();
    put(std::move(value));
  }
  void put(llvm::json::Value value) {
    if (open.empty())
      root = std::move(value);
    else if (llvm::json::Array *array = open.back().value.getAsArray())
      array->push_back(std::move(value));
    else
      open.back().value.getAsObject()->insert(
          {open.back().key, std::move(value)});
  }

  struct Open {
    llvm::json::Value value;
    llvm::StringRef key; ///< of the field that comes next
  };
  std::vector<Open> open;
  llvm::json::Value root = nullptr;
};

/// The first error of a whole reading.
struct ReadState {
  std::optional<FieldError> error;

  bool failed() const { return error.has_value(); }
  void fail(const llvm::Twine &path, const llvm::Twine &what) {
    if (!failed())
      error = {path.str(), what.str(), ""};
  }
  void expected(const llvm::Twine &path, const llvm::Twine &allowed,
                const llvm::json::Value &found) {
    fail(path, "expected " + allowed + ", found " + describeKind(found));
  }
};

class Reader {
public:
  static constexpr bool isWriter = false;

  Reader(const llvm::json::Value &value, std::string path, ReadState &state)
      : object(value.getAsObject()), path(std::move(path)), state(state) {
    if (!object)
      state.expected(this->path, "an object", value);
  }

  template <class T> void field(llvm::StringRef key, T &value) {
    if (const llvm::json::Value *found = find(key))
      read(*found, pathOf(key), value);
    else if (object)
      state.fail(path, "key '" + key + "' is missing");
  }
  template <class T> void field(llvm::StringRef key, std::optional<T> &value) {
    if (const llvm::json::Value *found = find(key))
      read(*found, pathOf(key), value.emplace());
  }
  /// What is left out keeps the default that its struct gave it.
  template <class T, class... Default>
  void optionalField(llvm::StringRef key, T &value, const Default &...) {
    if (const llvm::json::Value *found = find(key))
      read(*found, pathOf(key), value);
  }

  bool has(llvm::StringRef key) { return find(key) != nullptr; }
  void fail(llvm::StringRef key, const llvm::Twine &what) {
    state.fail(pathOf(key), what);
  }

  /// To be called after all fields: a key nobody asked for is an error.
  void finish() {
    if (!object || state.failed())
      return;
    std::vector<llvm::StringRef> present;
    for (const auto &entry : *object)
      present.push_back(entry.first);
    llvm::sort(present); // the object itself is unordered
    for (llvm::StringRef key : present)
      if (!llvm::is_contained(known, key)) {
        state.fail(path, "unknown key '" + excerpt(key) + "', allowed are " +
                             llvm::join(known, ", "));
        state.error->unknown = pathOf(key);
        return;
      }
  }

  template <class T>
  void read(const llvm::json::Value &value, const std::string &at, T &result) {
    if constexpr (std::is_same_v<T, bool>) {
      if (std::optional<bool> flag = value.getAsBoolean())
        result = *flag;
      else
        state.expected(at, "a boolean", value);
    } else if constexpr (std::is_integral_v<T>) {
      readInteger(value, at, result);
    } else if constexpr (std::is_same_v<T, std::string>) {
      if (std::optional<llvm::StringRef> text = value.getAsString())
        result = text->str();
      else
        state.expected(at, "a string", value);
    } else if constexpr (std::is_enum_v<T>) {
      readEnum(value, at, result);
    } else if constexpr (requires { tuple(result); }) {
      readTuple(value, at, result);
    } else {
      Reader inner(value, at, state);
      describe(inner, result);
      inner.finish();
    }
  }
  template <class T, unsigned N>
  void read(const llvm::json::Value &value, const std::string &at,
            llvm::SmallVector<T, N> &list) {
    readList(value, at, list);
  }
  template <class T>
  void read(const llvm::json::Value &value, const std::string &at,
            std::vector<T> &list) {
    readList(value, at, list);
  }

private:
  const llvm::json::Value *find(llvm::StringRef key) {
    if (!llvm::is_contained(known, key))
      known.push_back(key);
    return object ? object->get(key) : nullptr;
  }

  std::string pathOf(llvm::StringRef key) const {
    return path.empty() ? key.str() : path + "." + key.str();
  }

  template <class T>
  void readInteger(const llvm::json::Value &value, const std::string &at,
                   T &result) {
    std::optional<int64_t> number = value.getAsInteger();
    if (!number)
      return state.expected(at, "an integer", value);
    result = static_cast<T>(*number);
    if (static_cast<int64_t>(result) != *number)
      state.fail(at, llvm::Twine(*number) + " does not fit into " +
                         llvm::Twine(sizeof(T) * 8) + " bits");
  }

  template <class T>
  void readEnum(const llvm::json::Value &value, const std::string &at,
                T &result) {
    std::optional<llvm::StringRef> text = value.getAsString();
    if (!text)
      return state.expected(at, "a string", value);
    llvm::SmallVector<llvm::StringRef, 32> names;
    for (T candidate : valuesOf(T())) {
      if (toText(candidate) == *text) {
        result = candidate;
        return;
      }
      names.push_back(toText(candidate));
    }
    state.fail(at, "found '" + excerpt(*text) + "', allowed are " +
                       llvm::join(names, ", "));
  }

  template <class T>
  void readTuple(const llvm::json::Value &value, const std::string &at,
                 T &result) {
    const llvm::json::Array *array = value.getAsArray();
    auto members = tuple(result);
    if (!array)
      return state.expected(at, "an array", value);
    if (array->size() != members.size())
      return state.fail(at, "found an array of " + llvm::Twine(array->size()) +
                                ", expected " + llvm::Twine(members.size()) +
                                " integers");
    for (size_t i = 0; i < members.size(); ++i)
      readInteger((*array)[i], at + "[" + std::to_string(i) + "]", *members[i]);
  }

  template <class List>
  void readList(const llvm::json::Value &value, const std::string &at,
                List &list) {
    const llvm::json::Array *array = value.getAsArray();
    if (!array)
      return state.expected(at, "an array", value);
    list.clear();
    for (size_t i = 0; i < array->size() && !state.failed(); ++i)
      read((*array)[i], at + "[" + std::to_string(i) + "]",
           list.emplace_back());
  }

  const llvm::json::Object *object;
  std::string path;
  ReadState &state;
  /// Every key the description asked for, in its order.
  llvm::SmallVector<llvm::StringRef, 16> known;
};

} // namespace sequin::config::detail

#endif // SEQUIN_LIB_CONFIG_JSONFIELDS_H
