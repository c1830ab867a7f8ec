//===- EmitGroup.h - Groups as passes of the tensor unit --------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_CONVERSION_LINALGTOTCP_EMITGROUP_H
#define SEQUIN_LIB_CONVERSION_LINALGTOTCP_EMITGROUP_H

#include "Program.h"
#include "mlir/IR/Builders.h"
#include <functional>

namespace sequin::linalg_to_tcp {

/// Text of mappings, outermost term first; terms that are empty are left out.
using Terms = llvm::SmallVector<std::string, 6>;

/// "1" if there is none.
std::string joinTerms(llvm::ArrayRef<std::string> terms);

/// Mappings of a tensor's memory, from the innermost loop outwards.
class MemoryText {
public:
  /// A loop of `size` positions that steps over `stride` elements.
  void add(llvm::StringRef name, int64_t size, int64_t stride);
  /// Fills up to `size` elements.
  void pad(int64_t size);
  std::string str() const { return text.empty() ? "1" : text; }
  int64_t size() const { return span; }

private:
  std::string text;
  int64_t span = 1;
  bool single = true; ///< one term
};

/// The part of a group's emission that groups share.
struct KernelEmitter {
  KernelEmitter(const Program &program, mlir::OpBuilder &builder,
                stream::MappingAttr chip)
      : program(program), builder(builder), chip(chip) {}

  mlir::LogicalResult emitGroup(const Group &group);
  tcp::HbmType typeOf(const Tensor &tensor) const;
  stream::AxesAttr axesOf(const Tensor &tensor) const;
  stream::MappingAttr chipOf(const Tensor &tensor) const;
  /// Whether the host sends or gets it.
  bool isOfHost(const Tensor &tensor) const;
  /// Positions of a dimension of all chips, as the host has them.
  int64_t hostSize(const Tensor &tensor, unsigned dim) const;
  /// The axis that tells chips apart, if several do a part each.
  void addChipAxis(AxisSizes &axes) const;

  const Program &program;
  mlir::OpBuilder &builder;
  /// Of all groups.
  stream::MappingAttr chip;
  /// Steps of rings, and chunks of sums over several loops but the longest, are
  /// written one after the other, some twenty operations each.
  static constexpr uint64_t kMostUnrolledSteps = 1 << 14;
  uint64_t stepsLeft = kMostUnrolledSteps;
  /// What every tensor holds at the point of emission.
  llvm::DenseMap<Tensor *, mlir::Value> values;

  // From one group that streams weights to the next.
  /// The store of the last group's result.
  std::function<void()> pendingStore;
  void flushStore() {
    if (auto store = std::exchange(pendingStore, nullptr))
      store();
  }
  /// Which half of DM the next one has.
  bool usesSecondHalf = false;
  /// What the register files hold.
  struct Activations {
    Access access;
    tcp::DmType type;
    mlir::Value trf;
  };
  Activations activations;
};

} // namespace sequin::linalg_to_tcp

#endif // SEQUIN_LIB_CONVERSION_LINALGTOTCP_EMITGROUP_H
