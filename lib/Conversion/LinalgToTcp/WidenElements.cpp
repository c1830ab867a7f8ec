//===- WidenElements.cpp - Elements of half a byte ------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The fetch engine takes whole bytes, so what has elements of half a byte is
// read along its contiguous dimension only. Who reads it in another way reads a
// copy of i8.
//
//===----------------------------------------------------------------------===//

#include "Program.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::linalg_to_tcp;

/// Whether every dimension is another loop.
static bool isPlain(const Access &access) {
  return llvm::all_of(access.dims, [&](const Index &index) {
    return index.loop() && access.countDims(*index.loop()) == 1;
  });
}

/// The same for where a result lies in its tensor: anywhere, if whole bytes.
static bool isBlock(const Access &access) {
  return llvm::all_of(access.dims, [&](const Index &index) {
    return index.terms.empty() ||
           (index.terms.size() == 1 && index.terms[0].second == 1 &&
            access.countDims(index.terms[0].first) == 1);
  });
}

/// Whether packets of the factors can run along a loop of the sum.
static bool sumsAlong(const Group &group) {
  if (!isPlain(group.lhs) || !isPlain(group.rhs))
    return false;
  for (auto [i, loop] : llvm::enumerate(group.loops))
    if (loop.reduced && loop.extent > 1 && group.lhs.uses(i) &&
        group.rhs.uses(i))
      return true;
  return false;
}

/// Whether a packet of the stream can run along a loop of the result.
static bool streamsAlong(const Group &group) {
  LoopList parallel = group.parallel();
  return isPlain(group.stream) && isBlock(group.result) && !parallel.empty() &&
         llvm::all_of(parallel,
                      [&](LoopId loop) { return group.stream.uses(loop); });
}

void linalg_to_tcp::widenElements(Program &program, ArgumentLayout layout) {
  auto isHalf = [](const Access &access) {
    return access && sharesBytes(*access.tensor);
  };
  // The layout is the reader's choice.
  auto isFree = [&](const Access &access) {
    return access.tensor->origin == Tensor::Origin::Constant ||
           (access.tensor->origin == Tensor::Origin::Argument &&
            layout == ArgumentLayout::Chosen);
  };
  DenseMap<Tensor *, Tensor *> copies;
  std::vector<std::unique_ptr<Group>> groups;
  auto widen = [&](Group &reader, Access &access) {
    if (!isHalf(access))
      return;
    Tensor *&copy = copies[access.tensor];
    if (!copy) {
      RankedTensorType type = access.tensor->type;
      copy =
          program.addTensor(type.clone(IntegerType::get(type.getContext(), 8)));
      auto group = std::make_unique<Group>(Group::of(reader));
      for (int64_t size : type.getShape())
        group->loops.emplace_back().extent = size;
      group->stream = wholeOf(access.tensor);
      group->result = wholeOf(copy);
      group->computeType = computeTypeOf(type.getElementType());
      groups.push_back(std::move(group));
    }
    access.tensor = copy;
  };
  for (auto &group : program.groups) {
    for (Step &step : group->steps)
      for (Access *access : {&step.operand, &step.second})
        widen(*group, *access);
    if (group->kind == Group::Kind::Contraction && !group->scale &&
        isHalf(group->lhs) && isHalf(group->rhs) &&
        !(isFree(group->lhs) && isFree(group->rhs) && sumsAlong(*group))) {
      widen(*group, group->lhs);
      widen(*group, group->rhs);
    }
    bool streams = group->kind == Group::Kind::Stream ||
                   group->kind == Group::Kind::Reduction;
    if (streams && isHalf(group->stream) &&
        !(isFree(group->stream) && streamsAlong(*group))) {
      group->computeType = computeTypeOf(group->computeType);
      widen(*group, group->stream);
    }
    groups.push_back(std::move(group));
  }
  program.groups = std::move(groups);
}
