//===- StreamDialect.h - The stream dialect ---------------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_DIALECT_STREAM_IR_STREAMDIALECT_H
#define SEQUIN_DIALECT_STREAM_IR_STREAMDIALECT_H

#include "mlir/IR/Attributes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "sequin/Stream/Dsd.h"
#include "sequin/Stream/Mapping.h"
#include "sequin/Stream/Sequencer.h"

#include "sequin/Dialect/Stream/IR/StreamDialect.h.inc"
#define GET_ATTRDEF_CLASSES
#include "sequin/Dialect/Stream/IR/StreamAttrs.h.inc"

namespace sequin::stream {

/// `custom<Mapping>` in the assembly formats of other dialects: the bare string
/// of a mapping, its grammar checked where it stands.
mlir::ParseResult parseMapping(mlir::AsmParser &parser, MappingAttr &mapping);
void printMapping(mlir::AsmPrinter &printer, MappingAttr mapping);

} // namespace sequin::stream

#endif // SEQUIN_DIALECT_STREAM_IR_STREAMDIALECT_H
