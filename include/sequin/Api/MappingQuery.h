//===- MappingQuery.h - Questions about mappings, with answers --*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What sequin-map and the mapping objects of the Python package have in common:
// limits on what is listed and compared, the wording of a difference, and a
// derivation by names. Errors are sentences; needs no MLIR.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_API_MAPPINGQUERY_H
#define SEQUIN_API_MAPPINGQUERY_H

#include "sequin/Machine/Machine.h"
#include "sequin/Stream/Sequencer.h"

namespace sequin::api {

/// Positions that are listed, and runs that are compared, at most.
inline constexpr int64_t maxListed = int64_t(1) << 24;
inline constexpr int64_t maxCompared = int64_t(1) << 30;

/// "A=8,B=512" and tables "t=3,1,4"; errors begin with "in --axes" or
/// "in --table".
llvm::Expected<AxisSizes> parseAxes(llvm::StringRef axes,
                                    llvm::ArrayRef<std::string> tables);

/// An error if `mapping` has too many positions or indices to list.
llvm::Error checkListable(const Mapping &mapping);

/// "{A: 1}", "padding", or several indices with "or" between them.
std::string formatIndices(const Mapping &mapping, int64_t position);

/// The first position at which the two differ, std::nullopt if they are
/// equivalent; an error if that takes too long to find out.
llvm::Expected<std::optional<int64_t>> findDifference(const Mapping &left,
                                                      const Mapping &right);

/// "position 1 holds {B: 1} in 'A, B' (size 24) and nothing in ...".
std::string describeDifference(const Mapping &left, const Mapping &right,
                               int64_t position);

/// A derivation with everything by name, as on a command line.
struct DeriveRequest {
  std::string target = "rngd";
  std::string dtype = "i8";
  std::string direction = "read";
  std::string buffer;
  std::string time = "1", packet = "1";
  bool minimal = false;
  int64_t segments = 1;
};

struct DeriveAnswer {
  AddressMap buffer;
  DeriveOptions options;
  Derivation derivation;
};

/// Derives with the limits of the main context's fetch or commit engine. Errors
/// about one of the texts begin with "in --buffer" and so on.
llvm::Expected<DeriveAnswer> derive(const DeriveRequest &request,
                                    const AxisSizes &axes);

} // namespace sequin::api

#endif // SEQUIN_API_MAPPINGQUERY_H
