//===- Locations.cpp - Places of operations as text -----------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Dialect/Tcp/IR/Locations.h"

using namespace mlir;
using namespace sequin;

std::string sequin::describeLocation(LocationAttr location) {
  if (auto file = Location(location)->findInstanceOf<FileLineColLoc>())
    return (file.getFilename().getValue() + ":" + Twine(file.getLine()) + ":" +
            Twine(file.getColumn()))
        .str();
  if (auto named = Location(location)->findInstanceOf<NameLoc>())
    return named.getName().str();
  return "";
}
