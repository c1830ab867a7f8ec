//===- PlanAssignment.h - One way to place a program ------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_CONVERSION_LINALGTOCSL_PLANASSIGNMENT_H
#define SEQUIN_LIB_CONVERSION_LINALGTOCSL_PLANASSIGNMENT_H

#include "Program.h"

namespace sequin::linalg_to_csl {

/// What the planner may choose from: which operations run as SUMMA decides
/// which dimensions belong together.
struct ClassTable {
  SmallVector<int64_t> extents;
  /// Read at a fixed index somewhere, hence not cut.
  SmallVector<bool> fixed;
};

/// Unites the dimensions that loops run together and sets the nodes of
/// `program`. The contracted loops of SUMMA unite nothing.
ClassTable buildClasses(Program &program, ArrayRef<bool> summa);

/// Whether `op` has the form C[m, n] += A[m, k] * B[k, n], in any order of
/// dimensions; the loops m, n and k.
std::optional<std::array<unsigned, 3>> getSummaLoops(const LoopNest &op);

struct Assignment {
  SmallVector<FabricAxis> axes; ///< of the classes
  SmallVector<bool> summa;      ///< of the operations
  int64_t panelsPerBlock = 1;   ///< SUMMA: more make panels narrower
};

/// Why an assignment is not possible.
struct Refusal {
  Operation *op = nullptr; ///< null: the function
  std::string text;
  int64_t bytes = 0; ///< what it needs where that is the reason
};

class AssignmentPlanner {
public:
  AssignmentPlanner(const Program &program, const ClassTable &table, Grid grid,
                    csl::TargetAttr target)
      : program(program), table(table), grid(grid), target(target),
        machine(*target.getRow()) {}

  /// The steps, arrays and costs of an assignment.
  std::optional<Plan> run(const Assignment &assignment, Refusal &refusal);

private:
  bool refuse(Operation *op, const llvm::Twine &text);
  bool placeClasses();
  bool checkAxes();
  bool findMargins();
  bool addSteps();
  bool addStepsOf(unsigned number);
  bool addSumma(unsigned number);
  void addHalos(unsigned storage);
  /// Data beyond the tensor is `value` in every dimension that is cut, unless
  /// it is known to be.
  bool addOutside(unsigned storage, TypedAttr value);
  void addReduction(unsigned number);
  /// Intermediate tensors share variables where their lives do not overlap.
  void findHomes();
  void addUp();

  int64_t fabricWords(unsigned storage) const;
  int64_t localIterations(const LoopNest &op) const;
  int64_t computeCycles(const LoopNest &op) const;
  /// Before the first element of an operation on two DSDs.
  int64_t setupCycles() const { return 2 * machine.dsrLoadCycles; }
  int64_t reduceCycles(ReducePath &path, int64_t words) const;

  const Program &program;
  const ClassTable &table;
  Grid grid;
  csl::TargetAttr target;
  const CslMachine &machine;

  const Assignment *assignment = nullptr;
  Plan plan;
  Refusal refusal;
  /// Whether a storage is on all PEs of x, of y.
  SmallVector<std::array<bool, 2>> onAll;
  SmallVector<bool> haloDone, zeroOutside;
};

} // namespace sequin::linalg_to_csl

#endif // SEQUIN_LIB_CONVERSION_LINALGTOCSL_PLANASSIGNMENT_H
