//===- Context.h - Places and axes of an import -----------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_TARGET_VISAIMPORT_CONTEXT_H
#define SEQUIN_LIB_TARGET_VISAIMPORT_CONTEXT_H

#include "Value.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "sequin/Dialect/Stream/IR/StreamDialect.h"
#include "sequin/Stream/Mapping.h"
#include "sequin/VisaSource/Resolve.h"

namespace sequin::visa_import {

/// Says things about places of the source, as diagnostics of MLIR.
class Reporter {
public:
  Reporter(mlir::MLIRContext &context, const source::SourceManager &sources)
      : context(context), sources(sources) {}

  mlir::Location locate(Span place) const;
  mlir::InFlightDiagnostic error(Span place) const {
    return mlir::emitError(locate(place));
  }
  mlir::InFlightDiagnostic remark(Span place) const {
    return mlir::emitRemark(locate(place));
  }
  /// Everything that the reader of source found.
  void forward(const source::Diagnostics &diagnostics) const;

private:
  mlir::MLIRContext &context;
  const source::SourceManager &sources;
};

/// The axes of a program. Axes of different modules may have one name; each
/// gets a name of its own here.
class AxisTable {
public:
  /// Adds an axis; nothing if it is there.
  void add(const ast::AxisDecl &axis, int64_t size);
  /// Adds an axis that the source does not have; its name.
  std::string addPart(StringRef axis, StringRef part, int64_t size);
  /// Empty for an axis that is not among those added.
  StringRef nameOf(const ast::AxisDecl &axis) const;

  const AxisSizes &sizes() const { return table; }
  stream::AxesAttr getAttr(mlir::MLIRContext &context) const;

private:
  AxisSizes table;
  llvm::DenseMap<const ast::AxisDecl *, std::string> names;
};

} // namespace sequin::visa_import

#endif // SEQUIN_LIB_TARGET_VISAIMPORT_CONTEXT_H
