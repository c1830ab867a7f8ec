//===- CommandForm.h - Commands to be compared ------------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_CONFIG_COMMANDFORM_H
#define SEQUIN_LIB_CONFIG_COMMANDFORM_H

#include "sequin/Config/Config.h"

namespace sequin::config::detail {

/// Appends bytes that are the same for equal commands, and only for them.
void appendForm(const std::vector<Command> &commands, std::string &form);

} // namespace sequin::config::detail

#endif // SEQUIN_LIB_CONFIG_COMMANDFORM_H
