//===- MappingQuery.cpp - Questions about mappings, with answers ----------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Api/MappingQuery.h"
#include "sequin/Stream/StreamJson.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace sequin;
using namespace sequin::api;
using llvm::StringRef;
using llvm::Twine;

/// The error, said to be about the value of a flag.
static llvm::Error in(StringRef flag, llvm::Error error) {
  return llvm::createStringError("in " + flag + ": " +
                                 llvm::toString(std::move(error)));
}

llvm::Expected<AxisSizes> api::parseAxes(StringRef text,
                                         llvm::ArrayRef<std::string> tables) {
  auto axes = AxisSizes::parse(text);
  if (!axes)
    return in("--axes", axes.takeError());
  for (const std::string &table : tables)
    if (llvm::Error error = axes->parseTable(table))
      return in("--table", std::move(error));
  return axes;
}

llvm::Error api::checkListable(const Mapping &mapping) {
  if (mapping.size() > maxListed)
    return llvm::createStringError(
        "'" + mapping.str() + "' has " + Twine(mapping.size()) +
        " positions, at most " + Twine(maxListed) + " are printed");
  // The number of indices is at most this.
  auto indices = llvm::checkedMul(mapping.size(), mapping.maxIndices());
  if (!indices || *indices > maxListed)
    return llvm::createStringError(
        "the positions of '" + mapping.str() + "' hold up to " +
        Twine(mapping.maxIndices()) + " indices each, at most " +
        Twine(maxListed) + " are printed");
  return llvm::Error::success();
}

std::string api::formatIndices(const Mapping &mapping, int64_t position) {
  if (mapping.maxIndices() == 1)
    return formatIndex(mapping.at(position));
  std::string text;
  for (const TensorIndex &index : mapping.allAt(position))
    text += (text.empty() ? "" : " or ") + formatIndex(index);
  return text.empty() ? formatIndex(std::nullopt) : text;
}

llvm::Expected<std::optional<int64_t>>
api::findDifference(const Mapping &left, const Mapping &right) {
  using Kind = Mapping::Comparison::Kind;
  Mapping::Comparison result = left.compare(right, maxCompared);
  if (result.kind == Kind::Undecided)
    return llvm::createStringError("not decided: equal in the first " +
                                   Twine(result.position) +
                                   " positions, and too many more to compare");
  if (result.kind == Kind::Equal)
    return std::optional<int64_t>();
  return std::optional<int64_t>(result.position);
}

std::string api::describeDifference(const Mapping &left, const Mapping &right,
                                    int64_t position) {
  auto side = [&](const Mapping &mapping) {
    return (position < mapping.size() ? formatIndices(mapping, position)
                                      : "nothing") +
           " in '" + mapping.str() + "' (size " +
           std::to_string(mapping.size()) + ")";
  };
  return "position " + std::to_string(position) + " holds " + side(left) +
         " and " + side(right);
}

llvm::Expected<DeriveAnswer> api::derive(const DeriveRequest &request,
                                         const AxisSizes &axes) {
  const TcpMachine *machine = lookupTcpMachine(request.target);
  if (!machine)
    return llvm::createStringError(
        "unknown machine '" + request.target +
        "' in --target; known: " + knownMachineNames());
  auto type = parseElementType(request.dtype);
  if (!type)
    return llvm::createStringError("unknown element type '" + request.dtype +
                                   "' in --dtype");
  if (request.direction != "read" && request.direction != "write")
    return llvm::createStringError("unknown direction '" + request.direction +
                                   "' in --direction; known: read, write");
  llvm::SmallVector<Mapping, 3> parts;
  for (auto [flag, text] :
       {std::pair<StringRef, StringRef>{"--buffer", request.buffer},
        {"--time", request.time},
        {"--packet", request.packet}}) {
    auto mapping = Mapping::parse(text, axes);
    if (!mapping)
      return in(flag, mapping.takeError());
    parts.push_back(*mapping);
  }
  DeriveAnswer answer;
  DeriveOptions &options = answer.options;
  options.direction =
      request.direction == "read" ? Direction::Read : Direction::Write;
  options.limits = options.direction == Direction::Read ? machine->mainFetch
                                                        : machine->mainCommit;
  options.elementType = *type;
  options.minimal = request.minimal;
  if (request.segments < 1)
    return llvm::createStringError(llvm::Twine(request.segments) +
                                   " sequencers in --segments, must be at "
                                   "least 1");
  options.maxSegments = request.segments;
  answer.buffer = AddressMap(parts[0]);
  auto derivation = sequin::derive(answer.buffer, parts[1], parts[2], options);
  if (!derivation)
    return derivation.takeError();
  answer.derivation = std::move(*derivation);
  return answer;
}
