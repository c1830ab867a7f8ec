//===- ProgramDeriver.h - From a program to its commands --------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Puts the commands of a program together. Every number that an operation
// depends on (an index, an address) is affine in the loops around it: so much
// in their first round, and so much more per round (Affine). The body of a loop
// is walked with such numbers, and its commands with their steps are those of
// every round.
//
// Buffers that change places through the loop make rounds differ: the body is
// walked until what the loop carries is what it was some rounds before. The
// rounds up to there are written out, those of the period are the body of the
// loop command, and what the period leaves over is written out behind it. Two
// rounds at least are walked, so that the lifetimes of HBM tensors meet.
//
// What is not affine (the remainder of an index, an access to another bank that
// would starve the DMA engines) makes the walk fail with `needsRounds` and no
// message; the innermost loop that it depends on is then derived round by
// round.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_CONVERSION_TCPTOCONFIG_PROGRAMDERIVER_H
#define SEQUIN_LIB_CONVERSION_TCPTOCONFIG_PROGRAMDERIVER_H

#include "Derivation.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "sequin/Conversion/TcpToConfig/DeriveProgram.h"
#include <map>

namespace sequin::derivation {

/// A number that advances evenly with the rounds of the loops around it.
struct Affine {
  int64_t base = 0; ///< in the first round of every loop
  /// By loop, outermost first; loops that are not here move nothing.
  llvm::SmallVector<int64_t, 2> perRound = {};

  bool isConstant() const { return perRound.empty(); }
  bool operator==(const Affine &) const = default;

  /// None if a number does not fit in 64 bits.
  static std::optional<Affine> add(const Affine &a, const Affine &b);
  std::optional<Affine> times(int64_t factor) const;
  /// The number while loop `loop` is in round `round`, for good.
  Affine atRound(unsigned loop, int64_t round) const;
  /// The smallest and the largest value, of loops of `counts` rounds; none if
  /// one does not fit.
  std::optional<std::pair<int64_t, int64_t>>
  getRange(llvm::ArrayRef<int64_t> counts) const;

private:
  void trim();
};

/// Walks the host function and, at each launch, the kernel.
class ProgramDeriver {
public:
  ProgramDeriver(mlir::ModuleOp module, const TcpMachine &machine,
                 const DeriveProgramOptions &options)
      : module(module), machine(machine), options(options) {}

  llvm::FailureOr<config::Program> run(mlir::func::FuncOp entry,
                                       tcp::TargetAttr target);

private:
  llvm::LogicalResult hostOp(mlir::Operation &op);
  llvm::LogicalResult toHbm(tcp::ToHbmOp op);
  llvm::LogicalResult toHost(tcp::ToHostOp op);
  llvm::LogicalResult launch(tcp::LaunchOp op);
  llvm::LogicalResult kernelOp(mlir::Operation &op);
  llvm::LogicalResult kernelBlock(mlir::Block &block);
  llvm::LogicalResult dma(mlir::Operation *op);
  llvm::LogicalResult generate(tcp::ItosOp op);
  llvm::LogicalResult pass(mlir::Operation *sink);
  llvm::LogicalResult checkRounds(mlir::Operation *op,
                                  const config::Command &command);
  llvm::LogicalResult passOnChip(PassBegin begin, mlir::Operation *sink,
                                 int64_t chip);

  // Loops (DeriveLoops.cpp).
  using Commands = std::vector<config::Command>;
  /// What a loop carries from round to round.
  struct Carried {
    Affine number; ///< an index or an address
    llvm::SmallVector<int64_t> chipOffsets;
    /// Where an HBM tensor was made, and its bytes.
    mlir::Operation *made = nullptr;
    int64_t begin = 0, end = 0;
    bool operator==(const Carried &) const = default;
  };
  /// Rounds of a loop: the first ones, and from `first` on `period` rounds that
  /// come again and again.
  struct Rounds {
    std::vector<Commands> walked;
    int64_t first = 0, period = 1;
  };
  llvm::LogicalResult loop(mlir::scf::ForOp op);
  /// Fails with needsRounds, or after a message.
  llvm::FailureOr<Rounds> walkRounds(mlir::scf::ForOp op, const Affine &index,
                                     int64_t count);
  llvm::LogicalResult walkRound(mlir::scf::ForOp op, const Affine &index,
                                Commands &commands);
  llvm::LogicalResult writeRounds(mlir::scf::ForOp op, int64_t lower,
                                  int64_t step, int64_t count);
  void appendRounds(mlir::scf::ForOp op, Rounds rounds, int64_t count);
  /// Appends commands of round `round`, which come once.
  void appendRound(const Commands &commands, int64_t round);
  llvm::SmallVector<Carried> describeCarried(mlir::scf::ForOp op) const;
  /// An integer computation on indices.
  llvm::LogicalResult compute(mlir::Operation *op);
  /// A number that has to be the same in every round.
  llvm::FailureOr<int64_t> constantOf(mlir::Operation *op, mlir::Value index);
  llvm::FailureOr<Affine> indexOf(mlir::Operation *op, mlir::Value index);
  Affine addressOf(mlir::Value tensor) const;
  void setAddress(mlir::Value tensor, const Affine &address);
  /// The steps of a command: `find(key)` is how an address moves.
  void addSteps(config::Command &command,
                llvm::function_ref<Affine(llvm::StringRef)> find);
  llvm::LogicalResult failAffine() {
    needsRounds = true;
    return mlir::failure();
  }
  /// `to` is another name of the tensor `from`.
  void bind(mlir::Value to, mlir::Value from);

  // Views.
  llvm::LogicalResult tile(tcp::TileOp op);
  /// The bytes from the tensor's address to those of a part of it, per chip or
  /// one for all.
  template <typename OpTy>
  llvm::FailureOr<llvm::SmallVector<Affine>> tileOffsets(OpTy op,
                                                         mlir::Type element);
  llvm::LogicalResult view(tcp::ViewOp op);
  /// The bytes from the address of `tensor` to those of a view of it.
  template <typename OpTy>
  llvm::FailureOr<Affine> viewOffset(OpTy op, tcp::HbmType tensor,
                                     tcp::HbmType view);
  llvm::LogicalResult move(mlir::Operation *op, mlir::Value tensor,
                           const Affine &offset);
  /// Where the part of a tensor begins that is written.
  llvm::FailureOr<Affine> viewAddress(tcp::ToHbmViewOp op);
  llvm::FailureOr<Affine> viewAddress(tcp::CommitViewOp op, int64_t chip);

  /// Appends a command named after the operation; a name location
  /// (`loc("layer1")`) gives the prefix.
  config::Command &append(mlir::Operation *op,
                          decltype(config::Command::body) body,
                          llvm::StringRef suffix = "");
  /// Multiply-accumulates on data, for kernels that do not state their own.
  void countMacs(tcp::AlignOp op);

  /// Puts a tensor into HBM: `made` is the operation that writes it.
  void placeHbm(mlir::Value value, mlir::Operation *made, int64_t address,
                int64_t bytes);
  /// The tensor is read by the command appended next.
  void readHbm(mlir::Value value);
  /// Tensors that are needed at the same time must not share bytes; kernels
  /// pass them on, so this is known for the program as a whole only.
  llvm::LogicalResult checkHbmOverlaps();

  struct HbmTensor {
    mlir::Operation *made;
    int64_t begin, end;
    /// Commands that write it and that read it last, counted as they run.
    size_t written, lastRead;
  };

  mlir::ModuleOp module;
  const TcpMachine &machine;
  const DeriveProgramOptions &options;
  config::Program program;
  /// Where commands are appended: the program, or a round of a loop.
  std::vector<config::Command> *commands = &program.commands;
  size_t clock = 0; ///< commands so far, in the order they were walked
  unsigned loopDepth = 0;
  /// Names of the commands inside the loop that is being derived: the same in
  /// every round.
  std::map<std::pair<mlir::Operation *, std::string>, std::string> loopNames;
  llvm::DenseMap<mlir::Value, Affine> indices;
  /// Rounds of the loops around that are commands, outermost first.
  llvm::SmallVector<int64_t> counts;
  /// Whether a walk failed because something is not affine.
  bool needsRounds = false;
  llvm::DenseMap<mlir::Operation *, int64_t>
      constants; ///< numbers in the program
  /// Of tiles that start elsewhere on every chip, relative to `addresses`.
  llvm::DenseMap<mlir::Value, llvm::SmallVector<int64_t>> chipOffsets;
  std::vector<HbmTensor> hbmTensors;
  llvm::DenseMap<mlir::Value, size_t> hbmTensorOf;
  AddressTable addresses; ///< in the first round of every loop
  /// Of addresses that follow loops, bytes per round (Affine::perRound).
  llvm::DenseMap<mlir::Value, llvm::SmallVector<int64_t, 2>> steps;
  llvm::StringMap<unsigned> names;
  int64_t counted = 0;
};

} // namespace sequin::derivation

#endif // SEQUIN_LIB_CONVERSION_TCPTOCONFIG_PROGRAMDERIVER_H
