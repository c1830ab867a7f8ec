//===- CslMemoryOps.cpp - Memory, pointers, aggregates of csl programs ----===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CslState.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::reference;

using Handler = Step::Handler;

static constexpr unsigned kIndexBits = 32;

//===----------------------------------------------------------------------===//
// Values as bytes
//===----------------------------------------------------------------------===//

/// Says so and returns false if there are not `bytes` bytes of one variable.
static bool check(CslMachineState &machine, Pe &pe, const Step &step,
                  int64_t address, int64_t bytes, StringRef what) {
  int64_t align = bytes >= 2 ? 2 : bytes; // memory is words of 16 bits
  if (pe.memory.objectAt(address, bytes) < 0) {
    machine.trap(pe,
                 what + " of " + Twine(bytes) + " bytes at address " +
                     Twine(address) + ", " + pe.memory.describe(address),
                 step.op);
    return false;
  }
  bool isScalar = bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
  if (isScalar && align && address % align) {
    machine.trap(pe,
                 what + " of " + Twine(bytes) + " bytes at address " +
                     Twine(address) + ", which is not aligned",
                 step.op);
    return false;
  }
  return true;
}

static Val loadValue(const Pe &pe, Type type, int64_t address) {
  int64_t bytes = sizeOf(type).bytes;
  if (isBytes(type))
    return {0, std::make_shared<std::vector<uint8_t>>(
                   pe.memory.at(address), pe.memory.at(address) + bytes)};
  return {pe.memory.load(address, static_cast<unsigned>(bytes)) &
          maskOf(bitsOf(type))};
}

static void storeValue(Pe &pe, Type type, int64_t address, const Val &value) {
  int64_t bytes = sizeOf(type).bytes;
  if (!isBytes(type))
    return pe.memory.store(address, static_cast<unsigned>(bytes), value.bits);
  if (value.bytes)
    std::memcpy(pe.memory.at(address), value.bytes->data(), bytes);
  else
    std::memset(pe.memory.at(address), 0, bytes);
}

/// The first word of the configuration space that an access by a number reaches
/// (configWordAt()), a word of it for every two bytes; none for memory.
static std::optional<uint16_t> registerAt(CslMachineState &machine, Type type,
                                          int64_t address) {
  int64_t bytes = sizeOf(type).bytes;
  if (isBytes(type) || bytes < 2 || address % std::min<int64_t>(bytes, 4) ||
      !configWordAt(*machine.machine,
                    static_cast<uint64_t>(address + bytes - 1)))
    return std::nullopt;
  return configWordAt(*machine.machine, static_cast<uint64_t>(address));
}

static void read(CslMachineState &machine, Pe &pe, Activation &frame,
                 const Step &step, Type type, int64_t address) {
  if (std::optional<uint16_t> word = registerAt(machine, type, address)) {
    uint64_t bits = 0;
    for (int64_t i = 0; i < sizeOf(type).bytes / 2; ++i)
      bits |= uint64_t(machine.readConfig(pe, static_cast<uint16_t>(*word + i)))
              << 16 * i;
    result(frame, step) = {bits & maskOf(bitsOf(type))};
    return;
  }
  if (check(machine, pe, step, address, sizeOf(type).bytes, "a read"))
    result(frame, step) = loadValue(pe, type, address);
}
static void write(CslMachineState &machine, Pe &pe, const Step &step, Type type,
                  int64_t address, const Val &value) {
  if (std::optional<uint16_t> word = registerAt(machine, type, address)) {
    for (int64_t i = 0; i < sizeOf(type).bytes / 2; ++i)
      machine.writeConfig(pe, static_cast<uint16_t>(*word + i),
                          static_cast<uint16_t>(value.bits >> 16 * i));
    return;
  }
  if (check(machine, pe, step, address, sizeOf(type).bytes, "a write"))
    storeValue(pe, type, address, value);
}

//===----------------------------------------------------------------------===//
// memref
//===----------------------------------------------------------------------===//

/// The address of an element; the layout's offset is in the memref's value.
static std::optional<int64_t> addressOf(CslMachineState &machine, Pe &pe,
                                        Activation &frame, const Step &step,
                                        Value memref, uint64_t base,
                                        unsigned firstIndex, unsigned count) {
  auto type = cast<MemRefType>(memref.getType());
  llvm::SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)) ||
      llvm::is_contained(strides, ShapedType::kDynamic)) {
    machine.trap(pe, "an access to an array whose strides are not known",
                 step.op);
    return std::nullopt;
  }
  int64_t bytes = sizeOf(type.getElementType()).bytes;
  int64_t address = static_cast<int64_t>(base);
  for (unsigned i = 0; i < count; ++i) {
    int64_t index =
        signedOf(operand(frame, step, firstIndex + i).bits, kIndexBits);
    if (!type.isDynamicDim(i) && type.getLayout().isIdentity() &&
        (index < 0 || index >= type.getDimSize(i))) {
      machine.trap(pe,
                   "index " + Twine(index) + " of dimension " + Twine(i) +
                       ", which has " + Twine(type.getDimSize(i)) + " elements",
                   step.op);
      return std::nullopt;
    }
    address += index * strides[i] * bytes;
  }
  return address;
}

static void runGetVar(CslMachineState &, Pe &pe, Activation &frame,
                      const Step &step) {
  StringRef name = cast<csl::GetVarOp>(step.op).getVar();
  result(frame, step) = {pe.code->memory.find(name)->begin};
}

static void runMemrefLoad(CslMachineState &machine, Pe &pe, Activation &frame,
                          const Step &step) {
  auto op = cast<memref::LoadOp>(step.op);
  if (auto address =
          addressOf(machine, pe, frame, step, op.getMemRef(),
                    operand(frame, step, 0).bits, 1, op.getIndices().size()))
    read(machine, pe, frame, step, op.getType(), *address);
}

static void runMemrefStore(CslMachineState &machine, Pe &pe, Activation &frame,
                           const Step &step) {
  auto op = cast<memref::StoreOp>(step.op);
  if (auto address =
          addressOf(machine, pe, frame, step, op.getMemRef(),
                    operand(frame, step, 1).bits, 2, op.getIndices().size()))
    write(machine, pe, step, op.getValueToStore().getType(), *address,
          operand(frame, step, 0));
}

static void runAlloca(CslMachineState &machine, Pe &pe, Activation &frame,
                      const Step &step) {
  auto alloca = cast<memref::AllocaOp>(step.op);
  MemRefType type = alloca.getType();
  TypeSize size = sizeOf(type.getElementType());
  int64_t bytes;
  uint32_t address = 0;
  if (type.hasStaticShape() && size.bytes &&
      !__builtin_mul_overflow(type.getNumElements(), size.bytes, &bytes))
    address = pe.memory.push(
        bytes,
        std::max<int64_t>(size.align, alloca.getAlignment().value_or(1)));
  if (!address)
    return machine.trap(pe, "there is no room for a variable of the function",
                        step.op);
  result(frame, step) = {address};
}

static void runSubView(CslMachineState &machine, Pe &pe, Activation &frame,
                       const Step &step) {
  auto view = cast<memref::SubViewOp>(step.op);
  MemRefType type = view.getSourceType();
  llvm::SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)) ||
      llvm::is_contained(strides, ShapedType::kDynamic))
    return machine.trap(pe, "a view of an array whose strides are not known",
                        step.op);
  int64_t address = static_cast<int64_t>(operand(frame, step, 0).bits);
  int64_t bytes = sizeOf(type.getElementType()).bytes;
  unsigned next = 1;
  for (auto [part, stride] : llvm::zip(view.getMixedOffsets(), strides)) {
    std::optional<int64_t> number;
    if (auto attribute = dyn_cast<Attribute>(part))
      number = cast<IntegerAttr>(attribute).getInt();
    else
      number = signedOf(operand(frame, step, next++).bits, kIndexBits);
    address += *number * stride * bytes;
  }
  result(frame, step) = {static_cast<uint64_t>(address) & 0xffff};
}

static void runRename(CslMachineState &, Pe &, Activation &frame,
                      const Step &step) {
  result(frame, step) = operand(frame, step, 0);
}

static void runCopy(CslMachineState &machine, Pe &pe, Activation &frame,
                    const Step &step) {
  auto copied = cast<memref::CopyOp>(step.op);
  auto from = dyn_cast<MemRefType>(copied.getSource().getType());
  auto to = dyn_cast<MemRefType>(copied.getTarget().getType());
  if (!from || !to || !from.hasStaticShape() ||
      !from.getLayout().isIdentity() || !to.getLayout().isIdentity())
    return machine.trap(pe, "a copy that is not between row-major arrays",
                        step.op);
  int64_t bytes = from.getNumElements() * sizeOf(from.getElementType()).bytes;
  int64_t source = operand(frame, step, 0).bits,
          target = operand(frame, step, 1).bits;
  if (!bytes || pe.memory.objectAt(source, bytes) < 0 ||
      pe.memory.objectAt(target, bytes) < 0) {
    if (bytes)
      machine.trap(pe, "a copy of " + Twine(bytes) + " bytes leaves a variable",
                   step.op);
    return;
  }
  std::memmove(pe.memory.at(target), pe.memory.at(source), bytes);
}

//===----------------------------------------------------------------------===//
// Pointers
//===----------------------------------------------------------------------===//

static void runAddressOf(CslMachineState &machine, Pe &pe, Activation &frame,
                         const Step &step) {
  auto op = cast<csl::AddressOfOp>(step.op);
  auto type = cast<MemRefType>(op.getMemref().getType());
  llvm::SmallVector<int64_t> strides(type.getRank(), 1);
  for (size_t i = strides.size(); i-- > 1;)
    strides[i - 1] = strides[i] * type.getDimSize(i);
  // `&A[n]` one past the end is a pointer like any other; its use is what is
  // checked.
  int64_t address = static_cast<int64_t>(operand(frame, step, 0).bits);
  for (unsigned i = 0; i < op.getIndices().size(); ++i)
    address += signedOf(operand(frame, step, 1 + i).bits, kIndexBits) *
               strides[i] * sizeOf(type.getElementType()).bytes;
  result(frame, step) = {static_cast<uint64_t>(address) & 0xffff};
}

static void runElementPtr(CslMachineState &, Pe &, Activation &frame,
                          const Step &step) {
  csl::BaseInfo info = csl::getBaseInfo(step.op->getOperand(0).getType());
  int64_t stride = sizeOf(info.elementType).bytes;
  int64_t address = static_cast<int64_t>(operand(frame, step, 0).bits);
  for (unsigned i = step.operands.size() - 1; i >= 1; --i) {
    address += signedOf(operand(frame, step, i).bits, kIndexBits) * stride;
    if (info.shape)
      stride *= (*info.shape)[i - 1];
  }
  result(frame, step) = {static_cast<uint64_t>(address) & 0xffff};
}

static void runFieldPtr(CslMachineState &, Pe &, Activation &frame,
                        const Step &step) {
  auto op = cast<csl::FieldPtrOp>(step.op);
  auto type = cast<csl::StructType>(
      cast<csl::PtrType>(op.getPointer().getType()).getPointee());
  result(frame,
         step) = {(operand(frame, step, 0).bits +
                   fieldOffset(type, *type.getFieldIndex(op.getField()))) &
                  0xffff};
}

static void runPointerLoad(CslMachineState &machine, Pe &pe, Activation &frame,
                           const Step &step) {
  read(machine, pe, frame, step, step.op->getResult(0).getType(),
       operand(frame, step, 0).bits);
}
static void runPointerStore(CslMachineState &machine, Pe &pe, Activation &frame,
                            const Step &step) {
  write(machine, pe, step, step.op->getOperand(0).getType(),
        operand(frame, step, 1).bits, operand(frame, step, 0));
}

//===----------------------------------------------------------------------===//
// Aggregates
//===----------------------------------------------------------------------===//

/// The bytes of a value of `type`, for reading.
static Val partOf(const Val &whole, Type type, int64_t offset) {
  int64_t bytes = sizeOf(type).bytes;
  if (!whole.bytes)
    return isBytes(type) ? Val{0, std::make_shared<std::vector<uint8_t>>(bytes)}
                         : Val{};
  const uint8_t *from = whole.bytes->data() + offset;
  if (isBytes(type))
    return {0, std::make_shared<std::vector<uint8_t>>(from, from + bytes)};
  uint64_t bits = 0;
  std::memcpy(&bits, from, bytes);
  return {bits & maskOf(bitsOf(type))};
}

static void putPart(std::vector<uint8_t> &whole, Type type, int64_t offset,
                    const Val &part) {
  int64_t bytes = sizeOf(type).bytes;
  if (!isBytes(type))
    std::memcpy(whole.data() + offset, &part.bits, bytes);
  else if (part.bytes)
    std::memcpy(whole.data() + offset, part.bytes->data(), bytes);
}

static std::shared_ptr<std::vector<uint8_t>> copyOf(const Val &whole,
                                                    Type type) {
  if (whole.bytes)
    return std::make_shared<std::vector<uint8_t>>(*whole.bytes);
  return std::make_shared<std::vector<uint8_t>>(sizeOf(type).bytes);
}

/// A packed struct with the bits of one field replaced.
static uint64_t putBits(uint64_t word, csl::StructType type, unsigned field,
                        uint64_t value) {
  uint64_t mask = maskOf(bitsOf(type.getFieldTypes()[field]));
  unsigned bit = fieldBit(type, field);
  return (word & ~(mask << bit)) | (value & mask) << bit;
}

static void runAggregate(CslMachineState &, Pe &, Activation &frame,
                         const Step &step) {
  auto op = cast<csl::AggregateOp>(step.op);
  Type type = op.getResult().getType();
  auto record = dyn_cast<csl::StructType>(type);
  auto fieldOf = [&](unsigned i) {
    return op.getField() ? *record.getFieldIndex(*op.getField()) : i;
  };
  if (!isBytes(type)) {
    uint64_t word = 0;
    for (unsigned i = 0; i < step.operands.size(); ++i)
      word = putBits(word, record, fieldOf(i), operand(frame, step, i).bits);
    result(frame, step) = {word};
    return;
  }
  auto bytes = std::make_shared<std::vector<uint8_t>>(sizeOf(type).bytes);
  for (unsigned i = 0; i < step.operands.size(); ++i) {
    Type part = op.getValues()[i].getType();
    int64_t offset =
        record ? fieldOffset(record, fieldOf(i)) : i * sizeOf(part).bytes;
    putPart(*bytes, part, offset, operand(frame, step, i));
  }
  result(frame, step) = {0, bytes};
}

static void runSplat(CslMachineState &, Pe &, Activation &frame,
                     const Step &step) {
  auto type = cast<csl::ArrayType>(step.op->getResult(0).getType());
  int64_t size = sizeOf(type.getElementType()).bytes;
  auto bytes = std::make_shared<std::vector<uint8_t>>(sizeOf(type).bytes);
  for (int64_t i = 0; i < type.getNumElements(); ++i)
    putPart(*bytes, type.getElementType(), i * size, operand(frame, step, 0));
  result(frame, step) = {0, bytes};
}

static void runGetField(CslMachineState &, Pe &, Activation &frame,
                        const Step &step) {
  auto op = cast<csl::GetFieldOp>(step.op);
  auto type = cast<csl::StructType>(op.getValue().getType());
  unsigned field = *type.getFieldIndex(op.getField());
  const Val &whole = operand(frame, step, 0);
  if (isBytes(type))
    result(frame, step) =
        partOf(whole, op.getResult().getType(), fieldOffset(type, field));
  else
    result(frame, step) = {whole.bits >> fieldBit(type, field) &
                           maskOf(bitsOf(op.getResult().getType()))};
}

static void runSetField(CslMachineState &, Pe &, Activation &frame,
                        const Step &step) {
  auto op = cast<csl::SetFieldOp>(step.op);
  auto type = cast<csl::StructType>(op.getValue().getType());
  unsigned field = *type.getFieldIndex(op.getField());
  const Val &whole = operand(frame, step, 0), &part = operand(frame, step, 1);
  if (!isBytes(type)) {
    result(frame, step) = {putBits(whole.bits, type, field, part.bits)};
    return;
  }
  auto bytes = copyOf(whole, type);
  putPart(*bytes, op.getReplacement().getType(), fieldOffset(type, field),
          part);
  result(frame, step) = {0, bytes};
}

/// The offset of an element of an array value, whose indices begin at an
/// operand; traps and gives none beyond the array.
static std::optional<int64_t> elementOffset(CslMachineState &machine, Pe &pe,
                                            Activation &frame, const Step &step,
                                            csl::ArrayType type,
                                            unsigned firstIndex) {
  int64_t element = 0;
  for (auto [i, extent] : llvm::enumerate(type.getShape())) {
    int64_t index = signedOf(
        operand(frame, step, firstIndex + static_cast<unsigned>(i)).bits,
        kIndexBits);
    if (index < 0 || index >= extent) {
      machine.trap(
          pe, "element " + Twine(index) + " of an array of " + Twine(extent),
          step.op);
      return std::nullopt;
    }
    element = element * extent + index;
  }
  return element * sizeOf(type.getElementType()).bytes;
}

static void runGetElement(CslMachineState &machine, Pe &pe, Activation &frame,
                          const Step &step) {
  auto type = cast<csl::ArrayType>(step.op->getOperand(0).getType());
  if (auto offset = elementOffset(machine, pe, frame, step, type, 1))
    result(frame, step) =
        partOf(operand(frame, step, 0), type.getElementType(), *offset);
}

static void runSetElement(CslMachineState &machine, Pe &pe, Activation &frame,
                          const Step &step) {
  auto type = cast<csl::ArrayType>(step.op->getOperand(0).getType());
  auto offset = elementOffset(machine, pe, frame, step, type, 1);
  if (!offset)
    return;
  auto bytes = copyOf(operand(frame, step, 0), type);
  putPart(*bytes, type.getElementType(), *offset,
          operand(frame, step, step.operands.size() - 1));
  result(frame, step) = {0, bytes};
}

static void runEnumConstant(CslMachineState &, Pe &, Activation &frame,
                            const Step &step) {
  auto op = cast<csl::EnumConstantOp>(step.op);
  auto type = cast<csl::EnumType>(op.getResult().getType());
  result(frame, step) = {static_cast<uint64_t>(*type.getValueOf(op.getName())) &
                         maskOf(type.getBaseType().getWidth())};
}

Handler reference::findMemoryHandler(Operation *op) {
  return llvm::TypeSwitch<Operation *, Handler>(op)
      .Case<csl::GetVarOp>([](auto) { return runGetVar; })
      .Case<memref::LoadOp>([](auto) { return runMemrefLoad; })
      .Case<memref::StoreOp>([](auto) { return runMemrefStore; })
      .Case<memref::AllocaOp>([](auto) { return runAlloca; })
      .Case<memref::SubViewOp>([](auto) { return runSubView; })
      .Case<memref::CastOp, memref::ExpandShapeOp, memref::CollapseShapeOp,
            csl::AsMemrefOp, csl::PtrCastOp, csl::PtrToIntOp, csl::IntToPtrOp,
            csl::ToEnumOp>([](auto) { return runRename; })
      .Case<memref::CopyOp>([](auto) { return runCopy; })
      .Case<csl::AddressOfOp>([](auto) { return runAddressOf; })
      .Case<csl::ElementPtrOp>([](auto) { return runElementPtr; })
      .Case<csl::FieldPtrOp>([](auto) { return runFieldPtr; })
      .Case<csl::LoadOp>([](auto) { return runPointerLoad; })
      .Case<csl::StoreOp>([](auto) { return runPointerStore; })
      .Case<csl::AggregateOp>([](auto) { return runAggregate; })
      .Case<csl::SplatOp>([](auto) { return runSplat; })
      .Case<csl::GetFieldOp>([](auto) { return runGetField; })
      .Case<csl::SetFieldOp>([](auto) { return runSetField; })
      .Case<csl::GetElementOp>([](auto) { return runGetElement; })
      .Case<csl::SetElementOp>([](auto) { return runSetElement; })
      .Case<csl::EnumConstantOp>([](auto) { return runEnumConstant; })
      .Default([](Operation *) { return Handler(nullptr); });
}
