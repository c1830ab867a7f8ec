//===- DeriveProgram.cpp - From tcp kernels to a configuration ------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Conversion/TcpToConfig/DeriveProgram.h"
#include "Derivation.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::derivation;

namespace {
/// Walks the host function and, at each launch, the kernel.
class ProgramDeriver {
public:
  ProgramDeriver(ModuleOp module, const TcpMachine &machine)
      : module(module), machine(machine) {}

  FailureOr<config::Program> run(func::FuncOp entry, tcp::TargetAttr target);

private:
  LogicalResult hostOp(Operation &op);
  LogicalResult toHbm(tcp::ToHbmOp op);
  LogicalResult toHost(tcp::ToHostOp op);
  LogicalResult launch(tcp::LaunchOp op);
  LogicalResult kernelOp(Operation &op);

  /// Appends a command named after the operation; a name location
  /// (`loc("layer1")`) gives the prefix.
  void append(Operation *op, decltype(config::Command::body) body);
  /// Multiply-accumulates on data, for kernels that do not state their own.
  void countMacs(tcp::AlignOp op);

  /// Puts a tensor into HBM: `made` is the operation that writes it.
  void placeHbm(Value value, Operation *made, int64_t address, int64_t bytes);
  /// The tensor is read by the command appended next.
  void readHbm(Value value);
  /// Tensors that are needed at the same time must not share bytes; kernels
  /// pass them on, so this is known for the program as a whole only.
  LogicalResult checkHbmOverlaps();

  struct HbmTensor {
    Operation *made;
    int64_t begin, end;
    /// Commands that write it and that read it last.
    size_t written, lastRead;
  };

  ModuleOp module;
  const TcpMachine &machine;
  config::Program program;
  std::vector<HbmTensor> hbmTensors;
  llvm::DenseMap<Value, size_t> hbmTensorOf;
  AddressTable addresses;
  llvm::StringMap<unsigned> names;
  int64_t counted = 0;
};
} // namespace

/// "file:line:col" of the innermost file location.
static std::string describeLocation(Location loc) {
  std::string text;
  loc->walk([&](Location inner) {
    auto file = dyn_cast<FileLineColLoc>(inner);
    if (!file)
      return WalkResult::advance();
    text = (file.getFilename().getValue() + ":" + Twine(file.getLine()) + ":" +
            Twine(file.getColumn()))
               .str();
    return WalkResult::interrupt();
  });
  return text;
}

void ProgramDeriver::append(Operation *op,
                            decltype(config::Command::body) body) {
  std::string name = op->getName().stripDialect().str();
  if (auto named = dyn_cast<NameLoc>(op->getLoc()))
    name = (named.getName().getValue() + "." + name).str();
  unsigned &used = names[name];
  config::Command command;
  command.name = used == 0 ? name : name + "." + std::to_string(used);
  ++used;
  command.location = describeLocation(op->getLoc());
  command.body = std::move(body);
  program.commands.push_back(std::move(command));
}

/// The dimensions of a host array: the sizes of the mapping's top-level terms.
static SmallVector<int64_t, 4> hostShape(tcp::HostType type) {
  StringRef text = type.getElement().getText();
  SmallVector<int64_t, 4> shape;
  int depth = 0;
  size_t start = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && (text[i] == '[' || text[i] == '('))
      ++depth;
    else if (i < text.size() && (text[i] == ']' || text[i] == ')'))
      --depth;
    else if (i == text.size() || (text[i] == ',' && depth == 0)) {
      // The whole expression was verified, so its terms parse.
      Mapping term = llvm::cantFail(
          Mapping::parse(text.slice(start, i), type.getAxes().getTable()));
      shape.push_back(term.size());
      start = i + 1;
    }
  }
  return shape;
}

static config::Argument describeArgument(tcp::HostType type, std::string name) {
  config::Argument argument;
  argument.name = std::move(name);
  argument.type = *tcp::getElementKind(type.getElementType());
  argument.shape = hostShape(type);
  return argument;
}

void ProgramDeriver::placeHbm(Value value, Operation *made, int64_t address,
                              int64_t bytes) {
  addresses[value] = address;
  hbmTensorOf[value] = hbmTensors.size();
  size_t now = program.commands.size();
  hbmTensors.push_back(
      {made, address, bytes > INT64_MAX - address ? INT64_MAX : address + bytes,
       now, now});
}

void ProgramDeriver::readHbm(Value value) {
  auto found = hbmTensorOf.find(value);
  if (found != hbmTensorOf.end())
    hbmTensors[found->second].lastRead = program.commands.size();
}

LogicalResult ProgramDeriver::checkHbmOverlaps() {
  for (size_t j = 1; j < hbmTensors.size(); ++j)
    for (size_t i = 0; i < j; ++i) {
      const HbmTensor &early = hbmTensors[i], &late = hbmTensors[j];
      if (early.end <= late.begin || late.end <= early.begin ||
          early.lastRead < late.written)
        continue;
      InFlightDiagnostic diag = late.made->emitOpError()
                                << "HBM tensor at bytes [" << late.begin << ", "
                                << late.end << ") overlaps one at ["
                                << early.begin << ", " << early.end
                                << ") that is still needed";
      diag.attachNote(early.made->getLoc()) << "other tensor placed here";
      return diag;
    }
  return success();
}

LogicalResult ProgramDeriver::toHbm(tcp::ToHbmOp op) {
  auto host = dyn_cast<tcp::HostType>(op.getInput().getType());
  auto argument = dyn_cast<BlockArgument>(op.getInput());
  if (!host || !argument)
    return op.emitOpError()
           << "in a host function moves an argument of the function to HBM";
  auto transfer = deriveTransfer(
      op, host, op.getResult().getType(), op.getAddress(),
      config::Transfer::Direction::ToDevice, argument.getArgNumber());
  if (failed(transfer))
    return failure();
  placeHbm(op.getResult(), op, op.getAddress(),
           op.getResult().getType().getByteSize());
  append(op, std::move(*transfer));
  return success();
}

LogicalResult ProgramDeriver::toHost(tcp::ToHostOp op) {
  if (!op.getResult().hasOneUse() ||
      !isa<func::ReturnOp>(*op.getResult().user_begin()))
    return op.emitOpError() << "must be returned, once";
  auto transfer = deriveTransfer(
      op, op.getResult().getType(), op.getInput().getType(),
      addresses.lookup(op.getInput()), config::Transfer::Direction::ToHost,
      op.getResult().use_begin()->getOperandNumber());
  if (failed(transfer))
    return failure();
  readHbm(op.getInput());
  append(op, std::move(*transfer));
  return success();
}

LogicalResult ProgramDeriver::launch(tcp::LaunchOp op) {
  auto kernel = module.lookupSymbol<func::FuncOp>(op.getCallee());
  if (!kernel || !kernel.getBody().hasOneBlock()) {
    InFlightDiagnostic diag = op.emitOpError()
                              << "launches '" << op.getCallee()
                              << "', which needs a body of one block";
    if (kernel)
      diag.attachNote(kernel.getLoc()) << "kernel declared here";
    return diag;
  }
  Block &body = kernel.getBody().front();
  for (auto [parameter, input] :
       llvm::zip_equal(body.getArguments(), op.getInputs())) {
    addresses[parameter] = addresses.lookup(input);
    hbmTensorOf[parameter] = hbmTensorOf.lookup(input);
  }
  for (Operation &inner : body.without_terminator())
    if (failed(kernelOp(inner)))
      return failure();
  for (auto [result, value] :
       llvm::zip_equal(op.getOutputs(), body.getTerminator()->getOperands())) {
    addresses[result] = addresses.lookup(value);
    hbmTensorOf[result] = hbmTensorOf.lookup(value);
  }
  return success();
}

void ProgramDeriver::countMacs(tcp::AlignOp op) {
  auto output = cast<tcp::StreamType>(op.getResult().getType());
  tcp::GridAttr grid = output.getGrid();
  uint64_t macs = grid.getClusterMapping().validSize();
  for (int64_t factor :
       {grid.getSliceMapping().validSize(), output.getTimeMapping().validSize(),
        output.getPacketMapping().validSize(),
        output.getRowMapping().validSize()})
    macs = llvm::SaturatingMultiply<uint64_t>(macs, factor);
  counted = std::min<uint64_t>(llvm::SaturatingAdd<uint64_t>(counted, macs),
                               INT64_MAX);
  program.macType = *tcp::getElementKind(output.getElementType());
}

LogicalResult ProgramDeriver::kernelOp(Operation &op) {
  if (auto move = dyn_cast<tcp::ToDmOp>(op)) {
    auto command = deriveToDm(move, addresses.lookup(move.getInput()), machine);
    if (failed(command))
      return failure();
    addresses[move.getResult()] = move.getAddress();
    readHbm(move.getInput());
    append(&op, std::move(*command));
    return success();
  }
  if (auto move = dyn_cast<tcp::ToHbmOp>(op)) {
    if (!isa<tcp::DmType>(move.getInput().getType()))
      return move.emitOpError() << "moves a host tensor inside a kernel";
    auto command =
        deriveFromDm(move, addresses.lookup(move.getInput()), machine);
    if (failed(command))
      return failure();
    placeHbm(move.getResult(), &op, move.getAddress(),
             move.getResult().getType().getByteSize());
    append(&op, std::move(*command));
    return success();
  }
  if (auto align = dyn_cast<tcp::AlignOp>(op))
    countMacs(align);
  // A pass takes its place in the program where it ends: by then everything it
  // reads has been written, whatever stands between its stages.
  if (isa<tcp::CommitOp, tcp::ToTrfOp, tcp::ToVrfOp>(op)) {
    Operation *first = &op;
    while (!isa<tcp::BeginOp>(first))
      if (!(first = first->getOperand(0).getDefiningOp()))
        return op.emitOpError() << "ends a stream that no tcp.begin of this "
                                   "kernel starts";
    Operation *sink = nullptr;
    auto command =
        deriveExec(cast<tcp::BeginOp>(first), addresses, machine, sink);
    if (failed(command))
      return failure();
    if (auto commit = dyn_cast<tcp::CommitOp>(sink))
      addresses[commit.getResult()] = commit.getAddress();
    else if (auto vrf = dyn_cast<tcp::ToVrfOp>(sink))
      addresses[vrf.getResult()] = vrf.getAddress();
    append(sink, std::move(*command));
    return success();
  }
  if (isa<tcp::BeginOp>(op) ||
      (!op.getOperands().empty() &&
       isa<tcp::StreamType>(op.getOperand(0).getType())))
    return success();
  return op.emitOpError() << "cannot be configured: a kernel holds tcp moves "
                             "and passes of the tensor unit";
}

LogicalResult ProgramDeriver::hostOp(Operation &op) {
  if (auto move = dyn_cast<tcp::ToHbmOp>(op))
    return toHbm(move);
  if (auto move = dyn_cast<tcp::ToHostOp>(op))
    return toHost(move);
  if (auto call = dyn_cast<tcp::LaunchOp>(op))
    return launch(call);
  return op.emitOpError() << "cannot be configured: a host function holds "
                             "tcp.to_hbm, tcp.launch and tcp.to_host";
}

FailureOr<config::Program> ProgramDeriver::run(func::FuncOp entry,
                                               tcp::TargetAttr target) {
  program.target = machine.name.str();
  program.chips = target.getChips();
  program.name = entry.getSymName().str();
  if (entry.isExternal() || !entry.getBody().hasOneBlock())
    return entry.emitOpError() << "needs a body of one block";
  for (auto [index, type] : llvm::enumerate(entry.getArgumentTypes())) {
    auto host = dyn_cast<tcp::HostType>(type);
    if (!host)
      return entry.emitOpError() << "argument " << index << " is " << type
                                 << ", a host function takes !tcp.host tensors";
    program.inputs.push_back(
        describeArgument(host, "arg" + std::to_string(index)));
  }
  for (auto [index, type] : llvm::enumerate(entry.getResultTypes())) {
    auto host = dyn_cast<tcp::HostType>(type);
    if (!host)
      return entry.emitOpError()
             << "result " << index << " is " << type
             << ", a host function returns !tcp.host tensors";
    program.outputs.push_back(
        describeArgument(host, "result" + std::to_string(index)));
  }
  Block &body = entry.getBody().front();
  for (Operation &op : body.without_terminator())
    if (failed(hostOp(op)))
      return failure();
  for (Value value : body.getTerminator()->getOperands())
    if (!value.getDefiningOp<tcp::ToHostOp>())
      return entry.emitOpError()
             << "returns a value that no tcp.to_host produces";
  if (failed(checkHbmOverlaps()))
    return failure();
  auto stated =
      entry->getAttrOfType<IntegerAttr>(tcp::TcpDialect::kMacsAttrName);
  program.macs = stated ? stated.getInt() : counted;
  return std::move(program);
}

FailureOr<config::Program> sequin::deriveProgram(ModuleOp module,
                                                 StringRef entry) {
  tcp::TargetAttr target = tcp::getTarget(module);
  if (!target)
    return failure();
  auto function = module.lookupSymbol<func::FuncOp>(entry);
  if (!function) {
    InFlightDiagnostic diag = module.emitError()
                              << "no function '" << entry << "' to run";
    std::string known;
    for (auto candidate : module.getOps<func::FuncOp>())
      known += (known.empty() ? "" : ", ") + candidate.getSymName().str();
    if (!known.empty())
      diag << ", the module has " << known;
    return diag;
  }
  return ProgramDeriver(module, *target.getRow()).run(function, target);
}
