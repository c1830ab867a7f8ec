//===- Context.cpp - Places and axes of an import -------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Context.h"
#include "mlir/IR/MLIRContext.h"

using namespace sequin;
using namespace sequin::visa_import;

mlir::Location Reporter::locate(Span place) const {
  if (!place.isValid())
    return mlir::UnknownLoc::get(&context);
  source::LineColumn at = sources.lineColumn(place.Start);
  return mlir::FileLineColLoc::get(
      &context, sources.path(sources.fileOf(place.Start)), at.line, at.column);
}

void Reporter::forward(const source::Diagnostics &diagnostics) const {
  for (const source::Diagnostic &diagnostic : diagnostics.all()) {
    Span place = diagnostic.span.isValid()
                     ? diagnostic.span
                     : Span(diagnostic.loc, diagnostic.loc);
    mlir::InFlightDiagnostic out =
        diagnostic.severity == source::Severity::Error
            ? error(place)
            : mlir::emitWarning(locate(place));
    out << diagnostic.message;
    for (const source::Diagnostic &note : diagnostic.notes)
      out.attachNote(locate(note.span)) << note.message;
  }
}

void AxisTable::add(const ast::AxisDecl &axis, int64_t size) {
  if (names.contains(&axis))
    return;
  std::string base = axis.name.text.str();
  if (!isAxisName(base))
    base = "X_" + base;
  std::string name = base;
  for (unsigned i = 2; !table.add(name, size); ++i)
    name = base + "_" + std::to_string(i);
  names[&axis] = std::move(name);
}

std::string AxisTable::addPart(StringRef axis, StringRef part, int64_t size) {
  std::string base = (axis + "_" + part).str(), name = base;
  for (unsigned i = 2; !table.add(name, size); ++i)
    name = base + "_" + std::to_string(i);
  return name;
}

StringRef AxisTable::nameOf(const ast::AxisDecl &axis) const {
  auto found = names.find(&axis);
  return found == names.end() ? StringRef() : StringRef(found->second);
}

stream::AxesAttr AxisTable::getAttr(mlir::MLIRContext &context) const {
  return stream::AxesAttr::get(&context, table);
}
