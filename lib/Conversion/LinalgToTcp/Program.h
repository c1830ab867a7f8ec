//===- Program.h - The model of a plan ---------------------------*- C++
//-*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A `plan.program` as the passes work on it. Between passes a plan is IR, the
// plan dialect; a pass reads it (readPlan), takes one step and writes it
// (writePlan). What is IR is a field of a struct of PlanTypes.h or stands in
// the region of a group; all else here follows from it or is of one pass alone.
//
// Groups know nothing of each other but the layout of the tensors between them.
// Each step emits at most one error, at the operation that cannot be lowered.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_CONVERSION_LINALGTOTCP_PROGRAM_H
#define SEQUIN_LIB_CONVERSION_LINALGTOTCP_PROGRAM_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Builders.h"
#include "sequin/Conversion/LinalgToTcp/Passes.h"
#include "sequin/Dialect/Plan/IR/PlanDialect.h"
#include "sequin/Machine/Machine.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/Support/MathExtras.h"
#include <variant>

namespace sequin::linalg_to_tcp {

using namespace plan;

/// Of a sum so far, f32 or i32.
inline constexpr int64_t kSumBytes = 4;
/// No program takes as long; a thousand times as much is still an int64_t.
inline constexpr int64_t kMostCycles = INT64_MAX / 4096;

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

/// A tensor and its layout.
struct Tensor : Layout {
  enum class Origin { Argument, Constant, Computed };

  std::string name; ///< of the plan.tensor; empty until it is written
  mlir::RankedTensorType type;
  Origin origin = Origin::Computed;
  unsigned argument = 0;          ///< of an Argument
  mlir::DenseElementsAttr values; ///< of a Constant
  /// Codes of f4E2M1FN, which memories hold as i4.
  bool isE2m1 = false;
  /// Accesses of groups, for the passes that count them.
  int64_t readers = 0;
  /// Whether it is of a program on one chip.
  bool isAlone = true;

  int64_t rank() const { return type.getRank(); }
  mlir::Type elementType() const { return type.getElementType(); }
  ElementType kind() const { return *tcp::getElementKind(elementType()); }
  int64_t bits() const { return getBitWidth(kind()); }
  /// Elements from a position of a dimension to the one `step` behind.
  int64_t distance(unsigned dim, int64_t step) const {
    return digits.empty() ? step * strides[dim] : distanceInDigits(dim, step);
  }
  int64_t distanceInDigits(unsigned dim, int64_t step) const;
  /// Whether positions behind the dimensions hold zeros: those that the host
  /// does not have of what it sends (TCP, host transfers).
  bool hasZerosBehind() const { return origin != Origin::Computed && isAlone; }
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

/// One step of the chain that every element of a stream goes through.
struct Step {
  using Kind = StepKind;
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
  mlir::LocationAttr loc;

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

/// Operations that are one way from HBM to HBM.
struct Group : Tiling {
  using Kind = GroupKind;
  Kind kind = Kind::Stream;
  /// By the DMA engine, whole: rows that indices name.
  bool movesRows() const {
    return kind == Kind::Gather || kind == Kind::Scatter;
  }
  /// The operation that it came from, which errors are about.
  mlir::StringAttr origin;
  mlir::StringAttr note; ///< for people: what was decided when it was formed
  mlir::LocationAttr loc;
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
  std::vector<Group> stages;
  std::optional<Collective> collective;
  std::optional<RingPlan> ring;
  std::optional<WeightStreamPlan> weightStream;
  std::optional<MappingRecord> record;

  mlir::Type resultType() const { return result.tensor->elementType(); }
  /// All tensors read; of stages, from outside.
  llvm::SmallVector<Access *, 4> reads();
  /// Groups of the same operation begin so.
  static Group of(const Group &other) {
    Group group;
    group.origin = other.origin;
    group.loc = other.loc;
    return group;
  }
  /// As Operation::emitOpError.
  mlir::InFlightDiagnostic emitOpError() const;
  LoopList parallel() const {
    LoopList list;
    for (LoopId i = 0; i < loops.size(); ++i)
      if (!loops[i].reduced)
        list.push_back(i);
    return list;
  }
};

struct Program {
  mlir::StringAttr name, visibility;
  mlir::LocationAttr loc;
  mlir::FunctionType type;
  const TcpMachine *machine = nullptr;
  int64_t chips = 1;     ///< that there are
  int64_t chipsUsed = 1; ///< that each do a part
  /// How many, and why; without one there is one chip.
  std::optional<MappingRecord> chipsRecord;
  std::vector<std::unique_ptr<Tensor>> tensors;
  /// In the order they run.
  std::vector<std::unique_ptr<Group>> groups;
  /// By result of the function.
  llvm::SmallVector<Tensor *, 2> results;
  int64_t macs = 0;

  mlir::MLIRContext *getContext() const { return loc.getContext(); }
  mlir::InFlightDiagnostic emitOpError() const;
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
/// Values of one number everywhere.
using Constants = llvm::DenseMap<mlir::Value, mlir::TypedAttr>;
/// `operandOf` gives the access of an operand by the loops of the operation.
mlir::FailureOr<Chain>
readChain(const TcpMachine &machine, const Constants &constants,
          mlir::linalg::LinalgOp op,
          llvm::function_ref<Access(mlir::OpOperand &)> operandOf);

mlir::FailureOr<Program> readProgram(mlir::func::FuncOp func,
                                     const TcpMachine &machine, int64_t chips);
/// Drops loops of one iteration, whose index is 0, unless they are pinned or
/// the role of a dimension, and those that the result does not have.
void dropUnitLoops(Group &group);
/// Whether a group between the two, by index, scatters into what `group` reads,
/// so that it reads something else at `second` than at `first`.
bool isScatteredBetween(const Program &program, size_t first, size_t second,
                        Group &group);
/// The dimension of the result of a scatter that the indices go along.
unsigned getRowDim(const Group &scatter);
/// Cycles of a gather or a scatter.
int64_t getRowCycles(const Group &group, const TcpMachine &machine);
void fuseGroups(Program &program);
/// Gives readers of elements of half a byte copies of i8 where the fetch engine
/// could not take whole bytes.
void widenElements(Program &program,
                   ArgumentLayout layout = ArgumentLayout::Chosen);
/// The loops that the dimensions of all of a tensor are, each a different one;
/// none for dimensions of size one at index 0, which views add and drop.
std::optional<llvm::SmallVector<std::optional<LoopId>, 6>>
getLoopsByDim(const Group &group, const Access &access);
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
/// Sizes, orders and addresses of tensors in HBM.
mlir::LogicalResult assignMemory(Program &program);
/// How each group is mapped, as the attribute kMappingsAttrName has it.
mlir::ArrayAttr recordMappings(const Program &program);
/// Whether the group has a mapping, which then stays.
bool isMapped(const Group &group);
/// Whether it has one that it can run in; an error if not.
mlir::LogicalResult checkMapping(const Group &group, const TcpMachine &machine);
/// What a step asks for: layouts that say an order, groups with mappings,
/// places in HBM. An error names what is missing, and the pass that decides it.
enum class Phase { Layouts, Mappings, Memory };
mlir::LogicalResult checkPhase(const Program &program, Phase phase);
/// Tensor::readers of all tensors.
void countReaders(Program &program);

/// Whether memory may be in any order (Tensor::digits): it comes from the host.
bool mayReorder(const Tensor &tensor);

/// Plans a contraction by rings if that fits it and takes less than `cycles`;
/// its loops then have tiles and parts, with one more loop over clusters.
/// Evaluates at most `budget` mappings.
bool planRings(Group &group, const TcpMachine &machine, int64_t cycles,
               int64_t budget);

/// Cycles of a plan by weights that stream past the activations
/// (WeightStream.h); INT64_MAX if there is none.
int64_t getWeightStreamCycles(const Group &group, const TcpMachine &machine);
/// Whether weights stream whose rows are contiguous, not the sum.
bool streamsAcross(const Group &group, const TcpMachine &machine);
/// Cycles of the best mapping by rings, if there is one that takes less than
/// `cycles`, of a group that is not planned yet.
std::optional<int64_t> getRingCycles(const Group &group,
                                     const TcpMachine &machine, int64_t budget,
                                     int64_t cycles = INT64_MAX);
/// Plans the group so.
void planWeightStream(Group &group, const TcpMachine &machine);
/// For groups that nothing else can do; an error if this cannot either.
mlir::LogicalResult requireWeightStream(Group &group,
                                        const TcpMachine &machine);
/// Whether only a plan by weight streams computes the group.
bool needsWeightStream(const Group &group);
/// When all groups are planned: how many loads, if the next group's follow.
void cutFollowedWeights(Program &program);
/// The order in which the host sends weights and scales.
void orderWeightMemory(Program &program);
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

/// Emits a kernel and a host function; the latter, or nothing and an error.
mlir::FailureOr<mlir::func::FuncOp> emitProgram(const Program &program,
                                                mlir::OpBuilder &builder);

/// The model of what the IR has, and IR with all that the model has, which
/// names the tensors.
Program readPlan(ProgramOp op, tcp::TargetAttr target);
void writePlan(Program &program, mlir::OpBuilder &builder);
/// An affine expression of loops without division.
std::optional<Index> getIndex(mlir::AffineExpr expr);

} // namespace sequin::linalg_to_tcp

#endif // SEQUIN_LIB_CONVERSION_LINALGTOTCP_PROGRAM_H
