//===- WaferVerify.cpp - A run on a wafer against the reference -----------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WaferPlan.h"
#include "llvm/ADT/StringExtras.h"

using namespace sequin;
using namespace sequin::tools;
using namespace sequin::wafer;
using llvm::Twine;

static llvm::Error refuseVerification(const Twine &what) {
  return api::refuse(api::Refusal::Kind::Verification, what);
}

/// Calls `visit` with every PE of `where` that has the symbol, and its part of
/// a PE-major array.
template <typename T>
static llvm::Error
forEachPart(const Rectangle &where, llvm::ArrayRef<T> array,
            llvm::function_ref<llvm::Error(int64_t x, int64_t y,
                                           llvm::ArrayRef<T> part)>
                visit) {
  size_t each = array.size() / static_cast<size_t>(where.width * where.height);
  for (int64_t y = where.y; y < where.y + where.height; ++y)
    for (int64_t x = where.x; x < where.x + where.width; ++x) {
      if (llvm::Error bad = visit(x, y, array.take_front(each)))
        return bad;
      array = array.drop_front(each);
    }
  return llvm::Error::success();
}

static llvm::Error runReference(reference::CslReference &meant, bool isLast) {
  switch (meant.run()) {
  case reference::CslOutcome::Finished:
    return llvm::Error::success();
  case reference::CslOutcome::Hung:
    // A later launch may send what is waited for.
    if (!isLast)
      return llvm::Error::success();
    return refuseVerification("verification failed: the reference interpreter "
                              "hangs: " +
                              meant.message());
  case reference::CslOutcome::Trapped:
    return refuseVerification("verification failed: the reference interpreter "
                              "traps: " +
                              meant.message());
  case reference::CslOutcome::Exhausted:
    return refuseVerification("verification failed: the reference interpreter "
                              "comes to its step limit");
  }
  llvm_unreachable("an outcome");
}

/// The same commands on the reference interpreter.
static llvm::Error replay(const Plan &plan, const Session &session,
                          reference::CslReference &meant) {
  for (const Transfer &input : plan.inputs) {
    if (input.stream) {
      Rectangle where = input.stream->kind == Stream::Kind::Edge
                            ? Rectangle{input.stream->x, input.stream->y, 1, 1}
                            : input.where;
      if (llvm::Error bad = forEachPart<uint32_t>(
              where, input.words,
              [&](int64_t x, int64_t y, llvm::ArrayRef<uint32_t> words) {
                return meant.send(input.stream->name, x, y, words);
              }))
        return bad;
      continue;
    }
    if (llvm::Error bad = forEachPart<uint8_t>(
            input.where, input.bytes,
            [&](int64_t x, int64_t y,
                llvm::ArrayRef<uint8_t> bytes) -> llvm::Error {
              if (!session.has(*input.symbol, x, y))
                return llvm::Error::success();
              return meant.copyIn(input.symbol->name, x, y, bytes);
            }))
      return bad;
  }
  for (const auto &[index, launch] : llvm::enumerate(plan.launches)) {
    const Rectangle &where = launch.where;
    for (int64_t y = where.y; y < where.y + where.height; ++y)
      for (int64_t x = where.x; x < where.x + where.width; ++x)
        if (session.has(*launch.function, x, y))
          if (llvm::Error bad = meant.launch(launch.function->name, x, y, 1, 1,
                                             launch.arguments))
            return bad;
    if (llvm::Error bad =
            runReference(meant, index + 1 == plan.launches.size()))
      return bad;
  }
  return plan.launches.empty() ? runReference(meant, true)
                               : llvm::Error::success();
}

/// Whole arguments and results against the linalg program.
static llvm::Error verifyLinalg(const Plan &plan, const Session &session,
                                const api::WaferModule &module) {
  const Program &program = session.program();
  std::vector<sim::HostArray> inputs, outputs;
  for (const Transfer &input : plan.inputs) {
    auto whole = gatherWhole(input, input.bytes, program);
    if (!whole)
      return whole.takeError();
    inputs.push_back(std::move(*whole));
  }
  for (const api::WaferEntry::Tensor &tensor : plan.entry->results) {
    auto output = makeWhole(tensor, "", session);
    if (!output)
      return output.takeError();
    std::vector<uint8_t> local;
    for (int64_t y = 0; y < program.height; ++y)
      for (int64_t x = 0; x < program.width; ++x) {
        auto part = session.simulator().copyOut(
            tensor.symbol, x, y,
            static_cast<uint64_t>(output->data.bytesPerPe()));
        if (!part)
          return part.takeError();
        local.insert(local.end(), part->begin(), part->end());
      }
    auto whole = gatherWhole(*output, local, program);
    if (!whole)
      return whole.takeError();
    outputs.push_back(std::move(*whole));
  }
  return module.compareWithLinalg(inputs, outputs);
}

llvm::Expected<std::string> tools::verify(const Plan &plan,
                                          const Session &session,
                                          const api::WaferModule &module) {
  auto meant = module.makeReference();
  if (!meant)
    return meant.takeError();
  if (llvm::Error bad = replay(plan, session, **meant))
    return std::move(bad);
  uint64_t bytes = 0;
  size_t symbols = 0;
  for (const Symbol &symbol : session.program().symbols) {
    if (symbol.kind == Symbol::Kind::Function)
      continue;
    ++symbols;
    for (int64_t y = 0; y < session.program().height; ++y)
      for (int64_t x = 0; x < session.program().width; ++x) {
        if (!session.has(symbol, x, y))
          continue;
        auto data = session.dataOf(symbol, {x, y, 1, 1});
        if (!data)
          return data.takeError();
        uint64_t size = static_cast<uint64_t>(data->bytesPerPe());
        auto found = session.simulator().copyOut(symbol.name, x, y, size);
        if (!found)
          return found.takeError();
        auto expected = (*meant)->copyOut(symbol.name, x, y, size);
        if (!expected)
          return expected.takeError();
        bytes += size;
        if (*found == *expected)
          continue;
        size_t at = 0;
        while ((*found)[at] == (*expected)[at])
          ++at;
        size_t element = at / data->elementBytes;
        auto text = [&](const std::vector<uint8_t> &all) {
          return "0x" + llvm::toHex(llvm::ArrayRef(all).slice(
                                        element * data->elementBytes,
                                        data->elementBytes),
                                    /*LowerCase=*/true);
        };
        return refuseVerification(
            "verification failed: '" + symbol.name + "' of PE (" + Twine(x) +
            ", " + Twine(y) + "), element " + Twine(element) +
            ": found bytes " + text(*found) +
            ", the reference interpreter has " + text(*expected));
      }
  }
  std::string text =
      (Twine(symbols) + (symbols == 1 ? " symbol, " : " symbols, ") +
       Twine(bytes) + " bytes equal the reference interpreter's")
          .str();
  if (!module.isLinalg() || !plan.entry)
    return text;
  if (llvm::Error bad = verifyLinalg(plan, session, module))
    return std::move(bad);
  return text + " and the linalg program's within its rounding";
}
