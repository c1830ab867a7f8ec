//===- Printer.h - Syntax trees to CSL text and to an outline ---*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_CSLSOURCE_PRINTER_H
#define SEQUIN_CSLSOURCE_PRINTER_H

#include "sequin/CslSource/AST.h"
#include "sequin/CslSource/SourceManager.h"
#include <optional>
#include <string>

namespace sequin::csl_source {

struct FormatOptions {
  unsigned indent = 2;
  /// A list that does not fit is broken into one element per line. One with a
  /// comma before its closing bracket is broken in any case.
  unsigned columns = 80;
};

/// Prints a file in the one form that formatting the result again keeps.
/// Comments stay with the declaration, statement or element they are beside,
/// and one empty line between two statements stays. The file has no errors.
void format(const SourceFile &file, llvm::raw_ostream &os,
            const FormatOptions &options = {});

/// Prints a node on one line, as messages quote it.
std::string toString(const Node &node);
/// As toString, but none if the node is better not on one line: blocks with
/// statements, switches, types with documented members.
std::optional<std::string> toLine(const Node &node);

/// Prints the tree: one line per node with its kind, its own facts and its
/// span as line:column-line:column.
void dump(const SourceFile &file, const SourceManager &sources,
          llvm::raw_ostream &os);

} // namespace sequin::csl_source

#endif // SEQUIN_CSLSOURCE_PRINTER_H
