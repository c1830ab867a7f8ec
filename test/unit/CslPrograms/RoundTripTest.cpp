//===- RoundTripTest.cpp - IR to source and back --------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random programs that were never source, without locations, go to source and
// back twice: memory stays the same, and of 99 % the cycles are within 2 %. The
// same for programs with some
// operations changed, as long as they verify and the reference finishes them;
// what cannot be said in source is refused with a reason.
//
// 60 programs and 120 changed ones of the same seed every time;
// SEQUIN_TEST_SEED asks for another, SEQUIN_TEST_COUNT for another number,
// SEQUIN_TEST_FIRST for the first of them that is checked, SEQUIN_TEST_WRONG
// for how many may be wrong before it stops.
//
//===----------------------------------------------------------------------===//

#include "ProgramGenerator.h"
#include "ProgramTest.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Parser/Parser.h"
#include "sequin/Conversion/CslToWafer/DeriveProgram.h"
#include "sequin/Dialect/Csl/IR/CslDialect.h"
#include "sequin/Reference/CslInterpreter.h"
#include "sequin/Target/CslImport/CslImport.h"
#include "sequin/Target/CslSource/EmitSource.h"
#include "sequin/WaferSim/Simulator.h"
#include "llvm/ADT/StringSet.h"
#include <algorithm>
#include <map>
#include <random>

using namespace mlir;
using namespace sequin;
using namespace sequin::testing;

namespace {

constexpr uint64_t kSeed = 7;

/// What a run left behind.
struct Outcome {
  /// By PE and name of the variable, as source spells it.
  std::map<std::pair<int64_t, std::string>, std::vector<uint8_t>> before, after;
  uint64_t cycles = 0;
};

/// Which programs are drawn.
struct Draws {
  explicit Draws(int64_t usual)
      : count(fromEnvironment("SEQUIN_TEST_COUNT", usual)) {}

  /// Whether shares of them mean something.
  bool sayMuch() const { return count >= 60 && !first; }

  uint64_t seed = fromEnvironment("SEQUIN_TEST_SEED", kSeed);
  int64_t count;
  int64_t first = fromEnvironment("SEQUIN_TEST_FIRST", 0);
  int64_t most = fromEnvironment("SEQUIN_TEST_WRONG", 3);
};

/// What is wrong with a program; "" if nothing is.
struct Finding {
  std::string problem, program;
};

/// Why a program is not looked at; empty if it is.
using Reason = std::string;

class RoundTrips : public ProgramTest {
protected:
  static Reason run(ModuleOp module, Outcome &out) {
    FailureOr<wafer::Program> program = csl_to_wafer::deriveProgram(module);
    if (failed(program))
      return "not derived";
    wafer::Options options;
    options.maxCycles = 1'000'000;
    auto simulator = wafer::Simulator::create(
        *program, *lookupCslMachine(program->target), options);
    if (!simulator)
      return llvm::toString(simulator.takeError());
    auto read = [&](auto &memory) {
      for (int64_t y = 0; y < program->height; ++y)
        for (int64_t x = 0; x < program->width; ++x)
          for (const wafer::Variable &variable :
               program->codeOf(program->at(x, y)).variables) {
            std::string name = variable.name;
            std::replace(name.begin(), name.end(), '.', '_');
            ArrayRef<uint8_t> bytes =
                (*simulator)
                    ->memory(x, y)
                    .slice(variable.address, variable.bytes());
            memory[{y * program->width + x, name}] = bytes.vec();
          }
    };
    read(out.before);
    if (llvm::Error error =
            (*simulator)
                ->launch("main", {0, 0, program->width, program->height}))
      return llvm::toString(std::move(error));
    if ((*simulator)->run() != wafer::Outcome::Finished)
      return (*simulator)->trap() ? (*simulator)->trap()->message
                                  : (*simulator)->hang().str(*program);
    if (!(*simulator)->races().empty())
      return "a race: " + (*simulator)->races().front().message;
    read(out.after);
    out.cycles = (*simulator)->now();
    return "";
  }

  /// The first difference; empty if there is none.
  static std::string compare(const Outcome &first, const Outcome &again) {
    for (const auto &[place, bytes] : first.after) {
      auto found = again.after.find(place);
      std::string name =
          "'" + place.second + "' of PE " + std::to_string(place.first);
      // Nothing uses it.
      if (found == again.after.end()) {
        if (bytes != first.before.at(place))
          return name + " is not there any more";
        continue;
      }
      if (found->second != bytes)
        return name + " has other bytes";
    }
    return "";
  }

  /// Whether the cycles are not within 2 %.
  static bool hasOtherCycles(const Outcome &first, const Outcome &again) {
    uint64_t off = again.cycles > first.cycles ? again.cycles - first.cycles
                                               : first.cycles - again.cycles;
    return off * 50 > first.cycles;
  }

  /// What is wrong with two trips; empty if nothing is. A program that source
  /// cannot say counts as `refused`.
  std::string goRound(ModuleOp module, const Outcome &first, int &refused) {
    csl::TargetAttr target = csl::getTarget(module);
    csl_import::ImportOptions options;
    options.arch = target.getMachine().str();
    options.fp16 = target.getFp16();
    options.memcpy = target.getMemcpy();
    options.libraryPath = SEQUIN_BUILD_DIR "/share/sequin/csl";
    OwningOpRef<ModuleOp> back;
    bool isOther = false;
    for (int trip = 1; trip <= 2; ++trip) {
      std::string where = "trip " + std::to_string(trip) + ": ", text;
      module.walk(
          [&](Operation *op) { op->setLoc(UnknownLoc::get(&context)); });
      said.clear();
      auto emitted = csl_to_source::emitSource(module);
      if (failed(emitted)) {
        ++refused;

        return said.empty() || trip == 2
                   ? where + "not written as source: " + said
                   : "";
      }
      csl_source::SourceManager sources;
      csl_source::Diagnostics diagnostics(sources);
      std::string top;
      for (const csl_to_source::SourceFile &file : *emitted)
        if (StringRef(file.name).ends_with(".csl")) {
          if (top.empty())
            top = file.name;
          sources.add(file.name, file.text);
          text += "//--- " + file.name + "\n" + file.text;
        }
      OwningOpRef<ModuleOp> next =
          csl_import::importCsl(top, options, context, sources, diagnostics);
      if (!next) {
        std::string errors;
        llvm::raw_string_ostream os(errors);
        diagnostics.print(os);
        // The IR may say where an element would be that an array does not have.
        if (StringRef(errors).contains("is out of bounds")) {
          ++refused;
          return "";
        }
        return where + "refused:\n" + errors + text;
      }
      back = std::move(next);
      module = *back;
      Outcome again;
      Reason wrong = run(module, again);
      if (wrong.empty())
        wrong = compare(first, again);
      if (!wrong.empty())
        return where + wrong + "\n" + said + text;
      isOther |= hasOtherCycles(first, again);
    }
    others += isOther;
    return "";
  }

  /// Whether a variable changed that no operation names: something wrote past
  /// the end of another, and what is there is no part of a program's meaning.
  static bool wroteElsewhere(ModuleOp module, const Outcome &outcome) {
    llvm::StringSet<> named;
    module.walk([&](Operation *op) {
      for (NamedAttribute attribute : op->getAttrs())
        if (auto symbol = dyn_cast<FlatSymbolRefAttr>(attribute.getValue())) {
          std::string name = symbol.getValue().str();
          std::replace(name.begin(), name.end(), '.', '_');
          named.insert(name);
        }
    });
    return llvm::any_of(outcome.after, [&](const auto &entry) {
      return !named.contains(entry.first.second) &&
             entry.second != outcome.before.at(entry.first);
    });
  }

  /// Whether the reference finishes it in both orders: it traps where an access
  /// leaves its variable, which in memory depends on what is beside it.
  static bool finishes(ModuleOp module, int64_t width, int64_t height) {
    for (bool other : {false, true}) {
      reference::CslOptions options;
      options.maxSteps = 1'000'000;
      options.otherOrder = other;
      auto made = reference::CslReference::create(module, options);
      if (failed(made))
        return false;
      if (llvm::Error error = (*made)->launch("main", 0, 0, width, height)) {
        llvm::consumeError(std::move(error));
        return false;
      }
      if ((*made)->run() != reference::CslOutcome::Finished)
        return false;
    }
    return true;
  }

  /// Draws programs until too many are wrong; how many are.
  int64_t
  checkEach(const Draws &draws,
            llvm::function_ref<Finding(std::mt19937_64 &random)> check) {
    std::printf("seed %llu\n", static_cast<unsigned long long>(draws.seed));
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      said += diagnostic.str() + "\n";
      return success();
    });
    std::mt19937_64 seeds(draws.seed);
    int64_t wrong = 0;
    for (int64_t i = 0; i < draws.count && wrong < draws.most; ++i) {
      std::mt19937_64 random(seeds());
      if (i < draws.first)
        continue;
      Finding finding = check(random);
      if (finding.problem.empty())
        continue;
      ++wrong;
      ADD_FAILURE() << "program " << i << " of seed " << draws.seed << ": "
                    << finding.problem << "\n//--- program.mlir\n"
                    << finding.program;
    }
    return wrong;
  }

  std::string said;
  /// How many programs have other cycles after a trip.
  int64_t others = 0;
};

//===----------------------------------------------------------------------===//
// Changes
//===----------------------------------------------------------------------===//

/// Whether the operation says where a DSD goes. Behind the end of a variable is
/// what happens to be there, which is no part of a program's meaning.
bool placesDsd(Operation *op) {
  return isa<csl::Mem1dDsdOp, csl::Mem4dDsdOp, csl::CircbufDsdOp,
             csl::IncrementDsdOffsetOp, csl::SetDsdLengthOp,
             csl::SetDsdStrideOp, csl::SetDsdBaseAddrOp, csl::SetDsrBaseAddrOp,
             csl::SetDsrLengthOp>(op);
}

/// Changes one operation; false if it found nothing to change.
bool mutate(ModuleOp module, std::mt19937_64 &random) {
  std::vector<Operation *> all;
  for (auto program : module.getOps<csl::ProgramOp>())
    for (auto function : program.getOps<FunctionOpInterface>())
      if (!function.isExternal())
        function->walk([&](Operation *op) {
          if (op != function)
            all.push_back(op);
        });
  if (all.empty())
    return false;
  auto pick = [&](const auto &list) { return list[random() % list.size()]; };
  Operation *op = pick(all);
  OpBuilder builder(op);
  switch (random() % 6) {
  case 0: { // Another operator.
    if (op->getNumOperands() != 2 || op->getNumResults() != 1 ||
        !isa<IntegerType>(op->getResult(0).getType()) ||
        op->getResult(0).getType().isInteger(1) ||
        op->getOperandTypes() !=
            TypeRange{op->getResult(0).getType(), op->getResult(0).getType()})
      return false;
    static constexpr StringRef kNames[] = {
        "arith.addi",  "arith.subi",  "arith.muli",  "arith.andi",
        "arith.ori",   "arith.xori",  "arith.minsi", "arith.maxsi",
        "arith.minui", "arith.maxui", "arith.shli",  "arith.shrsi",
        "arith.shrui", "arith.divsi", "arith.divui", "arith.remsi",
        "arith.remui"};
    OperationState state(op->getLoc(), pick(llvm::ArrayRef(kNames)));
    state.addOperands(op->getOperands());
    state.addTypes(op->getResultTypes());
    Operation *other = builder.create(state);
    op->replaceAllUsesWith(other);
    op->erase();
    return true;
  }
  case 1: { // Another relation.
    if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
      compare.setPredicate(static_cast<arith::CmpIPredicate>(random() % 10));
      return true;
    }
    if (auto compare = dyn_cast<arith::CmpFOp>(op)) {
      compare.setPredicate(static_cast<arith::CmpFPredicate>(random() % 16));
      return true;
    }
    return false;
  }
  case 2: { // Another number.
    auto constant = dyn_cast<arith::ConstantOp>(op);
    auto number = dyn_cast_or_null<IntegerAttr>(constant ? constant.getValue()
                                                         : Attribute());
    if (!number || llvm::any_of(op->getUsers(), placesDsd))
      return false;
    static constexpr int64_t kNumbers[] = {0, 1, -1, 2, 3, 5, 7, 16, 100, -5};
    constant.setValueAttr(IntegerAttr::get(
        number.getType(), number.getType().isInteger(1)
                              ? int64_t(random() % 2)
                              : pick(llvm::ArrayRef(kNumbers))));
    return true;
  }
  case 3: { // Another value, of those that are there.
    if (op->getNumOperands() == 0 || placesDsd(op))
      return false;
    OpOperand &operand = op->getOpOperand(random() % op->getNumOperands());
    auto function = op->getParentOfType<FunctionOpInterface>();
    DominanceInfo dominance(function);
    std::vector<Value> others;
    auto consider = [&](Value value) {
      if (value.getType() == operand.get().getType() &&
          value != operand.get() && dominance.properlyDominates(value, op))
        others.push_back(value);
    };
    function->walk([&](Operation *inner) {
      for (Value result : inner->getResults())
        consider(result);
      for (Region &region : inner->getRegions())
        for (Block &block : region)
          for (Value argument : block.getArguments())
            consider(argument);
    });
    if (others.empty())
      return false;
    operand.set(pick(others));
    return true;
  }
  case 4: // Once more.
    if (op->hasTrait<OpTrait::IsTerminator>() || op->getNumRegions())
      return false;
    builder.clone(*op);
    return true;
  default: // Not at all.
    if (op->hasTrait<OpTrait::IsTerminator>() || !op->use_empty())
      return false;
    op->erase();
    return true;
  }
}

TEST_F(RoundTrips, GeneratedProgramsComeBack) {
  Draws draws(/*usual=*/60);
  int refused = 0;
  int64_t wrong = checkEach(draws, [&](std::mt19937_64 &random) {
    Finding finding;
    finding.program = generateCslProgram(random);
    OwningOpRef<ModuleOp> module =
        parseSourceString<ModuleOp>(finding.program, ParserConfig(&context));
    if (!module) {
      finding.problem = "does not parse: " + said;
      return finding;
    }
    Outcome outcome;
    finding.problem = run(*module, outcome);
    if (finding.problem.empty())
      finding.problem = goRound(*module, outcome, refused);
    return finding;
  });
  std::printf("%d refused, %lld with other cycles\n", refused,
              static_cast<long long>(others));
  EXPECT_TRUE(!draws.sayMuch() || others <= draws.count / 100);
  EXPECT_TRUE(!draws.sayMuch() || wrong || refused <= draws.count / 2);
}

TEST_F(RoundTrips, ChangedProgramsComeBackOrAreRefused) {
  Draws draws(/*usual=*/120);
  int64_t looked = 0;
  int refused = 0;
  int64_t wrong = checkEach(draws, [&](std::mt19937_64 &random) {
    Finding finding;
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(
        generateCslProgram(random), ParserConfig(&context));
    if (!module) {
      finding.problem = "does not parse: " + said;
      return finding;
    }
    for (int changes = 1 + random() % 6, tries = 0; changes && tries < 100;
         ++tries)
      changes -= mutate(*module, random);
    if (failed(verify(*module)))
      return finding;
    auto layout = *module->getOps<csl::LayoutOp>().begin();
    Outcome outcome;
    if (!run(*module, outcome).empty() || wroteElsewhere(*module, outcome) ||
        !finishes(*module, layout.getWidth(), layout.getHeight()))
      return finding;
    ++looked;
    llvm::raw_string_ostream os(finding.program);
    module->print(os);
    finding.problem = goRound(*module, outcome, refused);
    return finding;
  });
  std::printf("%lld of %lld programs run, %d refused, %lld with other cycles\n",
              static_cast<long long>(looked),
              static_cast<long long>(draws.count), refused,
              static_cast<long long>(others));
  EXPECT_TRUE(!draws.sayMuch() || others <= looked / 100);
  EXPECT_TRUE(!draws.sayMuch() || wrong || looked >= draws.count / 4);
  EXPECT_TRUE(!draws.sayMuch() || wrong || refused <= looked / 2);
}

} // namespace
