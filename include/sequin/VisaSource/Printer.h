//===- Printer.h - Syntax trees to kernel source ----------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parsing what `print` wrote gives the same tree, but for spans. Comments are
// not part of the tree and are left out, the ones in unread tokens stay.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_VISASOURCE_PRINTER_H
#define SEQUIN_VISASOURCE_PRINTER_H

#include "sequin/VisaSource/AST.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

namespace sequin::visa_source {

/// Prints a file that has no errors; long chains of methods take a line each.
void print(const SourceFile &file, llvm::raw_ostream &os);

/// Prints a node on one line, as messages quote it.
std::string toString(const Node &node);

/// Prints the tree: one line per node with its kind, its own facts and, given
/// the sources, its span as line:column-line:column. Without spans, two trees
/// have the same text exactly if they are the same.
void dump(const SourceFile &file, llvm::raw_ostream &os,
          const SourceManager *sources = nullptr);

} // namespace sequin::visa_source

#endif // SEQUIN_VISASOURCE_PRINTER_H
