//===- GroupEmitter.h - One group at a time ----------------------*- C++
//-*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_CONVERSION_LINALGTOTCP_GROUPEMITTER_H
#define SEQUIN_LIB_CONVERSION_LINALGTOTCP_GROUPEMITTER_H

#include "EmitGroup.h"
#include <list>

namespace sequin::linalg_to_tcp {

/// " op n", as in " % 8".
std::string suffix(llvm::StringRef op, int64_t n);

/// A loop inside a tile, as the slices share it.
struct Part {
  std::string name;
  int64_t size = 1, split = 1;
  bool dealt = false; ///< iterations go to slices in turn

  int64_t local() const { return size / split; }
  /// One slice's share.
  std::string all() const {
    if (local() == 1)
      return "";
    return split == 1
               ? name
               : name + suffix(dealt ? "/" : "%", dealt ? split : local());
  }
  /// Which packet of `unit` elements inside the share.
  std::string block(int64_t unit) const {
    if (local() == unit)
      return "";
    std::string text = name;
    if (unit != 1)
      text += suffix("/", unit);
    return split == 1 ? text : text + suffix("%", local() / unit);
  }
  /// The position inside a packet of `unit` elements.
  std::string inner(int64_t unit) const {
    return size == unit ? name : name + suffix("%", unit);
  }
};

/// The stream of a group after its first engines.
struct StreamShape {
  Terms time;
  std::string packet; ///< eight lanes
};

/// Emits one group at the builder's position.
class GroupEmitter {
public:
  GroupEmitter(KernelEmitter &kernel, const Group &plan)
      : kernel(kernel), group(plan), machine(*kernel.program.machine),
        builder(kernel.builder), loc(plan.loc) {
    makeAxes();
    if (group.ring)
      makeRingGrids();
    else if (group.weightStream)
      makeWeightGrids();
    else if (!group.movesRows() && group.kind != Group::Kind::Collective)
      makeGrid();
  }

  mlir::LogicalResult emit();

private:
  friend class WeightStreamEmitter;
  friend class RingEmitter;

  /// Where in DM the last of some passes writes: a tensor of its own, or one
  /// iteration of a loop in a tensor that has several.
  struct Destination {
    int64_t address = 0;
    mlir::Value tensor;
    std::optional<LoopId> loop;
    int64_t at = 0;
  };

  // Mappings.
  void makeAxes();
  void makeGrid();
  int64_t addBlocks(int64_t clusters, Terms &clusterTerms,
                    Terms &sliceTerms) const;
  void makeDealtGrid(int64_t clusters);
  Part part(LoopId loop) const {
    const Loop &l = group.loops[loop];
    return {l.name, l.tile, l.parts,
            group.dealt == loop && group.dealtUnit == 1};
  }
  bool isInside(LoopId loop) const { return group.loops[loop].tile > 1; }
  Terms locals(llvm::ArrayRef<LoopId> loops) const {
    Terms terms;
    for (LoopId loop : loops)
      terms.push_back(part(loop).all());
    return terms;
  }
  stream::MappingAttr mapping(llvm::ArrayRef<std::string> terms) const {
    return stream::MappingAttr::get(builder.getContext(), joinTerms(terms));
  }
  /// Terms that take `used` of `all` places, the first ones.
  stream::MappingAttr fill(const Terms &terms, int64_t used, int64_t all) const;
  stream::MappingAttr mapping(const std::string &text) const {
    return stream::MappingAttr::get(builder.getContext(), text);
  }
  LoopList memoryLoops(const Access &access) const {
    return getMemoryLoops(group, access);
  }
  /// Those of the result without the packet's.
  LoopList outerLoops() const {
    LoopList loops = memoryLoops(group.result);
    llvm::erase_if(loops, [&](LoopId loop) { return loop == group.packet; });
    return loops;
  }
  /// Whether packets hold several elements of the result.
  bool hasLanes() const { return group.packet && isInside(*group.packet); }
  /// The result as a stream, `lanes` elements in a packet.
  StreamShape resultStream(int64_t lanes) const;
  std::optional<LoopId> innerLoop(const Access &access) const;
  /// What memory holds of an access, with `cut` no further than its loops go.
  stream::MappingAttr viewElement(const Access &access, bool cut) const;
  tcp::HbmType viewType(const Access &access, bool cut) const;
  Terms dmText(const Access &access) const;

  // Moves.
  struct Offset {
    llvm::SmallVector<mlir::Value, 4> indices;
    llvm::SmallVector<int64_t, 4> steps;
    int64_t constant = 0;
  };
  Offset offsetOf(const Access &access) const;
  mlir::Value toDm(const Access &access);
  mlir::Value toVrf(mlir::Value dm, const LoopList &loops,
                    std::optional<LoopId> inner, mlir::Type from);
  mlir::Value toVrf(const Access &access, mlir::Type type);
  mlir::Value resultToVrf(mlir::Value dm);
  mlir::Value commit(mlir::Value stream, llvm::ArrayRef<std::string> element,
                     std::optional<int64_t> address = std::nullopt);
  int64_t allocateDm(tcp::DmType type, int64_t behind = 0) {
    int64_t address = dmEnd;
    dmEnd += dmBytesWithMargin(type.getByteSize() + behind, machine);
    return address;
  }

  // Passes.
  Terms resultText(mlir::Type type) const;
  Terms storedText(mlir::Type type, bool isStored) const;
  mlir::Value emitContraction(StreamShape &shape);
  /// Passes that it has taken care of are dropped.
  mlir::Value emitStream(StreamShape &shape,
                         llvm::ArrayRef<VectorPass> &passes);
  mlir::Value emitReduction();
  mlir::Value emitPasses(mlir::Value stream, const StreamShape &shape,
                         llvm::ArrayRef<VectorPass> passes, mlir::Type before,
                         mlir::Value dm);
  mlir::Value emitSteps(mlir::Value stream, const StreamShape &shape,
                        const VectorPass &pass);
  mlir::Value emitMultiplyAdd(mlir::Value stream, const Step &step,
                              mlir::ValueRange vrfs);
  mlir::Value commitInto(mlir::Value stream, const Destination &to);
  mlir::Value commitShort(mlir::Value stream);
  mlir::Value reinterpret(mlir::Value dm, mlir::Type type);
  std::pair<std::string, std::string> narrow(const StreamShape &shape) const;
  /// A chunk of a sum, as far as it does not follow from the loops.
  struct Chunk {
    mlir::Value sum;   ///< of the chunks before; null for the first
    int64_t place = 0; ///< of two in DM, where it leaves the sum
    bool isLast = true;
  };
  mlir::Value emitTile();
  mlir::Value emitChunkLoop(Chunk chunk, LoopId loop, int64_t rounds);
  mlir::Value emitChunk(const Chunk &chunk);
  mlir::Value emitStages();
  mlir::LogicalResult emitRows();
  mlir::LogicalResult emitCollective();

  // Contractions by rings.
  void makeRingGrids();
  int64_t gatheredTurn() const;
  std::pair<Terms, Terms> streamTerms(bool spread) const;
  tcp::DmType operandType(const Access &access, tcp::GridAttr where) const;
  mlir::Value bringOperand(const Access &access, tcp::DmType type,
                           int64_t address);
  mlir::Value tileAt(mlir::Value dm, std::optional<LoopId> loop, int64_t at);
  std::string ringSum(bool isLast) const;
  mlir::Value emitStationary(mlir::Value dm, tcp::Context context,
                             tcp::TrfAddress address, bool isLast);
  mlir::Value emitRingContraction(mlir::Value dm, mlir::Value trf, bool isLast,
                                  StreamShape &shape);
  mlir::Value emitGathered(mlir::Value dm, int64_t address);
  mlir::LogicalResult emitRings();

  // Weights that stream past activations.
  void makeWeightGrids();
  mlir::LogicalResult emitWeightStream();

  KernelEmitter &kernel;
  /// A copy of the plan, of which loops over tiles are closed and opened again.
  Group group;
  const TcpMachine &machine;
  mlir::OpBuilder &builder;
  mlir::Location loc;
  stream::AxesAttr axes;
  tcp::GridAttr grid;
  /// Where the streamed operand is, if not as `grid` says; the weights, of
  /// weight streams, and what slices with parts of a sum have; and the result,
  /// of rings that put rows side by side.
  tcp::GridAttr streamGrid, weightGrid, exchangeGrid, gatherGrid;
  /// Rows of the result are in DM with what pads them to units of HBM.
  bool storesUnits = false;
  /// The stream has passed the inter-slice block.
  bool afterInterSlice = false;
  int64_t dmEnd = 0, vrfEnd = 0;
  /// Where the register file of the vector engine begins for the next passes.
  int64_t vrfBegin = 0;
  /// What is in DM for this chunk.
  std::vector<std::pair<Access, mlir::Value>> moved;
  /// Where the tile is, per loop; null where it is at the start.
  llvm::SmallVector<mlir::Value, 6> tileIndex;
  /// How many tiles a round of the loop over them has.
  llvm::SmallVector<int64_t, 6> tilesPerRound;
  /// The chunk of the sum: first iteration and count, per reduced loop.
  llvm::SmallVector<int64_t, 6> first, count;
  /// What the chunks before have left, and what was there before the steps.
  mlir::Value partial, head;
  /// Without one, the last of some passes writes behind what is there.
  std::optional<Destination> destination;
  std::list<std::vector<Step>> stepLists;
};

} // namespace sequin::linalg_to_tcp

#endif // SEQUIN_LIB_CONVERSION_LINALGTOTCP_GROUPEMITTER_H
