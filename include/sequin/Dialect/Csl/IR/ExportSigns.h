//===- ExportSigns.h - Signs of what the host sees --------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `unsigned` of csl.export_name is about all integers of its type. Where those
// of a function are not alike, an attribute says it of each:
//
//   csl.export_name "f" : (i16, i16) -> ()
//     {csl.unsigned_parts = array<i1: false, true>}
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_DIALECT_CSL_IR_EXPORTSIGNS_H
#define SEQUIN_DIALECT_CSL_IR_EXPORTSIGNS_H

#include "sequin/Dialect/Csl/IR/CslDialect.h"

namespace sequin::csl {

/// A flag for each input of the function, then each result.
inline constexpr llvm::StringLiteral kUnsignedPartsAttrName =
    "csl.unsigned_parts";

/// Whether the integers of an exported name have no sign: of a function, those
/// of an input or, counted on, of a result.
bool isUnsigned(ExportNameOp name, unsigned part = 0);

} // namespace sequin::csl

#endif // SEQUIN_DIALECT_CSL_IR_EXPORTSIGNS_H
