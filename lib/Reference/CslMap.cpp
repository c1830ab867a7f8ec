//===- CslMap.cpp - @map in csl programs ----------------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Inputs are read in order, the function is called, its result is written. The
// access of an operand that is used up ends the loop, and what was read or
// computed by then is lost (BLT-061).
//
//===----------------------------------------------------------------------===//

#include "CslState.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::reference;

static bool isElementwise(Value value) {
  return isa<csl::DsdType, csl::DsrType>(value.getType());
}

void CslMachineState::startMap(Pe &pe, Activation &frame, const Step &step) {
  auto op = cast<csl::MapOp>(step.op);
  FunctionCode *callee = functionAt(pe, op.getCallee());
  if (!callee)
    return trap(pe, "a call of '" + op.getCallee() + "', which has no body",
                step.op);
  auto map = std::make_unique<MapState>();
  map->step = &step;
  auto open = [&](MapState::Operand &place, Value value, Type element) {
    place.isElementwise = isElementwise(value);
    if (!place.isElementwise)
      return true;
    uint64_t bits = find(frame, step, value)->bits;
    Dsd source;
    if (isa<csl::DsrType>(value.getType())) {
      place.dsr = static_cast<int>(dsrNumber(*this, value.getType(), bits));
      source = pe.dsrs[place.dsr].dsd;
      if (!pe.dsrs[place.dsr].singleStep) {
        trap(pe,
             "csl.map takes a DSR that was not loaded with single_step "
             "(DSR-014)",
             step.op);
        return false;
      }
    } else {
      source = dsd(bits);
    }
    if (!latch(pe, place.walk, source,
               static_cast<unsigned>(sizeOf(element).bytes), 0, place.remaining,
               step.op))
      return false;
    // One element is one access of the queue.
    place.walk.packed = place.walk.pair = false;
    if (place.dsr >= 0) {
      const Dsr &dsr = pe.dsrs[place.dsr];
      if (source.kind != Dsd::Kind::Mem4d)
        place.remaining = dsr.remaining;
      if (dsr.head >= 0)
        place.walk.address = dsr.head;
    }
    place.endless = !source.isMemory() && place.remaining == kEndless;
    return true;
  };
  map->inputs.resize(op.getInputs().size());
  map->arguments.resize(op.getInputs().size());
  for (auto [i, value] : llvm::enumerate(op.getInputs()))
    if (!open(map->inputs[i], value, callee->type.getInput(i)))
      return;
  if (Value output = op.getOutput())
    if (!open(map->output, output, callee->type.getResult(0)))
      return;
  frame.map = std::move(map);
  pe.main = MainAt::Map;
}

/// Goes on with the @map of the running function; false if it waits.
bool CslMachineState::progressMap(Pe &pe) {
  Activation &frame = pe.stack.back();
  MapState &map = *frame.map;
  const Step &step = *map.step;
  auto op = cast<csl::MapOp>(step.op);
  auto end = [&] {
    frame.map.reset();
    pe.main = MainAt::Running;
    return true;
  };
  auto took = [&](MapState::Operand &place) {
    if (!place.endless)
      --place.remaining;
    if (place.dsr < 0)
      return;
    pe.dsrs[place.dsr].head = place.walk.address;
    pe.dsrs[place.dsr].remaining = place.remaining;
  };

  if (map.at == MapState::At::Write) {
    ++steps;
    if (Value output = op.getOutput()) {
      MapState::Operand &place = map.output;
      if (!place.isElementwise) {
        Walk walk;
        walk.kind = Walk::Kind::Memory;
        walk.pointer = true;
        walk.bytes = static_cast<uint8_t>(
            sizeOf(cast<csl::PtrType>(output.getType()).getPointee()).bytes);
        walk.address = static_cast<int64_t>(find(frame, step, output)->bits);
        if (!checkPlace(pe, walk, step.op, "output"))
          return true;
        store(pe, walk, static_cast<uint32_t>(map.result.bits), true);
      } else {
        if (!place.remaining)
          return end();
        if (place.walk.kind == Walk::Kind::Memory &&
            !checkPlace(pe, place.walk, step.op, "output"))
          return true;
        store(pe, place.walk, static_cast<uint32_t>(map.result.bits),
              place.remaining == 1);
        took(place);
      }
    }
    map.next = 0;
    map.at = MapState::At::Read;
  }

  for (; map.next < map.inputs.size(); ++map.next) {
    MapState::Operand &place = map.inputs[map.next];
    if (!place.isElementwise) {
      map.arguments[map.next] = *find(frame, step, op.getInputs()[map.next]);
      continue;
    }
    if (!place.remaining)
      return end();
    if (place.walk.kind == Walk::Kind::Memory &&
        !checkPlace(pe, place.walk, step.op, "input"))
      return true;
    if (place.walk.kind == Walk::Kind::Fabin &&
        inputOf(pe, place.walk)->words.empty())
      return false;
    uint32_t value = fetch(pe, place.walk, place.remaining, place.endless);
    ++steps;
    took(place);
    map.arguments[map.next] = {value};
  }
  map.at = MapState::At::Called;
  pe.main = MainAt::Running;
  std::vector<Val> arguments = map.arguments;
  call(pe, functionAt(pe, op.getCallee()), arguments, nullptr, true);
  return true;
}
