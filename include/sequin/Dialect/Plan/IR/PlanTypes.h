//===- PlanTypes.h - What the planner decides -------------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decisions about tensors and groups, each the value of an attribute of the
// plan dialect (Plan.td). `fields` lists a struct's fields once: how they
// print, parse, hash and which of them name loops of the group follows from it
// (PlanFields.h). A field that has its default is not printed.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_DIALECT_PLAN_IR_PLANTYPES_H
#define SEQUIN_DIALECT_PLAN_IR_PLANTYPES_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MathExtras.h"
#include <cstdint>
#include <optional>
#include <string>

namespace sequin::plan {

/// A loop of a group, by its place in the nest.
using LoopId = unsigned;
using LoopList = llvm::SmallVector<LoopId, 4>;

/// Marks a field that names loops, for visitors: they print as d0, d1.
template <class T> struct LoopRef {
  using IsLoopRef = void;
  T &loops;
};
template <class T> LoopRef<T> loops(T &field) { return {field}; }

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

/// Where a tensor lies in HBM: row-major with one dimension moved to the end,
/// every dimension padded to what its readers and writers touch.
struct Layout {
  /// The contiguous dimension; without one every element has 8 bytes of its
  /// own.
  std::optional<unsigned> inner;
  /// Dimensions from the outermost.
  llvm::SmallVector<unsigned, 4> order;
  llvm::SmallVector<int64_t, 4> allocated; ///< positions, by dimension
  llvm::SmallVector<int64_t, 4> strides;   ///< elements, by dimension
  bool mayReorder = false;                 ///< nobody pins the layout
  /// Memory in another order: digits of the dimensions, outermost first. Then
  /// `order` is that of the host's array alone.
  struct Digit {
    unsigned dim = 0;
    int64_t unit = 1, count = 1; ///< positions, and how often
    int64_t allocated = 1;       ///< count, and room behind it
    int64_t stride = 0;          ///< elements

    template <class Self, class F> static void fields(Self &s, F &f) {
      f("dim", s.dim, "unit", s.unit, "count", s.count, "allocated",
        s.allocated, "stride", s.stride);
    }
    bool operator==(const Digit &) const = default;
  };
  llvm::SmallVector<Digit, 10> digits;
  /// The dimension of which the tensor is the block that one chip has; without
  /// one every chip has all of it.
  std::optional<unsigned> chipDim;
  int64_t size = 0;    ///< elements of all
  int64_t address = 0; ///< in HBM, bytes

  template <class Self, class F> static void fields(Self &s, F &f) {
    f("inner", s.inner, "order", s.order, "allocated", s.allocated, "strides",
      s.strides, "may_reorder", s.mayReorder, "digits", s.digits, "chip_dim",
      s.chipDim, "size", s.size, "address", s.address);
  }
  bool operator==(const Layout &) const = default;
};

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

struct Loop {
  int64_t extent = 1;
  bool reduced = false;
  /// One iteration per tile: addresses are no mapping of it and other loops.
  bool single = false;
  /// Counts tiles of another loop, which has all iterations.
  bool countsTiles = false;
  /// What the program fixes (`sequin.pin`); 0 if it is free.
  int64_t pinnedTile = 0, pinnedParts = 0, pinnedChips = 0;

  // Planned; tile = parts * local.
  int64_t tile = 1;  ///< iterations at once
  int64_t parts = 1; ///< on as many slices
  int64_t local = 1; ///< of a slice
  std::string name;  ///< of the axis in mappings

  int64_t tiles() const { return llvm::divideCeil(extent, tile); }
  /// Iterations that are computed, those past the extent included.
  int64_t padded() const { return tile * tiles(); }

  template <class Self, class F> static void fields(Self &s, F &f) {
    f("extent", s.extent, "reduced", s.reduced, "single", s.single,
      "counts_tiles", s.countsTiles, "pinned_tile", s.pinnedTile,
      "pinned_parts", s.pinnedParts, "pinned_chips", s.pinnedChips, "tile",
      s.tile, "parts", s.parts, "local", s.local, "name", s.name);
  }
  bool operator==(const Loop &) const = default;
};

/// How a group's loops lie in packets and on slices.
struct Tiling {
  /// The loop along which packets of the result run; without one every flit
  /// holds one element.
  std::optional<LoopId> packet;
  /// Elements of a packet.
  int64_t lanes = 8;
  /// The loop of which slices take iterations in turn, DMA engines first, so
  /// that engines side by side read what is side by side in HBM. Of every other
  /// loop a slice has neighbouring iterations.
  std::optional<LoopId> dealt;
  /// Iterations of a turn; if they are several, every slice has one turn.
  int64_t dealtUnit = 1;
  /// Contraction: loops by role. The last of `n` are the rows.
  LoopList batch, m, n, k;
  bool hasRows = false;
  /// The result must not be written past the extents of the loops.
  bool exact = false;
  /// How it is divided over chips, in words.
  std::string division;

  template <class Self, class F> static void fields(Self &s, F &f) {
    f("packet", loops(s.packet), "lanes", s.lanes, "dealt", loops(s.dealt),
      "dealt_unit", s.dealtUnit, "batch", loops(s.batch), "m", loops(s.m), "n",
      loops(s.n), "k", loops(s.k), "has_rows", s.hasRows, "exact", s.exact,
      "division", s.division);
  }
  bool operator==(const Tiling &) const = default;
};

/// How a contraction works on all slices at once. Slices differ, from the
/// outermost: in the batch, in the iterations of the streamed loop, and in the
/// rows of the stationary operand that they hold. Those that differ in rows
/// only are a ring, which has the streamed operand once, spread over its
/// slices, and passes it around. Or the innermost slices have parts of the sum
/// (`summed`), and each all of the stream that meets its part.
///
/// A step is a tile of both operands in DM, some chunks of the sum of each. Its
/// passes go over chunks, over refills of the register file, and over pieces of
/// the streamed tile. Each but those of the first chunk adds what the chunk
/// before has left in DM, which comes through the vector engine's register
/// file.
struct RingPlan {
  int64_t ring = 1; ///< slices
  /// The loop that goes over clusters; its extent is their number.
  std::optional<LoopId> cluster;
  /// Loops over slices, outermost first: their extents are counts of slices. In
  /// memory their order is another one: what DMA engines and clusters have lies
  /// side by side.
  LoopList slices;
  /// The innermost slices, if they have parts of the sum, which the inter-slice
  /// block adds; all of the stream that these meet is in each.
  std::optional<LoopId> summed;
  /// The longest loop of the streamed operand, if it has one of its own; spread
  /// over the ring, or all of it in every slice.
  std::optional<LoopId> streamed;
  bool spreads = false;
  /// Slices of a ring have iterations of `streamed` in turn, and parts of a
  /// chunk of the sum; their product is the ring.
  int64_t ringTurns = 1, ringSums = 1;
  /// Iterations of `streamed` that meet a packet of the stationary operand one
  /// after the other, so that reads of the register file hit its cache. Each
  /// has an accumulator for every block of rows.
  int64_t together = 1;
  /// Loops inside a tile of which a pass has one iteration: pieces of the
  /// streamed tile, refills of the register file.
  std::optional<LoopId> pieces, refills;
  /// Loops over tiles, outermost first.
  LoopList order;
  /// The last loop of the sum comes in chunks, the steps of a tile each have
  /// some of them: few at both ends, where nothing else goes on.
  int64_t chunks = 1;
  llvm::SmallVector<int64_t, 8> loads{1};
  /// For each number of chunks that a step may have, if several, the loop of
  /// that extent that counts them.
  LoopList chunkLoops;
  /// Elements of the last chunk, if fetches mask what lies behind them; 0 if
  /// all of it are data, or zeros.
  int64_t sumEnd = 0;
  /// Tiles of the operands that are in DM at once.
  int64_t lhsPlaces = 1, rhsPlaces = 1;
  /// Pieces of the result that are in DM at once: some are computed, put side
  /// by side and stored meanwhile. With several refills none of a tile is
  /// complete before the last of these.
  int64_t resultPlaces = 1;
  int64_t steps = 1, passes = 1;
  /// The innermost slices, if their rows of the result are put side by side
  /// before they are stored, so that stores are of whole units of HBM. Each
  /// then has other iterations of `streamed`, or all of them if they do not
  /// divide.
  std::optional<LoopId> gathered;
  /// Whether slices have whole rows of the result, which begin at units of HBM:
  /// stores take the padding behind them along.
  bool unitRows = false;
  /// Whether the stationary operand lies along its rows in HBM. Then the
  /// innermost slices, if there is a loop of them, bring other elements of the
  /// sum for the rows of all of them, so that loads are of whole units, and
  /// exchange them; each turns what it has along the sum.
  bool turns = false;
  std::optional<LoopId> exchanged;
  /// How many passes before the first that uses them the sub context begins to
  /// exchange rows. The main context turns them, which alone can.
  int64_t exchangeAhead = 1;
  /// Whether the sub context fills the register files, those of the stationary
  /// operand and those of the vector engine, while the main context works with
  /// what is in their other halves. The first rows are loaded by the main
  /// context, which has nothing else to do.
  bool trfInHalves = false, vrfInHalves = false;
  /// How many passes before the first that uses it a refill begins.
  int64_t trfAhead = 1;

  // By the cost model:
  int64_t cycles = 0;
  int64_t dmaCycles = 0, tensorUnitCycles = 0; ///< at work
  int64_t leadCycles = 0, tailCycles = 0; ///< before and after the tensor unit

  int64_t loadOf(int64_t step) const { return step % loads.size(); }
  bool finishesSums(int64_t step) const {
    return loadOf(step) + 1 == static_cast<int64_t>(loads.size());
  }

  template <class Self, class F> static void fields(Self &s, F &f) {
    f("ring", s.ring, "cluster", loops(s.cluster), "slices", loops(s.slices),
      "summed", loops(s.summed), "streamed", loops(s.streamed), "spreads",
      s.spreads, "ring_turns", s.ringTurns, "ring_sums", s.ringSums, "together",
      s.together, "pieces", loops(s.pieces), "refills", loops(s.refills),
      "order", loops(s.order), "chunks", s.chunks, "loads", s.loads,
      "chunk_loops", loops(s.chunkLoops), "sum_end", s.sumEnd, "lhs_places",
      s.lhsPlaces, "rhs_places", s.rhsPlaces, "result_places", s.resultPlaces,
      "steps", s.steps, "passes", s.passes, "gathered", loops(s.gathered),
      "unit_rows", s.unitRows, "turns", s.turns, "exchanged",
      loops(s.exchanged), "exchange_ahead", s.exchangeAhead, "trf_in_halves",
      s.trfInHalves, "vrf_in_halves", s.vrfInHalves, "trf_ahead", s.trfAhead,
      "cycles", s.cycles, "dma_cycles", s.dmaCycles, "tensor_unit_cycles",
      s.tensorUnitCycles, "lead_cycles", s.leadCycles, "tail_cycles",
      s.tailCycles);
  }
  bool operator==(const RingPlan &) const = default;
};

/// The rows of a slice in time.
struct WeightStreamCut {
  /// Loads of weights, rows and cells of each; rows of a pass of the tensor
  /// unit.
  int64_t steps = 1, stepRows = 1, stepCells = 1, passRows = 1;
  /// What is contiguous in HBM and in DM.
  int64_t runCells = 1, runRows = 1;

  template <class Self, class F> static void fields(Self &s, F &f) {
    f("steps", s.steps, "step_rows", s.stepRows, "step_cells", s.stepCells,
      "pass_rows", s.passRows, "run_cells", s.runCells, "run_rows", s.runRows);
  }
  bool operator==(const WeightStreamCut &) const = default;
};

/// How weights stream past activations.
struct WeightStreamPlan : WeightStreamCut {
  /// Loops of the group: over clusters, slices and iterations of a slice.
  LoopId cluster = 0, slice = 0, row = 0;
  LoopId sumPart = 0, cell = 0, element = 0;
  std::optional<LoopId> token; ///< rows of activations

  int64_t clusters = 1;               ///< that work
  int64_t sumParts = 1, rowParts = 1; ///< slices of a cluster
  int64_t rowSlots = 1;               ///< slices for each part of the sum
  int64_t rows = 1;                   ///< of weights, in each slice
  int64_t cells = 1;                  ///< of the sum, in each slice
  int64_t cellSize = 1;               ///< elements
  int64_t columns = 1;                ///< cells of a packet
  int64_t tokens = 1;

  /// Whether the host sends weights and scales in the order of the loads. In
  /// that order runs are whole units of HBM and go to the DM networks in turn:
  /// [step, cells / runCells, rows / runRows, slices, rows % runRows,
  /// cells % runCells].
  bool ordered = false;
  /// Whether rows are contiguous in HBM, not the sum.
  bool across = false;
  /// Scales: cells are padded to so many; [rows / scaleRows, slices, rows %
  /// scaleRows, cells].
  int64_t scaleCells = 1, scaleRows = 1;

  /// Cells of the activations that each slice of those with the same part of
  /// the sum brings from HBM, for the switch to pass around; 0 if each slice
  /// brings all of its part.
  int64_t spreadCells = 0;

  /// Slices with neighbouring rows that put their results side by side.
  int64_t gathered = 1;

  /// As few loads as fit into DM: if another group's loads follow, the tensor
  /// unit works beside them.
  WeightStreamCut followed;

  int64_t cycles = 0; ///< by the cost model

  template <class Self, class F> static void fields(Self &s, F &f) {
    WeightStreamCut::fields(s, f);
    f("cluster", loops(s.cluster), "slice", loops(s.slice), "row", loops(s.row),
      "sum_part", loops(s.sumPart), "cell", loops(s.cell), "element",
      loops(s.element), "token", loops(s.token), "clusters", s.clusters,
      "sum_parts", s.sumParts, "row_parts", s.rowParts, "row_slots", s.rowSlots,
      "rows", s.rows, "cells", s.cells, "cell_size", s.cellSize, "columns",
      s.columns, "tokens", s.tokens, "ordered", s.ordered, "across", s.across,
      "scale_cells", s.scaleCells, "scale_rows", s.scaleRows, "spread_cells",
      s.spreadCells, "gathered", s.gathered, "followed", s.followed, "cycles",
      s.cycles);
  }
  bool operator==(const WeightStreamPlan &) const = default;
};

/// A tensor that comes to lie on chips in another way. Loops of the group are
/// its dimensions, and digits of a dimension that chips have in blocks.
struct Collective {
  std::string name; ///< for people
  /// The loop over chips that have a block each of what is read.
  std::optional<LoopId> source;
  /// The one over chips that get a block each; otherwise each gets all.
  std::optional<LoopId> destination;

  template <class Self, class F> static void fields(Self &s, F &f) {
    f("name", s.name, "source", loops(s.source), "destination",
      loops(s.destination));
  }
  bool operator==(const Collective &) const = default;
};

/// How the mapping of a contraction was found; for people.
struct MappingRecord {
  std::string kind;    ///< "rings" or "tiles"
  std::string mapping; ///< what was chosen, in words
  int64_t cycles = 0;  ///< by the cost model
  std::string boundBy; ///< the resource that is busy most of the time
  int64_t evaluated = 0, feasible = 0; ///< mappings
  bool complete = true;                ///< the search has seen all mappings
  /// The best mapping that was not chosen.
  std::string runnerUp, reason;
  int64_t runnerUpCycles = 0;

  template <class Self, class F> static void fields(Self &s, F &f) {
    f("kind", s.kind, "mapping", s.mapping, "cycles", s.cycles, "bound_by",
      s.boundBy, "evaluated", s.evaluated, "feasible", s.feasible, "complete",
      s.complete, "runner_up", s.runnerUp, "reason", s.reason,
      "runner_up_cycles", s.runnerUpCycles);
  }
  bool operator==(const MappingRecord &) const = default;
};

} // namespace sequin::plan

#endif // SEQUIN_DIALECT_PLAN_IR_PLANTYPES_H
