//===- Generator.h - What writes a random CSL program -----------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_TEST_UNIT_CSLSOURCEPROGRAMS_GENERATOR_H
#define SEQUIN_TEST_UNIT_CSLSOURCEPROGRAMS_GENERATOR_H

#include "SourceFeatures.h"
#include "SourceGenerator.h"

namespace sequin::testing::model {

inline constexpr Ty kNumbers[] = {Ty::I16, Ty::U16, Ty::I32, Ty::U32};
inline constexpr int64_t kElements = 8;

class Dice {
public:
  explicit Dice(std::mt19937_64 &random) : random(random) {}
  int64_t below(int64_t count) {
    return static_cast<int64_t>(random() % static_cast<uint64_t>(count));
  }
  int64_t between(int64_t low, int64_t high) {
    return low + below(high - low + 1);
  }
  bool chance(int percent) { return below(100) < percent; }
  template <typename List> auto &pick(List &list) {
    return list[below(std::size(list))];
  }

private:
  std::mt19937_64 &random;
};

struct Name {
  std::string name;
  Ty type;
  bool isAssignable = false, isKnown = false;
};

struct Array {
  std::string name;
  Ty type;
  bool isConst = false, isKnown = false;
  bool isGrid = false; ///< 2 x 4
  bool isPart = false; ///< of a struct, or behind a pointer
};

/// Where code is being written.
struct Place {
  std::vector<Name> names;
  bool isComptime = false; ///< a function for the compiler
  bool isPure = false;     ///< reads parameters and locals alone
  Ty result = Ty::Bool;
  bool returns = false;
  int loops = 0; ///< emitted, around
  std::vector<std::string> labels;
};

class Generator {
public:
  explicit Generator(std::mt19937_64 &random) : dice(random), random(random) {}
  SourceProgram run();

private:
  std::string fresh(const std::string &stem) {
    return stem + std::to_string(++counter);
  }
  Ty number() { return dice.pick(kNumbers); }

  // Expressions.
  ExprPtr expr(Place &place, Ty type, int depth);
  /// May be of a narrower type, or a bare literal.
  ExprPtr coercible(Place &place, Ty type, int depth);
  ExprPtr literal(Ty type, bool isBare);
  ExprPtr name(Place &place, Ty type, bool running);
  ExprPtr element(Place &place, Ty type, int depth);
  std::vector<ExprPtr> indices(Place &place, const Array &array, int depth);
  ExprPtr smallIndex(Place &place, int64_t mask, int depth);
  ExprPtr masked(ExprPtr operand, int64_t mask, Ty type);
  ExprPtr condition(Place &place, int depth);
  ExprPtr blockExpr(Place &place, Ty type);
  ExprPtr arithmetic(Place &place, Ty type, int depth);
  ExprPtr call(Place &place, Ty type, int depth);
  ExprPtr binary(const std::string &op, Ty type, ExprPtr a, ExprPtr b);
  /// Known expressions have a value at every PE; else a part becomes running.
  ExprPtr sound(Place &place, std::shared_ptr<Expr> made);
  bool isSound(const Expr &known);

  // Statements.
  std::vector<StmtPtr> block(Place &place, int count, int depth);
  void statement(Place &place, std::vector<StmtPtr> &out, int depth);
  StmtPtr assignment(Place &place, int depth);
  StmtPtr vectorOperation();
  StmtPtr featureStatement(Place &place, int depth);
  void endWithReturn(Place &place, std::vector<StmtPtr> &body);

  // Parts of the program.
  void addParameters();
  void addGlobals();
  void addFunctions();
  void addComptime();
  void addFeature();

  Dice dice;
  std::mt19937_64 &random;
  Feature feature;
  int counter = 0;
  int64_t width = 1;
  std::vector<Name> known; ///< parameters and constants
  std::vector<Name> scalars;
  std::vector<Array> arrays;
  std::vector<std::unique_ptr<Function>> functions, comptimeFunctions;
  std::string declarations;
  /// Values of known names and arrays, and then of all, by PE.
  std::vector<Globals> pes;
  std::vector<std::vector<std::string>> bindings; ///< of parameters, by PE
  std::string parameters;
};

} // namespace sequin::testing::model

#endif // SEQUIN_TEST_UNIT_CSLSOURCEPROGRAMS_GENERATOR_H
