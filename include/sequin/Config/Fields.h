//===- Fields.h - The configuration's structs field by field ----*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What stands in a struct of Config.h, and under which key, is described once
// (lib/Config/ConfigJson.cpp). Who writes structs in another form than JSON
// receives the fields through a FieldSink; who reads one makes JSON of it and
// gets the struct, or what is wrong and where.
//
// The templates exist for the structs of Config.h that stand alone in a form of
// their own: stages, descriptors, steps, arrays, commands and programs.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_CONFIG_FIELDS_H
#define SEQUIN_CONFIG_FIELDS_H

#include "sequin/Config/Config.h"

namespace sequin::config {

/// Receives the fields of a struct in the order of its description. Those that
/// have their default and may be left out do not come.
class FieldSink {
public:
  virtual ~FieldSink() = default;

  virtual void beginStruct() = 0;
  /// Of the value that comes next.
  virtual void key(llvm::StringRef name) = 0;
  virtual void endStruct() = 0;
  virtual void beginList(size_t size) = 0;
  virtual void endList() = 0;
  virtual void number(int64_t value) = 0;
  virtual void flag(bool value) = 0;
  virtual void text(llvm::StringRef value) = 0;
  virtual void enumerator(llvm::StringRef name) { text(name); }
  /// Whether it was taken whole; false asks for its fields.
  virtual bool sequencer(const Sequencer &) { return false; }
};

template <typename T> void writeFields(const T &value, FieldSink &sink);

/// Bytes that are the same for equal structs, and only for them.
template <typename T> std::string getForm(const T &value);

/// The path of a field ("sequencer.entries[1]"; empty for the whole) and what
/// is wrong with it; the path of the key that should not be there, if it is
/// one.
struct FieldError {
  std::string path, message;
  std::string unknown = {};
};

/// Reads `value` from the form that toJSON() gives it.
template <typename T>
std::optional<FieldError> readFields(const llvm::json::Value &json, T &value);

/// Bitmaps of slices (ExecCommand::sliceMask) as text, one string per cluster,
/// and back.
std::vector<std::string> maskToText(llvm::ArrayRef<uint64_t> mask);
llvm::Expected<std::vector<uint64_t>>
maskFromText(llvm::ArrayRef<std::string> text);

} // namespace sequin::config

#endif // SEQUIN_CONFIG_FIELDS_H
