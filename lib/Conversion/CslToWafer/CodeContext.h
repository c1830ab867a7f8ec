//===- CodeContext.h - One program while it becomes code --------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_CONVERSION_CSLTOWAFER_CODECONTEXT_H
#define SEQUIN_LIB_CONVERSION_CSLTOWAFER_CODECONTEXT_H

#include "sequin/Dialect/Csl/IR/CslDialect.h"
#include "sequin/Wafer/Program.h"
#include "llvm/ADT/StringMap.h"

namespace sequin::csl_to_wafer {

/// Numbers of source locations in a table of their texts; the first is that of
/// nothing known.
class Locations {
public:
  explicit Locations(std::vector<std::string> &texts) : texts(texts) {}
  wafer::Location get(mlir::Location loc);
  wafer::Location get(llvm::StringRef text);

private:
  std::vector<std::string> &texts;
  llvm::StringMap<wafer::Location> numbers;
  llvm::DenseMap<mlir::Location, wafer::Location> known;
};

/// What functions, comptime blocks and symbols of one program need to know of
/// it and of each other.
struct CodeContext {
  CodeContext(csl::ProgramOp program, csl::TargetAttr target,
              const wafer::Program &frame, Locations &locations,
              wafer::Code &code)
      : program(program), target(target), machine(*target.getRow()),
        frame(frame), locations(&locations), code(code) {}

  csl::ProgramOp program;
  csl::TargetAttr target;
  const CslMachine &machine;
  /// Size and place of the rectangle.
  const wafer::Program &frame;
  Locations *locations;
  wafer::Code &code;

  /// By symbol name: indices into Code::parameters, variables, functions and
  /// Setup::fifos.
  llvm::StringMap<unsigned> parameters, variables, functions, fifos;
  /// FIFOs in the order of their numbers.
  std::vector<csl::FifoOp> fifoOps;
  /// Advertised symbols: the number of the name (Program::symbols), and what
  /// each is of this program.
  struct Export {
    unsigned id;
    llvm::StringRef symbol;
    mlir::Operation *op;
  };
  std::vector<Export> exports;
  /// Colors with a filter and their number, where all PEs of the program agree;
  /// -1 where they do not.
  llvm::SmallDenseMap<int64_t, int> filters;

  /// Variables in sections that have an address, by address.
  struct Placed {
    int64_t begin, end; ///< bytes
    csl::VarOp var;
  };
  std::vector<Placed> placed;

  /// What the tables of control tasks take, of the setup whose are largest, and
  /// who says so.
  int64_t taskTableBytes = 0;
  mlir::Operation *taskTableOp = nullptr;

  uint16_t addressOf(llvm::StringRef variable) const {
    return code.variables[variables.lookup(variable)].address;
  }
  Fp16Format fp16() const { return static_cast<Fp16Format>(target.getFp16()); }

  unsigned addDescriptor(const wafer::Descriptor &descriptor);
  unsigned addShape(const wafer::Shape &shape);
  unsigned addConstant(uint64_t value);
  unsigned addMessage(llvm::StringRef text);
};

/// The bits of a constant in a register; std::nullopt for what is none. cb16
/// parameters are given as f32.
std::optional<uint64_t> getBits(mlir::Attribute value, mlir::Type type);

/// Places the variables of the program; false with an error if they do not fit.
llvm::LogicalResult layOutVariables(CodeContext &context);
/// What takes most of a function's frame, as notes.
void attachFrame(mlir::InFlightDiagnostic &error, mlir::Operation *function);
/// Places stack and code behind them, when the size of the code is known.
llvm::LogicalResult layOutRest(CodeContext &context);

/// What is known of a DSD where it is made: everything but runtime fields, at
/// `base` bytes (0 if that is only known at run time).
wafer::Descriptor describeMem1d(csl::Mem1dDsdOp op, int64_t base);
wafer::Descriptor describeMem4d(csl::Mem4dDsdOp op, int64_t base,
                                CodeContext &context);
wafer::Descriptor describeCircbuf(csl::CircbufDsdOp op, int64_t base);
wafer::Descriptor describeFabin(csl::FabinDsdOp op);
wafer::Descriptor describeFabout(csl::FaboutDsdOp op);

} // namespace sequin::csl_to_wafer

#endif // SEQUIN_LIB_CONVERSION_CSLTOWAFER_CODECONTEXT_H
