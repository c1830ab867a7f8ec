//===- CheckQueues.cpp - Queues and microthreads of a csl program ---------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FunctionEmitter.h"
#include "ProgramCheck.h"
#include "Sharing.h"
#include "ValueLayout.h"
#include "sequin/Support/FormerRelease.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::csl_to_wafer;

/// The file of source that a code was made of, or else the name of its program:
/// the codes that parameters divide it into together.
StringRef ProgramCheck::getSource(csl::ProgramOp code) const {
  auto place = dyn_cast<FileLineColLoc>(code.getLoc());
  return place && ofSource ? place.getFilename().getValue() : code.getSymName();
}

/// Fabric DSDs name queues that the program initialises. Where it does so at
/// some PEs only, its parameters say where it uses them, which is not followed.
void ProgramCheck::checkFabricDsds() {
  std::map<StringRef, std::set<int64_t>> inputs, outputs;
  for (auto [number, setup] : llvm::enumerate(program.setups)) {
    StringRef name = getSource(derivation.programs[setup.code]);
    for (auto [queue, op] : derivation.setupOps[number].inputQueues)
      inputs[name].insert(queue);
    for (auto [queue, op] : derivation.setupOps[number].outputQueues)
      outputs[name].insert(queue);
  }
  std::set<std::pair<const void *, int64_t>> formerPlaces;
  // Setups of a code that bind the same queues have the same to say.
  std::vector<std::vector<const wafer::Setup *>> seen(program.codes.size());
  for (const wafer::Setup &setup : program.setups) {
    if (llvm::any_of(seen[setup.code], [&](const wafer::Setup *other) {
          return other->inputQueues == setup.inputQueues;
        }))
      continue;
    seen[setup.code].push_back(&setup);
    csl::ProgramOp code = derivation.programs[setup.code];
    // Wavelets of a color go to one queue.
    const auto &bindings =
        derivation.setupOps[&setup - program.setups.data()].inputQueues;
    std::map<uint8_t, Operation *> queueOf;
    for (const wafer::Queue &queue : setup.inputQueues) {
      auto op = bindings.find(queue.id);
      if (!queue.color || op == bindings.end())
        continue;
      auto [entry, isNew] = queueOf.try_emplace(*queue.color, op->second);
      if (!isNew)
        report(Severity::Warning, op->second,
               "binds input queue " + Twine(unsigned(queue.id)) + " to color " +
                   Twine(unsigned(*queue.color)) +
                   ", which another input queue has",
               -1, -1, entry->second, "bound here");
    }
    auto missing = [&](Operation *op, StringRef what, int64_t id,
                       uint64_t reserved) {
      if (program.memcpy && (reserved >> id & 1))
        return;
      report(Severity::Warning, op,
             "uses " + what + " " + Twine(id) +
                 ", which the program does not initialise",
             -1, -1, code, "the program is here");
    };
    // Once for a place, wherever it is called from.
    auto former = [&](Operation *op, int64_t queue, const Twine &form,
                      StringRef instead) {
      Location place = op->getLoc();
      while (auto call = dyn_cast<CallSiteLoc>(place))
        place = call.getCallee();
      if (isa<UnknownLoc>(place) ||
          formerPlaces.insert({place.getAsOpaquePointer(), queue}).second)
        report(Severity::Warning, op,
               describeFormer(form, "1.4", "2.10", instead), -1, -1, code,
               "the program is here");
    };
    for (Operation *op : operations[setup.code]) {
      if (isPlaceholder(op))
        continue;
      if (auto in = dyn_cast<csl::FabinDsdOp>(op)) {
        std::optional<int64_t> queue = csl::getKnownId(in.getQueue());
        std::optional<int64_t> color = csl::getKnownId(in.getColor());
        if (queue && !inputs[getSource(code)].count(*queue)) {
          if (in.getColor())
            former(op, *queue,
                   "with input queue " + Twine(*queue) +
                       " and no @initialize_queue of it",
                   "that gives a queue its color");
          else
            missing(op, "input queue", *queue, machine.memcpy.inputQueues);
        }
        if (!in.getQueue() && color &&
            llvm::none_of(setup.inputQueues, [&](const wafer::Queue &entry) {
              return entry.color == *color;
            }))
          report(Severity::Warning, op,
                 "reads color " + Twine(*color) +
                     ", to which no input queue is bound",
                 -1, -1, code, "the program is here");
        auto bound = llvm::find_if(setup.inputQueues, [&](const auto &entry) {
          return queue && entry.id == *queue;
        });
        if (machine.generation == 3 && in.getColor())
          report(Severity::Warning, op, "names a color, which the queue has",
                 -1, -1);
        else if (color && bound != setup.inputQueues.end() && bound->color &&
                 *bound->color != *color)
          report(Severity::Warning, op,
                 "names color " + Twine(*color) + " and input queue " +
                     Twine(*queue) + ", which is bound to color " +
                     Twine(unsigned(*bound->color)) + " and counts",
                 -1, -1, bindings.count(*queue) ? bindings.at(*queue) : nullptr,
                 "bound here");
        else if (color && bound != setup.inputQueues.end())
          former(op, *queue, "with a color beside an initialised queue",
                 "the color is the queue's: leave out .fabric_color");
      }
      auto out = dyn_cast<csl::FaboutDsdOp>(op);
      if (!out)
        continue;
      std::optional<int64_t> queue = csl::getKnownId(out.getQueue());
      // WSE-2 output queues need no initialisation.
      if (machine.outputQueueColor && queue &&
          !outputs[getSource(code)].count(*queue))
        missing(op, "output queue", *queue, machine.memcpy.outputQueues);
      if (machine.outputQueueColor && out.getColor())
        report(Severity::Warning, op, "names a color, which the queue has", -1,
               -1);
    }
  }
}

/// Operations that may use a queue or a microthread at once.
void ProgramCheck::checkSharing() {
  // Of a setup its tasks matter.
  std::vector<std::vector<const wafer::Setup *>> seen(program.codes.size());
  for (const wafer::Setup &setup : program.setups) {
    csl::ProgramOp code = derivation.programs[setup.code];
    if (llvm::any_of(seen[setup.code], [&](const wafer::Setup *other) {
          return other->tasks == setup.tasks;
        }))
      continue;
    seen[setup.code].push_back(&setup);
    for (const Overlap &overlap :
         findOverlaps(code, setup, program.codes[setup.code])) {
      bool thread = overlap.of == Overlap::Of::Microthread;
      std::string text = thread ? "runs on microthread "
                         : overlap.of == Overlap::Of::OutputQueue
                             ? "uses output queue "
                             : "uses input queue ";
      text += std::to_string(overlap.number);
      if (overlap.acrossTasks)
        text += thread ? ", on which an operation of another task may run at "
                         "the same time"
                       : ", which an operation of another task may use at the "
                         "same time";
      else
        text += thread ? ", on which an operation started before may still run"
                       : ", which an operation started before may still use";
      text += "; start it when that one completes, or give it a queue of its "
              "own";
      if (machine.outputQueueColor)
        text += " or another ut_id";
      report(Severity::Warning, overlap.second, text, -1, -1, overlap.first,
             "started here");
    }
  }
}

/// Fields that act on a switch or need a machine's other operands.
void ProgramCheck::checkOperands() {
  // Registers that every load fills with a fabin_dsd.
  for (const std::vector<Operation *> &ops : operations) {
    std::map<std::pair<wafer::DsrFile, int64_t>, std::pair<bool, Operation *>>
        loads;
    for (Operation *each : ops) {
      auto op = dyn_cast<csl::LoadToDsrOp>(each);
      if (!op || !csl::getKnownId(op.getDsr()))
        continue;
      wafer::DsrRef ref = getDsrRef(op.getDsr());
      bool fabin = op.getDsd().getDefiningOp<csl::FabinDsdOp>() != nullptr;
      auto [entry, isNew] =
          loads.try_emplace({ref.file, ref.number}, fabin, op);
      entry->second.first &= fabin;
    }
    if (machine.oneFabricInput)
      for (Operation *each : ops) {
        auto op = dyn_cast<csl::DsdOpInterface>(each);
        if (!op)
          continue;
        Operation *first = nullptr;
        for (Value source : op.getSources()) {
          Operation *input = source.getDefiningOp<csl::FabinDsdOp>();
          if (isa<csl::DsrType>(source.getType()) && csl::getKnownId(source)) {
            wafer::DsrRef ref = getDsrRef(source);
            auto found = loads.find({ref.file, ref.number});
            if (found != loads.end() && found->second.first)
              input = found->second.second;
          }
          if (!input)
            continue;
          if (first)
            report(Severity::Error, op,
                   "has two fabric inputs, " + Twine(machine.name) +
                       " allows one",
                   -1, -1, first, "the first is loaded here");
          first = input;
        }
      }
  }
  // advance_switch on a color without switch positions.
  for (int64_t y = 0; y < program.height; ++y)
    for (int64_t x = 0; x < program.width; ++x) {
      PeView here = view(x, y);
      for (csl::FaboutDsdOp out : advancing[here.setup.code]) {
        std::optional<int64_t> color = csl::getKnownId(out.getColor());
        std::optional<int64_t> queue = csl::getKnownId(out.getQueue());
        if (machine.outputQueueColor) {
          color.reset();
          for (const wafer::Queue &entry : here.setup.outputQueues)
            if (queue && entry.id == *queue && entry.color)
              color = *entry.color;
        }
        if (!color)
          continue;
        auto config = here.router.colors.find(*color);
        if (config == here.router.colors.end() || !config->second.hasSwitches)
          report(Severity::Warning, out,
                 "advances the switch of color " + Twine(*color) +
                     ", which has no switch positions here",
                 x, y, here.getConfigOp(*color),
                 "the color's configuration is here");
      }
    }
}

/// Colors that programs read and no program of the rectangle sends on.
void ProgramCheck::checkSenders() {
  for (auto [number, setup] : llvm::enumerate(program.setups)) {
    // Colors that the setup's code sends on; all if one is not known.
    uint32_t sends = 0;
    for (csl::FaboutDsdOp out : senders[setup.code]) {
      std::optional<int64_t> color = csl::getKnownId(out.getColor());
      std::optional<int64_t> queue = csl::getKnownId(out.getQueue());
      if (!machine.outputQueueColor) {
        sends |= color ? 1u << *color : ~0u;
        continue;
      }
      if (!queue)
        sends = ~0u;
      for (const wafer::Queue &entry : setup.outputQueues)
        if (queue && entry.id == *queue && entry.color)
          sends |= 1u << *entry.color;
    }
    if (passesDsds[setup.code])
      sends = ~0u;
    sending.push_back(sends);
  }
  uint32_t sent = 0;
  for (const wafer::Pe &pe : program.pes)
    sent |= sending[pe.setup];
  for (const wafer::Stream &stream : program.streams)
    if (stream.toDevice)
      sent |= 1u << stream.color;
  // Another color's wavelets may be heard as this one.
  for (const wafer::Router &router : program.routers)
    for (const auto &[color, config] : router.colors)
      if (config.swapX || config.swapY)
        sent |= 1u << color | 1u << (color ^ 1);
  for (auto [number, setup] : llvm::enumerate(program.setups)) {
    const SetupOps &ops = derivation.setupOps[number];
    auto missing = [&](Operation *op, unsigned color) {
      if (!(sent >> color & 1))
        report(Severity::Warning, op,
               "waits for color " + Twine(color) +
                   ", on which no program sends",
               -1, -1);
    };
    for (const wafer::Queue &queue : setup.inputQueues)
      if (queue.color && takesFrom(setup, queue.id))
        missing(ops.inputQueues.find(queue.id)->second, *queue.color);
    if (machine.generation == 2)
      for (const wafer::Task &task : setup.tasks)
        if (Operation *op = ops.tasks.find({0, task.id})->second;
            task.kind == wafer::TaskKind::Data && !isServedByMemcpy(op))
          missing(op, task.id);
  }
}

/// Registers of FIFOs are taken (FIF-023).
void ProgramCheck::checkRegisters() {
  for (auto [index, code] : llvm::enumerate(derivation.programs)) {
    std::map<int64_t, Operation *> dsrs, xdsrs;
    auto take = [&](std::map<int64_t, Operation *> &numbers, StringRef kind,
                    std::optional<uint64_t> number, Operation *fifo) {
      if (!number)
        return;
      auto [entry, isNew] = numbers.try_emplace(*number, fifo);
      if (!isNew)
        report(Severity::Error, fifo,
               "takes " + kind + " " + Twine(*number) +
                   ", which another FIFO has",
               -1, -1, entry->second, "taken here");
    };
    for (auto fifo : code.getOps<csl::FifoOp>()) {
      take(dsrs, "DSR", fifo.getDest(), fifo);
      take(xdsrs, "XDSR", fifo.getXdsr(), fifo);
    }
    auto load = [&](std::map<int64_t, Operation *> &numbers, StringRef kind,
                    Value loaded, Operation *op) {
      std::optional<int64_t> number = csl::getKnownId(loaded);
      auto found = number ? numbers.find(*number) : numbers.end();
      if (found != numbers.end())
        report(Severity::Error, op,
               "loads " + kind + " " + Twine(*number) + ", which a FIFO has",
               -1, -1, found->second, "taken here");
    };
    for (Operation *op : operations[index]) {
      Value dsr, xdsr;
      if (auto simple = dyn_cast<csl::LoadToDsrOp>(op)) {
        dsr = simple.getDsr();
      } else if (auto ring = dyn_cast<csl::LoadToDsrXdsrOp>(op)) {
        dsr = ring.getDsr();
        xdsr = ring.getXdsr();
      } else if (auto box = dyn_cast<csl::LoadToDsrXdsrSrOp>(op)) {
        dsr = box.getDsr();
        xdsr = box.getXdsr();
      }
      if (xdsr)
        load(xdsrs, "XDSR", xdsr, op);
      if (dsr &&
          cast<csl::DsrType>(dsr.getType()).getKind() != csl::DsrKind::Src0)
        load(dsrs, "DSR", dsr, op);
    }
  }
}

/// Microthreads that memcpy keeps for itself.
void ProgramCheck::checkMicrothreads() {
  if (!program.memcpy)
    return;
  for (const std::vector<Operation *> &ops : operations)
    for (Operation *op : ops) {
      auto async = dyn_cast<csl::AsyncOpInterface>(op);
      std::optional<uint64_t> id =
          async ? async.getUtId() : std::optional<uint64_t>();
      if (id && (machine.memcpy.microthreads >> *id & 1))
        report(Severity::Warning, op,
               "uses microthread " + Twine(*id) +
                   ", which the memcpy library needs",
               -1, -1);
    }
}
