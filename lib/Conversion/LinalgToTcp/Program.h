//===- Program.h - A linalg function as groups ------------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the lowering knows about a function, in the order it learns it:
//
//   readProgram    operations become groups, each a nest of loops of its own
//                  that reads tensors at affine indices and writes one; what
//                  only names elements anew (slices, transpositions) is a view
//   fuseGroups     elementwise groups join the group before them
//   chooseLayouts  which dimension of each tensor is contiguous in HBM
//   planChips      what each of several chips does; from here on, groups and
//                  tensors are those of one chip
//   fuseRows       groups over the same rows become the stages of one
//   planGroups     tiles, parts of tiles on slices, padding; then the size and
//                  address of every tensor
//   emitProgram    the kernel and the host function
//
// Groups know nothing of each other but the layout of the tensors between them.
// Each step emits at most one error, at the operation that cannot be lowered.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_CONVERSION_LINALGTOTCP_PROGRAM_H
#define SEQUIN_LIB_CONVERSION_LINALGTOTCP_PROGRAM_H

#include "WeightStream.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "sequin/Conversion/LinalgToTcp/Passes.h"
#include "sequin/Dialect/Tcp/IR/TcpDialect.h"
#include "sequin/Machine/Machine.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/Support/MathExtras.h"
#include <variant>

namespace sequin::linalg_to_tcp {

using LoopId = unsigned;
using LoopList = llvm::SmallVector<LoopId, 4>;

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

/// A tensor that has memory in HBM. Row-major with one dimension moved to the
/// end, every dimension padded to what its readers and writers touch.
struct Tensor {
  enum class Origin { Argument, Constant, Computed };

  mlir::RankedTensorType type;
  Origin origin = Origin::Computed;
  unsigned argument = 0;          ///< of an Argument
  mlir::DenseElementsAttr values; ///< of a Constant

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
    unsigned dim;
    int64_t unit, count; ///< positions, and how often
    int64_t allocated;   ///< count, and room behind it
    int64_t stride = 0;  ///< elements
    bool operator==(const Digit &) const = default;
  };
  llvm::SmallVector<Digit, 10> digits;
  /// Codes of f4E2M1FN, which memories hold as i4.
  bool isE2m1 = false;
  int64_t readers = 0;    ///< accesses of groups
  bool keepsRows = false; ///< no gaps between rows but what aligns them
  /// The dimension of which `type` is the block that one chip has; without one
  /// every chip has all of it.
  std::optional<unsigned> chipDim;
  int64_t size = 0;    ///< elements of all
  int64_t address = 0; ///< in HBM
  /// Groups that use it, by index; -1 before the first one.
  int firstUse = -1, lastUse = -1;

  int64_t rank() const { return type.getRank(); }
  mlir::Type elementType() const { return type.getElementType(); }
  ElementType kind() const { return *tcp::getElementKind(elementType()); }
  int64_t bits() const { return getBitWidth(kind()); }
  /// Elements from a position of a dimension to the one `step` behind.
  int64_t distance(unsigned dim, int64_t step) const {
    return digits.empty() ? step * strides[dim] : distanceInDigits(dim, step);
  }
  int64_t distanceInDigits(unsigned dim, int64_t step) const;
};

/// Whether two elements share a byte that means both: codes stand for numbers
/// that a table has.
inline bool sharesBytes(const Tensor &tensor) {
  return tensor.bits() < 8 && !tensor.isE2m1;
}

/// An index of one dimension: offset + sum of coefficient * loop.
struct Index {
  int64_t offset = 0;
  llvm::SmallVector<std::pair<LoopId, int64_t>, 1> terms;

  /// The one loop that the index is.
  std::optional<LoopId> loop() const {
    if (offset == 0 && terms.size() == 1 && terms[0].second == 1)
      return terms[0].first;
    return std::nullopt;
  }
  /// The loop of the smallest step, if that is one.
  std::optional<LoopId> finest() const {
    for (auto [loop, coefficient] : terms)
      if (coefficient == 1)
        return loop;
    return std::nullopt;
  }
  bool operator==(const Index &) const = default;
};

/// A tensor at indices by the loops of a group; or, for a value of the program,
/// by the value's dimensions in the place of loops.
struct Access {
  Tensor *tensor = nullptr;
  llvm::SmallVector<Index, 4> dims;

  explicit operator bool() const { return tensor != nullptr; }
  bool uses(LoopId loop) const { return countDims(loop) > 0; }
  /// Dimensions whose index has the loop.
  int64_t countDims(LoopId loop) const {
    return llvm::count_if(dims, [&](const Index &index) {
      return llvm::any_of(index.terms,
                          [&](const auto &term) { return term.first == loop; });
    });
  }
  /// Elements from one iteration of the loop to the next.
  int64_t strideOf(LoopId loop) const;
  /// The same with every loop replaced by an index.
  Access substitute(llvm::ArrayRef<Index> loops) const;
  bool operator==(const Access &) const = default;
};

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

enum class ArithmeticOp {
  Add,
  Sub,
  Mul,
  Div,
  Max,
  Min,
  And,
  Or,
  Xor,
  ShiftLeft,
  ShiftRightSigned,
  ShiftRightUnsigned,
};

/// One step of the chain that every element of a stream goes through.
struct Step {
  enum class Kind {
    Arithmetic,  ///< with a second operand
    MultiplyAdd, ///< a product and a sum, rounded once; two operands
    Function,    ///< of one operand, `function`
    IntToFloat,  ///< i32 to f32
    FloatToInt,  ///< f32 to i32, to nearest even
    Reinterpret, ///< the bits as f32 or i32
    Narrow,      ///< to a narrower type, `type`
  };
  Kind kind = Kind::Arithmetic;
  ArithmeticOp op = ArithmeticOp::Add;
  tcp::FpUnaryOp function = tcp::FpUnaryOp::Exp;
  /// In which order the stream (0) and the operands (1, 2) are the arguments.
  tcp::ArgMode mode = tcp::ArgMode::Mode01;
  /// The second operand: a constant in the type of the computation, or a
  /// tensor, or the sum so far of a group in chunks. None if the stream is
  /// both.
  mlir::TypedAttr constant;
  Access operand;
  bool partial = false;
  /// The second operand is what the group had before its steps.
  bool head = false;
  /// The other operand of a MultiplyAdd; none if that is the stream too.
  mlir::TypedAttr secondConstant;
  Access second;
  /// f32 or i32: what the step computes in; the result's for Narrow and
  /// Reinterpret. Tensors of the other kind are read as their bits.
  mlir::Type type;
  mlir::Operation *source = nullptr;

  llvm::SmallVector<const Access *, 2> tensors() const {
    llvm::SmallVector<const Access *, 2> list;
    for (const Access *access : {&operand, &second})
      if (*access)
        list.push_back(access);
    return list;
  }
};

/// Where a step runs in the vector engine.
struct PlacedStep {
  enum class Stage { Logic, Fxp, FxpToFp, Float, FpToFxp, Clip };
  Stage stage;
  std::variant<std::monostate, tcp::LogicOp, tcp::FxpOp, tcp::FpBinaryOp,
               tcp::FpUnaryOp, tcp::FpTernaryOp, tcp::ClipOp>
      op;
  const Step *step;
};

/// One pass through the vector engine.
struct VectorPass {
  llvm::SmallVector<PlacedStep, 4> steps;
  /// What the pass writes; narrower than it computes in if there is a cast.
  mlir::Type result;
  /// What that is read as; null for the same.
  mlir::Type readAs;
  /// What comes in is an operand of later steps.
  bool keepsHead = false;
};

struct Group;
/// Adds what the chunks of a sum before this one have left.
Step makePartialStep(const Group &group);
/// That, and the group's steps, which follow the last chunk.
std::vector<Step> getChunkSteps(const Group &group);

/// Assigns the steps of a chain to passes, greedily; at least one pass.
std::vector<VectorPass> assignPasses(llvm::ArrayRef<Step> steps,
                                     mlir::Type computeType,
                                     mlir::Type resultType);

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

struct Loop {
  std::string name;
  int64_t extent = 1;
  bool reduced = false;
  /// One iteration per tile: addresses are no mapping of it and other loops.
  bool single = false;
  /// Counts tiles of another loop, which has all iterations.
  bool countsTiles = false;
  /// What the program fixes; 0 if it is free.
  int64_t pinnedTile = 0, pinnedParts = 0, pinnedChips = 0;

  // Planned; tile = parts * local.
  int64_t tile = 1;  ///< iterations at once
  int64_t parts = 1; ///< on as many slices
  int64_t local = 1; ///< of a slice

  int64_t tiles() const { return llvm::divideCeil(extent, tile); }
  /// Iterations that are computed, those past the extent included.
  int64_t padded() const { return tile * tiles(); }
};

enum class Combiner { Add, Max, Min };

/// How a contraction works on all slices at once. Slices differ, from the
/// outermost: in the batch, in the iterations of the streamed loop, and in the
/// rows of the stationary operand that they hold. Those that differ in rows
/// only are a ring, which has the streamed operand once, spread over its
/// slices, and passes it around. No sum is shared by slices.
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
  /// For each number of chunks that a step may have, the loop that counts them.
  llvm::SmallDenseMap<int64_t, LoopId, 4> chunkLoops;
  /// Tiles of the operands that are in DM at once.
  int64_t lhsPlaces = 1, rhsPlaces = 1;
  int64_t steps = 1, passes = 1;
  /// The innermost slices, if their rows of the result are put side by side
  /// before they are stored, so that stores are of whole units of HBM. Each
  /// then has other iterations of `streamed`, or all of them if they do not
  /// divide.
  std::optional<LoopId> gathered;
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
};

/// A tensor that comes to lie on chips in another way. Loops of the group are
/// its dimensions, and digits of a dimension that chips have in blocks.
struct Collective {
  std::string name; ///< for people
  /// The loop over chips that have a block each of what is read.
  std::optional<LoopId> source;
  /// The one over chips that get a block each; otherwise each gets all.
  std::optional<LoopId> destination;
};

/// Operations that are one way from HBM to HBM.
struct Group {
  enum class Kind {
    Stream,      ///< every element of `stream` goes through the steps
    Contraction, ///< sums of products of `lhs` and `rhs`, then the steps
    Reduction,   ///< `stream` combined over the reduced loops, then the steps
    Gather,      ///< rows of `stream` at the indices that `rhs` holds
    Rows,        ///< the stages one after the other, tile by tile in DM
    Collective,  ///< `stream` to other chips
  };
  Kind kind = Kind::Stream;
  /// What errors are about.
  mlir::Operation *root = nullptr;
  llvm::SmallVector<Loop, 6> loops;
  Access stream;
  /// The factors: `lhs` is streamed, `rhs` stationary.
  Access lhs, rhs;
  /// Of a contraction: multiplies sums over the last of `k` of the products,
  /// before they are added over the others.
  Access scale;
  Combiner combiner = Combiner::Add;
  mlir::Type computeType; ///< at the head of the chain
  std::vector<Step> steps;
  Access result;
  /// Streams and reductions over the same loops. What they leave for each other
  /// has no memory in HBM.
  std::vector<std::unique_ptr<Group>> stages;
  Collective collective;
  /// How it is divided over chips, in words.
  std::string division;

  // Planned:
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
  std::optional<RingPlan> ring;
  std::optional<WeightStreamPlan> weightStream;
  std::optional<MappingRecord> record;
  /// The result must not be written past the extents of the loops.
  bool exact = false;

  mlir::Type resultType() const { return result.tensor->elementType(); }
  /// All tensors read; of stages, from outside.
  llvm::SmallVector<Access *, 4> reads();
  LoopList parallel() const {
    LoopList list;
    for (LoopId i = 0; i < loops.size(); ++i)
      if (!loops[i].reduced)
        list.push_back(i);
    return list;
  }
};

struct Program {
  mlir::func::FuncOp func;
  const TcpMachine *machine = nullptr;
  int64_t chips = 1;     ///< that there are
  int64_t chipsUsed = 1; ///< that each do a part
  /// How many, and why; without one there is one chip.
  std::optional<MappingRecord> chipsRecord;
  std::vector<std::unique_ptr<Tensor>> tensors;
  /// What every value of the program is.
  llvm::DenseMap<mlir::Value, Access> views;
  /// Values of one number everywhere.
  llvm::DenseMap<mlir::Value, mlir::TypedAttr> constants;
  /// In the order they run.
  std::vector<std::unique_ptr<Group>> groups;
  /// By result of the function.
  llvm::SmallVector<Tensor *, 2> results;
  int64_t macs = 0;

  /// Codes of f4E2M1FN become i4.
  Tensor *addTensor(mlir::RankedTensorType type) {
    tensors.push_back(std::make_unique<Tensor>());
    Tensor &tensor = *tensors.back();
    tensor.isE2m1 = isa<mlir::Float4E2M1FNType>(type.getElementType());
    tensor.type = tensor.isE2m1
                      ? type.clone(mlir::IntegerType::get(type.getContext(), 4))
                      : type;
    return &tensor;
  }
};

/// The whole of `tensor`, dimension by dimension.
Access wholeOf(Tensor *tensor);

/// What a tensor of `bytes` takes in DM: the last packet of a pass may read
/// past its end, where the same pass must not write.
inline int64_t dmBytesWithMargin(int64_t bytes, const TcpMachine &machine) {
  return llvm::alignTo(bytes + machine.macWidthBytes, machine.dmaRequestBytes);
}

/// Pieces of a ring plan's result that are in DM at once: some are computed,
/// put side by side and stored meanwhile. With several refills none of a tile
/// is complete before the last of these.
inline int64_t getResultPlaces(int64_t refills, int64_t pieces, int64_t tiles) {
  constexpr int64_t kPlaces = 4;
  return refills > 1 ? pieces : std::min(pieces * tiles, kPlaces);
}

/// f32 for floats, i32 for integers.
mlir::Type computeTypeOf(mlir::Type type);

/// A reduction by out + a * b or out + a, with a and b widened to out's type.
struct SumOfProducts {
  llvm::SmallVector<mlir::OpOperand *, 2> factors;
  mlir::Type type; ///< of out
};
std::optional<SumOfProducts> matchSumOfProducts(mlir::linalg::LinalgOp op);

/// The body of an elementwise operation as a chain from one operand.
struct Chain {
  mlir::OpOperand *start = nullptr;
  /// What the elements are fetched as.
  mlir::Type computeType;
  std::vector<Step> steps;
};
/// `operandOf` gives the access of an operand by the loops of the operation.
mlir::FailureOr<Chain>
readChain(const Program &program, mlir::linalg::LinalgOp op,
          llvm::function_ref<Access(mlir::OpOperand &)> operandOf);

mlir::FailureOr<Program> readProgram(mlir::func::FuncOp func,
                                     const TcpMachine &machine, int64_t chips);
void fuseGroups(Program &program);
/// Gives readers of elements of half a byte copies of i8 where the fetch engine
/// could not take whole bytes.
void widenElements(Program &program,
                   ArgumentLayout layout = ArgumentLayout::Chosen);
/// Whether the dimensions of the result together are all positions of its
/// tensor, and every loop that shares one with others can be halved to the end,
/// so that no tile runs past it.
bool joinsEvenly(const Group &group);
/// Evaluates at most `budget` mappings for each group whose layout they decide.
void chooseLayouts(Program &program,
                   ArgumentLayout layout = ArgumentLayout::Chosen,
                   int64_t budget = INT64_MAX);
/// Divides groups and tensors over chips. Evaluates at most `budget` mappings
/// for each way to divide a group.
mlir::LogicalResult planChips(Program &program, int64_t budget);
/// Groups over the same rows that follow each other become the stages of one.
void fuseRows(Program &program);
/// Evaluates at most `budget` mappings for each group.
mlir::LogicalResult planGroups(Program &program, int64_t budget);
/// How each group is mapped, as the attribute kMappingsAttrName has it.
mlir::ArrayAttr recordMappings(Program &program);

/// Whether memory may be in any order (Tensor::digits): it comes from the host.
bool mayReorder(const Tensor &tensor);

/// Plans a contraction by rings if that fits it and takes less than `cycles`;
/// its loops then have tiles and parts, with one more loop over clusters.
/// Evaluates at most `budget` mappings.
bool planRings(Group &group, const TcpMachine &machine, int64_t cycles,
               int64_t budget);

/// Cycles of a plan by weights that stream past the activations
/// (WeightStream.h); INT64_MAX if there is none.
int64_t getWeightStreamCycles(Group &group, const TcpMachine &machine);
/// Whether weights stream whose rows are contiguous, not the sum.
bool streamsAcross(Group &group, const TcpMachine &machine);
/// Cycles of the best mapping by rings, if there is one, of a group that is not
/// planned yet; the group stays as it is.
std::optional<int64_t> getRingCycles(Group &group, const TcpMachine &machine,
                                     int64_t budget);
/// Plans the group so.
void planWeightStream(Group &group, const TcpMachine &machine);
/// For groups that nothing else can do; an error if this cannot either.
mlir::LogicalResult requireWeightStream(Group &group,
                                        const TcpMachine &machine);
/// Whether only a plan by weight streams computes the group.
bool needsWeightStream(const Group &group);
/// When all groups are planned: how many loads, and the order of memory.
void finishWeightStreams(Program &program);
/// The mapping of a tensor's memory as its digits say.
std::string
describeDigits(const Tensor &tensor,
               llvm::function_ref<std::string(unsigned dim)> nameOf);

/// What a tile has of a tensor's memory: elements of the first run, and how
/// many of `all` in the rows of HBM that it opens, going by the tensor's type.
struct TilePart {
  int64_t run = 1, had = 1, all = 1;
};
TilePart getTilePart(const Group &group, const Access &access,
                     const TcpMachine &machine,
                     llvm::function_ref<int64_t(LoopId)> tileOf);

/// Loops inside a tile in the order of the tensor's memory.
LoopList getMemoryLoops(const Group &group, const Access &access);
/// Bytes behind a tile in DM that the padding of a contraction's packets
/// covers.
int64_t getOverrunBytes(const Group &group, const Access &access,
                        const TcpMachine &machine);

/// Replaces the function by a kernel and a host function.
mlir::LogicalResult emitProgram(Program &program);

} // namespace sequin::linalg_to_tcp

#endif // SEQUIN_LIB_CONVERSION_LINALGTOTCP_PROGRAM_H
