//===- DeriveProgram.cpp - From tcp kernels to a configuration ------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Conversion/TcpToConfig/DeriveProgram.h"
#include "Walks.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "sequin/Config/BankRuns.h"
#include "sequin/Dialect/Tcp/IR/TcpShapes.h"
#include "sequin/Support/Tenancy.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/MathExtras.h"
#include <map>

using namespace mlir;
using namespace sequin;
using namespace sequin::derivation;

namespace {
/// Walks the host function and, at each launch, the kernel.
class ProgramDeriver {
public:
  ProgramDeriver(ModuleOp module, const TcpMachine &machine,
                 const DeriveProgramOptions &options)
      : module(module), machine(machine), options(options) {}

  FailureOr<config::Program> run(func::FuncOp entry, tcp::TargetAttr target);

private:
  LogicalResult hostOp(Operation &op);
  LogicalResult toHbm(tcp::ToHbmOp op);
  LogicalResult toHost(tcp::ToHostOp op);
  LogicalResult launch(tcp::LaunchOp op);
  LogicalResult kernelOp(Operation &op);
  LogicalResult kernelBlock(Block &block);
  LogicalResult dma(Operation *op);
  LogicalResult generate(tcp::ItosOp op);
  LogicalResult pass(Operation *sink);
  LogicalResult passOnChip(PassBegin begin, Operation *sink, int64_t chip);
  /// The pass on `chip` with its tensors at `table`; inside loops, the one of
  /// the round before if these are where they were.
  FailureOr<config::ExecCommand> derivePass(PassBegin begin, Operation *sink,
                                            int64_t chip,
                                            const AddressTable &table,
                                            int64_t viewAddress);

  // Loops: every round is derived with the values its indices have, then the
  // rounds are joined if they differ in addresses only.
  LogicalResult loop(scf::ForOp op);
  void appendRounds(scf::ForOp op,
                    std::vector<std::vector<config::Command>> rounds);
  /// An integer computation on indices.
  LogicalResult compute(Operation *op);
  FailureOr<int64_t> indexOf(Operation *op, Value index);
  /// `to` is another name of the tensor `from`.
  void bind(Value to, Value from);

  // Views.
  LogicalResult tile(tcp::TileOp op);
  /// The bytes from the tensor's address to those of a part of it, per chip or
  /// one for all.
  template <typename OpTy>
  FailureOr<SmallVector<int64_t>> tileOffsets(OpTy op, Type element);
  LogicalResult view(tcp::ViewOp op);
  /// The bytes from the address of `tensor` to those of a view of it.
  template <typename OpTy>
  FailureOr<int64_t> viewOffset(OpTy op, tcp::HbmType tensor,
                                tcp::HbmType view);

  /// Appends a command named after the operation; a name location
  /// (`loc("layer1")`) gives the prefix.
  void append(Operation *op, decltype(config::Command::body) body,
              StringRef suffix = "");
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
    /// Commands that write it and that read it last, counted as they run.
    size_t written, lastRead;
  };

  ModuleOp module;
  const TcpMachine &machine;
  const DeriveProgramOptions &options;
  config::Program program;
  /// Where commands are appended: the program, or a round of a loop.
  std::vector<config::Command> *commands = &program.commands;
  size_t clock = 0; ///< commands so far, rounds counted one by one
  unsigned loopDepth = 0;
  /// Names of the commands inside the loop that is being derived: the same in
  /// every round.
  std::map<std::pair<Operation *, std::string>, std::string> loopNames;
  /// Inside loops, by sink and chip: the pass as it was derived last, and the
  /// addresses that it was derived from.
  struct KnownPass {
    SmallVector<int64_t, 8> addresses;
    config::ExecCommand command;
  };
  llvm::DenseMap<std::pair<Operation *, int64_t>, KnownPass> knownPasses;
  llvm::DenseMap<Value, int64_t> indices;
  llvm::DenseMap<Operation *, int64_t> constants; ///< numbers in the program
  /// Of tiles that start elsewhere on every chip, relative to `addresses`.
  llvm::DenseMap<Value, SmallVector<int64_t>> chipOffsets;
  std::vector<HbmTensor> hbmTensors;
  llvm::DenseMap<Value, size_t> hbmTensorOf;
  AddressTable addresses;
  llvm::StringMap<unsigned> names;
  int64_t counted = 0;
};
} // namespace

std::string sequin::describeLocation(Location location) {
  std::string text;
  location->walk([&](Location inner) {
    auto file = dyn_cast<FileLineColLoc>(inner);
    if (!file)
      return WalkResult::advance();
    text = (file.getFilename().getValue() + ":" + Twine(file.getLine()) + ":" +
            Twine(file.getColumn()))
               .str();
    return WalkResult::interrupt();
  });
  if (text.empty())
    if (auto named = location->findInstanceOf<NameLoc>())
      text = named.getName().str();
  return text;
}

void ProgramDeriver::append(Operation *op, decltype(config::Command::body) body,
                            StringRef suffix) {
  auto makeName = [&] {
    std::string name = op->getName().stripDialect().str();
    if (auto named = dyn_cast<NameLoc>(op->getLoc()))
      name = (named.getName().getValue() + "." + name).str();
    name += suffix;
    unsigned used = names[name]++;
    return used == 0 ? name : name + "." + std::to_string(used);
  };
  config::Command command;
  if (loopDepth == 0) {
    command.name = makeName();
  } else {
    std::string &name = loopNames[{op, suffix.str()}];
    if (name.empty())
      name = makeName();
    command.name = name;
  }
  command.location = describeLocation(op->getLoc());
  command.body = std::move(body);
  commands->push_back(std::move(command));
  ++clock;
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
  size_t now = clock;
  hbmTensors.push_back(
      {made, address, bytes > INT64_MAX - address ? INT64_MAX : address + bytes,
       now, now});
}

void ProgramDeriver::readHbm(Value value) {
  auto found = hbmTensorOf.find(value);
  if (found != hbmTensorOf.end())
    hbmTensors[found->second].lastRead = clock;
}

LogicalResult ProgramDeriver::checkHbmOverlaps() {
  std::vector<Tenancy> tenancies;
  for (const HbmTensor &tensor : hbmTensors)
    tenancies.push_back({tensor.begin, tensor.end,
                         static_cast<int64_t>(tensor.written),
                         static_cast<int64_t>(tensor.lastRead)});
  std::optional<std::pair<size_t, size_t>> found = findOverlap(tenancies);
  if (!found)
    return success();
  const HbmTensor &early = hbmTensors[found->first],
                  &late = hbmTensors[found->second];
  InFlightDiagnostic diag = late.made->emitOpError()
                            << "HBM tensor at bytes [" << late.begin << ", "
                            << late.end << ") overlaps one at [" << early.begin
                            << ", " << early.end << ") that is still needed";
  diag.attachNote(early.made->getLoc()) << "other tensor placed here";
  return diag;
}

LogicalResult ProgramDeriver::toHbm(tcp::ToHbmOp op) {
  auto host = dyn_cast<tcp::HostType>(op.getInput().getType());
  auto argument = dyn_cast<BlockArgument>(op.getInput());
  auto constant = op.getInput().getDefiningOp<tcp::ConstantOp>();
  if (!host || (!argument && !constant))
    return op.emitOpError() << "in a host function moves an argument of the "
                               "function or a tcp.constant to HBM";
  auto transfer = deriveTransfer(
      op, host, op.getResult().getType(), op.getAddress(),
      config::Transfer::Direction::ToDevice,
      constant ? constants.lookup(constant) : argument.getArgNumber());
  if (failed(transfer))
    return failure();
  for (config::Transfer &piece : *transfer)
    piece.constant = constant != nullptr;
  placeHbm(op.getResult(), op, op.getAddress(),
           op.getResult().getType().getByteSize());
  for (config::Transfer &piece : *transfer)
    append(op, std::move(piece));
  return success();
}

LogicalResult ProgramDeriver::toHost(tcp::ToHostOp op) {
  if (!op.getResult().hasOneUse() ||
      !isa<func::ReturnOp>(*op.getResult().user_begin()))
    return op.emitOpError() << "must be returned, once";
  Mapping host = op.getResult().getType().getElementMapping();
  if (host.validSize() < host.size())
    return op.emitOpError() << "returns \"" << host.str() << "\", which has "
                            << host.size() - host.validSize()
                            << " positions of padding; a result holds data "
                               "everywhere";
  auto transfer = deriveTransfer(
      op, op.getResult().getType(), op.getInput().getType(),
      addresses.lookup(op.getInput()), config::Transfer::Direction::ToHost,
      op.getResult().use_begin()->getOperandNumber());
  if (failed(transfer))
    return failure();
  readHbm(op.getInput());
  for (config::Transfer &piece : *transfer)
    append(op, std::move(piece));
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
    bind(parameter, input);
  }
  if (failed(kernelBlock(body)))
    return failure();
  for (auto [result, value] :
       llvm::zip_equal(op.getOutputs(), body.getTerminator()->getOperands())) {
    bind(result, value);
  }
  return success();
}

void ProgramDeriver::bind(Value to, Value from) {
  // Copies first: an insertion moves what the map holds.
  if (isa<IndexType>(to.getType())) {
    int64_t index = indices.lookup(from);
    indices[to] = index;
    return;
  }
  int64_t address = addresses.lookup(from);
  addresses[to] = address;
  if (auto found = hbmTensorOf.find(from); found != hbmTensorOf.end()) {
    size_t tensor = found->second;
    hbmTensorOf[to] = tensor;
  }
  SmallVector<int64_t> offsets = chipOffsets.lookup(from);
  if (offsets.empty())
    chipOffsets.erase(to);
  else
    chipOffsets[to] = std::move(offsets);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

LogicalResult ProgramDeriver::compute(Operation *op) {
  SmallVector<Attribute> operands;
  Builder builder(op->getContext());
  for (Value operand : op->getOperands()) {
    auto found = indices.find(operand);
    operands.push_back(found == indices.end()
                           ? Attribute()
                           : builder.getIndexAttr(found->second));
  }
  SmallVector<OpFoldResult> results;
  bool constant = succeeded(op->fold(operands, results)) &&
                  results.size() == op->getNumResults();
  for (unsigned i = 0; constant && i < results.size(); ++i) {
    if (auto number =
            dyn_cast_or_null<IntegerAttr>(dyn_cast<Attribute>(results[i])))
      indices[op->getResult(i)] = number.getInt();
    else if (auto value = dyn_cast<Value>(results[i]);
             value && indices.count(value))
      bind(op->getResult(i), value);
    else
      constant = false;
  }
  if (!constant)
    return op->emitOpError()
           << "cannot be evaluated: a kernel computes indices "
              "from constants and loop indices";
  return success();
}

FailureOr<int64_t> ProgramDeriver::indexOf(Operation *op, Value index) {
  auto found = indices.find(index);
  if (found != indices.end())
    return found->second;
  return op->emitOpError() << "depends on an index that is not known when the "
                              "program is configured";
}

/// " [3]" behind the names of a round's commands, inner loops included.
static void renameRound(std::vector<config::Command> &round, int64_t number) {
  for (config::Command &command : round) {
    command.name += "[" + std::to_string(number) + "]";
    if (auto *inner = std::get_if<config::LoopCommand>(&command.body))
      renameRound(inner->body, number);
  }
}

void ProgramDeriver::appendRounds(
    scf::ForOp op, std::vector<std::vector<config::Command>> rounds) {
  if (!options.unrollLoops)
    if (std::optional<config::LoopCommand> rolled = config::rollLoop(rounds)) {
      append(op, std::move(*rolled));
      --clock; // its commands have been counted
      return;
    }
  for (auto [number, round] : llvm::enumerate(rounds)) {
    renameRound(round, number);
    std::move(round.begin(), round.end(), std::back_inserter(*commands));
  }
}

LogicalResult ProgramDeriver::loop(scf::ForOp op) {
  FailureOr<int64_t> lower = indexOf(op, op.getLowerBound());
  FailureOr<int64_t> upper = indexOf(op, op.getUpperBound());
  FailureOr<int64_t> step = indexOf(op, op.getStep());
  if (failed(lower) || failed(upper) || failed(step))
    return failure();
  if (*step <= 0)
    return op.emitOpError() << "has step " << *step << ", it must be positive";
  auto count = *upper <= *lower
                   ? 0
                   : llvm::divideCeil(static_cast<uint64_t>(*upper) - *lower,
                                      static_cast<uint64_t>(*step));
  if (count > static_cast<uint64_t>(config::kMaxCommands))
    return op.emitOpError() << "runs " << count << " rounds, at most "
                            << config::kMaxCommands << " are supported";
  for (auto [argument, init] :
       llvm::zip_equal(op.getRegionIterArgs(), op.getInitArgs()))
    bind(argument, init);
  std::vector<config::Command> *outside = commands;
  std::vector<std::vector<config::Command>> rounds(count);
  ++loopDepth;
  LogicalResult result = success();
  auto yields = op.getBody()->getTerminator()->getOperands();
  for (uint64_t i = 0; i < count && succeeded(result); ++i) {
    indices[op.getInductionVar()] = *lower + static_cast<int64_t>(i) * *step;
    commands = &rounds[i];
    if (i > 0)
      commands->reserve(rounds[i - 1].size());
    result = kernelBlock(*op.getBody());
    // The results are what the body yields; through them buffers may change
    // places.
    for (auto [to, from] : llvm::zip_equal(op.getResults(), yields))
      bind(to, from);
    for (auto [to, from] :
         llvm::zip_equal(op.getRegionIterArgs(), op.getResults()))
      bind(to, from);
  }
  commands = outside;
  if (succeeded(result)) {
    if (count == 0)
      for (auto [to, from] : llvm::zip_equal(op.getResults(), op.getInitArgs()))
        bind(to, from);
    appendRounds(op, std::move(rounds));
  }
  if (--loopDepth == 0) {
    loopNames.clear();
    knownPasses.clear();
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

template <typename OpTy>
FailureOr<SmallVector<int64_t>> ProgramDeriver::tileOffsets(OpTy op,
                                                            Type element) {
  FailureOr<tcp::TileShape> shape =
      tcp::inferTile(op, [&] { return op.emitOpError(); });
  if (failed(shape))
    return failure();
  int64_t index = 0;
  if (op.getIndex()) {
    FailureOr<int64_t> value = indexOf(op, op.getIndex());
    if (failed(value))
      return failure();
    index = *value;
  }
  if (op.getStarts().size() != 1 &&
      static_cast<int64_t>(op.getStarts().size()) != program.chips)
    return op.emitOpError()
           << "has " << op.getStarts().size() << " starts, the program runs on "
           << program.chips << " chips";
  int64_t bits = getBitWidth(*tcp::getElementKind(element));
  SmallVector<int64_t> offsets;
  for (int64_t start : op.getStarts()) {
    int64_t from;
    if (llvm::AddOverflow(index, start, from) || from < 0 ||
        from > shape->extent - static_cast<int64_t>(op.getSize()))
      return op.emitOpError() << "tile of " << op.getSize() << " from " << from
                              << " of \"" << op.getDimension().getText()
                              << "\", which has " << shape->extent;
    auto offset = llvm::checkedMul(from * shape->step, bits);
    if (!offset || *offset % 8 != 0)
      return op.emitOpError() << "starts at element " << from * shape->step
                              << " of the buffer, which is no whole byte";
    offsets.push_back(*offset / 8);
  }
  return offsets;
}

LogicalResult ProgramDeriver::tile(tcp::TileOp op) {
  Type type = op.getSource().getType();
  Type element = isa<tcp::HbmType>(type)
                     ? cast<tcp::HbmType>(type).getElementType()
                     : cast<tcp::DmType>(type).getElementType();
  auto offsets = tileOffsets(op, element);
  if (failed(offsets))
    return failure();
  bind(op.getResult(), op.getSource());
  int64_t first = offsets->front();
  addresses[op.getResult()] += first;
  if (offsets->size() == 1)
    return success();
  if (chipOffsets.count(op.getSource()))
    return op.emitOpError() << "starts elsewhere on every chip, which a tensor "
                               "can that does not do so yet";
  for (int64_t &offset : *offsets)
    offset -= first;
  chipOffsets[op.getResult()] = std::move(*offsets);
  return success();
}

template <typename OpTy>
FailureOr<int64_t> ProgramDeriver::viewOffset(OpTy op, tcp::HbmType tensor,
                                              tcp::HbmType view) {
  int64_t offset = static_cast<int64_t>(op.getOffset());
  for (auto [value, step] : llvm::zip_equal(op.getIndices(), op.getSteps())) {
    FailureOr<int64_t> index = indexOf(op, value);
    if (failed(index))
      return failure();
    auto sum = llvm::checkedMulAdd<int64_t>(*index, step, offset);
    if (!sum)
      return op.emitOpError() << "has an offset that 64 bits cannot count";
    offset = *sum;
  }
  return tcp::checkHbmView(tensor, view, offset,
                           [&] { return op.emitOpError(); });
}

LogicalResult ProgramDeriver::view(tcp::ViewOp op) {
  FailureOr<int64_t> offset =
      viewOffset(op, op.getSource().getType(), op.getResult().getType());
  if (failed(offset))
    return failure();
  bind(op.getResult(), op.getSource());
  addresses[op.getResult()] += *offset;
  return success();
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

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

FailureOr<config::ExecCommand>
ProgramDeriver::derivePass(PassBegin begin, Operation *sink, int64_t chip,
                           const AddressTable &table, int64_t viewAddress) {
  // All that a pass depends on beside its operations.
  SmallVector<int64_t, 8> from = {viewAddress};
  if (loopDepth > 0) {
    for (Operation *stage = sink;;
         stage = stage->getOperand(0).getDefiningOp()) {
      for (Value operand : stage->getOperands())
        from.push_back(table.lookup(operand));
      if (stage == static_cast<Operation *>(begin))
        break;
    }
    auto known = knownPasses.find({sink, chip});
    if (known != knownPasses.end() && known->second.addresses == from)
      return known->second.command;
  }
  Operation *last = nullptr;
  auto command = deriveExec(begin, table, viewAddress, machine, last);
  if (failed(command))
    return failure();
  command->chip = chip;
  command->occupiesDma = config::starvesDma(*command, machine);
  if (loopDepth > 0)
    knownPasses[{sink, chip}] = {std::move(from), *command};
  return command;
}

LogicalResult ProgramDeriver::passOnChip(PassBegin begin, Operation *sink,
                                         int64_t chip) {
  const AddressTable *table = &addresses;
  AddressTable ofChip;
  for (Value input : begin.getInputs()) {
    auto offsets = chipOffsets.find(input);
    if (offsets == chipOffsets.end())
      continue;
    if (table == &addresses)
      ofChip = addresses;
    // The same tensor may come twice.
    ofChip[input] = addresses.lookup(input) + offsets->second[chip];
    table = &ofChip;
  }
  int64_t viewAddress = 0;
  if (auto view = dyn_cast<tcp::CommitViewOp>(sink)) {
    auto parts =
        tileOffsets(view, view.getDestination().getType().getElementType());
    if (failed(parts))
      return failure();
    viewAddress = addresses.lookup(view.getDestination()) +
                  (*parts)[parts->size() == 1 ? 0 : chip];
  }
  auto command = derivePass(begin, sink, chip, *table, viewAddress);
  if (failed(command))
    return failure();
  append(sink, std::move(*command),
         program.chips == 1 ? "" : "@" + std::to_string(chip));
  return success();
}

/// A pass takes its place in the program where it ends: by then everything it
/// reads has been written, whatever stands between its stages.
LogicalResult ProgramDeriver::pass(Operation *sink) {
  Operation *first = sink;
  while (!PassBegin::is(first))
    if (!(first = first->getOperand(0).getDefiningOp()))
      return sink->emitOpError() << "ends a stream that no tcp.begin of this "
                                    "kernel starts";
  PassBegin begin(first);
  Mapping chips = begin.getInput().getType().getGrid().getChipMapping();
  if (chips.size() > program.chips)
    return begin.emitOpError() << "runs on " << chips.size()
                               << " chips, the program on " << program.chips;
  for (int64_t chip = 0; chip < chips.size(); ++chip)
    if (chips.at(chip) && failed(passOnChip(begin, sink, chip)))
      return failure();
  if (auto commit = dyn_cast<tcp::CommitOp>(sink))
    addresses[commit.getResult()] = commit.getAddress();
  else if (auto view = dyn_cast<tcp::CommitViewOp>(sink))
    bind(view.getResult(), view.getDestination());
  else if (auto packed = dyn_cast<tcp::CommitPackedOp>(sink))
    bind(packed.getResult(), packed.getDestination());
  else if (auto vrf = dyn_cast<tcp::ToVrfOp>(sink))
    addresses[vrf.getResult()] = vrf.getAddress();
  // What the branch logger writes on the way.
  for (Operation *stage = sink; stage && !PassBegin::is(stage);
       stage = stage->getOperand(0).getDefiningOp())
    if (auto log = dyn_cast<tcp::VectorBranchLogOp>(stage))
      addresses[log.getIds()] = log.getAddress();
  return success();
}

LogicalResult ProgramDeriver::kernelBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(kernelOp(op)))
      return failure();
  return success();
}

LogicalResult ProgramDeriver::dma(Operation *op) {
  auto part = dyn_cast<tcp::ToHbmViewOp>(op);
  int64_t viewAddress = 0;
  if (part) {
    FailureOr<int64_t> offset =
        viewOffset(part, part.getDestination().getType(),
                   cast<tcp::HbmType>(part.getView()));
    if (failed(offset))
      return failure();
    viewAddress = addresses.lookup(part.getDestination()) + *offset;
  }
  ArrayRef<int64_t> offsets;
  if (auto found = chipOffsets.find(op->getOperand(0));
      found != chipOffsets.end())
    offsets = found->second;
  auto command = deriveDma(op, addresses, viewAddress, offsets, machine);
  if (failed(command))
    return failure();
  for (Value operand : op->getOperands())
    readHbm(operand);
  Value result = op->getResult(0);
  if (auto scatter = dyn_cast<tcp::ScatterOp>(op)) {
    bind(result, scatter.getDestination());
  } else if (part) {
    bind(result, part.getDestination());
  } else {
    int64_t address = op->getAttrOfType<IntegerAttr>("address").getInt();
    if (auto hbm = dyn_cast<tcp::HbmType>(result.getType()))
      placeHbm(result, op, address, hbm.getByteSize());
    addresses[result] = address;
  }
  append(op, std::move(*command));
  return success();
}

LogicalResult ProgramDeriver::generate(tcp::ItosOp op) {
  auto command = deriveGenerate(op, machine);
  if (failed(command))
    return failure();
  Mapping chips = op.getResult().getType().getGrid().getChipMapping();
  if (chips.size() > program.chips)
    return op.emitOpError() << "writes on " << chips.size()
                            << " chips, the program runs on " << program.chips;
  for (int64_t chip = 0; chip < chips.size(); ++chip) {
    if (!chips.at(chip))
      continue;
    command->chip = chip;
    append(op, *command, program.chips == 1 ? "" : "@" + std::to_string(chip));
  }
  addresses[op.getResult()] = op.getAddress();
  return success();
}

LogicalResult ProgramDeriver::kernelOp(Operation &op) {
  // A move from HBM to HBM; a pass from DM.
  auto copy = dyn_cast<tcp::ToHbmViewOp>(op);
  bool copies = copy && isa<tcp::HbmType>(copy.getInput().getType());
  if (!PassBegin::is(&op) && !isa<tcp::TileOp>(op))
    for (auto [i, operand] : llvm::enumerate(op.getOperands()))
      if (chipOffsets.count(operand) && !(copies && i == 0))
        return op.emitOpError() << "uses a tile that starts elsewhere on every "
                                   "chip, which only tcp.begin and moves "
                                   "between HBM by tcp.to_hbm_view read";
  if (isDmaOp(&op))
    return dma(&op);
  if (isa<tcp::ToHbmOp>(op))
    return op.emitOpError() << "moves a host tensor inside a kernel";
  if (auto align = dyn_cast<tcp::AlignOp>(op))
    countMacs(align);
  if (isa<tcp::CommitOp, tcp::CommitViewOp, tcp::CommitPackedOp, tcp::ToTrfOp,
          tcp::ToVrfOp>(op))
    return pass(&op);
  if (auto immediate = dyn_cast<tcp::ItosOp>(op))
    return generate(immediate);
  if (auto part = dyn_cast<tcp::TileOp>(op))
    return tile(part);
  if (auto other = dyn_cast<tcp::ViewOp>(op))
    return view(other);
  if (auto cast = dyn_cast<tcp::BitcastOp>(op)) {
    bind(cast.getResult(), cast.getSource());
    return success();
  }
  if (auto memory = dyn_cast<tcp::FromAddressOp>(op)) {
    auto hbm = dyn_cast<tcp::HbmType>(memory.getResult().getType());
    if (hbm)
      placeHbm(memory.getResult(), &op, memory.getAddress(), hbm.getByteSize());
    addresses[memory.getResult()] = memory.getAddress();
    return success();
  }
  if (auto nested = dyn_cast<scf::ForOp>(op))
    return loop(nested);
  if (op.getNumResults() > 0 && op.getNumRegions() == 0 &&
      llvm::all_of(op.getResultTypes(),
                   [](Type type) { return type.isIntOrIndex(); }))
    return compute(&op);
  if (PassBegin::is(&op) || (!op.getOperands().empty() &&
                             isa<tcp::StreamType>(op.getOperand(0).getType())))
    return success();
  return op.emitOpError() << "cannot be configured: a kernel holds tcp moves "
                             "and passes of the tensor unit";
}

LogicalResult ProgramDeriver::hostOp(Operation &op) {
  if (auto constant = dyn_cast<tcp::ConstantOp>(op)) {
    if (constant.getResult().use_empty())
      return success();
    size_t number = program.constants.size();
    constants[constant] = number;
    program.constants.push_back(
        describeConstant(constant, "constant" + std::to_string(number)));
    return success();
  }
  if (auto move = dyn_cast<tcp::ToHbmOp>(op))
    return toHbm(move);
  if (auto move = dyn_cast<tcp::ToHostOp>(op))
    return toHost(move);
  if (auto call = dyn_cast<tcp::LaunchOp>(op))
    return launch(call);
  return op.emitOpError() << "cannot be configured: a host function holds "
                             "tcp.constant, tcp.to_hbm, tcp.launch and "
                             "tcp.to_host";
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

FailureOr<config::Program>
sequin::deriveProgram(ModuleOp module, StringRef entry,
                      const DeriveProgramOptions &options) {
  for (auto function : module.getOps<func::FuncOp>())
    if (failed(deriveSequencers(function)) || failed(mergeEntries(function)))
      return failure();
  FailureOr<config::Program> program = assembleProgram(module, entry, options);
  module.walk(dropDerived);
  return program;
}

FailureOr<config::Program>
sequin::assembleProgram(ModuleOp module, StringRef entry,
                        const DeriveProgramOptions &options) {
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
  return ProgramDeriver(module, *target.getRow(), options)
      .run(function, target);
}
