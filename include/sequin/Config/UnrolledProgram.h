//===- UnrolledProgram.h - The commands of loops, one by one ----*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program's commands in the order in which they run. Nothing is written out:
// a command of a loop is made when it is asked for, so a million rounds take no
// more memory than one.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_CONFIG_UNROLLEDPROGRAM_H
#define SEQUIN_CONFIG_UNROLLEDPROGRAM_H

#include "sequin/Config/Config.h"

namespace sequin::config {

class UnrolledProgram {
public:
  /// Of `program`, which must outlive the result. An error if the trip count of
  /// a loop is negative, a loop has steps, a step names no address of its
  /// command or no loop around it, or an address leaves 64 bits in some round.
  static llvm::Expected<UnrolledProgram> get(const Program &program);

  const Program &getProgram() const { return *program; }
  /// How many commands run; at most 2^62, which stands for more too.
  int64_t size() const { return root.size; }
  /// Command `index`, at most size() - 1: as it is written if no loop is around
  /// it, otherwise made in `made`, with its addresses in that round, the name
  /// "commit[3]" in the fourth one, and no steps.
  const Command &getCommand(int64_t index, Command &made) const;
  /// The same as it is written: a command of a loop has the addresses of the
  /// first round.
  const Command &getWritten(int64_t index) const;
  /// "commit[3]".
  std::string getName(int64_t index) const;

private:
  /// A command, or the commands that a round of a loop runs.
  struct Node {
    const Command *command = nullptr; ///< null: the program itself
    int64_t size = 1;                 ///< commands of all rounds
    int64_t round = 1;                ///< commands of one round
    std::vector<Node> body;
    /// Of each node of the body, the number of its first command in a round.
    std::vector<int64_t> first;
  };
  class Builder;

  /// The node of a command, with the rounds of the loops around it.
  const Node &find(int64_t index, llvm::SmallVectorImpl<int64_t> &rounds) const;

  const Program *program = nullptr;
  Node root;
};

} // namespace sequin::config

#endif // SEQUIN_CONFIG_UNROLLEDPROGRAM_H
