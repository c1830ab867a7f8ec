//===- Parser.h - CSL text to syntax trees ----------------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A recursive-descent parser with precedence climbing for the grammar in
// docs/Spec/CslSyntax.md. It always returns a tree. After an error it goes on
// at the next place where a declaration, statement or list element can begin,
// and what could not be read is an ErrorExpr; a file with an error has
// hadErrors set and must not be compiled, though a language server may look at
// its tree.
//
// What it checks besides the grammar is what needs no name: literals, keywords
// as names, labels of a function, missing initialisers, duplicate attributes,
// fields and enumerators, jumps outside of what they leave.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_CSLSOURCE_PARSER_H
#define SEQUIN_CSLSOURCE_PARSER_H

#include "sequin/CslSource/AST.h"
#include "sequin/CslSource/SourceManager.h"

namespace sequin::csl_source {

/// Parses a file. Nodes live in `context`; errors go to `diagnostics`.
const SourceFile *parse(FileId file, const SourceManager &sources,
                        Context &context, Diagnostics &diagnostics);

} // namespace sequin::csl_source

#endif // SEQUIN_CSLSOURCE_PARSER_H
