//===- EmitMemory.cpp - Bytecode of memory, pointers, aggregates ----------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FunctionEmitter.h"
#include "ValueLayout.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::csl_to_wafer;
using wafer::Opcode;

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

/// What the beginning of a frame is a multiple of.
static constexpr int64_t kFrameAlign = 4;

wafer::Register FunctionEmitter::frameSlot(int64_t bytes, int64_t align) {
  // Where a frame begins is known when the call is made: code rounds up then.
  if (align > kFrameAlign) {
    Register least = frameSlot(bytes + align - kFrameAlign, kFrameAlign);
    Register most = emitFresh(Opcode::Add, least, constant(align - kFrameAlign),
                              0, kIndexBits);
    return emitFresh(
        Opcode::And, most,
        constant(llvm::maskTrailingZeros<uint32_t>(llvm::Log2_64(align))), 0,
        kIndexBits);
  }
  frameBytes = llvm::alignTo(frameBytes, align);
  Register address = emitFresh(Opcode::FrameAddress, kNone, kNone, frameBytes);
  frameBytes += std::max<int64_t>(bytes, 1);
  return address;
}

wafer::Register FunctionEmitter::frameSlot(Type type) {
  MemorySize size = getMemorySize(type);
  return frameSlot(size.bytes, size.align);
}

FunctionEmitter::Address FunctionEmitter::baseOf(Value base) {
  if (auto var = base.getDefiningOp<csl::GetVarOp>())
    return {.immediate = context.addressOf(var.getVar())};
  // The address of a whole array is the array's.
  if (auto address = base.getDefiningOp<csl::AddressOfOp>();
      address && address.getIndices().empty())
    return baseOf(address.getMemref());
  // The same by another name.
  if (isa_and_nonnull<csl::PtrCastOp, csl::AsMemrefOp>(base.getDefiningOp()))
    return baseOf(base.getDefiningOp()->getOperand(0));
  return {.left = of(base)};
}

/// Adds `index` * `stride` elements of `bytes` to an address.
void FunctionEmitter::addIndex(Address &address, Value index, int64_t stride,
                               int64_t bytes) {
  if (std::optional<uint64_t> number = known(index)) {
    address.immediate +=
        static_cast<uint32_t>(static_cast<int32_t>(*number) * stride * bytes);
    return;
  }
  Register term = of(index);
  if (stride != 1)
    term = emitFresh(Opcode::Mul, term, constant(stride), 0, kIndexBits);
  address.right = address.right == kNone ? term
                                         : emitFresh(Opcode::Add, address.right,
                                                     term, 0, kIndexBits);
}

/// Where `element` points to, in elements.
FunctionEmitter::Address FunctionEmitter::elementOf(csl::ElementPtrOp element) {
  csl::BaseInfo info = csl::getBaseInfo(element.getPointer().getType());
  int64_t bytes = getMemorySize(info.elementType).bytes;
  llvm::SmallVector<int64_t> strides{1};
  if (info.shape) {
    strides.assign(info.shape->size(), 1);
    for (size_t i = strides.size(); i-- > 1;)
      strides[i - 1] = strides[i] * (*info.shape)[i];
  }
  Address address = baseOf(element.getPointer());
  for (auto [index, stride] : llvm::zip(element.getIndices(), strides))
    addIndex(address, index, stride, bytes);
  return address;
}

/// Whether a pointer is where its loads and stores go, and nothing else.
static bool isOnlyAccessed(csl::ElementPtrOp element) {
  return llvm::all_of(element->getUses(), [](OpOperand &use) {
    if (auto load = dyn_cast<csl::LoadOp>(use.getOwner()))
      return !isInFrame(load.getType());
    auto store = dyn_cast<csl::StoreOp>(use.getOwner());
    return store && use.get() == store.getPointer() &&
           use.get() != store.getValue() &&
           !isInFrame(store.getValue().getType());
  });
}

/// Where an access by a pointer goes.
FunctionEmitter::Address FunctionEmitter::placeOf(Value pointer) {
  auto element = pointer.getDefiningOp<csl::ElementPtrOp>();
  return element && isOnlyAccessed(element) ? elementOf(element)
                                            : baseOf(pointer);
}

FailureOr<FunctionEmitter::Address>
FunctionEmitter::addressOf(Operation *op, Value memref, ValueRange indices) {
  auto type = dyn_cast<MemRefType>(memref.getType());
  llvm::SmallVector<int64_t> strides;
  int64_t offset;
  if (!type || failed(type.getStridesAndOffset(strides, offset)) ||
      llvm::is_contained(strides, ShapedType::kDynamic))
    return op->emitOpError() << "accesses " << memref.getType()
                             << ", whose strides are not known";
  int64_t bytes = getMemorySize(type.getElementType()).bytes;
  if (!bytes)
    return op->emitOpError() << "accesses " << type
                             << ", whose elements are "
                                "not in memory";
  Address address = baseOf(memref);
  // The offset of a layout is in the memref's register.
  int64_t constantOffset = 0;
  for (auto [index, stride] : llvm::zip(indices, strides)) {
    if (std::optional<uint64_t> number = known(index)) {
      constantOffset += static_cast<int32_t>(*number) * stride;
      continue;
    }
    Register term = of(index);
    if (stride != 1)
      term = emitFresh(Opcode::Mul, term,
                       constant(static_cast<uint32_t>(stride)), 0, kIndexBits);
    address.right =
        address.right == kNone
            ? term
            : emitFresh(Opcode::Add, address.right, term, 0, kIndexBits);
  }
  address.immediate += static_cast<uint32_t>(constantOffset * bytes);
  return address;
}

wafer::Register FunctionEmitter::asRegister(const Address &address,
                                            int64_t elementBytes) {
  Register result = address.left;
  if (address.right != kNone) {
    Register scaled = address.right;
    if (elementBytes != 1)
      scaled =
          emitFresh(Opcode::Mul, scaled, constant(elementBytes), 0, kIndexBits);
    result = result == kNone
                 ? scaled
                 : emitFresh(Opcode::Add, result, scaled, 0, kIndexBits);
  }
  if (result == kNone)
    return constant(static_cast<uint16_t>(address.immediate));
  if (address.immediate)
    result = emitFresh(Opcode::Add, result, constant(address.immediate), 0,
                       kIndexBits);
  if (result == address.left)
    return result;
  return emitFresh(Opcode::Truncate, result, kNone, kAddressBits, kIndexBits);
}

/// Bits of the access that a scalar of `type` takes: all of its bytes.
static unsigned getAccessBits(Type type) {
  return 8 * getMemorySize(type).bytes;
}

void FunctionEmitter::load(Type type, Register dest, const Address &address) {
  unsigned bits = getAccessBits(type), width = getRegisterBits(type);
  emit(Opcode::Load, dest, address.left, address.right, address.immediate,
       bits);
  // What is in memory beyond the value is not trusted.
  if (bits != width)
    emit(Opcode::Truncate, dest, dest, kNone, width, bits);
}

void FunctionEmitter::store(Type type, Register value, const Address &address) {
  emit(Opcode::Store, value, address.left, address.right, address.immediate,
       getAccessBits(type));
}

/// Whether the aggregate that `load` reads is only stored elsewhere, or numbers
/// in it are taken, before anything is written: it is read where it lies. A
/// copy of memory reads all before it writes.
static bool isReadInPlace(Operation *load) {
  unsigned uses = 0;
  for (Operation *user : load->getUsers()) {
    bool isStore = isa<memref::StoreOp, csl::StoreOp>(user);
    bool isPart = isa<csl::GetFieldOp, csl::GetElementOp>(user) &&
                  !isInFrame(user->getResult(0).getType());
    if (user->getBlock() != load->getBlock() || (!isStore && !isPart))
      return false;
    ++uses;
  }
  for (Operation *op = load->getNextNode(); op && uses;
       op = op->getNextNode()) {
    uses -= llvm::count(op->getOperands(), load->getResult(0));
    if (uses && !isa<memref::LoadOp, csl::LoadOp>(op) &&
        !isMemoryEffectFree(op))
      return false;
  }
  return true;
}

wafer::Register FunctionEmitter::readAggregate(Operation *load,
                                               Register source) {
  return isReadInPlace(load)
             ? source
             : copyAggregate(load->getResult(0).getType(), source);
}

wafer::Register FunctionEmitter::copyAggregate(Type type, Register source) {
  Register slot = frameSlot(type);
  emit(Opcode::CopyMemory, kNone, slot, source, getMemorySize(type).bytes);
  return slot;
}

//===----------------------------------------------------------------------===//
// memref
//===----------------------------------------------------------------------===//

FunctionEmitter::Emitted FunctionEmitter::emitMemref(Operation &op) {
  if (auto get = dyn_cast<csl::GetVarOp>(op)) {
    // Accesses and DSDs take the address from the symbol; others a register.
    setNumber(get, context.addressOf(get.getVar()));
    return success();
  }
  if (!isa<memref::MemRefDialect>(op.getDialect()))
    return std::nullopt;
  if (auto access = dyn_cast<memref::LoadOp>(op)) {
    FailureOr<Address> address =
        addressOf(&op, access.getMemRef(), access.getIndices());
    if (failed(address))
      return failure();
    Type type = access.getType();
    if (isInFrame(type))
      registers[access] = readAggregate(
          access, asRegister(*address, getMemorySize(type).bytes));
    else
      load(type, of(access), *address);
    return success();
  }
  if (auto access = dyn_cast<memref::StoreOp>(op)) {
    FailureOr<Address> address =
        addressOf(&op, access.getMemRef(), access.getIndices());
    if (failed(address))
      return failure();
    put(access.getValueToStore(), *address);
    return success();
  }
  if (auto alloca = dyn_cast<memref::AllocaOp>(op)) {
    MemRefType type = alloca.getType();
    MemorySize size = getMemorySize(type.getElementType());
    int64_t bytes;
    if (!type.hasStaticShape() || !type.getLayout().isIdentity() ||
        !size.bytes ||
        __builtin_mul_overflow(type.getNumElements(), size.bytes, &bytes))
      return LogicalResult(op.emitOpError()
                           << "makes " << type << ", which has no size");
    if (bytes > context.machine.memoryBytesPerPe)
      return LogicalResult(op.emitOpError()
                           << "of type " << type << " takes " << bytes
                           << " bytes, a PE has "
                           << context.machine.memoryBytesPerPe);
    if (alloca->getBlock() != &function.getCallableRegion()->front())
      return LogicalResult(op.emitOpError()
                           << "is not in the first block of its function");
    registers[alloca] =
        frameSlot(bytes, std::max<int64_t>(size.align,
                                           alloca.getAlignment().value_or(1)));
    return success();
  }
  if (auto view = dyn_cast<memref::SubViewOp>(op)) {
    auto source = view.getSourceType();
    llvm::SmallVector<int64_t> strides;
    int64_t offset;
    if (failed(source.getStridesAndOffset(strides, offset)) ||
        llvm::is_contained(strides, ShapedType::kDynamic))
      return LogicalResult(op.emitOpError() << "is of " << source
                                            << ", whose strides are not known");
    int64_t bytes = getMemorySize(source.getElementType()).bytes;
    Address address = baseOf(view.getSource());
    for (auto [part, stride] : llvm::zip(view.getMixedOffsets(), strides)) {
      if (std::optional<int64_t> number = getConstantIntValue(part)) {
        address.immediate += static_cast<uint32_t>(*number * stride * bytes);
        continue;
      }
      Register term =
          emitFresh(Opcode::Mul, of(cast<Value>(part)),
                    constant(static_cast<uint32_t>(stride)), 0, kIndexBits);
      address.right =
          address.right == kNone
              ? term
              : emitFresh(Opcode::Add, address.right, term, 0, kIndexBits);
    }
    registers[view] = asRegister(address, bytes);
    return success();
  }
  // The same place under another shape.
  if (isa<memref::CastOp, memref::ExpandShapeOp, memref::CollapseShapeOp>(op)) {
    registers[op.getResult(0)] = asRegister(baseOf(op.getOperand(0)), 1);
    return success();
  }
  if (auto copied = dyn_cast<memref::CopyOp>(op)) {
    auto from = dyn_cast<MemRefType>(copied.getSource().getType());
    auto to = dyn_cast<MemRefType>(copied.getTarget().getType());
    if (!from || !to || !from.hasStaticShape() ||
        !from.getLayout().isIdentity() || !to.getLayout().isIdentity())
      return LogicalResult(op.emitOpError()
                           << "copies between " << copied.getSource().getType()
                           << " and " << copied.getTarget().getType()
                           << ", expected row-major arrays of known size");
    int64_t bytes =
        from.getNumElements() * getMemorySize(from.getElementType()).bytes;
    emit(Opcode::CopyMemory, kNone, asRegister(baseOf(copied.getTarget()), 1),
         asRegister(baseOf(copied.getSource()), 1), bytes);
    return success();
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Pointers
//===----------------------------------------------------------------------===//

FunctionEmitter::Emitted FunctionEmitter::emitPointer(Operation &op) {
  if (auto address = dyn_cast<csl::AddressOfOp>(op)) {
    FailureOr<Address> place =
        addressOf(&op, address.getMemref(), address.getIndices());
    if (failed(place))
      return failure();
    auto type = cast<MemRefType>(address.getMemref().getType());
    registers[address] =
        asRegister(*place, getMemorySize(type.getElementType()).bytes);
    return success();
  }
  if (isa<csl::AsMemrefOp, csl::PtrCastOp, csl::PtrToIntOp, csl::IntToPtrOp>(
          op)) {
    rename(op.getResult(0), op.getOperand(0));
    return success();
  }
  if (auto element = dyn_cast<csl::ElementPtrOp>(op)) {
    csl::BaseInfo info = csl::getBaseInfo(element.getPointer().getType());
    int64_t bytes = getMemorySize(info.elementType).bytes;
    if (!bytes)
      return LogicalResult(op.emitOpError() << "points to " << info.elementType
                                            << ", which is not in memory");
    // An access computes it by itself.
    if (!isOnlyAccessed(element))
      rename(element, asRegister(elementOf(element), bytes));
    return success();
  }
  if (auto field = dyn_cast<csl::FieldPtrOp>(op)) {
    auto type = cast<csl::StructType>(
        cast<csl::PtrType>(field.getPointer().getType()).getPointee());
    Address address{.immediate = static_cast<uint32_t>(getFieldOffset(
                        type, *type.getFieldIndex(field.getField()))),
                    .left = of(field.getPointer())};
    rename(field, asRegister(address, 1));
    return success();
  }
  if (auto access = dyn_cast<csl::LoadOp>(op)) {
    Type type = access.getResult().getType();
    if (!getMemorySize(type).bytes)
      return LogicalResult(op.emitOpError()
                           << "reads " << type << ", which is not in memory");
    if (isInFrame(type))
      registers[access] = readAggregate(access, of(access.getPointer()));
    else
      load(type, of(access), placeOf(access.getPointer()));
    return success();
  }
  if (auto access = dyn_cast<csl::StoreOp>(op)) {
    Type type = access.getValue().getType();
    if (!getMemorySize(type).bytes)
      return LogicalResult(op.emitOpError()
                           << "writes " << type << ", which is not in memory");
    put(access.getValue(), isInFrame(type)
                               ? Address{.left = of(access.getPointer())}
                               : placeOf(access.getPointer()));
    return success();
  }
  if (auto address = dyn_cast<csl::FunctionAddressOp>(op)) {
    auto found = context.functions.find(address.getFunction());
    if (found == context.functions.end())
      return LogicalResult(op.emitOpError()
                           << "points to '" << address.getFunction()
                           << "', which has no body in this program");
    emit(Opcode::FunctionAddress, of(address), kNone, kNone, found->second);
    return success();
  }
  return std::nullopt;
}
