//===- Shapes.h - What a command does, without addresses --------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The stages of a command with their loops, for the picture of its mapping.
// Rounds of a loop and tiles of an operation differ by addresses only, so that
// a page has few shapes for many commands.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_PAGE_SHAPES_H
#define SEQUIN_LIB_PAGE_SHAPES_H

#include "sequin/Config/Config.h"
#include "sequin/Machine/Machine.h"

namespace sequin::page {

/// JSON of one shape: lib/Page/assets/mapping.js has the keys.
std::string describeShape(const config::Command &command,
                          const TcpMachine &machine);

} // namespace sequin::page

#endif // SEQUIN_LIB_PAGE_SHAPES_H
