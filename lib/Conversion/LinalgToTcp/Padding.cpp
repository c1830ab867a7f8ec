//===- Padding.cpp - What padded parts of tensors hold --------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The host transfer fills the padding of arguments with zeros. What a group
// makes of zeros follows from its steps; the elements of the program are taken
// to be finite.
//
//===----------------------------------------------------------------------===//

#include "Padding.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::linalg_to_tcp;

namespace {

/// The padding of one tensor.
struct Padding {
  /// Axes along which it is zero.
  AxisList zero;
  /// Whether it is finite everywhere.
  bool finite = true;

  bool isZero(AxisId axis) const { return contains(zero, axis); }
};

/// Constants that leave zero alone, by operation.
bool keepsZero(const Step &step) {
  double value = 0;
  if (auto attr = dyn_cast<FloatAttr>(step.constant))
    value = attr.getValueAsDouble();
  else
    value = static_cast<double>(cast<IntegerAttr>(step.constant).getInt());
  switch (step.op) {
  case ArithmeticOp::Add:
  case ArithmeticOp::Sub:
    return value == 0;
  case ArithmeticOp::Mul:
    return true;
  case ArithmeticOp::Max:
    return value <= 0;
  case ArithmeticOp::Min:
    return value >= 0;
  case ArithmeticOp::Div:
  case ArithmeticOp::ShiftLeft:
  case ArithmeticOp::ShiftRightSigned:
  case ArithmeticOp::ShiftRightUnsigned:
    return !step.swapped || value == 0;
  }
  llvm_unreachable("unknown arithmetic");
}

bool makesNonFinite(const Step &step) {
  auto value = dyn_cast<FloatAttr>(step.constant);
  if (!value)
    return false;
  if (!value.getValue().isFinite())
    return true;
  return step.op == ArithmeticOp::Div &&
         (step.swapped || value.getValue().isZero());
}

class Tracker {
public:
  explicit Tracker(const Program &program) : program(program) {}
  LogicalResult run();

private:
  Padding get(const TensorOperand &operand) const {
    auto found = paddings.find(operand.tensor);
    if (found != paddings.end())
      return found->second;
    // An axis cut to one element is no axis of the host's tensor, and what a
    // tensor has no axis for repeats along it.
    Padding padding;
    llvm::copy_if(operand.axes, std::back_inserter(padding.zero),
                  [&](AxisId axis) { return program.axes[axis].extent > 1; });
    return padding;
  }
  LogicalResult checkSum(Group &group);
  Padding contract(const Group &group) const;
  void apply(const Step &step, ArrayRef<AxisId> loops, Padding &padding) const;

  const Program &program;
  DenseMap<Value, Padding> paddings;
};

} // namespace

LogicalResult Tracker::checkSum(Group &group) {
  Padding lhs = get(group.lhs);
  Padding rhs = group.isPlainSum ? Padding() : get(group.rhs);
  for (AxisId id : group.k) {
    const Axis &axis = program.axes[id];
    if (axis.size == axis.extent)
      continue;
    if ((lhs.isZero(id) && rhs.finite) || (rhs.isZero(id) && lhs.finite))
      continue;
    return group.root.emitOpError()
           << "sums over axis " << axis.name << ", which is padded from "
           << axis.extent << " to " << axis.size
           << " with values that are not zero; give that dimension a size that "
              "needs no padding";
  }
  return success();
}

Padding Tracker::contract(const Group &group) const {
  Padding lhs = get(group.lhs), rhs = get(group.rhs), result;
  result.finite = lhs.finite && rhs.finite;
  for (AxisId axis : group.loops())
    if ((lhs.isZero(axis) && rhs.finite) || (rhs.isZero(axis) && lhs.finite))
      result.zero.push_back(axis);
  return result;
}

void Tracker::apply(const Step &step, ArrayRef<AxisId> loops,
                    Padding &padding) const {
  if (step.kind != Step::Kind::Arithmetic)
    return;
  if (step.constant) {
    if (makesNonFinite(step))
      padding = {{}, false};
    else if (!keepsZero(step))
      padding.zero.clear();
    return;
  }
  Padding operand = get(step.operand);
  AxisList zero;
  for (AxisId axis : loops) {
    bool left = padding.isZero(axis), right = operand.isZero(axis);
    switch (step.op) {
    case ArithmeticOp::Mul:
      if ((left && operand.finite) || (right && padding.finite))
        zero.push_back(axis);
      break;
    case ArithmeticOp::Div:
      // A padded divisor may be zero.
      if (contains(step.swapped ? loops : ArrayRef<AxisId>(step.operand.axes),
                   axis) &&
          program.axes[axis].size != program.axes[axis].extent) {
        padding = {{}, false};
        return;
      }
      if (step.swapped ? right : left)
        zero.push_back(axis);
      break;
    case ArithmeticOp::ShiftLeft:
    case ArithmeticOp::ShiftRightSigned:
    case ArithmeticOp::ShiftRightUnsigned:
      if (step.swapped ? right : left)
        zero.push_back(axis);
      break;
    default:
      if (left && right)
        zero.push_back(axis);
    }
  }
  padding.zero = std::move(zero);
  padding.finite &= operand.finite;
}

LogicalResult Tracker::run() {
  for (const auto &group : program.groups) {
    if (group->isContraction && failed(checkSum(*group)))
      return failure();
    Padding padding =
        group->isContraction ? contract(*group) : get(group->stream);
    for (const Step &step : group->steps)
      apply(step, group->loops(), padding);
    paddings[group->result] = std::move(padding);
  }
  return success();
}

LogicalResult linalg_to_tcp::checkPadding(const Program &program) {
  return Tracker(program).run();
}
