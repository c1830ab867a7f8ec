//===- Chips.h - Groups and tensors on several chips ------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All chips run one program, each on tensors of its own. A tensor is whole on
// every chip, or every chip has a block of one of its dimensions. A group
//
//   is the same on all chips, if it is not divided,
//   does a block of the iterations of one loop on each chip, or
//   sums a block of a summed loop on each chip, and is followed by a group that
//   adds what the chips have.
//
// What it reads and writes lies as that says. Tensors that lie otherwise come
// by a collective before the group (Group::Kind::Collective).
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_CONVERSION_LINALGTOTCP_CHIPS_H
#define SEQUIN_LIB_CONVERSION_LINALGTOTCP_CHIPS_H

#include "Program.h"
#include <map>

namespace sequin::linalg_to_tcp {

/// The dimension of which every chip has a block; without one every chip has
/// the whole tensor.
using Spread = std::optional<unsigned>;

/// The tensors of one chip, by those of the program.
class ChipTensors {
public:
  ChipTensors(std::vector<std::unique_ptr<Tensor>> &owner, int64_t chips)
      : owner(owner), chips(chips) {}

  /// What one chip has of `tensor`; the same one each time.
  Tensor *get(const Tensor *tensor, Spread spread);
  /// A group has written into an argument that lies so. What lies otherwise is
  /// what the host has sent; from now on it comes by collectives.
  void write(const Tensor *argument, Spread spread);
  /// What every chip has added up of `result` by itself, in `type`.
  Tensor *makePartial(const Tensor &result, mlir::Type type);
  /// Block by block, what all chips have added up of what one has of `result`.
  Tensor *makePartials(const Tensor &result, mlir::Type type);

private:
  std::vector<std::unique_ptr<Tensor>> &owner;
  int64_t chips;
  std::map<std::pair<const Tensor *, Spread>, Tensor *> known;
  llvm::SmallPtrSet<const Tensor *, 2> written; ///< arguments
};

/// One way to run a group on several chips.
struct Division {
  enum class Kind {
    Whole,  ///< all of it on each chip
    Blocks, ///< a block of the loop's iterations on each chip
    Sums,   ///< a block of the summed loop on each chip
  };
  Kind kind = Kind::Whole;
  LoopId loop = 0;
  /// How what the group reads has to lie, in the order of Group::reads, and how
  /// the result does.
  llvm::SmallVector<Spread, 4> reads;
  Spread result;

  /// In words; empty for Whole.
  std::string describe(const Group &group, int64_t chips) const;
};

/// All ways to run the group on so many chips, the whole one first. `writers`
/// are the groups that write the group's result.
std::vector<Division> getDivisions(Group &group, int64_t chips,
                                   int64_t writers);

/// The groups that one chip runs, in their order: one, or for sums three.
std::vector<std::unique_ptr<Group>> divideGroup(Group &group,
                                                const Division &division,
                                                ChipTensors &tensors,
                                                int64_t chips);

/// How a tensor comes from one distribution to another one, for a group.
std::unique_ptr<Group> makeCollective(const Tensor *tensor, Spread from,
                                      Spread to, ChipTensors &tensors,
                                      int64_t chips, const Group &reader);

/// Cycles of a collective by the machine's formulas.
int64_t getCollectiveCycles(const Group &group, const TcpMachine &machine);

} // namespace sequin::linalg_to_tcp

#endif // SEQUIN_LIB_CONVERSION_LINALGTOTCP_CHIPS_H
