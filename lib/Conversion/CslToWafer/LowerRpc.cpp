//===- LowerRpc.cpp - The task behind csl.rpc -----------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LowerRpc.h"
#include "Comptime.h"
#include "ValueLayout.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Builders.h"
#include "sequin/Wafer/RpcServer.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::csl_to_wafer;

using wafer::kRpcFunction;
using wafer::kRpcMissing;
using wafer::kRpcState;
using wafer::kRpcStateWords;
using wafer::kRpcThere;

static constexpr StringRef kWords = "@rpc words";
/// Arguments of an exported function (@export_name).
static constexpr int64_t kMaxArguments = 15;
static constexpr unsigned kWordBits = 32;

/// The wavelets that bring an argument: one, or two of which the first has the
/// low half.
static int64_t wordsOf(Type type) {
  return std::max<int64_t>(1,
                           llvm::divideCeil(getRegisterBits(type), kWordBits));
}

static int64_t wordsOf(func::FuncOp function) {
  int64_t words = 0;
  for (Type type : function.getArgumentTypes())
    words += wordsOf(type);
  return words;
}

namespace {
/// The body of the task.
class Server {
public:
  Server(csl::TaskOp task, OpBuilder &builder)
      : task(task), builder(builder), loc(task.getLoc()),
        i16(builder.getI16Type()) {}

  void build(ArrayRef<std::pair<unsigned, func::FuncOp>> functions,
             int64_t size);

private:
  Value number(int64_t value) {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getI16IntegerAttr(value));
  }
  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  Value isEqual(Value left, Value right) {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, left,
                                 right);
  }
  Value load(int64_t field) {
    return memref::LoadOp::create(builder, loc, state, index(field));
  }
  void store(Value value, int64_t field) {
    memref::StoreOp::create(builder, loc, value, state, index(field));
  }
  Block *addBlock() { return builder.createBlock(&task.getBody(), {}); }
  /// The argument whose words begin at a place.
  Value argumentAt(int64_t place, Type type);
  Value convert(Value word, Type type);

  csl::TaskOp task;
  OpBuilder &builder;
  Location loc;
  Type i16;
  Value state, words;
};
} // namespace

Value Server::argumentAt(int64_t place, Type type) {
  auto load = [&](int64_t at) -> Value {
    return memref::LoadOp::create(builder, loc, words, index(at));
  };
  if (wordsOf(type) == 1 && !isa<csl::DirectionType>(type))
    return convert(load(place), type);
  if (!isa<IntegerType>(type)) {
    // As it is in memory.
    auto word = csl::PtrType::get(builder.getI32Type(), false, false);
    Value at = csl::AddressOfOp::create(builder, loc, word, words,
                                        ValueRange(index(place)));
    at = csl::PtrCastOp::create(builder, loc,
                                csl::PtrType::get(type, false, false), at);
    return csl::LoadOp::create(builder, loc, type, at);
  }
  auto extend = [&](Value word) -> Value {
    return arith::ExtUIOp::create(builder, loc, builder.getI64Type(), word);
  };
  Value half = arith::ConstantOp::create(builder, loc,
                                         builder.getI64IntegerAttr(kWordBits));
  Value high =
      arith::ShLIOp::create(builder, loc, extend(load(place + 1)), half);
  Value both = arith::OrIOp::create(builder, loc, extend(load(place)), high);
  return type.isInteger(64)
             ? both
             : arith::TruncIOp::create(builder, loc, type, both).getResult();
}

Value Server::convert(Value word, Type type) {
  if (type.isInteger(32))
    return word;
  if (type.isF32())
    return arith::BitcastOp::create(builder, loc, type, word);
  if (isa<IntegerType>(type))
    return arith::TruncIOp::create(builder, loc, type, word);
  Value half = arith::TruncIOp::create(builder, loc, i16, word);
  if (isa<csl::CB16Type>(type))
    return csl::ConvertCB16Op::create(builder, loc, type, half);
  if (isa<csl::PtrType>(type))
    return csl::IntToPtrOp::create(builder, loc, type, half);
  if (!isa<FloatType>(type))
    return csl::MakeIdOp::create(builder, loc, type, half);
  return arith::BitcastOp::create(builder, loc, type, half);
}

void Server::build(ArrayRef<std::pair<unsigned, func::FuncOp>> functions,
                   int64_t size) {
  OpBuilder::InsertionGuard guard(builder);
  Block *entry = &task.getBody().front();
  Block *start = addBlock(), *argument = addBlock(), *end = addBlock();
  builder.setInsertionPointToEnd(end);
  csl::ReturnOp::create(builder, loc);

  builder.setInsertionPointToEnd(entry);
  Value word = entry->getArgument(0);
  Type wordType = builder.getI32Type();
  state = csl::GetVarOp::create(
      builder, loc, MemRefType::get({kRpcStateWords}, i16), kRpcState);
  words = csl::GetVarOp::create(builder, loc, MemRefType::get({size}, wordType),
                                kWords);
  Value missing = load(kRpcMissing);
  cf::CondBranchOp::create(builder, loc, isEqual(missing, number(0)), start,
                           ValueRange(), argument, ValueRange());

  // A chain of comparisons that calls a function; `next` is what follows.
  Block *dispatch = addBlock();
  builder.setInsertionPointToEnd(dispatch);
  Value wanted = load(kRpcFunction);
  for (auto [id, function] : functions) {
    Block *call = addBlock(), *other = addBlock();
    builder.setInsertionPointToEnd(dispatch);
    cf::CondBranchOp::create(builder, loc, isEqual(wanted, number(id)), call,
                             ValueRange(), other, ValueRange());
    builder.setInsertionPointToEnd(call);
    llvm::SmallVector<Value> arguments;
    int64_t place = 0;
    for (Type type : function.getArgumentTypes()) {
      arguments.push_back(argumentAt(place, type));
      place += wordsOf(type);
    }
    func::CallOp::create(builder, loc, function, arguments);
    cf::BranchOp::create(builder, loc, end);
    dispatch = other;
  }
  builder.setInsertionPointToEnd(dispatch);
  cf::BranchOp::create(builder, loc, end);
  Block *first = wanted.getParentBlock();

  // A new call: its function, and how many words follow.
  builder.setInsertionPointToEnd(start);
  Value id = arith::TruncIOp::create(builder, loc, i16, word);
  Value count = number(0);
  for (auto [known, function] : functions)
    count = arith::SelectOp::create(builder, loc, isEqual(id, number(known)),
                                    number(wordsOf(function)), count);
  store(id, kRpcFunction);
  store(count, kRpcMissing);
  store(number(0), kRpcThere);
  cf::CondBranchOp::create(builder, loc, isEqual(count, number(0)), first,
                           ValueRange(), end, ValueRange());

  // One more word of it.
  builder.setInsertionPointToEnd(argument);
  Value there = load(kRpcThere);
  Value place =
      arith::IndexCastOp::create(builder, loc, builder.getIndexType(), there);
  memref::StoreOp::create(builder, loc, word, words, place);
  store(arith::AddIOp::create(builder, loc, there, number(1)), kRpcThere);
  Value left = arith::SubIOp::create(builder, loc, missing, number(1));
  store(left, kRpcMissing);
  cf::CondBranchOp::create(builder, loc, isEqual(left, number(0)), first,
                           ValueRange(), end, ValueRange());
}

LogicalResult csl_to_wafer::lowerRpc(csl::ProgramOp program,
                                     csl::LayoutOp layout) {
  llvm::SmallVector<csl::RpcOp> servers;
  walkComptime(program, [&](csl::RpcOp op) { servers.push_back(op); });
  if (servers.empty())
    return success();
  if (servers.size() > 1) {
    InFlightDiagnostic error = servers[1].emitOpError()
                               << "is a second server of its program";
    error.attachNote(servers[0].getLoc()) << "first here";
    return error;
  }
  csl::RpcOp rpc = servers.front();
  // A program that was parsed without them has not loaded these.
  MLIRContext *context = program.getContext();
  context->loadDialect<arith::ArithDialect, cf::ControlFlowDialect,
                       func::FuncDialect, memref::MemRefDialect>();
  // Numbers are those of the exported names.
  llvm::SmallVector<std::pair<unsigned, func::FuncOp>> functions;
  walkComptime(program, [&](csl::ExportSymbolOp op) {
    auto function = dyn_cast_or_null<func::FuncOp>(
        SymbolTable::lookupSymbolIn(program, op.getSymbolAttr()));
    for (auto [number, name] :
         llvm::enumerate(layout.getOps<csl::ExportNameOp>()))
      if (function && name.getName() == op.getAdvertisedName())
        functions.emplace_back(number, function);
  });
  Location loc = rpc.getLoc();
  OpBuilder builder(context);
  builder.setInsertionPointToEnd(&program.getBody().front());
  auto makeVar = [&](StringRef name, Type element, int64_t size) {
    auto type = MemRefType::get({size}, element);
    OperationState state(loc, csl::VarOp::getOperationName());
    csl::VarOp::Properties &properties =
        state.getOrAddProperties<csl::VarOp::Properties>();
    properties.sym_name = builder.getStringAttr(name);
    properties.type = TypeAttr::get(type);
    properties.initial_value =
        DenseElementsAttr::get(RankedTensorType::get({size}, element),
                               builder.getIntegerAttr(element, 0));
    builder.create(state);
  };
  makeVar(kRpcState, builder.getI16Type(), kRpcStateWords);
  int64_t size = kMaxArguments;
  for (auto [id, function] : functions)
    size = std::max(size, wordsOf(function));
  makeVar(kWords, builder.getI32Type(), size);
  OperationState state(loc, csl::TaskOp::getOperationName());
  csl::TaskOp::Properties &properties =
      state.getOrAddProperties<csl::TaskOp::Properties>();
  properties.kind =
      csl::TaskKindAttr::get(builder.getContext(), csl::TaskKind::Data);
  properties.sym_name = builder.getStringAttr(kRpcServer);
  properties.function_type =
      TypeAttr::get(builder.getFunctionType({builder.getI32Type()}, {}));
  Region *body = state.addRegion();
  body->emplaceBlock().addArgument(builder.getI32Type(), loc);
  auto task = cast<csl::TaskOp>(builder.create(state));
  Server(task, builder).build(functions, size);
  builder.setInsertionPoint(rpc);
  csl::BindDataTaskOp::create(builder, loc, kRpcServer, rpc.getId());
  rpc.erase();
  return success();
}
