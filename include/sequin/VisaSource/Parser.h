//===- Parser.h - Kernel source to syntax trees -----------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A recursive-descent parser for the part of Rust (reference, "Items",
// "Statements and expressions", "Patterns", "Type system") that kernels, host
// programs and tests of the Virtual ISA manual are written in, and for the
// manual's macros ("Mapping Expressions"; "Axis Sizes" for `axes!`).
//
// It always returns a tree. After an error it goes on at the next element,
// statement or item, and what could not be read is an Error node; a file with
// an error has hadErrors set, may lack parts that others have, and must not be
// compiled or printed. What Rust has and kernels do not is one error that names
// it and the place: traits, unions, statics, extern blocks, `dyn`, raw
// pointers, `async` closures, labels, `?`, `for<...>` bounds, functions without
// a body. Macros but those above and the ones of MacroForm::List keep their
// tokens unread.
//
// Nesting beyond kMaxNesting, trees higher than kMaxTreeHeight and more errors
// than Diagnostics keeps end the reading of a file, so that the time is linear
// in its length and no input overflows the stack.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_VISASOURCE_PARSER_H
#define SEQUIN_VISASOURCE_PARSER_H

#include "sequin/VisaSource/AST.h"

namespace sequin::visa_source {

/// Parses a file. Nodes live in `context`; errors go to `diagnostics`.
const SourceFile *parse(FileId file, const SourceManager &sources,
                        Context &context, Diagnostics &diagnostics);

} // namespace sequin::visa_source

#endif // SEQUIN_VISASOURCE_PARSER_H
