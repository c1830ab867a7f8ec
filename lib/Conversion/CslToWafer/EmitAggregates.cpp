//===- EmitAggregates.cpp - Bytecode of arrays and structs as values ------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FunctionEmitter.h"
#include "ValueLayout.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "sequin/Support/DsdArithmetic.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::csl_to_wafer;
using wafer::Opcode;

/// Whether the aggregate that `made` makes is for one place only, of a variable
/// or of a larger aggregate: it is made there then, without a place of its own.
static bool isMadeWhereItGoes(Operation *made) {
  if (!isa_and_nonnull<csl::AggregateOp, csl::SplatOp>(made) ||
      !made->hasOneUse())
    return false;
  Value result = made->getResult(0);
  Operation *user = *made->user_begin();
  if (user->getBlock() != made->getBlock() || !isInFrame(result.getType()))
    return false;
  if (auto store = dyn_cast<memref::StoreOp>(user))
    return store.getValueToStore() == result;
  if (auto store = dyn_cast<csl::StoreOp>(user))
    return store.getValue() == result;
  return isa<csl::AggregateOp, csl::SplatOp>(user) &&
         isInFrame(user->getResult(0).getType());
}

void FunctionEmitter::put(Value value, const Address &place) {
  Type type = value.getType();
  if (!isInFrame(type))
    return store(type, of(value), place);
  int64_t bytes = getMemorySize(type).bytes;
  Operation *made = value.getDefiningOp();
  if (!isMadeWhereItGoes(made)) {
    emit(Opcode::CopyMemory, kNone, asRegister(place, bytes), of(value), bytes);
    return;
  }
  // Without an index, which counts in elements of this type.
  makeAt(made, place.right == kNone
                   ? place
                   : Address{.left = asRegister(place, bytes)});
}

/// Puts the elements of an array or the fields of a struct at `place`.
void FunctionEmitter::makeAt(Operation *made, const Address &place) {
  auto at = [&](int64_t offset) {
    return Address{.immediate = place.immediate + static_cast<uint32_t>(offset),
                   .left = place.left};
  };
  if (auto splat = dyn_cast<csl::SplatOp>(made)) {
    auto array = cast<csl::ArrayType>(splat.getResult().getType());
    int64_t bytes = getMemorySize(array.getElementType()).bytes;
    int64_t total = array.getNumElements() * bytes;
    // What is there is doubled until the array is full.
    constexpr int64_t kFirst = 8;
    int64_t done = 0;
    for (; done < std::min(total, kFirst * bytes); done += bytes)
      put(splat.getValue(), at(done));
    Register first = done < total ? asRegister(at(0), 1) : kNone;
    while (done < total) {
      int64_t part = std::min(done, total - done);
      emit(Opcode::CopyMemory, kNone, asRegister(at(done), 1), first, part);
      done += part;
    }
    return;
  }
  auto aggregate = cast<csl::AggregateOp>(made);
  Type type = aggregate.getResult().getType();
  if (auto array = dyn_cast<csl::ArrayType>(type)) {
    int64_t bytes = getMemorySize(array.getElementType()).bytes;
    for (auto [index, value] : llvm::enumerate(aggregate.getValues()))
      put(value, at(index * bytes));
    return;
  }
  auto record = cast<csl::StructType>(type);
  for (auto [index, value] : llvm::enumerate(aggregate.getValues())) {
    size_t field = aggregate.getField()
                       ? *record.getFieldIndex(*aggregate.getField())
                       : index;
    put(value, at(getFieldOffset(record, field)));
  }
}

FunctionEmitter::Emitted FunctionEmitter::emitAggregate(Operation &op) {
  // Sets bits of a packed struct, which are zero, in a register.
  auto merge = [&](Register word, unsigned width, unsigned bit, Value value) {
    Register shifted = of(value);
    if (bit)
      shifted = emitFresh(Opcode::ShiftLeft, shifted, constant(bit), 0, width);
    return emitFresh(Opcode::Or, word, shifted, 0, width);
  };
  // Where an element of an array value is.
  auto elementAddress = [&](Register base, csl::ArrayType type,
                            ValueRange indices) {
    Address address{.left = base};
    int64_t bytes = getMemorySize(type.getElementType()).bytes, stride = 1;
    for (size_t i = indices.size(); i-- > 0; stride *= type.getShape()[i])
      addIndex(address, indices[i], stride, bytes);
    return address;
  };

  if (isa<csl::AggregateOp, csl::SplatOp>(op) &&
      isInFrame(op.getResult(0).getType())) {
    if (isMadeWhereItGoes(&op))
      return success();
    Register slot = frameSlot(op.getResult(0).getType());
    makeAt(&op, {.left = slot});
    registers[op.getResult(0)] = slot;
    return success();
  }
  if (auto made = dyn_cast<csl::AggregateOp>(op)) {
    auto record = cast<csl::StructType>(made.getResult().getType());
    Register word = constant(0);
    for (auto [index, value] : llvm::enumerate(made.getValues())) {
      size_t field =
          made.getField() ? *record.getFieldIndex(*made.getField()) : index;
      word = merge(word, getRegisterBits(record), getFieldBit(record, field),
                   value);
    }
    rename(made, word);
    return success();
  }
  if (auto get = dyn_cast<csl::GetFieldOp>(op)) {
    auto type = cast<csl::StructType>(get.getValue().getType());
    unsigned field = *type.getFieldIndex(get.getField());
    Type part = get.getResult().getType();
    if (!isInFrame(type)) {
      Register word = of(get.getValue());
      unsigned width = getRegisterBits(type);
      if (unsigned bit = getFieldBit(type, field))
        word = emitFresh(Opcode::ShiftRightU, word, constant(bit), 0, width);
      emit(Opcode::Truncate, of(get), word, kNone, getPackedBits(part), width);
      return success();
    }
    Address address{.immediate =
                        static_cast<uint32_t>(getFieldOffset(type, field)),
                    .left = of(get.getValue())};
    if (isInFrame(part))
      registers[get] = asRegister(address, 1);
    else
      load(part, of(get), address);
    return success();
  }
  if (auto set = dyn_cast<csl::SetFieldOp>(op)) {
    auto type = cast<csl::StructType>(set.getValue().getType());
    unsigned field = *type.getFieldIndex(set.getField());
    if (isInFrame(type)) {
      Register slot = copyAggregate(type, of(set.getValue()));
      put(set.getReplacement(),
          {.immediate = static_cast<uint32_t>(getFieldOffset(type, field)),
           .left = slot});
      registers[set] = slot;
      return success();
    }
    unsigned width = getRegisterBits(type), bit = getFieldBit(type, field);
    uint64_t ones = llvm::maskTrailingOnes<uint64_t>(
        getPackedBits(set.getReplacement().getType()));
    Register cleared = emitFresh(
        Opcode::And, of(set.getValue()),
        constant(~(ones << bit) & llvm::maskTrailingOnes<uint64_t>(width)), 0,
        width);
    rename(set, merge(cleared, width, bit, set.getReplacement()));
    return success();
  }
  if (auto get = dyn_cast<csl::GetElementOp>(op)) {
    auto type = cast<csl::ArrayType>(get.getValue().getType());
    Address address =
        elementAddress(of(get.getValue()), type, get.getIndices());
    Type part = get.getResult().getType();
    if (isInFrame(part))
      registers[get] = asRegister(address, getMemorySize(part).bytes);
    else
      load(part, of(get), address);
    return success();
  }
  if (auto set = dyn_cast<csl::SetElementOp>(op)) {
    auto type = cast<csl::ArrayType>(set.getValue().getType());
    Register slot = copyAggregate(type, of(set.getValue()));
    Address address = elementAddress(slot, type, set.getIndices());
    put(set.getReplacement(), address);
    registers[set] = slot;
    return success();
  }
  if (auto name = dyn_cast<csl::EnumConstantOp>(op)) {
    auto type = cast<csl::EnumType>(name.getResult().getType());
    setNumber(name, *type.getValueOf(name.getName()) &
                        llvm::maskTrailingOnes<uint64_t>(
                            type.getBaseType().getWidth()));
    return success();
  }
  if (isa<csl::ToEnumOp>(op)) {
    rename(op.getResult(0), op.getOperand(0));
    return success();
  }
  if (auto convert = dyn_cast<csl::ConvertCB16Op>(op)) {
    bool toFloat = convert.getResult().getType().isF32();
    bool fromFloat = convert.getValue().getType().isF32();
    if ((toFloat || fromFloat) && context.fp16() != Fp16Format::CB16)
      return LogicalResult(op.emitOpError()
                           << "converts cb16, the fp16 format is "
                           << getName(context.fp16()));
    // A known number is rounded here.
    if (fromFloat)
      if (std::optional<uint64_t> bits = known(convert.getValue())) {
        setNumber(convert,
                  dsd::encodeFp16(Fp16Format::CB16, dsd::decodeF32(*bits)));
        return success();
      }
    if (toFloat || fromFloat)
      emit(toFloat ? Opcode::FloatExtend : Opcode::FloatTruncate, of(convert),
           of(convert.getValue()));
    else
      rename(convert, convert.getValue());
    return success();
  }
  return std::nullopt;
}
