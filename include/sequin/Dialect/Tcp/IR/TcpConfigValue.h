//===- TcpConfigValue.h - Structs of the configuration in IR ----*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parameter of the attributes of TcpConfigAttrs.td. Whoever makes one of
// these attributes, or reads its struct, includes this file.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_DIALECT_TCP_IR_TCPCONFIGVALUE_H
#define SEQUIN_DIALECT_TCP_IR_TCPCONFIGVALUE_H

#include "sequin/Config/Fields.h"
#include "llvm/ADT/Hashing.h"

namespace sequin::tcp {

/// A struct and, to compare it by, its form.
template <typename T> class ConfigValue {
public:
  ConfigValue(T value)
      : value(std::move(value)), form(config::getForm(this->value)) {}

  const T &get() const { return value; }
  operator const T &() const { return value; }

  bool operator==(const ConfigValue &other) const { return form == other.form; }
  friend llvm::hash_code hash_value(const ConfigValue &value) {
    return llvm::hash_value(value.form);
  }

private:
  T value;
  std::string form;
};

} // namespace sequin::tcp

#endif // SEQUIN_DIALECT_TCP_IR_TCPCONFIGVALUE_H
