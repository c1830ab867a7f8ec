//===- CslCode.cpp - Functions of csl programs, numbered ------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CslState.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::reference;

static Step::Handler findHandler(Operation *op) {
  for (auto find :
       {findScalarHandler, findControlHandler, findMemoryHandler,
        findDescriptorHandler, findBuiltinHandler, findSetupHandler})
    if (Step::Handler handler = find(op))
      return handler;
  return nullptr;
}

/// What a value of `type` can be interpreted as.
static bool isKnown(Type type) {
  return bitsOf(type) || (isBytes(type) && sizeOf(type).bytes);
}

namespace {
/// Numbers one function.
class Reader {
public:
  explicit Reader(FunctionCode &code) : code(code) {}
  LogicalResult read(Region &region);

private:
  uint32_t slotOf(Value value) {
    auto [entry, isNew] = slots.try_emplace(value, code.slots);
    if (isNew)
      ++code.slots;
    return entry->second;
  }
  BlockCode *codeOf(Block *block) {
    BlockCode *&found = blocks[block];
    if (!found)
      found = code.blocks.emplace_back(std::make_unique<BlockCode>()).get();
    return found;
  }
  LogicalResult read(Operation &op, BlockCode &out);

  FunctionCode &code;
  llvm::DenseMap<Value, uint32_t> slots;
  KnownAtComptime known;
  llvm::DenseMap<Block *, BlockCode *> blocks;
};
} // namespace

LogicalResult Reader::read(Operation &op, BlockCode &out) {
  Step step;
  step.op = &op;
  step.handler = findHandler(&op);
  if (!step.handler)
    return op.emitOpError() << "is not for the code of a PE";
  for (Value value : llvm::concat<Value>(llvm::to_vector(op.getOperands()),
                                         llvm::to_vector(op.getResults())))
    if (!isKnown(value.getType()))
      return op.emitOpError() << "has a value of type " << value.getType()
                              << ", which a PE does not hold";
  if (op.getNumOperands())
    step.width = bitsOf(op.getOperand(0).getType());
  if (op.getNumResults())
    step.resultWidth = bitsOf(op.getResult(0).getType());
  // Of all operations in order, so that none has far to go for its operands.
  bool isComptime =
      op.getNumResults() == 1 && known.of(op.getResult(0)).value_or(false);
  step.mayRaise = mayRaise(&op) && !isComptime;
  for (Value value : op.getOperands())
    step.operands.push_back(slotOf(value));
  for (Value value : op.getResults())
    step.results.push_back(slotOf(value));
  for (Region &region : op.getRegions()) {
    if (failed(read(region)))
      return failure();
    step.blocks.push_back(region.empty() ? nullptr : codeOf(&region.front()));
  }
  for (Block *successor : op.getSuccessors())
    step.blocks.push_back(codeOf(successor));
  out.steps.push_back(std::move(step));
  return success();
}

LogicalResult Reader::read(Region &region) {
  for (Block &block : region) {
    BlockCode *out = codeOf(&block);
    for (BlockArgument argument : block.getArguments()) {
      if (!isKnown(argument.getType()))
        return emitError(argument.getLoc())
               << "a block argument has type " << argument.getType()
               << ", which a PE does not hold";
      out->arguments.push_back(slotOf(argument));
    }
    for (Operation &op : block)
      if (failed(read(op, *out)))
        return failure();
  }
  return success();
}

FailureOr<std::unique_ptr<FunctionCode>> reference::readFunction(Operation *op,
                                                                 Region &body) {
  auto code = std::make_unique<FunctionCode>();
  code->op = op;
  if (auto symbol = dyn_cast<SymbolOpInterface>(op))
    code->name = symbol.getName().str();
  if (auto function = dyn_cast<FunctionOpInterface>(op))
    code->type = cast<FunctionType>(function.getFunctionType());
  Reader reader(*code);
  if (failed(reader.read(body)))
    return failure();
  code->entry = code->blocks.front().get();
  return std::move(code);
}
