//===- TcpMemoryOps.cpp - Moves between memories, launch ------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "sequin/Dialect/Tcp/IR/TcpDialect.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::tcp;

static Type elementTypeOf(Type type) {
  return TypeSwitch<Type, Type>(type).Case<HostType, HbmType, SpmType, DmType>(
      [](auto t) { return t.getElementType(); });
}

static stream::AxesAttr axesOf(Type type) {
  if (auto dm = dyn_cast<DmType>(type))
    return dm.getGrid().getAxes();
  return TypeSwitch<Type, stream::AxesAttr>(type)
      .Case<HostType, HbmType, SpmType>([](auto t) { return t.getAxes(); });
}

/// A move keeps the tensor: same element type, same axes.
static LogicalResult verifyMove(Operation *op, Type from, Type to) {
  if (elementTypeOf(from) != elementTypeOf(to))
    return op->emitOpError()
           << "moves " << elementTypeOf(from) << " elements to a tensor of "
           << elementTypeOf(to);
  if (axesOf(from) != axesOf(to))
    return op->emitOpError() << "source has axes " << axesOf(from)
                             << ", destination " << axesOf(to);
  return success();
}

/// TCP manual, HBM and SRAM, Alignment Constraint (MAP-24).
static LogicalResult verifyAddress(Operation *op, int64_t address, Type type) {
  unsigned bits = getBitWidth(*getElementKind(elementTypeOf(type)));
  int64_t bytes = std::max<int64_t>(1, bits / 8);
  if (address % bytes != 0)
    return op->emitOpError()
           << "address " << address
           << " is not a multiple of the element size, " << bytes << " bytes";
  return success();
}

static Mapping chipMappingOf(Type type) {
  return TypeSwitch<Type, Mapping>(type)
      .Case<HbmType, SpmType>([](auto t) { return t.getChipMapping(); })
      .Default(
          [](Type t) { return cast<DmType>(t).getGrid().getChipMapping(); });
}

/// The mappings of a stream are written in the axes of the tensor.
static LogicalResult verifyStreams(Operation *op, ArrayAttr streams,
                                   Type type) {
  if (!streams)
    return success();
  AxisSizes table = axesOf(type).getTable();
  for (DmaStreamAttr stream : streams.getAsRange<DmaStreamAttr>())
    for (stream::MappingAttr mapping :
         {stream.getChip(), stream.getCluster(), stream.getSlice(),
          stream.getTime(), stream.getPacket()})
      if (auto resolved = mapping.resolve(table); !resolved)
        return op->emitOpError()
               << "stream mapping \"" << mapping.getText()
               << "\": " << llvm::toString(resolved.takeError());
  return success();
}

/// A move by the tensor DMA engine.
template <typename OpTy> static LogicalResult verifyDmaMove(OpTy op) {
  Type from = op.getInput().getType(), to = op.getResult().getType();
  if (failed(verifyAddress(op, op.getAddress(), to)) ||
      failed(verifyMove(op, from, to)) ||
      failed(verifyStreams(op, op.getStreamsAttr(), to)))
    return failure();
  // Scratchpads are not reached over PCIe (DMA Engine, Memory-Specific
  // Bandwidth).
  if ((isa<SpmType>(from) || isa<SpmType>(to)) &&
      !chipMappingOf(from).isEquivalent(chipMappingOf(to)))
    return op.emitOpError()
           << "moves SPM from chips \"" << chipMappingOf(from).str()
           << "\" to chips \"" << chipMappingOf(to).str()
           << "\", SPM moves stay on their chip";
  return success();
}

LogicalResult ToHbmOp::verify() {
  if (!isa<HostType>(getInput().getType()))
    return verifyDmaMove(*this);
  if (getStreams())
    return emitOpError() << "moves from the host, which has no stream";
  if (failed(verifyAddress(*this, getAddress(), getResult().getType())))
    return failure();
  return verifyMove(*this, getInput().getType(), getResult().getType());
}

LogicalResult ToDmOp::verify() { return verifyDmaMove(*this); }

LogicalResult ToSpmOp::verify() { return verifyDmaMove(*this); }

LogicalResult ChipShuffleOp::verify() {
  if (failed(verifyAddress(*this, getAddress(), getResult().getType())))
    return failure();
  Mapping chips = chipMappingOf(getInput().getType());
  int64_t size = chips.size();
  if (chips.validSize() != size)
    return emitOpError() << "shuffles chips \"" << chips.str()
                         << "\", of which some hold no data";
  if (static_cast<int64_t>(getSources().size()) != size)
    return emitOpError() << "has " << getSources().size()
                         << " sources, the tensor is on " << size << " chips";
  SmallVector<bool> taken(size, false);
  for (int64_t source : getSources()) {
    if (source < 0 || source >= size)
      return emitOpError() << "has source chip " << source
                           << ", allowed are 0 to " << size - 1;
    if (taken[source])
      return emitOpError() << "has source chip " << source
                           << " twice, a shuffle takes every chip once";
    taken[source] = true;
  }
  return success();
}

/// The axes that the mappings of a type walk.
static void addWalked(const Mapping &mapping, llvm::StringSet<> &names) {
  llvm::SmallVector<llvm::ArrayRef<Factor>> lists = {mapping.factors()};
  for (size_t i = 0; i < lists.size(); ++i)
    for (const Factor &factor : lists[i]) {
      if (factor.kind == Factor::Kind::Axis)
        names.insert(factor.base);
      else if (factor.composite)
        lists.push_back(factor.composite->factors);
    }
}

static llvm::StringSet<> walkedBy(Type type) {
  llvm::StringSet<> names;
  addWalked(chipMappingOf(type), names);
  if (auto dm = dyn_cast<DmType>(type)) {
    addWalked(dm.getGrid().getClusterMapping(), names);
    addWalked(dm.getGrid().getSliceMapping(), names);
    addWalked(dm.getElementMapping(), names);
  } else {
    addWalked(cast<HbmType>(type).getElementMapping(), names);
  }
  return names;
}

/// `indexed` is found along `axis` by the indices, `direct` is not.
static LogicalResult verifyIndexed(Operation *op, StringRef axis, Type indexed,
                                   Type direct, HbmType indices) {
  if (!indices.getElementType().isInteger(32))
    return op->emitOpError() << "has indices of " << indices.getElementType()
                             << ", allowed is i32";
  if (failed(verifyMove(op, indexed, direct)))
    return failure();
  if (indices.getAxes() != axesOf(indexed))
    return op->emitOpError() << "indices have axes " << indices.getAxes()
                             << ", the tensor " << axesOf(indexed);
  if (!axesOf(indexed).getTable().lookup(axis))
    return op->emitOpError()
           << "indexes axis '" << axis << "', which is not declared";
  llvm::StringSet<> table = walkedBy(indexed);
  if (!table.contains(axis))
    return op->emitOpError() << "indexes axis '" << axis
                             << "', which the indexed tensor does not have";
  for (auto [what, type] :
       {std::pair<StringRef, Type>{"the index tensor", indices},
        {"the other tensor", direct}})
    if (walkedBy(type).contains(axis))
      return op->emitOpError()
             << "indexes axis '" << axis << "', which " << what << " has too";
  return success();
}

LogicalResult GatherOp::verify() {
  if (failed(verifyAddress(*this, getAddress(), getResult().getType())))
    return failure();
  return verifyIndexed(*this, getAxis(), getTable().getType(),
                       getResult().getType(), getIndices().getType());
}

LogicalResult ScatterOp::verify() {
  return verifyIndexed(*this, getAxis(), getDestination().getType(),
                       getInput().getType(), getIndices().getType());
}

LogicalResult ToHostOp::verify() {
  return verifyMove(*this, getInput().getType(), getResult().getType());
}

LogicalResult ConstantOp::verify() {
  auto type = cast<ShapedType>(getValue().getType());
  if (!isa<DenseElementsAttr>(getValue()))
    return emitOpError() << "has elements that are not listed, allowed are "
                            "those of a dense attribute";
  if (type.getElementType() != getResult().getType().getElementType())
    return emitOpError() << "has " << type.getElementType()
                         << " elements, the tensor "
                         << getResult().getType().getElementType();
  int64_t size = getResult().getType().getElementMapping().size();
  if (type.getNumElements() != size)
    return emitOpError() << "has " << type.getNumElements()
                         << " elements, the tensor \""
                         << getResult().getType().getElement().getText()
                         << "\" " << size;
  return success();
}

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto callee =
      symbols.lookupNearestSymbolFrom<func::FuncOp>(*this, getCalleeAttr());
  if (!callee)
    return emitOpError() << "launches '" << getCallee()
                         << "', which is not a function of this module";
  FunctionType type = callee.getFunctionType();
  auto mismatch = [&](StringRef what, TypeRange found, TypeRange expected) {
    InFlightDiagnostic diag = emitOpError()
                              << what << " are (" << found << "), kernel '"
                              << getCallee() << "' has (" << expected << ")";
    diag.attachNote(callee.getLoc()) << "kernel defined here";
    return diag;
  };
  if (type.getInputs() != getInputs().getTypes())
    return mismatch("arguments", getInputs().getTypes(), type.getInputs());
  if (type.getResults() != getOutputs().getTypes())
    return mismatch("results", getOutputs().getTypes(), type.getResults());
  return success();
}
