//===- CodeContext.cpp - One program while it becomes code ----------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CodeContext.h"
#include "ValueLayout.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "sequin/Conversion/CslToWafer/DeriveProgram.h"
#include "sequin/Support/DsdArithmetic.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::csl_to_wafer;

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

/// "file:line:col", of a call chain "inner at outer".
static std::string locationText(Location loc) {
  return llvm::TypeSwitch<LocationAttr, std::string>(loc)
      .Case<FileLineColLoc>([](FileLineColLoc place) {
        return (place.getFilename().getValue() + ":" + Twine(place.getLine()) +
                ":" + Twine(place.getColumn()))
            .str();
      })
      .Case<CallSiteLoc>([](CallSiteLoc site) {
        return locationText(site.getCallee()) + " at " +
               locationText(site.getCaller());
      })
      .Case<NameLoc>(
          [](NameLoc name) { return locationText(name.getChildLoc()); })
      .Case<FusedLoc>([](FusedLoc fused) {
        return fused.getLocations().empty()
                   ? std::string()
                   : locationText(fused.getLocations().front());
      })
      .Default([](LocationAttr) { return std::string(); });
}

wafer::Location Locations::get(mlir::Location loc) {
  auto [entry, isNew] = known.try_emplace(loc);
  if (isNew)
    entry->second = get(locationText(loc));
  return entry->second;
}

wafer::Location Locations::get(llvm::StringRef text) {
  if (text.empty())
    return 0;
  auto [entry, isNew] = numbers.try_emplace(text, texts.size());
  if (isNew)
    texts.push_back(text.str());
  return entry->second;
}

template <typename T>
static unsigned addTo(std::vector<T> &table, const T &value) {
  auto found = llvm::find(table, value);
  if (found != table.end())
    return found - table.begin();
  table.push_back(value);
  return table.size() - 1;
}

unsigned CodeContext::addDescriptor(const wafer::Descriptor &descriptor) {
  return addTo(code.descriptors, descriptor);
}
unsigned CodeContext::addShape(const wafer::Shape &shape) {
  return addTo(code.shapes, shape);
}
unsigned CodeContext::addConstant(uint64_t value) {
  return addTo(code.constants, value);
}
unsigned CodeContext::addMessage(StringRef text) {
  return addTo(code.messages, text.str());
}

std::optional<uint64_t> csl_to_wafer::getBits(Attribute value, Type type) {
  if (auto number = dyn_cast_or_null<IntegerAttr>(value)) {
    unsigned width = getRegisterBits(type);
    return width ? number.getValue().zextOrTrunc(width).getZExtValue()
                 : std::optional<uint64_t>();
  }
  auto number = dyn_cast_or_null<FloatAttr>(value);
  if (!number)
    return std::nullopt;
  if (isa<csl::CB16Type>(type))
    return dsd::encodeFp16(Fp16Format::CB16, number.getValueAsDouble());
  return number.getValue().bitcastToAPInt().getZExtValue();
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// The initial bytes of `var`, none if it has no value.
static std::vector<uint8_t> getInitialBytes(csl::VarOp var) {
  std::vector<uint8_t> bytes;
  std::optional<ElementsAttr> value = var.getInitialValue();
  if (!value)
    return bytes;
  Type element = var.getMemRefType().getElementType();
  int64_t size = getMemorySize(element).bytes;
  for (Attribute part : value->getValues<Attribute>()) {
    uint64_t bits = getBits(part, element).value_or(0);
    for (int64_t i = 0; i < size; ++i)
      bytes.push_back(bits >> (8 * i));
  }
  return bytes;
}

/// The variables that take most of the memory, as notes.
static void attachMemoryMap(InFlightDiagnostic &error, csl::ProgramOp program) {
  constexpr size_t kMost = 8;
  llvm::SmallVector<std::pair<int64_t, csl::VarOp>> sizes;
  int64_t others = 0;
  for (auto var : program.getOps<csl::VarOp>()) {
    MemRefType type = var.getMemRefType();
    int64_t bytes;
    if (__builtin_mul_overflow(type.getNumElements(),
                               getMemorySize(type.getElementType()).bytes,
                               &bytes))
      bytes = std::numeric_limits<int64_t>::max();
    sizes.push_back({bytes, var});
  }
  // Those of one size in the order of the program.
  llvm::sort(sizes, [](const auto &a, const auto &b) {
    return a.first != b.first ? a.first > b.first
                              : a.second->isBeforeInBlock(b.second);
  });
  for (auto &&[number, entry] : llvm::enumerate(sizes)) {
    if (number < kMost)
      error.attachNote(entry.second.getLoc())
          << "'" << entry.second.getSymName() << "' takes " << entry.first
          << " bytes";
    else
      others += std::min<int64_t>(entry.first, int64_t(1) << 40);
  }
  if (sizes.size() > kMost)
    error.attachNote(program.getLoc())
        << sizes.size() - kMost << " other variables take " << others
        << " bytes";
}

/// What takes most of a function's frame, as notes.
void csl_to_wafer::attachFrame(InFlightDiagnostic &error, Operation *function) {
  constexpr size_t kMost = 4;
  struct Part {
    int64_t bytes;
    size_t number;
    Operation *op;
  };
  llvm::SmallVector<Part> parts;
  function->walk([&](Operation *op) {
    int64_t bytes = 0;
    if (auto alloca = dyn_cast<memref::AllocaOp>(op)) {
      MemRefType type = alloca.getType();
      if (!type.hasStaticShape() ||
          __builtin_mul_overflow(type.getNumElements(),
                                 getMemorySize(type.getElementType()).bytes,
                                 &bytes))
        bytes = std::numeric_limits<int64_t>::max();
    } else if (isa<csl::CslDialect>(op->getDialect()) &&
               op->getNumResults() == 1 &&
               isInFrame(op->getResult(0).getType()) &&
               !(isa<csl::AggregateOp, csl::SplatOp>(op) && op->hasOneUse())) {
      bytes = getMemorySize(op->getResult(0).getType()).bytes;
    }
    if (bytes > 0)
      parts.push_back({bytes, parts.size(), op});
  });
  // Those of one size in the order of the function.
  llvm::sort(parts, [](const Part &a, const Part &b) {
    return a.bytes != b.bytes ? a.bytes > b.bytes : a.number < b.number;
  });
  for (const Part &part : llvm::ArrayRef(parts).take_front(kMost))
    error.attachNote(part.op->getLoc())
        << (isa<memref::AllocaOp>(part.op) ? "this local variable takes "
                                           : "this value may take ")
        << part.bytes << " bytes of them";
}

/// What debug tools know a variable by, as a linker does: the name of @export,
/// then linkname, then the name of an `export` declaration.
static StringRef getLinkerName(csl::VarOp var) {
  StringRef declared = var.getSymName();
  declared = declared.substr(declared.rfind('.') + 1);
  std::optional<StringRef> exported = var.getExportName();
  if (var.getLinkName() && (!exported || *exported == declared))
    return *var.getLinkName();
  return exported.value_or(var.getSymName());
}

LogicalResult csl_to_wafer::layOutVariables(CodeContext &context) {
  const CslMachine &machine = context.machine;
  llvm::StringSet<> fifoBuffers;
  for (auto fifo : context.program.getOps<csl::FifoOp>())
    fifoBuffers.insert(fifo.getBuffer());
  int64_t data = machine.firstAddress;
  // Sections that have an address of their own; the rest is with the others.
  auto sections = context.program->getParentOp()->getAttrOfType<DictionaryAttr>(
      kLinkSectionsAttr);
  llvm::StringMap<int64_t> cursors;
  if (sections)
    for (NamedAttribute section : sections)
      cursors[section.getName()] =
          cast<IntegerAttr>(section.getValue()).getInt();
  for (auto var : context.program.getOps<csl::VarOp>()) {
    auto placed =
        var.getSection() ? cursors.find(*var.getSection()) : cursors.end();
    int64_t &next = placed == cursors.end() ? data : placed->second;
    MemRefType type = var.getMemRefType();
    MemorySize size = getMemorySize(type.getElementType());
    if (!size.bytes)
      return var.emitOpError()
             << "has elements of type " << type.getElementType()
             << ", which a PE does not hold";
    if (var.getIsExtern())
      return var.emitOpError() << "is extern, and no other program defines it";
    int64_t align =
        std::max<int64_t>(size.align, var.getAlignment().value_or(1));
    if (fifoBuffers.contains(var.getSymName()))
      align = std::max<int64_t>(align, machine.fifoAlignBytes);
    int64_t bytes;
    // Shapes may be as large as they like; the sum must not wrap around.
    if (__builtin_mul_overflow(type.getNumElements(), size.bytes, &bytes) ||
        bytes > machine.memoryBytesPerPe ||
        (next = llvm::alignTo(next, align)) + bytes >
            machine.memoryBytesPerPe) {
      InFlightDiagnostic error = var.emitOpError() << "ends beyond the "
                                                   << machine.memoryBytesPerPe
                                                   << " bytes of a PE";
      error.attachNote(context.program.getLoc()) << "program is here";
      attachMemoryMap(error, context.program);
      return error;
    }
    wafer::Variable variable;
    variable.name = getLinkerName(var).str();
    variable.address = next;
    variable.kind = getElementKind(type.getElementType(), var.getIsUnsigned());
    variable.elementBytes = size.bytes;
    variable.shape.assign(type.getShape().begin(), type.getShape().end());
    variable.constant = var.getConstant();
    variable.data = getInitialBytes(var);
    variable.location = context.locations->get(var.getLoc());
    if (placed != cursors.end())
      context.placed.push_back({next, next + bytes, var});
    context.variables[var.getSymName()] = context.code.variables.size();
    context.code.variables.push_back(std::move(variable));
    next += bytes;
  }
  // Where calls put their frames.
  context.code.stackAddress = llvm::alignTo(data, 4);
  llvm::sort(context.placed,
             [](const auto &a, const auto &b) { return a.begin < b.begin; });
  return success();
}

/// Variables in sections with an address keep clear of everything else.
static LogicalResult checkPlaced(CodeContext &context) {
  const wafer::Code &code = context.code;
  int64_t below = code.stackAddress + code.stackBytes, end = below;
  csl::VarOp previous;
  for (CodeContext::Placed entry : context.placed) {
    auto refuse = [&](const Twine &other) {
      return entry.var.emitOpError()
             << "in section '" << *entry.var.getSection() << "' has the bytes "
             << entry.begin << " to " << entry.end << ", and " << other;
    };
    if (entry.begin < below)
      return refuse("variables and stack have the bytes up to " + Twine(below));
    if (entry.begin < end) {
      InFlightDiagnostic error =
          refuse("another section has the bytes up to " + Twine(end));
      error.attachNote(previous.getLoc()) << "other variable is here";
      return error;
    }
    if (entry.end > code.textAddress)
      return refuse("the code has the bytes from " + Twine(code.textAddress));
    end = entry.end;
    previous = entry.var;
  }
  return success();
}

/// Bytes of the longest chain of calls; none if a function may be called again
/// before it returns, or what is called is not known here.
static std::optional<int64_t> deepestChain(const wafer::Code &code) {
  constexpr int64_t kOpen = -1, kUnseen = -2;
  std::vector<int64_t> need(code.functions.size(), kUnseen);
  std::function<bool(size_t)> visit = [&](size_t number) {
    if (need[number] != kUnseen)
      return need[number] != kOpen;
    need[number] = kOpen;
    const wafer::Function &function = code.functions[number];
    int64_t callees = 0;
    for (const wafer::Instruction &instruction : function.instructions) {
      if (instruction.opcode == wafer::Opcode::CallIndirect)
        return false;
      if (instruction.opcode != wafer::Opcode::Call)
        continue;
      if (!visit(instruction.immediate))
        return false;
      callees = std::max(callees, need[instruction.immediate]);
    }
    need[number] = function.frameBytes + callees;
    return true;
  };
  int64_t deepest = 0;
  for (size_t number = 0; number < code.functions.size(); ++number) {
    if (!visit(number))
      return std::nullopt;
    deepest = std::max(deepest, need[number]);
  }
  return deepest;
}

/// The stack has what calls need where that is known, at least what the machine
/// sets aside; otherwise all that nothing else takes.
static LogicalResult layOutStack(CodeContext &context) {
  wafer::Code &code = context.code;
  int64_t end = code.textAddress - context.taskTableBytes;
  for (const CodeContext::Placed &entry : context.placed)
    end = std::min(end, entry.begin);
  int64_t free = llvm::alignDown(uint64_t(end - code.stackAddress), 4);
  std::optional<int64_t> need = deepestChain(code);
  int64_t wanted = need.value_or(free);
  code.stackBytes = std::max<int64_t>(code.stackBytes, std::min(wanted, free));
  for (const wafer::Function &function : code.functions)
    if (function.frameBytes > code.stackBytes) {
      Operation *op = context.program.lookupSymbol(function.name);
      InFlightDiagnostic error =
          (op ? op : context.program.getOperation())->emitOpError();
      error << "needs " << function.frameBytes << " bytes of stack, "
            << code.stackBytes << " are left of the PE's memory";
      if (op)
        attachFrame(error, op);
      attachMemoryMap(error, context.program);
      return error;
    }
  return success();
}

LogicalResult csl_to_wafer::layOutRest(CodeContext &context) {
  const CslMachine &machine = context.machine;
  wafer::Code &code = context.code;
  int64_t instructions = 0;
  for (const wafer::Function &function : code.functions)
    instructions += function.instructions.size();
  int64_t text = instructions * machine.instructionBytes +
                 (context.target.getMemcpy() ? machine.memcpyBytes : 0);
  int64_t data = code.stackAddress;
  int64_t total = data + machine.stackBytes + text;
  if (total > machine.memoryBytesPerPe) {
    InFlightDiagnostic error = context.program.emitOpError();
    error << "needs " << total << " bytes (" << data << " of variables, "
          << machine.stackBytes << " of stack, " << text
          << " of code), a PE of " << machine.name << " has "
          << machine.memoryBytesPerPe;
    attachMemoryMap(error, context.program);
    return error;
  }
  code.stackBytes = machine.stackBytes;
  code.textAddress = machine.memoryBytesPerPe - text;
  code.textBytes = text;
  if (failed(checkPlaced(context)))
    return failure();
  int64_t end = code.stackAddress + code.stackBytes;
  for (const CodeContext::Placed &entry : context.placed)
    end = std::max(end, entry.end);
  if (context.taskTableBytes <= code.textAddress - end)
    return layOutStack(context);
  InFlightDiagnostic error = context.taskTableOp->emitOpError()
                             << "takes " << context.taskTableBytes
                             << " bytes, and the PE's memory has "
                             << code.textAddress - end
                             << " left for the task table";
  attachMemoryMap(error, context.program);
  return error;
}

//===----------------------------------------------------------------------===//
// Descriptors
//===----------------------------------------------------------------------===//

/// Bytes of an element behind a base address.
static int64_t getElementBytes(Value base) {
  return getMemorySize(csl::getBaseInfo(base.getType()).elementType).bytes;
}

wafer::Descriptor csl_to_wafer::describeMem1d(csl::Mem1dDsdOp op,
                                              int64_t base) {
  wafer::Descriptor result;
  result.kind = wafer::DescriptorKind::Mem1d;
  result.indexOffset = op.getIndexOffset();
  int64_t offset = op.getStaticOffset().value_or(0);
  if (std::optional<csl::AccessAttr> access = op.getAccess()) {
    // The verifier has lowered it before.
    MemDsd dsd = llvm::cantFail(access->lower(
        *csl::getBaseInfo(op.getBase().getType()).shape, DsdKind::Mem1d));
    offset = dsd.offset;
    result.extent = dsd.dimensions.front().extent;
    result.stride = dsd.dimensions.front().stride;
  } else {
    result.extent = op.getStaticExtent().value_or(0);
    result.stride = op.getStaticStride().value_or(1);
  }
  result.base = base + offset * getElementBytes(op.getBase());
  return result;
}

wafer::Descriptor csl_to_wafer::describeMem4d(csl::Mem4dDsdOp op, int64_t base,
                                              CodeContext &context) {
  wafer::Descriptor result;
  result.kind = wafer::DescriptorKind::Mem4d;
  result.indexOffset = op.getIndexOffset();
  MemDsd dsd = op.getAccess()
                   ? llvm::cantFail(op.getAccess()->lower(
                         *csl::getBaseInfo(op.getBase().getType()).shape,
                         DsdKind::Mem4d))
                   : llvm::cantFail(MemDsd::fromTuples(
                         DsdKind::Mem4d, op.getStaticOffset().value_or(0),
                         op.getStrides().value_or(ArrayRef<int64_t>()),
                         *op.getExtents()));
  wafer::Shape shape;
  for (const DsdDimension &dimension : dsd.dimensions) {
    shape.extents.push_back(dimension.extent);
    shape.strides.push_back(dimension.stride);
  }
  result.shape = context.addShape(shape);
  result.base = base + dsd.offset * getElementBytes(op.getBase());
  return result;
}

wafer::Descriptor csl_to_wafer::describeCircbuf(csl::CircbufDsdOp op,
                                                int64_t base) {
  wafer::Descriptor result;
  result.kind = wafer::DescriptorKind::Circular;
  csl::BaseInfo info = csl::getBaseInfo(op.getBase().getType());
  std::optional<int64_t> elements;
  if (info.shape)
    elements = llvm::cantFail(elementCount(*info.shape));
  CircularDsd dsd = llvm::cantFail(
      CircularDsd::make(op.getExtent(), op.getWraparound(), elements));
  result.base = base;
  result.extent = dsd.extent;
  result.wraparound = dsd.wraparound;
  return result;
}

static wafer::Priority convert(std::optional<csl::Priority> priority) {
  if (!priority)
    return wafer::Priority::Default;
  switch (*priority) {
  case csl::Priority::Low:
    return wafer::Priority::Low;
  case csl::Priority::Medium:
    return wafer::Priority::Medium;
  case csl::Priority::High:
    return wafer::Priority::High;
  }
  llvm_unreachable("unknown priority");
}

static wafer::SimdMode convert(std::optional<csl::SimdMode> mode) {
  if (!mode)
    return wafer::SimdMode::Default;
  switch (*mode) {
  case csl::SimdMode::Off:
    return wafer::SimdMode::Off;
  case csl::SimdMode::Simd32:
    return wafer::SimdMode::Simd32;
  case csl::SimdMode::Simd64:
    return wafer::SimdMode::Simd64;
  case csl::SimdMode::Simd32Or64:
    return wafer::SimdMode::Simd32Or64;
  case csl::SimdMode::Max:
    return wafer::SimdMode::Max;
  }
  llvm_unreachable("unknown mode");
}

wafer::Descriptor csl_to_wafer::describeFabin(csl::FabinDsdOp op) {
  wafer::Descriptor result;
  result.kind = wafer::DescriptorKind::FabricIn;
  result.extent = op.getStaticExtent().value_or(0);
  result.priority = convert(op.getPriority());
  result.simd = convert(op.getSimdMode());
  result.controlTransform = op.getControlTransform();
  return result;
}

wafer::Descriptor csl_to_wafer::describeFabout(csl::FaboutDsdOp op) {
  wafer::Descriptor result;
  result.kind = wafer::DescriptorKind::FabricOut;
  result.extent = op.getStaticExtent().value_or(0);
  result.priority = convert(op.getPriority());
  result.simd = convert(op.getSimdMode());
  if (std::optional<csl::ZeroSource> zero = op.getZero())
    result.zero = *zero == csl::ZeroSource::First ? wafer::ZeroSource::First
                                                  : wafer::ZeroSource::Second;
  result.control = op.getControl();
  result.indexOffset = op.getIndexOffset();
  result.advanceSwitch = op.getAdvanceSwitch();
  result.controlTransform = op.getControlTransform();
  return result;
}
