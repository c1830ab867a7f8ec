//===- EmitCollectives.cpp - Tensors that change chips --------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A collective is one command of the DMA engines from HBM to HBM. On its source
// side axis E tells chips apart, on its destination side axis C does:
//
//   all-gather      chip E: D1        -> chip C: E, D1     copies for every C
//   all-to-all      chip E: D0, C, D1 -> chip C: E, D0, D1
//   reduce-scatter  chip E: C, D1     -> chip C: E, D1     then a sum over E
//   all-reduce      chip E: D1        -> chip C: E, D1     then a sum over E
//
// These are the transfers of the manual's rotations (Kernel Examples,
// Chip/Cluster Reduce), all at once: each link carries what it has to. A slice
// of what every chip has stays on its chip, and starts elsewhere on each, if a
// tile can say where; otherwise the first chip sends the others their blocks.
//
//===----------------------------------------------------------------------===//

#include "GroupEmitter.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::linalg_to_tcp;
using namespace sequin::tcp;
using stream::AxesAttr;
using stream::MappingAttr;

LogicalResult GroupEmitter::emitCollective() {
  const Collective &collective = *group.collective;
  Tensor *from = group.stream.tensor, *to = group.result.tensor;
  Value &value = kernel.values[to];
  if (!value)
    value =
        FromAddressOp::create(builder, loc, kernel.typeOf(*to), to->address);
  auto store = [&](Value source, HbmType view) {
    value = ToHbmViewOp::create(builder, loc, source, value, view);
    return success();
  };
  auto exchange = [&](const std::string &sourceChip) {
    HbmType target = viewType(group.result, /*cut=*/true);
    // The chips of the source hold other parts of it than those of the kernel.
    auto source = HbmType::get(builder.getContext(), from->elementType(), axes,
                               mapping(sourceChip),
                               viewElement(group.stream, /*cut=*/true));
    return store(
        ViewOp::create(builder, loc, source, kernel.values.lookup(from)),
        target);
  };
  int64_t chips = kernel.program.chips, used = kernel.program.chipsUsed;
  if (collective.source)
    return exchange(group.loops[*collective.source].name +
                    (used == chips ? "" : suffix("#", chips)));

  // The dimension of which every chip takes a block, as an axis of all that is
  // in memory of it.
  LoopId over = *collective.destination;
  unsigned dim = 0;
  while (group.stream.dims[dim].terms.size() < 2)
    ++dim;
  int64_t block = group.loops[dim].extent, span = 0;
  int64_t positions = from->size / from->strides[dim];
  bool isTerm = true;
  for (unsigned i : llvm::reverse(from->order)) {
    if (i == dim) {
      span = from->strides[dim];
    } else if (span > 0 && group.loops[i].extent > 1) {
      // The first one outside says how many positions there are; the others
      // must leave no gaps, which would enclose the axis.
      if (span == from->strides[dim])
        positions = from->strides[i] / from->strides[dim];
      else
        isTerm &= from->strides[i] == span;
      span = from->strides[i] * group.loops[i].extent;
    }
  }
  // The first chip sends the others their blocks.
  if (!isTerm)
    return exchange("1" + suffix("#", chips));
  std::string cut = group.loops[dim].name;
  AxisSizes table;
  for (auto [i, loop] : llvm::enumerate(group.loops))
    if (i != over && (loop.extent > 1 || i == dim))
      table.add(loop.name, i == dim ? positions : loop.extent);
  kernel.addChipAxis(table);
  axes = AxesAttr::get(builder.getContext(), table);
  auto textOf = [&](const Tensor &tensor, const std::string &digit,
                    int64_t size) {
    MemoryText text;
    for (unsigned i : llvm::reverse(tensor.order))
      if (i == dim)
        text.add(digit, size, tensor.strides[i]);
      else if (group.loops[i].extent > 1)
        text.add(group.loops[i].name, group.loops[i].extent, tensor.strides[i]);
    return mapping(text.str());
  };
  auto typeOf = [&](MappingAttr element) {
    return HbmType::get(builder.getContext(), from->elementType(), axes,
                        kernel.chip, element);
  };
  Value view =
      ViewOp::create(builder, loc, typeOf(textOf(*from, cut, positions)),
                     kernel.values.lookup(from));
  SmallVector<int64_t> starts(chips, 0);
  for (int64_t chip = 0; chip < used; ++chip)
    starts[chip] = chip * block;
  std::string part = cut + suffix("=", block);
  Value tile = TileOp::create(
      builder, loc, view, mapping(cut), Value(),
      builder.getDenseI64ArrayAttr(starts), builder.getI64IntegerAttr(block),
      textOf(*from, part + suffix("#", positions), positions));
  return store(tile, typeOf(textOf(*to, part, block)));
}
