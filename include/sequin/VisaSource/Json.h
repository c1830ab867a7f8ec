//===- Json.h - Programs of kernel source as JSON ---------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A crate with its libraries for programs that do not link the tree, above all
// the Python package, which evaluates the tests of kernels:
//
//   {"files": ["hello.rs"],
//    "modules": [{"path": "crate", "file": "hello.rs", "items": [...]}],
//    "nodes": [{"id": 3, "kind": "BinaryExpr", "at": [1, 12, 9],
//               "means": {"kind": "item", "node": {"node": 2}},
//               "members": {"op": "+", "left": {"node": 1}}}]}
//
// The list of nodes is flat and sorted by number, children before what they
// are part of, so that trees of any height are read without recursion. `at` is
// file (from 1), line and column. `means` stands at paths and axes that are
// known; its node is an item, an axis, or what binds the name. What is absent,
// empty or false is left out; an item's `head` is its name and attributes.
//
// Of libraries only what the crate names is there, and the bodies of kernels
// are nowhere: a host launches them.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_VISASOURCE_JSON_H
#define SEQUIN_VISASOURCE_JSON_H

#include "sequin/VisaSource/Resolve.h"
#include "llvm/Support/raw_ostream.h"

namespace sequin::visa_source {

void writeJson(const Crates &program, const SourceManager &sources,
               llvm::raw_ostream &os);

} // namespace sequin::visa_source

#endif // SEQUIN_VISASOURCE_JSON_H
