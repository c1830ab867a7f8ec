//===- SourceFeatures.h - Types, modules, registers of a program *- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a random program has beside scalar code on integers: structs, enums,
// pointers, floating point, small integers, modules with parameters, FIFOs and
// DSRs. Each is declarations, places that code may name like variables, and
// statements with a meaning.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_TEST_UNIT_CSLSOURCEPROGRAMS_SOURCEFEATURES_H
#define SEQUIN_TEST_UNIT_CSLSOURCEPROGRAMS_SOURCEFEATURES_H

#include "Model.h"
#include <random>

namespace sequin::testing {

/// Something of a program that its code may name.
struct FeatureCell {
  std::string text; ///< as code names it, and its key in the model
  model::Ty type;
  std::vector<int64_t> initial;
  bool isArray = false;
  /// Any statement may read and write it.
  bool isFree = true;
  /// A variable by itself, which descriptors may be made of.
  bool isVariable = false;
};

/// Expressions that a statement may be made with.
struct Giver {
  std::function<model::ExprPtr(model::Ty)> expression;
  std::function<std::vector<model::StmtPtr>()> body;
};

struct Feature {
  /// The format of 16-bit floats, as csl::Fp16 numbers them.
  unsigned fp16 = 0;
  std::string declarations;
  std::vector<FeatureCell> cells;
  std::vector<std::function<model::StmtPtr(const Giver &)>> statements;
  /// Variables of the program that hold what a cell does, at the end or always.
  struct Output {
    std::string variable, cell;
    bool isAlways = false;
  };
  std::vector<Output> outputs;
  /// Statements that bring the cells into them.
  std::string ending;
  std::vector<std::pair<std::string, std::string>> files;
};

/// `fresh` makes names.
Feature
makeFeature(std::mt19937_64 &random,
            const std::function<std::string(const std::string &)> &fresh);

} // namespace sequin::testing

#endif // SEQUIN_TEST_UNIT_CSLSOURCEPROGRAMS_SOURCEFEATURES_H
