//===- NormalizeLinalg.cpp - linalg to core operations -------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rewrites.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "sequin/Conversion/Attributes.h"
#include "sequin/Conversion/NormalizeLinalg/Passes.h"
#include "llvm/Support/CheckedArithmetic.h"

namespace sequin {
#define GEN_PASS_DEF_NORMALIZELINALG
#include "sequin/Conversion/NormalizeLinalg/Passes.h.inc"
} // namespace sequin

using namespace mlir;
using namespace sequin;
using namespace sequin::normalize_linalg;

namespace {

struct NormalizeLinalg : sequin::impl::NormalizeLinalgBase<NormalizeLinalg> {
  using NormalizeLinalgBase::NormalizeLinalgBase;

  void runOnOperation() override;
};

} // namespace

static LogicalResult checkTensor(Operation *at, Type type, const Twine &what,
                                 bool isArgument = false) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape())
    return at->emitOpError()
           << what << " has type " << type
           << ", only ranked tensors with static shapes can be lowered: give "
              "every dimension a size";
  int64_t elements = 1;
  for (int64_t size : tensor.getShape()) {
    if (size == 0)
      return at->emitOpError() << what << " has type " << type
                               << ", a dimension must not be empty";
    std::optional<int64_t> product = llvm::checkedMul(elements, size);
    if (!product)
      return at->emitOpError() << what << " has type " << type
                               << ", which is more elements than 64 bits count";
    elements = *product;
  }
  Type element = tensor.getElementType();
  bool isStored = element.isInteger(1) || element.isInteger(64) ||
                  element.isInteger(4) || element.isInteger(8) ||
                  element.isInteger(16) || element.isInteger(32) ||
                  isa<Float8E4M3FNType, Float8E5M2Type, BFloat16Type,
                      Float16Type, Float32Type>(element);
  // Codes that only weights have; nobody makes them.
  isStored |= isE2m1(element) && isArgument;
  if (!isStored)
    return at->emitOpError()
           << what << " has element type " << element
           << ", the machine has i4, i8, i16, i32, f8E4M3FN, f8E5M2, bf16, f16 "
              "and f32, and f4E2M1FN for arguments that are weights of sums";
  return success();
}

/// Truth values become i8, i64 becomes i32: who passes an array checks that its
/// numbers fit.
static Type boundaryType(RankedTensorType type) {
  Type element = type.getElementType();
  return type.clone(element.isInteger(64)
                        ? IntegerType::get(type.getContext(), 32)
                        : storedType(element));
}

/// The types of arguments and results; whether the body can be looked at.
static LogicalResult rewriteBoundary(func::FuncOp func) {
  FunctionType type = func.getFunctionType();
  SmallVector<Type> inputs, results;
  auto stored = [](Type type) {
    return boundaryType(cast<RankedTensorType>(type));
  };
  bool refused = false;
  for (auto [i, input] : llvm::enumerate(type.getInputs())) {
    if (failed(checkTensor(func, input, "argument " + Twine(i),
                           /*isArgument=*/true))) {
      refused = true;
      continue;
    }
    inputs.push_back(stored(input));
    func.getArgument(i).setType(inputs.back());
  }
  for (auto [i, result] : llvm::enumerate(type.getResults())) {
    if (failed(checkTensor(func, result, "result " + Twine(i))))
      refused = true;
    else
      results.push_back(stored(result));
  }
  if (refused)
    return failure();
  func.setFunctionType(FunctionType::get(func.getContext(), inputs, results));
  if (!func.getBody().hasOneBlock())
    return func.emitOpError() << "has control flow, only straight-line "
                                 "functions can be lowered: unroll loops and "
                                 "compute both branches";
  return success();
}

static bool isStaticTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() && tensor.getNumElements() > 0;
}

static LogicalResult rewriteGeneric(linalg::GenericOp op,
                                    const Options &options) {
  if (!op.hasPureTensorSemantics())
    return op.emitOpError()
           << "works on memory, only tensors can be lowered to tcp";
  for (Value operand : op->getOperands())
    if (isa<ShapedType>(operand.getType()) &&
        !isStaticTensor(operand.getType()))
      return op.emitOpError()
             << "has an operand of type " << operand.getType()
             << ", only ranked tensors with static shapes can be lowered: give "
                "every dimension a size";
  // What reads a body goes down its chains of operands by recursion.
  constexpr int64_t kMostBodyOperations = 2048;
  if (int64_t count = llvm::range_size(op.getBody()->getOperations());
      count > kMostBodyOperations)
    return op.emitOpError()
           << "has a body of " << count << " operations, allowed are "
           << kMostBodyOperations << ": compute in several steps";
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    bool divides = false;
    for (AffineExpr expr : map.getResults())
      expr.walk([&](AffineExpr part) {
        divides |= part.getKind() == AffineExprKind::Mod ||
                   part.getKind() == AffineExprKind::FloorDiv ||
                   part.getKind() == AffineExprKind::CeilDiv;
      });
    if (divides)
      return op.emitOpError()
             << "indexes operand " << operand.getOperandNumber() << " by "
             << AffineMapAttr::get(map)
             << ", indices are sums of loops times constants: split the loop "
                "and reshape the tensor";
  }
  return op.getNumReductionLoops() == 0 ? rewriteMap(op)
                                        : rewriteReduction(op, options);
}

/// What a program pins of an operation holds for all that it becomes and that
/// has its loops.
static void keepPin(Attribute pin, size_t loops, Block::iterator begin,
                    Block::iterator end) {
  for (Operation &op : llvm::make_range(begin, end))
    if (auto generic = dyn_cast<linalg::GenericOp>(op);
        generic && generic.getNumLoops() == loops &&
        !generic->hasAttr(kPinAttrName))
      generic->setAttr(kPinAttrName, pin);
}

/// What was said of an operation is said of the last one that it becomes.
static void keepNote(Attribute note, Block::iterator begin,
                     Block::iterator end) {
  auto range = llvm::make_range(begin, end);
  for (Operation &op : llvm::reverse(range))
    if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
      generic->setAttr(kNoteAttrName, note);
      return;
    }
}

/// Takes an operation that was refused out of its function; arguments that the
/// function's type does not have stand for what it would give. So the rest is
/// looked at, and each operation that is refused by itself is told.
static void cutOut(Operation *op) {
  Block &entry = op->getParentOfType<func::FuncOp>().getBody().front();
  for (Value result : op->getResults()) {
    Type type = result.getType();
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      type = boundaryType(tensor);
    result.replaceAllUsesWith(entry.addArgument(type, result.getLoc()));
  }
  op->erase();
}

static LogicalResult rewriteFunction(func::FuncOp func,
                                     const Options &options) {
  foldScales(func);
  SmallVector<Operation *> ops, refused;
  for (Operation &op : func.getBody().front()) {
    auto generic = dyn_cast<linalg::GenericOp>(op);
    if (failed(checkE2m1(&op)))
      refused.push_back(&op);
    else if (!generic || !isScaledSum(generic))
      ops.push_back(&op);
  }
  bool isRefused = !refused.empty();
  for (Operation *op : refused)
    cutOut(op);
  for (Operation *op : ops) {
    auto generic = dyn_cast<linalg::GenericOp>(op);
    Attribute pin = op->getAttr(kPinAttrName),
              note = op->getAttr(kNoteAttrName);
    size_t loops = generic ? generic.getNumLoops() : 0;
    Operation *before = op->getPrevNode(), *after = op->getNextNode();
    Block *block = op->getBlock();
    if (failed(generic ? rewriteGeneric(generic, options)
                       : rewriteTensorOp(op))) {
      isRefused = true;
      // What it has become so far.
      while (op->getPrevNode() != before &&
             isOpTriviallyDead(op->getPrevNode()))
        op->getPrevNode()->erase();
      cutOut(op);
      continue;
    }
    auto begin = before ? std::next(before->getIterator()) : block->begin(),
         end = after ? after->getIterator() : block->end();
    if (pin)
      keepPin(pin, loops, begin, end);
    if (note)
      keepNote(note, begin, end);
  }
  return failure(isRefused);
}

/// A program; functions that are lowered already are left alone.
static bool takesTensors(func::FuncOp func) {
  auto isTensor = [](Type type) { return isa<ShapedType>(type); };
  return llvm::any_of(func.getArgumentTypes(), isTensor) ||
         llvm::any_of(func.getResultTypes(), isTensor);
}

/// What is padded and inserted by steps, as a fill and two insertions: MLIR 22
/// folds tensor.insert_slice of tensor.pad into a linalg.fill of the same
/// number as if there were no steps (FoldInsertPadIntoFill).
static void splitStridedPad(tensor::InsertSliceOp insert) {
  auto pad = insert.getSource().getDefiningOp<tensor::PadOp>();
  if (insert.hasUnitStride() || !pad || !pad.getResultType().hasStaticShape())
    return;
  Value padding = pad.getConstantPaddingValue();
  Attribute number;
  if (!padding || !matchPattern(padding, m_Constant(&number)))
    return;
  OpBuilder b(pad);
  Location loc = pad.getLoc();
  RankedTensorType type = pad.getResultType();
  Value value = arith::ConstantOp::create(b, loc, cast<TypedAttr>(number));
  Value empty =
      tensor::EmptyOp::create(b, loc, type.getShape(), type.getElementType());
  Value filled = linalg::FillOp::create(b, loc, value, empty).getResult(0);
  SmallVector<OpFoldResult> ones(type.getRank(), b.getIndexAttr(1));
  Value padded = tensor::InsertSliceOp::create(
      b, loc, pad.getSource(), filled, pad.getMixedLowPad(),
      tensor::getMixedSizes(b, loc, pad.getSource()), ones);
  insert.getSourceMutable().assign(padded);
}

void NormalizeLinalg::runOnOperation() {
  ModuleOp module = getOperation();
  Options options{allowBf16, allowNarrow};
  if (failed(checkSizes(module)) || failed(checkCalls(module)))
    return signalPassFailure();
  // Front ends leave globals that nothing uses.
  for (auto global :
       llvm::make_early_inc_range(module.getOps<ml_program::GlobalOp>()))
    if (SymbolTable::symbolKnownUseEmpty(global, module))
      global.erase();
  OpPassManager inlining("builtin.module"), cleaning("builtin.module");
  inlining.addPass(createInlinerPass({}, [](OpPassManager &) {}));
  inlining.addPass(createSymbolDCEPass());
  cleaning.addPass(createCanonicalizerPass());
  cleaning.addPass(createCSEPass());
  if (failed(runPipeline(inlining, module)))
    return signalPassFailure();
  module.walk(splitStridedPad);
  if (failed(runPipeline(cleaning, module)) || failed(prepare(module)))
    return signalPassFailure();
  SmallVector<func::FuncOp> programs;
  for (auto func : module.getOps<func::FuncOp>())
    if (!func.isExternal() && takesTensors(func))
      programs.push_back(func);
  // All that is refused is told, of functions whose boundary is not.
  bool refused = false;
  llvm::erase_if(programs, [&](func::FuncOp func) {
    if (succeeded(rewriteBoundary(func)))
      return false;
    refused = true;
    return true;
  });
  for (func::FuncOp func : programs)
    refused |= failed(rewriteFunction(func, options));
  refused |= failed(cleanUp(module));
  for (func::FuncOp func : programs)
    refused |= failed(checkCore(func));
  if (refused)
    signalPassFailure();
}
