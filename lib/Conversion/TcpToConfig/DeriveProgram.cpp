//===- DeriveProgram.cpp - From tcp kernels to a configuration ------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramDeriver.h"
#include "Walks.h"
#include "sequin/Config/BankRuns.h"
#include "sequin/Dialect/Tcp/IR/HostNames.h"
#include "sequin/Dialect/Tcp/IR/Locations.h"
#include "sequin/Support/Tenancy.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace sequin;
using namespace sequin::derivation;

config::Command &ProgramDeriver::append(Operation *op,
                                        decltype(config::Command::body) body,
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
  ++clock;
  return commands->emplace_back(std::move(command));
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

/// The name that a host function gives an argument or result, or `kind` with
/// its number.
static std::string nameOf(StringAttr given, const char *kind, size_t index) {
  return given ? given.str() : kind + std::to_string(index);
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
  setAddress(value, {address});
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

/// Whether the banks that a pass takes in a row are the same number in every
/// round; addresses count modulo a line of banks.
static bool starvesAlike(const config::ExecCommand &exec,
                         const std::vector<config::AddressStep> &steps,
                         ArrayRef<int64_t> counts, const TcpMachine &machine) {
  int64_t line = machine.dmBanks * machine.dmBankBytes;
  std::vector<config::Command> variants = {{"", "", exec}};
  for (auto [loop, count] : llvm::enumerate(counts)) {
    int64_t common = line;
    for (const config::AddressStep &step : steps)
      if (step.loop == static_cast<int64_t>(loop))
        common = std::gcd(common, step.bytes);
    int64_t rounds = std::min(count, line / common);
    size_t known = variants.size();
    // Many more than there are banks are looked at one by one.
    if (known * rounds > 4096)
      return false;
    for (size_t i = 0; i < known; ++i)
      for (int64_t round = 1; round < rounds; ++round) {
        config::Command moved = variants[i];
        config::forEachAddress(moved, [&](const std::string &key,
                                          int64_t &address) {
          for (const config::AddressStep &step : steps)
            if (step.loop == static_cast<int64_t>(loop) && step.address == key)
              address += step.bytes * round;
        });
        variants.push_back(std::move(moved));
      }
  }
  return llvm::all_of(variants, [&](const config::Command &variant) {
    return config::starvesDma(std::get<config::ExecCommand>(variant.body),
                              machine) == exec.occupiesDma;
  });
}

/// The bytes that a sequencer may touch in all rounds of loops that move it.
static std::pair<int64_t, int64_t> hullOf(const config::Sequencer &sequencer,
                                          ElementType type,
                                          ArrayRef<int64_t> moves,
                                          ArrayRef<int64_t> counts) {
  int64_t begin = sequencer.baseAddress, end = begin;
  auto reach = [&](int64_t bytes) { (bytes < 0 ? begin : end) += bytes; };
  for (const config::Loop &loop : sequencer.entries)
    reach((loop.size - 1) * loop.stride * getBitWidth(type) / 8);
  for (auto [move, count] : llvm::zip_equal(moves, counts))
    reach((count - 1) * move);
  return {begin, end + 1};
}

/// What was checked of a pass in the first round holds in every one.
LogicalResult ProgramDeriver::checkRounds(Operation *op,
                                          const config::Command &command) {
  const auto &exec = std::get<config::ExecCommand>(command.body);
  if (!starvesAlike(exec, command.steps, counts, machine))
    return failAffine();
  const auto *commit = std::get_if<config::CommitStage>(&exec.sink);
  if (!commit)
    return success();
  SmallVector<int64_t> read(counts.size(), 0), written(counts.size(), 0);
  for (const config::AddressStep &step : command.steps) {
    if (step.address == "fetch.sequencer")
      read[step.loop] = step.bytes;
    if (step.address != "commit.sequencer")
      continue;
    written[step.loop] = step.bytes;
    if (step.bytes % machine.commitAlignBytes != 0)
      return op->emitOpError() << "writes to address "
                               << commit->sequencer.baseAddress + step.bytes
                               << ", commit addresses are multiples of "
                               << machine.commitAlignBytes << " bytes";
  }
  // Where reads and writes move apart, they may meet in some round.
  auto from = hullOf(exec.fetch.sequencer, exec.fetch.from, read, counts);
  auto to = hullOf(commit->sequencer, commit->type, written, counts);
  bool apart = from.second <= to.first || to.second <= from.first;
  return read == written || apart ? success() : failAffine();
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
  // The distance between interleaved tensors is part of the sequencer.
  if (steps.lookup(begin.getInputs().front()) !=
      steps.lookup(begin.getInputs().back()))
    return failAffine();
  Affine written;
  if (auto view = dyn_cast<tcp::CommitViewOp>(sink)) {
    FailureOr<Affine> address = viewAddress(view, chip);
    if (failed(address))
      return failure();
    written = *address;
  }
  Operation *last = nullptr;
  auto exec = deriveExec(begin, *table, written.base, machine, last);
  if (failed(exec))
    return failure();
  exec->chip = chip;
  exec->occupiesDma = config::starvesDma(*exec, machine);
  config::Command &command =
      append(sink, std::move(*exec),
             program.chips == 1 ? "" : "@" + std::to_string(chip));
  if (counts.empty())
    return success();
  auto packed = dyn_cast<tcp::CommitPackedOp>(sink);
  addSteps(command, [&](StringRef key) {
    if (key == "fetch.sequencer")
      return addressOf(begin.getInput());
    if (packed)
      return addressOf(key == "commit.sequencer"
                           ? Value(packed.getDestination())
                           : packed.getCount());
    return written;
  });
  return command.steps.empty() ? success() : checkRounds(sink, command);
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
    setAddress(commit.getResult(), {int64_t(commit.getAddress())});
  else if (auto view = dyn_cast<tcp::CommitViewOp>(sink))
    bind(view.getResult(), view.getDestination());
  else if (auto packed = dyn_cast<tcp::CommitPackedOp>(sink))
    bind(packed.getResult(), packed.getDestination());
  else if (auto vrf = dyn_cast<tcp::ToVrfOp>(sink))
    setAddress(vrf.getResult(), {int64_t(vrf.getAddress())});
  // What the branch logger writes on the way.
  for (Operation *stage = sink; stage && !PassBegin::is(stage);
       stage = stage->getOperand(0).getDefiningOp())
    if (auto log = dyn_cast<tcp::VectorBranchLogOp>(stage))
      setAddress(log.getIds(), {int64_t(log.getAddress())});
  return success();
}

LogicalResult ProgramDeriver::kernelBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(kernelOp(op)))
      return failure();
  return success();
}

/// Where addresses are multiples of whole words, so are their steps.
static LogicalResult checkDmaSteps(Operation *op,
                                   const config::Command &command,
                                   const TcpMachine &machine) {
  const auto &dma = std::get<config::DmaCommand>(command.body);
  bool toDm = dma.destination == config::Memory::Dm;
  bool both = toDm && dma.source == config::Memory::Hbm;
  for (const config::AddressStep &step : command.steps) {
    bool isSource = StringRef(step.address).ends_with("source_address");
    bool isDestination =
        StringRef(step.address).ends_with("destination_address");
    if (((both && isSource) || (toDm && isDestination)) &&
        step.bytes % machine.dmaAlignBytes != 0)
      return op->emitOpError()
             << "moves by " << step.bytes << " bytes from round to round, "
             << (both ? "HBM to DM" : "DM destination")
             << " addresses are multiples of " << machine.dmaAlignBytes
             << " bytes";
  }
  return success();
}

LogicalResult ProgramDeriver::dma(Operation *op) {
  auto part = dyn_cast<tcp::ToHbmViewOp>(op);
  Affine written;
  if (part) {
    FailureOr<Affine> address = viewAddress(part);
    if (failed(address))
      return failure();
    written = *address;
  }
  ArrayRef<int64_t> offsets;
  if (auto found = chipOffsets.find(op->getOperand(0));
      found != chipOffsets.end())
    offsets = found->second;
  auto dma = deriveDma(op, addresses, written.base, offsets, machine);
  if (failed(dma))
    return failure();
  Affine read = addressOf(op->getOperand(0));
  Value indexList;
  for (Value operand : op->getOperands())
    readHbm(operand);
  Value result = op->getResult(0);
  if (auto gather = dyn_cast<tcp::GatherOp>(op))
    indexList = gather.getIndices();
  if (auto scatter = dyn_cast<tcp::ScatterOp>(op)) {
    indexList = scatter.getIndices();
    written = addressOf(scatter.getDestination());
    bind(result, scatter.getDestination());
  } else if (part) {
    bind(result, part.getDestination());
  } else {
    int64_t address = op->getAttrOfType<IntegerAttr>("address").getInt();
    if (auto hbm = dyn_cast<tcp::HbmType>(result.getType()))
      placeHbm(result, op, address, hbm.getByteSize());
    setAddress(result, {address});
  }
  config::Command &command = append(op, std::move(*dma));
  if (!counts.empty())
    addSteps(command, [&](StringRef key) {
      return key.ends_with("source_address")        ? read
             : key.ends_with("indirection.address") ? addressOf(indexList)
                                                    : written;
    });
  return checkDmaSteps(op, command, machine);
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
  setAddress(op.getResult(), {int64_t(op.getAddress())});
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
    setAddress(memory.getResult(), {int64_t(memory.getAddress())});
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
    program.inputs.push_back(describeArgument(
        host,
        nameOf(entry.getArgAttrOfType<StringAttr>(index, tcp::kNameAttrName),
               "arg", index)));
  }
  for (auto [index, type] : llvm::enumerate(entry.getResultTypes())) {
    auto host = dyn_cast<tcp::HostType>(type);
    if (!host)
      return entry.emitOpError()
             << "result " << index << " is " << type
             << ", a host function returns !tcp.host tensors";
    program.outputs.push_back(describeArgument(
        host,
        nameOf(entry.getResultAttrOfType<StringAttr>(index, tcp::kNameAttrName),
               "result", index)));
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
