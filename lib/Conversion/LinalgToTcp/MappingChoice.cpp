//===- MappingChoice.cpp - How loops spread over slices -------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tries every split into powers of two. The cost is what bounds a group on this
// machine: filling the slices' memories (every slice gets its own copy of an
// operand it shares with others), loading the stationary operand, and streaming
// the other one or the vector engine's passes.
//
//===----------------------------------------------------------------------===//

#include "sequin/Conversion/LinalgToTcp/MappingChoice.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace sequin;

namespace {

/// A memory of a slice: what the split that needs least of it takes.
struct MemoryNeed {
  llvm::StringLiteral what;
  int64_t limit;
  int64_t least = INT64_MAX;

  bool admits(int64_t bytes) {
    least = std::min(least, bytes);
    return bytes <= limit;
  }
};

/// One way to split the loops.
struct Split {
  llvm::SmallVector<int64_t, 4> parts;
  llvm::SmallVector<int64_t, 4> local; ///< iterations per part
  int64_t slices = 1;

  int64_t localProduct(llvm::ArrayRef<unsigned> loops) const {
    int64_t product = 1;
    for (unsigned loop : loops)
      product *= local[loop];
    return product;
  }

  /// Elements that follow each other both in HBM and in a slice, for a tensor
  /// over `loops` whose element is a run of `inner`.
  int64_t run(llvm::ArrayRef<unsigned> loops, int64_t inner = 1) const {
    for (unsigned loop : llvm::reverse(loops)) {
      inner *= local[loop];
      if (parts[loop] != 1)
        break;
    }
    return inner;
  }
};

class Search {
public:
  Search(const TcpMachine &machine, const VectorWork &vector)
      : machine(machine), vector(vector) {}

  const TcpMachine &machine;
  const VectorWork &vector;
  MemoryNeed dm{"data memory", machine.dmBytesPerSlice};
  MemoryNeed vrf{"vector register file", machine.vrfBytesPerSlice};

  int64_t maxSlices() const {
    return machine.clustersPerChip * machine.slicesPerCluster;
  }

  /// Bytes as the addresses are assigned.
  int64_t allocated(ElementType type, int64_t elements) const {
    return llvm::alignTo(getByteSize(type, elements), machine.dmaRequestBytes);
  }

  /// Cycles of a move between HBM and DM of `elements` per slice, in runs of
  /// `run`. Writing to HBM takes each request twice (read and write do not
  /// overlap).
  int64_t dmaCycles(const Split &split, ElementType type, int64_t elements,
                    int64_t run, bool toHbm = false) const {
    int64_t total = getByteSize(type, elements * split.slices);
    int64_t engines = llvm::divideCeil(split.slices, machine.slicesPerEngine);
    int64_t requests =
        llvm::divideCeil(elements * split.slices, run) *
        llvm::divideCeil(getByteSize(type, run), machine.dmaRequestBytes) *
        (toHbm ? 2 : 1);
    return machine.dmaStartupCycles +
           std::max(llvm::divideCeil(requests, engines),
                    llvm::divideCeil(total, machine.hbmBytesPerCycle));
  }

  /// Adds what the second operands take; false if they do not fit.
  bool addOperands(const Split &split, int64_t &dmBytes, int64_t &cycles) {
    int64_t vrfBytes = 0;
    for (const VectorOperandShape &operand : vector.operands) {
      int64_t elements = split.localProduct(operand.loops);
      int64_t inner =
          operand.loops.empty() ? 1 : split.local[operand.loops.back()];
      int64_t padded =
          elements / inner * llvm::alignTo(inner, machine.outputLanes);
      vrfBytes += llvm::alignTo(getByteSize(ElementType::I32, padded),
                                machine.flitBytes);
      dmBytes += allocated(operand.type, elements);
      cycles +=
          dmaCycles(split, operand.type, elements, split.run(operand.loops)) +
          getByteSize(operand.type, elements) /
              machine.subFetch.accessBytes.front();
    }
    return vrf.admits(vrfBytes);
  }

  /// All passes, `flits` each, and the last one's way to HBM. The first pass is
  /// no faster than `firstPass`, a pass through the four-lane part takes twice
  /// as long.
  int64_t vectorCycles(const Split &split, int64_t firstPass, int64_t flits,
                       int64_t elements) const {
    int64_t passes = static_cast<int64_t>(vector.results.size());
    int64_t narrow = vector.narrowPasses;
    auto loops = llvm::to_vector<4>(llvm::seq<unsigned>(0, split.local.size()));
    return std::max(firstPass, flits) + (passes - 1 + narrow) * flits +
           dmaCycles(split, vector.results.back(), elements, split.run(loops),
                     /*toHbm=*/true);
  }

  llvm::Error failure(llvm::ArrayRef<MemoryNeed *> needs) const {
    for (MemoryNeed *need : needs)
      if (need->least > need->limit)
        return llvm::createStringError(
            "needs at least " + llvm::Twine(need->least) + " bytes of " +
            need->what + ", which has " + llvm::Twine(need->limit) +
            (need == &dm || need == &vrf ? " per slice" : " per row"));
    return llvm::createStringError(
        "no way to spread it over " + llvm::Twine(maxSlices()) +
        " slices fits in the data memory, the tensor register file and the "
        "vector register file at once");
  }
};

/// Cuts `loops` into `parts` altogether, outermost first; false if they are too
/// short.
bool distribute(llvm::ArrayRef<LoopAxis> loops, int64_t parts, Split &split) {
  for (const LoopAxis &loop : loops) {
    int64_t useful = llvm::PowerOf2Ceil(llvm::divideCeil(loop.size, loop.unit));
    int64_t mine = std::min<int64_t>(parts, useful);
    split.parts.push_back(mine);
    split.local.push_back(loop.padded(mine) / mine);
    split.slices *= mine;
    parts /= mine;
  }
  return parts == 1;
}

} // namespace

llvm::Expected<MappingChoice>
sequin::chooseContractionMapping(const ContractionShape &shape,
                                 const TcpMachine &machine) {
  Search search(machine, shape.vector);
  MemoryNeed trf{"tensor register file", machine.trfBytesPerRow};
  MappingChoice best;
  best.cycles = INT64_MAX;
  const unsigned firstM = shape.batch.size(), firstN = firstM + shape.m.size();
  int64_t sumBytes = getByteSize(shape.operandType, shape.k);
  int64_t storedBytes = getByteSize(shape.operandType, shape.storedK);
  ElementType memoryType = shape.memoryType.value_or(shape.operandType);
  bool widens = memoryType != shape.operandType;
  auto lhsLoops = llvm::to_vector<4>(llvm::seq<unsigned>(0, firstN));
  auto rhsLoops = llvm::to_vector<4>(llvm::seq<unsigned>(0, firstM));
  llvm::append_range(rhsLoops,
                     llvm::seq<unsigned>(firstN, firstN + shape.n.size()));
  auto product = [](llvm::ArrayRef<int64_t> values) {
    int64_t result = 1;
    for (int64_t value : values)
      result *= value;
    return result;
  };

  for (int64_t b = 1; b <= search.maxSlices(); b *= 2)
    for (int64_t m = 1; b * m <= search.maxSlices(); m *= 2)
      for (int64_t n = 1; b * m * n <= search.maxSlices(); n *= 2) {
        Split split;
        if (!distribute(shape.batch, b, split) ||
            !distribute(shape.m, m, split) || !distribute(shape.n, n, split))
          continue;
        llvm::ArrayRef<int64_t> local = split.local;
        int64_t localBatch = product(local.take_front(firstM));
        int64_t localM = product(local.slice(firstM, shape.m.size()));
        int64_t localN = product(local.drop_front(firstN));
        int64_t rows = shape.n.empty() ? 1 : machine.rowsPerSlice;

        int64_t rhs = localBatch * localN * storedBytes;
        int64_t flits = localBatch * localM * localN / rows;
        // A flit holds one sum per row; a single row is written as the smallest
        // commit there is.
        auto written = [&](ElementType type) {
          return flits * (shape.n.empty()
                              ? machine.commitAlignBytes * 8 / getBitWidth(type)
                              : machine.outputLanes);
        };
        int64_t dmBytes =
            search.allocated(shape.operandType, localBatch * localM * shape.k) +
            search.allocated(shape.operandType,
                             localBatch * localN * shape.storedK);
        if (widens)
          dmBytes +=
              search.allocated(memoryType, localBatch * localM * shape.k);
        if (shape.makesOnes)
          dmBytes += search.allocated(shape.operandType, shape.storedK);
        for (ElementType type : shape.vector.results)
          dmBytes += search.allocated(type, written(type));
        int64_t cycles = 0;
        bool fits = trf.admits(rhs / rows);
        fits &= search.addOperands(split, dmBytes, cycles);
        fits &= search.dm.admits(dmBytes);
        if (!fits)
          continue;
        // The stationary operand is stored while the other one still arrives.
        cycles += search.dmaCycles(split, memoryType,
                                   localBatch * localN * shape.storedK,
                                   split.run(rhsLoops, shape.storedK)) +
                  std::max(rhs / machine.subFetch.accessBytes.front(),
                           search.dmaCycles(split, memoryType,
                                            localBatch * localM * shape.k,
                                            split.run(lhsLoops, shape.k)));
        if (widens)
          cycles += localBatch * localM * shape.k / machine.outputLanes;
        int64_t streamed =
            flits *
            llvm::divideCeil(sumBytes, machine.mainFetch.accessBytes.back());
        cycles += search.vectorCycles(split, streamed, flits,
                                      localBatch * localM * localN);
        if (cycles < best.cycles)
          best = {std::move(split.parts), cycles};
      }
  if (best.cycles == INT64_MAX)
    return search.failure({&trf, &search.vrf, &search.dm});
  return best;
}

llvm::Expected<MappingChoice>
sequin::chooseElementwiseMapping(const ElementwiseShape &shape,
                                 const TcpMachine &machine) {
  Search search(machine, shape.vector);
  MappingChoice best;
  best.cycles = INT64_MAX;
  for (int64_t parts = 1; parts <= search.maxSlices(); parts *= 2) {
    Split split;
    if (!distribute(shape.loops, parts, split))
      continue;
    int64_t elements = 1;
    for (int64_t local : split.local)
      elements *= local;
    int64_t streamElements = split.localProduct(shape.stream.loops);
    int64_t dmBytes = search.allocated(shape.stream.type, streamElements);
    for (ElementType type : shape.vector.results)
      dmBytes += search.allocated(type, elements);
    int64_t cycles = search.dmaCycles(split, shape.stream.type, streamElements,
                                      split.run(shape.stream.loops));
    bool fits = search.addOperands(split, dmBytes, cycles);
    fits &= search.dm.admits(dmBytes);
    if (!fits)
      continue;
    int64_t flits = elements / machine.outputLanes;
    cycles += search.vectorCycles(split, flits, flits, elements);
    if (cycles < best.cycles)
      best = {std::move(split.parts), cycles};
  }
  if (best.cycles == INT64_MAX)
    return search.failure({&search.vrf, &search.dm});
  return best;
}
